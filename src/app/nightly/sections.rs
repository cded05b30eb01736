//! Sections of the settings of a night, each checked as a whole.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use super::request::{AlertSettings, KeepSettings};
use crate::app::push::PushSettings;

pub(super) fn alert<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AlertSettings, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Section {
        #[serde(default)]
        command: Vec<String>,
        timeout_seconds: Option<u64>,
        tries: Option<u32>,
        wait_seconds: Option<f64>,
    }
    let Section { command, timeout_seconds, tries, wait_seconds } = Section::deserialize(deserializer)?;
    let (timeout, tries, wait) = (timeout_seconds.unwrap_or(10), tries.unwrap_or(5), wait_seconds.unwrap_or(2.0));
    if !(1..=3600).contains(&timeout) || !(1..=20).contains(&tries) || !(0.0..=600.0).contains(&wait) {
        let text = "[alert] takes timeout_seconds from 1 to 3600, tries from 1 to 20, wait_seconds from 0 to 600";
        return Err(de::Error::custom(text));
    }
    Ok(AlertSettings { command, timeout: Duration::from_secs(timeout), tries, wait: Duration::from_secs_f64(wait) })
}

pub(super) fn push<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PushSettings>, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Section {
        to: String,
        token_file: Option<PathBuf>,
        timeout_seconds: Option<u64>,
        tries: Option<u32>,
        wait_seconds: Option<f64>,
    }
    let Section { to, token_file, timeout_seconds, tries, wait_seconds } = Section::deserialize(deserializer)?;
    let usual = PushSettings::to(to).map_err(de::Error::custom)?;
    let timeout = timeout_seconds.map_or(usual.timeout, Duration::from_secs);
    let (tries, wait) = (tries.unwrap_or(usual.tries), wait_seconds.unwrap_or(usual.wait.as_secs_f64()));
    if !(1..=3600).contains(&timeout.as_secs()) || !(1..=20).contains(&tries) || !(0.0..=600.0).contains(&wait) {
        let text = "[push] takes timeout_seconds from 1 to 3600, tries from 1 to 20, wait_seconds from 0 to 600";
        return Err(de::Error::custom(text));
    }
    Ok(Some(PushSettings { token_file, timeout, tries, wait: Duration::from_secs_f64(wait), ..usual }))
}

pub(super) fn keep<'de, D: Deserializer<'de>>(deserializer: D) -> Result<KeepSettings, D::Error> {
    let keep = KeepSettings::deserialize(deserializer)?;
    if keep.samples == Some(0) || keep.fits == Some(0) {
        return Err(de::Error::custom("[keep] counts nights, from 1 on"));
    }
    match (keep.samples, keep.fits) {
        (Some(samples), Some(fits)) if fits < samples => {
            Err(de::Error::custom("[keep] takes no run away before its samples: `fits` is at least `samples`"))
        }
        _ => Ok(keep),
    }
}
