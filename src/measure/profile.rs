use jiff::SignedDuration;

/// How long a run measures and in how many processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// Time for measuring, over all processes.
    pub budget: SignedDuration,
    /// Worker processes.
    pub processes: u32,
}

impl Profile {
    /// For a first look.
    pub const QUICK: Self = Self { budget: SignedDuration::from_secs(20), processes: 5 };
    /// For a proposal.
    pub const STANDARD: Self = Self { budget: SignedDuration::from_secs(120), processes: 10 };
    /// For a record over months.
    pub const NIGHTLY: Self = Self { budget: SignedDuration::from_secs(600), processes: 20 };

    /// Another budget, in the processes of the named profile that is nearest from below.
    #[must_use]
    pub fn within(budget: SignedDuration) -> Self {
        let processes = [Self::NIGHTLY, Self::STANDARD]
            .into_iter()
            .find(|profile| budget >= profile.budget)
            .unwrap_or(Self::QUICK)
            .processes;
        Self { budget, processes }
    }
}
