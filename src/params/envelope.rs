//! One table for several kinds of machine.

use super::provenance::UNKNOWN_MACHINE;
use super::table::ParamTable;

/// The upper envelope: for each parameter the dearest of the tables, with its evidence. No charge is below that of any table.
///
/// The provenance is that of the first table, with the machines joined, what any of them left out or noted, and a note that says which
/// machine set which parameter. `None` without tables.
#[must_use]
pub fn envelope(tables: &[ParamTable]) -> Option<ParamTable> {
    let mut envelope = tables.first()?.clone();
    for table in &tables[1..] {
        let run = &table.provenance.run;
        let noted = run.notes.iter().map(|note| format!("machine {}: {note}", run.machine));
        envelope.provenance.run.notes.extend(noted);
        envelope.provenance.run.skips(&run.skipped);
        for (name, param) in &table.params {
            let kept = envelope.params.entry(name.clone()).or_insert_with(|| param.clone());
            if param.gas > kept.gas {
                *kept = param.clone();
            }
        }
    }
    let machines: Vec<&str> = tables.iter().map(|table| table.provenance.run.machine.as_str()).collect();
    let notes = envelope.params.iter().map(|(name, param)| {
        let source = tables.iter().find(|table| table.params.get(name) == Some(param));
        let run = source.map(|table| &table.provenance.run);
        let cpu = run.map_or("", |run| run.cpu.as_str());
        format!("{name} is that of machine {} ({cpu})", run.map_or(UNKNOWN_MACHINE, |run| run.machine.as_str()))
    });
    let mut all = vec![format!("upper envelope over {} machines", tables.len())];
    all.extend(notes);
    envelope.provenance.run.machine = machines.join(" + ");
    envelope.provenance.run.notes.extend(all);
    Some(envelope)
}

#[cfg(test)]
mod tests {
    use super::super::tests::proposed;
    use super::*;
    use crate::params::{INIT_BASE, INIT_PER_PAGE};
    use crate::units::{Gas, Pages};

    #[test]
    fn no_charge_is_below_that_of_a_machine() {
        let (mut one, mut other) = (proposed(), proposed());
        one.provenance.run.machine = "a".into();
        other.provenance.run.machine = "b".into();
        one.params.get_mut(INIT_BASE).unwrap().gas = Gas(500);
        one.params.get_mut(INIT_PER_PAGE).unwrap().gas = Gas(10);
        other.params.get_mut(INIT_BASE).unwrap().gas = Gas(100);
        other.params.get_mut(INIT_PER_PAGE).unwrap().gas = Gas(20);
        other.provenance.run.notes = vec!["points move".into()];
        other.provenance.run.skipped = vec!["data-heavy".into()];
        let both = envelope(&[one.clone(), other.clone()]).unwrap();
        for pages in [1, 17, 1024] {
            let charge = |table: &ParamTable| table.charge(Pages(pages), Pages(0)).unwrap();
            assert!(charge(&both) >= charge(&one).max(charge(&other)));
        }
        assert_eq!(both.provenance.run.machine, "a + b");
        assert!(both.provenance.run.notes.contains(&"machine b: points move".to_owned()));
        assert_eq!(both.provenance.run.skipped.last().map(String::as_str), Some("data-heavy"));
        assert!(both.provenance.run.notes.iter().any(|note| note.starts_with("memory_init_base is that of machine a")));
    }

    #[test]
    fn of_nothing_there_is_none() {
        assert_eq!(envelope(&[]), None);
    }
}
