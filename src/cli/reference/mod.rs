//! The reference machine.

#[cfg(feature = "measure")]
mod check;
mod pin;
mod show;

use clap::{Args, Subcommand};

use super::exit::Exit;

/// Pins the machine that fees are stated on, shows it, or holds this machine against it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator reference pin reports/monday reports/tuesday --name our-validator
  estimator reference show
  estimator reference check --tolerance 10")]
pub struct Reference {
    #[command(subcommand)]
    command: ReferenceCommand,
}

#[derive(Debug, Subcommand)]
enum ReferenceCommand {
    Pin(pin::Pin),
    Show(show::Show),
    #[cfg(feature = "measure")]
    Check(check::Check),
}

pub fn execute(args: &Reference) -> anyhow::Result<Exit> {
    match &args.command {
        ReferenceCommand::Pin(args) => pin::execute(args),
        ReferenceCommand::Show(args) => show::execute(args),
        #[cfg(feature = "measure")]
        ReferenceCommand::Check(args) => check::execute(args),
    }
}
