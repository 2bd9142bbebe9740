//! The door of the servers of `view` and `mcp`: connections, and what is known of each.

use crate::strangers::{Caller, Strangers, Visit};
use axum::extract::Request;
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::serve::{IncomingStream, Listener};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};

/// A listener that bounds who may stay without having shown the token.
pub struct Door {
    listener: TcpListener,
    strangers: Strangers,
}

/// The connection that a request came over.
#[derive(Clone)]
pub struct Guest(Arc<Visit>);

impl Door {
    /// Takes connections from a listener.
    pub fn new(listener: TcpListener) -> Door {
        Door { listener, strangers: Strangers::default() }
    }
}

impl Listener for Door {
    type Io = Caller<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Caller<TcpStream>, SocketAddr) {
        // Tries again after errors: of connections that are gone, or where no file can be opened for a while.
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

/// Lets the connection stay that this request, which is admitted, came over.
pub fn admit(request: &Request) {
    if let Some(ConnectInfo(Guest(visit))) = request.extensions().get() {
        visit.admit();
    }
}
