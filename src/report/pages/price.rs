//! What a corpus of contracts pays.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::stack_advice;
use crate::params::{AtStack, Objection, PriceRow, PriceTotals};
use crate::report::document::{Block, Column, Document, Section, Table, Text, Tone};
use crate::report::words::{change, counted, gas, gas_said, or_dash, or_empty, percent, ratio, share};
use crate::units::{Bytes, Gas, GasUnit};

/// What was asked beside the fee, for whoever shows it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'a> {
    /// Whether there is an older table.
    pub compared: bool,
    /// A stack to price with.
    pub stack: Option<Bytes>,
    /// The most that a call may pay.
    pub max_gas: Option<Gas>,
    /// The unit in which people read gas, by the table; `None` for all its digits.
    pub unit: Option<&'a GasUnit>,
}

/// The columns of [`row`]. The name comes last, so that no row need know how long others are.
#[must_use]
pub fn columns(asked: Asked<'_>, parts: &[&str]) -> Vec<Column> {
    let fees = [("pages", 5), ("fee", 21), ("stack", 5), ("16 KiB", 7), ("64 KiB", 7), ("256 KiB", 7)];
    let compared = if asked.compared { &[("old fee", 21), ("change", 8)][..] } else { &[] };
    let figure = |&(heading, width): &(&str, usize)| Column::right(heading, width);
    let stack = asked.stack.map(|stack| Column::right(stack.to_string(), 8));
    let best = Column::right("best stack", 10);
    let bill = (!parts.is_empty()).then_some(&"bill");
    let parts = parts.iter().chain(bill).map(|name| Column::right(*name, 19));
    let further = compared.iter().map(figure).chain(parts).chain([Column::left("contract", 0)]);
    fees.iter().map(figure).chain(stack).chain([best]).chain(further).collect()
}

/// One contract: the share of its fee that is due to the stack, what other stacks would change, and the largest that changes most.
#[must_use]
pub fn row(row: &PriceRow, asked: Asked<'_>) -> Vec<Text> {
    if let Some(error) = &row.error {
        return vec!["–".into(), format!("{}: {error}", row.file).into()];
    }
    let of_fee = |part: Option<Gas>| part.zip(row.fee).map(|(part, fee)| ratio(part.0.into(), fee.0.into()));
    let amount = |amount: Option<Gas>| or_dash(amount.map(|amount| gas(asked.unit, amount)));
    let saves = |at: Option<Gas>| or_dash(of_fee(at).map(|part| percent(part - 1.0)));
    let mut cells = vec![
        or_empty(row.declared_pages),
        amount(row.fee),
        or_dash(of_fee(row.fee_of_stack).map(share)),
        saves(row.fee_at_16_kib),
        saves(row.fee_at_64_kib),
        saves(row.fee_at_256_kib),
    ];
    cells.extend(asked.stack.map(|_| saves(row.fee_at_stack)));
    cells.push(or_dash(row.stack_at_lowest_fee.map(Bytes)));
    if asked.compared {
        cells.extend([amount(row.old_fee), change(row.change)]);
    }
    if !row.parts.0.is_empty() {
        cells.extend(row.parts.0.iter().map(|(_, fee)| amount(*fee)));
        cells.push(amount(row.bill));
    }
    let limit = (row.beyond_limit == Some(true)).then_some("more pages than the chain allows");
    let parts = [&row.refused, &row.extrapolated].into_iter().filter_map(|note| note.as_deref());
    let notes: Vec<&str> = limit.into_iter().chain(parts).chain(row.remark).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    let mut cells: Vec<Text> = cells.into_iter().map(Text::from).collect();
    let name = format!("{}{notes}", row.file);
    cells.push(if row.over_max_gas == Some(true) {
        let over = Text::toned("OVER", Tone::Alarm).0.into_iter();
        Text(over.chain(Text::from(format!(" {name}")).0).collect())
    } else {
        name.into()
    });
    cells
}

/// The corpus.
#[must_use]
pub fn page(totals: &PriceTotals, asked: Asked<'_>) -> Document {
    let mut sections = Vec::new();
    let columns = if asked.compared { 5 } else { 3 };
    let headings = ["pages", "contracts", "fee of each", "old fee", "change"].into_iter().take(columns);
    let fees = totals.levels().map(|level| {
        let [fee, old_fee] = [level.fee, level.old_fee].map(|fee| or_dash(fee.map(|fee| gas(asked.unit, fee))));
        let cells = [level.pages.to_string(), level.contracts.to_string(), fee, old_fee, change(level.change)];
        cells.into_iter().take(columns)
    });
    let fees = Table::of_figures(headings, fees);
    if let Some(fees) = fees.block() {
        sections.push(Section::new("fees", "Fees by pages", vec![fees]).then(if asked.unit.is_some() {
            ", a call"
        } else {
            ", in gas a call"
        }));
    }
    let text = |sentence: String| Block::Text(sentence.into());
    let gate = asked.max_gas.map(|most| gate(totals, &gas_said(asked.unit, most)));
    let said = sentences(totals, asked).into_iter().map(text);
    sections.push(Section::unheaded("totals", gate.into_iter().chain(said).collect()));
    sections.extend(stack_advice::section(totals, asked.stack));
    Document { sections, ..Document::default() }
}

/// What came of holding them against a limit.
fn gate(totals: &PriceTotals, most: &str) -> Block {
    let all = totals.contracts + totals.beyond_limit + totals.unpriced;
    match totals.over {
        0 => Block::Text(format!("Within {most} a call: {all} of {all}.").into()),
        over => Block::Warning(format!("Over {most} a call, or not known to be within: {over} of {all}.").into()),
    }
}

