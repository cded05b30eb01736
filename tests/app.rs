//! The application as another program uses it.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use estimator::app::{
    CompareRequest, Error, ErrorKind, Event, FitRequest, Fitted, Mixing, NoiseRequest, PlanRequest, ReportRequest,
    RunOutcome, RunRequest, Session, Side, Stage, Workers, compare, fit, noise, report, resume_run, run,
    strategy_named,
};
use estimator::measure::{Profile, RunFolder};
use jiff::SignedDuration;

const MANIFEST: &str = "format = 1\ndescription = \"test\"\nsource = \"touch.wat\"\nentry = \"touch\"\n[factors]\n\
                        initial_pages = [1, 2, 4, 8, 17, 64]\nstack_bytes = [\"16 KiB\"]\n";
const CONTRACT: &str = include_str!("../estimator-contracts/touch-memory-wat/touch-memory.wat");

/// The shortest run, all of it in this folder.
fn shortest(folder: &Path) -> RunRequest {
    let contract = folder.join("contracts/touch");
    fs::create_dir_all(&contract).unwrap();
    fs::write(contract.join("contract.toml"), MANIFEST).unwrap();
    fs::write(contract.join("touch.wat"), CONTRACT).unwrap();
    // Nothing that a call meets, which takes the least time to measure.
    let chain = folder.join("chain.toml");
    let (settings, _) = include_str!("../params/chain.toml").split_once("[node]").unwrap();
    fs::write(&chain, format!("{settings}[node]\n")).unwrap();
    let plan = PlanRequest {
        contracts: Some(folder.join("contracts")),
        chain: Some(chain),
        profile: Profile::within(SignedDuration::from_secs(1)),
        strategies: vec!["fresh-map".into()],
        out: folder.join("reports"),
        seed: Some(1),
        ..PlanRequest::default()
    };
    RunRequest { plan, params: folder.join("proposed.toml"), ..RunRequest::default() }
}

fn workers() -> Workers {
    Workers::of(assert_cmd::cargo::cargo_bin!("estimator"))
}

#[test]
fn a_run_tells_its_observer_and_leaves_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let rounds = Mutex::new(Vec::new());
    let observer = |event: Event<'_>| {
        if let Event::Progress { stage: Stage::Measuring { .. }, done, of } = event {
            rounds.lock().unwrap().push((done, of));
        }
    };
    let session = Session::new().with_workers(workers()).observed_by(&observer);
    let RunOutcome::Analysed(analysis) = run(&shortest(folder.path()), &session).unwrap() else {
        panic!("nobody stopped it")
    };
    let rounds = rounds.into_inner().unwrap();
    let precise = analysis.run().stopped == Some(estimator::measure::Stop::PreciseEnough);
    assert!(rounds.last().is_some_and(|&(done, of)| done == of || precise), "{rounds:?}");
    let signed = analysis.table().is_some() && !analysis.is_unsigned();
    assert_eq!(signed, folder.path().join("proposed.toml").is_file());
    for file in ["run.toml", "samples.csv", "fit.json", "report.html", "summary.md"] {
        assert!(analysis.folder().path().join(file).is_file(), "{file}");
    }
}

#[test]
fn an_interruption_ends_a_run_that_can_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let observer = |event: Event<'_>| {
        if matches!(event, Event::Progress { stage: Stage::Measuring { .. }, .. }) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let session = Session::new().with_workers(workers()).observed_by(&observer).interrupted_by(&stop);
    let RunOutcome::Interrupted { run, folder } = run(&shortest(folder.path()), &session).unwrap() else {
        panic!("it was stopped")
    };
    assert!(run.rounds.is_some());
    assert_eq!(resume_run(folder.path()).unwrap().run.run, run.run);
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let sensible = shortest(folder.path());
    let wrong: [fn(&mut PlanRequest); 5] = [
        |plan| plan.threads = 2,
        |plan| plan.strategies = vec!["no-such".into()],
        |plan| plan.profile.budget = SignedDuration::ZERO,
        |plan| (plan.seed, plan.shard) = (None, Some("1/2".parse().unwrap())),
        |plan| plan.chain = Some("no-such.toml".into()),
    ];
    for spoil in wrong {
        let mut request = sensible.clone();
        spoil(&mut request.plan);
        let error = run(&request, &Session::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
    }
    assert!(!folder.path().join("reports").exists());
    assert!(strategy_named("fresh-map").is_ok());
}

