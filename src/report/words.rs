//! Numbers as people read them.

use serde::Serialize;

use crate::model::Estimate;
use crate::params::Param;
pub(super) use crate::text::counted;
use crate::units::{Bytes, Gas, GasUnit, Nanos};

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

/// An amount of gas in a cell: in the unit that people read it in, or all its digits.
pub(super) fn gas(unit: Option<&GasUnit>, amount: Gas) -> String {
    unit.map_or_else(|| amount.to_string(), |unit| unit.show(amount))
}

/// The same in a sentence: `0.435 Tgas` or `435_000_000_000 gas`.
pub(super) fn gas_said(unit: Option<&GasUnit>, amount: Gas) -> String {
    unit.map_or_else(|| format!("{amount} gas"), |unit| unit.show(amount))
}

/// The gas of a parameter.
pub(super) fn gas_of(unit: Option<&GasUnit>, param: Option<&Param>) -> String {
    or_dash(param.map(|param| gas(unit, param.gas)))
}

/// A size of memory as people read it: whole in a unit, or to three digits.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(super) fn size(bytes: Bytes) -> String {
    let whole = bytes.to_string();
    if bytes.0 < 1024 || !whole.ends_with(" B") && whole.len() <= 8 {
        return whole;
    }
    let (size, unit) = if bytes.0 < 1 << 20 { (1u64 << 10, "KiB") } else { (1 << 20, "MiB") };
    let scaled = bytes.0 as f64 / size as f64;
    let decimals = if scaled >= 99.95 { 0 } else { usize::from(scaled < 9.995) + 1 };
    format!("{scaled:.decimals$} {unit}")
}

/// How much more or less: `25.0 % more`.
pub(super) fn more(share: f64) -> String {
    let word = if share < 0.0 { "less" } else { "more" };
    format!("{:.1} % {word}", share.abs() * 100.0)
}

/// A p-value to two digits in a sentence.
pub(super) fn p_value(p: f64) -> String {
    let digits = p_digits(p);
    digits.strip_prefix('<').map_or_else(|| format!("p = {digits}"), |bound| format!("p < {bound}"))
}

/// The same in a cell.
pub(super) fn p_digits(p: f64) -> String {
    if p < 0.000_1 {
        return "<0.0001".into();
    }
    let decimals = if p >= 0.1 {
        2
    } else if p >= 0.01 {
        3
    } else if p >= 0.001 {
        4
    } else {
        5
    };
    format!("{p:.decimals$}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_as_words_do() {
        assert_eq!([-0.03, 0.25].map(more), ["3.0 % less", "25.0 % more"]);
        assert_eq!(
            [0.5, 0.031, 0.001_24, 0.000_12, 1e-9].map(p_value),
            ["p = 0.50", "p = 0.031", "p = 0.0012", "p = 0.00012", "p < 0.0001"]
        );
        let sizes = [0, 100, 65_536, 49_152, 1_114_096, 4_194_288, 128 << 20, (16 << 20) + 1].map(Bytes);
        assert_eq!(
            sizes.map(size),
            ["0 B", "100 B", "64 KiB", "48 KiB", "1.06 MiB", "4.00 MiB", "128 MiB", "16.0 MiB"]
        );
    }
}
