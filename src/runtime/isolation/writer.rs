use std::fmt;

use super::tenant::Tenant;

/// Who writes, and how. All must count where what was written decides what is wiped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// Its `memory.fill`.
    Fill,
    /// Its stores, of 8 bytes and of one, wherever they begin.
    Stores,
    /// Its `memory.copy`, of what it stored before.
    Copy,
    /// Its `memory.init`, from a passive data segment.
    Init,
    /// A host function that it calls.
    HostFunction,
    /// The host outside of calls, by `Memory::write`.
    HostWrite,
    /// Two threads of the host outside of calls, each in a half.
    Threads,
}

impl Writer {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Fill, Self::Stores, Self::Copy, Self::Init, Self::HostFunction, Self::HostWrite, Self::Threads];

    /// Exports of the contract that write, each from an address, so many bytes, of this value.
    pub(super) const EXPORTS: &str = r#"
      (func (export "fill") (param $at i32) (param $length i32) (param $byte i32)
        (memory.fill (local.get $at) (local.get $byte) (local.get $length)))
      (func $stores (export "stores") (param $at i32) (param $length i32) (param $byte i32)
        (local $end i32)
        (local $word i64)
        (local.set $end (i32.add (local.get $at) (local.get $length)))
        (local.set $word (i64.mul (i64.extend_i32_u (local.get $byte)) (i64.const 0x0101010101010101)))
        (block $few (loop $more
          (br_if $few (i32.lt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 8)))
          (i64.store align=1 (local.get $at) (local.get $word))
          (local.set $at (i32.add (local.get $at) (i32.const 8)))
          (br $more)))
        (block $none (loop $more
          (br_if $none (i32.eq (local.get $at) (local.get $end)))
          (i32.store8 (local.get $at) (local.get $byte))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $more))))
      (func $in_parts (param $at i32) (param $length i32) (param $from i32) (param $init i32)
        (local $part i32)
        (block $none (loop $more
          (br_if $none (i32.eqz (local.get $length)))
          (local.set $part (select (local.get $length) (i32.const 64) (i32.lt_u (local.get $length) (i32.const 64))))
          (if (local.get $init)
            (then (memory.init $passive (local.get $at) (i32.const 0) (local.get $part)))
            (else (memory.copy (local.get $at) (local.get $from) (local.get $part))))
          (local.set $at (i32.add (local.get $at) (local.get $part)))
          (local.set $length (i32.sub (local.get $length) (local.get $part)))
          (br $more))))
      (func (export "copy") (param $at i32) (param $length i32) (param $byte i32)
        (call $stores (i32.const 64) (i32.const 64) (local.get $byte))
        (call $in_parts (local.get $at) (local.get $length) (i32.const 64) (i32.const 0)))
      (func (export "init") (param $at i32) (param $length i32) (param $byte i32)
        (call $in_parts (local.get $at) (local.get $length) (i32.const 0) (i32.const 1)))
      (func (export "call-host") (param i32 i32 i32) (call $host (local.get 0) (local.get 1) (local.get 2)))"#;

    /// Writes; all of it lies in the memory.
    pub(super) fn write(self, tenant: &mut Tenant, start: u32, length: u32, byte: u8) -> wasmtime::Result<()> {
        let at = start as usize;
        let end = at + length as usize;
        let Tenant { store, memory, .. } = tenant;
        match self {
            Self::HostWrite => {
                let bytes = vec![byte; 4096];
                for from in (at..end).step_by(bytes.len()) {
                    memory.write(&mut *store, from, &bytes[..bytes.len().min(end - from)])?;
                }
                Ok(())
            }
            Self::Threads => {
                let (first, second) = memory.data_mut(&mut *store)[at..end].split_at_mut(length as usize / 2);
                std::thread::scope(|scope| {
                    scope.spawn(|| first.fill(byte));
                    scope.spawn(|| second.fill(byte));
                });
                Ok(())
            }
            Self::Fill | Self::Stores | Self::Copy | Self::Init | Self::HostFunction => {
                let function =
                    tenant.instance.get_typed_func::<(u32, u32, u32), ()>(&mut tenant.store, self.export())?;
                function.call(&mut tenant.store, (start, length, byte.into()))
            }
        }
    }

    const fn export(self) -> &'static str {
        match self {
            Self::Stores => "stores",
            Self::Copy => "copy",
            Self::Init => "init",
            Self::HostFunction => "call-host",
            Self::Fill | Self::HostWrite | Self::Threads => "fill",
        }
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fill => "memory.fill",
            Self::Stores => "stores",
            Self::Copy => "memory.copy",
            Self::Init => "memory.init",
            Self::HostFunction => "a host function",
            Self::HostWrite => "the host",
            Self::Threads => "two threads of the host",
        })
    }
}
