-- The names of the machines, where they are known: what version 4 has beyond version 3.
CREATE TABLE IF NOT EXISTS nodes (
    run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    node TEXT NOT NULL
) STRICT;
