//! The playbook with seeded mistakes: a source of real rejections.
//!
//! It makes mistakes like those of language models: ids mistyped or invented, characters changed, fields and predicates confused.
//! When the gateway refuses such a reading, it corrects two out of three and abandons the third.

use crate::model::{Model, Turning};
use crate::playbook::Playbook;
use crate::random::Choices;
use ledger::event::Refusal;
use ledger::turn::{Answer, Message, ReadingResult, Reply, ReplyBlock, ToolCall, TurnRequest, UserBlock};
use ledger::{CallId, Digest};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// Mistakes per hundred readings.
const MISTAKES_IN_100: usize = 30;
/// The most calls of one turn, including corrections.
const CALLS_A_TURN: usize = 16;

/// A playbook that makes mistakes.
#[derive(Debug)]
pub struct Sloppy {
    name: String,
    playbook: Playbook,
    digest: Option<Digest>,
    choices: Choices,
    /// The correct readings of spoilt calls, by call; `None` for a reading that was left correct.
    spoilt: BTreeMap<CallId, Vec<Option<Value>>>,
    corrections: VecDeque<Value>,
    /// Corrections that were sent: a refused call is made again.
    sent: BTreeMap<CallId, Value>,
    made: u32,
}

impl Sloppy {
    /// Makes a playbook whose mistakes follow from `seed`.
    ///
    /// Its digest covers both: the playbook's and the seed's eight little-endian bytes, as parts.
    pub fn new(playbook: Playbook, seed: u64) -> Sloppy {
        let parts = |digest: Digest| Digest::of_parts(&[digest.as_bytes(), &seed.to_le_bytes()]);
        Sloppy {
            name: format!("sloppy:{seed}"),
            digest: playbook.digest().map(parts),
            playbook,
            choices: Choices::new(seed),
            spoilt: BTreeMap::new(),
            corrections: VecDeque::new(),
            sent: BTreeMap::new(),
            made: 0,
        }
    }

    fn reply(&mut self, request: &TurnRequest) -> Reply {
        if let Some(Message::User(blocks)) = request.messages.last().map(AsRef::as_ref) {
            for block in blocks {
                if let UserBlock::Answer { call, answer } = block {
                    self.take(call, answer);
                }
            }
        }
        let mut reply = self.playbook.reply(request);
        for block in &mut reply.blocks {
            if let ReplyBlock::Call(call) = block {
                self.spoil(call);
            }
        }
        self.correct(&mut reply);
        reply
    }

    fn take(&mut self, call: &CallId, answer: &Answer) {
        let sent = self.sent.remove(call);
        match answer {
            Answer::Recorded(recorded) => self.learn(call, &recorded.readings),
            Answer::Refused { refusal: Refusal::TooManyCalls, .. } => self.corrections.extend(sent),
            Answer::Returned(_)
            | Answer::Page(_)
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
            | Answer::Noted { .. }
            | Answer::Refused { .. } => {}
        }
        // If the playbook repeats a call, it uses another id, and the call is spoilt anew.
        self.spoilt.remove(call);
    }

    fn learn(&mut self, call: &CallId, results: &[ReadingResult]) {
        let originals = self.spoilt.remove(call).unwrap_or_default();
        for (original, result) in originals.into_iter().zip(results) {
            if let (Some(original), ReadingResult::Rejected { .. }) = (original, result)
                && self.choices.once_in(2, 3)
            {
                self.corrections.push_back(original);
            }
        }
    }

    /// Adds corrections if the reply has room; a reply that would have stopped carries them instead.
    fn correct(&mut self, reply: &mut Reply) {
        let calls = reply.calls().count();
        let stops = calls == 0 || reply.calls().any(|call| call.tool == "nothing_to_record");
        if stops && !self.corrections.is_empty() {
            reply.blocks.clear();
        }
        let room = CALLS_A_TURN.saturating_sub(if stops { 0 } else { calls });
        for reading in self.corrections.drain(..room.min(self.corrections.len())) {
            self.made += 1;
            let call = CallId(format!("again-{}", self.made));
            self.sent.insert(call.clone(), reading.clone());
            reply.blocks.push(ReplyBlock::Call(ToolCall {
                call,
                tool: "record_phenomenon".into(),
                arguments: json!({"readings": [reading], "interpretation": "corrected after a refusal"}),
            }));
        }
    }

    fn spoil(&mut self, call: &mut ToolCall) {
        if call.tool != "record_phenomenon" {
            return;
        }
        let Some(readings) = call.arguments.get_mut("readings").and_then(Value::as_array_mut) else { return };
        let mut originals = Vec::with_capacity(readings.len());
        for index in 0..readings.len() {
            let neighbour = readings.get(index + 1).cloned();
            let Some(reading) = readings.get_mut(index) else { continue };
            let original = reading.clone();
            if self.choices.once_in(MISTAKES_IN_100, 100) {
                mistake(&mut self.choices, reading, neighbour.as_ref());
            }
            originals.push((*reading != original).then_some(original));
        }
        if originals.iter().any(Option::is_some) {
            self.spoilt.insert(call.call.clone(), originals);
        }
    }
}

impl Model for Sloppy {
    fn name(&self) -> &str {
        &self.name
    }

    fn digest(&self) -> Option<Digest> {
        self.digest
    }

    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a> {
        let reply = self.reply(request);
        Box::pin(std::future::ready(Ok(reply)))
    }
}

fn mistake(choices: &mut Choices, reading: &mut Value, neighbour: Option<&Value>) {
    match choices.below(7) {
        0 | 1 => change_text(choices, reading.get_mut("invocation"), "0123456789abcdef", 4),
        2 => {
            let invented = format!("inv-{:08x}", choices.below(usize::MAX) as u32);
            set(reading, "invocation", json!(invented));
        }
        3 => {
            let value = reading.pointer_mut("/values/0/value");
            change_text(choices, value, "0123456789abcdefghijklmnopqrstuvwxyz", 0);
        }
        4 => {
            if let Some(value) = reading.pointer_mut("/values/0") {
                set(value, "field", json!("description"));
            }
        }
        5 => set(reading, "predicate", json!("executed")),
        // A neighbour's value: real, but from another record.
        _ => {
            let values = neighbour.and_then(|neighbour| neighbour.get("values")).cloned();
            if let (Some(values), Some(ours)) = (values, reading.get_mut("values")) {
                *ours = values;
            }
        }
    }
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(member) = object.get_mut(name) {
        *member = value;
    }
}

/// Replaces one character, from the `skip`th on, with another one of `alphabet`.
fn change_text(choices: &mut Choices, text: Option<&mut Value>, alphabet: &str, skip: usize) {
    let Some(Value::String(text)) = text else { return };
    let mut letters: Vec<char> = text.chars().collect();
    let alphabet: Vec<char> = alphabet.chars().collect();
    let place = skip + choices.below(letters.len().saturating_sub(skip));
    let other = alphabet.get(choices.below(alphabet.len())).copied();
    if let (Some(letter), Some(other)) = (letters.get_mut(place), other) {
        *letter = if *letter == other { '_' } else { other };
    }
    *text = letters.into_iter().collect();
}
