//! Why no fit can be made at all. A fit that can be made but must not be used carries [`Rejection`](super::Rejection)s.

/// Why the samples or settings allow no statistics.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// There is nothing to fit.
    #[error("there are no samples to fit: the run ended before its first round; run it again or resume it")]
    NoSamples,
    /// A sample refers to a design point that is not there.
    #[error("sample {sample} refers to design point {point}, but there are {points}: the samples are damaged")]
    UnknownPoint {
        /// Place of the sample, counted from 0.
        sample: usize,
        /// The point it refers to.
        point: u32,
        /// How many points there are.
        points: usize,
    },
    /// A design point has no sample.
    #[error("{point} has no samples: resume the run until each point was measured, or leave the point out")]
    Unmeasured {
        /// Label of the point.
        point: String,
    },
    /// The same design point is listed twice.
    #[error("{point} is listed twice: merge samples of the same point before fitting")]
    RepeatedPoint {
        /// Label of the point.
        point: String,
    },
    /// One round of one process tells nothing about variation.
    #[error("{point} was measured in a single round of a single process, so no interval can be given: measure longer")]
    SingleRound {
        /// Label of the point.
        point: String,
    },
    /// A point is in so few rounds that resamples keep missing it.
    #[error("{point} is in too few rounds to be resampled: measure longer, so that it is in every round")]
    Sparse {
        /// Label of the point.
        point: String,
    },
    /// A setting is out of range.
    #[error("{name} is {value} and must be {range}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// What it was set to.
        value: f64,
        /// The range allowed.
        range: &'static str,
    },
    /// A cost is so noisy that resamples of it come out as 0 or less.
    #[error(
        "{point}: resamples of its {statistic} cost come out as 0 or less: it was measured too few times: measure for longer"
    )]
    UnsureCost {
        /// The point.
        point: String,
        /// The statistic.
        statistic: super::Statistic,
    },
    /// A result is not a finite number.
    #[error("the {what} came out as no finite number: the samples are too extreme to fit")]
    NotFinite {
        /// The quantity.
        what: &'static str,
    },
    /// The linear programme of a charge was not solved.
    #[error(
        "no charge by a base and {} was found that covers every class: leave terms out that go together (`terms` in the chain file), or \
         measure points that tell them apart",
        terms.join(", ")
    )]
    NoCharge {
        /// The terms.
        terms: Vec<&'static str>,
    },
    /// The two sides of a comparison share no design point.
    #[error("the two sides have no design point in common: compare runs of the same contracts and factors")]
    NothingInCommon,
    /// An A/A split needs processes to split.
    #[error("a split into halves needs at least 2 processes, and there is {processes}: measure with more")]
    NothingToSplit {
        /// Processes there are.
        processes: usize,
    },
    /// A ratio cannot be formed.
    #[error("the {statistic} cost of {point} is not above 0, so no ratio can be formed: measure longer")]
    NonPositiveCost {
        /// Label of the point.
        point: String,
        /// Which statistic.
        statistic: super::Statistic,
    },
}
