use std::sync::Arc;

use tokio::sync::Semaphore;

use super::problem::Problem;

/// Does what takes processor or disk time on a thread that others do not wait for. It goes on to its end whatever becomes of the
/// request, so that whatever bounds it must be moved into it.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Problem::internal(format!("a thread ended: {error}"))))
}

/// The same when its turn comes, which lasts as long as the work even where the client has gone.
pub(super) async fn in_turn<T: Send + 'static>(
    turns: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let turn = Arc::clone(turns).acquire_owned().await.map_err(|error| Problem::internal(error.to_string()))?;
    blocking(move || {
        let _turn = turn;
        work()
    })
    .await
}
