//! A model that answers from a recording, and refuses if it is asked something else.

use crate::model::{Model, ModelError, Turning};
use ledger::canonical;
use ledger::turn::{Message, Reply, TurnRequest};
use ledger::{Digest, Exchange, Usage, Window};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// The most characters of each side that a refusal shows.
const SHOWN: usize = 160;
/// How many of them precede the first one that differs.
const BEFORE: usize = 40;

/// A recorded task's turns, in order.
#[derive(Debug, Clone)]
pub struct Recorded {
    name: String,
    turns: Arc<[RecordedTurn]>,
    window: Option<Window>,
    digest: Digest,
    next: usize,
    exchange: Option<Exchange>,
}

/// A turn as it was recorded.
#[derive(Debug, Clone)]
pub struct RecordedTurn {
    /// What was asked.
    pub request: TurnRequest,
    /// The result.
    pub came: Came,
    /// The tokens of the request, as counted by the provider; which part of a long conversation is shown depends on it.
    pub sent: Option<u64>,
}

/// The result of a recorded turn.
#[derive(Debug, Clone)]
pub enum Came {
    /// A reply.
    Replied(Reply),
    /// No reply, for this reason.
    Failed(String),
    /// No reply, because the request was too long; in these words.
    TooLong(String),
}

/// Where a request differs from the recorded one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differs {
    /// The turn that was asked for.
    pub turn: u32,
    /// The place within it.
    pub place: Where,
    /// What was recorded there, beginning shortly before the first different character.
    pub recorded: String,
    /// What is asked there.
    pub asked: String,
}

/// A place in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Where {
    /// After the last recorded turn.
    Behind,
    /// The turn's number.
    Turn,
    /// The system prompt.
    System,
    /// A tool, by its number from 1.
    Tool(usize),
    /// A block of a message, by their numbers from 1.
    Block {
        /// The message.
        message: usize,
        /// The block.
        block: usize,
    },
    /// A whole message, by its number from 1: the speaker differs, or only one side has it.
    Message(usize),
    /// Something that cannot be shown.
    Elsewhere,
}

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn {}", self.turn)?;
        match &self.place {
            Where::Behind => return f.write_str(" was not recorded"),
            Where::Elsewhere => return f.write_str(" has another digest"),
            Where::Turn => {}
            Where::System => f.write_str(", system prompt")?,
            Where::Tool(number) => write!(f, ", tool {number}")?,
            Where::Message(number) => write!(f, ", message {number}")?,
            Where::Block { message, block } => write!(f, ", message {message}, block {block}")?,
        }
        write!(f, ": recorded {:?}, asked {:?}", self.recorded, self.asked)
    }
}

impl Recorded {
    /// Makes a model of this name that answers a task as these turns were answered, with the context window of the recorded one.
    pub fn new(name: String, turns: Vec<RecordedTurn>, window: Option<Window>) -> Recorded {
        let mut parts = Vec::new();
        for turn in &turns {
            parts.extend_from_slice(turn.request.digest.as_bytes());
            let came = match &turn.came {
                // A reply from a log has a canonical form.
                Came::Replied(reply) => canonical::to_vec(reply).unwrap_or_default(),
                Came::Failed(told) | Came::TooLong(told) => told.as_bytes().to_vec(),
            };
            parts.extend_from_slice(Digest::of(&came).as_bytes());
        }
        let digest = Digest::of(&parts);
        Recorded { name, turns: turns.into(), window, digest, next: 0, exchange: None }
    }

    fn answer(&mut self, request: &TurnRequest) -> Result<Reply, ModelError> {
        self.exchange = None;
        let turn = self.turns.get(self.next);
        if let Some(differs) = differs(turn.map(|turn| &turn.request), request) {
            return Err(ModelError::Differs { model: self.name.clone(), differs: Box::new(differs) });
        }
        let Some(turn) = turn else {
            return Err(ModelError::Exhausted { model: self.name.clone(), turn: request.turn });
        };
        self.next += 1;
        // A recorded turn costs nothing, so its usage is zero.
        self.exchange = turn.sent.map(|sent| Exchange {
            request: request.digest,
            attempts: 0,
            usage: Usage::default(),
            sent: Some(sent),
            request_id: None,
        });
        match &turn.came {
            Came::Replied(reply) => Ok(reply.clone()),
            Came::Failed(told) => Err(ModelError::AsRecorded { told: told.clone(), too_long: false }),
            Came::TooLong(told) => Err(ModelError::AsRecorded { told: told.clone(), too_long: true }),
        }
    }
}

impl Model for Recorded {
    fn name(&self) -> &str {
        &self.name
    }

    fn digest(&self) -> Option<Digest> {
        Some(self.digest)
    }

    fn window(&self) -> Option<Window> {
        self.window
    }

    fn last_exchange(&self) -> Option<&Exchange> {
        self.exchange.as_ref()
    }

    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a> {
        let answer = self.answer(request);
        Box::pin(std::future::ready(answer))
    }
}

/// Returns the first place in which a request differs from the recorded one.
fn differs(recorded: Option<&TurnRequest>, asked: &TurnRequest) -> Option<Differs> {
    let Some(recorded) = recorded else {
        return Some(Differs {
            turn: asked.turn,
            place: Where::Behind,
            recorded: String::new(),
            asked: String::new(),
        });
    };
    if recorded.digest == asked.digest {
        return None;
    }
    let (place, (recorded, said)) = place(recorded, asked);
    Some(Differs { turn: asked.turn, place, recorded, asked: said })
}

