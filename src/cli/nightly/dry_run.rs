//! What a night would do, step by step.

use jiff::SignedDuration;
use serde_json::{Map, Value, json};

use crate::app::PlanRequest;
use crate::app::nightly::{Foreseen, KeepSettings, NightRequest};
use crate::cli::exit::Exit;
use crate::cli::format::ShortFormat;
use crate::cli::out;
use crate::measure::{Plan, Profile};
use crate::text::{counted, quoted};

/// `budget` is that of the settings, which the request has within its profile.
pub fn show(
    request: &NightRequest,
    budget: Option<SignedDuration>,
    found: &Foreseen,
    format: ShortFormat,
) -> anyhow::Result<Exit> {
    let steps = steps(request, budget, found);
    match format {
        ShortFormat::Human => {
            let lines = steps.iter().map(|(name, value)| format!("  {name:<10} {value}\n"));
            out::show(&format!("A night would do this; nothing is done now.\n{}", lines.collect::<String>()))?;
        }
        ShortFormat::Json => {
            let named = steps.into_iter().map(|(name, value)| (name.replace(' ', "_"), Value::String(value)));
            out::json(&named.chain([("format".to_owned(), json!(1))]).collect::<Map<_, _>>())?;
        }
    }
    Ok(Exit::Fine)
}

fn steps(request: &NightRequest, budget: Option<SignedDuration>, found: &Foreseen) -> Vec<(&'static str, String)> {
    let machine = &found.host.fingerprint;
    let present = found.host.hazards.iter().filter(|hazard| hazard.is_present());
    let hazards: Vec<&str> = present.map(|hazard| hazard.name.as_str()).collect();
    let refused: Vec<&str> = request.refuse.iter().map(String::as_str).filter(|name| hazards.contains(name)).collect();
    let or = |texts: &[&str], none: &str| if texts.is_empty() { none.to_owned() } else { texts.join(", ") };
    let in_force = match (&request.params, &found.in_force) {
        (Some(file), Some(table)) => format!("{}, of run {}", file.display(), table.provenance.run.run),
        _ => "none".into(),
    };
    vec![
        ("lock", request.lock().display().to_string()),
        ("machine", format!("{}, class {}", machine.summary(), machine.class().unwrap_or_default())),
        ("hazards", or(&hazards, "none")),
        ("refused", or(&refused, "none of the hazards present")),
        ("measure", command(&request.plan, budget)),
        ("against", in_force),
        ("threshold", format!("{} %", (request.gate.threshold * 1e8).round() / 1e6)),
        ("record in", history(request, found)),
        ("propose", request.proposed.display().to_string()),
        ("alert by", channels(request, found)),
        ("metrics", request.metrics.textfile.as_ref().map_or_else(|| "none".into(), |file| file.display().to_string())),
        ("keep", kept(request)),
    ]
}

/// What would measure the same. `budget` is what was given in the place of a profile.
fn command(plan: &PlanRequest, budget: Option<SignedDuration>) -> String {
    let length = match (budget, plan.profile) {
        (Some(budget), _) => format!("--budget {}", Plan::budget_text(budget)),
        (None, Profile::QUICK) => "--profile quick".to_owned(),
        (None, Profile::STANDARD) => "--profile standard".to_owned(),
        (None, _) => "--profile nightly".to_owned(),
    };
    let out = format!("--out {}", quoted(&plan.out));
    let toolchain = plan.require_toolchain.then(|| "--require-toolchain".to_owned());
    let words = ["estimator run".to_owned()].into_iter().chain(plan.words()).chain([out, length]).chain(toolchain);
    words.collect::<Vec<_>>().join(" ")
}

fn history(request: &NightRequest, found: &Foreseen) -> String {
    match &found.history {
        Ok(Some(runs)) => format!("{}, which holds {}", request.history.display(), counted(*runs, "run", "runs")),
        Ok(None) => format!("{}, which would be made", request.history.display()),
        Err(error) => error.to_string(),
    }
}

/// For how long folders of runs are kept.
fn kept(request: &NightRequest) -> String {
    let KeepSettings { samples, fits } = request.keep;
    let nights = |nights: Option<u32>| {
        nights.map_or_else(|| "always".into(), |nights| format!("for {}", counted(nights, "night", "nights")))
    };
    // Samples go with their folder.
    format!("samples {}, fits {}", nights(samples.or(fits)), nights(fits))
}

fn channels(request: &NightRequest, found: &Foreseen) -> String {
    let command = request.alert.command.first().map(|program| format!("the command `{program}`"));
    let post = found.post.map(|post| {
        let header = if post.authorized { ", with an Authorization header" } else { "" };
        format!("a POST to the address in {}{header}", post.address)
    });
    let channels: Vec<String> = command.into_iter().chain(post).collect();
    if channels.is_empty() { "standard error only".into() } else { channels.join(", ") }
}
