use crate::corpus::{corpus, output};

/// A table that charges so little, or so much, that no machine can be in doubt.
fn priced(table: &str, nanos: &str) -> String {
    let mut document: toml_edit::DocumentMut = table.parse().unwrap();
    for name in ["memory_init_base", "memory_init_per_page"] {
        let number: f64 = nanos.parse().unwrap();
        for key in ["value", "low", "high"] {
            document["params"][name]["nanos"][key] = toml_edit::value(number);
        }
    }
    document.to_string()
}

const ODD: [(&str, &str, &str); 7] = [
    ("endless", "(module (memory 1) (func $s (loop (br 0))) (start $s))", "fuel"),
    ("grower", "(module (memory 1) (func $s (drop (memory.grow (i32.const 1)))) (start $s))", "128 KiB"),
    ("huge", "(module (memory 65536))", "65536 pages"),
    ("none", "(module)", "no memory"),
    ("outside", "(module (memory 1) (data (i32.const 65535) \"ab\"))", "out of bounds"),
    ("shared", "(module (memory 1 2 shared))", "shared"),
    ("trap", "(module (memory 1) (func $s unreachable) (start $s))", "unreachable"),
];

#[test]
fn contracts_are_measured_and_those_that_cannot_be_are_listed_with_the_reason() {
    let folder = corpus();
    for (name, text, _) in ODD {
        folder.write(&format!("corpus/{name}.wasm"), wat::parse_str(text).unwrap());
    }
    folder.write("corpus/hidden.wasm", wat::parse_str("(module (memory 1) (memory i64 2))").unwrap());
    folder.write("rich.toml", priced(&folder.read("params/current.toml"), "1e9"));
    let args = ["verify", "--params", "rich.toml", "corpus", "--budget", "1s", "--seed", "1", "--format", "json"];
    let (code, stdout, stderr) = output(&folder, &args);
    assert_eq!(code, 0, "{stderr}");
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((json["covered"].as_u64(), json["unmeasured"].as_u64()), (Some(4), Some(ODD.len() as u64)), "{stdout}");
    let rows = json["contracts"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["file"].as_str() == Some(&format!("{name}.wasm"))).unwrap();
    for (name, _, word) in ODD {
        let reason = row(name)["reason"].as_str().unwrap();
        assert!(reason.contains(word), "{name}: {reason}");
    }
    assert_eq!(row("hidden")["pages"], 3, "both memories");
    assert!(row("near/a")["cost_low_ns"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_contract_above_its_charge_changes_the_exit_code() {
    let folder = corpus();
    folder.write("poor.toml", priced(&folder.read("params/current.toml"), "1.0"));
    let (code, stdout, stderr) =
        output(&folder, &["verify", "--params", "poor.toml", "corpus", "--budget", "1s", "--seed", "1"]);
    assert_eq!(code, 3, "{stderr}");
    let words = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("OVER") && words.contains("3 over their charge"), "{stdout}");
}

#[test]
fn nothing_to_measure_is_a_failure() {
    let folder = corpus();
    folder.write("only/cut.wasm", "\0asm");
    let (code, stdout, _) = output(&folder, &["verify", "only", "--budget", "1s"]);
    assert!(code == 1 && stdout.contains("cut.wasm") && stdout.contains("No contract could be measured"), "{stdout}");
    assert_eq!(output(&folder, &["verify", "nowhere"]).0, 2);
    assert_eq!(output(&folder, &["verify", "corpus", "--budget", "soon"]).0, 2);
}
