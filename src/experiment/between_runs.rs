use super::Point;

/// What figures of an experiment move from one run to the next, however long the runs are: standard deviations of their logarithms.
#[derive(Debug, Clone, Copy)]
pub struct BetweenRuns {
    /// Of the class of a point, apart from all others: a mean over many classes hardly moves by it.
    pub class: fn(&Point) -> f64,
    /// Of all classes together: a mean over them moves as much as each does.
    pub common: f64,
}

impl BetweenRuns {
    /// Of the class of a point, all in all.
    #[must_use]
    pub fn of(&self, point: &Point) -> f64 {
        (self.class)(point).hypot(self.common)
    }
}
