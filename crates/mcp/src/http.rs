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

/// The maximum number of open sessions, which only clients of older protocol versions have.
const MOST_SESSIONS: usize = 32;

/// The path at which requests are answered.
const PATH: &str = "/mcp";

/// The server, listening but not yet answering.
pub struct Http {
    listener: TcpListener,
    house: Arc<House>,
    gate: Arc<Gate>,
}

/// The reason why serving over HTTP failed.
#[derive(Debug, Error)]
pub enum HttpError {
    /// Other machines can reach the address.
    #[error("listen on {address}: only loopback addresses are allowed, such as 127.0.0.1")]
    NotLoopback {
        /// The requested address.
        address: SocketAddr,
    },
    /// Listening there failed.
    #[error("listen on {address}")]
    Listen {
        /// The requested address.
        address: SocketAddr,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The system's source of randomness failed.
    #[error("make a random token")]
    Random(#[source] getrandom::Error),
    /// Serving failed.
    #[error("answer requests")]
    Serve(#[source] io::Error),
}

/// Listens on a loopback address; port 0 picks any free port.
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
    /// Returns the server's address.
    pub fn address(&self) -> String {
        self.gate.loopback.address(PATH)
    }

    /// Returns the token that a request needs in its `Authorization` header, after `Bearer`.
    pub fn token(&self) -> &str {
        self.gate.token.as_str()
    }

    /// Answers requests until `end` completes.
    pub async fn serve(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), HttpError> {
        let mut config = StreamableHttpServerConfig::default().enforce_origin_validation();
        config.max_request_body_bytes = LONGEST_LINE;
        // The guard checks hosts and origins, including the port.
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

/// Refuses a request that would open one session too many.
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
