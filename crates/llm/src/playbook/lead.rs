//! The playbook of a lead: which tasks it assigns, which explanations it assesses by their findings, and what the story tells.
//!
//! It writes no words: it names the facts to tell, and code writes the sentences.

use ledger::pattern::Patterns;
use ledger::turn::{Answer, Message, Reply, ReplyBlock, ToolCall, TurnRequest, UserBlock};
use ledger::{CallId, Chapter, FactView, NodeId, TaskReport};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The most statements of one call.
const STATEMENTS_A_CALL: usize = 32;

/// What a lead does, as its file says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeadPlan {
    /// The tasks, in order.
    pub task: Vec<PlannedTask>,
    /// The explanations to assess.
    #[serde(default)]
    pub hypothesis: Vec<PlannedHypothesis>,
    /// What the story tells.
    #[serde(default)]
    pub story: Vec<PlannedStatement>,
}

/// A task to assign.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedTask {
    /// The tool that assigns it.
    pub tool: String,
    /// Its place in the order.
    pub sequence: u32,
    /// What it is to do besides its objectives.
    #[serde(default)]
    pub instruction: String,
}

/// An explanation, and the objectives whose answers support or contradict it, as `agent/objective`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedHypothesis {
    /// The explanation.
    pub statement: String,
    /// The objectives whose facts support it.
    pub supporting: Vec<String>,
    /// The objectives of `supporting` that ordinary use of a computer would not meet; unless one is met, the hypothesis stays undecided.
    #[serde(default)]
    pub telling: Vec<String>,
    /// The objectives whose facts contradict it.
    #[serde(default)]
    pub contradicting: Vec<String>,
}

/// What the story tells of the facts that answer an objective.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedStatement {
    /// The objective, as `agent/objective`.
    pub objective: String,
    /// The most of its facts that are told.
    pub most: usize,
    /// Field → patterns, one of which the fact's value must match; `subject` for its subject.
    #[serde(default)]
    pub when: BTreeMap<String, Patterns>,
    /// Field → patterns, none of which it may match.
    #[serde(default)]
    pub unless: BTreeMap<String, Patterns>,
    /// The chapter that the facts are told in; if there is none, the chapter of their predicate.
    #[serde(default)]
    pub chapter: Option<Chapter>,
    /// The fields to say, if a fact has them; none: those that the phrase book chooses.
    #[serde(default)]
    pub fields: Vec<String>,
    /// The fields in which facts are compared: of equal facts only the first is told. If there are none, all fields are compared.
    #[serde(default)]
    pub distinct: Vec<String>,
    /// Fields that date it. A fact of the same task with the same subject is told, too, if it has the first of these fields that any has.
    #[serde(default)]
    pub beside: Vec<String>,
}

/// A lead in progress.
#[derive(Debug)]
pub(crate) struct LeadRun {
    plan: LeadPlan,
    stage: Stage,
    calls: u32,
    reports: Vec<TaskReport>,
    /// The proposals that are not answered yet, by their calls.
    proposed: BTreeMap<CallId, PlannedHypothesis>,
    /// Explanations to assess.
    weighing: Vec<(NodeId, PlannedHypothesis)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Dispatch,
    Propose,
    Tell,
    Done,
}

impl LeadRun {
    pub(crate) fn new(plan: LeadPlan) -> LeadRun {
        LeadRun {
            plan,
            stage: Stage::Dispatch,
            calls: 0,
            reports: Vec::new(),
            proposed: BTreeMap::new(),
            weighing: Vec::new(),
        }
    }