fn place(recorded: &TurnRequest, asked: &TurnRequest) -> (Where, (String, String)) {
    if recorded.turn != asked.turn {
        return (Where::Turn, (recorded.turn.to_string(), asked.turn.to_string()));
    }
    if recorded.system != asked.system {
        return (Where::System, apart(&recorded.system, &asked.system));
    }
    if let Some((at, sides)) = first(&recorded.tools, &asked.tools) {
        return (Where::Tool(at), sides);
    }
    let before: Vec<&Message> = recorded.messages.iter().map(|message| &**message).collect();
    let now: Vec<&Message> = asked.messages.iter().map(|message| &**message).collect();
    let Some((message, sides)) = first(&before, &now) else {
        return (Where::Elsewhere, (String::new(), String::new()));
    };
    let blocks = match (before.get(message - 1), now.get(message - 1)) {
        (Some(Message::User(a)), Some(Message::User(b))) => first(a, b),
        (Some(Message::Assistant(a)), Some(Message::Assistant(b))) => first(a, b),
        (Some(Message::User(_) | Message::Assistant(_)) | None, _) => None,
    };
    match blocks {
        Some((block, sides)) => (Where::Block { message, block }, sides),
        None => (Where::Message(message), sides),
    }
}

/// Returns the number, from 1, of the first item that differs, and both sides there.
fn first<T: Serialize + PartialEq>(recorded: &[T], asked: &[T]) -> Option<(usize, (String, String))> {
    let most = recorded.len().max(asked.len());
    let at = (0..most).find(|at| recorded.get(*at) != asked.get(*at))?;
    let text = |items: &[T]| {
        let item = items.get(at).map(|item| canonical::to_string(item).unwrap_or_default());
        item.unwrap_or_default()
    };
    Some((at + 1, apart(&text(recorded), &text(asked))))
}

/// Returns both texts from shortly before the first different character, shortened.
fn apart(recorded: &str, asked: &str) -> (String, String) {
    let same = recorded.chars().zip(asked.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(BEFORE);
    let cut = |text: &str| {
        let mut shown: String = text.chars().skip(from).take(SHOWN).collect();
        if from > 0 {
            shown.insert(0, '\u{2026}');
        }
        if text.chars().nth(from + SHOWN).is_some() {
            shown.push('\u{2026}');
        }
        shown
    };
    (cut(recorded), cut(asked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::turn::{ReplyBlock, UserBlock};
    use ledger::{Fence, Seed, TaskId, Writers};

    fn request(turn: u32, system: &str, texts: &[&str]) -> TurnRequest {
        let messages = texts.iter().enumerate().map(|(at, text)| {
            let text = (*text).to_owned();
            Arc::new(match at % 2 {
                0 => Message::User(vec![UserBlock::Text { text }]),
                _ => Message::Assistant(vec![ReplyBlock::Text { text }]),
            })
        });
        TurnRequest {
            turn,
            system: system.into(),
            tools: Vec::new().into(),
            messages: Arc::new(messages.collect()),
            digest: Digest::of(format!("{turn} {system} {texts:?}").as_bytes()),
            fence: Fence::new(
                Seed(Digest::of(b"run")),
                TaskId(1),
                Arc::new(Writers::shipped().unwrap()),
                Arc::default(),
            ),
            lessons: Arc::default(),
            open: Arc::default(),
        }
    }

    fn model(turns: &[(TurnRequest, Came)]) -> Recorded {
        let turn = |(request, came): &(TurnRequest, Came)| RecordedTurn {
            request: request.clone(),
            came: came.clone(),
            sent: Some(7),
        };
        Recorded::new("recorded:r".to_owned(), turns.iter().map(turn).collect(), None)
    }

    fn said(text: &str) -> Came {
        Came::Replied(Reply { blocks: vec![ReplyBlock::Text { text: text.to_owned() }] })
    }

    #[test]
    fn the_same_questions_get_the_same_answers_and_cost_nothing() {
        let (first, second) = (request(1, "s", &["go"]), request(2, "s", &["go", "yes", "on"]));
        let failed = Came::Failed("no usable reply".to_owned());
        let mut model = model(&[(first.clone(), said("yes")), (second.clone(), failed)]);
        assert_eq!(model.answer(&first).unwrap().blocks.len(), 1);
        let exchange = model.last_exchange().unwrap();
        assert_eq!((exchange.sent, exchange.usage.tokens(), exchange.attempts), (Some(7), 0, 0));
        let error = model.answer(&second).unwrap_err();
        assert!(matches!(&error, ModelError::AsRecorded { too_long: false, .. }), "{error:?}");
        assert_eq!(error.to_string(), "no usable reply");
        assert!(matches!(model.answer(&second).unwrap_err(), ModelError::Differs { .. }));
    }

    #[test]
    fn another_question_is_refused_with_the_place_and_both_sides() {
        let long = "x".repeat(1000);
        let recorded = request(2, "s", &["go", "yes", &format!("{long}a{long}")]);
        let cases = [
            (request(3, "s", &["go"]), Where::Turn),
            (request(2, "t", &["go"]), Where::System),
            (request(2, "s", &["go", "no", "on"]), Where::Block { message: 2, block: 1 }),
            (
                request(2, "s", &["go", "yes", &format!("{long}b{long}")]),
                Where::Block { message: 3, block: 1 },
            ),
            (request(2, "s", &["go"]), Where::Message(2)),
        ];
        for (asked, place) in cases {
            let error = model(&[(recorded.clone(), said("yes"))]).answer(&asked).unwrap_err();
            let ModelError::Differs { differs, .. } = error else { panic!("{error:?}") };
            assert_eq!(differs.place, place);
            assert_ne!(differs.recorded, differs.asked);
            assert!(differs.to_string().chars().count() < 2 * SHOWN + 100, "{differs}");
        }
        let error = model(&[]).answer(&recorded).unwrap_err();
        assert!(error.to_string().ends_with("turn 2 was not recorded"), "{error}");
    }
}
