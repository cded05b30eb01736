//! What this build has, and what it says of what it has not.

use std::process::exit;
use std::sync::LazyLock;

use clap::error::{ContextKind, ContextValue};

use super::exit::Exit;
use super::out::tell;

/// The version with what it measures.
pub static LONG_VERSION: LazyLock<String> = LazyLock::new(|| format!("{}\n{}", env!("CARGO_PKG_VERSION"), measured()));

#[cfg(feature = "measure")]
fn measured() -> String {
    use crate::runtime::{WASMI_VERSION, WASMTIME_VERSION};
    format!("measures Wasmtime {WASMTIME_VERSION}, and for stacks wasmi {WASMI_VERSION} and 0.31.2")
}

#[cfg(not(feature = "measure"))]
fn measured() -> String {
    "measures nothing: built without the feature `measure`".into()
}

/// What follows the list of commands.
pub fn after_help() -> String {
    let first = if cfg!(feature = "measure") { "run --contracts estimator-contracts" } else { "price contracts/" };
    format!(
        "\
Examples:
  estimator {first}
  estimator fit reports/latest

Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 a gated value changed, 4 too noisy to say, 5 the fit was rejected, \
6 incompatible files, machines or contract sets."
    )
}

/// Ends the program as clap would, with a word on commands that other builds have.
pub fn refuse(error: &clap::Error) -> ! {
    let wanted = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) => feature_of(name).map(|feature| (name, feature)),
        _ => None,
    };
    let Some((name, feature)) = wanted else { error.exit() };
    tell!("error: this build has no `{name}`: it was made without the feature `{feature}`");
    tell!("  builds for {} have it, unless they are made with --no-default-features", system_of(feature));
    exit(Exit::Usage as i32)
}

/// The feature without which a command is not built.
fn feature_of(command: &str) -> Option<&'static str> {
    super::FEATURED.iter().find(|(name, _)| *name == command).map(|&(_, feature)| feature)
}

/// Where what a feature adds can be built.
fn system_of(feature: &str) -> &'static str {
    if feature == "measure" { "Linux" } else { "Linux or macOS" }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::{Cli, FEATURED};
    use crate::runtime::WASMTIME_VERSION;

    #[test]
    fn commands_that_some_builds_lack_are_commands_of_this_one() {
        let command = Cli::command();
        for (name, _) in FEATURED {
            assert!(command.find_subcommand(name).is_some(), "{name}");
        }
        assert_eq!(feature_of("run"), Some("measure"));
        assert_eq!(feature_of("survey"), None);
    }

    #[test]
    fn the_long_version_names_what_is_measured() {
        let lock = include_str!("../../Cargo.lock");
        let old = "name = \"wasmi\"\nversion = \"0.31.2\"";
        assert!(lock.contains(old) && LONG_VERSION.contains("wasmi 1.1.0 and 0.31.2"), "{}", *LONG_VERSION);
        let docs = include_str!("../../docs/measurement.md");
        assert!(docs.contains(&format!("**Wasmtime {WASMTIME_VERSION}**")), "its version is stated there too");
        assert!(LONG_VERSION.contains(&format!("Wasmtime {WASMTIME_VERSION}")));
    }
}
