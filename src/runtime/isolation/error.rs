use std::error::Error;

use super::visit::Visit;
use crate::units::Pages;

/// Why a strategy is refused.
#[derive(Debug, thiserror::Error)]
pub enum IsolationError {
    /// A tenant found what it did not write.
    #[error(
        "strategy `{strategy}` leaks between contracts: at address {address:#x} a new memory of {size} holds {found:#04x}, \
         where {expected:#04x} is due; the tenant before it {before}"
    )]
    Leak {
        /// Name of the strategy.
        strategy: &'static str,
        /// The tenant's memory as it stands: declared, and grown so far.
        size: Pages,
        /// First wrong address in it.
        address: usize,
        /// Byte found.
        found: u8,
        /// Byte that a new memory holds.
        expected: u8,
        /// What the tenant before did.
        before: Before,
    },
    /// A tenant cannot live at all.
    #[error("strategy `{strategy}` cannot run the isolation check: {doing}")]
    Broken {
        /// Name of the strategy.
        strategy: &'static str,
        /// What failed.
        doing: &'static str,
        /// What the runtime says.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// The tenant before, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before(pub Option<Visit>);

impl std::fmt::Display for Before {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(visit) = self.0 else { return f.write_str("was none") };
        let Visit { size, grow, start, length, stride, byte, writer, ending } = visit;
        write!(f, "declared {size}, grew by {grow}, wrote {byte:#04x} to {length} bytes from {start:#x} ")?;
        if stride > 0 {
            write!(f, "and every {stride} bytes on ")?;
        }
        write!(f, "by {writer} and {ending}")
    }
}
