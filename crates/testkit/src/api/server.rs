//! A local server that listens until it is dropped.

use super::http::{self, Request};
use super::measure::{Cache, Measured, reply_tokens, too_long};
use super::play::{Fault, Play, Says};
use super::tokens::tokens;
use super::{KEY, anthropic, openai};
use serde_json::{Value, json};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// The API of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaks {
    /// Anthropic Messages.
    Anthropic,
    /// Chat completions.
    OpenAi,
}

/// A request that was answered.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The request.
    pub request: Request,
    /// Its body.
    pub body: Value,
    /// The rule that it broke, or the context limit that it exceeded.
    pub broken: Option<String>,
    /// The tokens of the request and of the reply, as the server counts them.
    pub measured: Measured,
}

/// The limits of a server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// The maximum number of tokens of a request and its reply together; `None` means unlimited.
    pub context: Option<u64>,
}

type Script = dyn FnMut(usize, &Value) -> Play + Send;

struct State {
    speaks: Speaks,
    model: String,
    limits: Limits,
    script: Box<Script>,
    kept: Vec<Kept>,
    cache: Cache,
    /// All content that was sent: thinking must come back unchanged.
    issued: anthropic::Issued,
}

/// A server; it stops when dropped.
pub struct ApiServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ApiServer {
    /// Starts a server with one model that responds by `script`, which receives the number of earlier answered requests and the body.
    pub fn start(
        speaks: Speaks,
        model: &str,
        script: impl FnMut(usize, &Value) -> Play + Send + 'static,
    ) -> io::Result<ApiServer> {
        ApiServer::start_with(speaks, model, Limits::default(), script)
    }

    /// Starts a server with limits.
    pub fn start_with(
        speaks: Speaks,
        model: &str,
        limits: Limits,
        script: impl FnMut(usize, &Value) -> Play + Send + 'static,
    ) -> io::Result<ApiServer> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State {
            speaks,
            model: model.to_owned(),
            limits,
            script: Box::new(script),
            kept: Vec::new(),
            cache: Cache::default(),
            issued: anthropic::Issued::default(),
        }));
        let stopped = Arc::new(AtomicBool::new(false));
        let (shared, is_stopped) = (Arc::clone(&state), Arc::clone(&stopped));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if is_stopped.load(Ordering::SeqCst) {
                    break;
                }
                let state = Arc::clone(&shared);
                // A client that disconnects is not a failure of the server.
                std::thread::spawn(move || drop(serve(stream, &state)));
            }
        });
        Ok(ApiServer { address, state, stopped, thread: Some(thread) })
    }

    /// Returns the base address for a client: without the prefix of the API's paths.
    pub fn base(&self) -> String {
        match lock(&self.state).speaks {
            Speaks::Anthropic => format!("http://{}", self.address),
            Speaks::OpenAi => format!("http://{}/v1", self.address),
        }
    }

    /// Returns every request so far.
    pub fn kept(&self) -> Vec<Kept> {
        lock(&self.state).kept.clone()
    }

    /// Returns the rules that requests broke.
    pub fn broken(&self) -> Vec<String> {
        lock(&self.state).kept.iter().filter_map(|kept| kept.broken.clone()).collect()
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes up the listening thread.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut stream: TcpStream, state: &Mutex<State>) -> io::Result<()> {
    let request = match http::read(&stream) {
        Ok(request) => request,
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return http::answer(&mut stream, 400, &[], "");
        }
        Err(error) => return Err(error),
    };
    let (speaks, measured, play) = {
        let mut state = lock(state);
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let number = state.kept.iter().filter(|kept| kept.broken.is_none()).count();
        let checked = state.admit(&request, &body);
        let broken = checked.as_ref().err().map(|(_, _, message)| message.clone());
        let mut measured = checked.as_ref().copied().unwrap_or_default();
        let play = checked.map(|_| (state.script)(number, &body));
        if let Ok(Play::Say(says) | Play::SayWhole(says)) = &play {
            state.issued.take(says);
            measured.output = reply_tokens(says);
        }
        let streamed = body.get("stream") == Some(&json!(true));
        state.kept.push(Kept { request, body, broken, measured });
        (state.speaks, measured, play.map(|play| (play, streamed)))
    };
    match play {
        Err((status, kind, message)) => refuse(&mut stream, status, &[], &error(speaks, kind, &message)),
        Ok((Play::Say(says), true)) => {
            http::begin(&mut stream)?;
            for event in events(speaks, &says, measured) {
                http::piece(&mut stream, &event)?;
            }
            http::end(&mut stream)
        }
        Ok((Play::Say(says) | Play::SayWhole(says), _)) => {
            refuse(&mut stream, 200, &[], &whole(speaks, &says, measured).to_string())
        }
        Ok((Play::Fail(fault, says), _)) => fail(&mut stream, speaks, fault, &says, measured),
    }
}

