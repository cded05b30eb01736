use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::grid::Grid;
use crate::host::{Fingerprint, Host, State};

/// The machine and its hazards for a terminal.
#[must_use]
pub fn host_terminal(host: &Host) -> String {
    let heading = Style::new().bold();
    let alarm = Style::new().fg_color(Some(AnsiColor::Yellow.into()));
    let mut text =
        format!("{heading}Machine{heading:#}\n{}\n{heading}Hazards{heading:#}\n", facts(&host.fingerprint).text());
    for hazard in &host.hazards {
        let style = if hazard.state == State::Yes { alarm } else { Style::new() };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "  {style}{:<18} {:<8}{style:#} {}", hazard.name, hazard.state, hazard.detail);
        if let Some(command) = &hazard.quiet {
            let _ = writeln!(text, "  {:<18} {:<8} to quiet it: {command}", "", "");
        }
    }
    text
}

/// What a machine is, as names and values.
pub(super) fn facts(machine: &Fingerprint) -> Grid {
    let unknown = || "unknown".to_owned();
    let caches: Vec<String> = machine
        .cpu
        .caches
        .iter()
        .map(|cache| format!("L{} {} by {}", cache.level, cache.size, cache.shared_by))
        .collect();
    let mut facts = Grid::default();
    let mut fact =
        |name: &str, value: Option<String>| facts.rows.push(vec![name.into(), value.unwrap_or_else(unknown)]);
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
