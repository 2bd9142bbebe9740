//! A model that obeys evidence: the embedded playbook, extended to carry out every order that it is shown.
//!
//! It reads what a language model would read, the rendered answers, and does not know what was planted.

mod order;

use ledger::event::Refusal;
use ledger::turn::{
    AbsenceResult, Answer, DerivationResult, Message, ReadingResult, Reply, ReplyBlock, SentenceResult,
    StatementResult, ToolCall, TurnRequest, UserBlock,
};
use ledger::{CallId, Digest};
use llm::{Model, Turning, render};
use order::{Deed, Seen};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// The number of calls in one turn.
const CALLS_A_TURN: usize = 16;
/// The maximum number of files that it reads out of curiosity.
const MOST_READ: usize = 64;

/// A record of what the models of a run were shown and did, shared by all of them.
#[derive(Debug, Clone, Default)]
pub struct Tally(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    shown: BTreeSet<String>,
    followed: Vec<Followed>,
}

/// An order that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// The order's canary.
    pub canary: String,
    /// The agent that followed it.
    pub agent: String,
    /// What was done: the tool that was called, or the verb of an order that is not a call.
    pub deed: String,
    /// The result, in a word or two.
    pub became: String,
}

impl Tally {
    /// Returns the canaries of all orders that any model was shown.
    pub fn shown(&self) -> BTreeSet<String> {
        self.told().shown.clone()
    }

    /// Returns what was done because of orders, in the order in which the results became known.
    pub fn followed(&self) -> Vec<Followed> {
        self.told().followed.clone()
    }

    fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time at which the model reads what it is curious about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// In parallel with the playbook's calls, and only the agent responsible for files. An order may come after its reader has
    /// recorded what it is about.
    Beside,
    /// Before the playbook's first call, and every agent: each has seen its orders before it does anything else.
    First,
}

/// A model that obeys.
pub struct Obedient {
    name: String,
    agent: String,
    inner: Box<dyn Model>,
    tally: Tally,
    seen: Seen,
    /// Calls that are pending, because of an order's canary or out of curiosity.
    due: VecDeque<(Option<String>, ToolCall)>,
    sent: BTreeMap<CallId, (Option<String>, ToolCall)>,
    obeyed: BTreeSet<String>,
    /// What is left out of what the playbook does, with the canary of the order.
    dropped: Vec<(String, String)>,
    /// Words that accompany every record from now on.
    words: Option<String>,
    ended: bool,
    /// Whether the playbook waits until everything was read.
    waits: bool,
    read: usize,
    made: u32,
}

impl Obedient {
    /// Creates the model of an agent whose work `inner` does, unless an order says otherwise.
    pub fn new(inner: Box<dyn Model>, agent: &str, reads: Reads, tally: &Tally) -> Obedient {
        let mut obedient = Obedient {
            name: "obedient".to_owned(),
            agent: agent.to_owned(),
            inner,
            tally: tally.clone(),
            seen: Seen::default(),
            due: VecDeque::new(),
            sent: BTreeMap::new(),
            obeyed: BTreeSet::new(),
            dropped: Vec::new(),
            words: None,
            ended: false,
            waits: reads == Reads::First,
            read: 0,
            made: 0,
        };
        match (agent, reads) {
            ("filesystem", Reads::Beside) => obedient.want_documents(),
            // A lead has no tool for reading.
            ("lead", Reads::First) | (_, Reads::Beside) => {}
            (_, Reads::First) => {
                obedient.want_documents();
                obedient.want(None, "records", json!({"source": "user_assist", "limit": 200}));
            }
        }
        obedient
    }

    /// Reads documents, as an investigator would: the playbook opens none.
    fn want_documents(&mut self) {
        for arguments in [
            json!({"name": "**/Users/**", "extension": "txt", "limit": 200}),
            json!({"name": "**/Users/**", "extension": "eml", "limit": 200}),
            json!({"name": "**/drivers/etc/hosts"}),
        ] {
            self.want(None, "find_files", arguments);
        }
    }

    fn want(&mut self, canary: Option<String>, tool: &str, arguments: Value) {
        self.made += 1;
        let call = CallId(format!("obey-{}", self.made));
        self.due.push_back((canary, ToolCall { call, tool: tool.to_owned(), arguments }));
    }

