//! The listener of the `view` and `mcp` servers: connections, and whether each has shown the token.

use crate::strangers::{Caller, Strangers, Visit};
use axum::extract::Request;
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::serve::{IncomingStream, Listener};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};

/// A listener that limits the connections that have not shown the token.
pub struct Door {
    listener: TcpListener,
    strangers: Strangers,
}

/// The connection that a request arrived on.
#[derive(Clone)]
pub struct Guest(Arc<Visit>);

impl Door {
    /// Accepts connections from a listener.
    pub fn new(listener: TcpListener) -> Door {
        Door { listener, strangers: Strangers::default() }
    }
}

impl Listener for Door {
    type Io = Caller<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Caller<TcpStream>, SocketAddr) {
        // Retries after errors, such as a connection that is already closed or a temporary lack of file descriptors.
        let (stream, address) = Listener::accept(&mut self.listener).await;
        (self.strangers.receive(stream), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Connected<IncomingStream<'_, Door>> for Guest {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Guest {
        Guest(stream.io().visit())
    }
}

/// Marks the connection of this admitted request as trusted, so that it may stay open.
pub fn admit(request: &Request) {
    if let Some(ConnectInfo(Guest(visit))) = request.extensions().get() {
        visit.admit();
    }
}
