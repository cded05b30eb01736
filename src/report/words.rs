//! Numbers as people read them.

use serde::Serialize;

use crate::model::Estimate;
use crate::params::Param;
use crate::units::Nanos;

/// A value of an enumeration by the name that it has in JSON.
pub(super) fn key(value: impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}

/// A value that need not be there.
pub(super) fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "–".into(), |value| value.to_string())
}

/// The same for machines.
pub(super) fn or_empty(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A time.
pub(super) fn nanos(value: f64) -> String {
    Nanos(value).to_string()
}

/// The ends of a time's interval.
pub(super) fn interval(estimate: &Estimate) -> String {
    format!("{} … {}", Nanos(estimate.low), Nanos(estimate.high))
}

/// A time with half its interval in percent: `28.9 µs ± 2 %`.
pub(super) fn plus_minus(estimate: Option<Estimate>) -> String {
    let shown = |of: Estimate| {
        let half_width = of.relative_half_width();
        // What is nothing has no share of itself.
        if half_width.is_finite() {
            format!("{} ± {:.1} %", nanos(of.value), half_width * 100.0)
        } else {
            nanos(of.value)
        }
    };
    or_dash(estimate.map(shown))
}

/// A change, or a difference, as a share.
pub(super) fn percent(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

/// A part of a whole.
pub(super) fn share(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A change with its interval: `+1.6 % (-15.6 % … +22.3 %)`.
pub(super) fn percent_range(range: Estimate) -> String {
    format!("{} ({} … {})", percent(range.value), percent(range.low), percent(range.high))
}

/// A ratio with its interval: `0.937 (0.838 … 1.036)`.
pub(super) fn ratio_range(range: Estimate) -> String {
    format!("{:.3} ({:.3} … {:.3})", range.value, range.low, range.high)
}

/// A ratio with half of its interval.
pub(super) fn times(ratio: Estimate) -> String {
    let decimals = if ratio.value < 9.995 { 2 } else { 1 };
    format!("{:.decimals$} ± {:.decimals$}", ratio.value, (ratio.high - ratio.low) / 2.0)
}

/// A multiple.
pub(super) fn times_more(ratio: f64) -> String {
    if ratio < 9.995 { format!("{ratio:.2} ×") } else { format!("{ratio:.0} ×") }
}

/// The gas of a parameter.
pub(super) fn gas_of(param: Option<&Param>) -> String {
    or_dash(param.map(|param| param.gas))
}

/// A change of gas from an old amount to a new one, as a share.
pub(super) fn change(share: Option<f64>) -> String {
    or_dash(share.map(percent))
}

/// What part of an amount another is, or how much more than it.
#[expect(clippy::cast_precision_loss, reason = "a ratio is shown to some digits")]
pub(super) fn ratio(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
