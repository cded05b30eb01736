//! One file of settings, which flags override.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use serde::Deserialize;

use super::Nightly;
use crate::cli::exit::{IncompatibleError, UsageError};
use crate::cli::measuring::Measuring;
use crate::files::check_place;
use crate::history::GateSettings;
use crate::host::Host;
use crate::text::read_text;

/// Where settings are looked for.
const USUAL: &str = "nightly.toml";

/// The file. What it leaves out has the default of the flag of that name.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    contracts: Option<PathBuf>,
    chain: Option<PathBuf>,
    out: Option<PathBuf>,
    history: Option<PathBuf>,
    params: Option<PathBuf>,
    proposed: Option<PathBuf>,
    profile: Option<String>,
    budget: Option<String>,
    #[serde(default)]
    strategy: Vec<String>,
    #[serde(default)]
    require_toolchain: bool,
    threshold: Option<f64>,
    #[serde(default)]
    refuse: Vec<String>,
    #[serde(default)]
    alert: AlertFile,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct AlertFile {
    #[serde(default)]
    command: Vec<String>,
    timeout_seconds: Option<u64>,
    tries: Option<u32>,
    wait_seconds: Option<f64>,
}

/// Everything that a night is done by.
#[derive(Debug)]
pub struct Settings {
    /// What is measured.
    pub measuring: Measuring,
    /// The same as words of a command line, for people.
    pub words: Vec<String>,
    /// Where the folders of the runs are.
    pub out: PathBuf,
    /// The history.
    pub history: PathBuf,
    /// The table in force; `None` if there is none.
    pub params: Option<PathBuf>,
    /// Where the proposed table goes.
    pub proposed: PathBuf,
    /// The gate.
    pub gate: GateSettings,
    /// Hazards with which nothing is measured.
    pub refuse: Vec<String>,
    /// Alerts.
    pub alert: AlertSettings,
}

/// How alerts are told.
#[derive(Debug, Clone)]
pub struct AlertSettings {
    /// A program with its arguments; empty for none.
    pub command: Vec<String>,
    /// How long the program or one POST may take.
    pub timeout: Duration,
    /// How often a POST is tried.
    pub tries: u32,
    /// The wait after the first failed try, which doubles from try to try.
    pub wait: Duration,
}

/// `run`'s own arguments, so that what is allowed there is allowed here, with the same words when it is not.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Words {
    #[command(flatten)]
    measuring: Measuring,
}

/// The settings from the file and the flags.
pub fn resolve(args: &Nightly) -> anyhow::Result<Settings> {
    let file = load(args.settings.as_deref())?;
    let out = args.out.clone().or(file.out).unwrap_or_else(|| "reports".into());
    let mut words = Vec::new();
    let mut word = |flag: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
    };
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    word("--contracts", args.contracts.clone().or(file.contracts).map(text));
    word("--chain", args.chain.clone().or(file.chain).map(text));
    word("--out", Some(text(out.clone())));
    // A flag for one of the two overrides the file's other.
    let (profile, budget) = match (&args.profile, &args.budget) {
        (None, None) => (file.profile, file.budget),
        (profile, budget) => (profile.clone(), budget.clone()),
    };
    let profile = if budget.is_none() { profile.or_else(|| Some("nightly".into())) } else { profile };
    word("--profile", profile);
    word("--budget", budget);
    let strategies = if args.strategy.is_empty() { file.strategy } else { args.strategy.clone() };
    word("--strategy", (!strategies.is_empty()).then(|| strategies.join(",")));
    if args.require_toolchain || file.require_toolchain {
        words.push("--require-toolchain".into());
    }
    let Words { measuring } = Words::try_parse_from(&words).map_err(|error| {
        let text = error.to_string();
        UsageError(text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned())
    })?;
    let params = args.params.clone().or(file.params);
    if let Some(missing) = params.as_ref().filter(|params| !params.is_file()) {
        return Err(UsageError(format!("no table in force {}: leave it out for none", missing.display())).into());
    }
    let proposed = args.proposed.clone().or(file.proposed).unwrap_or_else(|| "params/proposed.toml".into());
    check_place(&proposed).map_err(UsageError)?;
    let hazards: Vec<String> = Host::read(Path::new("/")).hazards.into_iter().map(|hazard| hazard.name).collect();
    if let Some(unknown) = file.refuse.iter().find(|name| !hazards.contains(name)) {
        let text = format!("`refuse` names no hazard {unknown}: it is one of {}", hazards.join(", "));
        return Err(UsageError(text).into());
    }
    let usual = PathBuf::from("params/current.toml");
    let percent = args.threshold.or(file.threshold).unwrap_or(2.0);
    if !(0.0..=1000.0).contains(&percent) {
        return Err(UsageError(format!("the threshold {percent} is not a percentage from 0 to 1000")).into());
    }
    Ok(Settings {
        measuring,
        words,
        history: args.history.clone().or(file.history).unwrap_or_else(|| out.join("history.sqlite")),
        params: params.or_else(|| usual.is_file().then_some(usual)),
        proposed,
        gate: GateSettings { threshold: percent / 100.0, ..GateSettings::default() },
        refuse: file.refuse,
        alert: alert(file.alert)?,
        out,
    })
}

fn alert(file: AlertFile) -> Result<AlertSettings, UsageError> {
    let timeout = file.timeout_seconds.unwrap_or(10);
    let tries = file.tries.unwrap_or(5);
    let wait = file.wait_seconds.unwrap_or(2.0);
    if !(1..=3600).contains(&timeout) || !(1..=20).contains(&tries) || !(0.0..=600.0).contains(&wait) {
        let text = "[alert] takes timeout_seconds from 1 to 3600, tries from 1 to 20, wait_seconds from 0 to 600";
        return Err(UsageError(text.into()));
    }
    Ok(AlertSettings {
        command: file.command,
        timeout: Duration::from_secs(timeout),
        tries,
        wait: Duration::from_secs_f64(wait),
    })
}

/// What is read before the rest, which a newer format may write otherwise.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

fn load(named: Option<&Path>) -> anyhow::Result<File> {
    let file = match named {
        Some(file) if !file.is_file() => return Err(UsageError(format!("no settings {}", file.display())).into()),
        Some(file) => file,
        None if Path::new(USUAL).is_file() => Path::new(USUAL),
        None => return Ok(File { format: 1, ..File::default() }),
    };
    let text = read_text(file).with_context(|| format!("cannot read {}", file.display()))?;
    let wrong = |error: toml::de::Error| UsageError(format!("{}: {}", file.display(), error.to_string().trim()));
    let Head { format } = toml::from_str(&text).map_err(wrong)?;
    if format > 1 {
        let text =
            format!("{} has format {format}, this version reads format 1: use a newer estimator", file.display());
        return Err(IncompatibleError(text).into());
    }
    let read: File = toml::from_str(&text).map_err(wrong)?;
    if read.format != 1 {
        return Err(UsageError(format!("{}: `format` must be 1", file.display())).into());
    }
    Ok(read)
}
