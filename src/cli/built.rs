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

/// Ends the program as clap would, with a word on commands that other builds have.
pub fn refuse(error: &clap::Error) -> ! {
    let wanted = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) => feature_of(name).map(|feature| (name, feature)),
        _ => None,
    };
    let Some((name, feature)) = wanted else { error.exit() };
    tell!("error: this build has no `{name}`: it was made without the feature `{feature}`");
    tell!("  to have it, on {}: cargo install estimator --features {feature}", system_of(feature));
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
        assert!(LONG_VERSION.contains("Wasmtime"));
    }
}
