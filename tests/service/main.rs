//! The service as programs and people reach it, in a process of its own.

mod document;
mod doors;
mod hostile;
mod nights;
mod pages;
mod quotes;
mod runs;
mod sent;
mod started;
