//! Looking things up.

use rusqlite::params_from_iter;

use super::error::HistoryError;
use super::reach::Tried as _;
use super::record::{Record, SeriesKey};
use super::rows::{COLUMNS, JOINED, add_estimates, record};
use super::store::History;

/// Which runs to look up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only of this series.
    pub series: Option<SeriesKey>,
    /// Only of this machine class.
    pub machine: Option<String>,
    /// Only of the machine of this name.
    pub node: Option<String>,
    /// Only this run.
    pub run: Option<String>,
    /// Only those with a lower number.
    pub before: Option<u64>,
    /// Only the last so many.
    pub last: Option<u32>,
    /// Only those that were measured to their end and may be used.
    pub measured: bool,
}

impl Selection {
    fn conditions(&self) -> (String, Vec<String>) {
        let (mut conditions, mut values) = (vec!["1".to_owned()], Vec::new());
        let mut equal = |column: &str, value: &str| {
            values.push(value.to_owned());
            conditions.push(format!("{column} = ?{}", values.len()));
        };
        if let Some(series) = &self.series {
            equal("class", &series.machine);
            equal("strategy", &series.strategy);
            equal("statistic", &series.statistic);
            equal("reference", &series.reference);
            equal("contract_set", &series.contract_set);
        }
        if let Some(machine) = &self.machine {
            equal("class", machine);
        }
        if let Some(node) = &self.node {
            equal("nodes.node", node);
        }
        if let Some(run) = &self.run {
            equal("runs.run", run);
        }
        if self.measured {
            equal("outcome", "measured");
        }
        if let Some(before) = self.before {
            conditions.push(format!("runs.id < {before}"));
        }
        (conditions.join(" AND "), values)
    }
}

impl History {
    /// The selected runs, oldest first, without their events.
    ///
    /// # Errors
    /// What SQLite says, or a row that does not hold what it must.
    pub fn records(&self, selection: &Selection) -> Result<Vec<Record>, HistoryError> {
        let (conditions, values) = selection.conditions();
        let limit = selection.last.map_or(-1, i64::from);
        let chosen = format!("SELECT {COLUMNS} FROM {JOINED} WHERE {conditions} ORDER BY runs.id DESC LIMIT {limit}");
        let read = || -> Result<Vec<Record>, rusqlite::Error> {
            let mut query = self.connection.prepare(&chosen)?;
            let mut records: Vec<Record> =
                query.query_map(params_from_iter(&values), record)?.collect::<Result<_, _>>()?;
            records.reverse();
            add_estimates(&self.connection, &mut records)?;
            Ok(records)
        };
        read().tried(&self.file, "its runs cannot be read")
    }

    /// The last run of each machine class, oldest first; or the last of those that were measured to their end and may be used.
    ///
    /// # Errors
    /// As [`Self::records`].
    pub fn latest(&self, measured: bool) -> Result<Vec<Record>, HistoryError> {
        self.last_of_each(if measured { "WHERE outcome = 'measured'" } else { "" }, "class")
    }

    /// The last run of each node of each machine class, oldest first. Runs without the name of a node are one of their class.
    ///
    /// # Errors
    /// As [`Self::records`].
    pub fn latest_of_nodes(&self) -> Result<Vec<Record>, HistoryError> {
        self.last_of_each("", "class, nodes.node")
    }

    fn last_of_each(&self, only: &str, of: &str) -> Result<Vec<Record>, HistoryError> {
        let last = format!(
            "SELECT max(runs.id) FROM runs JOIN machines ON machines.id = runs.machine LEFT JOIN nodes ON nodes.run = runs.id {only} GROUP BY {of}"
        );
        let chosen = format!("SELECT {COLUMNS} FROM {JOINED} WHERE runs.id IN ({last}) ORDER BY runs.id");
        let read = || -> Result<Vec<Record>, rusqlite::Error> {
            let mut query = self.connection.prepare_cached(&chosen)?;
            let mut records: Vec<Record> = query.query_map([], record)?.collect::<Result<_, _>>()?;
            add_estimates(&self.connection, &mut records)?;
            Ok(records)
        };
        read().tried(&self.file, "its runs cannot be read")
    }

    /// What is another one after anything was written, by this program or by others: to be compared with what the same open history
    /// said before.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn changes(&self) -> Result<(u64, i64), HistoryError> {
        let others = self.connection.pragma_query_value(None, "data_version", |row| row.get(0));
        Ok((self.connection.total_changes(), others.tried(&self.file, "cannot be read")?))
    }

    /// How many runs there are.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn count(&self) -> Result<u64, HistoryError> {
        self.connection.query_row("SELECT count(*) FROM runs", [], |row| row.get(0)).tried(&self.file, "cannot be read")
    }

    /// The number that the next run gets. It grows even over runs that were pruned.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn next_sequence(&self) -> Result<u64, HistoryError> {
        let highest = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'runs'), 0) + 1";
        self.connection.query_row(highest, [], |row| row.get(0)).tried(&self.file, "cannot be read")
    }

    /// Whether nothing more is to be recorded of a run: it is there as it ended, or was pruned. One that is there as unfinished may
    /// have gone on since.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn has_ended(&self, run: &str) -> Result<bool, HistoryError> {
        let ended = "SELECT 1 FROM runs WHERE run = ?1 AND outcome <> 'unfinished' UNION ALL SELECT 1 FROM pruned WHERE run = ?1";
        let exists = || self.connection.prepare_cached(ended)?.exists([run]);
        exists().tried(&self.file, "cannot be read")
    }
}
