use std::fs;
use std::sync::LazyLock;

use assert_cmd::Command;

use crate::folder::{Folder, GOOD, Kept, failure};

/// A measured run. On a machine that is busy with other tests it is too noisy to sign, which exits with 4, or its fit is rejected,
/// which exits with 5: what these tests say of files holds either way.
fn measured() -> Folder {
    static MEASURED: LazyLock<Vec<Kept>> = LazyLock::new(|| {
        let folder = Folder::new();
        folder.contract("touch", GOOD, "[1, 2, 4, 8, 17, 64]");
        fitted(&mut folder.run());
        folder.kept()
    });
    Folder::holding(&MEASURED)
}

fn fitted(command: &mut Command) {
    let (code, stderr) = failure(command);
    assert!([0, 4, 5].contains(&code), "{stderr}");
}

#[test]
fn a_run_leaves_what_it_should() {
    let folder = measured();
    for file in [
        "run.toml",
        "points.csv",
        "samples.csv",
        "fit.json",
        "summary.md",
        "chain.toml",
        "reference.toml",
        "artifacts/artifacts.toml",
    ] {
        assert!(folder.join("reports/latest").join(file).is_file(), "{file}");
    }
    let fit: serde_json::Value = serde_json::from_str(&folder.read("reports/latest/fit.json")).unwrap();
    let none = |reasons: &str| fit[reasons].as_array().unwrap().is_empty();
    assert_eq!(none("rejected") && none("refused"), folder.join("params/proposed.toml").exists());
    assert_eq!(none("rejected") && !none("refused"), folder.join("reports/latest/unsigned.toml").exists());
}

#[test]
fn the_charge_covers_the_median_of_every_point() {
    let folder = measured();
    let fit: serde_json::Value = serde_json::from_str(&folder.read("reports/latest/fit.json")).unwrap();
    let covering = &fit["strategies"][0]["model"]["measured"];
    let nanos = |estimate: &serde_json::Value| estimate["value"].as_f64().unwrap();
    assert_eq!(covering["terms"][0]["term"], "page");
    let (base, per_page) = (nanos(&covering["base"]), nanos(&covering["terms"][0]["price"]));
    let pages: Vec<u32> = csv::Reader::from_path(folder.join("reports/latest/points.csv"))
        .unwrap()
        .deserialize::<std::collections::HashMap<String, String>>()
        .map(|point| point.unwrap()["initial_pages"].parse().unwrap())
        .collect();
    let mut rows = csv::Reader::from_path(folder.join("reports/latest/samples.csv")).unwrap();
    let mut costs = std::collections::BTreeMap::<u32, Vec<f64>>::new();
    for row in rows.deserialize::<std::collections::HashMap<String, String>>() {
        let row = row.unwrap();
        let number = |column: &str| row[column].parse::<u32>().unwrap();
        let spans = ["instantiate_ns", "first_touch_ns", "reset_ns"].map(number);
        let cost = f64::from(spans.iter().sum::<u32>()) - f64::from(number("warm_touch_ns"));
        let pages = pages[number("point") as usize];
        assert_eq!(number("minor_faults"), 16 * pages);
        costs.entry(pages).or_default().push(cost);
    }
    assert_eq!(costs.len(), 6);
    for (pages, mut costs) in costs {
        costs.sort_unstable_by(f64::total_cmp);
        let median = costs[costs.len() / 2];
        assert!(base + per_page * f64::from(pages) >= median, "{pages} pages: {base} + {per_page} a page < {median}");
    }
}

#[test]
fn fitting_again_gives_the_same_files() {
    let folder = measured();
    let files = ["reports/latest/fit.json", "reports/latest/summary.md"];
    let before = files.map(|file| folder.read(file));
    let table = fs::read(folder.join("params/proposed.toml")).ok();
    for file in files {
        fs::remove_file(folder.join(file)).unwrap();
    }
    fitted(&mut folder.estimator(&["fit", "reports/latest", "--params", "again.toml"]));
    assert_eq!(files.map(|file| folder.read(file)), before);
    assert_eq!(fs::read(folder.join("again.toml")).ok(), table);
}

