//! A minimal client.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use testkit::api::{ApiServer, KEY, Speaks};

pub(crate) const BOTH: [Speaks; 2] = [Speaks::Anthropic, Speaks::OpenAi];

/// Returns the status and the body of the response.
pub(crate) fn post(server: &ApiServer, speaks: Speaks, body: &Value) -> (u16, Value) {
    let base = server.base();
    let host = base.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let (path, key) = match speaks {
        Speaks::Anthropic => ("/v1/messages", format!("x-api-key: {KEY}\r\nanthropic-version: 2023-06-01")),
        Speaks::OpenAi => ("/v1/chat/completions", format!("authorization: Bearer {KEY}")),
    };
    let body = body.to_string();
    let mut stream = TcpStream::connect(&host).unwrap();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: {host}\r\n{key}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, serde_json::from_str(body).unwrap())
}
