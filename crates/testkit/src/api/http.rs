//! The part of HTTP/1.1 that an API client needs.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A received request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The path.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: String,
}

/// Reads one request; fails with `InvalidData` if something else arrives.
pub(super) fn read(stream: &TcpStream) -> io::Result<Request> {
    let mut reader = BufReader::new(stream);
    // Such as a TLS hello.
    if !reader.fill_buf()?.first().is_some_and(u8::is_ascii_uppercase) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).ok_or(io::ErrorKind::UnexpectedEof)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.insert(name.to_ascii_lowercase(), value.trim().to_owned()),
            None => break,
        };
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = String::from_utf8(body).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(Request { path, headers, body })
}

/// Sends a complete response.
pub(super) fn answer(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(&str, &str)],
    body: &str,
) -> io::Result<()> {
    let mut head =
        format!("HTTP/1.1 {status} Status\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    write!(stream, "{head}\r\n{body}")?;
    stream.flush()
}

/// Starts a chunked response.
pub(super) fn begin(stream: &mut TcpStream) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
                request-id: req-test\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    stream.flush()
}

/// Sends a chunk.
pub(super) fn piece(stream: &mut TcpStream, text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    write!(stream, "{:x}\r\n{text}\r\n", text.len())?;
    stream.flush()
}

/// Ends a chunked response.
pub(super) fn end(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(b"0\r\n\r\n")?;
    stream.flush()
}

/// Sends nothing until the client disconnects.
pub(super) fn stall(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0; 1]);
}
