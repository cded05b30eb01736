use crate::corpus::{corpus, output};

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
    let (_, human, _) = output(&folder, &["price", "corpus"]);
    for flag in [
        "link-arg=-zstack-size=16384",
        "-Wl,-z,stack-size=16384",
        "--stackSize 16384",
        "-extldflags \"-zstack-size=16384\"",
    ] {
        assert!(human.contains(flag), "{flag}: {human}");
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
    assert!(human.contains("1 do not tell how large their stack is"), "{human}");
    assert!(human.contains("1 declare more pages than the chain allows: they have no fee"), "{human}");
}

#[test]
fn a_missing_or_a_third_table_is_usage() {
    let folder = corpus();
    assert_eq!(output(&folder, &["price", "--params", "nowhere.toml", "corpus"]).0, 2);
    let thrice = ["--params", "params/current.toml"].repeat(3);
    assert_eq!(output(&folder, &[&["price"][..], &thrice, &["corpus"]].concat()).0, 2);
}

/// A table of one part with these parameters, each with its unit and gas.
fn part(folder: &crate::folder::Folder, experiment: &str, priced: &[(&str, &str, i64)]) -> String {
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
    let (_, human, _) = output(&folder, &args);
    assert!(human.contains("load-kept") && human.contains("With all parts:"), "{human}");
    for (args, said) in [
        (&["price", "--part", "params/current.toml", "odd"][..], "no price of one part"),
        (&["price", "--part", &load, "--part", &load, "odd"], "so does a table before"),
        (&["price", "--part", &load, "--input", "5", "odd"], "add its table"),
    ] {
        let (code, _, stderr) = output(&folder, args);
        assert!(code == 2 && stderr.contains(said), "{code}: {stderr}");
    }
}

/// Every bill would be left open by it, or hold what no call pays for.
#[test]
fn a_part_that_no_module_tells_or_no_call_pays_is_refused() {
    let folder = corpus();
    for (name, parameter, said) in [
        ("load-memory", "contract_load_memory_base", "only who compiles it knows"),
        ("stack", "stack_init_base", "no module tells how much of it a call takes"),
        ("deploy-winch", "contract_winch_base", "who brings a contract pays that"),
    ] {
        let file = part(&folder, name, &[(parameter, "gas", 7)]);
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
}
