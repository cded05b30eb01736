use jiff::SignedDuration;

/// How long a run measures and in how many processes.
///
/// What differs between processes, such as address layout, is averaged over their number alone, so a budget is better spent in
/// many short processes than in few long ones. Each costs some two seconds of loading, checking and warming up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// Time for measuring, over all processes.
    pub budget: SignedDuration,
    /// Worker processes.
    pub processes: u32,
}

impl Profile {
    /// For a first look.
    pub const QUICK: Self = Self { budget: SignedDuration::from_secs(20), processes: 8 };
    /// For a proposal.
    pub const STANDARD: Self = Self { budget: SignedDuration::from_secs(120), processes: 24 };
    /// For a record over months.
    pub const NIGHTLY: Self = Self { budget: SignedDuration::from_secs(600), processes: 64 };

    /// The names of [`Profile::named`].
    pub const NAMES: [&str; 3] = ["quick", "standard", "nightly"];

    /// The profile of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::QUICK, Self::STANDARD, Self::NIGHTLY];
        Self::NAMES.into_iter().zip(all).find(|(known, _)| *known == name).map(|(_, profile)| profile)
    }

    /// Another budget, in the processes of the largest named profile that it reaches, or of `quick`. A short one is exceeded:
    /// each process measures two rounds at least.
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