    pub(crate) fn reply(&mut self, request: &TurnRequest) -> Reply {
        if let Some(Message::User(blocks)) = request.messages.last().map(AsRef::as_ref) {
            for block in blocks {
                if let UserBlock::Answer { call, answer } = block {
                    self.take(call, answer);
                }
            }
        }
        let offered = |tool: &str| request.tools.iter().any(|spec| spec.name == tool);
        while self.stage != Stage::Done {
            let due: Vec<_> = self.due().into_iter().filter(|(tool, _)| offered(tool)).collect();
            if !due.is_empty() {
                return Reply {
                    blocks: due.into_iter().map(|(tool, arguments)| self.call(tool, arguments)).collect(),
                };
            }
        }
        let accepted = self.reports.iter().filter(|report| report.accepted).count();
        let text = format!("The plan is done: {accepted} of {} tasks accepted.", self.reports.len());
        Reply { blocks: vec![ReplyBlock::Text { text }] }
    }

    /// Returns the calls of the next stage.
    fn due(&mut self) -> Vec<(String, Value)> {
        match self.stage {
            Stage::Dispatch => {
                self.stage = Stage::Propose;
                self.plan.task.iter().map(dispatch).collect()
            }
            Stage::Propose => {
                self.stage = Stage::Tell;
                let of = |hypothesis: &&PlannedHypothesis| {
                    !self.facts(&hypothesis.supporting, usize::MAX).is_empty()
                };
                let statement = |hypothesis: &PlannedHypothesis| {
                    ("propose_hypothesis".to_owned(), json!({"statement": hypothesis.statement}))
                };
                self.plan.hypothesis.iter().filter(of).map(statement).collect()
            }
            Stage::Tell => {
                self.stage = Stage::Done;
                let mut due: Vec<_> =
                    self.weighing.iter().map(|(id, hypothesis)| self.weigh(*id, hypothesis)).collect();
                due.extend(self.story());
                due
            }
            Stage::Done => Vec::new(),
        }
    }

    fn call(&mut self, tool: String, arguments: Value) -> ReplyBlock {
        self.calls += 1;
        let call = CallId(format!("call-{}", self.calls));
        let statement = arguments.get("statement").and_then(Value::as_str);
        let planned =
            self.plan.hypothesis.iter().find(|planned| Some(planned.statement.as_str()) == statement);
        if let Some(planned) = planned {
            self.proposed.insert(call.clone(), planned.clone());
        }
        ReplyBlock::Call(ToolCall { call, tool, arguments })
    }

    fn take(&mut self, call: &CallId, answer: &Answer) {
        match answer {
            Answer::Reported(report) => self.reports.push((**report).clone()),
            Answer::Node { id } => {
                self.weighing.extend(self.proposed.remove(call).map(|planned| (*id, planned)));
            }
            _ => {}
        }
    }

    /// Returns the facts that answer these objectives, at most so many of each.
    fn facts<'a>(&'a self, objectives: &'a [String], most: usize) -> Vec<&'a FactView> {
        let mut facts: Vec<&FactView> = Vec::new();
        for wanted in objectives {
            for fact in self.answering(wanted).take(most) {
                if facts.iter().all(|known| known.id != fact.id) {
                    facts.push(fact);
                }
            }
        }
        facts
    }

    /// Returns the facts that answer an objective, given as `agent/objective`.
    fn answering<'a>(&'a self, wanted: &'a str) -> impl Iterator<Item = &'a FactView> {
        self.reported(wanted).map(|(_, fact)| fact)
    }

