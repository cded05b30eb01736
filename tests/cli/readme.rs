//! What README.md shows is what the program does.

use std::fs;
use std::path::Path;

use crate::folder::Folder;

const README: &str = include_str!("../../README.md");

/// The arguments of each `estimator` command that stands indented below this heading.
pub fn commands(heading: &str) -> Vec<Vec<String>> {
    let (_, section) = README.split_once(&format!("\n## {heading}\n")).expect("a section of this heading");
    let section = section.split("\n## ").next().unwrap();
    let lines = section.lines().filter_map(|line| line.strip_prefix("    estimator "));
    lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

/// Each command that a comment before a block names, and that block.
fn outputs() -> Vec<(&'static str, &'static str)> {
    let blocks = README.split("<!-- output of: estimator ").skip(1);
    let parts = |block: &'static str| {
        let (command, rest) = block.split_once(" -->\n```\n")?;
        Some((command, rest.split("```\n").next()?))
    };
    blocks.map(|block| parts(block).expect("a block of output right below its command")).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn the_outputs_in_the_readme_are_those_of_the_program() {
    let folder = Folder::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for needed in ["params", "reports/example", "tests/data"] {
        copy(&here.join(needed), &folder.join(needed));
    }
    assert!(outputs().len() >= 2);
    for (command, expected) in outputs() {
        let args: Vec<&str> = command.split_whitespace().collect();
        let output = folder.estimator(&args).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{command}");
    }
}
