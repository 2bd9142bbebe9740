//! The protocol over standard input and output, for a client that started the program.

use crate::house::House;
use crate::lines::{LONGEST_LINE, Lines};
use crate::server::Server;
use crate::transport::Bounded;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use std::sync::Arc;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};

/// The reason why serving ended.
#[derive(Debug, Error)]
pub enum StdioError {
    /// The client's first message was not part of the protocol.
    #[error("begin the protocol with the client")]
    Begin(#[source] Box<ServerInitializeError>),
    /// One of our threads panicked.
    #[error("serve the client: a thread of the program panicked")]
    Panicked,
}

/// Serves one client until it closes its end.
pub async fn serve_stdio(
    house: &Arc<House>,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), StdioError> {
    let lines = Lines::new(input, LONGEST_LINE);
    let transport = AsyncRwTransport::<RoleServer, _, _>::new(lines, output);
    let serving = match Server::new(Arc::clone(house)).serve(Bounded::new(transport)).await {
        Ok(serving) => serving,
        // The client disconnected without a message.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(StdioError::Begin(Box::new(error))),
    };
    match serving.waiting().await {
        Ok(QuitReason::JoinError(_)) | Err(_) => Err(StdioError::Panicked),
        Ok(_) => Ok(()),
    }
}
