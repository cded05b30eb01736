use std::path::PathBuf;

use jiff::SignedDuration;

use crate::app::PlanRequest;
use crate::measure::{Plan, Profile};
use crate::text::quoted;

/// What is measured as words of a command line. `budget` is what was given in the place of a profile.
pub fn words(plan: &PlanRequest, budget: Option<SignedDuration>) -> String {
    let path = |flag: &str, path: Option<&PathBuf>| path.map(|path| format!("{flag} {}", quoted(path)));
    let length = match (budget, plan.profile) {
        (Some(budget), _) => format!("--budget {}", Plan::budget_text(budget)),
        (None, Profile::QUICK) => "--profile quick".to_owned(),
        (None, Profile::STANDARD) => "--profile standard".to_owned(),
        (None, _) => "--profile nightly".to_owned(),
    };
    let words = [
        path("--contracts", plan.contracts.as_ref()),
        path("--chain", plan.chain.as_ref()),
        path("--reference", plan.reference.as_ref()),
        Some(format!("--out {}", quoted(&plan.out))),
        Some(length),
        (!plan.strategies.is_empty()).then(|| format!("--strategy {}", plan.strategies.join(","))),
        plan.require_toolchain.then(|| "--require-toolchain".to_owned()),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
