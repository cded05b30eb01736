//! What is wrong, or could be, with samples and fit.

mod curvature;
mod drift;
mod moving;
mod stack;

pub use curvature::Curvature;
pub use drift::Drift;
pub use moving::Moving;
pub(crate) use moving::moving;
pub(crate) use stack::differing;
pub use stack::{Answer, PRACTICAL, StackEffect, StackTest};
