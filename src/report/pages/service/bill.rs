use super::{PRICE, framed};
use crate::contract::survey::{STACKS, SurveyRow};
use crate::params::{Objection, PriceRow};
use crate::report::document::{Block, Document, Facts, Section, Table, Upload};
use crate::report::words::{or_dash, percent, ratio, share};
use crate::units::{Bytes, Gas};

const UPLOAD: Upload = Upload {
    to: PRICE,
    label: "A contract (.wasm or .wasm.gz)",
    accept: ".wasm,.gz,application/wasm,application/gzip",
    button: "Price it",
};

fn form() -> Section {
    Section::new("contract", "Contract", vec![Block::Upload(UPLOAD)])
}

/// Where a person picks a contract, or drops it.
#[must_use]
pub fn empty() -> Document {
    let about =
        vec!["What a call pays for the memory of a contract. The contract is validated; none of its code runs.".into()];
    framed("Price a contract", about, vec![form()])
}

/// The bill of a contract.
#[must_use]
pub fn bill(price: &PriceRow, facts: &SurveyRow, objections: &[Objection], by: &str) -> Document {
    let pages = or_dash(price.declared_pages);
    let lead = match price.fee {
        Some(fee) => format!("A call pays {fee} gas for {pages} pages of memory."),
        None => format!("There is no fee for {pages} pages of memory."),
    };
    let mut fee = vec![Block::Lead(lead.into())];
    fee.extend(objections.iter().map(|objection| Block::Warning(objection.to_string().into())));
    let limit = (price.beyond_limit == Some(true)).then_some("It declares more pages than the chain allows.");
    fee.extend(limit.map(|limit| Block::Warning(limit.into())));
    let of_fee = |part: Option<Gas>| part.zip(price.fee).map(|(part, fee)| ratio(part.0.into(), fee.0.into()));
    let stack = or_dash(price.fee_of_stack);
    let due = [stack, or_dash(of_fee(price.fee_of_stack).map(share)), "–".into()];
    let ats = [price.fee_at_16_kib, price.fee_at_64_kib, price.fee_at_256_kib];
    let at = STACKS.into_iter().zip(ats).map(|(stack, at)| {
        let saved = of_fee(at).map(|part| percent(part - 1.0));
        [format!("with a stack of {stack}, at least"), or_dash(at), or_dash(of_fee(at).map(share)), or_dash(saved)]
    });
    let [stack, part, none] = due;
    let rows = [["due to the stack".to_owned(), stack, part, none]].into_iter().chain(at);
    fee.push(Block::Table(Table::of_figures(["", "gas", "of the fee", "change"], rows)));
    fee.extend(price.remark.map(|remark| Block::Text(format!("Of its stack: it {remark}.").into())));
    let size = |bytes: Option<u64>| or_dash(bytes.map(Bytes));
    let declared = [
        ("size", size(facts.bytes)),
        ("SHA-256", or_dash(facts.sha256.clone())),
        ("initial pages", or_dash(facts.initial_pages)),
        ("pages at most", or_dash(facts.max_pages)),
        ("stack", size(facts.stack_bytes)),
        ("data", size(facts.data_bytes)),
        ("functions", or_dash(facts.functions)),
        ("imports", or_dash(facts.imports)),
        ("language", or_dash(facts.language.clone())),
    ];
    let declared = Block::Facts(Facts::new("", declared));
    let sections =
        vec![Section::new("fee", "Fee", fee), Section::new("declared", "What it declares", vec![declared]), form()];
    framed(format!("The bill of {}", price.file), vec![by.to_owned()], sections)
}
