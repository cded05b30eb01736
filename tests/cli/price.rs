use crate::corpus::{corpus, linked, output};
use crate::folder::Folder;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

fn gas(table: &toml_edit::DocumentMut, name: &str) -> i64 {
    table["params"][name]["gas"].as_integer().unwrap()
}

#[test]
fn fees_follow_from_the_table_and_smaller_stacks_save() {
    let folder = corpus();
    let table: toml_edit::DocumentMut = folder.read("params/current.toml").parse().unwrap();
    let fee = |pages: i64| gas(&table, "memory_init_base") + pages * gas(&table, "memory_init_per_page");
    let (code, stdout, _) = output(&folder, &["price", "corpus", "--format", "json"]);
    assert_eq!(code, 0);
    let row = &json(&stdout)["contracts"][1];
    assert_eq!((row["file"].as_str(), row["fee"].as_i64()), (Some("near/a.wasm"), Some(fee(17))));
    assert_eq!(row["fee_of_stack"].as_i64(), Some(fee(17) - fee(1)));
    assert_eq!(row["fee_at_16_kib"].as_i64(), Some(fee(1)));
    assert_eq!(row["fee_at_64_kib"].as_i64(), Some(fee(2)));
    assert_eq!(row["fee_at_256_kib"].as_i64(), Some(fee(5)));
    let totals = &json(&stdout)["totals"];
    assert_eq!(totals["fees"].as_str().unwrap(), (fee(17) + fee(16) + fee(2)).to_string());
    assert_eq!(row["stack_at_lowest_fee"], 65_520, "a page but for the data");
    let flags: Vec<_> =
        totals["flags_for_16_kib"].as_array().unwrap().iter().map(|of| of["flag"].to_string()).collect();
    for (flag, found) in
        ["-zstack-size=16384", "-Wl,-z,stack-size=16384", "stackSize", "-extldflags"].iter().zip(&flags)
    {
        assert!(found.contains(flag), "{flag}: {found}");
    }
}

/// A module as `rustc` links it, with what it leaves in messages.
fn rust(folder: &Folder, name: &str) {
    folder.write(name, linked(17, 1 << 20, "/rustc/a55dd71d5fb0/library/core/src/iter.rs"));
}

#[test]
fn advice_is_for_the_compiler_that_a_module_tells_and_adds_to_the_flags_of_its_project() {
    let folder = corpus();
    rust(&folder, "one/rust.wasm");
    let (code, human, _) = output(&folder, &["price", "one"]);
    assert_eq!(code, 0);
    assert!(human.contains("To build with a stack of 65488 B"), "{human}");
    assert!(human.contains("rustc-link-arg-cdylib=-zstack-size=65488"), "{human}");
    assert!(!human.contains("tinygo") && !human.contains("asc …") && !human.contains("RUSTFLAGS="), "{human}");
    let (_, human, _) = output(&folder, &["price", "corpus"]);
    assert!(human.contains("3 contracts do not tell what compiled them"), "{human}");
}

#[test]
fn a_shipped_table_is_priced_for_a_chain_and_without_any_table_the_way_out_is_said() {
    let folder = Folder::new();
    rust(&folder, "a.wasm");
    let fee = |args: &[&str]| {
        let (code, stdout, stderr) = output(&folder, &[args, &["a.wasm", "--format", "json"]].concat());
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.contains("no chain charges them"), "{stderr}");
        json(&stdout)["contracts"][0]["fee"].as_u64().unwrap()
    };
    let near = fee(&["price", "--chain", "near"]);
    let shipped: toml_edit::DocumentMut = include_str!("../../params/current.toml").parse().unwrap();
    let expected = gas(&shipped, "memory_init_base") + 17 * gas(&shipped, "memory_init_per_page");
    assert_eq!(near, u64::try_from(expected).unwrap());
    let generic = fee(&["price", "--chain", "generic"]);
    assert!(generic.abs_diff(near / 1_000_000) < generic / 100, "{generic} {near}");
    assert!(fee(&["price", "--chain", "soroban", "--set", "gas_per_second=2_000_000_000"]) > generic);
    for (args, said) in [
        (&["price", "a.wasm"][..], "--chain near"),
        (&["price", "--chain", "soroban", "a.wasm"], "gas_per_second=N"),
        (&["price", "--chain", "near", "--set", "strategy=pool-decommit", "a.wasm"], "was measured otherwise"),
        (&["price", "--chain", "near", "--params", "b.toml", "a.wasm"], "cannot be used with"),
        (&["price", "--chain", "cosmos", "a.wasm"], "near, substrate, soroban"),
    ] {
        let (code, _, stderr) = output(&folder, args);
        assert!(code == 2 && stderr.contains(said), "{code}: {stderr}");
    }
    // What a Rust contract declares unless asked is more than such a chain allows.
    let (code, human, _) = output(&folder, &["price", "--chain", "substrate", "a.wasm"]);
    assert!(code == 0 && human.contains("more pages than the chain allows"), "{human}");
}

