//! Modules for the experiments on deploying. Compiling takes a thousand times as long as loading, so that they are smaller.

use super::body::Mix;
use super::load;
use super::shape::{FILLED, Shape};

/// A little of everything, as the smallest contracts have. All functions do some work: a compiler makes less of one that is empty than what any other begins and
/// ends with.
const CENTRE: Shape = Shape { mix: Mix::Usual, filled: u32::MAX, ..load::CENTRE };

/// What the smallest real contracts have, beside their code: the first instruction of each kind finds nothing in the caches that it needs.
const SMALL: Shape = Shape {
    functions: 2,
    types: 3,
    globals: 3,
    imports: 2,
    exports: 2,
    mix: Mix::Usual,
    filled: u32::MAX,
    ..Shape::LEAST
};

/// The least, a little of everything, and that with three levels of each factor.
pub(super) fn alone() -> Vec<(String, Shape)> {
    let named = Shape { imports: 8, exports: 8, ..CENTRE };
    let worked = Shape { functions: FILLED, ..CENTRE };
    let mut shapes = vec![("least".to_owned(), Shape::LEAST), ("centre".to_owned(), CENTRE)];
    // Without data no image is made of it, and no startup function.
    let plain = Shape { data: 0, ..CENTRE };
    let mut without = |name: &str, shape: Shape| shapes.push((name.to_owned(), shape));
    without("data0", plain);
    without("plain-functions64", Shape { functions: 64, types: 16, ..plain });
    without("plain-escapes32", Shape { exports: 32, functions: 32, elements: 32, ..plain });
    without("plain-imports16", Shape { imports: 16, types: 8, ..plain });
    without("plain-start", Shape { start: true, ..plain });
    for bytes in [64, 256, 1024] {
        without(&format!("small{bytes}"), Shape { code: bytes, ..SMALL });
    }
    let mut add = |name: &str, levels: [u32; 3], shape: &dyn Fn(u32) -> Shape| {
        shapes.extend(levels.map(|level| (format!("{name}{level}"), shape(level))));
    };
    add("functions", [64, 256, 2048], &|functions| Shape { functions, code: functions as usize * 32, ..CENTRE });
    add("escapes", [64, 256, 1024], &|of| Shape { elements: of, functions: of, ..CENTRE });
    // Each takes so many more, of one type.
    add("ways", [8, 32, 128], &|values| Shape { elements: 64, functions: 64, types: 1, values, filled: 4, ..CENTRE });
    add("types", [16, 128, 512], &|types| Shape { types, ..CENTRE });
    add("values", [8, 32, 128], &|values| Shape { types: 16, values, ..CENTRE });
    add("globals", [64, 512, 4096], &|globals| Shape { globals, ..CENTRE });
    add("imports", [16, 64, 256], &|imports| Shape { imports, ..CENTRE });
    add("exports", [32, 256, 2048], &|exports| Shape { exports, ..CENTRE });
    add("elements", [64, 512, 4096], &|elements| Shape { elements, ..CENTRE });
    add("names", [64, 512, 2048], &|name| Shape { name: name as usize, ..named });
    add("code", [8, 64, 384], &|kib| Shape { code: (kib as usize) << 10, ..worked });
    add("indirect", [4, 16, 64], &|kib| Shape { code: (kib as usize) << 10, mix: Mix::Indirect, ..worked });
    add("runtime", [4, 16, 64], &|kib| Shape { code: (kib as usize) << 10, mix: Mix::Runtime, ..worked });
    add("heavy", [4, 16, 64], &|kib| Shape { code: (kib as usize) << 10, mix: Mix::Heavy, ..worked });
    add("calls", [2, 8, 32], &|kib| Shape { code: (kib as usize) << 10, mix: Mix::Passing(0), ..worked });
    // Each call is one of two bytes that moves 32 values.
    add("passing", [4, 8, 16], &|kib| Shape { code: (kib as usize) << 10, mix: Mix::Passing(16), ..worked });
    add("locals", [100, 1000, 10_000], &|locals| Shape { locals, ..CENTRE });
    add("groups", [100, 1000, 10_000], &|groups| Shape { groups, ..CENTRE });
    add("branches", [32, 128, 512], &|targets| Shape { code: 1, functions: 1, mix: Mix::Switches(targets), ..CENTRE });
    add("segments", [16, 128, 1024], &|segments| Shape { segments, data: 16 << 10, ..CENTRE });
    add("data", [256 << 10, 1 << 20, 4 << 20], &|span| Shape { data: span.into(), ..CENTRE });
    // That of which every byte is in the module.
    add("filled", [64 << 10, 256 << 10, 1 << 20], &|span| Shape { data: span.into(), layers: 1, ..CENTRE });
    shapes
}

/// Those for loading, a quarter as large.
pub(super) fn mixes() -> [Shape; 8] {
    load::MIXES.map(|mix| Shape {
        functions: mix.functions / 4,
        elements: mix.elements / 4,
        exports: mix.exports / 4,
        code: mix.code / 4,
        mix: Mix::Usual,
        filled: u32::MAX,
        ..mix
    })
}

/// What takes longest for its size, a little of it and more.
pub(super) fn hostile() -> Vec<(String, Shape)> {
    // Few functions, so that their instructions outweigh what a function costs.
    const FEW: u32 = 4;
    let kinds = [
        ("dense", Mix::Dense, FILLED, [16, 64]),
        ("wide", Mix::Wide, FILLED, [16, 64]),
        ("divisions", Mix::Divisions, FILLED, [16, 64]),
        ("saturating", Mix::Saturating, FEW, [4, 16]),
        ("converting", Mix::Converting, FEW, [4, 16]),
        ("vectors", Mix::Vectors, FEW, [4, 16]),
        ("shuffles", Mix::Shuffles, FEW, [16, 64]),
        ("far", Mix::Far, FILLED, [4, 16]),
        ("importing", Mix::Importing, FILLED, [4, 16]),
        ("live", Mix::Live, 1, [16, 64]),
        // Their instructions are shorter: no function is to have more of them than one of `live`.
        ("blocks", Mix::Blocks, 1, [8, 32]),
        ("waiting", Mix::Waiting, 1, [8, 32]),
        ("nested", Mix::Nested, 1, [2, 8]),
        ("switches", Mix::Switches(64), FILLED, [16, 64]),
        ("leaving", Mix::Leaving, FEW, [4, 16]),
        // Many calls in one function take Cranelift longer than the same in many.
        ("copies", Mix::TableCopies, 1, [4, 16]),
        ("carrying", Mix::Carrying(64), FILLED, [16, 64]),
    ];
    let sized = |(name, mix, functions, sizes): (&str, Mix, u32, [usize; 2])| {
        sizes.map(|kib| (format!("{name}{kib}"), Shape { code: kib << 10, mix, functions, ..CENTRE }))
    };
    // Of a type with many values, each with a way in; and data over data.
    let signatures = [64, 256].map(|of| {
        let shape = Shape { functions: of, exports: of, types: 1, values: 200, filled: 0, code: 0, ..CENTRE };
        (format!("signatures{of}"), shape)
    });
    let results = [64, 256].map(|of| {
        let shape = Shape { functions: of, types: 1, values: 100, results: 100, filled: 0, code: 0, ..CENTRE };
        (format!("results{of}"), shape)
    });
    let layers = [4, 16].map(|layers| (format!("layers{layers}"), Shape { data: 256 << 10, layers, ..CENTRE }));
    kinds.into_iter().flat_map(sized).chain(signatures).chain(results).chain(layers).collect()
}