    /// Returns what `answering` returns, each fact with the report of the task that recorded it.
    fn reported<'a>(&'a self, wanted: &'a str) -> impl Iterator<Item = (&'a TaskReport, &'a FactView)> {
        let (agent, id) = wanted.split_once('/').unwrap_or((wanted, ""));
        let reports = self.reports.iter().filter(move |report| report.agent == agent);
        reports.flat_map(move |report| {
            let objective = report.objectives.iter().find(|objective| objective.id == id);
            let by = objective.map(|objective| objective.all.as_slice()).unwrap_or_default();
            let found = |id: &ledger::FactId| report.all.iter().find(|fact| fact.id == *id);
            by.iter().filter_map(found).map(move |fact| (report, fact)).collect::<Vec<_>>()
        })
    }

    /// Assesses an explanation: it is undecided if ordinary use would also leave all the facts that support it.
    fn weigh(&self, id: NodeId, hypothesis: &PlannedHypothesis) -> (String, Value) {
        let ids = |objectives: &[String]| -> Vec<String> {
            self.facts(objectives, 20).iter().take(60).map(|fact| fact.id.to_string()).collect()
        };
        let (supporting, contradicting) = (ids(&hypothesis.supporting), ids(&hypothesis.contradicting));
        let tells = hypothesis.telling.iter().find(|objective| self.answering(objective).next().is_some());
        let (assessment, reason) = match tells {
            Some(objective) if contradicting.is_empty() => {
                ("supported", format!("{objective} has an answer that ordinary use does not leave"))
            }
            Some(_) | None => ("undecided", "ordinary use leaves such facts, too".to_owned()),
        };
        let arguments = json!({
            "hypothesis": id.to_string(),
            "assessment": assessment,
            "supporting": supporting,
            "contradicting": contradicting,
            "reason": reason,
        });
        ("assess_hypothesis".to_owned(), arguments)
    }

    /// Makes each fact a statement, once: by the first plan that includes it. Facts that would be told alike are told once.
    fn story(&self) -> Vec<(String, Value)> {
        let (mut told, mut alike) = (BTreeSet::new(), BTreeSet::new());
        let mut statements = Vec::new();
        for planned in &self.plan.story {
            let wanted = self.reported(&planned.objective).filter(|(_, fact)| planned.is_of(fact));
            let mut left = planned.most;
            for (report, fact) in wanted {
                if left == 0
                    || told.contains(&fact.id)
                    || !alike.insert((&planned.objective, planned.distinct(fact)))
                {
                    continue;
                }
                left -= 1;
                let beside = beside(report, fact, &planned.beside);
                for fact in std::iter::once(fact).chain(beside) {
                    if told.insert(fact.id) {
                        statements.push(planned.statement(fact));
                    }
                }
            }
        }
        let call = |part: &[Value]| ("tell".to_owned(), json!({ "statements": part }));
        statements.chunks(STATEMENTS_A_CALL).map(call).collect()
    }
}

impl PlannedStatement {
    /// Checks whether the plan includes this fact.
    fn is_of(&self, fact: &FactView) -> bool {
        let fits = |(field, patterns): (&String, &Patterns)| {
            fact.values.iter().any(|(name, value)| name == field && patterns.fit(value))
        };
        self.when.iter().all(fits) && !self.unless.iter().any(fits)
    }

    /// Returns what distinguishes a fact from others that give the same answer.
    fn distinct<'f>(&self, fact: &'f FactView) -> Vec<&'f (String, String)> {
        let counts = |(name, _): &&(String, String)| self.distinct.is_empty() || self.distinct.contains(name);
        fact.values.iter().filter(counts).collect()
    }

    fn statement(&self, fact: &FactView) -> Value {
        let states = |field: &&String| fact.values.iter().any(|(name, _)| name == *field);
        let fields: Vec<&String> = self.fields.iter().filter(states).collect();
        let mut statement = json!({"node": fact.id.to_string()});
        if !fields.is_empty() {
            statement["fields"] = json!(fields);
        }
        if let Some(chapter) = self.chapter {
            statement["chapter"] = json!(chapter);
        }
        statement
    }
}

/// Returns the fact with the same subject that dates it best, by the order of the fields; none if the fact itself does.
fn beside<'r>(report: &'r TaskReport, fact: &FactView, fields: &[String]) -> Option<&'r FactView> {
    let states = |fact: &FactView, field: &String| fact.values.iter().any(|(name, _)| name == field);
    let subject = fact.values.first();
    fields.iter().find_map(|field| {
        let mut others = report.all.iter().filter(|other| other.values.first() == subject);
        others.find(|other| states(other, field)).filter(|other| other.id != fact.id)
    })
}

fn dispatch(task: &PlannedTask) -> (String, Value) {
    let mut arguments = json!({"sequence": task.sequence});
    if !task.instruction.is_empty() {
        arguments["instruction"] = json!(task.instruction);
    }
    (task.tool.clone(), arguments)
}
