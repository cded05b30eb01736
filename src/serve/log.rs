use std::sync::Arc;

use serde_json::Value;

use crate::measure::now;

/// Takes each line of the log.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// Writes an entry: one line of JSON, with the time and what kind of entry it is.
pub(super) fn entry(log: &Log, kind: &str, mut rest: Value) {
    let mut entry = serde_json::Map::new();
    entry.insert("time".into(), now().to_string().into());
    entry.insert("kind".into(), kind.into());
    if let Some(rest) = rest.as_object_mut() {
        entry.append(rest);
    }
    log(&Value::Object(entry).to_string());
}
