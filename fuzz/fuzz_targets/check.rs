use std::path::Path;

use estimator::params::{ChainSettings, ParamTable};

/// What must hold of any bytes that are taken for a table: no panic; and what is a table is the same after being written, and is
/// written into its own text without altering a byte.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let file = Path::new("fuzzed.toml");
    let _ = ChainSettings::parse(text, file);
    let Ok(table) = ParamTable::parse(text, file) else { return };
    let written = table.to_toml().expect("what was read can be written");
    assert_eq!(ParamTable::parse(&written, file).expect("what was written can be read"), table);
    assert_eq!(table.update_document(text).expect("the text is a table"), text);
}
