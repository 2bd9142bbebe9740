//! What messages weigh: about the bytes that a provider is sent for them.

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
/// Bytes of a record's own line besides those of its stored form.
const LINE: u64 = 40;

/// What something weighs as it is, and with notes in place of long answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Weight {
    pub(crate) whole: u64,
    pub(crate) noted: u64,
}

/// System prompt and tools.
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

/// One block of the engine's.
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
    // Each recalled record stands behind a line of its own that says whose it is.
    let heads = if let Answer::Recalled(recalled) = answer { recalled.hits.len() as u64 } else { 0 };
    json(answer) + answer.pages().into_iter().map(page).sum::<u64>() + heads * LINE + FENCE
}

fn page(page: &Page) -> u64 {
    page.records().map(|record| page.output.line_length(record.id).unwrap_or(0) as u64 + LINE).sum()
}

/// What a model said; where its provider is sent its own words back, those count if they are more.
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

/// The length of a value's JSON.
fn json(value: &impl Serialize) -> u64 {
    let mut counter = Counter(0);
    // Nothing that is sent fails to be written; what did would be found when it is.
    drop(serde_json::to_writer(&mut counter, value));
    counter.0
}

/// Counts what is written, and keeps none of it.
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
