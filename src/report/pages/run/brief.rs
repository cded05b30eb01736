use super::checks::{Check, finding};
use super::verdict::verdict;
use super::{alternatives, costs, deciding, factors, fee};
use crate::report::document::{Block, Column, Document, Facts, Section, Table, Text, Tone};
use crate::report::spark::{bar, sparkline};
use crate::report::words::{counted, more, ratio_range};
use crate::report::{Story, notes};

/// A run in at most 45 lines of 80 columns, or with `all` that is known of it. `files` are named at its end.
#[must_use]
pub fn brief(story: &Story<'_>, files: &[(&str, String)], all: bool) -> Document {
    if !story.is_of_memory() {
        return factors::brief(story, files, all);
    }
    let mut sections = Vec::new();
    let fee = fee::fee(story).map(|fee| Section::unheaded("fee", vec![headed("Proposed fee", fee.table)]));
    let about = story.about(story.run.machine.summary()).into_iter().chain(fee.is_some().then(|| verdict(story)));
    sections.extend(fee);
    let charges = costs::charges(story).map(|charges| headed("A call of", charges.table));
    sections.extend(charges.map(|charges| Section::unheaded("charges", vec![charges])));
    let others = alternatives::alternatives(story).filter(|_| all).map(|others| headed("Other terms", others.table));
    sections.extend(others.map(|others| Section::unheaded("alternatives", vec![others])));
    sections.push(Section::unheaded("strategies", vec![headed("Strategy", strategies(story, all))]));
    let files = files.iter().map(|(name, file)| (*name, file.clone()));
    let rest = (!all).then(|| ("rest", MORE.to_owned()));
    let last = Facts::new("Checks", checks(story, all).unwrap_or_default().into_iter().chain(files).chain(rest));
    sections.push(Section::unheaded("checks", vec![Block::Facts(last)]));
    if let Some(reasons) = Block::some(Block::List, story.fit.rejected.iter().map(ToString::to_string)) {
        let heading = Text::toned("The fit must not be used, so no table was written", Tone::Alarm);
        sections.push(Section { heading, ..Section::unheaded("rejected", vec![reasons]) });
    }
    Document { title: format!("Run {}", story.run.run), about: about.collect(), sections, ..Document::default() }
}

/// A table whose first heading says what it is.
fn headed(title: &str, mut table: Table) -> Block {
    table.columns[0].heading = title.into();
    Block::Table(table)
}

/// Characters of a bar.
const BAR: usize = 4;

/// Strategies that are shown where not all are.
const STRATEGIES: usize = 6;

const MORE: &str = "--verbose shows other terms, what decides each parameter, all notes";

/// The strategies, where there is room with a bar for what a page of a large memory costs.
fn strategies(story: &Story<'_>, all: bool) -> Table {
    let mut table = costs::by_strategy(story).table;
    let costs = costs::at_most(story);
    let dearest = costs.iter().flatten().fold(0.0, |dearest: f64, cost| dearest.max(*cost));
    if dearest > 0.0 {
        table.columns.push(Column { width: BAR, is_optional: true, ..Column::default() });
        for (row, cost) in table.rows.iter_mut().zip(costs) {
            row.push(cost.map_or_else(String::new, |cost| bar(cost / dearest, BAR)).into());
        }
    }
    let more = table.rows.len().saturating_sub(STRATEGIES);
    if more > 0 && !all {
        // The chain's own stays, wherever it stands.
        table.rows.sort_by_key(|row| !row[0].plain().ends_with('*'));
        table.rows.truncate(STRATEGIES);
        table.rows.push(vec![format!("and {more} more").into()]);
    }
    table
}

/// The checks, a line each where they fit; the summary has them in full.
fn checks(story: &Story<'_>, all: bool) -> Option<Vec<(&'static str, String)>> {
    let model = story.model()?;
    let deciding = deciding::sentences(story).into_iter().filter(|_| all);
    let mut said: Vec<(&str, String)> = deciding.map(|sentence| ("decided", sentence)).collect();
    said.push(("stack", finding(story, Check::Stack)?));
    if let Some(curve) = &model.curvature {
        said.push(("curve", format!("a page beyond {} costs {}", curve.breakpoint, more(curve.bend.value))));
    }
    if let Some(held_out) = &model.held_out {
        let (count, below) = (held_out.points.len(), held_out.undercharged.len());
        let slope = ratio_range(held_out.slope);
        let points = counted(count, "point", "points");
        said.push(("held out", format!("{points}, measured/predicted {slope}; undercharged {below}")));
    }
    // Where it decides, the first lines have it.
    let known = finding(story, Check::Band).filter(|_| all || story.fit.refused.is_empty());
    said.extend(known.map(|known| ("known", known)));
    said.push(("stated", story.stated_on()));
    said.extend(finding(story, Check::Surcharge).map(|held| ("surcharge", format!("small calls cost {held}"))));
    let line = sparkline(&story.timeline.by_process());
    let drift = [Some(line), finding(story, Check::Drift)];
    said.push(("drift", drift.into_iter().flatten().collect::<Vec<_>>().join("  ")));
    let (moving, far) = (finding(story, Check::Moving)?, finding(story, Check::FarOut)?);
    said.push(("noise", format!("points that move {moving}; far-out cycles, kept {far}")));
    let hazards: Vec<&str> = notes::hazards(story).map(|hazard| hazard.name.as_str()).collect();
    said.push(("hazards", if hazards.is_empty() { "none was found".into() } else { hazards.join(", ") }));
    said.extend(notes::shortened(notes::findings(story), all).into_iter().map(|note| ("note", note)));
    Some(said)
}
