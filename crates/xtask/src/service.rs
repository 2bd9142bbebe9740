//! A local server that a campaign starts, queries over HTTP, and stops.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::time::Duration;

/// The timeout for one response.
const PATIENCE: Duration = Duration::from_secs(60);
/// The interval between checks of whether a server is ready.
const LOOK: Duration = Duration::from_millis(500);

/// A running server; it is stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct Service {
    child: Child,
    port: u16,
}

impl Service {
    /// Starts the program, and waits until it responds at `path`.
    pub(crate) fn start(mut command: Command, port: u16, path: &str) -> io::Result<Service> {
        let mut service = Service { child: command.spawn()?, port };
        loop {
            if let Some(status) = service.child.try_wait()? {
                return Err(io::Error::other(format!("the server ended with {status} before it was ready")));
            }
            if get(port, path).is_ok_and(|answer| answer.status == 200) {
                return Ok(service);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Returns the local port on which it listens.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // One that has already ended needs no stopping.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a currently free port.
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// A server's response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

/// Requests `path`.
pub(crate) fn get(port: u16, path: &str) -> io::Result<Answer> {
    ask(port, &format!("GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n"))
}

/// Sends JSON to `path`.
pub(crate) fn post(port: u16, path: &str, body: &str) -> io::Result<Answer> {
    ask(
        port,
        &format!(
            "POST {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    )
}

/// Sends a request with HTTP/1.0, so that a connection carries one complete, unchunked response.
fn ask(port: u16, request: &str) -> io::Result<Answer> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    answer(&bytes).ok_or_else(|| io::Error::other("the server does not speak HTTP"))
}

fn answer(bytes: &[u8]) -> Option<Answer> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()?;
    Some(Answer { status, body: body.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_its_status_and_its_body() {
        let read = answer(b"HTTP/1.1 200 OK\r\nserver: x\r\n\r\n{\"a\": 1}\r\n\r\n");
        assert_eq!(read, Some(Answer { status: 200, body: "{\"a\": 1}\r\n\r\n".to_owned() }));
        assert_eq!(answer(b"HTTP/1.0 404 Not Found\r\n\r\n").map(|answer| answer.status), Some(404));
        assert_eq!(answer(b"SSH-2.0-x\r\n\r\n"), None);
        assert_eq!(answer(b"HTTP/1.1 200 OK\r\n"), None);
    }
}
