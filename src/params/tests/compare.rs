use super::*;

fn with_gas(name: &str, gas: u64) -> ParamTable {
    let mut table = proposed();
    table.params.get_mut(name).unwrap().gas = Gas(gas);
    table
}

/// Tables proposed from a base cost of 10 µs and of `value`, each with an interval of ± `width`.
fn measured(value: f64, width: f64) -> [ParamTable; 2] {
    [10_000.0, value].map(|value| {
        let nanos = evidence(value, value * (1.0 - width), value * (1.0 + width));
        let input = with(ParamInput { nanos, ..base(value) });
        propose(&input, &ChainSettings::default()).unwrap()
    })
}

fn change(old: &ParamTable, new: &ParamTable, threshold: f64) -> (ParamChange, Verdict) {
    let diff = diff(old, new, threshold).unwrap();
    (diff.rows.iter().find(|row| row.name == INIT_BASE).unwrap().change, diff.verdict())
}

#[test]
fn a_table_equals_itself() {
    let table = proposed();
    let diff = diff(&table, &table, 0.0).unwrap();
    assert_eq!(diff.verdict(), Verdict::Same);
    assert_eq!(diff.counts(), Counts { unchanged: 3, ..Counts::default() });
    assert!(diff.provenance.is_empty());
}

#[test]
fn an_edit_by_hand_is_real_however_wide_the_interval() {
    let old = with_gas(INIT_BASE, 100_000);
    let (within, raised) = ((ParamChange::WithinThreshold, Verdict::Same), (ParamChange::Raised, Verdict::Changed));
    for (gas, threshold, found) in [
        (101_000, 0.02, within),
        (102_000, 0.02, within),
        (102_001, 0.02, raised),
        (110_000, 0.02, raised),
        (100_001, 0.0, raised),
    ] {
        assert_eq!(change(&old, &with_gas(INIT_BASE, gas), threshold), found, "{gas}");
    }
    assert_eq!(change(&old, &with_gas(INIT_BASE, 90_000), 0.02), (ParamChange::Lowered, Verdict::Changed));
    let new = with_gas(INIT_BASE, 101_000);
    assert_eq!(diff(&old, &new, 0.02).unwrap().counts().within_threshold, 1);
}

#[test]
fn a_measured_change_is_noise_then_unsure_while_the_intervals_overlap() {
    let [old, new] = measured(11_000.0, 0.08);
    assert_eq!(change(&old, &new, 0.02), (ParamChange::WithinNoise, Verdict::Same), "8 % and 8 % make 12 % in squares");
    assert_eq!(change(&old, &new, 0.2), (ParamChange::WithinThreshold, Verdict::Same));
    let [old, new] = measured(11_000.0, 0.06);
    assert_eq!(change(&old, &new, 0.02), (ParamChange::Unsure, Verdict::Unsure));
    assert_eq!(change(&old, &new, 0.0), (ParamChange::Unsure, Verdict::Unsure));
    let [old, new] = measured(11_000.0, 0.01);
    assert_eq!(change(&old, &new, 0.02), (ParamChange::Raised, Verdict::Changed));
    assert_eq!(change(&new, &old, 0.02), (ParamChange::Lowered, Verdict::Changed));
}

#[test]
fn a_new_price_is_real_beside_a_new_measurement() {
    let [old, _] = measured(10_000.0, 0.08);
    let nanos = evidence(10_100.0, 9_300.0, 10_900.0);
    let input = with(ParamInput { nanos, ..base(10_100.0) });
    let chain = ChainSettings { safety_factor: 4.0, ..ChainSettings::default() };
    let new = propose(&input, &chain).unwrap();
    assert_eq!(change(&old, &new, 0.02), (ParamChange::Raised, Verdict::Changed));
    let diff = diff(&old, &new, 0.02).unwrap();
    let change = |key, old: &str, new: &str| ProvenanceChange { key, old: old.into(), new: new.into() };
    assert_eq!(diff.provenance, [change("chain.safety_factor", "3", "4")]);
}

#[test]
fn a_certain_change_outweighs_an_unsure_one() {
    let [old, mut new] = measured(11_000.0, 0.06);
    new.params.get_mut(GROW_PER_PAGE).unwrap().gas = Gas(1);
    assert_eq!(change(&old, &new, 0.02), (ParamChange::Unsure, Verdict::Changed));
}

#[test]
fn one_sided_and_redefined_parameters_are_listed() {
    let old = proposed();
    let mut new = proposed();
    let moved = new.params.remove(GROW_PER_PAGE).unwrap();
    new.params.insert("other".into(), moved.clone());
    let table = diff(&old, &new, 1.0).unwrap();
    assert_eq!(table.counts(), Counts { added: 1, removed: 1, unchanged: 2, ..Counts::default() });
    assert_eq!(table.verdict(), Verdict::Changed);

    let mut redefined = new.clone();
    redefined.params.insert("other".into(), Param { unit: "gas per KiB".into(), ..moved });
    let table = diff(&new, &redefined, 1.0).unwrap();
    assert_eq!(table.counts(), Counts { added: 1, removed: 1, unchanged: 2, ..Counts::default() });
}

