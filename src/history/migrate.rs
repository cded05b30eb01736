//! From version 3 of the database to version 4, which has names of nodes. No row that was sealed changes.

use rusqlite::Connection;

/// The version of the database that this program writes (`PRAGMA user_version`), and reads beside the one before. Versions 1 and 2 had no
/// seals and no reference machines.
pub(super) const SCHEMA: i64 = 4;

/// `PRAGMA application_id`: `ESTI`. It tells a history from the databases of other programs.
pub(super) const APPLICATION: i64 = 0x4553_5449;

/// What version 4 has beyond version 3; made only where it is missing.
const NODES: &str = include_str!("nodes.sql");

/// The version that can be brought to this one.
const BEFORE: i64 = 3;

/// Whether a database is a history of the version before.
pub(super) fn is_due(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    Ok(number("application_id")? == APPLICATION && number("user_version")? == BEFORE)
}

/// Brings a history to this version, whole or not at all.
pub(super) fn migrate(connection: &Connection) -> Result<(), rusqlite::Error> {
    let script = format!("BEGIN IMMEDIATE; {NODES} PRAGMA user_version = {SCHEMA}; COMMIT;");
    connection.execute_batch(&script)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::history::simulated::Machine;
    use crate::history::{Access, History, Record, Selection, salvage};

    /// A history as version 3 wrote it: without nodes, and without the table of them.
    fn old(file: &Path) -> Record {
        let mut history = History::open(file, Access::Write).unwrap();
        let record = Machine::new(1).run(None, 1.0);
        history.append(std::slice::from_ref(&record), true).unwrap();
        history.connection.execute_batch("DROP TABLE nodes; PRAGMA user_version = 3").unwrap();
        record
    }

    fn version(file: &Path) -> i64 {
        let connection = Connection::open(file).unwrap();
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_history_without_nodes_is_read_as_it_is_and_brought_up_to_date_by_who_records() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("h.sqlite");
        let record = old(&file);
        let all = |history: &History| history.records(&Selection::default()).unwrap();
        let looked_at = History::open(&file, Access::Read).unwrap();
        assert_eq!((all(&looked_at), version(&file)), (vec![record.clone()], 3), "nothing is changed to look at it");
        assert_eq!(salvage(&file).unwrap().records, std::slice::from_ref(&record));
        let mut history = History::open(&file, Access::Write).unwrap();
        let named = Record { run: "run2".into(), night: "run2".into(), node: "node-7".into(), ..record.clone() };
        history.append(std::slice::from_ref(&named), true).unwrap();
        drop(history);
        let after = History::open(&file, Access::Read).unwrap();
        assert_eq!(all(&after), [record, Record { sequence: 2, ..named }], "every seal holds");
        assert_eq!(version(&file), SCHEMA);
        let of_node = Selection { node: Some("node-7".into()), ..Selection::default() };
        assert_eq!(after.records(&of_node).unwrap().len(), 1);
    }

    #[test]
    fn another_name_of_a_node_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("h.sqlite");
        let mut history = History::open(&file, Access::Write).unwrap();
        history.append(&[Record { node: "a".into(), ..Machine::new(1).run(None, 1.0) }], true).unwrap();
        history.connection.execute("UPDATE nodes SET node = 'b'", []).unwrap();
        drop(history);
        let error = History::open(&file, Access::Read).unwrap_err().to_string();
        assert!(error.contains("is not what was recorded"), "{error}");
    }
}
