//! What this process may take of the machine.

use std::path::Path;

use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};

use super::root::Root;
use crate::units::Bytes;

/// The limit that keeps this process from mapping as much address space as it likes, in words; `None` if there is none.
///
/// Runtimes reserve gigabytes for each memory and use little of them, so this limit meets them long before physical memory does
/// (`RLIMIT_AS` in getrlimit(2), `vm.overcommit_memory` in proc(5)).
#[must_use]
pub fn address_space_limit(root: &Path) -> Option<String> {
    let own = getrlimit(Resource::RLIMIT_AS).ok().map(|(now, _)| now).filter(|&now| now != RLIM_INFINITY);
    let strict = Root(root).value::<u32>("/proc/sys/vm/overcommit_memory") == Some(2);
    said(own.map(Bytes), strict)
}

fn said(own: Option<Bytes>, strict: bool) -> Option<String> {
    match (own, strict) {
        (Some(most), _) => Some(format!("this process may map {most} at most; to lift that: ulimit -v unlimited")),
        (None, true) => Some(
            "the kernel grants no more memory than it has (vm.overcommit_memory is 2); to change that: \
             sysctl vm.overcommit_memory=1"
                .into(),
        ),
        (None, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_named_with_the_way_out() {
        let own = said(Some(Bytes(8 << 30)), true).unwrap();
        assert!(own.contains("8 GiB") && own.contains("ulimit -v unlimited"), "{own}");
        assert!(said(None, true).unwrap().contains("overcommit_memory"));
        assert_eq!(said(None, false), None);
    }
}
