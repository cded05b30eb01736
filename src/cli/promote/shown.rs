//! What came of accepting, checking and replaying, for people and for programs.

use serde_json::{Value, json};

use super::Promote;
use crate::app::{Check, Promotion};
use crate::cli::exit::Exit;
use crate::cli::format::ShortFormat;
use crate::cli::out::{self, Kind, tell};
use crate::params::Accepted;
use crate::report::pages;

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
        Promotion::Accepted { files, told, tables } => {
            let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            let mut text = format!("accepted into {}, kept as {}", args.onto.display(), files.join(" and "));
            let (before, now) = &*tables;
            let moved = pages::params_diff::moved(before.as_ref(), now);
            let spite = told.iter().map(|objection| format!("in spite of {objection}"));
            for line in moved.into_iter().chain(spite) {
                text.push_str("\n  ");
                text.push_str(&line);
            }
            let json = json!({ "format": 1, "accepted": files, "onto": args.onto.to_string_lossy(), "told": told });
            show(args, &text, &json)
        }
    }
}

pub fn checked(args: &Promote, check: Check) -> anyhow::Result<Exit> {
    match check {
        Check::Same { changes, objections } => {
            let make =
                if changes == 1 { "1 accepted change makes" } else { &format!("{changes} accepted changes make") };
            let text = format!("{} is what its {make}", args.onto.display());
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
    let from = if changes == 1 { "1 accepted change" } else { &format!("{changes} accepted changes") };
    let text = format!("{} replayed from {from}", args.onto.display());
    show(args, &text, &json!({ "format": 1, "replayed": changes, "onto": args.onto.to_string_lossy() }))
}

fn show(args: &Promote, text: &str, json: &Value) -> anyhow::Result<Exit> {
    match args.format {
        ShortFormat::Human => out::show(&format!("{text}\n"))?,
        ShortFormat::Json => out::json(json)?,
    }
    Ok(Exit::Fine)
}
