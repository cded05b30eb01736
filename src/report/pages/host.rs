//! A machine.

use crate::host::{Fingerprint, Hazard, Host, State};
use crate::report::document::{Block, Column, Document, Facts, Section, Table, Text, Tone};

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
    let columns = [17, 7, 0].map(|width| Column { width, ..Column::default() });
    let mut table = Table { columns: columns.into(), ..Table::default() };
    for hazard in hazards {
        let tone = if hazard.state == State::Yes { Tone::Caution } else { Tone::Plain };
        let toned = |words: String| Text::toned(words, tone);
        table.push([toned(hazard.name.clone()), toned(hazard.state.to_string()), hazard.detail.as_str().into()]);
        if let Some(command) = &hazard.quiet {
            table.push([String::new(), String::new(), format!("to quiet it: {command}")]);
        }
    }
    table
}

/// What a machine is.
pub(super) fn facts(machine: &Fingerprint) -> Facts {
    let caches = &machine.cpu.caches;
    let caches: Vec<String> =
        caches.iter().map(|cache| format!("L{} {} by {}", cache.level, cache.size, cache.shared_by)).collect();
    let mut facts = Facts { title: "Machine".into(), ..Facts::default() };
    let mut fact = |name: &str, value: Option<String>| facts.push(name, value.unwrap_or_else(|| "unknown".into()));
    fact("processor", machine.cpu.model.clone());
    fact("revision", machine.cpu.revision.clone());
    fact("logical cores", machine.cpu.logical_cores.map(|cores| cores.to_string()));
    fact("physical cores", machine.cpu.physical_cores.map(|cores| cores.to_string()));
    fact("caches", (!caches.is_empty()).then(|| caches.join(", ")));
    fact("memory", machine.memory.map(|memory| memory.to_string()));
    fact("host page", machine.page_size.map(|size| size.to_string()));
    fact("kernel", machine.kernel.clone());
    fact("system", machine.os.clone());
    fact("guest", machine.virtualisation.guest.map(|guest| if guest { "yes" } else { "no" }.to_owned()));
    fact("class", machine.class());
    facts
}
