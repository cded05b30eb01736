//! Runs over months: kept in SQLite, judged against the recent past and the table in force, drawn as a trend.
//!
//! A [`Record`] is what is kept of a run. It lies in the run's folder, in the database, and in exported files, in one form, so
//! that each can be made from another. [`judge`] is the gate; it knows records only, and no database.

mod change_points;
#[cfg(test)]
mod damage;
mod drift;
mod error;
mod events;
mod exchange;
mod figure;
mod fleet;
mod folder;
mod gate;
mod judgement;
mod key;
mod lock;
mod metrics;
mod migrate;
mod outbox;
mod prune;
mod query;
mod reach;
mod record;
mod replace;
mod rows;
mod salvage;
mod seal;
mod series;
#[cfg(test)]
mod simulated;
mod step;
mod store;
mod table_gate;
mod write;

pub use change_points::{METHOD, Segment, segments};
pub use drift::{Trend, trend};
pub use error::HistoryError;
pub use events::{Event, EventKind, GasChange, Outbox};
pub use exchange::{read_records, write_records};
pub use figure::{Figure, LineKind, Recorded, figures};
pub use fleet::{Dearest, Fleet};
pub use folder::{read_night, recover, write_night};
pub use gate::{GateSettings, judge};
pub use judgement::{Finding, FindingKind, Judgement, State, Verdict};
pub use lock::Lock;
pub use metrics::FleetMetrics;
pub use query::Selection;
pub use reach::Access;
pub use record::{Outcome, RECORD_FORMAT, Record, Role, SeriesKey};
pub use replace::{put_in_place, replace};
pub use salvage::{Broken, Salvage, salvage};
pub use series::{Point, Series};
pub use store::History;
