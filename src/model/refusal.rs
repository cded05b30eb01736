//! Why a run must not be signed, though its fit is sound.

use serde::{Deserialize, Serialize};

use super::{Band, Covering, HeldSurcharge, PointFit};

/// Why nobody should sign what a run found: the machine was too noisy to say, or not enough was measured.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Refusal {
    /// The band over all classes is too wide.
    #[error(
        "too noisy to sign: the classes are known to ±{widest:.1} % all at once, and ±{limit:.0} % is the limit; {deciding} is known \
         least; {}",
        longer(*times)
    )]
    TooNoisy {
        /// The widest half-width in percent.
        widest: f64,
        /// The limit in percent.
        limit: f64,
        /// The class that is known least; [`Band::deciding`] has more.
        deciding: String,
        /// How many times as long a run would have to be.
        times: f64,
    },
    /// A price has no interval, or one that reaches down to 0.
    #[error("too noisy to sign: the interval of {part} is {low:.0} … {high:.0} ns, which is none: measure longer")]
    NoInterval {
        /// Base or term.
        part: String,
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
    },
    /// Small calls cost more than the reference charges them for their surroundings, on the machine that it was pinned on.
    #[error(
        "small calls ({met}) cost {more:.0} % more than the reference's surcharge makes of them, at the least {least:.0} %: pin the reference \
         again from runs of today"
    )]
    Surcharge {
        /// The surroundings.
        met: String,
        /// How much more in percent.
        more: f64,
        /// The lower end of its interval.
        least: f64,
    },
    /// A call costs far more in its surroundings than the charge: what they add follows no line through all small calls.
    #[error(
        "{point} costs {least:.0} ns at the least, and the charge for it is {charge:.0} ns: what such calls cost more for what they meet follows no \
         line over all of them under this strategy; measure longer, and pin the reference for it (estimator reference pin)"
    )]
    Uncovered {
        /// Label of the point.
        point: String,
        /// The lower end of its cost's interval, in nanoseconds.
        least: f64,
        /// The charge in nanoseconds.
        charge: f64,
    },
    /// Pages that grow came out free.
    #[error("too noisy to sign: pages that grow came out at 0 ns, and the chain lets memories grow: measure longer")]
    FreeGrowth,
}

/// Beyond so many times nobody waits.
const MOST_TIMES: f64 = 20.0;

/// What it takes to be sure, given how many times as long a run would have to be.
#[must_use]
pub fn longer(times: f64) -> String {
    if times < MOST_TIMES {
        format!("a run {:.1} times as long would do if the machine stays as it is", times.max(1.1))
    } else {
        format!("it would take a run more than {MOST_TIMES:.0} times as long: measure on a quieter machine")
    }
}

impl Refusal {
    /// Whether a longer run may do without all of these. Where one would take too long, or the reference is what is wrong, none does.
    #[must_use]
    pub fn yield_to_length(refused: &[Self]) -> bool {
        refused.iter().all(|refusal| match refusal {
            Self::TooNoisy { times, .. } => *times < MOST_TIMES,
            Self::NoInterval { .. } | Self::Uncovered { .. } | Self::FreeGrowth => true,
            Self::Surcharge { .. } => false,
        })
    }

    /// What speaks against a reference's surcharge on its own machine: with certainty small calls cost more than the margin makes up for.
    #[must_use]
    pub fn of_surcharges(held: &[HeldSurcharge], margin: f64) -> Vec<Self> {
        let dearer = held.iter().filter(|held| held.ratio.low > 1.0 + margin);
        let refusal = |held: &HeldSurcharge| Self::Surcharge {
            met: held.met.process(),
            more: (held.ratio.value - 1.0) * 100.0,
            least: (held.ratio.low - 1.0) * 100.0,
        };
        dearer.map(refusal).collect()
    }

    /// The point in surroundings of its own of which the charge misses most.
    ///
    /// The charge covers a line over all small calls and not each of them, whose medians lie above the figures that it is made of (see
    /// [`classes`](super::classes)): so only what is beyond those speaks against the line.
    pub(crate) fn of_points(points: &[PointFit], covering: &Covering) -> Option<Self> {
        const BEYOND: f64 = 1.25;
        let met = points.iter().filter(|of| !of.point.is_undisturbed());
        let missed = met.map(|of| (of.cost.low / covering.charge(&of.point), of)).filter(|(times, _)| *times > BEYOND);
        let (_, worst) = missed.max_by(|one, other| one.0.total_cmp(&other.0))?;
        Some(Self::Uncovered {
            point: worst.point.label(),
            least: worst.cost.low,
            charge: covering.charge(&worst.point),
        })
    }

    /// What speaks against signing a charge.
    pub(crate) fn of(band: &Band, covering: &Covering) -> Vec<Self> {
        let mut found = Vec::new();
        if band.is_too_wide() {
            found.push(Self::TooNoisy {
                widest: band.widest * 100.0,
                limit: band.limit * 100.0,
                deciding: band.deciding.first().map_or_else(String::new, |(name, _)| name.clone()),
                times: band.times_longer(),
            });
        }
        // A further term may cost next to nothing.
        for (part, price) in covering.parts().take(2) {
            if !(0.0 < price.low && price.low < price.value && price.value < price.high && price.is_finite()) {
                found.push(Self::NoInterval { part: part.into(), low: price.low, high: price.high });
            }
        }
        if covering.price("grown").is_some_and(|price| price.value <= 0.0) {
            found.push(Self::FreeGrowth);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Fit;

    /// A run that no length would sign was told to be longer.
    #[test]
    fn a_longer_run_is_asked_for_where_one_would_do() {
        let noisy = |times| Refusal::TooNoisy { widest: 9.0, limit: 6.0, deciding: String::new(), times };
        let yields = |times| Refusal::yield_to_length(&[noisy(times)]);
        assert_eq!([2.0, 20.0, f64::INFINITY].map(yields), [true, false, false]);
        let outgrown = Refusal::Surcharge { met: "a spinning thread".into(), more: 20.0, least: 10.0 };
        assert!(Refusal::yield_to_length(&[noisy(2.0), Refusal::FreeGrowth]));
        assert!(!Refusal::yield_to_length(&[noisy(2.0), outgrown]));
    }

    /// A charge by a line that did not follow what surroundings add was a third of what a call of 17 pages cost, and was said to cover it.
    #[test]
    fn a_charge_that_misses_what_a_call_costs_in_its_surroundings_is_not_signed() {
        let mut fit: Fit = serde_json::from_str(include_str!("../../reports/example/fit.json")).unwrap();
        let own = fit.strategies.iter_mut().find(|of| of.strategy == "fresh-map").unwrap();
        let covering = own.model.as_ref().unwrap().covering.clone();
        assert_eq!(Refusal::of_points(&own.points, &covering), None);
        let met = own.points.iter_mut().find(|of| !of.point.is_undisturbed()).unwrap();
        met.cost.low = 3.0 * covering.charge(&met.point);
        let name = met.point.label();
        let refused = Refusal::of_points(&own.points, &covering);
        assert!(matches!(&refused, Some(Refusal::Uncovered { point, .. }) if *point == name), "{refused:?}");
    }
}