#[test]
fn a_killed_round_is_measured_again_and_the_others_stay() {
    let folder = measured();
    let whole = folder.read("reports/latest/samples.csv");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let round_of = |line: &str| line.splitn(3, ',').take(2).collect::<Vec<_>>().join(",") + ",";
    let rounds: Vec<String> = lines[1..].iter().map(|line| round_of(line)).collect();
    let cut = lines[..lines.len() - 5].concat() + &lines[lines.len() - 5][..10];
    fs::write(folder.join("reports/latest/samples.csv"), &cut).unwrap();
    let run = folder.read("reports/latest/run.toml").replace("stopped = \"budget-spent\"\n", "");
    folder.write("reports/latest/run.toml", run);
    fitted(&mut folder.estimator(&["run", "--resume", "reports/latest"]));
    let after = folder.read("reports/latest/samples.csv");
    assert_eq!(after.lines().count(), whole.lines().count());
    let last_round = rounds.last().unwrap();
    let kept: String = whole.split_inclusive('\n').filter(|line| !line.starts_with(last_round.as_str())).collect();
    assert!(after.starts_with(&kept), "every completed round is there as it was");
}

/// The rows as a run of another seed would have them: the same cycles, each round in another order.
pub fn another_order(rows: &str) -> String {
    let lines: Vec<&str> = rows.lines().collect();
    let round = |line: &str| line.splitn(3, ',').take(2).map(str::to_owned).collect::<Vec<_>>();
    let turned = |round: &[&str]| round.iter().rev().flat_map(|line| [*line, "\n"]).collect::<String>();
    lines.chunk_by(|a, b| round(a) == round(b)).map(turned).collect()
}

/// The run as a kill would leave it, with other samples.
fn unfinished(folder: &Folder, samples: &str) {
    folder.write("reports/latest/samples.csv", samples);
    let run = folder.read("reports/latest/run.toml").replace("stopped = \"budget-spent\"\n", "");
    folder.write("reports/latest/run.toml", run);
}

#[test]
fn blank_lines_cost_no_measured_row_when_a_run_goes_on() {
    let folder = measured();
    let whole = folder.read("reports/latest/samples.csv");
    unfinished(&folder, &whole.replacen('\n', "\n\n\n\n", 1));
    fitted(&mut folder.estimator(&["run", "--resume", "reports/latest"]));
    let after = folder.read("reports/latest/samples.csv");
    assert_eq!(after.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>(), whole.lines().collect::<Vec<_>>());
}

#[test]
fn a_run_does_not_go_on_in_the_samples_of_another() {
    let folder = measured();
    let rows = folder.read("reports/latest/samples.csv");
    let (header, rows) = rows.split_once('\n').unwrap();
    let other = format!("{header}\n{}", another_order(rows));
    unfinished(&folder, &other);
    let (code, stderr) = folder.fails(&["run", "--resume", "reports/latest"]);
    assert!(code == 1 && stderr.contains("where the plan's seed puts point"), "{stderr}");
    assert_eq!(folder.read("reports/latest/samples.csv"), other, "untouched");
}

#[test]
fn rounds_that_are_gone_are_missed_and_measured_again() {
    let folder = measured();
    let whole = folder.read("reports/latest/samples.csv");
    let round = |line: &&str| line.starts_with("3,0,");
    let without: String = whole.split_inclusive('\n').filter(|line| !round(line)).collect();
    assert!(without.len() < whole.len());
    folder.write("reports/latest/samples.csv", &without);
    let (_, stderr) = failure(&mut folder.estimator(&["fit", "reports/latest"]));
    assert!(stderr.contains("1 of the") && stderr.contains("are not in its samples"), "{stderr}");
    unfinished(&folder, &without);
    fitted(&mut folder.estimator(&["run", "--resume", "reports/latest"]));
    assert_eq!(folder.read("reports/latest/samples.csv").lines().count(), whole.lines().count());
}

#[test]
fn the_factors_of_a_run_that_goes_on_are_its_own() {
    for flag in [&["--experiment", "strategies"][..], &["--threads", "2"], &["--require-toolchain"]] {
        let args = [&["run", "--resume", "reports/latest"], flag].concat();
        assert_eq!(Folder::new().fails(&args).0, 2);
    }
}

