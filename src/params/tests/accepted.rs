use proptest::prelude::*;

use super::table::any_table;
use super::*;

fn with_gas(name: &str, gas: u64) -> ParamTable {
    let mut table = proposed();
    table.params.get_mut(name).unwrap().gas = Gas(gas);
    table
}

fn accepted(change: Change) -> Accepted {
    Accepted { date: "2026-01-02T03:04:05Z".into(), by: "Ada".into(), change, ..Accepted::default() }
}

fn changes(folder: &Path, tables: &[ParamTable]) -> AcceptedChanges {
    let mut changes = AcceptedChanges::load(folder).unwrap();
    let mut before = None;
    for table in tables {
        let record = accepted(Change::between(before, table).unwrap());
        changes.commit(vec![record], table, &folder.join("in-force")).unwrap();
        before = Some(table);
    }
    changes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn changes_in_a_folder_replay_to_the_last_table(tables in proptest::collection::vec(any_table(), 1..4)) {
        let folder = tempfile::tempdir().unwrap();
        changes(folder.path(), &tables);
        let read = AcceptedChanges::load(folder.path()).unwrap();
        prop_assert_eq!(read.changes().len(), tables.len());
        prop_assert_eq!(read.replay().unwrap(), tables.last().cloned());
    }

    #[test]
    fn a_table_does_not_change_into_itself(table in any_table()) {
        prop_assert!(Change::between(Some(&table), &table).unwrap().is_empty());
    }
}

#[test]
fn an_accepted_change_is_written_for_review() {
    let mut new = with_gas(INIT_BASE, 95_000_000_000);
    new.params.remove(GROW_PER_PAGE);
    new.provenance.run.notes.push("measured longer".into());
    let change = Change::between(Some(&proposed()), &new).unwrap();
    insta::assert_snapshot!(Accepted { told: vec!["unsure".into()], ..accepted(change) }.to_toml());
}

#[test]
fn a_wrong_a_missing_and_an_unexpected_old_value_are_told_apart() {
    let (old, new) = (proposed(), with_gas(INIT_BASE, 1));
    let change = Change::between(Some(&old), &new).unwrap();
    assert_eq!(change.keys().collect::<Vec<_>>(), ["params.memory_init_base.gas"]);
    assert_eq!(change.apply(Some(&old), file()).unwrap(), new);

    let error = change.apply(Some(&with_gas(INIT_BASE, 2)), file()).unwrap_err();
    assert!(matches!(&error, ParamsError::OldMismatch { key, found, .. } if key.ends_with("base.gas") && found == "2"));
    assert_eq!(
        error.to_string(),
        "`some.toml`: `params.memory_init_base.gas` is 2, and the change expects the old value 91_600_000_000"
    );

    let mut without = old.clone();
    without.params.remove(INIT_BASE);
    let error = change.apply(Some(&without), file()).unwrap_err();
    assert!(matches!(error, ParamsError::OldMissing { .. }), "{error}");

    let added = Change::between(Some(&without), &old).unwrap();
    let error = added.apply(Some(&new), file()).unwrap_err();
    assert!(matches!(error, ParamsError::OldUnexpected { .. }), "{error}");
}

#[test]
fn how_a_value_is_written_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let table = proposed();
    changes(folder.path(), std::slice::from_ref(&table));
    let file = folder.path().join("0001.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let rewritten = text.replace("gas.new = 91_600_000_000", "gas = { new = 91600000000 }");
    assert_ne!(text, rewritten);
    std::fs::write(&file, rewritten).unwrap();
    let mut read = AcceptedChanges::load(folder.path()).unwrap();
    let next = with_gas(INIT_BASE, 1);
    let record = accepted(Change::between(Some(&table), &next).unwrap());
    read.commit(vec![record], &next, &folder.path().join("in-force")).unwrap();
    assert_eq!(read.before_last().unwrap(), Some(table));
    assert_eq!(AcceptedChanges::load(folder.path()).unwrap().replay().unwrap(), Some(next));
}

#[test]
fn a_gap_and_a_stranger_are_named() {
    let folder = tempfile::tempdir().unwrap();
    changes(folder.path(), &[proposed(), with_gas(INIT_BASE, 1), with_gas(INIT_BASE, 2)]);
    std::fs::write(folder.path().join("README.md"), "for people").unwrap();
    assert_eq!(AcceptedChanges::load(folder.path()).unwrap().changes().len(), 3);
    std::fs::rename(folder.path().join("0002.toml"), folder.path().join("two.toml")).unwrap();
    let error = AcceptedChanges::load(folder.path()).unwrap_err();
    assert!(matches!(&error, ParamsError::Numbering { expected, .. } if expected == "0002.toml"), "{error}");
}

