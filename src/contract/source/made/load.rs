//! Modules for the experiments on loading.

use super::shape::{FILLED, Shape};

/// A little of everything, as the smallest contracts have.
pub(super) const CENTRE: Shape = Shape {
    functions: 16,
    types: 4,
    globals: 2,
    imports: 4,
    exports: 4,
    elements: 4,
    name: 10,
    code: 2 << 10,
    data: 1 << 10,
    ..Shape::LEAST
};

/// The least, a little of everything, and that with four levels of each factor.
///
/// With cold caches the first of a kind costs microseconds that no further one does, since what reads it has to come into the caches. Every real
/// contract has some of each kind, and so has every module here but the least.
pub(super) fn alone() -> Vec<(String, Shape)> {
    let named = Shape { imports: 8, exports: 8, ..CENTRE };
    let worked = Shape { functions: FILLED, ..CENTRE };
    let mut shapes = vec![("least".to_owned(), Shape::default()), ("centre".to_owned(), CENTRE)];
    let plain = Shape { data: 0, ..CENTRE };
    shapes.push(("data0".to_owned(), plain));
    // Without data there is no image, and what else is there finds other caches: one module alone would decide what all such contracts pay.
    shapes.push(("plain-functions64".to_owned(), Shape { functions: 64, types: 16, ..plain }));
    shapes.push(("plain-imports16".to_owned(), Shape { imports: 16, types: 8, ..plain }));
    shapes.push(("plain-exports32".to_owned(), Shape { exports: 32, functions: 32, elements: 32, ..plain }));
    let mut add = |name: &str, levels: [u32; 4], shape: &dyn Fn(u32) -> Shape| {
        shapes.extend(levels.map(|level| (format!("{name}{level}"), shape(level))));
    };
    add("functions", [64, 512, 2048, 8192], &|functions| Shape { functions, ..CENTRE });
    add("types", [16, 128, 1024, 4096], &|types| Shape { types, ..CENTRE });
    add("values", [8, 32, 128, 512], &|values| Shape { types: 16, values, ..CENTRE });
    add("globals", [64, 512, 4096, 16_384], &|globals| Shape { globals, ..CENTRE });
    add("imports", [16, 64, 256, 1024], &|imports| Shape { imports, ..CENTRE });
    add("exports", [32, 256, 2048, 8192], &|exports| Shape { exports, functions: exports, ..CENTRE });
    add("elements", [64, 512, 2048, 4096], &|elements| Shape { elements, functions: elements, ..CENTRE });
    add("names", [64, 512, 2048, 8192], &|name| Shape { name: name as usize, ..named });
    add("code", [16 << 10, 64 << 10, 256 << 10, 512 << 10], &|code| Shape { code: code as usize, ..worked });
    add("data", [16 << 10, 256 << 10, 1 << 20, 4 << 20], &|span| Shape { data: span.into(), ..CENTRE });
    // A table is kept with what lies empty in it.
    shapes.push(("empty16384".to_owned(), Shape { empty: 16_384, ..CENTRE }));
    shapes
}

/// From one like a token to one like an exchange.
pub(super) const MIXES: [Shape; 8] = [
    Shape {
        functions: 40,
        types: 12,
        globals: 3,
        imports: 8,
        exports: 10,
        elements: 2,
        name: 12,
        code: 6 << 10,
        data: 3 << 10,
        ..Shape::LEAST
    },
    Shape {
        functions: 90,
        types: 15,
        globals: 3,
        imports: 20,
        exports: 16,
        elements: 10,
        name: 14,
        code: 20 << 10,
        data: 2 << 10,
        ..Shape::LEAST
    },
    Shape {
        functions: 150,
        types: 20,
        globals: 3,
        imports: 25,
        exports: 30,
        elements: 30,
        name: 16,
        code: 60 << 10,
        data: 20 << 10,
        ..Shape::LEAST
    },
    Shape {
        functions: 320,
        types: 25,
        globals: 3,
        imports: 15,
        exports: 14,
        elements: 90,
        name: 12,
        code: 150 << 10,
        data: 30 << 10,
        ..Shape::LEAST
    },
    Shape {
        functions: 700,
        types: 32,
        globals: 3,
        imports: 30,
        exports: 60,
        elements: 150,
        name: 20,
        code: 250 << 10,
        data: 40 << 10,
        ..Shape::LEAST
    },
    Shape {
        functions: 1000,
        types: 30,
        globals: 4,
        imports: 45,
        exports: 90,
        elements: 250,
        name: 24,
        code: 400 << 10,
        data: 60 << 10,
        ..Shape::LEAST
    },
    Shape {
        functions: 1500,
        types: 60,
        globals: 120,
        imports: 60,
        exports: 200,
        elements: 800,
        name: 32,
        code: 500 << 10,
        data: 200 << 10,
        ..Shape::LEAST
    },
    Shape {
        functions: 200,
        types: 100,
        globals: 800,
        imports: 10,
        exports: 20,
        elements: 100,
        name: 40,
        code: 0,
        data: 1 << 20,
        ..Shape::LEAST
    },
];
