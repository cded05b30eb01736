//! A run that another machine sends: unpacked beside the others, checked, fitted, and put among them whole or not at all.

mod archive;
mod content;
mod error;
mod incoming;
mod ready;

pub use content::is_name;
pub(crate) use content::{FILES, RECEIVED};
pub use error::ReceiveError;
pub use incoming::{Incoming, Known, clear};
pub use ready::{Ready, recover, recover_one};