#[test]
fn json_is_all_there_is_on_standard_output() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 8, 17, 64]");
    let output = folder.run().args(["--format", "json"]).output().unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["seed"], 1);
    assert_eq!(shown["rejected"].as_array().unwrap().is_empty(), shown["table"].is_object(), "{shown}");
}

#[test]
fn two_levels_are_too_few_for_a_fee() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2]");
    let output = folder.run().output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8(output.stdout).unwrap().contains("page"), "says why");
    assert!(!folder.join("params/proposed.toml").exists());
}

#[test]
fn the_built_in_contract_needs_no_files() {
    let folder = Folder::new();
    let few = ["--strategy", "fresh-map", "--filter", "touch-memory-wat/pages(1|2|4|8|17|64)-"];
    fitted(folder.estimator(&["run", "--budget", "1s"]).args(few));
    assert!(folder.read("reports/latest/samples.csv").lines().count() > 1);
    assert!(folder.read("reports/latest/points.csv").contains("touch-memory-wat"));
}

#[test]
fn an_older_run_is_incompatible_and_named() {
    let folder = measured();
    let run = folder.read("reports/latest/run.toml").replace("format = 2\n", "format = 1\n");
    folder.write("reports/latest/run.toml", run);
    let (code, stderr) = folder.fails(&["fit", "reports/latest"]);
    assert!(code == 6 && stderr.contains("has format 1, this version reads formats from 2 on"), "{code} {stderr}");
}

#[test]
fn a_newer_run_is_incompatible() {
    let folder = measured();
    let run = folder.read("reports/latest/run.toml").replace("format = 2\n", "format = 3\n");
    folder.write("reports/latest/run.toml", run);
    assert_eq!(folder.fails(&["fit", "reports/latest"]).0, 6);
}

/// The same run as if another machine had measured it, in `reports/other`. Returns the name of its processor.
fn other_machine(folder: &Folder) -> String {
    let here = folder.join("reports/latest").canonicalize().unwrap();
    let there = folder.join("reports/other");
    fs::create_dir(&there).unwrap();
    for file in ["chain.toml", "reference.toml", "points.csv", "samples.csv"] {
        fs::copy(here.join(file), there.join(file)).unwrap();
    }
    let run = fs::read_to_string(here.join("run.toml")).unwrap();
    let model = run.lines().find(|line| line.starts_with("model = ")).expect("a processor");
    fs::write(
        there.join("run.toml"),
        run.replace(model, "model = \"another\"").replacen("run = \"", "run = \"other-", 1),
    )
    .unwrap();
    "another".to_owned()
}

#[test]
fn another_machine_is_refused_unless_asked() {
    let folder = measured();
    other_machine(&folder);
    let (code, stderr) = folder.fails(&["fit", "reports/latest", "reports/other"]);
    assert_eq!(code, 6, "{stderr}");
    assert!(stderr.contains("--across-machines"), "{stderr}");
}

#[test]
fn several_machines_give_their_upper_envelope_with_each_named() {
    let folder = measured();
    other_machine(&folder);
    let args = ["fit", "reports/latest", "reports/other", "--across-machines", "--params", "both.toml"];
    let (code, stderr) = failure(&mut folder.estimator(&args));
    assert!([0, 4, 5].contains(&code), "{stderr}");
    if code == 0 {
        let both = folder.read("both.toml");
        assert!(both.contains("upper envelope over 2 machines") && both.contains("is that of machine "), "{both}");
        let machines = both.lines().find_map(|line| line.strip_prefix("machine = ")).unwrap().trim_matches('"');
        let classes: Vec<&str> = machines.split(" + ").collect();
        assert_eq!(classes.len(), 2, "{machines}");
        assert!(classes.iter().all(|class| both.contains(&format!("machine {class}"))), "{both}");
    }
}

