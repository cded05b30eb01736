use super::rate::Rate;
use crate::params::table::ParamTable;
use crate::units::Gas;

/// Where the numbers come from and what speaks against them, in lines for comments.
pub(super) fn origin(table: &ParamTable, rate: Rate) -> Vec<String> {
    let provenance = &table.provenance;
    let run = &provenance.run;
    let mut lines = vec![
        format!("Exported by estimator {} from run {} of {}.", env!("CARGO_PKG_VERSION"), run.run, run.date),
        format!("Machine {}: {}; Wasmtime {}; contract set {}.", run.machine, run.cpu, run.wasmtime, run.contract_set),
        format!("Time was multiplied by {} for safety and rounded up.", provenance.chain.safety_factor),
    ];
    if rate.from != rate.to {
        lines.push(format!("The table's {} gas per second became {}.", Gas(rate.from), Gas(rate.to)));
    }
    lines.extend(table.objections().iter().map(|objection| format!("Objection: {objection}.")));
    // A text of the table must not end the comment that it stands in; YAML 1.1 has more line ends than others.
    let ends = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    lines.iter().map(|line| line.replace(ends, " ")).collect()
}

pub(super) fn commented(prefix: &str, lines: &[String]) -> String {
    lines.iter().flat_map(|line| [prefix, " ", line, "\n"]).collect()
}
