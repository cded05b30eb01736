use jiff::Timestamp;

/// The time of day, in UTC.
#[must_use]
pub fn now() -> Timestamp {
    Timestamp::now()
}
