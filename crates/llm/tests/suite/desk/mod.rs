//! A small engine that answers calls from handmade outputs.

use ledger::event::{RecordRange, Refusal};
use ledger::tool::FieldMeaning;
use ledger::turn::{
    Answer, Message, Page, ReadingResult, Recorded, Reply, ReplyBlock, Returned, ToolCall, TurnRequest,
    UserBlock,
};
use ledger::{
    CallId, Completeness, Digest, FactId, Fence, Field, FieldType, FieldValue, IdSpace, InvocationId,
    Locator, Outcome, Output, Record, RecordId, RecordType, Rejection, RejectionCode, Seed, TaskId,
    ToolClass, ToolSpec,
};
use llm::playbook::Step;
use llm::{Model, Playbook};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

#[derive(Debug, Deserialize)]
pub(crate) struct File {
    pub(crate) step: Vec<Step>,
}

pub(crate) fn steps(text: &str) -> Vec<Step> {
    let steps = toml::from_str::<File>(text).unwrap().step;
    llm::playbook::check(&steps).unwrap();
    steps
}

pub(crate) fn playbook(text: &str) -> Playbook {
    Playbook::new(steps(text), Digest::of(text.as_bytes()))
}

pub(crate) fn record(kind: &str, fields: &[(&str, FieldValue)]) -> Record {
    let field = |value: &FieldValue| Field { at: None, value: value.clone() };
    Record {
        placement: None,
        defects: vec![],
        fields: fields.iter().map(|(name, value)| ((*name).to_owned(), field(value))).collect(),
        id: RecordId(0),
        kind: kind.into(),
        locator: Locator { evidence: "e".into(), path: "p".into(), stream: None, span: None },
    }
}

pub(crate) fn value(name: &str, data: i128) -> Record {
    let name = FieldValue::Name(name.into());
    record("registry_value", &[("name", name), ("data", FieldValue::Integer(data))])
}

/// The model, and the answers to its calls.
pub(crate) struct Desk {
    model: Box<dyn Model>,
    tools: Arc<[ToolSpec]>,
    /// Outputs by the tool, or by the key that was asked for.
    outputs: BTreeMap<String, Arc<Output>>,
    invocations: Vec<(InvocationId, String)>,
    done: Vec<(CallId, String)>,
    turn: u32,
    /// Every call that the model made, in order.
    pub(crate) made: Vec<ToolCall>,
    /// How many records are shown at first from the start, from the end, and on each page.
    pub(crate) view: (usize, usize, usize),
    /// The most calls of one turn; the rest is refused.
    pub(crate) most_calls: usize,
    /// A tool whose calls are refused for good.
    pub(crate) refuses: Option<&'static str>,
    /// Whether every page shows the first record.
    pub(crate) stuck: bool,
    /// Whether every reading is refused.
    pub(crate) rejects: bool,
    words: String,
}

impl Desk {
    pub(crate) fn new(playbook: Playbook) -> Desk {
        Desk::of(Box::new(playbook))
    }

    pub(crate) fn of(model: Box<dyn Model>) -> Desk {
        Desk {
            model,
            tools: tools(true),
            outputs: BTreeMap::new(),
            invocations: Vec::new(),
            done: Vec::new(),
            turn: 0,
            made: Vec::new(),
            view: (usize::MAX, 0, 1),
            most_calls: 16,
            refuses: None,
            stuck: false,
            rejects: false,
            words: String::new(),
        }
    }

    pub(crate) fn returns(&mut self, what: &str, records: Vec<Record>) {
        self.outputs.insert(what.into(), Arc::new(Output::new(records).unwrap()));
    }

    pub(crate) fn record_only(&mut self) {
        self.tools = tools(false);
    }

    pub(crate) fn last_words(&self) -> &str {
        &self.words
    }

    /// Counts the calls of this tool that were answered, not refused.
    pub(crate) fn answered(&self, tool: &str) -> usize {
        self.done.iter().filter(|(_, done)| done == tool).count()
    }

    /// Makes turns until the model stops.
    pub(crate) fn work(&mut self) {
        self.work_on(Vec::new());
    }

    /// Does what `work` does, starting from a message that says this.
    pub(crate) fn work_on(&mut self, said: Vec<UserBlock>) {
        let mut answers = said;
        for _ in 0..200 {
            let reply = self.turn(std::mem::take(&mut answers));
            let calls: Vec<_> = reply.calls().cloned().collect();
            if calls.is_empty() {
                if let Some(ReplyBlock::Text { text }) = reply.blocks.first() {
                    self.words = text.clone();
                }
                return;
            }
            for (place, call) in calls.iter().enumerate() {
                answers.push(match place < self.most_calls {
                    true => self.answer(call),
                    false => self.refusal(call, Refusal::TooManyCalls),
                });
            }
        }
        panic!("the model does not stop");
    }

