//! The process that a call meets on a node, property by property.

use super::conditions::PREVIOUS;
use super::factor::joined;
use super::{Factor, Levels, Source, Unit};

/// A property of the process whose usual level is that there is nothing of it.
const fn property(name: &'static str, unit: Unit, phrase: &'static str) -> Factor {
    Factor { name, unit, source: Source::Process, names: &[], usual: 0, phrase }
}

/// Threads that sleep, and wake a hundred times a second, as those of an asynchronous runtime do between events.
pub static IDLE_THREADS: Factor = property("idle_threads", Unit::Count, "beside {} idle threads");

/// Threads that compute on other processors without a system call. The address space is active there, so that the kernel must send an
/// interrupt to each whenever it takes pages away (`flush_tlb_mm_range`, `arch/x86/mm/tlb.c`).
pub static SPINNING_THREADS: Factor = property("spinning_threads", Unit::Count, "beside {} spinning threads");

/// Threads that make calls of mixed sizes on other processors, one after the other.
pub static CALLING_THREADS: Factor = property("calling_threads", Unit::Count, "beside {} calling threads");

/// Mappings that the kernel cannot merge.
pub static MAPPINGS: Factor = property("mappings", Unit::Count, "among {} mappings");

/// Memory that is resident.
pub static RESIDENT: Factor = property("resident", Unit::Bytes, "with {} resident");

/// Page tables, each of a host page and with one page in it.
pub static PAGE_TABLES: Factor = property("page_tables", Unit::Count, "with {} page tables");

/// Address space that is reserved without access, as pools do.
pub static RESERVED: Factor = property("reserved", Unit::Bytes, "with {} reserved");

/// Further contracts, each compiled, on an engine of its own and called once.
pub static MODULES: Factor = property("modules", Unit::Count, "among {} other contracts");

/// The process that a call meets.
pub(super) const PROCESS_FACTORS: &[&Factor] =
    &[&IDLE_THREADS, &SPINNING_THREADS, &CALLING_THREADS, &MAPPINGS, &RESIDENT, &PAGE_TABLES, &RESERVED, &MODULES];

/// What a chain file can say of what a call meets on its nodes, in the order of the file.
pub static PROPERTIES: [&Factor; 9] = joined(&[&[&PREVIOUS], PROCESS_FACTORS]);

impl Levels {
    /// What a call meets by these levels, for people: `after a dirty tenant, 16 idle threads`; `nothing else` without any.
    #[must_use]
    pub fn process(&self) -> String {
        let said = |(factor, level): (&Factor, u64)| {
            let words = factor.name.replace('_', " ");
            match (factor.unit, level) {
                (Unit::Name, _) => factor.phrase.replace("{}", &factor.shown(level)),
                (Unit::Bytes, _) => format!("{} {words}", factor.shown(level)),
                (_, 1) => format!("1 {}", words.trim_end_matches('s')),
                _ => format!("{level} {words}"),
            }
        };
        let properties = PROPERTIES.into_iter().map(|factor| (factor, self.get(factor)));
        let said: Vec<String> = properties.filter(|(factor, level)| *level != factor.usual).map(said).collect();
        if said.is_empty() { "nothing else".into() } else { said.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Previous;

    #[test]
    fn a_process_is_told_in_the_order_of_the_chain_file() {
        assert_eq!(Levels::default().process(), "nothing else");
        let levels = Levels::default().with(&RESIDENT, 1 << 20).with(&SPINNING_THREADS, 1).with(&IDLE_THREADS, 16);
        let levels = levels.with(&PREVIOUS, Previous::Dirty as u64);
        assert_eq!(levels.process(), "after a dirty tenant, 16 idle threads, 1 spinning thread, 1 MiB resident");
    }
}