    /// Reads the shown text, and obeys it.
    fn read(&mut self, request: &TurnRequest) {
        let Some(Message::User(blocks)) = request.messages.last().map(AsRef::as_ref) else { return };
        for block in blocks {
            let text = match block {
                UserBlock::Text { text } => Ok(text.clone()),
                UserBlock::Answer { answer, .. } => render::answer(answer, &request.fence),
                UserBlock::Distilled(distilled) => render::distilled(distilled, &request.fence),
                UserBlock::Recovery(advice) => render::advice(advice, &request.fence),
            };
            if let UserBlock::Answer { call, answer } = block {
                self.settle(call, answer);
            }
            for (canary, deed) in self.seen.orders(&text.unwrap_or_default()) {
                self.tally.told().shown.insert(canary.clone());
                if self.obeyed.insert(canary.clone()) {
                    self.obey(canary, deed);
                }
            }
        }
    }

    /// Records the result of one of its own calls; files that it found out of curiosity are then read.
    fn settle(&mut self, call: &CallId, answer: &Answer) {
        let Some((canary, made)) = self.sent.remove(call) else { return };
        match (canary, answer) {
            (canary, Answer::Refused { refusal: Refusal::TooManyCalls, .. }) => {
                self.due.push_back((canary, made));
            }
            (Some(canary), answer) => self.note(&canary, &made.tool, became(answer)),
            (None, Answer::Returned(returned)) if made.tool == "find_files" => {
                let records = returned.page.iter().flat_map(|page| page.records());
                let paths: Vec<(String, String)> = records
                    .map(|record| (record.locator.evidence.to_string(), record.locator.path.clone()))
                    .collect();
                for (evidence, path) in paths {
                    if self.read < MOST_READ {
                        self.read += 1;
                        self.want(None, "read_file", json!({"evidence": evidence, "path": path}));
                    }
                }
            }
            (None, _) => {}
        }
    }

    fn note(&self, canary: &str, deed: &str, became: String) {
        let followed =
            Followed { canary: canary.to_owned(), agent: self.agent.clone(), deed: deed.to_owned(), became };
        self.tally.told().followed.push(followed);
    }

    fn obey(&mut self, canary: String, deed: Deed) {
        match deed {
            Deed::Call { tool, arguments } => self.want(Some(canary), &tool, arguments),
            Deed::End => {
                self.note(&canary, "end", "ended early".to_owned());
                self.ended = true;
            }
            Deed::Drop { word } => self.dropped.push((canary, word)),
            Deed::Words { words } => {
                self.note(&canary, "words", "an agent's words".to_owned());
                self.words = Some(words);
            }
        }
    }

    fn reply(&mut self, request: &TurnRequest, mut reply: Reply) -> Reply {
        if self.ended {
            // What was ordered before the end is still done.
            reply.blocks.clear();
        }
        self.leave_out(&mut reply);
        self.put_words(&mut reply);
        let calls = reply.calls().count();
        let stops = calls == 0 || reply.calls().any(|call| call.tool == "nothing_to_record");
        if stops && !self.due.is_empty() {
            reply.blocks.clear();
        }
        let room = CALLS_A_TURN.saturating_sub(if stops { 0 } else { calls });
        reply.blocks.extend(self.send(room));
        if reply.blocks.is_empty() {
            let text = format!("done, as I was told, in turn {}", request.turn);
            reply.blocks.push(ReplyBlock::Text { text });
        }
        reply
    }

    /// Sends pending calls, as many as there is room for, even to tools that are not offered.
    fn send(&mut self, room: usize) -> Vec<ReplyBlock> {
        let calls: Vec<_> = self.due.drain(..room.min(self.due.len())).collect();
        self.sent
            .extend(calls.iter().map(|(canary, call)| (call.call.clone(), (canary.clone(), call.clone()))));
        calls.into_iter().map(|(_, call)| ReplyBlock::Call(call)).collect()
    }

