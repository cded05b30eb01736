use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use super::ticks;

/// How an axis maps values to places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are equally far apart. Values at or below the lower end stand at it.
    Log,
}

/// An axis: what it shows, from where to where, and its ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit unless the ticks carry it.
    pub title: String,
    /// How values map to places.
    pub scale: Scale,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Places of the ticks with their labels, in ascending order.
    pub ticks: Vec<(f64, String)>,
}

/// Where 0 pages stand on a logarithmic axis, with a tick that says so.
pub(super) const NO_PAGES: f64 = 0.5;

impl Axis {
    fn new(title: &str, scale: Scale, (low, high): (f64, f64), ticks: Vec<f64>, label: fn(f64) -> String) -> Self {
        let ticks = ticks.into_iter().map(|tick| (tick, label(tick))).collect();
        Self { title: title.into(), scale, low, high, ticks }
    }

    /// Pages on a logarithmic axis; each power of two has a tick.
    #[must_use]
    pub fn pages(title: &str, values: impl Iterator<Item = u32>) -> Self {
        let (low, high) = extent(values.map(Self::place_of)).unwrap_or((1.0, 1024.0));
        // A little room keeps the outermost marks off the frame.
        let room = (low * 0.85, high * 1.15);
        let mut axis = Self::new(title, Scale::Log, room, ticks::doublings(low, high), |tick| tick.to_string());
        if low <= NO_PAGES {
            axis.ticks.insert(0, (NO_PAGES, "0".into()));
        }
        axis
    }

    /// Where a number of pages stands on [`Axis::pages`].
    #[must_use]
    pub fn place_of(pages: u32) -> f64 {
        f64::from(pages).max(NO_PAGES)
    }

    /// Times in nanoseconds on a logarithmic axis.
    #[must_use]
    pub fn time(title: &str, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = extent(values.filter(|value| *value > 0.0)).unwrap_or((1e3, 1e6));
        let (low, high) = (low * 0.8, high * 1.25);
        Self::new(title, Scale::Log, (low, high), ticks::decades(low, high), ticks::time)
    }

    /// Times in nanoseconds on a linear axis from 0.
    #[must_use]
    pub fn time_from_zero(title: &str, values: impl Iterator<Item = f64>) -> Self {
        let high = extent(values).map_or(1.0, |(_, high)| high.max(1.0)) * 1.05;
        Self::new(title, Scale::Linear, (0.0, high), ticks::round_steps(0.0, high), ticks::time)
    }

    /// The same places in gas, for the other side of an axis of time; `gas_per_nano` with the safety factor.
    #[must_use]
    pub fn in_gas(&self, title: &str, gas_per_nano: f64) -> Self {
        let (low, high) = (self.low * gas_per_nano, self.high * gas_per_nano);
        let places = if self.scale == Scale::Linear { ticks::round_steps } else { ticks::decades };
        Self::new(title, self.scale, (low, high), places(low, high), ticks::gas)
    }

    /// Shares on a linear axis in percent that holds 0.
    #[must_use]
    pub fn percent(title: &str, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = extent(values.chain([0.0])).unwrap_or((0.0, 0.0));
        let room = ((high - low) * 0.08).max(0.005);
        let (low, high) = (low - room, high + room);
        Self::new(title, Scale::Linear, (low, high), ticks::round_steps(low, high), ticks::percent)
    }

    /// Ratios on a logarithmic axis that holds 1.
    #[must_use]
    pub fn ratio(title: &str, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = extent(values.filter(|value| *value > 0.0).chain([1.0])).unwrap_or((1.0, 1.0));
        let (low, high) = (low.min(0.8) * 0.9, high.max(1.25) * 1.1);
        Self::new(title, Scale::Log, (low, high), ticks::decades(low, high), |tick| format!("{tick}×"))
    }

    /// The foot of [`Axis::shares`], below every share.
    pub const ALWAYS: f64 = f64::MIN_POSITIVE;
    /// The head of [`Axis::shares`], above every share.
    pub const NEVER: f64 = 2.0;

