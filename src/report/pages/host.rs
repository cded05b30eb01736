//! A machine.

use crate::host::{Fingerprint, Hazard, Host, State};
use crate::report::document::{Block, Document, Facts, Section, Table, Text, Tone};

/// A machine and its hazards.
#[must_use]
pub fn page(host: &Host) -> Document {
    let sections = vec![
        Section::new("machine", "Machine", vec![Block::Facts(facts(&host.fingerprint))]),
        Section::new("hazards", "Hazards", vec![Block::Table(hazards(&host.hazards))]),
    ];
    Document { sections, ..Document::default() }
}

/// Hazards with the commands that would quiet them, each below its hazard.
fn hazards(hazards: &[Hazard]) -> Table {
    let rows = hazards.iter().flat_map(|hazard| {
        let tone = if hazard.state == State::Yes { Tone::Caution } else { Tone::Plain };
        let toned = |words: String| Text::toned(words, tone);
        let quiet = hazard.quiet.iter().map(|command| ["".into(), "".into(), format!("to quiet it: {command}").into()]);
        let hazard = [toned(hazard.name.clone()), toned(hazard.state.to_string()), hazard.detail.as_str().into()];
        [hazard].into_iter().chain(quiet)
    });
    let mut table = Table::of_words([""; 3], rows);
    // As wide as the longest of all hazards, so that no column moves with what is found.
    table.columns[0].width = 17;
    table.columns[1].width = 7;
    table
}

/// What a machine is.
pub(super) fn facts(machine: &Fingerprint) -> Facts {
    let (cpu, guest) = (&machine.cpu, machine.virtualisation.guest);
    let count = |count: Option<u32>| count.map(|count| count.to_string());
    let caches = cpu.caches.iter().map(|cache| format!("L{} {} by {}", cache.level, cache.size, cache.shared_by));
    let caches: Vec<String> = caches.collect();
    let facts = [
        ("processor", cpu.model.clone()),
        ("revision", cpu.revision.clone()),
        ("logical cores", count(cpu.logical_cores)),
        ("physical cores", count(cpu.physical_cores)),
        ("caches", (!caches.is_empty()).then(|| caches.join(", "))),
        ("memory", machine.memory.map(|memory| memory.to_string())),
        ("host page", machine.page_size.map(|size| size.to_string())),
        ("kernel", machine.kernel.clone()),
        ("system", machine.os.clone()),
        ("guest", guest.map(|guest| if guest { "yes" } else { "no" }.to_owned())),
        ("class", machine.class()),
    ];
    Facts::new("Machine", facts.map(|(name, value)| (name, value.unwrap_or_else(|| "unknown".into()))))
}
