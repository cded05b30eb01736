//! Where modules come from: contracts with their sources, and the compiling of them.

pub(super) mod cache;
pub(super) mod compile;
pub(super) mod edition;
pub(super) mod event;
pub(super) mod job;
pub(super) mod made;
pub(super) mod manifest;
pub(super) mod rust;
pub(super) mod set;
pub(super) mod toolchain;
