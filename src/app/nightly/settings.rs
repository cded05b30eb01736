//! What a file and a command line say of a night, and what follows from both.

use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, de};
use toml::Spanned;

use super::request::{AlertSettings, KeepSettings, MetricsSettings, NightRequest};
use super::sections;
use crate::app::choose::strategy_named;
use crate::app::error::{Error, system};
use crate::app::in_force::{THRESHOLD, percentage};
use crate::app::plan_request::PlanRequest;
use crate::app::push::PushSettings;
use crate::files::{check_place, is_taken};
use crate::history::GateSettings;
use crate::host::Host;
use crate::measure::{Plan, Profile, check_node};
use crate::text::{read_found, read_text, refuse_pipe, with_causes};
use crate::versioned::{Formats, Source, VersionedError};

/// Where settings are looked for.
const USUAL: &str = "nightly.toml";

/// The format of files that this version reads.
const FORMAT: u32 = 1;

/// Settings of a night, as far as they are given. The keys of a file have the names of the fields.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NightSettings {
    /// 1 in a file, elsewhere nothing.
    pub format: u32,
    /// Folder of contracts.
    pub contracts: Option<PathBuf>,
    /// Chain settings.
    pub chain: Option<PathBuf>,
    /// The reference machine.
    pub reference: Option<PathBuf>,
    /// The name of this machine in records, alerts and trends.
    pub node: Option<String>,
    /// Folder in which the folders of the runs are made.
    pub out: Option<PathBuf>,
    /// The history.
    pub history: Option<PathBuf>,
    /// The table in force.
    pub params: Option<PathBuf>,
    /// Where the proposed table is written.
    pub proposed: Option<PathBuf>,
    /// How long to measure, by the name of a profile: `quick`, `standard` or `nightly`.
    #[serde(deserialize_with = "profile")]
    pub profile: Option<Profile>,
    /// Another time for measuring.
    #[serde(deserialize_with = "budget")]
    pub budget: Option<SignedDuration>,
    /// Reset strategies to measure.
    #[serde(deserialize_with = "strategies")]
    pub strategy: Vec<String>,
    /// Whether Rust contracts that cannot be compiled are an error.
    pub require_toolchain: bool,
    /// Smallest change of practical interest, in percent.
    #[serde(deserialize_with = "percent")]
    pub threshold: Option<f64>,
    /// Hazards with which nothing is measured.
    #[serde(deserialize_with = "hazards")]
    pub refuse: Vec<String>,
    /// Alerts.
    #[serde(deserialize_with = "sections::alert")]
    pub alert: AlertSettings,
    /// The service that the runs are sent to.
    #[serde(deserialize_with = "sections::push")]
    pub push: Option<PushSettings>,
    /// A file for Prometheus.
    pub metrics: MetricsSettings,
    /// How long folders of runs are kept.
    #[serde(deserialize_with = "sections::keep")]
    pub keep: KeepSettings,
}

impl NightSettings {
    /// Those of a file: the one that is named, or `nightly.toml` if it is there.
    ///
    /// # Errors
    /// The file is not there, is of a newer format, or breaks it: then with line, column and key.
    pub fn load(named: Option<&Path>) -> Result<Self, Error> {
        let (file, read): (_, fn(&Path) -> _) = match named {
            Some(file) if !is_taken(file) => return Err(Error::Usage(format!("no settings {}", file.display()))),
            Some(file) => (file, read_text),
            None if is_taken(Path::new(USUAL)) => (Path::new(USUAL), read_found),
            None => return Ok(Self::default()),
        };
        let text = read(file).map_err(system(format!("cannot read {}", file.display())))?;
        Self::parse(&text, file)
    }

    fn parse(text: &str, file: &Path) -> Result<Self, Error> {
        let source = Source { file, text };
        let refused = |error: VersionedError| {
            if error.is_other_format() {
                Error::Incompatible(error.to_string())
            } else {
                Error::Usage(error.to_string())
            }
        };
        let (read, mut faults): (Self, _) = source.read_with_faults(Formats::first(FORMAT.into())).map_err(refused)?;
        if read.profile.is_some() && read.budget.is_some() {
            let document = source.parse().map_err(refused)?;
            let place = document.get_ref().get("budget").map(Spanned::span);
            let reason = "`profile` says how long too: leave one out";
            faults.without::<()>(Err(source.fault(place, Some("budget".into()), reason)));
        }
        faults.or(Some(read)).map_err(refused)
    }

