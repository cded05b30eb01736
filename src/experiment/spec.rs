use std::fmt;

use serde::{Serialize, Serializer};

use super::between_runs::BetweenRuns;
use super::counter::Counter;
use super::factor::Factor;
use super::point::Point;
use crate::units::Gas;

/// What is measured and what of it is priced.
#[derive(Debug)]
pub struct Experiment {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// What it finds out, in a sentence for people.
    pub about: &'static str,
    /// What its points vary, in the order of the columns of `points.csv`.
    pub factors: &'static [&'static Factor],
    /// The times that a cycle consists of, in the order in which they pass.
    pub phases: &'static [Phase],
    /// What is counted beside them.
    pub counters: &'static [Counter],
    /// What every call is charged.
    pub base: Parameter,
    /// What a call can be charged for beyond that; which of it a chain charges for is for the chain to say, but for the first.
    pub terms: &'static [&'static Term],
    /// What the line of least error is drawn through beside its base: the leading one, then those that vary.
    pub line: &'static [&'static Regressor],
    /// What no price is for and a chain has to limit, since the cost of what is charged for grows with it.
    pub limits: &'static [&'static Factor],
    /// The factor at whose levels a line is checked.
    pub leading: &'static Factor,
    /// What keeps a point out of the line unless it is 0.
    pub beyond_line: Option<Column>,
    /// The factor that should cost nothing beyond what the line says: its effect is tested.
    pub control: Option<&'static Factor>,
    /// The counter above 0 where a cycle was preempted, if one tells.
    pub preemption: Option<usize>,
    /// What the counters must show, so that a cycle that did not do its work is no cheap sample.
    pub checks: &'static [Check],
    /// Whether a table is proposed from it; otherwise it compares.
    pub proposes: bool,
    /// The ways of doing the same that are held against the usual one: the first of these factors, all else alike. Only what is usual in
    /// all of them is priced.
    pub compares: &'static [&'static Factor],
    /// Whether it compares strategies, all of them unless asked otherwise; otherwise the chain's own is enough.
    pub ranks: bool,
    /// Whether other strategies are measured beside the chain's own unless asked otherwise.
    pub beside: bool,
    /// What a charge is above the cost that it covers at least, whatever margin the chain asks for: where the figures move more
    /// between runs than that makes up for.
    pub least_margin: f64,
    /// What figures move between runs, which is part of every interval that is held against another run.
    pub between_runs: BetweenRuns,
    /// What the report is called.
    pub title: &'static str,
    /// What makes the measured case the worst one, for those who read its table.
    pub worst_case: &'static str,
    /// The file that its table is written to unless another is named.
    pub table: &'static str,
    /// The reference probe beside each cycle, if there is one.
    pub reference: Option<Probe>,
    /// The contract whose points validate a fit of the others; `None` to choose whole levels of the leading factor.
    pub held_out: Option<&'static str>,
    /// What a chain would charge by that knows the size of a contract alone, to be held against the terms; `None` where the terms
    /// that a chain can choose from are.
    pub by_size: Option<&'static BySize>,
}

/// A time that is taken apart from the others, in nanoseconds.
#[derive(Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its name in files; the column has `_ns` behind it.
    pub name: &'static str,
    /// How it enters the cost of a cycle.
    pub price: Price,
    /// Whether it takes no time where nothing is touched.
    pub touches: bool,
}

/// How a phase enters the cost of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Price {
    /// It is part of the cost.
    Added,
    /// It is paid by something else and taken off.
    Subtracted,
    /// It is reported only.
    Free,
}

/// A parameter of a table that is measured.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in tables.
    pub name: &'static str,
    /// What its gas is per.
    pub unit: &'static str,
}

/// Something that a call can be charged for.
#[derive(Debug, PartialEq, Eq)]
pub struct Term {
    /// Its name in settings.
    pub name: &'static str,
    /// What multiplies its price.
    pub column: Column,
    /// Units of the column that the price is for: 65536 for bytes that are charged by the page.
    pub per: u64,
    /// The parameter that it sets.
    pub parameter: Parameter,
}

/// What is charged by the size of a contract alone, in the place of all terms.
#[derive(Debug, PartialEq, Eq)]
pub struct BySize {
    /// What is charged whatever the size.
    pub base: Parameter,
    /// What is charged for the size.
    pub term: Term,
}

/// What a line of least error is drawn through.
#[derive(Debug, PartialEq, Eq)]
pub struct Regressor {
    /// Its name in files.
    pub name: &'static str,
    /// Its name for people.
    pub words: &'static str,
    /// What its coefficient is multiplied by.
    pub column: Column,
    /// Units of the column for which the coefficient is: 65536 for bytes that are told by the page.
    pub per: u64,
}

/// The regressor that every line has.
pub static BASE: Regressor = Regressor { name: "base", words: "base", column: Column::One, per: 1 };

/// The reference probe, which does by itself what a cycle has the kernel do.
#[derive(Debug, PartialEq, Eq)]
pub struct Probe {
    /// The factor whose pages it touches.
    pub touches: &'static Factor,
    /// The factor whose bytes it copies first, as far as they are touched.
    pub copies: &'static Factor,
    /// Whether the cycle slows it, the more the larger it is. Quotients of single cycles and their probes are then not of one kind, and the
    /// cost of a point is over all probes of its size, as that of a class is.
    pub slowed: bool,
}

