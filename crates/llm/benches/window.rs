//! Cost of a turn, apart from its model and tools, when a conversation of 400,000 tokens goes through a context of 32,000.
//! It measures leaving out what does not fit, and writing the request.
//!
//! Model and tool are scripted; the engine, the client and a strict server's token count are real, and nothing is sent.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test or measurement may stop it")]
#![expect(clippy::disallowed_methods, reason = "a measurement measures time")]
#![expect(clippy::print_stdout, reason = "a measurement prints its table")]

#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../tests/suite/window/evidence.rs"]
mod evidence;
#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../tests/suite/window/life.rs"]
mod life;

use engine::{Command, Input, ToolReturn};
use evidence::{line, returned};
use ledger::turn::{Reply, ReplyBlock, ToolCall, TurnRequest};
use ledger::{CallId, Digest, Exchange, Outcome, Usage, Window};
use life::{Life, Setup, endless};
use llm::api::{ApiKey, Provider, Settings};
use serde_json::json;
use std::time::{Duration, Instant};
use testkit::api::{KEY, Speaks, tokens};
use testkit::random::Random;

const WINDOW: Window = Window { context: 32_000, reply: 4_000 };
/// How many turns come before the measured ones: some 4,500 tokens each.
const BEFORE: usize = 100;
const MEASURED: usize = 200;
/// Calls per turn, and records per call.
const SHAPE: (usize, usize) = (2, 20);

fn main() {
    // `cargo test` only asks that a benchmark builds.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    for speaks in [Speaks::Anthropic, Speaks::OpenAi] {
        let (cut, went_on, written) = lived(speaks);
        println!("{speaks:?}, {} turns after {BEFORE}:", cut.len() + went_on.len());
        told("a step that leaves something out", cut);
        told("a step that goes on", went_on);
        told("writing the request", written);
    }
}

fn told(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |place: usize| times.get(place).copied().unwrap_or_default();
    let (median, worst) = (at(times.len() / 2), at(times.len().saturating_sub(1)));
    println!("  {what}: {} times, median {median:?}, worst {worst:?}", times.len());
}

/// Measures the steps that end in a request, divided into those that cut and those that do not, and the writing of requests.
fn lived(speaks: Speaks) -> (Vec<Duration>, Vec<Duration>, Vec<Duration>) {
    let dialect = if speaks == Speaks::Anthropic { "anthropic" } else { "openai" };
    let address = format!("{dialect}:m@http://127.0.0.1:9/v1").parse().unwrap();
    let settings = Settings { reply_tokens: WINDOW.reply, ..Settings::default() };
    let provider = Provider::new(&address, Some(ApiKey::new(KEY).unwrap()), settings).unwrap();
    let mut life = Life::new(Setup { window: Some(WINDOW), rules: endless(), offered: &[] });
    let (mut cut, mut went_on, mut written) = (Vec::new(), Vec::new(), Vec::new());
    let (mut input, mut number, mut before) = (Input::Begin, 0, 0);
    loop {
        let start = Instant::now();
        let command = life.step(input);
        let stepped = start.elapsed();
        input = match command {
            Command::AskModel(request) => {
                let start = Instant::now();
                let body = provider.body(&request).unwrap();
                let wrote = start.elapsed();
                if request.turn as usize > BEFORE {
                    if request.messages.len() > before { &mut went_on } else { &mut cut }.push(stepped);
                    written.push(wrote);
                }
                before = request.messages.len();
                if request.turn as usize > BEFORE + MEASURED {
                    return (cut, went_on, written);
                }
                reply(&request, tokens(speaks, &serde_json::from_slice(&body).unwrap()))
            }
            Command::CallTool(_) => {
                number += 1;
                Input::Returned(page(number))
            }
            other => panic!("{other:?}"),
        };
    }
}

fn reply(request: &TurnRequest, sent: u64) -> Input {
    let call = |at| {
        let arguments = json!({"n": request.turn, "at": at});
        let call = CallId(format!("toolu_{}_{at}", request.turn));
        ReplyBlock::Call(ToolCall { call, tool: "read".to_owned(), arguments })
    };
    let usage = Usage { input: sent, ..Usage::default() };
    let exchange =
        Exchange { request: Digest::of(b""), attempts: 1, usage, sent: Some(sent), request_id: None };
    Input::Replied(Reply { blocks: (0..SHAPE.0).map(call).collect() }, Some(exchange))
}

/// Makes a page of a log: words, numbers, hex.
fn page(number: u64) -> ToolReturn {
    let mut random = Random::new(number);
    let words = ["service", "started", "by", "the", "user", "session", "closed", "policy", "update", "error"];
    let record = |random: &mut Random| {
        let said: Vec<_> = (0..14).filter_map(|_| words.get(random.below(words.len())).copied()).collect();
        let hex = format!("{:016x}{:016x}", random.below(usize::MAX), random.below(usize::MAX));
        line(format!("Windows/Logs/{number}.log"), format!("{} {hex}", said.join(" ")), vec![])
    };
    returned(Outcome::Ok, (0..SHAPE.1).map(|_| record(&mut random)).collect())
}
