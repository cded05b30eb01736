//! The modules are a pipeline: each uses only those above it, so that a change reaches only what comes after.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up. `text`, `files` and `units` are the floor that everything stands on.
const FLOORS: [&str; 17] = [
    "text",
    "files",
    "units",
    "versioned",
    "experiment",
    "contract",
    "runtime",
    "host",
    "measure",
    "model",
    "params",
    "history",
    "report",
    "app",
    "serve",
    "cli",
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

/// The files outside of `home` with the needle in their code. Examples in documentation may print.
fn offenders(needle: &str, home: &[&str]) -> Vec<String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    sources(&src)
        .into_iter()
        .filter(|path| {
            let relative = path.strip_prefix(&src).unwrap().to_string_lossy().into_owned();
            let tests = relative.ends_with("tests.rs") || relative.contains("tests/");
            !tests
                && !home.iter().any(|home| relative.starts_with(home))
                && fs::read_to_string(path).unwrap().lines().any(|line| {
                    let is_comment = line.trim_start().starts_with("//");
                    line.contains(needle) && !is_comment
                })
        })
        .map(|path| path.display().to_string())
        .collect()
}

#[test]
fn clap_is_known_in_cli_alone() {
    assert_eq!(offenders("clap", &["cli"]), Vec::<String>::new());
}

#[test]
fn errors_without_a_type_are_made_in_cli_alone() {
    assert_eq!(offenders("anyhow", &["cli"]), Vec::<String>::new());
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

/// The names that a file takes from its crate, each as a path from the root. The modules within the file do not count, tests among
/// them, and neither do names that it only hands on.
fn paths(file: &Path, module: &[String]) -> Vec<Vec<String>> {
    let text = fs::read_to_string(file).unwrap();
    let mut is_inner = false;
    let own = text.lines().filter(|line| {
        let was_inner = is_inner;
        is_inner = line.starts_with("mod ") && line.ends_with('{') || is_inner && *line != "}";
        !was_inner && !is_inner && !line.trim_start().starts_with("//")
    });
    let text = own.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for statement in text.split(';') {
        let statement = statement.trim();
        let Some(used) = statement.strip_prefix("use ") else {
            for (at, _) in statement.match_indices("crate::").chain(statement.match_indices("super::")) {
                let path: String =
                    statement[at..].chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect();
                found.push(rooted(&path, module));
            }
            continue;
        };
        expand(used.split_whitespace().collect::<Vec<_>>().join(" ").as_str(), "", &mut |path| {
            found.push(rooted(path, module));
        });
    }
    found
}

/// Every path of a tree of uses such as `a::{b, c::{d, e}}`.
fn expand(tree: &str, prefix: &str, each: &mut dyn FnMut(&str)) {
    let (mut depth, mut start) = (0, 0);
    let mut parts = Vec::new();
    for (at, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('{') {
            Some((head, rest)) => expand(rest.trim_end().trim_end_matches('}'), &format!("{prefix}{head}"), each),
            None => each(&format!("{prefix}{}", part.split(" as ").next().unwrap_or(part))),
        }
    }
}

fn rooted(path: &str, module: &[String]) -> Vec<String> {
    let mut rooted = module.to_vec();
    for part in path.split("::") {
        match part {
            "crate" => rooted.clear(),
            "super" => drop(rooted.pop()),
            "self" => {}
            name => rooted.push(name.to_owned()),
        }
    }
    rooted
}

/// The module that a file is: `a::b` for `a/b.rs` and for `a/b/mod.rs`.
fn module_of(relative: &Path) -> Vec<String> {
    let mut parts: Vec<String> = relative.iter().map(|part| part.to_string_lossy().replace(".rs", "")).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// Which files each file uses, within one module of the pipeline.
fn uses_of_files() -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files: BTreeMap<Vec<String>, PathBuf> = sources(&src)
        .into_iter()
        .map(|path| (module_of(path.strip_prefix(&src).unwrap()), path))
        .filter(|(module, _)| !module.iter().any(|part| part == "tests" || part == "simulated" || part == "truth"))
        .collect();
    // Where a module hands a name on, the file that it comes from is the one that is used.
    let mut handed_on: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for (module, path) in &files {
        let text = fs::read_to_string(path).unwrap();
        for statement in text.split(';') {
            let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
            let Some((_, tree)) = statement.rsplit_once("pub use ").or(statement.rsplit_once("pub(crate) use ")) else {
                continue;
            };
            expand(tree, "", &mut |path| {
                let name = path.rsplit("::").next().unwrap_or(path).to_owned();
                let source: Vec<String> = module.iter().cloned().chain(path.split("::").map(str::to_owned)).collect();
                handed_on.insert(module.iter().cloned().chain([name]).collect(), source);
            });
        }
    }
    let home = |path: &[String]| {
        let mut path = path.to_vec();
        let mut passed = BTreeSet::new();
        while let Some(source) = handed_on.get(&path).filter(|_| passed.insert(path.clone())) {
            path.clone_from(source);
        }
        (1..=path.len()).rev().map(|length| path[..length].to_vec()).find(|module| files.contains_key(module))
    };
    let within = |module: &Vec<String>, path: &PathBuf| {
        let used = paths(path, module).into_iter().filter_map(|path| home(&path));
        used.filter(|used| used != module && used.first() == module.first()).collect()
    };
    files.iter().map(|(module, path)| (module.clone(), within(module, path))).collect()
}

/// A way from a file over the files that it uses back to it, if there is one.
fn circle(uses: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>, start: &Vec<String>) -> Option<Vec<String>> {
    let mut ways = vec![vec![start.clone()]];
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop() {
        for next in uses.get(way.last()?).into_iter().flatten() {
            if next == start {
                return Some(way.iter().map(|module| module.join("::")).collect());
            }
            if seen.insert(next.clone()) {
                ways.push(way.iter().chain([next]).cloned().collect());
            }
        }
    }
    None
}

#[test]
fn no_files_of_a_module_use_each_other_in_a_circle() {
    let uses = uses_of_files();
    let circles: BTreeSet<String> =
        uses.keys().filter_map(|start| circle(&uses, start)).map(|way| way.join(" -> ")).collect();
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn a_circle_would_be_seen() {
    let way = |names: &[&str]| names.iter().map(|name| vec![(*name).to_owned()]).collect::<BTreeSet<_>>();
    let uses = [("a", way(&["b"])), ("b", way(&["c"])), ("c", way(&["a"]))]
        .map(|(name, used)| (vec![name.to_owned()], used))
        .into();
    assert_eq!(circle(&uses, &vec!["a".to_owned()]), Some(["a", "b", "c"].map(str::to_owned).to_vec()));
    let mut found = Vec::new();
    expand("a::{b, c::{d, e}, self as f}", "", &mut |path| found.push(path.to_owned()));
    assert_eq!(found, ["a::b", "a::c::d", "a::c::e", "a::self"]);
    assert!(uses_of_files().values().any(|used| !used.is_empty()));
}
