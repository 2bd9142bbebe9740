//! A transport that stops reading while too many requests are unanswered, so that a client that floods it has to wait.

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The maximum number of unanswered requests per connection.
const MOST: usize = 32;

/// A transport with a limit on unanswered requests.
pub(crate) struct Bounded<T> {
    inner: T,
    open: Arc<Open>,
    /// Whether a request has arrived: anything before the first request belongs to nothing and is skipped.
    begun: bool,
}

#[derive(Default)]
struct Open {
    requests: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl Open {
    fn requests(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answered(&self, id: Option<&RequestId>) {
        if id.is_some_and(|id| self.requests().remove(id)) {
            self.fewer.notify_one();
        }
    }
}

impl<T> Bounded<T> {
    pub(crate) fn new(inner: T) -> Bounded<T> {
        Bounded { inner, open: Arc::default(), begun: false }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Bounded<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answers = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let (sending, open) = (self.inner.send(item), Arc::clone(&self.open));
        async move {
            let sent = sending.await;
            // Counted only once the answer is written: a client that does not read cannot make further requests.
            open.answered(answers.as_ref());
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            while self.open.requests().len() >= MOST {
                self.open.fewer.notified().await;
            }
            let received = self.inner.receive().await;
            self.begun |= matches!(received, Some(JsonRpcMessage::Request(_)));
            if received.is_some() && !self.begun {
                continue;
            }
            // If two requests have the same id, the second would get no answer of its own and would not be counted.
            if self.is_counted(received.as_ref()) {
                return received;
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

impl<T> Bounded<T> {
    /// Counts what was received; returns false for a request whose id belongs to one that is still unanswered.
    fn is_counted(&self, received: Option<&RxJsonRpcMessage<RoleServer>>) -> bool {
        match received {
            Some(JsonRpcMessage::Request(request)) => self.open.requests().insert(request.id.clone()),
            Some(JsonRpcMessage::Notification(it)) => {
                // A cancelled request gets no answer.
                if let ClientNotification::CancelledNotification(cancelled) = &it.notification {
                    self.open.answered(cancelled.params.request_id.as_ref());
                }
                true
            }
            Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) | None => true,
        }
    }
}
