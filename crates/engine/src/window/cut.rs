//! Notes that replace answers: what was there, and how to see it again.

use ledger::CallId;
use ledger::turn::{Answer, Loss, Message, Page, ReplyBlock, UserBlock};

/// The most files that a note names.
const SOME_PATHS: usize = 3;
/// The number of nodes up to which a list is short enough to stay.
const FEW_NODES: usize = 3;

/// Returns the note that replaces a tool's answer; `None` for an answer that stays, because it is short or the result of a claim.
pub(crate) fn note(answer: &Answer, tool: &str) -> Option<Answer> {
    let tool = tool.to_owned();
    let loss = match answer {
        Answer::Returned(returned) => of_page(returned.page.as_ref()?, tool),
        Answer::Page(page) => of_page(page, tool),
        Answer::Recalled(recalled) => {
            let pages = recalled.hits.iter().map(|hit| &hit.page);
            Loss { cut: recalled.hits.len() as u32, ..of_pages(pages, tool) }
        }
        Answer::Nodes { nodes, .. } if nodes.len() > FEW_NODES => {
            Loss { tool, invocation: None, records: 0, cut: nodes.len() as u32, paths: Vec::new() }
        }
        Answer::Reported(_) | Answer::Artifact { .. } => {
            Loss { tool, invocation: None, records: 0, cut: 1, paths: Vec::new() }
        }
        Answer::Recorded(_)
        | Answer::Absence(_)
        | Answer::Derivation(_)
        | Answer::Node { .. }
        | Answer::Nodes { .. }
        | Answer::Cut(_)
        | Answer::Stored { .. }
        | Answer::Sentences { .. }
        | Answer::Statements { .. }
        | Answer::Noted { .. }
        | Answer::Refused { .. } => return None,
    };
    Some(Answer::Cut(loss))
}

/// Returns the block with a note instead of its answer to one of the calls of `asked`.
pub(crate) fn block(block: &UserBlock, asked: Option<&Message>) -> UserBlock {
    match block {
        UserBlock::Answer { call, answer } => {
            let answer = note(answer, tool(call, asked)).unwrap_or_else(|| answer.clone());
            UserBlock::Answer { call: call.clone(), answer }
        }
        UserBlock::Text { .. } | UserBlock::Distilled(_) | UserBlock::Recovery(_) => block.clone(),
    }
}

/// Returns the tool that a call named.
fn tool<'m>(call: &CallId, asked: Option<&'m Message>) -> &'m str {
    let Some(Message::Assistant(blocks)) = asked else { return "" };
    let named = blocks.iter().find_map(|block| match block {
        ReplyBlock::Call(made) if made.call == *call => Some(made.tool.as_str()),
        ReplyBlock::Call(_) | ReplyBlock::Text { .. } | ReplyBlock::Verbatim { .. } => None,
    });
    named.unwrap_or_default()
}

fn of_page(page: &Page, tool: String) -> Loss {
    let cut = page.shown.iter().map(|range| range.end.0.saturating_sub(range.first.0)).sum();
    Loss { cut, ..of_pages([page].into_iter(), tool) }
}

fn of_pages<'p>(pages: impl Iterator<Item = &'p Page>, tool: String) -> Loss {
    let (mut invocation, mut records, mut paths) = (None, 0, Vec::new());
    for page in pages {
        invocation = invocation.or(Some(page.invocation));
        records += page.output.count() as u32;
        for record in page.records() {
            let path = &record.locator.path;
            if paths.len() < SOME_PATHS && !paths.contains(path) {
                paths.push(path.clone());
            }
        }
    }
    Loss { tool, invocation, records, cut: 0, paths }
}
