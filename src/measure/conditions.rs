use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What surrounds a cycle beyond the contract and the strategy: factors of the strategies experiment.
///
/// The default is what the memory experiment measures, and what files without these columns hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Conditions {
    /// What the tenant before did.
    pub previous: Previous,
    /// How much of each host page is written.
    pub write_width: WriteWidth,
    /// Threads that run the same cycle at once.
    pub threads: u32,
    /// State of the private caches before the cycle.
    pub caches: Caches,
    /// What else goes on in the process.
    pub beside: Beside,
}

impl Default for Conditions {
    fn default() -> Self {
        Self {
            previous: Previous::Same,
            write_width: WriteWidth::HostPage,
            threads: 1,
            caches: Caches::Cold,
            beside: Beside::Nothing,
        }
    }
}

/// What the tenant before did, in the slot that the measured one gets where the strategy has slots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Previous {
    /// The same as the measured one.
    #[default]
    Same,
    /// It declared [`PREDECESSOR`](crate::runtime::PREDECESSOR) and wrote nothing.
    Clean,
    /// It declared as much and wrote to every host page of it.
    Dirty,
}

/// How much of each host page is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteWidth {
    /// One byte, by the contract's entry: the least that makes the kernel give the page.
    #[default]
    HostPage,
    /// Every byte, by the host.
    EveryByte,
}

/// State of the private caches before the cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Caches {
    /// Something else went through them: what a node finds that calls one contract after another, and what is priced.
    #[default]
    Cold,
    /// As the same cycle left them.
    Warm,
}

/// What else goes on in the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Beside {
    /// Nothing but the threads that run the cycle.
    #[default]
    Nothing,
    /// Another thread spins on another processor, to which the kernel must then send an interrupt whenever it takes pages away.
    Spinning,
}

impl Caches {
    const NAMES: [(Self, &'static str); 2] = [(Self::Cold, "cold"), (Self::Warm, "warm")];
}

impl Beside {
    const NAMES: [(Self, &'static str); 2] = [(Self::Nothing, "nothing"), (Self::Spinning, "spinning")];
}

impl Previous {
    const NAMES: [(Self, &'static str); 3] = [(Self::Same, "same"), (Self::Clean, "clean"), (Self::Dirty, "dirty")];
}

impl WriteWidth {
    const NAMES: [(Self, &'static str); 2] = [(Self::HostPage, "host-page"), (Self::EveryByte, "every-byte")];
}

/// A name in `samples.csv` that is none of the levels.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is none of {levels}")]
pub struct UnknownLevel {
    found: String,
    levels: String,
}

fn named<T: Copy>(names: &[(T, &str)], text: &str) -> Result<T, UnknownLevel> {
    let found = names.iter().find(|(_, name)| *name == text).map(|&(level, _)| level);
    let levels = || names.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| UnknownLevel { found: text.into(), levels: levels() })
}

fn name_of<T: Copy + PartialEq>(names: &[(T, &'static str)], level: T) -> &'static str {
    names.iter().find(|(of, _)| *of == level).map_or("", |&(_, name)| name)
}

impl FromStr for Previous {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        named(&Self::NAMES, text)
    }
}

impl FromStr for WriteWidth {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        named(&Self::NAMES, text)
    }
}

impl FromStr for Caches {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        named(&Self::NAMES, text)
    }
}

impl FromStr for Beside {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        named(&Self::NAMES, text)
    }
}

impl fmt::Display for Caches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&Self::NAMES, *self))
    }
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&Self::NAMES, *self))
    }
}

impl fmt::Display for Previous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&Self::NAMES, *self))
    }
}

impl fmt::Display for WriteWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&Self::NAMES, *self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for level in [Previous::Same, Previous::Clean, Previous::Dirty] {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        for level in [WriteWidth::HostPage, WriteWidth::EveryByte] {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        for level in [Caches::Cold, Caches::Warm] {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        for level in [Beside::Nothing, Beside::Spinning] {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        let error = "filthy".parse::<Previous>().unwrap_err();
        assert_eq!(error.to_string(), "`filthy` is none of same, clean, dirty");
    }

    #[test]
    fn a_plan_without_conditions_has_the_default() {
        assert_eq!(serde_json::from_str::<Conditions>("{}").unwrap(), Conditions::default());
    }
}
