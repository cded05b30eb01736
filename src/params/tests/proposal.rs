use proptest::prelude::*;

use super::*;

#[test]
fn gas_follows_from_the_figures_in_the_table() {
    let param = &proposed().params[INIT_BASE];
    assert_eq!(param.gas, Gas(91_600_000_000));
    assert_eq!(param.derivation, "30_512 ns × safety 3 × 1_000_000 gas/ns = 91_536_000_000, rounded up to 3 digits");
    assert_eq!(param.nanos, evidence(30_512.0, 30_206.0, 30_818.0));
}

#[test]
fn floats_do_not_add_a_digit() {
    // 1.1 × 3 is 3.3000000000000003 in floats, which would round up to 3.31.
    let chain = ChainSettings { gas_per_second: 100_000_000_000, ..ChainSettings::default() };
    let input = with(base(1.1));
    assert_eq!(gas(&propose(&input, &chain).unwrap(), INIT_BASE), Gas(330));
}

#[test]
fn a_rate_below_a_gas_per_nanosecond_is_shown_per_second() {
    let chain = ChainSettings { gas_per_second: 1_500, significant_digits: 1, ..ChainSettings::default() };
    let input = with(base(1e9));
    let table = propose(&input, &chain).unwrap();
    let derivation = &table.params[INIT_BASE].derivation;
    assert_eq!(derivation, "1_000_000_000 ns × safety 3 × 1_500 gas/s = 4_500, rounded up to 1 digit");
    assert_eq!(gas(&table, INIT_BASE), Gas(5_000));
}

#[test]
fn what_cannot_be_charged_names_the_parameter() {
    let grows = [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 3.1e12];
    for value in grows {
        let input = with(grow(value));
        let error = propose(&input, &ChainSettings::default()).unwrap_err();
        assert!(error.to_string().contains(GROW_PER_PAGE), "{value}: {error}");
    }
    let upside_down = ParamInput { nanos: evidence(2.0, 3.0, 1.0), ..base(2.0) };
    let input = with(upside_down);
    assert!(propose(&input, &ChainSettings::default()).is_err());
}

#[test]
fn an_interval_that_reaches_below_zero_stays_honest() {
    let wide = ParamInput { nanos: evidence(10.0, -1.234_567_8, 20.0), ..base(10.0) };
    let table = propose(&with(wide), &ChainSettings::default()).unwrap();
    assert_eq!(table.params[INIT_BASE].nanos, evidence(10.0, -1.2346, 20.0));
}

#[test]
fn grown_pages_may_be_unmeasured() {
    let input = ProposalInput { params: vec![base(30_512.0), page(27_123.4)], ..proposal() };
    let table = propose(&input, &ChainSettings::default()).unwrap();
    assert_eq!(table.params.len(), 2);
}

proptest! {
    #[test]
    fn no_charge_is_below_what_was_measured(
        thousandths in 1u64..1_000_000_000_000, safety in 1_000u32..5_000, digits in 1u32..=10, exponent in 0u32..=15,
    ) {
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let value = thousandths as f64 / 1000.0;
        let chain = ChainSettings {
            gas_per_second: 10u64.pow(exponent),
            safety_factor: f64::from(safety) / 1000.0,
            significant_digits: digits,
            ..ChainSettings::default()
        };
        let exact = u128::from(thousandths) * u128::from(safety) * 10u128.pow(exponent);
        if let Ok(table) = propose(&with(base(value)), &chain) {
            // In units of 10^-15 gas, so that nothing is rounded.
            let charged = u128::from(gas(&table, INIT_BASE).0) * 1_000_000_000_000_000;
            prop_assert!(charged >= exact);
            prop_assert_eq!(gas(&table, INIT_BASE).round_up(digits), Some(gas(&table, INIT_BASE)));
        }
    }
}
