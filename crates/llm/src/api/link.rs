//! One request and its answer over HTTP.

use super::address::{Address, Dialect};
use super::anthropic::VERSION;
use super::error::{ApiError, Foreign, StreamError};
use super::key::ApiKey;
use super::received::{Asked, Lost, Reader, Received, bounded, told};
use super::settings::{Retries, SetupError};
use super::sse::Events;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde_json::Value;
use std::time::Duration;

/// The most bytes of an answer.
const LARGEST: usize = 32 * 1024 * 1024;
/// The most bytes of an error that are read.
const LARGEST_ERROR: usize = 64 * 1024;

/// Codes and types of errors for a request that is too long (OpenAI, llama.cpp, Anthropic).
const TOO_LONG_CODES: [&str; 3] =
    ["context_length_exceeded", "exceed_context_size_error", "request_too_large"];
/// Words in the messages of such errors, for servers whose codes are less specific: Anthropic, vLLM and routers, llama.cpp.
const TOO_LONG_WORDS: [&str; 5] = [
    "prompt is too long",
    "exceed context limit",
    "maximum context length",
    "available context size",
    "context length exceeded",
];

/// The connection to one model.
#[derive(Debug)]
pub(crate) struct Link {
    client: Client,
    address: Address,
    endpoint: String,
    host: String,
    key: Option<ApiKey>,
}

/// The result of one attempt.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) request_id: Option<String>,
    pub(crate) result: Result<Received, ApiError>,
}

impl Link {
    pub(crate) fn new(address: &Address, key: Option<ApiKey>, retries: &Retries) -> Result<Link, SetupError> {
        let model = address.to_string();
        if key.is_none() && address.dialect.needs_key(address.base()) {
            return Err(SetupError::NoKey { model, variable: address.dialect.key_variable() });
        }
        let headers =
            headers(address.dialect, key.as_ref()).ok_or(SetupError::Key { model: model.clone() })?;
        // The cryptography provider belongs to the whole process; one that was set earlier stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .default_headers(headers)
            .user_agent(concat!("locard/", env!("CARGO_PKG_VERSION")))
            // After a redirect, the key would be sent to another address.
            .redirect(Policy::none())
            .connect_timeout(retries.connect)
            .read_timeout(retries.silence);
        if is_loopback(address) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|source| SetupError::Client { model, source })?;
        let (endpoint, host) = (address.endpoint(), address.host());
        Ok(Link { client, address: address.clone(), endpoint, host, key })
    }

    /// Returns the server as messages name it.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Sends the body once.
    pub(crate) async fn attempt(&self, body: Vec<u8>, asked: &mut Asked<'_>) -> Attempt {
        match self.client.post(&self.endpoint).body(body).send().await {
            Err(error) => Attempt { request_id: None, result: Err(ApiError::of_client(&self.host, error)) },
            Ok(response) => {
                let id = ["request-id", "x-request-id"].iter().find_map(|name| response.headers().get(*name));
                let request_id = id.and_then(|id| id.to_str().ok()).map(|id| bounded(&self.hidden(id)));
                let received = self.read(response, asked).await;
                let result = received.map(|received| match &self.key {
                    Some(key) => received.without(key),
                    None => received,
                });
                Attempt { request_id, result }
            }
        }
    }

    /// Removes the key, which the server may repeat, from what it says.
    fn hidden(&self, said: &str) -> String {
        self.key.as_ref().map_or_else(|| said.to_owned(), |key| key.hide_in_json(said))
    }

    async fn read(&self, response: Response, asked: &mut Asked<'_>) -> Result<Received, ApiError> {
        let status = response.status();
        if status.is_redirection() {
            return Err(self.foreign(Foreign::Redirect { status: status.as_u16() }));
        }
        if !status.is_success() {
            return Err(self.refused(response).await);
        }
        let content = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let content = self.hidden(content.unwrap_or("no content type")).to_ascii_lowercase();
        match content.split(';').next().unwrap_or_default().trim() {
            "text/event-stream" => self.stream(response, asked).await,
            "application/json" => self.whole(response, asked).await,
            other => Err(self.foreign(Foreign::Content { status: status.as_u16(), found: bounded(other) })),
        }
    }

    async fn stream(&self, mut response: Response, asked: &mut Asked<'_>) -> Result<Received, ApiError> {
        let (mut reader, mut events) = (Reader::new(self.address.dialect), Events::default());
        let mut length = 0usize;
        while !reader.is_done() {
            let piece = response.chunk().await.map_err(|error| ApiError::of_client(&self.host, error))?;
            let Some(piece) = piece else { break };
            length = length.saturating_add(piece.len());
            if length > LARGEST {
                return Err(self.damaged(StreamError::TooLarge { most: LARGEST }));
            }
            for data in events.push(&piece).map_err(|source| self.damaged(source))? {
                reader.event(&self.hidden(&data)).map_err(|lost| self.lost(lost))?;
            }
        }
        reader.finish(asked).map_err(|source| self.damaged(source))
    }

    /// Reads the answer of a server that does not stream.
    async fn whole(&self, response: Response, asked: &mut Asked<'_>) -> Result<Received, ApiError> {
        let status = response.status().as_u16();
        let body = self.body(response, LARGEST).await?;
        let mut reader = Reader::new(self.address.dialect);
        let read = reader.whole(&body).and_then(|()| reader.finish(asked).map_err(Lost::Damaged));
        read.map_err(|lost| match lost {
            Lost::Damaged(StreamError::Json(error)) if !error.is_data() => {
                self.damaged(StreamError::Json(error))
            }
            // It is JSON, but nothing that such an API says.
            Lost::Damaged(_) => {
                self.foreign(Foreign::Content { status, found: "application/json".to_owned() })
            }
            lost @ Lost::Told { .. } => self.lost(lost),
        })
    }

    async fn body(&self, mut response: Response, most: usize) -> Result<String, ApiError> {
        let mut body = Vec::new();
        while let Some(piece) =
            response.chunk().await.map_err(|error| ApiError::of_client(&self.host, error))?
        {
            if body.len().saturating_add(piece.len()) > most {
                return Err(self.damaged(StreamError::TooLarge { most }));
            }
            body.extend_from_slice(&piece);
        }
        match String::from_utf8(body) {
            Ok(body) => Ok(self.hidden(&body)),
            Err(_) => Err(self.damaged(StreamError::NotUtf8)),
        }
    }

    async fn refused(&self, response: Response) -> ApiError {
        let status = response.status().as_u16();
        let after = retry_after(response.headers());
        // If the rest cannot be read, its status alone is enough.
        let body = self.body(response, LARGEST_ERROR).await.unwrap_or_default();
        let mut body: Value = serde_json::from_str(&body).unwrap_or_default();
        if let Some(key) = &self.key {
            key.hide_in(&mut body);
        }
        self.error(status, body.get("error"), after)
    }

    /// Converts an error of the server.
    fn error(&self, status: u16, error: Option<&Value>, after: Option<Duration>) -> ApiError {
        let host = self.host.clone();
        let said = error.map_or_else(|| "it did not say why".to_owned(), told);
        let told = self.hidden(&said);
        let code = |pointer| error.and_then(|error| error.pointer(pointer)).and_then(Value::as_str);
        let codes = [code("/code"), code("/type"), code("/details/error_code")];
        let says = |word| codes.contains(&Some(word));
        match status {
            401 | 403 => {
                let variable = self.address.dialect.key_variable();
                ApiError::Key { host, status, given: self.key.is_some(), variable }
            }
            404 if error.is_some() => ApiError::NoModel { host, model: self.address.model.clone(), told },
            404 | 405 => self.foreign(Foreign::Path { status }),
            402 => ApiError::Spent { host, status, told },
            429 if says("insufficient_quota") || says("enforced_spend_limit_reached") => {
                ApiError::Spent { host, status, told }
            }
            413 => ApiError::TooLong { host, status, told },
            400.. if TOO_LONG_CODES.iter().any(|code| says(code)) => ApiError::TooLong { host, status, told },
            400 | 422 if is_too_long(&said) => ApiError::TooLong { host, status, told },
            _ => ApiError::Status { host, status, told, after },
        }
    }

    fn lost(&self, lost: Lost) -> ApiError {
        match lost {
            Lost::Damaged(source) => self.damaged(source),
            Lost::Told { status, told } => self.error(status, Some(&Value::String(told)), None),
        }
    }

    fn damaged(&self, source: StreamError) -> ApiError {
        ApiError::Damaged { host: self.host.clone(), source }
    }

    fn foreign(&self, found: Foreign) -> ApiError {
        ApiError::NotAnApi { host: self.host.clone(), found }
    }
}

