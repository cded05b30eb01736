//! A run of something other than memories: each factor with its price, the ways of doing the same, what leaving one out costs, and mixtures that were not fitted.

use super::checks::{Check, checks};
use super::fee::gas_follows;
use super::range::range;
use super::verdict::verdict;
use super::{deciding, machine};
use crate::experiment::{BASE, Column, Regressor};
use crate::model::{Alternative, ClassFit, Model, PointFit, Statistic, StrategyFit};
use crate::report::Story;
use crate::report::document::{Block, Document, Facts, Section, Table};
use crate::report::notes::{notes, shortened};
use crate::report::pages::effects;
use crate::report::passage::Passage;
use crate::report::words::{gas_of, interval, nanos, or_dash, plus_minus, times_more};

/// Everything about it.
pub(super) fn page(story: &Story<'_>) -> Document {
    let mut page = document(story, true);
    page.title = format!("{}: run {}", story.run.plan.experiment.title, story.run.run);
    let further = [
        ("points", "Points", points(story)),
        ("machine", "Machine", machine::blocks(story)),
        ("repeat", "Repeat it", machine::repeat(story)),
    ];
    let further = further.into_iter().filter(|(.., blocks)| !blocks.is_empty());
    page.sections.extend(further.map(|(id, heading, blocks)| Section::new(id, heading, blocks)));
    page.footer = format!("estimator {}, Wasmtime {}", story.run.estimator, story.run.wasmtime);
    page
}

/// The same in what a comment has room for.
pub(super) fn summary(story: &Story<'_>) -> Document {
    let mut summary = document(story, true);
    // The price and what was checked of it are what a reader wants first.
    for section in summary.sections.iter_mut().filter(|section| !matches!(section.id, "rejected" | "prices")) {
        section.is_folded = true;
    }
    let repeat = Block::Code(story.run.command.clone());
    summary.sections.push(Section::new("repeat", "To repeat it", vec![repeat]).folded());
    summary
}

/// The same for a terminal: prices, checks and some notes, or `all`. `files` are named at its end.
pub(super) fn brief(story: &Story<'_>, files: &[(&str, String)], all: bool) -> Document {
    let mut brief = document(story, all);
    brief.sections.retain(|section| all || matches!(section.id, "rejected" | "prices" | "checks" | "notes"));
    let files = files.iter().map(|(name, file)| (*name, file.clone()));
    let rest = (!all).then(|| ("rest", "--verbose shows mixtures, what each factor buys, and all notes".to_owned()));
    let files = Facts::new("Files", files.chain(rest));
    brief.sections.push(Section::unheaded("files", vec![Block::Facts(files)]));
    brief
}

fn document(story: &Story<'_>, all: bool) -> Document {
    let proposes = story.fit.experiment.proposes;
    let rejected = story.fit.rejected.iter().filter(|_| proposes).map(ToString::to_string);
    let rejected = Block::some(Block::List, rejected);
    let rejected = rejected.map(|reasons| Section::new("rejected", "The fit must not be used", vec![reasons]));
    let passages = story.own().zip(story.model()).filter(|_| proposes).map(|(own, model)| {
        let passages = [
            Some(prices(story, model)),
            range(story, own, model),
            mixtures(story, own, model),
            left_out(story, own, model),
        ];
        passages.into_iter().flatten().map(Passage::section).collect::<Vec<_>>()
    });
    let notes = Block::some(Block::List, shortened(notes(story), all));
    Document {
        title: format!("Run {}", story.run.run),
        about: story.about(story.run.machine.summary()),
        sections: rejected
            .into_iter()
            .chain(passages.into_iter().flatten())
            .chain(effects::passages(story).into_iter().map(Passage::section))
            .chain(found(story).filter(|_| proposes))
            .chain(notes.map(|notes| Section::new("notes", "Notes", vec![notes])))
            .collect(),
        ..Document::default()
    }
}

/// What each factor costs by the line of least relative error, and would pay.
fn prices(story: &Story<'_>, model: &Model) -> Passage {
    let experiment = story.fit.experiment;
    let gas = |parameter: &str| story.table.and_then(|table| table.params.get(parameter));
    let lines = [&model.relative, &model.plain];
    let row = |regressor: &Regressor, name: &str| {
        let price = if name == experiment.base.name {
            Some(model.covering.base)
        } else {
            model.covering.terms.iter().find(|of| of.term.parameter.name == name).map(|of| of.price)
        };
        let [relative, plain] = lines.map(|line| plus_minus(line.coefficient(regressor)));
        let pays = price.map_or_else(|| "–".into(), |price| nanos(price.value));
        let ends = price.map_or_else(|| "–".into(), |price| interval(&price));
        let gas = gas_of(story.gas_unit(), gas(name));
        [name.to_owned(), gas, pays, ends, relative, plain]
    };
    let terms = experiment.line.iter().zip(experiment.terms).map(|(of, term)| row(of, term.parameter.name));
    let rows = std::iter::once(row(&BASE, experiment.base.name)).chain(terms);
    let headings = ["parameter", "gas", "pays", "95 % interval", "costs", "plain least squares"];
    let chain = story.chain;
    let mut sentences = vec![
        format!(
            "A charge {} % above the {} under {} of every point, {}, {}. What a factor costs is by the line of least relative error.",
            story.fit.settings.margin * 100.0,
            chain.statistic,
            chain.strategy_in_full(),
            experiment.worst_case,
            story.stated_on()
        ),
        gas_follows(story),
    ];
    sentences.extend(deciding::sentences(story));
    sentences.push(verdict(story));
    Passage::new("prices", format!("Proposed: {}", experiment.about), Table::of_figures(headings, rows), sentences)
}

