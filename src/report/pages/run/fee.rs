use super::deciding;
use crate::experiment::MEMORY;
use crate::experiment::memory::{PER_GROWN_PAGE, PER_PAGE};
use crate::params::{INIT_BASE, INIT_PER_PAGE, Param};
use crate::report::document::{Block, Table};
use crate::report::passage::Passage;
use crate::report::words::{counted, gas_said, interval, nanos};
use crate::report::{Story, notes};

/// The proposed fee in one sentence, and how it comes about.
pub(super) fn blocks(story: &Story<'_>) -> Vec<Block> {
    let proposes = story.run.plan.experiment.proposes;
    let mut blocks: Vec<Block> =
        story.verdict_on_run().map(|verdict| Block::Warning(verdict.into())).into_iter().collect();
    if proposes && let Some(reasons) = Block::some(Block::List, story.fit.rejected.iter().map(ToString::to_string)) {
        blocks.extend([Block::Warning("The fit must not be used, so no table was written.".into()), reasons]);
    }
    blocks.extend(sentence(story).map(|sentence| Block::Lead(sentence.into())));
    if let Some(fee) = fee(story) {
        let text = fee.text();
        blocks.extend([Block::Table(fee.table.titled("Proposed parameters")), text]);
    } else if !proposes {
        blocks.push(Block::Text(
            format!("This run finds out {}; no fee follows from it.", story.run.plan.experiment.about).into(),
        ));
    } else if blocks.is_empty() {
        blocks.push(Block::Text("No fee follows from this run.".into()));
    }
    if let Some(notes) = Block::some(Block::List, notes(story)) {
        blocks.extend([Block::Text("To bear in mind:".into()), notes]);
    }
    blocks
}

/// The proposed parameters.
pub(super) fn fee(story: &Story<'_>) -> Option<Passage> {
    let row = |(name, param): (&String, &Param)| {
        let measured = param.measured.map_or_else(|| "–".into(), |measured| nanos(measured.value));
        [name.clone(), story.gas(param.gas), nanos(param.nanos.value), interval(&param.nanos), measured]
    };
    let headings = ["parameter", "gas", "time", "95 % interval", "measured"];
    let table = Table::of_figures(headings, story.table?.in_order().map(row));
    let chain = story.chain;
    let strategy = chain.strategy_in_full();
    let mut sentences = vec![
        format!(
            "A charge {} % above the cost under {strategy} of every class of points, the dearest of which write every byte, {}.",
            chain.margin * 100.0,
            story.stated_on()
        ),
        gas_follows(story),
    ];
    sentences.extend(deciding::sentences(story));
    Some(Passage::new("fee", "Proposed fee", table, sentences))
}

/// The fee in one sentence with its intervals.
pub(super) fn sentence(story: &Story<'_>) -> Option<String> {
    let params = &story.table?.params;
    let (base, page) = (params.get(INIT_BASE)?, params.get(INIT_PER_PAGE)?);
    let part = |param: &Param| {
        let gas = gas_said(story.gas_unit(), param.gas);
        format!("{gas} ({}; 95 % interval {})", nanos(param.nanos.value), interval(&param.nanos))
    };
    let own = [&MEMORY.base, &PER_PAGE.parameter, &PER_GROWN_PAGE.parameter].map(|parameter| parameter.name);
    let further = story.table?.terms().filter(|(term, _)| !own.contains(&term.parameter.name));
    let further: Vec<String> =
        further.map(|(term, param)| format!("{} for each of `{}`", part(param), term.parameter.name)).collect();
    let further = if further.is_empty() { String::new() } else { format!(", and on top {}", further.join(" and ")) };
    Some(format!("A call would pay {} and, for each initial page of 64 KiB, {}{further}.", part(base), part(page)))
}

/// How gas follows from a time.
pub(super) fn gas_follows(story: &Story<'_>) -> String {
    let digits = counted(story.chain.significant_digits, "digit", "digits");
    format!("Gas is time × safety {}, rounded up to {digits}.", story.chain.safety_factor)
}
