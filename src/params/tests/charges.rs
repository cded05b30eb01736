//! What a table charges for a call.

use super::*;
use crate::experiment::memory::{DATA_BASE, DATA_BYTES, TOUCHED_PAGES};
use crate::experiment::{Point, page_beyond};

#[test]
fn a_charge_adds_what_applies() {
    let mut table = proposed();
    let [base, page, grown] = [INIT_BASE, INIT_PER_PAGE, GROW_PER_PAGE].map(|name| gas(&table, name).0);
    assert_eq!(table.charge(Pages(17), Pages(0)), Some(Gas(base + 17 * page)));
    assert_eq!(table.charge(Pages(1), Pages(2)), Some(Gas(base + page + 2 * grown)));
    table.params.remove(GROW_PER_PAGE);
    assert_eq!(table.charge(Pages(1), Pages(0)), Some(Gas(base + page)));
    assert_eq!(table.charge(Pages(1), Pages(1)), None);
    table.params.get_mut(INIT_PER_PAGE).unwrap().gas = Gas::MAX;
    assert_eq!(table.charge(Pages(2), Pages(0)), None);
}

#[test]
fn a_size_that_the_chain_forbids_has_no_charge() {
    let chain = ChainSettings { initial_pages_max: Pages(17), pages_max: Pages(64), ..ChainSettings::default() };
    let table = propose(&proposal(), &chain).unwrap();
    for (initial, grown, allowed) in [(17, 0, true), (18, 0, false), (17, 47, true), (17, 48, false), (1, 63, true)] {
        assert_eq!(table.charge(Pages(initial), Pages(grown)).is_some(), allowed, "{initial} + {grown}");
    }
    assert_eq!(table.charge(Pages(1), Pages(u32::MAX)), None);
    let sizes =
        |most| ChainSettings { initial_pages_max: Pages(most), ..ChainSettings::default() }.sizes(&CHARGED_PAGES);
    assert_eq!(sizes(1), [1].map(Pages));
    assert_eq!(sizes(17), [1, 17].map(Pages));
    assert_eq!(sizes(100), [1, 17, 64, 100].map(Pages));
}

/// One that knew the terms of the memory by name would leave out what another experiment's cost.
#[test]
fn every_term_of_an_experiment_is_charged_with_its_level() {
    let table = proposed();
    let point = Point::of_memory("", "", "", Pages(3)).with(&TOUCHED_PAGES, 5);
    let price = |parameter: &Parameter| gas(&table, parameter.name).0;
    let terms = [&PER_PAGE, &PER_GROWN_PAGE].map(|term| price(&term.parameter) * term.column.at(&point));
    assert_eq!(table.charge_of(&point), Some(Gas(price(&MEMORY.base) + terms.iter().sum::<u64>())));
}

#[test]
fn a_call_with_data_pays_once_for_that_it_has_any() {
    let chain = ChainSettings { terms: vec![&PER_PAGE, &DATA_BASE], ..ChainSettings::default() };
    let mut input = proposal();
    input.params.push(super::input(&DATA_BASE.parameter, 25_000.0));
    let table = propose(&input, &chain).unwrap();
    assert_eq!(table.objections(), []);
    assert_eq!(ParamTable::parse(&table.to_toml().unwrap(), file()).unwrap(), table);
    let charge = |data| table.charge_of(&Point::of_memory("", "", "", Pages(2)).with(&DATA_BYTES, data)).unwrap().0;
    let price = gas(&table, "memory_init_data_base").0;
    assert_eq!([1, 131_072].map(|data| charge(data) - charge(0)), [price; 2]);
}

#[test]
fn data_and_pages_beyond_a_number_are_charged_where_the_chain_charges_for_them() {
    let tier = page_beyond(16).unwrap();
    let chain = ChainSettings { terms: vec![&PER_PAGE, &PER_DATA_PAGE, tier], ..ChainSettings::default() };
    let mut input = proposal();
    input.params.push(super::input(&PER_DATA_PAGE.parameter, 7_000.0));
    let lacking = propose(&input, &chain).unwrap();
    assert!(lacking.objections().iter().any(|of| of.kind == ObjectionKind::Incomplete), "{:?}", lacking.objections());
    assert_eq!(lacking.charge(Pages(16), Pages(0)).is_some(), lacking.charge(Pages(17), Pages(0)).is_none());
    input.params.push(super::input(&tier.parameter, 3_000.0));
    let table = propose(&input, &chain).unwrap();
    assert_eq!(table.objections(), []);
    let price = |name: &str| gas(&table, name).0;
    let [base, page, data, beyond] =
        [INIT_BASE, INIT_PER_PAGE, "memory_init_per_data_page", "memory_init_per_page_beyond_16"].map(price);
    let charge = |pages, data| table.charge_of(&Point::of_memory("", "", "", Pages(pages)).with(&DATA_BYTES, data));
    assert_eq!(charge(16, 0), Some(Gas(base + 16 * page)));
    assert_eq!(charge(20, 65_536), Some(Gas(base + 20 * page + data + 4 * beyond)));
    assert_eq!(charge(1, 1), Some(Gas(base + page + data.div_ceil(65_536))), "a part of a page is rounded up");
    let read = ParamTable::parse(&table.to_toml().unwrap(), file()).unwrap();
    assert_eq!(read, table);
    let names: Vec<&String> = table.in_order().map(|(name, _)| name).collect();
    assert_eq!(names[4], "memory_init_per_page_beyond_16");
}
