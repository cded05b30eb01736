use super::story::Story;
use crate::experiment::Factor;
use crate::host::{Hazard, State};
use crate::model::{CONDITION_DOUBTFUL, Estimate, Model};
use crate::params::GROW_PER_PAGE;

/// Half-widths of intervals, relative to the value, beyond which a reader is warned.
const WIDE_BASE: f64 = 0.25;
const WIDE_PER_PAGE: f64 = 0.05;

/// Drift over a run beyond which a reader is warned, if it is certain.
const LARGE_DRIFT: f64 = 0.1;

/// What somebody who signs the numbers should know, a sentence each: for the table and all reports.
#[must_use]
pub fn notes(story: &Story<'_>) -> Vec<String> {
    let mut notes: Vec<String> = story.reference_notes.to_vec();
    notes.extend(of_plan(story));
    notes.extend(hazards(story).map(|hazard| format!("{}: {}", hazard.name, hazard.detail)));
    notes.extend(of_fit(story));
    notes
}

/// The same without the hazards.
pub(super) fn findings(story: &Story<'_>) -> Vec<String> {
    story.reference_notes.iter().cloned().chain(of_fit(story)).chain(of_plan(story)).collect()
}

/// Hazards that are present; older runs took a random layout of addresses for one, which it is on every machine.
pub(super) fn hazards<'a>(story: &Story<'a>) -> impl Iterator<Item = &'a Hazard> {
    story.run.hazards.iter().filter(|hazard| hazard.state == State::Yes && hazard.name != "aslr")
}

/// Notes that are shown where not all are.
const SHOWN: usize = 3;

/// Notes, or the first few and how many there are more.
pub(super) fn shortened(mut notes: Vec<String>, all: bool) -> Vec<String> {
    let more = notes.len().saturating_sub(SHOWN);
    if more > 0 && !all {
        notes.truncate(SHOWN);
        notes.push(format!("and {more} more"));
    }
    notes
}

fn of_fit(story: &Story<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let Some(own) = story.own() else { return notes };
    if own.single_process {
        notes.push("one process alone was measured, so the intervals leave out what differs between processes".into());
    }
    if let Some(model) = own.model.as_ref().filter(|_| story.fit.experiment.proposes || story.is_of_memory()) {
        notes.extend(of_model(story, model));
    }
    notes
}

fn of_plan(story: &Story<'_>) -> Vec<String> {
    let measured = story.run.plan.points.first().map(|planned| planned.point.strategy.as_str());
    let other = measured.filter(|measured| *measured != story.chain.strategy).map(|measured| {
        format!(
            "the run was planned for {measured}: under {} it has fewer points, so that growth and data may not be \
             covered",
            story.chain.strategy
        )
    });
    story.run.left_out.iter().cloned().chain(other).chain(beyond_measured(story)).chain(measured_up_to(story)).collect()
}

/// The largest levels of a run whose fee is by factors: what a chain has to limit if it is to rely on nothing else.
fn measured_up_to(story: &Story<'_>) -> Option<String> {
    let most = story.run.plan.measured_up_to();
    let said = |(factor, most): &(&Factor, u64)| format!("{} {}", factor.shown(*most), factor.name.replace('_', " "));
    (!most.is_empty()).then(|| {
        format!(
            "measured up to {}: beyond, charges are extrapolated, so limit what a contract may declare",
            most.iter().map(said).collect::<Vec<_>>().join(", ")
        )
    })
}

/// A line says nothing of costs beyond its last point.
fn beyond_measured(story: &Story<'_>) -> Option<String> {
    let allowed = story.chain.initial_pages_max;
    let largest = story.largest().filter(|&largest| story.is_of_memory() && largest < allowed)?;
    Some(format!(
        "the largest memory measured has {largest}, and the chain allows {allowed}: charges beyond are extrapolated; add levels to \
         the contracts to measure them"
    ))
}

fn of_model(story: &Story<'_>, model: &Model) -> Vec<String> {
    let mut notes = Vec::new();
    let base = model.covering.base;
    let per_page = model.covering.leading().map(|unit| {
        let what = if story.is_of_memory() { "charge per page" } else { "leading charge" };
        (what, unit, WIDE_PER_PAGE)
    });
    for (what, estimate, limit) in [("base", base, WIDE_BASE)].into_iter().chain(per_page) {
        if estimate.relative_half_width() > limit {
            notes.push(format!("the {what} is known to {} only; measure longer", spread(&estimate)));
        }
    }
    if story.is_of_memory() && model.covering.price("grown").is_none() {
        notes.push(format!("{GROW_PER_PAGE} is not in the table: no point that grows was measured"));
    }
    if model.condition > CONDITION_DOUBTFUL {
        notes.push(format!("the factors are nearly collinear (condition number {:.0})", model.condition));
    }
    if let Some(drift) = model.drift.map(|drift| drift.over_run)
        && drift.value.abs() > LARGE_DRIFT
        && !drift.holds(0.0)
    {
        notes.push(format!("the machine drifted by {:+.0} % over the run", drift.value * 100.0));
    }
    if let Some(held_out) = model.held_out.as_ref().filter(|held_out| !held_out.undercharged.is_empty()) {
        notes.push(format!("a line without them would undercharge {}", held_out.undercharged.join(", ")));
    }
    notes
}

fn spread(estimate: &Estimate) -> String {
    format!("±{:.0} %", estimate.relative_half_width() * 100.0)
}
