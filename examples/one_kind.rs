//! Modules that are each made of one kind of instruction or declaration, to hold a table of deployments against what an attacker would
//! deploy:
//!
//!     cargo run --release --example one_kind -- one-kind
//!     estimator verify --params reports/latest one-kind
//!
//! No fee is fitted to them, so what they pay over their cost tells how far a table is to be trusted.

use std::error::Error;
use std::fs;
use std::path::Path;

use estimator::contract::deploy_levels;

/// What is done again and again to one value: a name, its type, and what takes it and leaves another of that type.
const CHAINS: [(&str, &str, &str); 36] = [
    ("i64-trunc-f64-s", "f64", "i64.trunc_f64_s f64.convert_i64_s"),
    ("i64-trunc-f64-u", "f64", "i64.trunc_f64_u f64.convert_i64_u"),
    ("i64-trunc-sat-f64-s", "f64", "i64.trunc_sat_f64_s f64.convert_i64_s"),
    ("i64-trunc-sat-f64-u", "f64", "i64.trunc_sat_f64_u f64.convert_i64_s"),
    ("i64-trunc-sat-f32-u", "f32", "i64.trunc_sat_f32_u f32.convert_i64_s"),
    ("i32-trunc-sat-f64-u", "f64", "i32.trunc_sat_f64_u f64.convert_i32_s"),
    ("i32-trunc-f32-s", "f32", "i32.trunc_f32_s f32.convert_i32_s"),
    ("f64-convert-i64-u", "i64", "f64.convert_i64_u i64.reinterpret_f64"),
    ("f32-convert-i64-u", "f32", "i32.reinterpret_f32 i64.extend_i32_u f32.convert_i64_u"),
    ("f32-demote-f64", "f64", "f32.demote_f64 f64.promote_f32"),
    ("i32-div-s", "i32", "local.get 0 i32.div_s"),
    ("i64-rem-s", "i64", "local.get 0 i64.rem_s"),
    ("i64-popcnt", "i64", "i64.popcnt"),
    ("i64-clz", "i64", "i64.clz"),
    ("i32-ctz", "i32", "i32.ctz"),
    ("i64-rotl", "i64", "local.get 0 i64.rotl"),
    ("i64-mul", "i64", "local.get 0 i64.mul"),
    ("i64-eqz", "i64", "i64.eqz i64.extend_i32_u"),
    ("f64-nearest", "f64", "f64.nearest"),
    ("f64-max", "f64", "local.get 0 f64.max"),
    ("f64-copysign", "f64", "local.get 0 f64.copysign"),
    ("f64-sqrt", "f64", "f64.sqrt"),
    ("f64-lt", "f64", "local.get 0 f64.lt f64.convert_i32_s"),
    ("select", "i32", "local.get 0 local.get 0 select"),
    ("tee", "i64", "local.tee 0"),
    ("memory-grow", "i32", "memory.grow"),
    ("i32-load", "i32", "i32.load"),
    ("i32-load-far", "i32", "i32.load offset=4294967040"),
    ("i8x16-popcnt", "v128", "i8x16.popcnt"),
    ("i8x16-shl", "v128", "i32.const 0 i8x16.shl"),
    ("i8x16-shr-s", "v128", "i32.const 0 i8x16.shr_s"),
    ("i8x16-shuffle", "v128", "local.get 0 i8x16.shuffle 0 17 2 19 4 21 6 23 8 25 10 27 12 29 14 31"),
    ("i64x2-mul", "v128", "local.get 0 i64x2.mul"),
    ("i64x2-shr-s", "v128", "i32.const 1 i64x2.shr_s"),
    ("i32x4-trunc-sat", "v128", "i32x4.trunc_sat_f32x4_u"),
    ("f64x2-pmax", "v128", "local.get 0 f64x2.max"),
];

