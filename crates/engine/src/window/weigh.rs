//! The weight of messages: about the bytes that a provider is sent for them.

use super::cut;
use ledger::ToolSpec;
use ledger::turn::{Answer, Distilled, Message, Page, ReplyBlock, UserBlock};
use serde::Serialize;

/// Bytes around a block, a call or a tool.
const AROUND: u64 = 60;
/// Bytes of the lines that enclose text of the evidence.
const FENCE: u64 = 140;
/// Bytes of a tool's name in a note.
const NAME: u64 = 64;
/// Bytes of a record's own line besides its stored form.
const LINE: u64 = 40;

/// The weight of something as it is, and with notes instead of long answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Weight {
    pub(crate) whole: u64,
    pub(crate) noted: u64,
}

/// Returns the weight of system prompt and tools.
pub(crate) fn fixed(system: &str, tools: &[ToolSpec]) -> u64 {
    let tool =
        |tool: &ToolSpec| (tool.name.len() + tool.description.len()) as u64 + json(&tool.arguments) + AROUND;
    system.len() as u64 + AROUND + tools.iter().map(tool).sum::<u64>()
}

pub(crate) fn message(message: &Message) -> Weight {
    match message {
        Message::User(blocks) => {
            let weights = blocks.iter().map(block);
            weights.fold(Weight::default(), |sum, weight| Weight {
                whole: sum.whole + weight.whole,
                noted: sum.noted + weight.noted,
            })
        }
        Message::Assistant(blocks) => {
            let whole = said(blocks);
            Weight { whole, noted: whole }
        }
    }
}

/// Returns the weight of one block of the engine.
pub(crate) fn block(block: &UserBlock) -> Weight {
    match block {
        UserBlock::Text { text } => {
            let whole = text.len() as u64 + AROUND;
            Weight { whole, noted: whole }
        }
        UserBlock::Recovery(advice) => {
            let whole = json(advice) + FENCE + LINE * advice.calls.len() as u64 + AROUND;
            Weight { whole, noted: whole }
        }
        UserBlock::Distilled(distilled) => {
            let whole = self::distilled(distilled);
            Weight { whole, noted: whole }
        }
        UserBlock::Answer { answer, .. } => {
            let whole = self::answer(answer) + AROUND;
            let noted = cut::note(answer, "").map_or(whole, |note| self::answer(&note) + AROUND + NAME);
            Weight { whole, noted: noted.min(whole) }
        }
    }
}

pub(crate) fn distilled(distilled: &Distilled) -> u64 {
    let nodes = distilled.recorded.shown.len() + distilled.invocations.shown.len();
    json(distilled) + FENCE + LINE * (nodes + distilled.rejections.shown.len()) as u64 + 300
}

fn answer(answer: &Answer) -> u64 {
    // Each recalled record follows a line that says where it is from.
    let heads = if let Answer::Recalled(recalled) = answer { recalled.hits.len() as u64 } else { 0 };
    json(answer) + answer.pages().into_iter().map(page).sum::<u64>() + heads * LINE + FENCE
}

fn page(page: &Page) -> u64 {
    page.records().map(|record| page.output.line_length(record.id).unwrap_or(0) as u64 + LINE).sum()
}

/// Returns the weight of a model's message; if its provider gets its original message back, the larger of the two counts.
fn said(blocks: &[ReplyBlock]) -> u64 {
    let (mut plain, mut verbatim) = (AROUND, 0);
    for block in blocks {
        match block {
            ReplyBlock::Text { text } => plain += text.len() as u64 + AROUND,
            ReplyBlock::Call(call) => {
                plain += (call.tool.len() + call.call.0.len()) as u64 + json(&call.arguments) + AROUND;
            }
            ReplyBlock::Verbatim { message, .. } => verbatim = message.len() as u64,
        }
    }
    plain.max(verbatim)
}

/// Returns the length of a value's JSON.
fn json(value: &impl Serialize) -> u64 {
    let mut counter = Counter(0);
    // Serialising what is sent does not fail; if it did, sending it would show the error.
    drop(serde_json::to_writer(&mut counter, value));
    counter.0
}

/// Counts the bytes written, and keeps none of them.
struct Counter(u64);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
