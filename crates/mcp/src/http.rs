//! The protocol over HTTP, on the loopback address.

use crate::guard::{Gate, guard};
use crate::house::House;
use crate::lines::LONGEST_LINE;
use crate::server::Server;
use app::{Loopback, Token};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use thiserror::Error;
use tokio::net::TcpListener;

/// Sessions of clients of older versions that may be open at once; newer ones have none.
const MOST_SESSIONS: usize = 32;

/// Where requests are answered.
const PATH: &str = "/mcp";

/// The server, listening and not yet answering.
pub struct Http {
    listener: TcpListener,
    house: Arc<House>,
    gate: Arc<Gate>,
}

/// Why nothing can be served over HTTP.
#[derive(Debug, Error)]
pub enum HttpError {
    /// The address is one that other machines can reach.
    #[error("listen on {address}: only loopback addresses are allowed, such as 127.0.0.1")]
    NotLoopback {
        /// What was asked for.
        address: SocketAddr,
    },
    /// Nothing can listen there.
    #[error("listen on {address}")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The system has no randomness to give.
    #[error("make a random token")]
    Random(#[source] getrandom::Error),
    /// Answering ended.
    #[error("answer requests")]
    Serve(#[source] io::Error),
}

/// Listens on an address of this machine itself; port 0 is any that is free.
pub async fn open_http(house: Arc<House>, address: SocketAddr) -> Result<Http, HttpError> {
    if !address.ip().is_loopback() {
        return Err(HttpError::NotLoopback { address });
    }
    let listen = |source| HttpError::Listen { address, source };
    let token = Token::new().map_err(HttpError::Random)?;
    let listener = TcpListener::bind(address).await.map_err(listen)?;
    let local = listener.local_addr().map_err(listen)?;
    let gate = Arc::new(Gate { token, loopback: Loopback::at(local) });
    Ok(Http { listener, house, gate })
}

impl Http {
    /// Where it answers.
    pub fn address(&self) -> String {
        self.gate.loopback.address(PATH)
    }

    /// What a request must bear in its `Authorization` header, behind `Bearer`.
    pub fn token(&self) -> &str {
        self.gate.token.as_str()
    }

    /// Answers requests until `end` comes.
    pub async fn serve(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), HttpError> {
        let mut config = StreamableHttpServerConfig::default().enforce_origin_validation();
        config.max_request_body_bytes = LONGEST_LINE;
        // The guard looks at hosts and origins, with the port.
        config.allowed_hosts = Vec::new();
        config.allowed_origins = self.gate.loopback.origins();
        let stop = config.cancellation_token.clone();
        let (house, sessions) = (self.house, Arc::new(LocalSessionManager::default()));
        let server = move || Ok(Server::new(Arc::clone(&house)));
        let service = StreamableHttpService::new(server, Arc::clone(&sessions), config);
        let router = Router::new()
            .route_service(PATH, service)
            .layer(from_fn_with_state(sessions, few_sessions))
            .layer(from_fn_with_state(self.gate, guard));
        let ends = async move {
            end.await;
            stop.cancel();
        };
        let router = router.into_make_service_with_connect_info::<app::Guest>();
        let served = axum::serve(app::Door::new(self.listener), router).with_graceful_shutdown(ends);
        served.await.map_err(HttpError::Serve)
    }
}

/// Refuses what would open one session too many.
async fn few_sessions(
    State(sessions): State<Arc<LocalSessionManager>>,
    request: Request,
    next: Next,
) -> Response {
    let version = request.headers().get("mcp-protocol-version").and_then(|it| it.to_str().ok());
    let may_open =
        request.headers().get("mcp-session-id").is_none() && version.is_none_or(|it| it < "2026-07-28");
    if may_open && sessions.sessions.read().await.len() >= MOST_SESSIONS {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many sessions are open").into_response();
    }
    next.run(request).await
}
