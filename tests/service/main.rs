//! The service as programs and people reach it, in a process of its own.

mod document;
mod hostile;
mod doors;
mod nights;
mod pages;
mod quotes;
mod runs;
mod sent;
mod started;
