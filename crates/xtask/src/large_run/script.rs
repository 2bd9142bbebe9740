//! The scripted model: a call, a phenomenon from its results, and occasionally an entity, a wrong claim or a wrong citation.

use super::Tally;
use super::records::{Source, returned};
use engine::{Invoke, ToolReturn};
use ground::Verdict;
use ledger::turn::{Answer, Message, ReadingResult, Reply, Returned, TurnRequest, UserBlock};
use ledger::{FactId, FieldValue, InvocationId, NodeId, Record, TaskId};
use serde_json::{Map, Value, json};
use testkit::recording;
use testkit::scripted::{calls, words};

/// The numbers of facts in phenomena, in rotation.
const SIZES: [usize; 8] = [20, 20, 14, 20, 3, 20, 20, 1];
/// An entity is added again, a reading is wrong, and a citation is wrong once in this many phenomena.
const THING: usize = 20;
const WRONG: usize = 25;
const MISCITED: usize = 30;
/// Which of these phenomena has the wrong reading or citation.
const WRONG_AT: usize = 3;
const MISCITED_AT: usize = 2;
/// The number of statements in the story.
const STATEMENTS: usize = 12;

pub(super) struct Script {
    /// The state of each task.
    agents: Vec<Agent>,
    tally: Tally,
}

/// The state of one task.
struct Agent {
    source: Source,
    left: usize,
    calls: usize,
    phenomena: usize,
    /// The call before the last one, which a wrong citation names.
    before: Option<InvocationId>,
    /// The facts of the last phenomenon.
    last: Vec<FactId>,
    /// The facts to make statements about, with their subjects.
    tell: Vec<(FactId, String)>,
    ending: Ending,
}

/// The steps that remain when all facts are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Propose,
    Assess,
    Tell,
    Done,
}

impl Script {
    pub(super) fn new(facts: usize) -> Script {
        let tasks = Source::ALL.len();
        let share = |number: usize| facts / tasks + usize::from(number < facts % tasks);
        let agent = |(number, source): (usize, &Source)| Agent {
            source: *source,
            left: share(number),
            calls: 0,
            phenomena: 0,
            before: None,
            last: Vec::new(),
            tell: Vec::new(),
            ending: Ending::Propose,
        };
        Script { agents: Source::ALL.iter().enumerate().map(agent).collect(), tally: Tally::default() }
    }

    pub(super) const fn tally(&self) -> Tally {
        self.tally
    }

    /// Returns the state of a task; tasks are numbered from 1.
    fn agent(&mut self, task: TaskId) -> Option<&mut Agent> {
        self.agents.get_mut(usize::from(task.0).checked_sub(1)?)
    }
}

impl recording::Script for Script {
    fn model(&mut self, task: TaskId, request: &TurnRequest) -> Reply {
        self.agent(task).map_or_else(|| words("done"), |agent| agent.answer(request))
    }

    fn tool(&mut self, task: TaskId, _: &Invoke) -> ToolReturn {
        match self.agent(task) {
            Some(agent) => returned(agent.source, agent.calls, agent.size()),
            None => returned(Source::Files, 0, 1),
        }
    }

    fn judged(&mut self, _: TaskId, verdict: &Verdict) {
        match verdict {
            Verdict::Grounded { healing, .. } => {
                self.tally.facts += 1;
                self.tally.healed += usize::from(healing.is_some());
            }
            Verdict::Refused(_) => self.tally.refused += 1,
        }
    }
}

impl Agent {
    /// Returns the number of facts in the next phenomenon.
    fn size(&self) -> usize {
        SIZES[self.phenomena % SIZES.len()].min(self.left)
    }

    fn answer(&mut self, request: &TurnRequest) -> Reply {
        let said = match request.messages.last().map(AsRef::as_ref) {
            Some(Message::User(said)) => said.as_slice(),
            Some(Message::Assistant(_)) | None => &[],
        };
        let answers = said.iter().filter_map(|block| match block {
            UserBlock::Answer { answer, .. } => Some(answer),
            UserBlock::Text { .. } | UserBlock::Distilled(_) | UserBlock::Recovery(_) => None,
        });
        let (mut node, mut recorded) = (None, false);
        for answer in answers {
            match answer {
                Answer::Returned(returned) => {
                    let reply = self.record(request.turn, returned);
                    self.before = Some(returned.invocation);
                    return reply;
                }
                Answer::Recorded(results) => {
                    self.take(&results.readings);
                    recorded = true;
                }
                Answer::Node { id } => node = Some(*id),
                _ => {}
            }
        }
        match (self.left, self.thing()) {
            (1.., Some(thing)) if recorded => calls(request.turn, &[("add_entity", thing)]),
            (1.., _) => {
                self.calls += 1;
                calls(request.turn, &[self.source.call(self.calls)])
            }
            (0, _) => self.end(request.turn, node),
        }
    }

