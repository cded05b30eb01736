//! Whether one tenant can see what another left behind.
//!
//! A strategy that keeps pages must wipe them, whatever way its tenant went. A wipe that is forgotten for one of these ways is a
//! leak between contracts, and makes nodes disagree about results: so no strategy is measured before it passes this.

mod error;
mod inspection;
mod tenant;
mod visit;
mod writer;

#[cfg(test)]
mod tests;

pub use error::IsolationError;
pub use inspection::Inspection;
pub use visit::{Ending, Visit};
pub use writer::Writer;

use super::{NodeSettings, Strategy};
use crate::units::Pages;

/// Largest memory that the check fills: as many bytes as the largest that NEAR allows a contract to declare.
const LARGE: Pages = Pages(1024);

/// A memory beyond one huge page, and one below.
const SIZES: [Pages; 2] = [Pages(33), Pages(2)];

/// Lets tenants dirty every byte, grow to their maximum, trap, and be interrupted, in small memories and a large one, and write a few bytes
/// over the borders of huge pages in every way there is; and makes sure each time that the next tenant finds zeros everywhere and its own
/// data segments intact.
///
/// It takes up to a second where every page of 64 MiB must be faulted in, less elsewhere.
///
/// # Errors
/// A byte was left behind, named by its address; or the strategy cannot run at all.
pub fn check(strategy: &dyn Strategy, node: NodeSettings) -> Result<(), IsolationError> {
    if strategy.is_interpreter() {
        // Rust's allocator hands out zeros, and nobody keeps a block for the next tenant.
        return Ok(());
    }
    let large = LARGE.min(node.limit.0);
    let mut inspection = Inspection::new(strategy, node, &[SIZES[0], SIZES[1], large])?;
    for &size in SIZES.iter().filter(|&&size| size <= large) {
        for ending in Ending::ALL {
            inspection.visit(&Visit::of_all(size, ending))?;
        }
    }
    inspection.visit(&Visit::of_all(large, Ending::Trapped))?;
    for writer in Writer::ALL {
        inspection.visit(&Visit::over_borders(large, writer))?;
    }
    // The slot of the large memory, as tenants of every size find it.
    for size in [large, SIZES[0], SIZES[1]].into_iter().filter(|&size| size <= large) {
        inspection.visit(&Visit::of_nothing(size))?;
    }
    Ok(())
}
