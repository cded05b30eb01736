//! A run conducted by another program: `cargo run --example embed`, or with a folder of contracts of your own,
//! `cargo run --release --example embed -- estimator-contracts`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use estimator::app::{Event, PlanRequest, RunOutcome, RunRequest, Session, Stage, run, serve_if_worker};
use estimator::measure::Profile;
use jiff::SignedDuration;

/// A contract of six sizes that needs no toolchain.
const MANIFEST: &str = r#"
format = 1
description = "Touches every page of its memory"
source = "touch.wat"
entry = "touch"

[factors]
initial_pages = [1, 2, 4, 8, 17, 64]
stack_bytes = ["16 KiB"]
"#;
const CONTRACT: &str = include_str!("../estimator-contracts/touch-memory-wat/touch-memory.wat");

fn main() -> Result<(), Box<dyn Error>> {
    // Cycles are measured in processes of their own, which are this program again.
    serve_if_worker();

    let folder = tempfile::tempdir()?;
    let contracts = match std::env::args_os().nth(1) {
        Some(folder) => PathBuf::from(folder),
        None => small_set(folder.path())?,
    };
    let plan = PlanRequest {
        contracts: Some(contracts),
        profile: Profile::within(SignedDuration::from_secs(2)),
        strategies: vec!["fresh-map".into()],
        out: folder.path().join("reports"),
        ..PlanRequest::default()
    };
    let request = RunRequest { plan, params: folder.path().join("proposed.toml"), ..RunRequest::default() };

    let observer = |event: Event<'_>| match event {
        Event::Warning(text) => eprintln!("! {text}"),
        Event::Progress { stage: Stage::Measuring { .. }, done, of } => eprintln!("round {done} of {of}"),
        _ => {}
    };
    match run(&request, &Session::new().observed_by(&observer))? {
        RunOutcome::Analysed(analysis) => match analysis.table() {
            Some(table) => {
                for (name, param) in &table.params {
                    println!("{name}: {} gas", param.gas);
                }
            }
            None => {
                for reason in &analysis.fit().rejected {
                    println!("no fee: {reason}");
                }
            }
        },
        RunOutcome::Shard { .. } | RunOutcome::Interrupted { .. } => println!("not measured to its end"),
    }
    Ok(())
}

fn small_set(folder: &Path) -> std::io::Result<PathBuf> {
    let contracts = folder.join("contracts");
    fs::create_dir_all(contracts.join("touch"))?;
    fs::write(contracts.join("touch/contract.toml"), MANIFEST)?;
    fs::write(contracts.join("touch/touch.wat"), CONTRACT)?;
    Ok(contracts)
}