    /// Shares from which something holds, down to the least, on a logarithmic axis; it may hold always or never.
    #[must_use]
    pub fn shares(title: &str, least: f64) -> Self {
        let (low, high) = (least.clamp(1e-6, 0.5) / 2.0, Self::NEVER);
        let fractions = (0..10).map(|power| 4_u32.pow(power)).map(|part| (1.0 / f64::from(part), part));
        let label = |part: u32| if part == 1 { "all".into() } else { format!("1/{part}") };
        let mut ticks: Vec<(f64, String)> = vec![(low, "always".into())];
        let within = fractions.filter(|(place, _)| *place > low * 1.5).collect::<Vec<_>>();
        ticks.extend(within.into_iter().rev().map(|(place, part)| (place, label(part))));
        ticks.push((high, "never".into()));
        Self { title: title.into(), scale: Scale::Log, low, high, ticks }
    }

    /// The processes of a run, one after the other, each a unit wide; ticks number them from 1 at their middles.
    #[must_use]
    pub fn processes(title: &str, count: u32) -> Self {
        let ticks = (0..count).map(|process| (f64::from(process) + 0.5, (process + 1).to_string())).collect();
        Self { title: title.into(), scale: Scale::Linear, low: 0.0, high: f64::from(count.max(1)), ticks }
    }

    /// Names at equal distances, the first at 0, the second at 1.
    #[must_use]
    pub fn names(title: &str, names: impl Iterator<Item = String>) -> Self {
        let ticks: Vec<_> = (0u32..).map(f64::from).zip(names).collect();
        let high = ticks.last().map_or(0.0, |(place, _)| *place) + 0.6;
        Self { title: title.into(), scale: Scale::Linear, low: -0.6, high, ticks }
    }

    /// The same axis with at most `most` ticks, evenly thinned out.
    #[must_use]
    pub(super) fn thinned(&self, most: usize) -> Self {
        let keep = self.ticks.len().div_ceil(most.max(1)).max(1);
        let ticks = self.ticks.iter().step_by(keep).cloned().collect();
        Self { ticks, ..self.clone() }
    }

    /// The place of a value between the ends: 0 at the lower, 1 at the upper.
    fn share(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
        };
        if share.is_finite() { share } else { 0.5 }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    #[expect(clippy::cast_possible_truncation, reason = "a pixel near the drawing")]
    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let (from, to) = (f64::from(limit.0), f64::from(limit.1));
        (from + (to - from) * self.share(*value).clamp(-1.0, 2.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|(place, _)| *place).collect()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let same = |(place, _): &&(f64, String)| place.total_cmp(value).is_eq();
        self.ticks.iter().find(same).map(|(_, label)| label.clone()).unwrap_or_default()
    }
}

/// The least and the greatest finite value.
fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |extent, value| {
        let (low, high) = extent.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_of_pages_is_thinned_to_powers_of_four() {
        let axis = Axis::pages("pages", [1, 17, 2048].into_iter()).thinned(6);
        let labels: Vec<&str> = axis.ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["1", "4", "16", "64", "256", "1024"]);
    }

    #[test]
    fn no_pages_have_a_place_and_a_tick() {
        let axis = Axis::pages("pages", [0, 4].into_iter());
        assert_eq!(axis.ticks[0].1, "0");
        assert!(axis.map(&Axis::place_of(0), (0, 1000)) < axis.map(&1.0, (0, 1000)));
    }

    #[test]
    fn shares_stand_between_always_and_never() {
        let axis = Axis::shares("share", 1.0 / 1024.0);
        let labels: Vec<&str> = axis.ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["always", "1/1024", "1/256", "1/64", "1/16", "1/4", "all", "never"]);
        assert!(axis.ticks.windows(2).all(|two| two[0].0 < two[1].0));
        let place = |share| axis.map(&share, (0, 1000));
        assert_eq!((place(Axis::ALWAYS), place(Axis::NEVER)), (0, 1000));
        assert!((1..1000).contains(&place(1.0 / 1024.0)) && place(1.0 / 1024.0) < place(1.0));
    }

    #[test]
    fn places_grow_with_values_and_what_is_not_positive_stands_at_the_foot() {
        let axis = Axis::time("time", [100.0, 1e9].into_iter());
        assert_eq!(axis.map(&-5.0, (0, 1000)), 0);
        assert!(axis.map(&1e3, (0, 1000)) < axis.map(&1e4, (0, 1000)));
        assert_eq!(axis.map(&f64::NAN, (0, 1000)), 0);
    }
}
