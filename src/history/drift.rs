//! A change little by little.
//!
//! # Method
//!
//! The slope is the median of the slopes between all pairs of nights (Theil 1950; Sen, *Estimates of the Regression Coefficient Based
//! on Kendall's Tau*, 1968), which a disturbed night hardly moves. Whether it is more than noise is asked of Student's t with
//! the effective sample size of Santer et al., *Statistical Significance of Trends and Trend Differences in Layer-Average
//! Atmospheric Temperature Time Series*, 2000: neighbouring nights resemble each other, so n nights count as
//! n (1 − r) / (1 + r), in the error and in the degrees of freedom. The rank test of Mann and Kendall cannot get below p =
//! 10⁻⁶ in three weeks even if every night is dearer than all before, which after corrections is too little to be sure.

use super::series::{Series, correlation, count, limit, mean, median};
use super::step::p_value;
use crate::model::{Estimate, t_quantile};

/// Nights in which a drift is looked for: the last three weeks, and half of them, since a drift that began within the three weeks
/// leaves a bend in them, and nights beside a bend resemble each other.
const WINDOWS: [usize; 2] = [11, 21];

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

/// The trend of the values; `None` where they are too few, or too much alike their neighbours, to have one.
#[must_use]
pub fn trend(values: &[f64]) -> Option<Trend> {
    let length = values.len();
    let mut slopes = Vec::with_capacity(length * length / 2);
    for (place, &earlier) in values.iter().enumerate() {
        slopes.extend(
            values[place + 1..].iter().enumerate().map(|(distance, &later)| (later - earlier) / count(distance + 1)),
        );
    }
    let slope = median(&slopes);
    let flat: Vec<f64> = values.iter().enumerate().map(|(place, value)| value - slope * count(place)).collect();
    let middle = median(&flat);
    let mut residuals: Vec<f64> = flat.iter().map(|value| value - middle).collect();
    let limit = limit(&residuals);
    for residual in &mut residuals {
        *residual = residual.clamp(-limit, limit);
    }
    let squares: f64 = residuals.iter().map(|residual| residual.powi(2)).sum();
    let alike = correlation(&[residuals], 0.0);
    let freedom = count(length) * (1.0 - alike) / (1.0 + alike) - 2.0;
    if freedom < 2.0 {
        return None;
    }
    let times = mean((0..length).map(count));
    let spread: f64 = (0..length).map(|place| (count(place) - times).powi(2)).sum();
    let error = (squares / freedom / spread).sqrt();
    let slope_interval = Estimate::around(slope, error * t_quantile(0.95, freedom));
    Some(Trend { slope: slope_interval, p_value: p_value(slope, error, freedom), length })
}

/// The drift of the level that holds now, in the one of the [`WINDOWS`] that shows it best, with the run it is counted from. Its
/// p-value pays for the choice (Bonferroni).
pub(super) fn drift(series: &Series) -> Option<(Trend, String)> {
    let era = series.era();
    let within = |length: usize| {
        let nights = &era[era.len().checked_sub(length)?..];
        let found = trend(&nights.iter().map(|night| night.log).collect::<Vec<_>>())?;
        let p_value = (found.p_value * count(WINDOWS.len())).min(1.0);
        Some((Trend { p_value, ..found }, nights[0].run.clone()))
    };
    WINDOWS.into_iter().filter_map(within).min_by(|(one, _), (other, _)| one.p_value.total_cmp(&other.p_value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise without a pattern that a trend could follow.
    fn noise(day: u32) -> f64 {
        0.001 * f64::from((day * 7) % 5)
    }

    #[test]
    fn a_rise_is_found_with_its_slope() {
        let values: Vec<f64> = (0..20).map(|day| 0.003 * f64::from(day) + noise(day)).collect();
        let found = trend(&values).unwrap();
        assert!(found.p_value < 1e-6, "{found:?}");
        assert!(found.slope.holds(0.003) && (found.slope.value - 0.003).abs() < 3e-4, "{found:?}");
    }

    #[test]
    fn a_disturbed_night_is_no_trend() {
        let mut values: Vec<f64> = (0..21).map(noise).collect();
        values[20] += 0.5;
        assert!(trend(&values).unwrap().p_value > 0.01);
    }

    #[test]
    fn equal_values_have_no_trend_and_few_none_to_find() {
        assert!(trend(&[1.0; 10]).unwrap().p_value > 0.99);
        assert_eq!(trend(&[1.0, 2.0, 3.0]), None);
        assert_eq!(trend(&[]), None);
    }

    #[test]
    fn values_that_resemble_their_neighbours_prove_less() {
        let wave: Vec<f64> = (0..21).map(|day| (f64::from(day) / 5.0).sin()).collect();
        assert!(trend(&wave).is_none_or(|found| found.p_value > 0.01));
    }
}
