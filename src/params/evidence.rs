use crate::model::Estimate;

/// Whether the numbers are finite, the value not negative and the ends in order; otherwise what is wrong.
///
/// What else a table says against itself is for [`ParamTable::objections`](super::ParamTable::objections).
pub(super) fn check(estimate: &Estimate) -> Result<(), String> {
    let Estimate { value, low, high } = *estimate;
    if !estimate.is_finite() {
        Err(format!("value {value}, low {low} and high {high} must be finite"))
    } else if value < 0.0 {
        Err(format!("the value {value} is negative"))
    } else if low > high {
        Err(format!("the interval's low {low} is above its high {high}"))
    } else {
        Ok(())
    }
}

/// Whether the two intervals have a point in common.
pub(super) fn overlap(one: &Estimate, other: &Estimate) -> bool {
    one.low <= other.high && other.low <= one.high
}

/// Whether two measurements of one quantity would differ by as much in 95 of 100 pairs: what each is off by adds up in squares.
pub(super) fn agree(one: &Estimate, other: &Estimate) -> bool {
    // The ends that face each other.
    let (lower, upper) = if one.value <= other.value { (one, other) } else { (other, one) };
    upper.value - lower.value <= (lower.high - lower.value).hypot(upper.value - upper.low)
}
