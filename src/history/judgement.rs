//! What the gate says of a night.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::figure::Figure;
use crate::model::Estimate;

/// What became of a night.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Too few runs before it to say; only the table in force was looked at.
    Learning,
    /// Nothing changed that the machine's spread does not explain.
    Steady,
    /// A change, confirmed by a fresh run.
    Changed,
    /// An apparent change that the fresh run neither confirmed nor refuted.
    Unsure,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Learning => "learning",
            Self::Steady => "steady",
            Self::Changed => "changed",
            Self::Unsure => "unsure",
        })
    }
}

/// The gate's word on a night.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What it rests on: everything that was suspected, confirmed or not.
    pub findings: Vec<Finding>,
}

/// What kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// At once, against the recent past.
    Step,
    /// Little by little, over weeks.
    Drift,
    /// Against the table in force.
    Table,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Seen in one run; a fresh run is to confirm it.
    Suspected,
    /// Confirmed.
    Changed,
    /// The fresh run agrees, but both together are not certain enough.
    Unsure,
    /// The fresh run does not show it.
    Refuted,
    /// Confirmed, and told on an earlier night.
    Standing,
}

/// One change, or what looked like one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// Of what.
    pub figure: Figure,
    /// How many times the cost before, or that of the table, with its 95 % interval.
    pub ratio: Estimate,
    /// The p-value after Holm's correction over all that was tested this night.
    pub p_value: f64,
    /// The run since which.
    pub since: String,
    /// How sure.
    pub state: State,
    /// What it is told by once and never again.
    pub key: String,
    /// What else changed at that moment, such as a version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub along: Vec<String>,
}

impl Finding {
    /// The change as a share: 0.05 for 5 % dearer.
    #[must_use]
    pub fn change(&self) -> f64 {
        self.ratio.value - 1.0
    }

    /// The finding in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let change = direction(self.ratio);
        let against = match self.kind {
            FindingKind::Step => format!("costs {change} than in the runs before {}", self.since),
            FindingKind::Drift => format!("has come to cost {change}, little by little since {}", self.since),
            FindingKind::Table => format!("costs {change} than the table in force charges for"),
        };
        let state = match self.state {
            State::Suspected => "not confirmed yet",
            State::Changed => "confirmed by a fresh run",
            State::Unsure => "a fresh run agrees, but it is not certain",
            State::Refuted => "a fresh run does not show it",
            State::Standing => "told before",
        };
        let along =
            if self.along.is_empty() { String::new() } else { format!("; with it came {}", self.along.join(", ")) };
        format!("{} {against}; {state} (p = {:.1e}){along}", self.figure, self.p_value)
    }
}

/// How far a ratio is from 1, with its interval and in words: `5.1 % more (4.2 % … 6.0 %)`.
fn direction(ratio: Estimate) -> String {
    let Estimate { value, low, high } = ratio;
    let (way, sign) = if value < 1.0 { ("less", -1.0) } else { ("more", 1.0) };
    let percent = |ratio: f64| (ratio - 1.0) * 100.0 * sign;
    let (near, far) = if value < 1.0 { (high, low) } else { (low, high) };
    format!("{:.1} % {way} ({:.1} % … {:.1} %)", percent(value), percent(near), percent(far))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_says_its_direction_in_words() {
        let ratio = |value, low, high| direction(Estimate { value, low, high });
        assert_eq!(ratio(1.051, 1.042, 1.06), "5.1 % more (4.2 % … 6.0 %)");
        assert_eq!(ratio(0.97, 0.96, 1.01), "3.0 % less (-1.0 % … 4.0 %)");
    }
}
