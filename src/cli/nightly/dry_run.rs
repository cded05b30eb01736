//! What a night would do.

use std::path::Path;

use serde_json::{Value, json};

use super::settings::Settings;
use super::webhook::{AUTHORIZATION, URL};
use crate::cli::exit::Exit;
use crate::cli::format::ShortFormat;
use crate::cli::{objected, out};
use crate::history::{Access, History, HistoryError};
use crate::host::Host;
use crate::params::ParamTable;

/// Shows it, and changes nothing.
pub fn show(settings: &Settings, format: ShortFormat) -> anyhow::Result<Exit> {
    let table = settings.params.as_deref().map(ParamTable::load).transpose()?;
    if let (Some(file), Some(table)) = (&settings.params, &table) {
        objected::warn(file.display(), table);
    }
    let history = match History::open(&settings.history, Access::Read) {
        Ok(history) => format!("{}, which holds {} runs", settings.history.display(), history.count()?),
        Err(HistoryError::Missing { .. }) => format!("{}, which would be made", settings.history.display()),
        Err(error) => format!("{error}"),
    };
    let host = Host::read(Path::new("/"));
    let hazards: Vec<&str> =
        host.hazards.iter().filter(|hazard| hazard.is_present()).map(|hazard| hazard.name.as_str()).collect();
    let refused: Vec<&String> = settings.refuse.iter().filter(|name| hazards.contains(&name.as_str())).collect();
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let or = |texts: Vec<String>, none: &str| if texts.is_empty() { none.to_owned() } else { texts.join(", ") };
    let mut channels = Vec::new();
    channels.extend(settings.alert.command.first().map(|program| format!("the command `{program}`")));
    if set(URL) {
        let header = if set(AUTHORIZATION) { ", with an Authorization header" } else { "" };
        channels.push(format!("a POST to the address in {URL}{header}"));
    }
    let in_force = match (&settings.params, &table) {
        (Some(file), Some(table)) => format!("{}, of run {}", file.display(), table.provenance.run.run),
        _ => "none".into(),
    };
    let steps: Vec<(&str, String)> = vec![
        ("lock", settings.history.with_extension("lock").display().to_string()),
        ("machine", format!("{}, class {}", host.fingerprint.summary(), host.fingerprint.class().unwrap_or_default())),
        ("hazards", or(hazards.iter().map(ToString::to_string).collect(), "none")),
        ("refused", or(refused.iter().map(ToString::to_string).collect(), "none of the hazards present")),
        ("measure", format!("estimator run {}", settings.words.join(" "))),
        ("against", in_force),
        ("threshold", format!("{} %", settings.gate.threshold * 100.0)),
        ("record in", history),
        ("propose", settings.proposed.display().to_string()),
        ("alert by", or(channels, "standard error only")),
    ];
    match format {
        ShortFormat::Human => {
            let lines = steps.iter().map(|(name, value)| format!("  {name:<10} {value}\n"));
            out::show(&format!("A night would do this; nothing is done now.\n{}", lines.collect::<String>()))?;
        }
        ShortFormat::Json => {
            let mut object: serde_json::Map<String, Value> =
                steps.into_iter().map(|(name, value)| (name.replace(' ', "_"), Value::String(value))).collect();
            object.insert("format".into(), json!(1));
            out::json(&object)?;
        }
    }
    Ok(Exit::Fine)
}