    pub(crate) fn turn(&mut self, answers: Vec<UserBlock>) -> Reply {
        self.turn += 1;
        let request = TurnRequest {
            turn: self.turn,
            system: "".into(),
            tools: Arc::clone(&self.tools),
            messages: Arc::new(vec![Arc::new(Message::User(answers))]),
            digest: Digest::of(b""),
            fence: Fence::new(Seed(Digest::of(b"")), TaskId(1), Arc::default(), Arc::default()),
            lessons: Arc::default(),
            open: Arc::default(),
        };
        let mut turning = self.model.turn(&request);
        let Poll::Ready(reply) = turning.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("an embedded model answers at once")
        };
        let reply = reply.unwrap();
        drop(turning);
        self.made.extend(reply.calls().cloned());
        reply
    }

    pub(crate) fn refusal(&self, call: &ToolCall, refusal: Refusal) -> UserBlock {
        let told = "refused".into();
        UserBlock::Answer { call: call.call.clone(), answer: Answer::Refused { refusal, told } }
    }

    pub(crate) fn answer(&mut self, call: &ToolCall) -> UserBlock {
        if self.refuses == Some(call.tool.as_str()) {
            return self.refusal(call, Refusal::BadArguments);
        }
        self.done.push((call.call.clone(), call.tool.clone()));
        let answer = match call.tool.as_str() {
            "record_phenomenon" => Answer::Recorded(self.judged(call)),
            "read_output" => Answer::Page(self.page(&call.arguments)),
            "nothing_to_record" | "add_entity" | "record_absence" => Answer::Noted { text: "noted".into() },
            _ => Answer::Returned(self.returned(call)),
        };
        UserBlock::Answer { call: call.call.clone(), answer }
    }

    fn judged(&self, call: &ToolCall) -> Recorded {
        let rejection = Rejection {
            code: RejectionCode::ValueAbsent,
            reason: "absent".into(),
            hint: String::new(),
            candidates: vec![],
        };
        let readings = call.arguments["readings"].as_array().unwrap().len();
        let space = IdSpace::new(Seed(Digest::of(b"desk")));
        let result = |index: usize| match self.rejects {
            true => ReadingResult::Rejected { rejection: rejection.clone() },
            false => ReadingResult::Accepted {
                fact: FactId::assign(&space, TaskId(1), index as u32).unwrap(),
                invocation: self.invocations[0].0,
                record: RecordId(0),
                values: vec![],
                healed: false,
            },
        };
        Recorded { phenomenon: None, readings: (0..readings).map(result).collect() }
    }

    fn returned(&mut self, call: &ToolCall) -> Returned {
        let key = call.arguments.get("key").and_then(Value::as_str).unwrap_or(&call.tool).to_owned();
        let place = self.invocations.iter().position(|(_, known)| *known == key);
        let invocation = match place {
            Some(place) => self.invocations[place].0,
            None => {
                let space = IdSpace::new(Seed(Digest::of(b"desk")));
                let id = InvocationId::assign(&space, TaskId(1), self.invocations.len() as u32).unwrap();
                self.invocations.push((id, key.clone()));
                id
            }
        };
        let page = self.outputs.get(&key).map(|output| {
            let count = output.records().len();
            let head = self.view.0.min(count);
            let tail = self.view.1.min(count - head);
            let shown = [(0, head), (count - tail, count)].map(|(first, end)| range(first, end));
            Page { invocation, output: Arc::clone(output), shown: shown.to_vec() }
        });
        Returned {
            invocation,
            outcome: if page.is_some() { Outcome::Ok } else { Outcome::Empty },
            completeness: Completeness::Complete,
            from_log: place.is_some(),
            normalised: None,
            page,
            defects: vec![],
            gaps: vec![],
            notes: vec![],
        }
    }

    fn page(&self, arguments: &Value) -> Page {
        let first: RecordId = arguments["first"].as_str().unwrap().parse().unwrap();
        let id: InvocationId = arguments["invocation"].as_str().unwrap().parse().unwrap();
        let (invocation, key) = self.invocations.iter().find(|(known, _)| *known == id).unwrap();
        let output = Arc::clone(&self.outputs[key]);
        let first = if self.stuck { 0 } else { first.0 as usize };
        let end = (first + self.view.2).min(output.records().len());
        Page { invocation: *invocation, output, shown: vec![range(first, end)] }
    }
}

fn range(first: usize, end: usize) -> RecordRange {
    RecordRange { first: RecordId(first as u32), end: RecordId(end as u32) }
}

fn tools(investigate: bool) -> Arc<[ToolSpec]> {
    let names = ["find_hives", "parse_registry_key", "read_lines", "search_lines", "look"];
    let evidence = names.iter().filter(|_| investigate).map(|name| (*name, ToolClass::Investigate));
    let own = [
        ("add_entity", ToolClass::GraphWrite),
        ("nothing_to_record", ToolClass::Record),
        ("read_output", ToolClass::GraphRead),
        ("record_absence", ToolClass::Record),
        ("record_phenomenon", ToolClass::Record),
    ];
    let spec = |(name, class): (&str, ToolClass)| ToolSpec {
        name: name.into(),
        class,
        description: String::new(),
        arguments: Value::Null,
        records: if name == "search_lines" { vec![line_type()] } else { vec![] },
        sources: Default::default(),
        counts: None,
        covers: vec![],
    };
    evidence.chain(own).map(spec).collect()
}

fn line_type() -> RecordType {
    let field =
        |name: &str| (name.to_owned(), FieldMeaning { types: vec![FieldType::Text], meaning: String::new() });
    RecordType {
        name: "text_line".into(),
        meaning: String::new(),
        subject: "path".into(),
        fields: ["path", "text"].map(field).into(),
        qualifiers: vec![],
        scope: Vec::new(),
    }
}