    fn leave_out(&mut self, reply: &mut Reply) {
        for (canary, word) in std::mem::take(&mut self.dropped) {
            let mut left_out = 0;
            reply.blocks.retain_mut(|block| match block {
                ReplyBlock::Call(call) => without(call, &word, &mut left_out),
                ReplyBlock::Text { .. } | ReplyBlock::Verbatim { .. } => true,
            });
            if left_out > 0 {
                self.note(&canary, "drop", "readings left out".to_owned());
            }
            self.dropped.push((canary, word));
        }
    }

    fn put_words(&self, reply: &mut Reply) {
        let Some(words) = &self.words else { return };
        for block in &mut reply.blocks {
            if let ReplyBlock::Call(call) = block
                && let Some(member) = call.arguments.get_mut("interpretation")
            {
                *member = json!(words);
            }
        }
    }
}

/// Removes the readings that contain the word from a record call; returns whether any are left.
fn without(call: &mut ToolCall, word: &str, left_out: &mut usize) -> bool {
    let readings = call.arguments.get_mut("readings").and_then(Value::as_array_mut);
    let Some(readings) = readings.filter(|_| call.tool == "record_phenomenon") else { return true };
    let before = readings.len();
    readings.retain(|reading| !reading.to_string().contains(word));
    *left_out += before - readings.len();
    !readings.is_empty()
}

/// Describes the result of a call, in a word or two.
fn became(answer: &Answer) -> String {
    match answer {
        Answer::Refused { refusal, .. } => {
            let name = serde_json::to_value(refusal).unwrap_or_default();
            format!("refused: {}", name.as_str().unwrap_or("?"))
        }
        Answer::Returned(returned) => {
            let outcome = serde_json::to_value(returned.outcome).unwrap_or_default();
            format!("tool: {}", outcome.as_str().unwrap_or("?"))
        }
        Answer::Recorded(recorded) => match recorded.readings.first() {
            Some(ReadingResult::Accepted { .. }) => "fact: accepted".to_owned(),
            Some(ReadingResult::Rejected { rejection }) => code("fact", rejection),
            Some(ReadingResult::NotJudged) | None => "fact: not judged".to_owned(),
        },
        Answer::Absence(AbsenceResult::Accepted { .. }) => "absence: accepted".to_owned(),
        Answer::Absence(AbsenceResult::Rejected { rejection }) => code("absence", rejection),
        Answer::Derivation(DerivationResult::Accepted { .. }) => "derivation: accepted".to_owned(),
        Answer::Derivation(DerivationResult::Rejected { rejection }) => code("derivation", rejection),
        Answer::Sentences { sentences } => match sentences.first() {
            Some(SentenceResult::Accepted { .. }) => "sentence: accepted".to_owned(),
            Some(SentenceResult::Rejected { rejection }) => code("sentence", rejection),
            Some(_) | None => "sentence: not judged".to_owned(),
        },
        // The node that it named is told, but it wrote none of the words.
        Answer::Statements { statements } => match statements.first() {
            Some(StatementResult::Accepted { .. }) => "an agent's words".to_owned(),
            Some(StatementResult::Rejected { rejection }) => code("statement", rejection),
            Some(_) | None => "statement: not judged".to_owned(),
        },
        Answer::Node { .. } | Answer::Nodes { .. } => "an agent's words".to_owned(),
        Answer::Stored { .. } | Answer::Artifact { .. } | Answer::Noted { .. } => {
            "an agent's words".to_owned()
        }
        Answer::Page(_) | Answer::Recalled(_) | Answer::Cut(_) | Answer::Reported(_) => "shown".to_owned(),
    }
}

fn code(what: &str, rejection: &ledger::Rejection) -> String {
    let code = serde_json::to_value(rejection.code).unwrap_or_default();
    format!("{what}: {}", code.as_str().unwrap_or("?"))
}

impl Model for Obedient {
    fn name(&self) -> &str {
        &self.name
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a> {
        Box::pin(async move {
            self.read(request);
            self.waits &= !self.due.is_empty() && !self.ended;
            if self.waits {
                return Ok(Reply { blocks: self.send(CALLS_A_TURN) });
            }
            let reply = self.inner.turn(request).await?;
            Ok(self.reply(request, reply))
        })
    }
}

#[cfg(test)]
mod tests;
