//! What a module is: its facts, whether it is what was asked for, and modules that are kept.

pub(super) mod artifact;
pub(super) mod check;
pub(super) mod compiler;
pub(super) mod deploy;
pub(super) mod expose;
pub(super) mod facts;
pub(super) mod foreign;
pub(super) mod layout;
pub(super) mod levels;
pub(super) mod load;
pub(super) mod store;
pub(super) mod unpriced;
