//! A change little by little.
//!
//! # Method
//!
//! Whether there is a trend is asked of the Mann–Kendall test (Mann, *Nonparametric Tests against Trend*, 1945; Kendall, *Rank
//! Correlation Methods*, 1948), its variance corrected for ties and for what neighbouring nights have in common (Yue and Wang,
//! *The Mann-Kendall Test Modified by Effective Sample Size to Detect Trend in Serially Correlated Hydrological Series*, 2004).
//! How steep it is says the median of the slopes between all pairs (Theil 1950; Sen, *Estimates of the Regression Coefficient
//! Based on Kendall's Tau*, 1968), whose interval is Sen's.

use super::series::{Series, count, mean, median};
use crate::model::{Estimate, t_p_value};

/// Nights in which a drift is looked for: three weeks.
pub(super) const NIGHTS: usize = 21;
/// Fewest nights of one level from which a drift is told from noise.
const FEWEST: usize = 14;

/// A trend in a series of logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Change from each value to the next, with its 95 % interval.
    pub slope: Estimate,
    /// p-value that there is none.
    pub p_value: f64,
    /// Values it rests on.
    pub length: usize,
}

/// The trend of the values; `None` with fewer than 4.
#[must_use]
pub fn trend(values: &[f64]) -> Option<Trend> {
    let length = values.len();
    if length < 4 {
        return None;
    }
    let mut slopes = Vec::with_capacity(length * (length - 1) / 2);
    let mut score = 0.0;
    for (place, &earlier) in values.iter().enumerate() {
        for (distance, &later) in values[place + 1..].iter().enumerate() {
            slopes.push((later - earlier) / count(distance + 1));
            score += f64::from(i8::from(later > earlier) - i8::from(later < earlier));
        }
    }
    slopes.sort_unstable_by(f64::total_cmp);
    let slope = median(&slopes);
    let deviation = (variance(values) * inflation(values, slope)).sqrt();
    // One is taken off for continuity.
    let z = (score.abs() - 1.0).max(0.0) / deviation;
    let p_value = if z.is_nan() { 1.0 } else { t_p_value(z.min(1e100), 1e6) };
    Some(Trend { slope: interval(&slopes, slope, deviation), p_value, length })
}

/// The drift of the level that holds now over the last [`NIGHTS`] nights, with the run it is counted from.
pub(super) fn drift(series: &Series) -> Option<(Trend, String)> {
    let mut nights: Vec<(&str, Vec<f64>)> = Vec::new();
    for point in series.era() {
        match nights.last_mut() {
            Some((night, logs)) if *night == point.night => logs.push(point.log),
            _ => nights.push((&point.night, vec![point.log])),
        }
    }
    let nights = &nights[nights.len().saturating_sub(NIGHTS)..];
    if nights.len() < FEWEST {
        return None;
    }
    let values: Vec<f64> = nights.iter().map(|(_, logs)| mean(logs.iter().copied())).collect();
    Some((trend(&values)?, nights[0].0.to_owned()))
}

/// Variance of the score without a trend, corrected for ties.
fn variance(values: &[f64]) -> f64 {
    let term = |number: f64| number * (number - 1.0) * (2.0 * number + 5.0);
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let ties: f64 = sorted.chunk_by(|one, other| one == other).map(|group| term(count(group.len()))).sum();
    (term(count(values.len())) - ties) / 18.0
}

/// By how much neighbours that resemble each other raise the variance: the effective sample size of a first-order
/// autoregression, from the values without their trend. Values that alternate do not lower it.
fn inflation(values: &[f64], slope: f64) -> f64 {
    let flat: Vec<f64> = values.iter().enumerate().map(|(place, value)| value - slope * count(place)).collect();
    let middle = mean(flat.iter().copied());
    let square: f64 = flat.iter().map(|value| (value - middle).powi(2)).sum();
    let products: f64 = flat.windows(2).map(|pair| (pair[0] - middle) * (pair[1] - middle)).sum();
    let correlation = if square > 0.0 { (products / square).clamp(0.0, 0.9) } else { 0.0 };
    let length = count(values.len());
    let mut sum = 0.0;
    let mut power = 1.0;
    for lag in 1..values.len() {
        power *= correlation;
        sum += (1.0 - count(lag) / length) * power;
    }
    1.0 + 2.0 * sum
}

/// Sen's interval: the slopes at the ranks that lie 1.96 deviations of the score from the middle.
fn interval(sorted: &[f64], value: f64, deviation: f64) -> Estimate {
    let half = 1.96 * deviation / 2.0;
    let middle = count(sorted.len()) / 2.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank, cut off at the ends")]
    let at = |rank: f64| sorted[(rank.max(0.0) as usize).min(sorted.len() - 1)];
    Estimate { value, low: at((middle - half).floor()), high: at((middle + half).ceil()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_is_found_with_its_slope() {
        let values: Vec<f64> = (0..20).map(|day| 0.003 * f64::from(day) + 0.001 * f64::from((day * 7) % 5)).collect();
        let found = trend(&values).unwrap();
        assert!(found.p_value < 1e-6, "{found:?}");
        assert!(found.slope.holds(0.003) && (found.slope.value - 0.003).abs() < 3e-4, "{found:?}");
    }

    #[test]
    fn equal_values_have_no_trend() {
        let found = trend(&[1.0; 10]).unwrap();
        assert!(found.p_value > 0.99 && found.slope.value == 0.0, "{found:?}");
        assert_eq!(trend(&[1.0, 2.0, 3.0]), None);
    }

    /// The example of a complete ranking: score 45 of 10 values, variance 125.
    #[test]
    fn the_score_agrees_with_the_tables() {
        let values: Vec<f64> = (0..10).map(f64::from).collect();
        let found = trend(&values).unwrap();
        assert!((variance(&values) - 125.0).abs() < 1e-9);
        let z: f64 = 44.0 / 125.0_f64.sqrt();
        assert!((found.p_value - t_p_value(z, 1e6)).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn values_that_resemble_their_neighbours_prove_less() {
        let wave: Vec<f64> = (0..21).map(|day| (f64::from(day) / 4.0).sin()).collect();
        assert!(inflation(&wave, 0.0) > 3.0);
        let alternating: Vec<f64> = (0..21).map(|day| f64::from(day % 2)).collect();
        assert!((inflation(&alternating, 0.0) - 1.0).abs() < 1e-12);
    }
}