fn sentences(totals: &PriceTotals, asked: Asked<'_>) -> Vec<String> {
    let mut said = Vec::new();
    let sum = |sum| sum_said(asked.unit, sum);
    if totals.contracts > 0 {
        let saved = totals.at_stacks.map(change_at);
        let contracts = counted(totals.contracts, "contract, one call", "contracts, one call each");
        said.push(format!(
            "{contracts}: {}, of which {} is due to stacks. With stacks of 16, 64 and 256 KiB: {}, {} and {}.",
            sum(totals.fees),
            share(ratio(totals.of_stack, totals.fees)),
            saved[0],
            saved[1],
            saved[2]
        ));
    }
    if !totals.parts.is_empty() {
        let part = |(name, sum): (&&str, &u128)| format!("{name} {}", share(ratio(*sum, totals.bills)));
        let parts: Vec<String> = totals.parts.iter().map(part).collect();
        said.push(format!("With all parts: {}, of which {}.", sum(totals.bills), parts.join(", ")));
    }
    if let Some(stack) = asked.stack.filter(|_| totals.at_stack.now > 0) {
        let change = change_at(totals.at_stack);
        said.push(format!("With a stack of {stack}: {}, {change}.", sum(totals.at_stack.fees)));
    }
    let at_asked = asked.stack.map(|_| &totals.at_stack);
    let beyond = totals.at_stacks.iter().chain(at_asked).map(|at| at.beyond).max().unwrap_or_default();
    if asked.compared {
        let [more, less, same] = totals.changes;
        let all = change((totals.old_fees > 0).then(|| ratio(totals.fees, totals.old_fees) - 1.0));
        said.push(format!(
            "Against the older table: {more} pay more, {less} less, {same} the same; all together {all}, from {}.",
            sum(totals.old_fees)
        ));
    }
    for (count, one, many) in [
        (
            totals.untold,
            "does not tell how large its stack is; other stacks leave its fee as it is in the sums.",
            "do not tell how large their stack is; other stacks leave their fee as it is in the sums.",
        ),
        (
            beyond,
            "would need more pages than the chain allows with the largest of these stacks: it has no fee with it and is not in its sum.",
            "would need more pages than the chain allows with the largest of these stacks: they have no fee with it and are not in its sum.",
        ),
        (
            totals.beyond_limit,
            "declares more pages than the chain allows: it has no fee and is in no sum.",
            "declare more pages than the chain allows: they have no fee and are in no sum.",
        ),
        (
            totals.unbilled,
            "has no bill: a part cannot be told from the module.",
            "have no bill: a part cannot be told from the module.",
        ),
        (
            totals.extrapolated,
            "has a bill that is extrapolated, beyond what the table of a part was measured up to.",
            "have a bill that is extrapolated, beyond what the table of a part was measured up to.",
        ),
        (totals.unpriced, "has no fee: more pages than can be priced.", "have no fee: more pages than can be priced."),
        (totals.broken, "file is no contract.", "files are no contracts."),
        (totals.missing, "name leads to no file.", "names lead to no file."),
    ] {
        if count > 0 {
            said.push(counted(count, one, many));
        }
    }
    said
}

/// What another stack changes for the contracts that can have it.
fn change_at(at: AtStack) -> String {
    or_dash((at.now > 0).then(|| percent(ratio(at.fees, at.now) - 1.0)))
}

/// A sum in a sentence, which may be more than gas can count.
fn sum_said(unit: Option<&GasUnit>, sum: u128) -> String {
    u64::try_from(sum).map_or_else(|_| format!("{sum} gas"), |sum| gas_said(unit, Gas(sum)))
}

/// The corpus for machines, with what speaks against the table. Sums are texts, since they can exceed what a JSON number holds exactly.
#[must_use]
pub fn json(totals: &PriceTotals, asked: Asked<'_>, objections: &[Objection]) -> Value {
    let [at_16_kib, at_64_kib, at_256_kib] = totals.at_stacks.map(|at| at.fees.to_string());
    let [more, less, same] = totals.changes;
    let mut json = json!({
        "contracts": totals.contracts,
        "broken": totals.broken,
        "missing": totals.missing,
        "unpriced": totals.unpriced,
        "stack_unknown": totals.untold,
        "beyond_limit": totals.beyond_limit,
        "fees": totals.fees.to_string(),
        "fees_of_stack": totals.of_stack.to_string(),
        "fees_at_16_kib": at_16_kib,
        "fees_at_64_kib": at_64_kib,
        "fees_at_256_kib": at_256_kib,
        "parts": totals.parts.iter().map(|(name, sum)| ((*name).to_owned(), sum.to_string())).collect::<BTreeMap<_, _>>(),
        "bills": totals.bills.to_string(),
        "unbilled": totals.unbilled,
        "extrapolated": totals.extrapolated,
        "compared": asked.compared.then(|| json!({
            "old_fees": totals.old_fees.to_string(), "pay_more": more, "pay_less": less, "pay_the_same": same,
        })),
        "objections": objections,
        "levels": totals.levels().collect::<Vec<_>>(),
        "max_gas": asked.max_gas,
        "over_max_gas": asked.max_gas.map(|_| totals.over),
        "fees_at_stack": asked.stack.map(|_| totals.at_stack.fees.to_string()),
        "beyond_limit_at_stack": asked.stack.map(|_| totals.at_stack.beyond),
        "stack_at_lowest_fee": totals.largest_stack,
    });
    for (name, value) in stack_advice::json(totals, asked.stack) {
        json[name] = value;
    }
    json
}
