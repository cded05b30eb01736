//! What surroundings add to small calls on the reference machine.

use serde::{Deserialize, Serialize};

use super::Estimate;
use super::student::mean_of;
use crate::experiment::{Levels, Point};
use crate::units::{Bytes, WASM_PAGE};

/// What surroundings add to the small calls of a strategy, in nanoseconds on the reference machine.
///
/// A small call after an unlike tenant takes 30 ms of measuring for its 100 µs, and what it costs more moves with the neighbours
/// from second to second: a run of a minute knows it to a tenth. So it is pinned from several runs with the rest of the reference, and a run
/// is held against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Surcharge {
    /// The strategy.
    pub strategy: String,
    /// The surroundings.
    pub met: Levels,
    /// For each call.
    pub call: f64,
    /// For each page, in which every byte is written.
    pub page: f64,
    /// Where there is data to copy.
    pub data: f64,
    /// For each page of data: a pool maps the image of a module anew in a slot where another one's was, and each of its pages faults again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub data_page: f64,
    /// Half of the 95 % interval of all of it together: 0.1 for ± 10 %.
    pub half_width: f64,
}

/// The factors of a surcharge, in the order of its fields.
pub(super) const COLUMNS: [fn(&Point) -> f64; 4] = [
    |_| 1.0,
    |point| f64::from(point.touched_pages().0),
    |point| f64::from(u8::from(point.data_bytes() > Bytes(0))),
    data_pages,
];

#[expect(clippy::cast_precision_loss, reason = "data is far below 2^53 bytes")]
fn data_pages(point: &Point) -> f64 {
    point.data_bytes().0 as f64 / WASM_PAGE as f64
}

/// Nanoseconds by column.
pub(super) type Prices = [f64; COLUMNS.len()];

impl Surcharge {
    /// In the order of [`COLUMNS`].
    pub(crate) const fn prices(&self) -> Prices {
        [self.call, self.page, self.data, self.data_page]
    }

    pub(super) fn priced(strategy: &str, met: Levels, prices: Prices, half_width: f64) -> Self {
        let [call, page, data, data_page] = prices;
        Self { strategy: strategy.into(), met, call, page, data, data_page, half_width }
    }

    /// What a call of a point pays, below 0 where it is cheaper there.
    #[must_use]
    pub fn of(&self, point: &Point) -> f64 {
        priced(self.prices(), point)
    }

    /// That of several runs, each of which has found it once: the means.
    ///
    /// The interval of several is that of Student over the runs, which holds what moves between them, but never narrower than
    /// what each of them knows of itself leaves.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a count of runs")]
    pub fn mean(of_runs: &[Self]) -> Option<Self> {
        let first = of_runs.first()?;
        let count = of_runs.len() as f64;
        let mean = |price: usize| of_runs.iter().map(|of| of.prices()[price]).sum::<f64>() / count;
        let own = of_runs.iter().map(|of| of.half_width.powi(2)).sum::<f64>().sqrt() / count;
        // One page without data is what nearly all of it is paid for.
        let sizes: Vec<f64> = of_runs.iter().map(|of| of.call + of.page).collect();
        let between = mean_of(&sizes, 0.95).map_or(0.0, |(mean, half_width)| half_width / mean.abs());
        let prices = std::array::from_fn(mean);
        Some(Self::priced(&first.strategy, first.met.clone(), prices, own.max(between)))
    }

    /// In whole nanoseconds and thousandths, which is more than is known of it.
    #[must_use]
    pub fn rounded(self) -> Self {
        Self {
            call: self.call.round(),
            page: self.page.round(),
            data: self.data.round(),
            data_page: self.data_page.round(),
            half_width: (self.half_width * 1e3).round() / 1e3,
            ..self
        }
    }

    /// The same in a line.
    #[must_use]
    pub fn line(&self) -> String {
        let line = format!(
            "{}, {}: {:.0} ns a call, {:.0} ns a page, {:.0} ns with data",
            self.strategy,
            self.met.process(),
            self.call,
            self.page,
            self.data
        );
        // Tables hold this line, and those of before are told from others by it.
        if is_zero(&self.data_page) { line } else { format!("{line}, {:.0} ns a page of data", self.data_page) }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(price: &f64) -> bool {
    *price == 0.0
}

pub(super) fn priced(prices: Prices, point: &Point) -> f64 {
    prices.into_iter().zip(COLUMNS).map(|(price, column)| price * column(point)).sum()
}

/// A surcharge of the reference held against what a run found of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldSurcharge {
    /// The surroundings.
    pub met: Levels,
    /// What small calls cost there in this run over what the surcharge makes of them.
    pub ratio: Estimate,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::conditions::PREVIOUS;
    use crate::experiment::memory::DATA_BYTES;
    use crate::units::Pages;

    fn surcharge(call: f64, half_width: f64) -> Surcharge {
        Surcharge::priced("s", Levels::default().with(&PREVIOUS, 1), [call, 7.0, 15.0, 65536.0], half_width)
    }

    #[test]
    fn a_call_pays_for_what_it_does() {
        let point = Point::of_memory("a", "b", "s", Pages(4));
        let paid = |point: &Point| surcharge(70.0, 0.1).of(point);
        assert!((paid(&point) - 98.0).abs() < 1e-9);
        assert!((paid(&point.with(&DATA_BYTES, 9)) - 122.0).abs() < 1e-9);
    }

    /// A table names its reference by this line, and one of before has no price of data by the page.
    #[test]
    fn what_was_pinned_without_a_price_of_data_by_the_page_reads_and_is_written_as_before() {
        let new = surcharge(70.0, 0.1);
        let old = Surcharge { data_page: 0.0, ..new.clone() };
        let text = toml::to_string(&old).unwrap();
        assert!(!text.contains("data_page"), "{text}");
        assert_eq!(toml::from_str::<Surcharge>(&text).unwrap(), old);
        assert!(old.line().ends_with("70 ns a call, 7 ns a page, 15 ns with data"), "{}", old.line());
        assert!(new.line().ends_with(", 65536 ns a page of data"), "{}", new.line());
    }

    #[test]
    fn runs_that_differ_leave_a_wider_interval_than_each_knows_of() {
        let mean = |calls: &[f64]| {
            Surcharge::mean(&calls.iter().map(|&call| surcharge(call, 0.1)).collect::<Vec<_>>()).unwrap()
        };
        assert_eq!(mean(&[70.0]), surcharge(70.0, 0.1));
        assert!((mean(&[70.0, 72.0]).call - 71.0).abs() < 1e-9);
        assert!(mean(&[70.0, 70.0, 70.0, 70.0]).half_width < 0.051);
        assert!(mean(&[50.0, 90.0, 60.0, 80.0]).half_width > 0.3);
        assert_eq!(Surcharge::mean(&[]), None);
    }
}