    fn take(&mut self, results: &[ReadingResult]) {
        self.phenomena += 1;
        self.last.clear();
        for result in results {
            if let ReadingResult::Accepted { fact, values, .. } = result {
                self.left = self.left.saturating_sub(1);
                self.last.push(*fact);
                let subject = values.first().map(|value| value.value.to_text().into_owned());
                if self.tell.len() < STATEMENTS {
                    self.tell.extend(subject.map(|subject| (*fact, subject)));
                }
            }
        }
    }

    /// Returns, once in a while, an entity that the last phenomenon names.
    fn thing(&self) -> Option<Value> {
        let (kind, name) = self.source.thing().filter(|_| self.phenomena % THING == 1)?;
        Some(json!({"kind": kind, "name": name, "facts": texts(&self.last)}))
    }

    /// Returns a phenomenon from the results of a call.
    fn record(&self, turn: u32, returned: &Returned) -> Reply {
        let records: Vec<&Record> = returned.page.iter().flat_map(|page| page.records()).collect();
        let mut readings: Vec<Value> =
            records.iter().map(|record| self.reading(returned.invocation, record)).collect();
        if let (Some(reading), Some(first)) = (readings.first_mut(), records.first()) {
            if let (MISCITED_AT, Some(before)) = (self.phenomena % MISCITED, self.before) {
                *reading = self.reading(before, first);
            }
            if self.phenomena % WRONG == WRONG_AT
                && let Some(values) = reading.get_mut("values")
            {
                *values = json!({self.source.says().2: format!("no-such-name-{}", self.calls)});
            }
        }
        let interpretation = format!("What call {} returned belongs together.", self.calls);
        calls(turn, &[("record_phenomenon", json!({"readings": readings, "interpretation": interpretation}))])
    }

    /// Returns a reading of a record.
    fn reading(&self, invocation: InvocationId, record: &Record) -> Value {
        let (predicate, _, subject) = self.source.says();
        let value = |name: &str| record.fields.get(name).map(|field| plain(&field.value));
        let stated = self.source.stated().iter();
        let values: Map<String, Value> =
            stated.filter_map(|name| Some(((*name).to_owned(), value(name)?))).collect();
        json!({
            "predicate": predicate, "subject": value(subject), "values": values,
            "invocation": invocation, "record": record.id.to_string(),
        })
    }

    fn end(&mut self, turn: u32, node: Option<NodeId>) -> Reply {
        let first: Vec<FactId> = self.tell.iter().map(|(fact, _)| *fact).collect();
        let (next, call) = match self.ending {
            Ending::Propose => {
                let statement = format!("What {} found was put there by one hand.", self.source.agent());
                (Ending::Assess, ("propose_hypothesis", json!({"statement": statement})))
            }
            Ending::Assess => {
                let next = if self.source == Source::Server { Ending::Tell } else { Ending::Done };
                let hypothesis = node.map(|id| id.to_string());
                let assessed = json!({"hypothesis": hypothesis, "assessment": "supported", "supporting": texts(&first), "reason": "They come in one batch."});
                (next, ("assess_hypothesis", assessed))
            }
            Ending::Tell => {
                let statements: Vec<Value> = self.tell.iter().map(statement).collect();
                (Ending::Done, ("tell", json!({"statements": statements})))
            }
            Ending::Done => return words("done"),
        };
        self.ending = next;
        calls(turn, &[call])
    }
}

fn statement((fact, path): &(FactId, String)) -> Value {
    json!({"node": fact.to_string(), "comment": format!("The file {path} is there.")})
}

fn texts(facts: &[FactId]) -> Vec<String> {
    facts.iter().map(FactId::to_string).collect()
}

/// Returns a value as a model would write it.
fn plain(value: &FieldValue) -> Value {
    value.to_text().into()
}
