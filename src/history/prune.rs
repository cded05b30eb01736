//! Taking old runs out.

use super::error::HistoryError;
use super::reach::Tried as _;
use super::store::History;
use super::write::put_text;

impl History {
    /// Takes out all but the last `keep` runs of each machine, with their estimates and verdicts, and returns their names. What
    /// has been told stays known, and the runs do not come back from their folders.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn prune(&mut self, keep: u32) -> Result<Vec<String>, HistoryError> {
        let file = self.file.clone();
        let mut prune = || -> Result<Vec<String>, rusqlite::Error> {
            let transaction = self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let old = "WITH ranked AS (SELECT runs.id, run, row_number() OVER (PARTITION BY class ORDER BY runs.id DESC) AS age \
                       FROM runs JOIN machines ON machines.id = runs.machine) SELECT run FROM ranked WHERE age > ?1 ORDER BY id";
            let runs: Vec<String> =
                transaction.prepare(old)?.query_map([keep], |row| row.get(0))?.collect::<Result<_, _>>()?;
            for run in &runs {
                put_text(&transaction, "pruned", run)?;
                transaction.prepare_cached("DELETE FROM runs WHERE run = ?1")?.execute([run])?;
            }
            transaction.commit()?;
            Ok(runs)
        };
        prune().tried(&file, "runs cannot be pruned")
    }
}