    /// These with those of a file for what they leave out.
    #[must_use]
    pub fn or(self, file: Self) -> Self {
        // One of the two overrides the file's other.
        let (profile, budget) = match (self.profile, self.budget) {
            (None, None) => (file.profile, file.budget),
            own => own,
        };
        Self {
            format: file.format,
            contracts: self.contracts.or(file.contracts),
            chain: self.chain.or(file.chain),
            reference: self.reference.or(file.reference),
            node: self.node.or(file.node),
            out: self.out.or(file.out),
            history: self.history.or(file.history),
            params: self.params.or(file.params),
            proposed: self.proposed.or(file.proposed),
            profile,
            budget,
            strategy: if self.strategy.is_empty() { file.strategy } else { self.strategy },
            require_toolchain: self.require_toolchain || file.require_toolchain,
            threshold: self.threshold.or(file.threshold),
            refuse: if self.refuse.is_empty() { file.refuse } else { self.refuse },
            alert: if self.alert == AlertSettings::default() { file.alert } else { self.alert },
            push: self.push.or(file.push),
            metrics: if self.metrics == MetricsSettings::default() { file.metrics } else { self.metrics },
            keep: if self.keep == KeepSettings::default() { file.keep } else { self.keep },
        }
    }

    /// The night that they ask for, with defaults for what they leave out.
    ///
    /// # Errors
    /// The table in force is not there, the proposed one has no place, or a hazard or threshold makes no sense.
    pub fn request(self) -> Result<NightRequest, Error> {
        let default = NightRequest::default();
        if let Some(missing) = self.params.as_ref().filter(|params| !params.is_file()) {
            return Err(Error::Usage(format!("no table in force {}: leave it out for none", missing.display())));
        }
        if let Some(name) = &self.node {
            check_node(name).map_err(Error::Usage)?;
        }
        let proposed = self.proposed.unwrap_or(default.proposed);
        check_place(&proposed).map_err(Error::Usage)?;
        if let Some(file) = &self.metrics.textfile {
            check_place(file).map_err(Error::Usage)?;
        }
        known_hazards(&self.refuse).map_err(Error::Usage)?;
        let percent = percentage(self.threshold.unwrap_or(THRESHOLD)).map_err(|reason| Error::Usage(reason.into()))?;
        let usual = PathBuf::from("params/current.toml");
        if self.params.is_none() {
            refuse_pipe(&usual).map_err(system(format!("cannot read {}", usual.display())))?;
        }
        let plan = PlanRequest {
            contracts: self.contracts,
            require_toolchain: self.require_toolchain,
            chain: self.chain,
            reference: self.reference,
            may_go_on: self.budget.is_none(),
            out: self.out.unwrap_or(default.plan.out),
            profile: self.budget.map(Profile::within).or(self.profile).unwrap_or(default.plan.profile),
            strategies: self.strategy,
            node: self.node,
            ..PlanRequest::default()
        };
        Ok(NightRequest {
            history: self.history.unwrap_or_else(|| plan.out.join("history.sqlite")),
            plan,
            params: self.params.or_else(|| is_taken(&usual).then_some(usual)),
            proposed,
            gate: GateSettings { threshold: percent / 100.0, ..GateSettings::default() },
            refuse: self.refuse,
            alert: self.alert,
            push: self.push,
            metrics: self.metrics,
            keep: self.keep,
        })
    }
}

fn profile<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Profile>, D::Error> {
    let name = String::deserialize(deserializer)?;
    Profile::named(&name).map(Some).ok_or_else(|| de::Error::unknown_variant(&name, &Profile::NAMES))
}

fn budget<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SignedDuration>, D::Error> {
    Plan::budget_of(&String::deserialize(deserializer)?).map(Some).map_err(de::Error::custom)
}

fn percent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    percentage(f64::deserialize(deserializer)?).map(Some).map_err(de::Error::custom)
}

fn strategies<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    match names.iter().find_map(|name| strategy_named(name).err()) {
        Some(error) => Err(de::Error::custom(with_causes(&error))),
        None => Ok(names),
    }
}

fn hazards<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let names = Vec::deserialize(deserializer)?;
    known_hazards(&names).map_err(de::Error::custom)?;
    Ok(names)
}

