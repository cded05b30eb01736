//! What a corpus of contracts pays.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::stack_advice;
use crate::params::{Objection, PriceRow, PriceTotals};
use crate::report::document::{Block, Column, Document, Section, Table, Text, Tone};
use crate::report::words::{change, or_dash, or_empty, percent, ratio, share};
use crate::units::{Bytes, Gas, group_digits};

/// What was asked beside the fee, for whoever shows it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    /// Whether there is an older table.
    pub compared: bool,
    /// A stack to price with.
    pub stack: Option<Bytes>,
    /// The most that a call may pay.
    pub max_gas: Option<Gas>,
}

/// The columns of [`row`]. The name comes last, so that no row need know how long others are.
#[must_use]
pub fn columns(asked: Asked, parts: &[&str]) -> Vec<Column> {
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
pub fn row(row: &PriceRow, asked: Asked) -> Vec<Text> {
    if let Some(error) = &row.error {
        return vec!["–".into(), format!("{}: {error}", row.file).into()];
    }
    let of_fee = |part: Option<Gas>| part.zip(row.fee).map(|(part, fee)| ratio(part.0.into(), fee.0.into()));
    let saves = |at: Option<Gas>| or_dash(of_fee(at).map(|part| percent(part - 1.0)));
    let mut cells = vec![
        or_empty(row.declared_pages),
        or_dash(row.fee),
        or_dash(of_fee(row.fee_of_stack).map(share)),
        saves(row.fee_at_16_kib),
        saves(row.fee_at_64_kib),
        saves(row.fee_at_256_kib),
    ];
    cells.extend(asked.stack.map(|_| saves(row.fee_at_stack)));
    cells.push(or_dash(row.stack_at_lowest_fee.map(Bytes)));
    if asked.compared {
        cells.extend([or_dash(row.old_fee), change(row.change)]);
    }
    if !row.parts.0.is_empty() {
        cells.extend(row.parts.0.iter().map(|(_, fee)| or_dash(*fee)));
        cells.push(or_dash(row.bill));
    }
    let limit = (row.beyond_limit == Some(true)).then_some("more pages than the chain allows");
    let notes: Vec<&str> = limit.into_iter().chain(row.remark).collect();
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
pub fn page(totals: &PriceTotals, asked: Asked) -> Document {
    let mut sections = Vec::new();
    let columns = if asked.compared { 5 } else { 3 };
    let headings = ["pages", "contracts", "fee of each", "old fee", "change"].into_iter().take(columns);
    let fees = totals.levels().map(|level| {
        let change = change(level.change);
        let cells =
            [level.pages.to_string(), level.contracts.to_string(), or_dash(level.fee), or_dash(level.old_fee), change];
        cells.into_iter().take(columns)
    });
    let fees = Table::of_figures(headings, fees);
    if let Some(fees) = fees.block() {
        sections.push(Section::new("fees", "Fees by pages", vec![fees]).then(", in gas a call"));
    }
    let text = |sentence: String| Block::Text(sentence.into());
    let gate = asked.max_gas.map(|most| gate(totals, most));
    let said = sentences(totals, asked).into_iter().map(text);
    sections.push(Section::unheaded("totals", gate.into_iter().chain(said).collect()));
    sections.extend(stack_advice::section(totals, asked.stack));
    Document { sections, ..Document::default() }
}

/// What came of holding them against a limit.
fn gate(totals: &PriceTotals, most: Gas) -> Block {
    let all = totals.contracts + totals.beyond_limit + totals.unpriced;
    match totals.over {
        0 => Block::Text(format!("Within {most} gas a call: {all} of {all}.").into()),
        over => Block::Warning(format!("Over {most} gas a call, or not known to be within: {over} of {all}.").into()),
    }
}

fn sentences(totals: &PriceTotals, asked: Asked) -> Vec<String> {
    let mut said = Vec::new();
    if totals.contracts > 0 {
        let saved = totals.at_stacks.map(|sum| percent(ratio(sum, totals.fees) - 1.0));
        let contracts = if totals.contracts == 1 {
            "1 contract, one call"
        } else {
            &format!("{} contracts, one call each", totals.contracts)
        };
        said.push(format!(
            "{contracts}: {} gas, of which {} is due to stacks. With stacks of 16, 64 and 256 KiB: {}, {} and {}.",
            grouped(totals.fees),
            share(ratio(totals.of_stack, totals.fees)),
            saved[0],
            saved[1],
            saved[2]
        ));
    }
    if !totals.parts.is_empty() {
        let part = |(name, sum): (&&str, &u128)| format!("{name} {}", share(ratio(*sum, totals.bills)));
        let parts: Vec<String> = totals.parts.iter().map(part).collect();
        said.push(format!("With all parts: {} gas, of which {}.", grouped(totals.bills), parts.join(", ")));
    }
    if let Some(stack) = asked.stack.filter(|_| totals.contracts > 0) {
        let change = percent(ratio(totals.at_stack, totals.fees) - 1.0);
        said.push(format!("With a stack of {stack}: {} gas, {change}.", grouped(totals.at_stack)));
    }
    if asked.compared {
        let [more, less, same] = totals.changes;
        let all = change((totals.old_fees > 0).then(|| ratio(totals.fees, totals.old_fees) - 1.0));
        said.push(format!(
            "Against the older table: {more} pay more, {less} less, {same} the same; all together {all}, from {} gas.",
            grouped(totals.old_fees)
        ));
    }
    for (count, what) in [
        (totals.untold, "do not tell how large their stack is; other stacks leave their fee as it is in the sums."),
        (totals.beyond_limit, "declare more pages than the chain allows: they have no fee and are in no sum."),
        (totals.unbilled, "have no bill: a part cannot be told from the module."),
        (totals.unpriced, "have no fee: more pages than can be priced."),
        (totals.broken, "files are no contracts."),
        (totals.missing, "names lead to no file."),
    ] {
        if count > 0 {
            said.push(format!("{count} {what}"));
        }
    }
    said
}

fn grouped(sum: u128) -> String {
    u64::try_from(sum).map_or_else(|_| sum.to_string(), group_digits)
}

/// The corpus for machines, with what speaks against the table. Sums are texts, since they can exceed what a JSON number holds exactly.
#[must_use]
pub fn json(totals: &PriceTotals, asked: Asked, objections: &[Objection]) -> Value {
    let [at_16_kib, at_64_kib, at_256_kib] = totals.at_stacks.map(|sum| sum.to_string());
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
        "compared": asked.compared.then(|| json!({
            "old_fees": totals.old_fees.to_string(), "pay_more": more, "pay_less": less, "pay_the_same": same,
        })),
        "objections": objections,
        "levels": totals.levels().collect::<Vec<_>>(),
        "max_gas": asked.max_gas,
        "over_max_gas": asked.max_gas.map(|_| totals.over),
        "fees_at_stack": asked.stack.map(|_| totals.at_stack.to_string()),
        "stack_at_lowest_fee": totals.largest_stack,
    });
    for (name, value) in stack_advice::json(totals, asked.stack) {
        json[name] = value;
    }
    json
}
