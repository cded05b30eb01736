use super::{Estimate, FitSettings, Model, fit};
use crate::measure::Samples;

/// Narrow enough for the base: its interval reaches 5 % to either side, half of what runs may differ by.
const BASE: f64 = 0.05;
/// Narrow enough for the charge per page.
const PER_PAGE: f64 = 0.005;

/// Whether base and charge per page of the chain's strategy are known well enough to stop measuring.
#[must_use]
pub fn precise_enough(samples: &Samples, settings: &FitSettings, chain_strategy: &str) -> bool {
    let Ok(fit) = fit(samples, settings, chain_strategy) else { return false };
    let model = fit.strategy(chain_strategy).and_then(|strategy| strategy.absolute.as_ref());
    let narrow = |estimate: &Estimate, limit| estimate.relative_half_width() <= limit;
    fit.rejected.is_empty()
        && model.is_some_and(|Model { covering, .. }| {
            narrow(&covering.base, BASE) && covering.leading().is_some_and(|page| narrow(&page, PER_PAGE))
        })
}
