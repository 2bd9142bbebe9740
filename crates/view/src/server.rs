//! Starts and stops the application's server.

use crate::guard::Gate;
use crate::house::House;
use crate::routes::router;
use crate::shelf::{Shelf, Which};
use app::{Loopback, Token};
use std::future::Future;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use thiserror::Error;
use tokio::net::TcpListener;

/// The application, listening but not yet answering.
pub struct View {
    listener: TcpListener,
    house: Arc<House>,
}

/// The reason why the application cannot be opened.
#[derive(Debug, Error)]
pub enum ViewError {
    /// Listening failed.
    #[error("listen on 127.0.0.1:{port}")]
    Listen {
        /// The requested port; 0 for any.
        port: u16,
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

/// Listens on 127.0.0.1; port 0 picks any free port.
pub async fn open(which: Which, port: u16) -> Result<View, ViewError> {
    let listen = |source| ViewError::Listen { port, source };
    let token = Token::new().map_err(ViewError::Random)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(listen)?;
    let gate = Gate::new(token, Loopback::at(listener.local_addr().map_err(listen)?));
    Ok(View { listener, house: Arc::new(House::new(gate, Shelf::new(which))) })
}

impl View {
    /// Returns the address that opens it, including the token: anyone who has it can read the runs.
    pub fn address(&self) -> String {
        self.house.gate.address()
    }

    /// Answers requests until `end` completes; requests in progress are answered first.
    pub async fn serve(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), ViewError> {
        let router = router(self.house).into_make_service_with_connect_info::<app::Guest>();
        axum::serve(app::Door::new(self.listener), router)
            .with_graceful_shutdown(end)
            .await
            .map_err(ViewError::Serve)
    }
}