/// What stands by itself, in a module with a memory, a global, a table, an import and a type.
const STATEMENTS: [(&str, &str); 34] = [
    ("nop", "nop"),
    ("call", "call $self"),
    ("call-import", "call $import"),
    ("call-indirect", "i32.const 0 call_indirect"),
    ("return-call", "block return_call $self end"),
    ("block", "block end"),
    ("loop", "loop end"),
    ("if-else", "local.get 0 if else end"),
    ("br-if", "local.get 0 br_if 0"),
    ("br-table", "block local.get 0 br_table 0 0 end"),
    ("local-set", "local.get 0 local.set 1"),
    ("global-get", "global.get $global drop"),
    ("global-set", "local.get 0 global.set $global"),
    ("i32-store", "local.get 0 local.get 0 i32.store"),
    ("i64-store-far", "local.get 0 i64.const 1 i64.store offset=4294967040"),
    ("i64-const", "i64.const 0x8123456789abcdef drop"),
    ("f64-const", "f64.const 0x1.23456789abcdep+3 drop"),
    ("v128-const", "v128.const i64x2 0x123456789abcdef 0x23456789abcdef1 drop"),
    ("ref-func", "ref.func $self drop"),
    ("ref-null", "ref.null func ref.is_null drop"),
    ("memory-size", "memory.size drop"),
    ("memory-grow-one", "local.get 0 memory.grow drop"),
    ("memory-fill", "local.get 0 local.get 0 local.get 0 memory.fill"),
    ("memory-copy", "local.get 0 local.get 0 local.get 0 memory.copy"),
    ("table-get", "local.get 0 table.get 0 drop"),
    ("table-set", "local.get 0 ref.null func table.set 0"),
    ("table-size", "table.size 0 drop"),
    ("table-grow", "ref.null func local.get 0 table.grow 0 drop"),
    ("table-fill", "local.get 0 ref.null func local.get 0 table.fill 0"),
    ("table-copy", "i32.const 0 i32.const 0 i32.const 0 table.copy"),
    ("unreachable", "block unreachable i32.add drop end"),
    ("guard", "block local.get 0 br_if 0 unreachable end"),
    ("i64-add", "i64.const 1 i64.const 2 i64.add drop"),
    ("return", "block return end"),
];

/// Those that what waits on the stack may make dearer: the same over so many values.
const OVER_WAITING: [&str; 9] =
    ["call", "call-import", "block", "if-else", "br-if", "br-table", "local-set", "memory-fill", "table-copy"];
const WAITING: usize = 200;

/// Functions of each module of instructions, and how often the instructions come in each.
const FUNCTIONS: usize = 4;
const TIMES: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("which folder? `cargo run --example one_kind -- FOLDER`")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let modules = chains().chain(statements()).chain(waiting()).chain(declarations());
    let mut count = 0;
    for (name, text) in modules {
        let module = wat::parse_str(&text).map_err(|e| format!("{name}: {e}"))?;
        // What no table would price is of no use here.
        deploy_levels(&module).map_err(|e| format!("{name}: {e}"))?;
        fs::write(folder.join(format!("{name}.wasm")), module)?;
        count += 1;
    }
    println!("{count} modules in {}", folder.display());
    Ok(())
}

type Named = (String, String);

/// Functions of one body, in a module that has what their instructions need.
fn of_body(locals: &str, body: &str) -> String {
    let first = format!("(func $self (export \"first\") {locals} {body})");
    let others = format!("(func {locals} {body})").repeat(FUNCTIONS - 1);
    format!(
        "(module (type (func)) (import \"env\" \"import\" (func $import)) (table 10 funcref) (memory 1)
         (global $global (mut i32) (i32.const 0)) {first} {others})"
    )
}

fn chains() -> impl Iterator<Item = Named> {
    CHAINS.iter().map(|(name, ty, step)| {
        let body = format!("local.get 0 {} drop", format!("{step} ").repeat(TIMES));
        (format!("chain-{name}"), of_body(&format!("(local {ty})"), &body))
    })
}

fn statements() -> impl Iterator<Item = Named> {
    let body = |statement: &str| format!("{statement} ").repeat(TIMES);
    STATEMENTS
        .iter()
        .map(move |(name, statement)| (format!("statement-{name}"), of_body("(local i32 i32)", &body(statement))))
}

