//! A conversation in the form that the APIs share, and their common rules.
//!
//! Both wire formats are made from a [`Transcript`], and nothing is sent that [`check_transcript`] refuses.
//! An API answers a broken rule with status 400, and repeating the request does not help.

use crate::render;
use ledger::Fence;
use ledger::turn::{Answer, Message, ReplyBlock, TurnRequest, UserBlock};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Its turns: user and assistant alternate.
    pub turns: Vec<Turn>,
}

/// What one side says at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who says it.
    pub role: Role,
    /// What it says, in order.
    pub parts: Vec<Part>,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The engine.
    User,
    /// The model.
    Assistant,
}

/// A part of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Words.
    Text(String),
    /// A call that the model makes.
    Call {
        /// Its id.
        call: String,
        /// The tool.
        tool: String,
        /// The arguments; a text if they could not be read.
        arguments: Value,
    },
    /// The answer to a call of the previous turn.
    Result {
        /// The call's id.
        call: String,
        /// What the model reads.
        text: String,
        /// Whether the call failed or was refused.
        failed: bool,
    },
}

/// The rule that a conversation breaks.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum TranscriptError {
    /// It is empty.
    #[error("check a conversation: it is empty")]
    Empty,
    /// The user must begin, both must alternate, and the user must have the last word.
    #[error("check a conversation: turn {turn} is the wrong side's")]
    Role {
        /// Which turn, from 0.
        turn: usize,
    },
    /// A turn says nothing.
    #[error("check a conversation: turn {turn} says nothing")]
    EmptyTurn {
        /// Which turn.
        turn: usize,
    },
    /// A text is empty or only whitespace.
    #[error("check a conversation: a text of turn {turn} is blank")]
    BlankText {
        /// Which turn.
        turn: usize,
    },
    /// A call of the user, or a result of the model.
    #[error("check a conversation: turn {turn} holds what only the other side can say")]
    WrongSide {
        /// Which turn.
        turn: usize,
    },
    /// An id is empty, longer than 64 bytes, or has characters other than letters, digits, `_` and `-`.
    #[error("check a conversation: the call {call:?} of turn {turn} has no possible id")]
    Id {
        /// Which turn.
        turn: usize,
        /// The id.
        call: String,
    },
    /// A tool's name is one that no API accepts.
    #[error("check a conversation: {tool:?} in turn {turn} is no possible name of a tool")]
    ToolName {
        /// Which turn.
        turn: usize,
        /// The name.
        tool: String,
    },
    /// Two calls have the same id.
    #[error("check a conversation: the call {call} is made twice, the second time in turn {turn}")]
    CallTwice {
        /// Which turn.
        turn: usize,
        /// The id.
        call: String,
    },
    /// A call is not answered in the very next turn.
    #[error("check a conversation: the call {call} of turn {turn} is not answered in the next")]
    Unanswered {
        /// The turn of the call.
        turn: usize,
        /// The id.
        call: String,
    },
    /// A result answers no call of the previous turn.
    #[error("check a conversation: turn {turn} answers {call}, which the turn before did not call")]
    Orphan {
        /// Which turn.
        turn: usize,
        /// The id.
        call: String,
    },
    /// A call is answered twice.
    #[error("check a conversation: turn {turn} answers {call} twice")]
    AnsweredTwice {
        /// Which turn.
        turn: usize,
        /// The id.
        call: String,
    },
    /// Something comes before a result.
    #[error("check a conversation: the answer to {call} in turn {turn} stands after a text")]
    ResultAfterText {
        /// Which turn.
        turn: usize,
        /// The id.
        call: String,
    },
}

/// Checks whether both APIs accept the conversation; returns the first broken rule if not.
pub fn check_transcript(transcript: &Transcript) -> Result<(), TranscriptError> {
    if transcript.turns.is_empty() {
        return Err(TranscriptError::Empty);
    }
    let mut seen = BTreeSet::new();
    // The calls of the previous turn that wait for their answer.
    let mut open: BTreeMap<&str, bool> = BTreeMap::new();
    for (turn, said) in transcript.turns.iter().enumerate() {
        let expected = if turn % 2 == 0 { Role::User } else { Role::Assistant };
        if said.role != expected {
            return Err(TranscriptError::Role { turn });
        }
        if said.parts.is_empty() {
            return Err(TranscriptError::EmptyTurn { turn });
        }
        match said.role {
            Role::User => answers(turn, said, &mut open)?,
            Role::Assistant => calls(turn, said, &mut open, &mut seen)?,
        }
    }
    match transcript.turns.last().map(|turn| turn.role) {
        Some(Role::User) => Ok(()),
        Some(Role::Assistant) | None => Err(TranscriptError::Role { turn: transcript.turns.len() }),
    }
}

fn answers<'t>(
    turn: usize,
    said: &'t Turn,
    open: &mut BTreeMap<&'t str, bool>,
) -> Result<(), TranscriptError> {
    let mut spoke = false;
    for part in &said.parts {
        match part {
            Part::Text(text) if text.trim().is_empty() => return Err(TranscriptError::BlankText { turn }),
            Part::Text(_) => spoke = true,
            Part::Call { .. } => return Err(TranscriptError::WrongSide { turn }),
            Part::Result { call, .. } => {
                let call = call.clone();
                if spoke {
                    return Err(TranscriptError::ResultAfterText { turn, call });
                }
                match open.get_mut(call.as_str()) {
                    None => return Err(TranscriptError::Orphan { turn, call }),
                    Some(answered) if *answered => {
                        return Err(TranscriptError::AnsweredTwice { turn, call });
                    }
                    Some(answered) => *answered = true,
                }
            }
        }
    }
    let missing = open.iter().find(|(_, answered)| !**answered).map(|(call, _)| (*call).to_owned());
    open.clear();
    match missing {
        Some(call) => Err(TranscriptError::Unanswered { turn: turn.saturating_sub(1), call }),
        None => Ok(()),
    }
}