#[test]
fn an_envelope_over_a_machine_that_is_too_noisy_is_not_written() {
    let folder = measured();
    other_machine(&folder);
    let chain = folder.read("reports/latest/chain.toml");
    let strict: Vec<&str> = chain.lines().filter(|line| !line.starts_with("noise_limit")).collect();
    folder.write("strict.toml", strict.join("\n").replacen("margin", "noise_limit = 0.001\nmargin", 1));
    let args = [
        "fit",
        "reports/latest",
        "reports/other",
        "--across-machines",
        "--params",
        "both.toml",
        "--chain",
        "strict.toml",
    ];
    let (code, stderr) = failure(&mut folder.estimator(&args));
    assert!([4, 5].contains(&code), "{code}: {stderr}");
    assert!(!folder.join("both.toml").exists());
}

/// The points of a memory run in the columns of the other experiment, what only that has at its usual level.
fn as_of_strategies(points: &str) -> String {
    const SHARED: usize = 10;
    let with = |line: &str, more: &str| {
        let columns: Vec<&str> = line.split(',').collect();
        format!("{},{more},{}\n", columns[..SHARED].join(","), columns[columns.len() - 1])
    };
    let mut lines = points.lines();
    let header = with(lines.next().unwrap(), "threads,caches,spinning_threads");
    lines.fold(header, |text, line| text + &with(line, "1,cold,0"))
}

#[test]
fn what_was_measured_or_priced_otherwise_is_not_merged() {
    let folder = measured();
    other_machine(&folder);
    let refused = |file: &str, from: &str, to: &str| {
        let file = format!("reports/other/{file}");
        let text = folder.read(&file);
        assert!(text.contains(from), "{text}");
        folder.write(&file, text.replacen(from, to, 1));
        let (code, stderr) = folder.fails(&["fit", "reports/latest", "reports/other", "--across-machines"]);
        folder.write(&file, text);
        assert_eq!(code, 6, "{stderr}");
        stderr
    };
    assert!(refused("chain.toml", "safety_factor = 3.0", "safety_factor = 5.0").contains("--chain FILE"));
    let (points, run) = (folder.read("reports/other/points.csv"), folder.read("reports/other/run.toml"));
    folder.write("reports/other/points.csv", as_of_strategies(&points));
    let unhashed = |run: &str| run.lines().filter(|line| !line.starts_with("points = ")).collect::<Vec<_>>().join("\n");
    folder.write("reports/other/run.toml", unhashed(&run));
    assert!(refused("run.toml", "experiment = \"memory\"", "experiment = \"strategies\"").contains("fit them apart"));
    folder.write("reports/other/points.csv", points);
    folder.write("reports/other/run.toml", run);
    let halves = |folder: &Folder, from: &str| {
        for (run, seed, shard) in [("latest", "1", "1/2"), ("other", "2", "2/2")] {
            let file = format!("reports/{run}/run.toml");
            let text = folder.read(&file).replacen(from, &format!("seed = {seed}"), 1);
            folder.write(&file, text.replacen("\n\n", &format!("\nshard = \"{shard}\"\n\n"), 1));
        }
    };
    assert!(refused("run.toml", "\nprobe = ", "\nprobe = 9").contains("reference probe"));
    halves(&folder, "seed = 1");
    let (code, stderr) = folder.fails(&["fit", "reports/latest", "reports/other", "--across-machines"]);
    assert!(code == 6 && stderr.contains("shards of two plans"), "{stderr}");
}

#[test]
fn a_run_that_is_named_twice_is_refused() {
    let folder = measured();
    let (code, stderr) = folder.fails(&["fit", "reports/latest", "reports/latest"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("named twice"), "{stderr}");
}

#[test]
fn a_run_against_itself_is_the_same() {
    let folder = measured();
    let output =
        folder.estimator(&["compare", "reports/latest", "reports/latest", "--format", "json"]).output().unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["format"], 1);
    assert!((shown["overall"]["ratio"]["value"].as_f64().unwrap() - 1.0).abs() < 1e-12, "{shown}");
    assert!((shown["overall"]["p_value"].as_f64().unwrap() - 1.0).abs() < 1e-12, "{shown}");
}

#[test]
fn a_finished_run_is_not_measured_again() {
    let folder = measured();
    let before = folder.read("reports/latest/samples.csv");
    fitted(&mut folder.estimator(&["run", "--resume", "reports/latest"]));
    assert_eq!(folder.read("reports/latest/samples.csv"), before);
}