#[test]
fn runs_that_are_not_there_are_wrong_usage_in_every_request() {
    let none = || "no-such-run";
    let session = Session::new();
    let fitted = fit(&FitRequest { runs: vec![none().into()], ..FitRequest::default() }, &session).map(drop);
    let errors: [Result<(), Error>; 5] = [
        fitted,
        fit(&FitRequest::default(), &session).map(drop),
        compare(&CompareRequest::new(Side::from(none()), Side::from(none())), &session).map(drop),
        report(&ReportRequest::new(none()), &session).map(drop),
        noise(&NoiseRequest::of_run(none()), &session).map(drop),
    ];
    for result in errors {
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Usage);
    }
}

#[test]
fn a_fit_of_stored_samples_is_the_same_wherever_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let copy = RunFolder::at(folder.path().join("run"));
    fs::create_dir(copy.path()).unwrap();
    for file in ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml"] {
        fs::copy(Path::new("tests/data/run").join(file), copy.path().join(file)).unwrap();
    }
    let request = FitRequest {
        runs: vec![copy.path().to_owned()],
        params: folder.path().join("proposed.toml"),
        ..FitRequest::default()
    };
    let Fitted::Together(analysis) = fit(&request, &Session::new()).unwrap() else { panic!("it is one run") };
    let written = fs::read_to_string(copy.path().join("fit.json")).unwrap();
    assert_eq!(written, serde_json::to_string_pretty(analysis.fit()).unwrap() + "\n");
    assert!(analysis.proposal().is_ok_and(|(table, rejected)| {
        rejected.is_empty() && analysis.table().is_some_and(|own| own.params == table.params)
    }));
}

/// A fee must not wait for a machine that cannot be measured, nor pass over it in silence.
#[test]
fn an_envelope_goes_without_a_machine_that_cannot_be_signed_only_if_asked_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str| folder.path().join(name);
    for name in ["sound", "noisy"] {
        fs::create_dir(run(name)).unwrap();
        for file in ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml"] {
            fs::copy(Path::new("tests/data/run").join(file), run(name).join(file)).unwrap();
        }
    }
    let file = run("noisy").join("run.toml");
    let text = fs::read_to_string(&file).unwrap();
    let kept = text.lines().filter(|line| !line.starts_with("samples = "));
    let other = |line: &str| match line {
        line if line.starts_with("run = ") => "run = \"noisy\"".to_owned(),
        line if line.starts_with("model = ") => "model = \"another\"".to_owned(),
        line => line.to_owned(),
    };
    fs::write(&file, kept.map(other).collect::<Vec<_>>().join("\n")).unwrap();
    // In every other process everything takes three times as long.
    let samples = fs::read_to_string(run("noisy").join("samples.csv")).unwrap();
    let header = samples.lines().next().unwrap();
    let touch = header.split(',').position(|column| column == "first_touch_ns").unwrap();
    let slower = |line: &str| {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        if cells[0].parse::<u64>().unwrap() % 2 == 0 {
            cells[touch] = (3 * cells[touch].parse::<u64>().unwrap()).to_string();
        }
        cells.join(",") + "\n"
    };
    let rows: String = samples.lines().skip(1).map(slower).collect();
    fs::write(run("noisy").join("samples.csv"), format!("{header}\n{rows}")).unwrap();

    let request = FitRequest {
        runs: vec![run("noisy"), run("sound")],
        mixing: Mixing { across_machines: true, ..Mixing::default() },
        out: run("merged"),
        params: run("proposed.toml"),
        ..FitRequest::default()
    };
    let Fitted::Apart { table: None, .. } = fit(&request, &Session::new()).unwrap() else { panic!("it is blocked") };
    let request = FitRequest { without_rejected: true, ..request };
    let Fitted::Apart { analyses, table: Some(table) } = fit(&request, &Session::new()).unwrap() else {
        panic!("it is not blocked")
    };
    assert_eq!(analyses.len(), 1);
    assert!(table.provenance.run.notes.iter().any(|note| note.starts_with("left out") && note.contains("run noisy")));
}
