//! What `run`, `noise` and `nightly` measure with.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::SignedDuration;

use super::exit::UsageError;
use super::sources::Sources;
use crate::app::{Filter, PlanRequest, strategy_named};
use crate::experiment::{self, EXPERIMENTS, Experiment, MEMORY};
use crate::measure::{Plan, Profile, Shard};

/// What is measured, for how long, and where it is kept.
#[derive(Debug, Args)]
pub struct Measuring {
    #[command(flatten)]
    sources: Sources,
    /// The machine that the fee is stated on [default: params/reference.toml if it is there, otherwise the shipped one]
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Folder in which the folder of this run is made
    #[arg(long, value_name = "DIR", default_value = "reports")]
    out: PathBuf,
    /// What to find out: the fee of a memory, which reset strategy is cheapest where, what moves the cost of a call, the fee of validating,
    /// compiling, loading or linking a contract, how files are best read and metadata kept, the fee of a payload, the fee of a stack;
    /// several by commas, `all` for every one: each is measured for the whole time
    #[arg(long, value_name = "A,B", default_value = MEMORY.name, value_delimiter = ',', value_parser = experiments())]
    experiment: Vec<String>,
    /// How long to measure: quick 20 s, standard 2 min, nightly 10 min; but two rounds in each process at least, and up to three times as long
    /// where a fee is too noisy to sign
    #[arg(long, value_parser = profiles(), default_value = "standard")]
    profile: Profile,
    /// Another time for measuring, such as 45s or 5m; every process measures two rounds at least, however long they take
    #[arg(long, value_name = "TIME", value_parser = Plan::budget_of, conflicts_with = "profile")]
    budget: Option<SignedDuration>,
    /// Reset strategies to measure; the chain's own is always among them [default: beside the fee of a memory fresh-map, pool-decommit,
    /// pool-keep-resident and recycle-adaptive; in the strategies experiment all; in others the chain's own]
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = strategy)]
    strategy: Vec<String>,
    /// In the strategies experiment: also measure N threads at the same cycle at once, and one beside a thread that spins
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: u32,
    /// The name of this machine in records, alerts and trends [default: what it calls itself]
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// Seed of every shuffle and resample [default: a new one, printed and recorded]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Measure only the I-th of N shares of the processes; `fit` merges the shares, which must have one seed
    #[arg(long, value_name = "I/N", requires = "seed")]
    shard: Option<Shard>,
    /// Measure only points with this regular expression in their names, such as `touch-memory/pages17-stack64KiB touching 17 pages under
    /// fresh-map`; the table says that the others may not be covered
    #[arg(long, value_name = "REGEX")]
    filter: Option<Filter>,
}

/// What stands for every experiment.
const ALL: &str = "all";

/// The profiles by name.
pub fn profiles() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::NAMES).try_map(|name| Profile::named(&name).ok_or("no such profile"))
}

impl Measuring {
    /// A request for each experiment, in the order in which they are named.
    pub fn requests(&self) -> Vec<PlanRequest> {
        let named = |name: &String| {
            if name == ALL { EXPERIMENTS.to_vec() } else { experiment::find(name).into_iter().collect() }
        };
        let mut experiments: Vec<&'static Experiment> = Vec::new();
        for experiment in self.experiment.iter().flat_map(named) {
            if !experiments.contains(&experiment) {
                experiments.push(experiment);
            }
        }
        experiments.into_iter().map(|experiment| self.request(experiment)).collect()
    }

    /// The request, where one experiment alone makes sense.
    pub fn only(&self) -> Result<PlanRequest, UsageError> {
        let mut requests = self.requests();
        match (requests.pop(), requests.is_empty()) {
            (Some(request), true) => Ok(request),
            _ => Err(UsageError("name one experiment alone".into())),
        }
    }

    fn request(&self, experiment: &'static Experiment) -> PlanRequest {
        let Sources { contracts, require_toolchain, chain } = self.sources.clone();
        PlanRequest {
            contracts,
            require_toolchain,
            chain,
            reference: self.reference.clone(),
            may_go_on: self.budget.is_none(),
            out: self.out.clone(),
            experiment,
            profile: self.budget.map_or(self.profile, Profile::within),
            strategies: self.strategy.clone(),
            threads: self.threads,
            workload: None,
            node: self.node.clone(),
            seed: self.seed,
            shard: self.shard,
            filter: self.filter.clone(),
        }
    }
}

/// The names of the experiments.
fn experiments() -> PossibleValuesParser {
    PossibleValuesParser::new(EXPERIMENTS.iter().map(|experiment| experiment.name).chain([ALL]))
}

/// A strategy that can run here.
pub fn strategy(text: &str) -> Result<String, String> {
    strategy_named(text).map(|strategy| strategy.name().to_owned()).map_err(|error| error.to_string())
}