#[test]
fn faults_in_an_accepted_change_have_their_place() {
    let folder = tempfile::tempdir().unwrap();
    changes(folder.path(), &[proposed()]);
    let name = folder.path().join("0001.toml");
    let text = std::fs::read_to_string(&name).unwrap();
    for (from, to, key) in [
        ("gas.new = 91_600_000_000", "gas.newer = 1", "params.memory_init_base.gas.newer"),
        ("gas.new = 91_600_000_000", "gas = 1", "params.memory_init_base.gas"),
        ("gas.new = 91_600_000_000", "gas.\"new\".x = 1", "params.memory_init_base.gas.new"),
        ("gas.new = 91_600_000_000", "gas.'new'.x = 1", "params.memory_init_base.gas.new"),
        ("gas.new = 91_600_000_000", "gas.new.x = 1", "params.memory_init_base.gas.new"),
        ("gas.new = 91_600_000_000", "gas.new = 99999999999999999999", "params.memory_init_base.gas.new"),
        ("accepted_by = \"Ada\"", "", "accepted_by"),
        ("told = []", "told = []\nfrom = 1", "from"),
        ("date = \"2026-01-02T03:04:05Z\"", "date = \"yesterday\"", "date"),
        ("accepted_by = \"Ada\"", "accepted_by = \" \"", "accepted_by"),
    ] {
        std::fs::write(&name, text.replacen(from, to, 1)).unwrap();
        assert_eq!(fault(AcceptedChanges::load(folder.path())).2.as_deref(), Some(key), "{to}");
    }
    std::fs::write(&name, text.replacen("gas.new", "fee.new = 1\ngas.new", 1)).unwrap();
    let error = AcceptedChanges::load(folder.path()).unwrap().replay().unwrap_err().to_string();
    assert!(error.contains("params.memory_init_base.fee") && error.contains("0001.toml"), "{error}");
    std::fs::write(&name, text.replacen("gas.new = 91_600_000_000", "gas.new = \"abc\"", 1)).unwrap();
    let error = AcceptedChanges::load(folder.path()).unwrap().replay().unwrap_err().to_string();
    let said = "0001.toml`: after this change `params.memory_init_base.gas`: expected a whole number";
    assert!(error.contains(said), "{error}");
}

#[test]
fn what_speaks_against_a_proposal() {
    let old = proposed();
    assert_eq!(objections(&old, &old, 0.02).unwrap(), []);
    let mut new = old.clone();
    new.provenance.run.machine = "fedcba987654".into();
    let param = new.params.get_mut(INIT_BASE).unwrap();
    param.gas = Gas(97_500_000_000);
    param.nanos = evidence(32_500.0, 30_700.0, 34_500.0);
    let found: Vec<String> = objections(&old, &new, 0.02).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "unsure: memory_init_base may not have changed at all",
            "machine: measured on class fedcba987654, the table in force on 0123456789ab"
        ]
    );
    new.provenance.run.machine = UNKNOWN_MACHINE.into();
    new.provenance.run.run = "another".into();
    assert_eq!(objections(&new, &new, 0.02).unwrap(), []);
    let later = ParamTable {
        provenance: Provenance {
            run: RunFacts { run: "later".into(), ..new.provenance.run.clone() },
            ..new.provenance.clone()
        },
        ..new.clone()
    };
    assert!(matches!(objections(&new, &later, 0.02).unwrap()[..], [Objection { kind: ObjectionKind::Machine, .. }]));
}

#[test]
fn what_was_overridden_is_noted_in_the_table() {
    let (old, new) = (proposed(), with_gas(INIT_BASE, 1));
    let (table, change) = promote(Some(&old), &new, Some(&old), &["unsure: memory_init_base".into()], file()).unwrap();
    assert_eq!(table.provenance.run.notes.last().unwrap(), "accepted although unsure: memory_init_base");
    assert!(change.keys().any(|key| key == "provenance.notes"));
    assert!(is_in_force(&new, &table) && !is_in_force(&old, &table) && !is_in_force(&table, &new));
    let (table, change) = promote(Some(&old), &old, Some(&old), &["unsure".into()], file()).unwrap();
    assert!(change.is_empty() && table == old);
}

#[test]
fn what_changed_elsewhere_since_the_review_stays() {
    let mut base = proposed();
    let extra = base.params[INIT_BASE].clone();
    base.params.insert("xtra".into(), extra);
    let mut current = base.clone();
    current.params.get_mut("xtra").unwrap().gas = Gas(5);
    let mut new = base.clone();
    new.params.get_mut(INIT_BASE).unwrap().gas = Gas(7);
    let (table, _) = promote(Some(&base), &new, Some(&current), &[], file()).unwrap();
    assert_eq!((gas(&table, "xtra"), gas(&table, INIT_BASE)), (Gas(5), Gas(7)));
}

#[test]
fn what_cannot_be_written_leaves_neither_record_nor_table() {
    let folder = tempfile::tempdir().unwrap();
    let (history, taken) = (folder.path().join("history"), folder.path().join("taken"));
    let table = proposed();
    let record = || accepted(Change::between(None, &table).unwrap());
    let left =
        |changes: &AcceptedChanges| (changes.changes().len(), AcceptedChanges::load(&history).unwrap().changes().len());
    let mut changes = AcceptedChanges::load(&history).unwrap();
    // The table: its folder is a file.
    std::fs::write(&taken, "").unwrap();
    assert!(changes.commit(vec![record()], &table, &taken.join("current.toml")).is_err());
    assert_eq!(left(&changes), (0, 0));
    // A record: the second is taken by somebody else.
    std::fs::create_dir_all(&history).unwrap();
    std::fs::write(history.join("0002.toml"), "").unwrap();
    let onto = folder.path().join("current.toml");
    assert!(changes.commit(vec![record(), record()], &table, &onto).is_err());
    assert!(!onto.exists() && !history.join("0001.toml").exists());
    std::fs::remove_file(history.join("0002.toml")).unwrap();
    changes.commit(vec![record()], &table, &onto).unwrap();
    assert_eq!((left(&changes), ParamTable::load(&onto).unwrap()), ((1, 1), table.clone()));
}