#[test]
fn zero_gives_no_infinity() {
    let [old, new] = [0, 5].map(|gas| with_gas(INIT_BASE, gas));
    let rise = diff(&old, &new, 0.02).unwrap();
    let row = rise.rows.iter().find(|row| row.name == INIT_BASE).unwrap();
    assert_eq!((row.change, row.relative, row.beyond_threshold), (ParamChange::Raised, None, true));
    assert_eq!(diff(&old, &old, 0.02).unwrap().verdict(), Verdict::Same);
    let fall = diff(&new, &old, 0.02).unwrap();
    assert_eq!(fall.rows.iter().find(|row| row.name == INIT_BASE).unwrap().relative, Some(-1.0));
    let mut free = old.clone();
    free.params.get_mut(INIT_PER_PAGE).unwrap().gas = Gas(0);
    assert!(diff(&free, &new, 0.0).unwrap().charges.iter().all(|charge| charge.relative.is_none()));
}

#[test]
fn charges_are_given_at_four_sizes() {
    let (old, new) = (proposed(), with_gas(INIT_BASE, 1));
    let diff = diff(&old, &new, 0.02).unwrap();
    for charge in &diff.charges {
        assert_eq!(charge.old, old.charge(charge.pages, Pages(0)));
        assert_eq!(charge.new, new.charge(charge.pages, Pages(0)));
        assert!(charge.relative.unwrap() < 0.0);
    }
    assert_eq!(diff.charges.iter().map(|charge| charge.pages.0).collect::<Vec<_>>(), [1, 17, 64, 1024]);
}

#[test]
fn a_threshold_must_be_a_share() {
    let table = proposed();
    for threshold in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(diff(&table, &table, threshold), Err(ParamsError::Threshold(_))));
    }
}

#[test]
fn ten_thousand_parameters_are_compared() {
    let mut table = proposed();
    let param = table.params[INIT_BASE].clone();
    table.params.extend((0..10_000).map(|index| (format!("p{index:05}"), param.clone())));
    let text = table.to_toml().unwrap();
    let [old, new] = [(); 2].map(|()| ParamTable::parse(&text, file()).unwrap());
    assert_eq!(diff(&old, &new, 0.02).unwrap().counts().unchanged, 10_003);
}

#[test]
fn an_unknown_machine_is_like_no_other() {
    let mut table = proposed();
    table.provenance.run.machine = UNKNOWN_MACHINE.into();
    let mut later = table.clone();
    later.provenance.run.run = "later".into();
    assert_eq!(diff(&table, &later, 0.0).unwrap().provenance[0].key, "machine");
    assert_eq!(diff(&table, &table, 0.0).unwrap().provenance, [], "one run is on one machine");
}

#[test]
fn tables_of_two_units_or_of_two_things_are_not_comparable() {
    let old = proposed();
    let verdict = |change: &dyn Fn(&mut ParamTable)| {
        let mut new = proposed();
        new.provenance.run.run = "later".into();
        change(&mut new);
        let found = diff(&old, &new, 0.02).unwrap();
        (found.verdict(), found.incomparable.join("; "), found.reference.len())
    };
    assert_eq!(verdict(&|_| {}), (Verdict::Same, String::new(), 0));
    let (found, why, _) = verdict(&|new| new.provenance.reference = Some(reference("another")));
    assert_eq!(
        (found, &*why),
        (Verdict::NotComparable, "the old table is stated on some-machine, the new one on another")
    );
    let slower = |new: &mut ParamTable| {
        let facts = new.provenance.reference.as_mut().unwrap();
        facts.reference.probes[1].nanos = evidence(500_000.0, 500_000.0, 500_000.0);
    };
    let (found, why, probes) = verdict(&slower);
    assert_eq!((found, &*why, probes), (Verdict::NotComparable, "the medians of some-machine are others", 1));
    let (found, why, _) = verdict(&|new| new.provenance.chain.terms.push(&PER_DATA_PAGE));
    assert_eq!((found, &*why), (Verdict::NotComparable, "chain.terms was page and is page, data"));
    assert_eq!(verdict(&|new| new.provenance.run.contract_set = "other".into()).0, Verdict::NotComparable);
    assert_eq!(verdict(&|new| new.provenance.reference = None).0, Verdict::NotComparable);

    let own = |run: &str| {
        let mut table = proposed();
        table.provenance.run.run = run.into();
        table.provenance.reference = Some(reference(Reference::THIS_RUN));
        table
    };
    assert_eq!(diff(&own("a"), &own("a"), 0.02).unwrap().verdict(), Verdict::Same);
    assert_eq!(diff(&own("a"), &own("b"), 0.02).unwrap().verdict(), Verdict::NotComparable);
}