fn is_too_long(said: &str) -> bool {
    let said = said.to_ascii_lowercase();
    TOO_LONG_WORDS.iter().any(|words| said.contains(words))
}

fn headers(dialect: Dialect, key: Option<&ApiKey>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    let (name, scheme) = match dialect {
        Dialect::Anthropic => {
            headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
            (HeaderName::from_static("x-api-key"), "")
        }
        Dialect::OpenAi => (AUTHORIZATION, "Bearer "),
    };
    if let Some(key) = key {
        headers.insert(name, key.header(scheme).ok()?);
    }
    Some(headers)
}

fn is_loopback(address: &Address) -> bool {
    let host = address.base().host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Returns how long the server asks to wait, if it says so in seconds or milliseconds.
/// A date is not read, because this client has no calendar clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|millis| millis / 1000.0);
    // Some servers give fractions of seconds.
    Duration::try_from_secs_f64(seconds.or_else(|| number(RETRY_AFTER.as_str()))?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_ask_for_whole_and_for_parts_of_seconds() {
        let asked = |name: &'static str, value: &'static str| {
            retry_after(&HeaderMap::from_iter([(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )]))
        };
        assert_eq!(asked("retry-after", "30"), Some(Duration::from_secs(30)));
        assert_eq!(asked("retry-after", " 1.5 "), Some(Duration::from_millis(1500)));
        assert_eq!(asked("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        for unread in ["-1", "inf", "NaN", "1e300", "", "soon", "Sun, 06 Nov 1994 08:49:37 GMT"] {
            assert_eq!(asked("retry-after", unread), None, "{unread}");
        }
    }
}