fn calls<'t>(
    turn: usize,
    said: &'t Turn,
    open: &mut BTreeMap<&'t str, bool>,
    seen: &mut BTreeSet<&'t str>,
) -> Result<(), TranscriptError> {
    for part in &said.parts {
        match part {
            Part::Text(text) if text.trim().is_empty() => return Err(TranscriptError::BlankText { turn }),
            Part::Text(_) => {}
            Part::Result { .. } => return Err(TranscriptError::WrongSide { turn }),
            Part::Call { call, tool, .. } => {
                if !is_name(call) {
                    return Err(TranscriptError::Id { turn, call: call.clone() });
                }
                if !is_name(tool) {
                    return Err(TranscriptError::ToolName { turn, tool: tool.clone() });
                }
                if !seen.insert(call) {
                    return Err(TranscriptError::CallTwice { turn, call: call.clone() });
                }
                open.insert(call, false);
            }
        }
    }
    Ok(())
}

/// Checks whether a text can be a call's id or a tool's name: `^[a-zA-Z0-9_-]{1,64}$`.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(plain)
}

/// Makes the conversation of a request.
///
/// Blank texts are left out, and a side that said nothing else gets words that say so: APIs accept no empty turn.
/// If a model made up a tool name that no API accepts, the name is changed so that they do; the call itself was refused.
/// Nothing else is repaired: calls and answers are as the engine has them, and the check finds mistakes of ours.
pub fn transcript(request: &TurnRequest) -> Result<Transcript, serde_json::Error> {
    let mut unread: BTreeMap<&str, &str> = BTreeMap::new();
    let mut turns = Vec::with_capacity(request.messages.len());
    for message in request.messages.iter() {
        turns.push(match message.as_ref() {
            Message::User(blocks) => user(blocks, &request.fence, &std::mem::take(&mut unread))?,
            Message::Assistant(blocks) => {
                unread = blocks.iter().filter_map(what_was_unread).collect();
                assistant(blocks)
            }
        });
    }
    Ok(Transcript { turns })
}

fn what_was_unread(block: &ReplyBlock) -> Option<(&str, &str)> {
    match block {
        ReplyBlock::Call(call) => Some((call.call.0.as_str(), call.arguments.as_str()?)),
        ReplyBlock::Text { .. } | ReplyBlock::Verbatim { .. } => None,
    }
}

fn user(
    blocks: &[UserBlock],
    fence: &Fence,
    unread: &BTreeMap<&str, &str>,
) -> Result<Turn, serde_json::Error> {
    let (mut results, mut texts) = (Vec::new(), Vec::new());
    for block in blocks {
        match block {
            UserBlock::Text { text } if text.trim().is_empty() => {}
            UserBlock::Text { text } => texts.push(Part::Text(text.clone())),
            UserBlock::Recovery(advice) => texts.push(Part::Text(render::advice(advice, fence)?)),
            UserBlock::Distilled(distilled) => texts.push(Part::Text(render::distilled(distilled, fence)?)),
            UserBlock::Answer { call, answer } => {
                let mut text = render::answer(answer, fence)?;
                // Arguments in the form of a text are ones that the client could not read; the text says why.
                if let Some(why) = unread.get(call.0.as_str()) {
                    text.push_str("\nThe arguments of this call could not be used: ");
                    text.push_str(why);
                }
                results.push(Part::Result { call: call.0.clone(), text, failed: failed(answer) });
            }
        }
    }
    // Results first: the APIs accept them nowhere else.
    results.append(&mut texts);
    if results.is_empty() {
        results.push(Part::Text("(no words)".to_owned()));
    }
    Ok(Turn { role: Role::User, parts: results })
}

fn assistant(blocks: &[ReplyBlock]) -> Turn {
    let part = |block: &ReplyBlock| match block {
        ReplyBlock::Verbatim { .. } => None,
        ReplyBlock::Text { text } if text.trim().is_empty() => None,
        ReplyBlock::Text { text } => Some(Part::Text(text.clone())),
        ReplyBlock::Call(call) => Some(Part::Call {
            call: call.call.0.clone(),
            tool: tool_name(&call.tool),
            arguments: call.arguments.clone(),
        }),
    };
    let mut parts: Vec<_> = blocks.iter().filter_map(part).collect();
    if parts.is_empty() {
        parts.push(Part::Text("(no words)".to_owned()));
    }
    Turn { role: Role::Assistant, parts }
}

/// Returns the name in a form that an API accepts.
pub(crate) fn tool_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let name: String = name.chars().take(64).map(plain).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

/// Checks whether a call failed or was refused.
fn failed(answer: &Answer) -> bool {
    match answer {
        Answer::Returned(returned) => returned.outcome.is_failure(),
        Answer::Refused { .. } => true,
        // A refused reading is an answer: it says what is really there.
        Answer::Page(_)
        | Answer::Recorded(_)
        | Answer::Absence(_)
        | Answer::Derivation(_)
        | Answer::Node { .. }
        | Answer::Nodes { .. }
        | Answer::Recalled(_)
        | Answer::Cut(_)
        | Answer::Reported(_)
        | Answer::Stored { .. }
        | Answer::Artifact { .. }
        | Answer::Sentences { .. }
        | Answer::Statements { .. }
        | Answer::Noted { .. } => false,
    }
}