#[test]
fn a_gate_ends_with_3_for_what_pays_more_or_cannot_be_priced() {
    let folder = corpus();
    folder.write("odd/huge.wasm", wat::parse_str("(module (memory 65536))").unwrap());
    folder.write("odd/broken.wasm", "no module");
    let table: toml_edit::DocumentMut = folder.read("params/current.toml").parse().unwrap();
    let fee = |pages: i64| gas(&table, "memory_init_base") + pages * gas(&table, "memory_init_per_page");
    let (most, less) = (fee(17).to_string(), format!("{}.0e0", fee(17) - 1));
    for (paths, limit, expected) in [
        (&["corpus"][..], &most, 0),
        (&["corpus"], &less, 3),
        (&["corpus", "odd/broken.wasm"], &most, 1),
        (&["corpus", "odd"], &less, 3),
        (&["odd/huge.wasm"], &most, 3),
    ] {
        let args = [&["price", "--max-gas", limit, "--format", "json"][..], paths].concat();
        let (code, stdout, stderr) = output(&folder, &args);
        assert_eq!(code, expected, "{paths:?} {limit}: {stderr}");
        let priced = json(&stdout);
        let over = priced["contracts"].as_array().unwrap().iter().filter(|row| row["over_max_gas"] == true).count();
        assert_eq!(priced["totals"]["over_max_gas"], over, "{priced}");
        assert_eq!(expected == 3, over > 0);
    }
    let (_, text, _) = output(&folder, &["price", "--max-gas", &less, "--format", "markdown", "corpus"]);
    assert!(text.starts_with("| pages | fee | stack |") && text.contains("| **OVER** near/a.wasm |"), "{text}");
    assert!(text.contains("**Over 2_552_999_999_999 gas a call, or not known to be within: 1 of 3.**"), "{text}");
    let (code, _, stderr) = output(&folder, &["price", "--max-gas", "much", "corpus"]);
    assert!(code == 2 && stderr.contains("2.5e12"), "{stderr}");
}

#[test]
fn a_stack_that_is_asked_about_has_its_fee_and_its_advice() {
    let folder = corpus();
    rust(&folder, "one/rust.wasm");
    let table: toml_edit::DocumentMut = folder.read("params/current.toml").parse().unwrap();
    let fee = |pages: i64| gas(&table, "memory_init_base") + pages * gas(&table, "memory_init_per_page");
    let args = ["price", "--stack", "128KiB", "one"];
    let (code, stdout, _) = output(&folder, &[&args[..], &["--format", "json"]].concat());
    let priced = json(&stdout);
    assert_eq!((code, priced["contracts"][0]["fee_at_stack"].as_i64()), (0, Some(fee(3))));
    assert_eq!(priced["totals"]["fees_at_stack"], fee(3).to_string());
    assert_eq!(priced["totals"]["advice"]["stack_bytes"], 131_072);
    let (_, human, _) = output(&folder, &args);
    assert!(human.contains("With a stack of 128 KiB:") && human.contains("stack-size=131072"), "{human}");
}

