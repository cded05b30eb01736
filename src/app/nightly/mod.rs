//! Measuring unattended: a night is judged against the table in force and the recent past, recorded, and told.

mod alert;
mod changed;
mod clock;
mod dry_run;
mod events;
mod job;
mod keep;
mod night;
mod outcome;
mod proposal;
mod recovery;
mod request;
mod runs;
mod sections;
mod send;
mod series;
mod settings;
mod textfile;
mod webhook;

pub use dry_run::{Foreseen, Post, foresee};
pub use job::nightly;
pub use outcome::{Night, NightEnd, NightOutcome};
pub use request::{AlertSettings, KeepSettings, MetricsSettings, NightRequest};
pub use settings::NightSettings;
