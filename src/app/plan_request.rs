use std::path::{Path, PathBuf};

use super::error::Error;
use super::filter::Filter;
use super::workload::check_experiment;
use crate::experiment::conditions::THREADS;
use crate::experiment::{Experiment, MEMORY};
use crate::host::Host;
use crate::measure::{Plan, Profile, Shard, check_node};
use crate::text::quoted;

/// What is measured, for how long, and where it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRequest {
    /// Folder of contracts; `None` for `estimator-contracts` if it is there, otherwise the built-in ones.
    pub contracts: Option<PathBuf>,
    /// Whether Rust contracts that cannot be compiled are an error, rather than left out.
    pub require_toolchain: bool,
    /// Chain settings; `None` for `params/chain.toml` if it is there, otherwise NEAR's.
    pub chain: Option<PathBuf>,
    /// The reference machine that the fee is stated on; `None` for `params/reference.toml` if it is there, otherwise the shipped one.
    pub reference: Option<PathBuf>,
    /// Whether a run that is too noisy at its end goes on, up to three times its length.
    pub may_go_on: bool,
    /// Folder in which the folder of the run is made.
    pub out: PathBuf,
    /// What to find out.
    pub experiment: &'static Experiment,
    /// How long to measure, from 1 s to 24 h, and in how many processes, of which an experiment that compares takes half.
    pub profile: Profile,
    /// Reset strategies to measure, by name; the chain's own is always among them. Empty for the usual ones, or for all where the
    /// experiment compares strategies.
    pub strategies: Vec<String>,
    /// Threads that measure the same cycle at once, from 1 to 64; more than 1 only to compare strategies.
    pub threads: u32,
    /// The mix of calls that strategies are compared for, only where the experiment compares them; `None` for none.
    pub workload: Option<PathBuf>,
    /// The name of this machine for people; `None` for what it calls itself.
    pub node: Option<String>,
    /// Seed of every shuffle and resample; `None` for a new one.
    pub seed: Option<u64>,
    /// The share of the processes that is measured; `None` for all. The shares of one plan need one seed, so `seed` must be given.
    pub shard: Option<Shard>,
    /// The points that are measured; `None` for all.
    pub filter: Option<Filter>,
}

impl Default for PlanRequest {
    fn default() -> Self {
        Self {
            contracts: None,
            require_toolchain: false,
            chain: None,
            reference: None,
            may_go_on: true,
            out: "reports".into(),
            experiment: &MEMORY,
            profile: Profile::STANDARD,
            strategies: Vec::new(),
            threads: 1,
            workload: None,
            node: None,
            seed: None,
            shard: None,
            filter: None,
        }
    }
}

impl PlanRequest {
    /// Makes sure that it makes sense.
    pub(super) fn check(&self) -> Result<(), Error> {
        let wrong = |text: &str| Err(Error::Usage(text.into()));
        if self.threads > 1 && !self.experiment.factors.contains(&&THREADS) {
            return wrong("--threads is a factor of the strategies experiment: add --experiment strategies");
        }
        if self.workload.is_some() {
            check_experiment(self.experiment)?;
        }
        if !Plan::THREADS.contains(&self.threads) {
            return wrong("threads are from 1 to 64");
        }
        if !Plan::BUDGETS.contains(&self.profile.budget) {
            return wrong("the time for measuring is from 1s to 24h");
        }
        if self.profile.processes < 2 {
            return wrong("a run takes 2 processes at least");
        }
        if self.shard.is_some() && self.seed.is_none() {
            return wrong("the shares of one plan need one seed");
        }
        if let Some(name) = &self.node {
            check_node(name).map_err(Error::Usage)?;
        }
        Ok(())
    }

    /// The name of the machine: the one given, or what it calls itself.
    pub(super) fn node_name(&self) -> Option<String> {
        self.node.clone().or_else(Host::name)
    }

    /// How long to measure and in how many processes, all shards together.
    pub(super) fn effective_profile(&self) -> Result<Profile, Error> {
        let mut profile = self.profile;
        if self.experiment.ranks {
            // A round of the ladder takes seconds, and every process begins with two that are not recorded.
            profile.processes = profile.processes.div_ceil(2);
        }
        match self.shard.filter(|shard| shard.count() > profile.processes) {
            None => Ok(profile),
            Some(shard) => Err(Error::Usage(format!(
                "shard {} of {} processes would be empty: take fewer shards",
                String::from(shard),
                profile.processes
            ))),
        }
    }

    /// What is measured, in words of the command `estimator run`.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(folder) = &self.contracts {
            words.push(format!("--contracts {}", quoted(folder)));
        }
        if let Some(file) = &self.chain {
            words.push(format!("--chain {}", quoted(file)));
        }
        if let Some(file) = &self.reference {
            words.push(format!("--reference {}", quoted(file)));
        }
        if *self.experiment != MEMORY {
            words.push(format!("--experiment {}", self.experiment));
        }
        if self.threads > 1 {
            words.push(format!("--threads {}", self.threads));
        }
        if let Some(file) = &self.workload {
            words.push(format!("--workload {}", quoted(file)));
        }
        if !self.strategies.is_empty() {
            words.push(format!("--strategy {}", self.strategies.join(",")));
        }
        if let Some(name) = &self.node {
            words.push(format!("--node {}", quoted(Path::new(name))));
        }
        if let Some(filter) = &self.filter {
            words.push(format!("--filter {}", quoted(Path::new(filter.pattern()))));
        }
        if let Some(shard) = self.shard {
            words.push(format!("--shard {}", String::from(shard)));
        }
        words
    }

    /// The command that repeats the run with the same shuffles.
    pub(super) fn command(&self, profile: &Profile, seed: u64) -> String {
        let length = format!("--budget {} --seed {seed}", Plan::budget_text(profile.budget));
        ["estimator run".into()].into_iter().chain(self.words()).chain([length]).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    #[test]
    fn the_command_that_repeats_a_run_has_its_budget_in_one_word() {
        let profile = Profile { budget: SignedDuration::from_secs(90), ..Profile::QUICK };
        let command = PlanRequest::default().command(&profile, 7);
        let words: Vec<&str> = command.split(' ').collect();
        let budget = words.iter().position(|word| *word == "--budget").unwrap();
        assert_eq!(words[budget + 1].parse::<SignedDuration>().unwrap(), profile.budget, "{command}");
        assert_eq!(words[budget + 2], "--seed", "{command}");
    }
}
