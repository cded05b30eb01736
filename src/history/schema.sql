-- Versions 3 and 4, with nodes.sql. The order of runs is that of `runs.id`, which only grows; no clock takes part in it. `seal` is the hash of all that
-- the row holds and leads to (seal.rs).
CREATE TABLE machines (
    id INTEGER PRIMARY KEY,
    class TEXT NOT NULL,
    cpu TEXT NOT NULL,
    UNIQUE (class, cpu)
) STRICT;
CREATE TABLE settings (
    id INTEGER PRIMARY KEY,
    strategy TEXT NOT NULL,
    statistic TEXT NOT NULL,
    reference TEXT NOT NULL,
    contract_set TEXT NOT NULL,
    wasmtime TEXT NOT NULL,
    estimator TEXT NOT NULL,
    budget_seconds INTEGER NOT NULL,
    UNIQUE (strategy, statistic, reference, contract_set, wasmtime, estimator, budget_seconds)
) STRICT;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL UNIQUE,
    night TEXT NOT NULL,
    role TEXT NOT NULL,
    outcome TEXT NOT NULL,
    created TEXT NOT NULL,
    machine INTEGER NOT NULL REFERENCES machines,
    settings INTEGER NOT NULL REFERENCES settings,
    gas TEXT NOT NULL,
    seal BLOB NOT NULL
) STRICT;
CREATE INDEX runs_of_settings ON runs (settings, machine);
CREATE TABLE figures (
    id INTEGER PRIMARY KEY,
    param TEXT NOT NULL,
    line TEXT NOT NULL,
    form TEXT NOT NULL,
    UNIQUE (param, line, form)
) STRICT;
CREATE TABLE estimates (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    figure INTEGER NOT NULL REFERENCES figures,
    value REAL NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    PRIMARY KEY (run, figure)
) STRICT, WITHOUT ROWID;
CREATE TABLE verdicts (
    run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    verdict TEXT NOT NULL,
    findings TEXT NOT NULL
) STRICT;
-- What has been told, which outlives the run that it was told of.
CREATE TABLE told (key TEXT PRIMARY KEY, seal BLOB NOT NULL) STRICT, WITHOUT ROWID;
-- What is to be told, kept until it has been.
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
    seal BLOB NOT NULL
) STRICT;
CREATE INDEX events_to_tell ON events (id) WHERE done = 0;
-- Runs that were taken out on purpose and must not come back from their folders.
CREATE TABLE pruned (run TEXT PRIMARY KEY, seal BLOB NOT NULL) STRICT, WITHOUT ROWID;
