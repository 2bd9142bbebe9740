//! A scripted model: a test says what it answers.

use ledger::turn::{Reply, ReplyBlock, ToolCall, TurnRequest};
use ledger::{CallId, Digest};
use llm::{Model, ModelError, Turning};
use serde_json::Value;

type Script = dyn FnMut(&TurnRequest) -> Option<Reply> + Send;

/// A model that answers each turn by a function of the request.
pub struct Scripted {
    answer: Box<Script>,
}

impl Scripted {
    /// A model that answers by `answer`; `None` is a model that cannot be had.
    pub fn new(answer: impl FnMut(&TurnRequest) -> Option<Reply> + Send + 'static) -> Scripted {
        Scripted { answer: Box::new(answer) }
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a> {
        let exhausted = || ModelError::Exhausted { model: "scripted".to_owned(), turn: request.turn };
        let reply = (self.answer)(request).ok_or_else(exhausted);
        Box::pin(std::future::ready(reply))
    }
}

/// A reply that makes these calls, named `call-<turn>-<n>`.
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

/// A reply without a call.
pub fn words(text: &str) -> Reply {
    Reply { blocks: vec![ReplyBlock::Text { text: text.to_owned() }] }
}