/// The points that validate the fit, with their phases.
fn mixtures(story: &Story<'_>, own: &StrategyFit, model: &Model) -> Option<Passage> {
    let contract = story.fit.experiment.held_out?;
    let is_mixed = |class: &&ClassFit| class.point.contract == contract;
    let mut mixed: Vec<&ClassFit> = own.classes.iter().filter(is_mixed).collect();
    mixed.sort_by(|one, other| one.cost.value.total_cmp(&other.cost.value));
    let phases = story.fit.experiment.phases;
    let row = |class: &&ClassFit| {
        let charge = model.covering.charge(&class.point);
        let point = own.points.iter().find(|found| found.point == class.point);
        let phase = |name| point.map_or_else(|| "–".into(), |found| found.phase(name).to_string());
        let over = times_more(charge / class.cost.value);
        let cells = [class.point.variant.clone(), nanos(class.cost.value), interval(&class.cost), nanos(charge), over];
        cells.into_iter().chain(phases.iter().map(|of| phase(of.name))).collect::<Vec<_>>()
    };
    let headings = ["module", "costs", "95 % interval", "pays", "pays/costs"].map(str::to_owned).into_iter();
    let headings = headings.chain(phases.iter().map(|phase| phase.name.replace('_', " ")));
    let table = Table::of_figures(headings, mixed.iter().map(row));
    let held = model.held_out.as_ref().map(|held_out| {
        format!(
            "A fit of the other points alone predicts these: measured/predicted {:.3} ({:.3} … {:.3}), {} undercharged by the charge \
             that covers the others.",
            held_out.slope.value,
            held_out.slope.low,
            held_out.slope.high,
            held_out.undercharged.len()
        )
    });
    (!mixed.is_empty()).then(|| Passage::new("mixtures", "Mixed modules", table, held.into_iter().collect()))
}

/// What a charge takes that does not count one of the factors, or knows the size alone.
fn left_out(story: &Story<'_>, own: &StrategyFit, model: &Model) -> Option<Passage> {
    let row = |of: &Alternative| {
        let held_out = story.fit.experiment.held_out;
        let over = (own.classes.iter())
            .filter(|class| held_out.is_none_or(|contract| class.point.contract == contract))
            .map(|class| of.charge(&class.point) / class.cost.value);
        let middle = or_dash(Statistic::Median.of(over.collect()).map(times_more));
        let limit = or_dash(limit(story, model, of));
        [of.words(story.fit.experiment), middle, times_more(1.0 + of.worst), of.dearest.clone(), limit]
    };
    let headings = ["charge", "a mixed module pays", "the dearest pays", "which is", "limit"];
    let sentences = vec![
        "As a multiple of the cost, the margin included, where the charge covers every point all the same.".into(),
        "A factor that is not priced must be limited, or whoever declares most of it is paid for by all others: up to the limit, a base \
         of twice as much covers it."
            .into(),
    ];
    let table = Table::of_words(headings, model.alternatives.iter().map(row));
    (!model.alternatives.is_empty())
        .then(|| Passage::new("left-out", "What a factor buys that is priced", table, sentences))
}

/// How much of what an alternative leaves out costs as much as the base.
fn limit(story: &Story<'_>, model: &Model, of: &Alternative) -> Option<String> {
    let left_out = story.fit.experiment.terms.iter().find(|term| !of.terms.contains(term))?;
    let price = model.covering.price(left_out.name).filter(|price| of.terms.len() > 1 && price.value > 0.0)?.value;
    let Column::Level(factor) = left_out.column else { return None };
    story.run.plan.points.iter().find(|planned| planned.point.level(factor) > 1)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a count, rounded down"
    )]
    let limit = (model.covering.base.value / price * left_out.per as f64) as u64;
    Some(factor.shown(limit))
}

/// What was checked of the fit.
fn found(story: &Story<'_>) -> Option<Section> {
    let wanted =
        [Check::HeldOut, Check::Undercharged, Check::Drift, Check::Moving, Check::FarOut, Check::Spread, Check::Band];
    let found = checks(story).into_iter().filter(|(check, _)| wanted.contains(check));
    let found: Vec<_> = found.map(|(check, finding)| (check.to_string(), finding)).collect();
    let blocks = vec![Block::Facts(Facts::new("", found.iter().cloned()))];
    (!found.is_empty()).then(|| Section::new("checks", "Checks, with 95 % intervals", blocks))
}

/// Every design point, a table for each strategy.
fn points(story: &Story<'_>) -> Vec<Block> {
    let table = |fit: &StrategyFit| {
        let row = |found: &PointFit| {
            let pays = story.model().map(|model| model.covering.charge(&found.point));
            let over = pays.map_or_else(|| "–".into(), |pays| times_more(pays / found.cost.value));
            let name = format!("{}/{}", found.point.contract, found.point.variant);
            let cells =
                [name, nanos(found.cost.value), interval(&found.cost), pays.map_or_else(|| "–".into(), nanos), over];
            let phases = found.phases.iter().map(|phase| phase.median.to_string());
            cells.into_iter().chain(phases).chain([found.cycles.to_string()]).collect::<Vec<_>>()
        };
        let headings = ["module", "cost", "95 % interval", "pays", "pays/costs"].map(str::to_owned).into_iter();
        let phases = story.fit.experiment.phases.iter().map(|phase| phase.name.replace('_', " "));
        let headings = headings.chain(phases).chain(["cycles".into()]);
        Block::Table(Table::of_figures(headings, fit.points.iter().map(row)).titled(format!("Under {}", fit.strategy)))
    };
    let text = "What each module declares is in points.csv. Phases are medians, each by itself.";
    let tables = story.fit.strategies.iter().map(table);
    std::iter::once(Block::Text(text.into())).chain(tables).collect()
}