/// A number that follows from the levels of a point: a column of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// One, whatever the point.
    One,
    /// The level itself.
    Level(&'static Factor),
    /// The lower of two levels.
    Least(&'static Factor, &'static Factor),
    /// What the level of the first is beyond that of the second.
    Excess(&'static Factor, &'static Factor),
    /// What the level is beyond a number.
    Beyond(&'static Factor, u64),
    /// One where the level is above 0.
    Any(&'static Factor),
}

/// A counter that must reach a least value wherever the strategy faults every page.
#[derive(Debug, PartialEq, Eq)]
pub struct Check {
    /// Index into the counters.
    pub counter: usize,
    /// The factor whose host pages are counted, each once at least.
    pub host_pages_of: &'static Factor,
}

impl Column {
    /// Its value at a point, in the unit of its factor.
    #[must_use]
    pub fn at(self, point: &Point) -> u64 {
        match self {
            Self::One => 1,
            Self::Level(factor) => point.level(factor),
            Self::Least(factor, other) => point.level(factor).min(point.level(other)),
            Self::Excess(factor, over) => point.level(factor).saturating_sub(point.level(over)),
            Self::Beyond(factor, number) => point.level(factor).saturating_sub(number),
            Self::Any(factor) => u64::from(point.level(factor) > 0),
        }
    }

    /// The same for models.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "levels are far below 2^53")]
    pub fn of(self, point: &Point) -> f64 {
        self.at(point) as f64
    }
}

impl Term {
    /// What its price is multiplied by at a point.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "units are small powers of two")]
    pub fn level(&self, point: &Point) -> f64 {
        self.column.of(point) / self.per as f64
    }

    /// Whether it counts what a regressor counts, by the same unit: the price and the coefficient are then of one thing.
    #[must_use]
    pub fn counts(&self, regressor: &Regressor) -> bool {
        (self.column, self.per) == (regressor.column, regressor.per)
    }

    /// What so much gas for each unit makes of a point, rounded up; `None` beyond [`Gas::MAX`].
    #[must_use]
    pub fn charge(&self, gas: Gas, point: &Point) -> Option<Gas> {
        let whole = u128::from(gas.0) * u128::from(self.column.at(point));
        u64::try_from(whole.div_ceil(self.per.into())).ok().map(Gas).filter(|gas| *gas <= Gas::MAX)
    }
}

impl Regressor {
    /// What its coefficient is multiplied by at a point.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "units are small powers of two")]
    pub fn level(&self, point: &Point) -> f64 {
        self.column.of(point) / self.per as f64
    }
}

impl Experiment {
    /// The regressor of this name.
    pub(super) fn regressor(&self, name: &str) -> Option<&'static Regressor> {
        std::iter::once(&BASE).chain(self.line.iter().copied()).find(|regressor| regressor.name == name)
    }

    /// Whether a point takes part in the fit: what is usual in all that is compared.
    #[must_use]
    pub fn is_fitted(&self, point: &Point) -> bool {
        self.compares.iter().all(|factor| point.level(factor) == factor.usual)
    }

    /// The parameters that it sets, the base first.
    pub fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        std::iter::once(&self.base).chain(self.terms.iter().map(|term| &term.parameter))
    }

    /// Names of the values of a cycle: phases, the reference probe if there is one, counters.
    pub fn columns(&self) -> impl Iterator<Item = String> {
        let times = self.phases.iter().map(|phase| phase.name).chain(self.reference.is_some().then_some("probe"));
        times.map(|name| format!("{name}_ns")).chain(self.counters.iter().map(|counter| counter.name.to_owned()))
    }

    /// How many values a cycle has.
    #[must_use]
    pub fn values(&self) -> usize {
        self.phases.len() + usize::from(self.reference.is_some()) + self.counters.len()
    }

    /// Index of the reference probe among the values, if there is one.
    #[must_use]
    pub fn probe(&self) -> Option<usize> {
        self.reference.is_some().then_some(self.phases.len())
    }

    /// Whether these values of a cycle say that it was preempted.
    #[must_use]
    pub fn was_preempted(&self, values: &[u64]) -> bool {
        self.preemption.is_some_and(|counter| values[self.counter(counter)] > 0)
    }

    /// Index of a counter among the values.
    #[must_use]
    pub fn counter(&self, counter: usize) -> usize {
        self.phases.len() + usize::from(self.reference.is_some()) + counter
    }

    /// Whether a value is a time.
    #[must_use]
    pub fn is_time(&self, value: usize) -> bool {
        value < self.phases.len() + usize::from(self.reference.is_some())
    }

    /// The cost of a cycle in nanoseconds.
    ///
    /// Noise can make a difference negative, so the result is signed and is not clamped.
    #[must_use]
    pub fn cost(&self, values: &[u64]) -> f64 {
        self.sum(values, Price::Added) - self.sum(values, Price::Subtracted)
    }

    /// What enters the cost of a cycle in this way, in nanoseconds.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a cycle is far shorter than 2^53 ns, which is 104 days")]
    pub fn sum(&self, values: &[u64], price: Price) -> f64 {
        let so = self.phases.iter().zip(values).filter(|(phase, _)| phase.price == price);
        so.map(|(_, &time)| time as f64).sum()
    }
}

impl PartialEq for Experiment {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Experiment {}

impl fmt::Display for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl Serialize for Experiment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl Serialize for Term {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl fmt::Display for Regressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words)
    }
}

impl Serialize for Regressor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}
