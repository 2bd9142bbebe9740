//! The state that all requests share.

use crate::error::Trouble;
use crate::guard::Gate;
use crate::page::Answer;
use crate::shelf::Shelf;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The number of requests that are processed at once; the others wait.
const AT_ONCE: usize = 4;

/// The state that all requests share.
pub(crate) struct House {
    pub(crate) gate: Gate,
    pub(crate) shelf: Shelf,
    permits: Semaphore,
}

impl House {
    pub(crate) fn new(gate: Gate, shelf: Shelf) -> House {
        House { gate, shelf, permits: Semaphore::new(AT_ONCE) }
    }
}

/// Processes a request on a blocking thread, so that reading files delays no other request.
pub(crate) async fn answer<A: IntoResponse + Send + 'static>(
    house: Arc<House>,
    work: impl FnOnce(&House) -> Answer<A> + Send + 'static,
) -> Response {
    // The semaphore is never closed.
    let permit = house.permits.acquire().await;
    let shared = Arc::clone(&house);
    let done = tokio::task::spawn_blocking(move || work(&shared)).await;
    drop(permit);
    match done {
        Ok(Ok(answer)) => answer.into_response(),
        Ok(Err(trouble)) => trouble.into_response(),
        Err(_) => Trouble::Defect.into_response(),
    }
}
