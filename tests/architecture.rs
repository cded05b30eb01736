//! The modules are a pipeline: each uses only those above it, so that a change reaches only what comes after.

use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up. `text`, `files` and `units` are the floor that everything stands on.
const FLOORS: [&str; 13] = [
    "text", "files", "units", "contract", "runtime", "host", "measure", "model", "params", "history", "report", "cli",
    "main",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|&floor| floor == module)
}

/// The first name after each `crate::` in a line, those within braces included.
fn uses(line: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (index, _) in line.match_indices("crate::") {
        let rest = &line[index + "crate::".len()..];
        let parts: Vec<&str> = match rest.strip_prefix('{') {
            Some(group) => group.split(',').collect(),
            None => vec![rest],
        };
        for part in parts {
            let name: String = part.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            names.push(name);
        }
    }
    names
}

fn violations(allowed: impl Fn(usize, usize) -> bool) -> Vec<String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for path in sources(&src) {
        let relative = path.strip_prefix(&src).unwrap();
        let module = relative.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
        let Some(own) = floor(&module) else {
            assert!(module == "lib", "`{module}` has no place in the pipeline: give it one here");
            continue;
        };
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            for used in uses(line) {
                if floor(&used).is_some_and(|used| !allowed(own, used)) {
                    found.push(format!("{}:{}: {}", relative.display(), number + 1, line.trim()));
                }
            }
        }
    }
    found
}

#[test]
fn no_module_uses_one_below_it() {
    assert_eq!(violations(|own, used| used <= own), Vec::<String>::new());
}

#[test]
fn an_upward_use_would_be_seen() {
    assert!(!violations(|own, used| used < own && used == 0).is_empty());
    assert_eq!(uses("use crate::{cli, units};"), ["cli", "units"]);
}

fn offenders(needle: &str, home: &[&str]) -> Vec<String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    sources(&src)
        .into_iter()
        .filter(|path| {
            let relative = path.strip_prefix(&src).unwrap().to_string_lossy().into_owned();
            let tests = relative.ends_with("tests.rs") || relative.contains("tests/");
            !tests
                && !home.iter().any(|home| relative.starts_with(home))
                && fs::read_to_string(path).unwrap().contains(needle)
        })
        .map(|path| path.display().to_string())
        .collect()
}

#[test]
fn clap_is_known_in_cli_alone() {
    assert_eq!(offenders("clap", &["cli"]), Vec::<String>::new());
}

#[test]
fn clocks_are_read_in_measure_alone() {
    assert_eq!(offenders("Instant::now", &["measure"]), Vec::<String>::new());
    assert_eq!(offenders("SystemTime::now", &["measure"]), Vec::<String>::new());
    assert_eq!(offenders("Timestamp::now", &["measure"]), Vec::<String>::new());
}

#[test]
fn nothing_below_cli_prints() {
    for print in ["println!", "eprintln!", "print!(", "eprint!("] {
        assert_eq!(offenders(print, &["cli"]), Vec::<String>::new());
    }
}

#[test]
fn main_stays_small() {
    let main = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main.rs")).unwrap();
    assert!(main.lines().count() < 20);
}
