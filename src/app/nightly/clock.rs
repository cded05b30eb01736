//! What the clock says, and whether it can be believed.

use crate::history::Record;
use crate::measure::now;

/// A line that says who holds a lock since when.
pub(super) fn holder() -> String {
    format!("process {} since {}", std::process::id(), now().strftime("%Y-%m-%dT%H:%M:%SZ"))
}

/// Whether the clock stands before the newest run, which it then passes a second time. Runs are ordered by their numbers, so
/// nothing is lost; times in names and reports mislead.
pub(super) fn went_back(newest: Option<&Record>) -> Option<String> {
    let newest = newest?;
    let here = now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    // RFC 3339 in one zone sorts as text.
    (here < newest.created).then(|| {
        format!(
            "the clock says {here}, before run {} of {}: runs keep their order all the same",
            newest.run, newest.created
        )
    })
}
