//! Where the ticks of an axis stand and what they say.

use crate::units::Nanos;

/// Powers of two from `low` to `high`, as far as they lie within.
pub(super) fn doublings(low: f64, high: f64) -> Vec<f64> {
    let mut ticks = Vec::new();
    let mut tick = 1.0;
    while tick <= high * 1.0001 && ticks.len() < 64 {
        if tick >= low {
            ticks.push(tick);
        }
        tick *= 2.0;
    }
    ticks
}

/// Ticks of a logarithmic axis: decades, and 2 and 5 between them where there are fewer than three decades.
pub(super) fn decades(low: f64, high: f64) -> Vec<f64> {
    let steps: &[f64] = if high / low < 500.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let mut ticks = Vec::new();
    let mut exponent = exponent_of(low);
    while ticks.len() < 64 && 10f64.powi(exponent) <= high * 1.0001 {
        let within = |tick: &f64| *tick >= low * 0.9999 && *tick <= high * 1.0001;
        ticks.extend(steps.iter().map(|step| step * 10f64.powi(exponent)).filter(within));
        exponent += 1;
    }
    ticks
}

/// Three to nine round numbers from `low` to `high`: multiples of 1, 2 or 5 times a power of ten.
pub(super) fn round_steps(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 8.0;
    if !(rough.is_normal() && rough > 0.0) {
        return vec![low];
    }
    let decade = 10f64.powi(exponent_of(rough));
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|step| step * decade).find(|step| *step >= rough * 0.9999);
    let step = step.unwrap_or(rough);
    let mut tick = (low / step - 1e-9).ceil() * step;
    let mut ticks = Vec::new();
    while tick <= high + step * 1e-9 && ticks.len() < 64 {
        // A sum of steps misses zero by a rounding error, which would show as a number.
        ticks.push(if tick.abs() < step * 1e-6 { 0.0 } else { tick });
        tick += step;
    }
    ticks
}

/// `100 ns`, `2 µs`, `1 s`: a time without digits that a tick does not need.
pub(super) fn time(nanos: f64) -> String {
    let text = Nanos(nanos).to_string();
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

/// An amount of gas with a decimal prefix: `100 Ggas`, `1 Tgas`.
pub(super) fn gas(amount: f64) -> String {
    const PREFIXES: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
    let mut scaled = amount;
    let mut prefix = 0;
    while scaled.abs() >= 999.5 && prefix + 1 < PREFIXES.len() {
        scaled /= 1000.0;
        prefix += 1;
    }
    let decimals = if scaled.abs() >= 9.995 || scaled == 0.0 { 0 } else { 2 };
    let number = format!("{scaled:.decimals$}");
    let number = if decimals == 0 { &number } else { number.trim_end_matches('0').trim_end_matches('.') };
    format!("{number} {}gas", PREFIXES[prefix])
}

/// `+10 %`, `0 %`, `−0.5 %` for a share.
pub(super) fn percent(share: f64) -> String {
    let percent = (share * 1e6).round() / 1e4;
    let sign = if percent > 0.0 { "+" } else { "" };
    format!("{sign}{percent} %")
}

/// The power of ten at or below a number.
#[expect(clippy::cast_possible_truncation, reason = "the logarithm of a finite number is below 309")]
fn exponent_of(number: f64) -> i32 {
    let exponent = number.log10().floor();
    if exponent.is_finite() { exponent as i32 } else { 0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        decades(low, high).into_iter().map(time).collect()
    }

    #[test]
    fn pages_double_from_1_to_2048() {
        let ticks = doublings(1.0, 2048.0);
        assert_eq!((ticks.len(), ticks[0], ticks[11]), (12, 1.0, 2048.0));
    }

    #[test]
    fn times_from_nanoseconds_to_seconds_have_a_tick_for_each_decade() {
        let expected = ["1 ns", "10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"];
        assert_eq!(labels(1.0, 1e10), expected);
    }

    #[test]
    fn a_short_range_has_ticks_between_decades() {
        assert_eq!(labels(18_000.0, 300_000.0), ["20 µs", "50 µs", "100 µs", "200 µs"]);
    }

    #[test]
    fn shares_and_gas_read_well() {
        assert_eq!(
            round_steps(-0.07, 0.14).into_iter().map(percent).collect::<Vec<_>>(),
            ["-5 %", "0 %", "+5 %", "+10 %"]
        );
        assert_eq!([1e3, 1e11, 1.2e14, 0.0].map(gas), ["1 kgas", "100 Ggas", "120 Tgas", "0 gas"]);
    }

    proptest! {
        #[test]
        fn any_range_has_few_ticks_within_it(low in 1e-3..1e12f64, width in 1.1..1e9f64) {
            let high = low * width;
            for ticks in [decades(low, high), round_steps(low, high), doublings(low, high)] {
                prop_assert!(ticks.len() <= 64);
                prop_assert!(ticks.iter().all(|tick| *tick >= low * 0.999 && *tick <= high * 1.001));
                prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]));
            }
            prop_assert!((3..=9).contains(&round_steps(low, high).len()));
        }
    }
}
