//! Which reset strategies a run measures.

use std::path::Path;

use super::error::Error;
use super::session::Session;
use crate::contract::reads_levels;
use crate::experiment::Experiment;
use crate::experiment::stack::STACK;
use crate::host::address_space_limit;
use crate::measure::thresholds;
use crate::params::ChainSettings;
use crate::runtime::isolation::{self, IsolationError};
use crate::runtime::{self, KNOWN, Known, MemoryLimit, NodeSettings, STRATEGIES, Strategy, Thresholds, USUAL};
use crate::text::with_causes;

/// The strategy of this name, if there is one and this machine has what it needs.
///
/// # Errors
/// There is none of that name, or the machine lacks something.
pub fn strategy_named(name: &str) -> Result<&'static dyn Strategy, Error> {
    let strategy = runtime::find(name).ok_or_else(|| Error::Usage(format!("the strategies are {}", Known::names())))?;
    strategy.available()?;
    Ok(strategy)
}

/// The chain's own first, then the others, as far as this machine can run them and they let no tenant see another; with the
/// thresholds that they use. None `asked` for are the usual ones, or all to compare.
pub(super) fn choose(
    asked: &[String],
    experiment: &Experiment,
    chain: &ChainSettings,
    session: &Session<'_>,
) -> Result<(Vec<&'static str>, Thresholds), Error> {
    for name in asked {
        strategy_named(name)?;
    }
    if let Some(name) = std::iter::once(&chain.strategy).chain(asked).find(|name| !is_told(experiment, name)) {
        let fit: Vec<&str> = KNOWN.iter().filter(|known| known.has_images).map(|known| known.name).collect();
        return Err(Error::Usage(format!(
            "under `{name}` what {experiment} costs does not follow from what a module declares, since all data is copied into every instance: \
             measure it under one of {}, by `strategy` in a chain file of its own",
            fit.join(", ")
        )));
    }
    if *experiment == STACK && runtime::find(&chain.strategy).is_some_and(Strategy::is_interpreter) {
        return Err(Error::Usage(format!(
            "no stack fee is stated for `{}`: what is priced is a stack of Wasmtime's, and the interpreter's are held against it. Measure it \
             under a strategy of Wasmtime, by `strategy` in a chain file of its own, and read the rows of wasmi",
            chain.strategy
        )));
    }
    let is_own = |strategy: &&dyn Strategy| strategy.name() == chain.strategy;
    let is_asked = |strategy: &&dyn Strategy| match asked {
        // Who chooses a strategy has an engine.
        [] if experiment.ranks => !strategy.is_interpreter(),
        [] if !experiment.beside => false,
        [] => USUAL.iter().any(|usual| usual.name() == strategy.name()),
        asked => asked.iter().any(|name| name == strategy.name()),
    };
    let own = STRATEGIES.into_iter().filter(is_own);
    let others = STRATEGIES.into_iter().filter(|strategy| !is_own(strategy)).filter(is_asked);
    let mut chosen = Vec::new();
    let mut measured = Thresholds::NEVER;
    for strategy in own.chain(others) {
        let name = strategy.name();
        match fitness(strategy, chain) {
            Ok(thresholds) => {
                chosen.push(name);
                if strategy.uses_thresholds() {
                    measured = thresholds;
                }
            }
            Err(error @ Error::Isolation(IsolationError::Leak { .. })) => return Err(error),
            Err(error) if is_own(&strategy) => {
                return Err(error.context(format!("the chain's strategy `{name}` cannot run here{}", limit())));
            }
            Err(error) => session.note(&left_out(name, &with_causes(&error))),
        }
    }
    Ok((chosen, measured))
}

/// Whether the factors of an experiment tell what it costs under a strategy.
fn is_told(experiment: &Experiment, strategy: &str) -> bool {
    !reads_levels(experiment) || Known::named(strategy).is_none_or(|known| known.has_images)
}

/// Makes sure that this machine can run a strategy and that it isolates, with the thresholds that it would use here.
pub(super) fn fitness(strategy: &dyn Strategy, chain: &ChainSettings) -> Result<Thresholds, Error> {
    strategy.available()?;
    let thresholds = thresholds(strategy)?;
    let ChainSettings { keep_resident, pool_slots, pages_max, .. } = *chain;
    let node = NodeSettings { keep_resident, pool_slots, thresholds, ..NodeSettings::new(MemoryLimit(pages_max)) };
    isolation::check(strategy, node)?;
    Ok(thresholds)
}

/// What is said of a strategy that cannot be set up here and is not needed.
pub(super) fn left_out(strategy: &str, reason: &str) -> String {
    format!("{strategy} is left out: {reason}{}", limit())
}

/// The limit of this process that may be behind what the kernel refuses, to be added to a sentence.
pub(super) fn limit() -> String {
    address_space_limit(Path::new("/")).map_or_else(String::new, |limit| format!("; {limit}"))
}
