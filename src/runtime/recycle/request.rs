use super::error::RecycleError;
use super::slot::Layout;
use crate::units::Bytes;

/// What Wasmtime asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    pub(super) kind: Option<&'static str>,
    pub(super) minimum: usize,
    pub(super) reserved: Option<usize>,
    pub(super) guard: usize,
}

impl Request {
    pub(super) fn check(self, layout: Layout) -> Result<(), RecycleError> {
        if let Some(kind) = self.kind {
            return Err(RecycleError::Kind { kind });
        }
        let asked = self.reserved.unwrap_or(layout.reservation).max(self.minimum);
        if asked > layout.reservation || self.guard > layout.guard {
            return Err(RecycleError::TooLarge {
                asked: Bytes(asked as u64),
                guard: Bytes(self.guard as u64),
                reservation: Bytes(layout.reservation as u64),
                slot_guard: Bytes(layout.guard as u64),
            });
        }
        Ok(())
    }
}