/// Makes sure that each is the name of a hazard.
fn known_hazards(names: &[String]) -> Result<(), String> {
    let hazards: Vec<String> = Host::here().hazards.into_iter().map(|hazard| hazard.name).collect();
    match names.iter().find(|name| !hazards.contains(name)) {
        Some(unknown) => Err(format!("`refuse` names no hazard {unknown}: it is one of {}", hazards.join(", "))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<NightSettings, Error> {
        NightSettings::parse(text, Path::new("s.toml"))
    }

    fn refusal(text: &str) -> String {
        parsed(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_in_a_file_is_named_with_its_place_and_key() {
        for (line, said) in [
            ("colour = 1", "unknown field `colour`"),
            ("profile = \"slow\"", "unknown variant `slow`, expected one of `quick`, `standard`, `nightly`"),
            ("budget = \"soon\"", "write a time such as 45s or 5m"),
            ("budget = \"25h\"", "write a time from 1s to 24h"),
            ("strategy = [\"none\"]", "the strategies are "),
            ("threshold = -1", "write a percentage from 0 to 1000"),
            ("refuse = [\"rain\"]", "names no hazard rain"),
            ("alert = { tries = 0 }", "tries from 1 to 20"),
            ("alert = { colour = 1 }", "unknown field `colour`"),
            ("push = { to = \"service\" }", "https://"),
            ("push = { to = \"https://service\", tries = 0 }", "tries from 1 to 20"),
            ("push = { tries = 1 }", "missing field `to`"),
            ("metrics = { file = \"m.prom\" }", "unknown field `file`"),
            ("keep = { samples = 0 }", "from 1 on"),
            ("keep = { samples = 30, fits = 7 }", "before its samples"),
            ("keep = { all = true }", "unknown field `all`"),
        ] {
            let text = refusal(&format!("format = 1\n{line}\n"));
            let key = line.split_whitespace().next().unwrap();
            assert!(text.starts_with("s.toml:2:"), "{text}");
            assert!(text.contains(said) && text.contains(key), "{text}");
        }
        assert!(refusal("format = 0\n").starts_with("s.toml:1:10: `format`: expected a whole number from 1 to 1"));
        let both = refusal("format = 1\nprofile = \"quick\"\nbudget = \"1m\"\n");
        assert!(both.starts_with("s.toml:3:10: `budget`: `profile` says how long too"), "{both}");
        assert!(matches!(parsed("format = 2\nnew = 1\n"), Err(Error::Incompatible(_))));
    }

    #[test]
    fn all_that_is_wrong_in_a_file_is_told_at_once() {
        let text = refusal(
            "format = 1\ncolour = 1\nprofile = \"quick\"\nbudget = \"1m\"\nstrategy = [\"none\"]\n[push]\ntries = \"a\"\n[keep]\nall = 1\n",
        );
        let keys = ["`colour`", "`strategy`", "`push`: missing field `to`", "`push.tries`", "`keep.all`", "`budget`"];
        assert_eq!(text.lines().count(), keys.len(), "{text}");
        assert!(text.lines().zip(keys).all(|(line, key)| line.contains(key)), "{text}");
    }

    #[test]
    fn the_file_that_is_deployed_asks_for_what_is_the_default() {
        let deployed = parsed(include_str!("../../../deploy/nightly.toml")).unwrap();
        assert_eq!(deployed.profile, Some(Profile::NIGHTLY));
        assert_eq!(deployed.alert, AlertSettings::default());
    }

    /// What a cluster is given says what the file of settings does, and for how long folders are kept.
    #[test]
    fn the_settings_of_a_cluster_are_settings() {
        let map = include_str!("../../../deploy/kubernetes/settings.yaml");
        let (_, text) = map.split_once("nightly.toml: |\n").unwrap();
        let text: String =
            text.lines().map(|line| line.strip_prefix("    ").unwrap_or(line).to_owned() + "\n").collect();
        let settings = parsed(&text).unwrap();
        assert_eq!(settings.contracts, Some("/usr/share/estimator/contracts".into()));
        assert_eq!(settings.keep, KeepSettings::default(), "only with the table in force that it is to keep runs of");
    }

    #[test]
    fn flags_override_a_file_and_both_ask_for_one_night() {
        let file = parsed("format = 1\ncontracts = \"a\"\nbudget = \"45s\"\nout = \"runs\"\nthreshold = 3\n").unwrap();
        let alone = file.clone().request().unwrap();
        assert_eq!(alone.plan.profile, Profile::within(SignedDuration::from_secs(45)));
        assert_eq!((alone.history, alone.gate.threshold), ("runs/history.sqlite".into(), 0.03));
        let flags =
            NightSettings { contracts: Some("b".into()), profile: Some(Profile::QUICK), ..NightSettings::default() };
        let both = flags.or(file).request().unwrap();
        assert_eq!((both.plan.contracts, both.plan.profile), (Some("b".into()), Profile::QUICK));
        assert_eq!(both.plan.out, PathBuf::from("runs"));
    }
}
