//! Two tables of ten thousand parameters each: read, compared and shown.

use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use estimator::params::{INIT_BASE, ParamTable, diff};
use estimator::report::{pages, render};
use estimator::units::Gas;

fn tables() -> [String; 2] {
    let file = Path::new("params/current.toml");
    let mut table = ParamTable::parse(include_str!("../params/current.toml"), file).expect("a table");
    let param = table.params[INIT_BASE].clone();
    table.params.extend((0..10_000).map(|index| (format!("p{index:05}"), param.clone())));
    let old = table.to_toml().expect("a table");
    for (name, param) in &mut table.params {
        if name.ends_with('7') {
            param.gas = Gas(param.gas.0 + param.gas.0 / 10);
        }
    }
    [old, table.to_toml().expect("a table")]
}

fn bench(criterion: &mut Criterion) {
    let [old, new] = tables();
    let parse = |text: &str| ParamTable::parse(text, Path::new("bench.toml")).expect("a table");
    criterion.bench_function("diff/10000 parameters", |bencher| {
        bencher.iter(|| {
            let (old, new) = rayon::join(|| parse(&old), || parse(&new));
            render::terminal(&pages::params_diff::page(&diff(&old, &new, 0.02).expect("a threshold")))
        });
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
