//! What speaks against a table, by names that `--accept` takes.

use std::fmt::Write;

use serde::Serialize;

/// What an objection is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectionKind {
    /// The fit behind the table was rejected.
    Rejected,
    /// The run behind the table is too noisy to sign.
    Wide,
    /// Something that a charge or a reviewer needs is missing.
    Incomplete,
    /// The values contradict each other or the format.
    Inconsistent,
    /// Something that a call causes costs no gas.
    Free,
    /// The largest call is beyond what gas can count.
    Saturating,
    /// A time that no memory takes.
    Implausible,
    /// It was measured on a machine of another class, or of none.
    Machine,
    /// A value that may not have changed at all.
    Unsure,
}

impl ObjectionKind {
    /// All of them, the gravest first.
    pub const ALL: [Self; 9] = [
        Self::Rejected,
        Self::Wide,
        Self::Incomplete,
        Self::Inconsistent,
        Self::Free,
        Self::Saturating,
        Self::Implausible,
        Self::Machine,
        Self::Unsure,
    ];

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Wide => "wide",
            Self::Incomplete => "incomplete",
            Self::Inconsistent => "inconsistent",
            Self::Free => "free",
            Self::Saturating => "saturating",
            Self::Implausible => "implausible",
            Self::Machine => "machine",
            Self::Unsure => "unsure",
        }
    }

    /// What it is, for people.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Rejected => "A fit that was rejected",
            Self::Wide => "A run that is too noisy to sign",
            Self::Incomplete => "A table that lacks something which a charge or a reviewer needs",
            Self::Inconsistent => "Values that contradict each other or the format, such as a gas that does not follow",
            Self::Free => "Something that a call causes and that costs no gas",
            Self::Saturating => "A largest call beyond what gas can count",
            Self::Implausible => "A time that no memory takes",
            Self::Machine => "A machine of another class",
            Self::Unsure => "A value that may not have changed",
        }
    }
}

/// Why a table should not be used or accepted without a second thought. It is shown as `name: reason`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Objection {
    /// What it is called.
    #[serde(rename = "name")]
    pub kind: ObjectionKind,
    /// The reason, in words.
    pub reason: String,
}

impl Objection {
    /// An objection for all these reasons, of which the first few are told and the others counted; `None` without any.
    pub(super) fn of(kind: ObjectionKind, reasons: &[String]) -> Option<Self> {
        const TOLD: usize = 5;
        let mut reason = reasons.get(..TOLD).unwrap_or(reasons).join("; ");
        if let Some(more @ 1..) = reasons.len().checked_sub(TOLD) {
            // Writing to a `String` cannot fail.
            let _ = write!(reason, "; and {more} more");
        }
        (!reasons.is_empty()).then_some(Self { kind, reason })
    }
}

impl std::fmt::Display for Objection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.reason)
    }
}