/// Constants wait, and locals, which a compiler keeps elsewhere.
fn waiting() -> impl Iterator<Item = Named> {
    let over = |value: &'static str, name: &str, statement: &str| {
        let body = format!(
            "{} {} {}",
            format!("{value} ").repeat(WAITING),
            format!("{statement} ").repeat(TIMES),
            "drop ".repeat(WAITING)
        );
        (format!("over-{}-{name}", value.replace(['.', ' '], "-")), of_body("(local i32 i32)", &body))
    };
    let those = STATEMENTS.into_iter().filter(|(name, _)| OVER_WAITING.contains(name));
    those.flat_map(move |(name, statement)| ["i32.const 1", "local.get 1"].map(|value| over(value, name, statement)))
}

fn declarations() -> impl Iterator<Item = Named> {
    let numbered = |count: usize, each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<String>();
    let locals = |count: usize, ty: &str| format!("(func (local {}))", format!("{ty} ").repeat(count));
    // Types that are all different: the digits of their numbers.
    let digits = |number: usize| {
        let ty = |place: u32| ["i32 ", "i64 ", "f32 ", "f64 "][number >> (2 * place) & 3];
        (0..6).map(ty).collect::<String>()
    };
    let many = |count: usize, ty: &str| format!("{ty} ").repeat(count);
    let modules = [
        ("locals-i64", locals(10_000, "i64")),
        ("locals-v128", locals(10_000, "v128")),
        ("locals-funcref", locals(10_000, "funcref")),
        ("local-groups", locals(5000, "i32 i64")),
        ("functions", "(func)".repeat(3000)),
        ("types", numbered(2000, &|number| format!("(type (func (param {})))", digits(number)))),
        ("types-alike", "(type (func (param i32)))".repeat(2000)),
        ("globals", "(global v128 (v128.const i64x2 0 0))".repeat(1000)),
        (
            "imports",
            format!("(type $many (func (param {})))", many(100, "i64"))
                + &numbered(300, &|number| format!("(import \"env\" \"{number}\" (func (type $many)))")),
        ),
        ("exports", "(func)".to_owned() + &numbered(2000, &|number| format!("(export \"{number}\" (func 0))"))),
        ("exports-functions", numbered(300, &|number| format!("(func (export \"{number}\"))"))),
        (
            "exports-results",
            numbered(50, &|number| format!("(func (export \"{number}\") (result {}) unreachable)", many(100, "v128"))),
        ),
        ("results", format!("(func (param {0}) (result {0}) unreachable)", many(100, "i64")).repeat(50)),
        ("passing-v128", {
            let call = format!("{} call $callee ", "local.get 0 ".repeat(100));
            format!("(func $callee (param {})) (func (local v128) {})", many(100, "v128"), call.repeat(20))
        }),
        ("elements", format!("(func $f) (table 4000 funcref) (elem (i32.const 0) {})", "$f ".repeat(4000))),
        ("table", "(table 1000000 funcref)".to_owned()),
        ("memory", "(memory 1024)".to_owned()),
        ("data-far", "(memory 64) (data (i32.const 4194303) \"x\")".to_owned()),
        ("data-wide", "(memory 64) (data (i32.const 0) \"x\") (data (i32.const 4194303) \"x\")".to_owned()),
        (
            "data-sparse",
            "(memory 64)".to_owned() + &numbered(1000, &|number| format!("(data (i32.const {}) \"x\")", number * 4096)),
        ),
        ("br-table-wide", format!("(func (param i32) block local.get 0 br_table {} end)", many(500, "0"))),
        // Beyond what is measured, as `verify` says of it.
        ("br-table-widest", format!("(func (param i32) block local.get 0 br_table {} end)", many(20_000, "0"))),
        ("nested", format!("(func {} {})", "block ".repeat(4000), "end ".repeat(4000))),
        ("nested-if", format!("(func {} {})", "i32.const 0 if ".repeat(1000), "end ".repeat(1000))),
        (
            "branches-out",
            format!(
                "(func {} {} {})",
                "block ".repeat(1000),
                "i32.const 0 br_if 999 ".repeat(500),
                "end ".repeat(1000)
            ),
        ),
        ("start", "(func $f) (start $f)".to_owned()),
        ("least", String::new()),
    ];
    // A contract has a memory.
    let memory = |fields: &str| if fields.contains("(memory") { "" } else { "(memory 1)" };
    modules
        .into_iter()
        .map(move |(name, fields)| (format!("declared-{name}"), format!("(module {fields} {})", memory(&fields))))
}