/// Of a chain that has a unit: people read it, and machines read gas.
#[test]
fn gas_is_shown_in_the_unit_of_the_table_and_lines_fit_into_80_columns() {
    let folder = corpus();
    rust(&folder, &format!("one/{}.wasm", "long-name-".repeat(12)));
    folder.write("one/none.wasm", "no module");
    let args = ["price", "--chain", "near", "--stack", "48KiB", "--max-gas", "9e15", "one", "corpus", "nowhere.wasm"];
    let (_, human, stderr) = output(&folder, &args);
    assert!(human.contains("Tgas") && human.contains("Within 9_000 Tgas a call"), "{human}{stderr}");
    let (_, survey, _) = output(&folder, &["survey", "one", "corpus"]);
    for line in human.lines().chain(survey.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let (_, stdout, _) = output(&folder, &[&args[..], &["--format", "json"]].concat());
    assert!(!stdout.contains("Tgas") && json(&stdout)["contracts"][0]["fee"].is_u64(), "{stdout}");
}

/// No contract can have it, so it has no fee and is not to be built.
#[test]
fn a_stack_that_no_contract_can_have_is_refused() {
    let folder = corpus();
    for stack in ["0", "100GiB", "18446744073709551615"] {
        let (code, stdout, stderr) = output(&folder, &["price", "--stack", stack, "corpus"]);
        assert!(code == 2 && stdout.is_empty() && stderr.contains("begins with at most"), "{code}: {stdout}{stderr}");
    }
}

#[test]
fn two_tables_show_who_pays_more() {
    let folder = corpus();
    let mut table: toml_edit::DocumentMut = folder.read("params/current.toml").parse().unwrap();
    let base = gas(&table, "memory_init_base");
    let page = gas(&table, "memory_init_per_page");
    // Ten pages pay the same by both.
    table["params"]["memory_init_base"]["gas"] = toml_edit::value(base - 10_000_000_000);
    table["params"]["memory_init_per_page"]["gas"] = toml_edit::value(page + 1_000_000_000);
    folder.write("new.toml", table.to_string());
    let args = ["price", "--params", "params/current.toml", "--params", "new.toml", "corpus"];
    let (code, human, _) = output(&folder, &args);
    assert!(code == 0 && human.contains("2 pay more, 1 less, 0 the same"), "{human}");
    let (_, stdout, _) = output(&folder, &[&args[..], &["--format", "json"]].concat());
    let change = json(&stdout)["contracts"][1]["change"].as_f64().unwrap();
    #[expect(clippy::cast_precision_loss, reason = "a test figure")]
    let expected = 7e9 / (base + 17 * page) as f64;
    assert!((change - expected).abs() < 1e-12, "{change}");
}

#[test]
fn what_cannot_be_known_is_said() {
    let folder = corpus();
    for (name, text) in [("none", "(module)"), ("huge", "(module (memory 65536))"), ("plain", "(module (memory 1))")] {
        folder.write(&format!("odd/{name}.wasm"), wat::parse_str(text).unwrap());
    }
    let (code, human, _) = output(&folder, &["price", "odd"]);
    assert_eq!(code, 0);
    let line = |name: &str| human.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(line("huge.wasm").contains("more pages than the chain allows"), "{human}");
    assert!(line("plain.wasm").contains("does not tell"), "{human}");
    assert!(human.contains("1 does not tell how large its stack is"), "{human}");
    assert!(human.contains("1 declares more pages than the chain allows: it has no fee"), "{human}");
}

#[test]
fn a_missing_or_a_third_table_is_usage() {
    let folder = corpus();
    assert_eq!(output(&folder, &["price", "--params", "nowhere.toml", "corpus"]).0, 2);
    let thrice = ["--params", "params/current.toml"].repeat(3);
    assert_eq!(output(&folder, &[&["price"][..], &thrice, &["corpus"]].concat()).0, 2);
}

/// A table of one part with these parameters, each with its unit and gas.
fn part(folder: &Folder, experiment: &str, priced: &[(&str, &str, i64)]) -> String {
    let mut table: toml_edit::DocumentMut = folder.read("params/current.toml").parse().unwrap();
    let base = table["params"]["memory_init_base"].clone();
    let params = table["params"].as_table_mut().unwrap();
    params.clear();
    for (name, unit, gas) in priced {
        let mut param = base.clone();
        param["gas"] = toml_edit::value(*gas);
        param["unit"] = toml_edit::value(*unit);
        params.insert(name, param);
    }
    let file = format!("{experiment}.toml");
    folder.write(&file, table.to_string());
    file
}

#[test]
fn the_bill_has_its_parts() {
    let folder = corpus();
    let wat = r#"(module (import "env" "f" (func)) (memory 3) (func) (func) (func))"#;
    folder.write("odd/a.wasm", wat::parse_str(wat).unwrap());
    let load = part(
        &folder,
        "load",
        &[
            ("contract_load_base", "gas per load", 1000),
            ("contract_load_per_function", "gas per function defined", 10),
            ("contract_load_per_type", "gas per type", 0),
            ("contract_load_per_import", "gas per import", 500),
            ("contract_load_per_name_kib", "gas per KiB of names", 0),
            ("contract_load_per_code_kib", "gas per KiB of code", 0),
        ],
    );
    let kept = part(
        &folder,
        "load-kept",
        &[
            ("contract_load_kept_base", "gas per call", 7),
            ("contract_load_kept_per_import", "gas per import", 3),
            ("contract_load_kept_per_name_kib", "gas per KiB of names", 0),
        ],
    );
    let args = ["price", "--part", &load, "--part", &kept, "odd"];
    let (code, stdout, stderr) = output(&folder, &[&args[..], &["--format", "json"]].concat());
    assert_eq!(code, 0, "{stderr}");
    let priced = json(&stdout);
    let row = &priced["contracts"][0];
    assert_eq!(row["parts"], "load=1530 load-kept=10", "{row}");
    assert_eq!(row["bill"].as_i64(), row["fee"].as_i64().map(|fee| fee + 1540));
    assert_eq!((&priced["totals"]["parts"]["load"], &priced["totals"]["unbilled"]), (&"1530".into(), &0.into()));
    assert_eq!((&row["extrapolated"], &priced["totals"]["extrapolated"]), (&serde_json::Value::Null, &0.into()));
    let (_, human, _) = output(&folder, &args);
    assert!(human.contains("load-kept") && human.contains("With all parts:"), "{human}");

    let limited = folder
        .read(&load)
        .replace("[provenance.chain]", "[provenance.measured_up_to]\nfunctions = 2\n\n[provenance.chain]");
    folder.write(&load, limited);
    let (code, stdout, stderr) = output(&folder, &[&args[..], &["--format", "json"]].concat());
    assert_eq!(code, 0, "{stderr}");
    let priced = json(&stdout);
    assert_eq!(priced["contracts"][0]["extrapolated"], "load: 3 functions (measured up to 2)", "{stdout}");
    assert_eq!(priced["totals"]["extrapolated"].as_u64(), Some(1), "{stdout}");
    let (_, human, _) = output(&folder, &args);
    assert!(human.contains("measured up to 2") && human.contains("a bill that is extrapolated"), "{human}");
    for (args, said) in [
        (&["price", "--part", "params/current.toml", "odd"][..], "no price of one part"),
        (&["price", "--part", &load, "--part", &load, "odd"], "so does a table before"),
        (&["price", "--part", &load, "--input", "5", "odd"], "name its table by --part"),
        (&["price", "--part", &load, "--output", "5", "odd"], "name its table by --part"),
    ] {
        let (code, _, stderr) = output(&folder, args);
        assert!(code == 2 && stderr.contains(said), "{code}: {stderr}");
    }
}

#[test]
fn a_call_pays_for_what_it_brings_and_for_what_it_returns() {
    let folder = corpus();
    folder.write("odd/a.wasm", wat::parse_str("(module (memory 3))").unwrap());
    let priced = [
        ("payload_base", "gas per payload", 1000),
        ("payload_per_kib", "gas per KiB of payload", 10),
        ("payload_per_returned_kib", "gas per KiB returned", 300),
    ];
    let file = part(&folder, "payload", &priced);
    let of = |further: &[&str]| {
        let args = [&["price", "--part", &file, "odd", "--format", "json"][..], further].concat();
        let (code, stdout, stderr) = output(&folder, &args);
        (code, if code == 0 { json(&stdout)["contracts"][0]["parts"].to_string() } else { stderr })
    };
    assert_eq!(of(&["--input", "2048"]), (0, "\"payload=1020\"".into()));
    assert_eq!(of(&["--input", "2048", "--output", "1024"]), (0, "\"payload=1320\"".into()));
    let (code, stderr) = of(&["--output", "1024"]);
    assert!(code == 2 && stderr.contains("--input BYTES"), "{stderr}");
    part(&folder, "payload", &priced[..2]);
    assert_eq!(of(&["--input", "2048"]), (0, "\"payload=1020\"".into()));
    let (code, stderr) = of(&["--input", "2048", "--output", "1024"]);
    assert!(code == 2 && stderr.contains("has no `payload_per_returned_kib`"), "{stderr}");
}

/// Every bill would be left open by it, or hold what no call pays for.
#[test]
fn a_part_that_no_module_tells_or_no_call_pays_is_refused() {
    let folder = corpus();
    for (name, parameter, unit, said) in [
        ("load-memory", "contract_load_memory_base", "gas per load", "only who compiles it knows"),
        (
            "stack",
            "stack_init_base",
            "gas per call on a stack of its own",
            "no module tells how much of it a call takes",
        ),
        ("deploy-winch", "contract_winch_base", "gas per compilation", "who brings a contract pays that"),
    ] {
        let file = part(&folder, name, &[(parameter, unit, 7)]);
        let (code, _, stderr) = output(&folder, &["price", "--part", &file, "corpus"]);
        assert!(code == 2 && stderr.contains(said), "{code}: {stderr}");
    }
}

/// A module that costs what no factor counts gets no bill that leaves it out.
#[test]
fn a_bill_is_open_where_a_module_has_what_no_factor_counts() {
    let folder = corpus();
    let wasm =
        wat::parse_str("(module (func $f) (memory (export \"memory\") 1) (table 1048576 funcref (ref.func $f)))")
            .unwrap();
    std::fs::write(folder.path().join("filled.wasm"), wasm).unwrap();
    let file = part(&folder, "load", &[("contract_load_base", "gas per load", 7)]);
    let (code, stdout, stderr) = output(&folder, &["price", "--part", &file, "filled.wasm", "--format", "json"]);
    assert_eq!(code, 0, "{stderr}");
    let priced = json(&stdout);
    let row = &priced["contracts"][0];
    assert_eq!((&row["parts"], &row["bill"]), (&"load=".into(), &serde_json::Value::Null));
    assert_eq!(priced["totals"]["unbilled"].as_u64(), Some(1), "{priced}");
    let said = "its table is filled with a value of its own";
    assert!(row["refused"].as_str().is_some_and(|reason| reason.contains(said)), "{row}");
    let (_, human, _) = output(&folder, &["price", "--part", &file, "filled.wasm"]);
    assert!(human.split_whitespace().collect::<Vec<_>>().join(" ").contains(said), "{human}");
}

/// A gate that judges by other values than it was told to lets through what it should not.
#[test]
fn values_of_a_chain_are_refused_beside_a_table_that_has_its_own() {
    let folder = corpus();
    let set = ["--set", "safety_factor=1"];
    for args in [&["price", "--params", "params/current.toml", "odd"][..], &["price", "odd"]] {
        let (code, _, stderr) = output(&folder, &[args, &set].concat());
        assert!(
            code == 2 && (stderr.contains("--chain") || stderr.contains("cannot be used with")),
            "{code}: {stderr}"
        );
    }
}
