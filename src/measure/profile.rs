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

    /// Another budget, in as many processes as lie between those of the two profiles around it. A short one is exceeded: each process
    /// measures two rounds at least.
    #[must_use]
    pub fn within(budget: SignedDuration) -> Self {
        let [least, most] = [Self::QUICK, Self::NIGHTLY];
        let (low, high) = if budget < Self::STANDARD.budget { (least, Self::STANDARD) } else { (Self::STANDARD, most) };
        let inside = budget.clamp(low.budget, high.budget) - low.budget;
        let share = inside.as_secs_f64() / (high.budget - low.budget).as_secs_f64();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of some tens of processes"
        )]
        let further = (share * f64::from(high.processes - low.processes)) as u32;
        let processes = low.processes + further;
        Self { budget, processes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_between_two_profiles_has_processes_between_theirs() {
        let processes = [1, 20, 70, 119, 120, 300, 600, 3600]
            .map(|seconds| Profile::within(SignedDuration::from_secs(seconds)).processes);
        assert_eq!(processes, [8, 8, 16, 23, 24, 39, 64, 64]);
    }
}