fn refuse(stream: &mut TcpStream, status: u16, more: &[(&str, &str)], body: &str) -> io::Result<()> {
    let mut headers = vec![("content-type", "application/json"), ("request-id", "req-test")];
    headers.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
    headers.extend_from_slice(more);
    http::answer(stream, status, &headers, body)
}

type Broken = (u16, &'static str, String);

fn check_request(state: &State, request: &Request, body: &Value) -> Result<(), Broken> {
    let header = |name: &str| request.headers.get(name).map(String::as_str);
    let (path, key) = match state.speaks {
        Speaks::Anthropic => ("/v1/messages", header("x-api-key").map(str::to_owned)),
        Speaks::OpenAi => {
            let bearer = header("authorization").and_then(|value| value.strip_prefix("Bearer "));
            ("/v1/chat/completions", bearer.map(str::to_owned))
        }
    };
    if request.path != path {
        return Err((404, "not_found_error", "Not Found".to_owned()));
    }
    // A real server repeats part of the key; this one repeats all of it.
    match key {
        Some(key) if key == KEY => {}
        Some(key) => {
            return Err((401, "authentication_error", format!("Incorrect API key provided: {key}.")));
        }
        None => return Err((401, "authentication_error", "x-api-key header is required".to_owned())),
    }
    if header("content-type") != Some("application/json") {
        return Err((400, "invalid_request_error", "content-type: expected application/json".to_owned()));
    }
    if state.speaks == Speaks::Anthropic && header("anthropic-version") != Some("2023-06-01") {
        return Err((400, "invalid_request_error", "anthropic-version: header is required".to_owned()));
    }
    let model = body.get("model").and_then(Value::as_str);
    if model != Some(&state.model) {
        let message = format!("model: {} does not exist", model.unwrap_or_default());
        return Err((404, "not_found_error", message));
    }
    let checked = match state.speaks {
        Speaks::Anthropic => anthropic::check(body, Some(&state.issued)),
        Speaks::OpenAi => openai::check(body),
    };
    checked.map_err(|message| (400, "invalid_request_error", message))
}

impl State {
    /// Returns the size of the request, or the rule that it breaks, or that it is too long.
    fn admit(&mut self, request: &Request, body: &Value) -> Result<Measured, Broken> {
        check_request(self, request, body)?;
        let input = tokens(self.speaks, body);
        let told = self.limits.context.and_then(|context| too_long(self.speaks, body, input, context));
        if let Some(told) = told {
            let kind = match self.speaks {
                Speaks::Anthropic => "invalid_request_error",
                Speaks::OpenAi => "context_length_exceeded",
            };
            return Err((400, kind, told));
        }
        Ok(self.cache.measure(self.speaks, &request.body, body))
    }
}

/// Returns the first rule of the API that a request's body breaks, in the server's words.
///
/// Thinking is checked only for its form: only a server knows whether it is unchanged.
pub fn check(speaks: Speaks, body: &Value) -> Result<(), String> {
    match speaks {
        Speaks::Anthropic => anthropic::check(body, None),
        Speaks::OpenAi => openai::check(body),
    }
}

fn error(speaks: Speaks, kind: &str, message: &str) -> String {
    match speaks {
        Speaks::Anthropic => {
            json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
        }
        Speaks::OpenAi => {
            // This error code is not an error type of its own.
            let of = if kind == "context_length_exceeded" { "invalid_request_error" } else { kind };
            json!({"error": {"message": message, "type": of, "code": kind, "param": null}}).to_string()
        }
    }
}

fn events(speaks: Speaks, says: &Says, measured: Measured) -> Vec<String> {
    match speaks {
        Speaks::Anthropic => anthropic::events(says, measured),
        Speaks::OpenAi => openai::events(says, measured),
    }
}

fn whole(speaks: Speaks, says: &Says, measured: Measured) -> Value {
    match speaks {
        Speaks::Anthropic => anthropic::whole(says, measured),
        Speaks::OpenAi => openai::whole(says, measured),
    }
}

fn fail(
    stream: &mut TcpStream,
    speaks: Speaks,
    fault: Fault,
    says: &Says,
    measured: Measured,
) -> io::Result<()> {
    let all = events(speaks, says, measured);
    let half = all.get(..all.len() / 2).unwrap_or_default().concat();
    let html = [("content-type", "text/html")];
    match fault {
        Fault::Status(status, headers, Some(kind)) => {
            refuse(stream, status, &headers, &error(speaks, kind, "as the script wants it"))
        }
        Fault::Status(status, mut headers, None) => {
            headers.extend(html);
            http::answer(stream, status, &headers, "<html>as the script wants it</html>")
        }
        Fault::Body(status, body) => refuse(stream, status, &[], &body.to_string()),
        Fault::TooLong => {
            let (kind, message) = match speaks {
                Speaks::Anthropic => {
                    ("invalid_request_error", "prompt is too long: 200001 tokens > 200000 maximum")
                }
                Speaks::OpenAi => (
                    "context_length_exceeded",
                    "This model's maximum context length is 128000 tokens. However, your messages resulted in 128001 tokens.",
                ),
            };
            refuse(stream, 400, &[], &error(speaks, kind, message))
        }
        Fault::DropBefore => Ok(()),
        Fault::DropMidStream => {
            http::begin(stream)?;
            http::piece(stream, &half)
        }
        Fault::EndEarly => {
            http::begin(stream)?;
            http::piece(stream, &half)?;
            http::end(stream)
        }
        Fault::Stall => {
            http::stall(stream);
            Ok(())
        }
        Fault::StallMidStream => {
            http::begin(stream)?;
            http::piece(stream, &half)?;
            http::stall(stream);
            Ok(())
        }
        Fault::Garbage => {
            http::begin(stream)?;
            http::piece(stream, "data: \u{1}not json at all\n\n")?;
            http::end(stream)
        }
        Fault::HalfJson => {
            http::begin(stream)?;
            http::piece(stream, &half)?;
            http::piece(stream, "data: {\"type\": \"content_blo\n\n")?;
            http::end(stream)
        }
        Fault::HalfBody => {
            let body = whole(speaks, says, measured).to_string();
            refuse(stream, 200, &[], body.get(..body.len() / 2).unwrap_or_default())
        }
        Fault::WrongContentType => http::answer(stream, 200, &html, "<html>Please log in</html>"),
        Fault::OtherJson => refuse(stream, 200, &[], "{\"hello\": \"world\"}"),
        Fault::ErrorEvent(kind) => {
            http::begin(stream)?;
            http::piece(stream, &half)?;
            let data = error(speaks, kind, "as the script wants it");
            http::piece(stream, &format!("event: error\ndata: {data}\n\n"))?;
            http::end(stream)
        }
    }
}
