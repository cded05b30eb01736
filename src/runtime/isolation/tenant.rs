use wasmtime::{Caller, Extern, Instance, Memory, Store};

/// A contract's instance while it lives.
pub(super) struct Tenant {
    pub(super) store: Store<()>,
    pub(super) instance: Instance,
    pub(super) memory: Memory,
}

/// The host function that contracts import: it writes so many bytes of this value from an address.
pub(super) fn write_as_host(mut caller: Caller<'_, ()>, start: u32, length: u32, byte: u32) -> wasmtime::Result<()> {
    let memory = caller.get_export("memory").and_then(Extern::into_memory);
    let data = memory.map(|memory| memory.data_mut(&mut caller)).unwrap_or_default();
    let range = data.get_mut(start as usize..).and_then(|data| data.get_mut(..length as usize));
    let beyond = || wasmtime::Error::msg("the host was asked to write beyond the memory");
    range.ok_or_else(beyond)?.fill(u8::try_from(byte)?);
    Ok(())
}
