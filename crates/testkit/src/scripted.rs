//! A scripted model, whose replies a test provides.

use ledger::turn::{Reply, ReplyBlock, ToolCall, TurnRequest};
use ledger::{CallId, Digest, Exchange, Usage, Window};
use llm::api::{ApiError, transcript};
use llm::{Model, ModelError, Turning};
use serde_json::Value;

type Script = dyn FnMut(&TurnRequest) -> Option<Reply> + Send;

/// A model that replies to each turn with a function of the request.
pub struct Scripted {
    answer: Box<Script>,
    small: Option<Small>,
    exchange: Option<Exchange>,
}

/// A model with a limited context window.
struct Small {
    window: Window,
    /// The number of tokens that a request can really have.
    takes: u64,
}

impl Scripted {
    /// Creates a model that replies with `answer`; `None` means that the model is unavailable.
    pub fn new(answer: impl FnMut(&TurnRequest) -> Option<Reply> + Send + 'static) -> Scripted {
        Scripted { answer: Box::new(answer), small: None, exchange: None }
    }

    /// Sets a context that is said to be `window`; requests of more than `takes` tokens are refused. A token is four bytes.
    #[must_use]
    pub fn within(self, window: Window, takes: u64) -> Scripted {
        Scripted { small: Some(Small { window, takes }), ..self }
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn window(&self) -> Option<Window> {
        self.small.as_ref().map(|small| small.window)
    }

    fn last_exchange(&self) -> Option<&Exchange> {
        self.exchange.as_ref()
    }

    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a> {
        Box::pin(std::future::ready(self.reply(request)))
    }
}

impl Scripted {
    fn reply(&mut self, request: &TurnRequest) -> Result<Reply, ModelError> {
        let model = || "scripted".to_owned();
        if let Some(small) = &self.small {
            let tokens = tokens(request);
            self.exchange = Some(exchange(request, tokens));
            if tokens > small.takes {
                let why = ApiError::TooLong { host: model(), status: 400, told: format!("{tokens} tokens") };
                return Err(ModelError::TooLong { model: model(), why: Box::new(why) });
            }
        }
        let exhausted = || ModelError::Exhausted { model: model(), turn: request.turn };
        (self.answer)(request).ok_or_else(exhausted)
    }
}

fn exchange(request: &TurnRequest, tokens: u64) -> Exchange {
    let usage = Usage { input: tokens, ..Usage::default() };
    Exchange { request: request.digest, attempts: 1, usage, sent: Some(tokens), request_id: None }
}

/// Counts the tokens that are sent to a language model, at four bytes per token.
fn tokens(request: &TurnRequest) -> u64 {
    let said = transcript(request).map(|said| format!("{said:?}").len()).unwrap_or_default();
    let tools = serde_json::to_string(&*request.tools).map(|tools| tools.len()).unwrap_or_default();
    (said + tools + request.system.len()) as u64 / 4
}

/// Creates a reply with these calls, named `call-<turn>-<n>`.
pub fn calls(turn: u32, calls: &[(&str, Value)]) -> Reply {
    let block = |(index, (tool, arguments)): (usize, &(&str, Value))| {
        ReplyBlock::Call(ToolCall {
            call: CallId(format!("call-{turn}-{index}")),
            tool: (*tool).to_owned(),
            arguments: arguments.clone(),
        })
    };
    Reply { blocks: calls.iter().enumerate().map(block).collect() }
}

/// Creates a reply without a call.
pub fn words(text: &str) -> Reply {
    Reply { blocks: vec![ReplyBlock::Text { text: text.to_owned() }] }
}
