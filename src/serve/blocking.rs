use super::problem::Problem;

/// Does what takes processor or disk time on a thread that others do not wait for. It goes on to its end whatever becomes of the
/// request.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Problem::internal(format!("a thread ended: {error}"))))
}
