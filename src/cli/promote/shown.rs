//! What came of accepting, checking and replaying, for people and for programs.

use serde_json::{Value, json};

use super::Promote;
use crate::app::{Check, Promotion};
use crate::cli::exit::Exit;
use crate::cli::format::ShortFormat;
use crate::cli::out::{self, Kind, tell};
use crate::params::Accepted;

pub fn promoted(args: &Promote, promotion: Promotion) -> anyhow::Result<Exit> {
    match promotion {
        Promotion::Nothing => {
            let json = json!({ "format": 1, "accepted": null });
            show(args, "nothing to accept: the tables are the same", &json)
        }
        Promotion::Planned(changes) => {
            let text = changes.iter().map(Accepted::to_toml).collect::<Vec<_>>().join("\n");
            out::put(Kind::Strings, &text).map(|_| Exit::Fine)
        }
        Promotion::Accepted { files, told } => {
            let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            let text = format!("accepted into {}, kept as {}", args.onto.display(), files.join(" and "));
            let json = json!({ "format": 1, "accepted": files, "onto": args.onto.to_string_lossy(), "told": told });
            show(args, &text, &json)
        }
    }
}

pub fn checked(args: &Promote, check: Check) -> anyhow::Result<Exit> {
    match check {
        Check::Same { changes, objections } => {
            let text = format!("{} is what its {changes} accepted changes make", args.onto.display());
            show(args, &text, &json!({ "format": 1, "same": true, "changes": changes, "objections": objections }))
        }
        Check::Different { reason, ways_out } => {
            tell!("error: {reason}");
            tell!("  {ways_out}");
            Ok(Exit::Changed)
        }
    }
}

pub fn replayed(args: &Promote, changes: usize) -> anyhow::Result<Exit> {
    let text = format!("{} replayed from {changes} accepted changes", args.onto.display());
    show(args, &text, &json!({ "format": 1, "replayed": changes, "onto": args.onto.to_string_lossy() }))
}

fn show(args: &Promote, text: &str, json: &Value) -> anyhow::Result<Exit> {
    match args.format {
        ShortFormat::Human => out::show(&format!("{text}\n"))?,
        ShortFormat::Json => out::json(json)?,
    }
    Ok(Exit::Fine)
}
