//! Runs a task step by step (a "life"): engine and gateway are real; tools and model are scripted.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use engine::{Command, Found, Input, Invoke, Judgement, Place, Setting, Task, ToolReturn};
use ground::judge;
use ledger::event::{TaskAssigned, TaskEnded};
use ledger::turn::TurnRequest;
use ledger::{
    AgentSpec, Digest, Event, RecordType, Rules, Seed, TaskId, ToolClass, ToolSpec, Vocabulary, Window,
    Writers,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a model sees of a life, and the state behind it.
pub(crate) struct Scene<'l> {
    pub(crate) request: &'l TurnRequest,
    pub(crate) task: &'l Task,
    pub(crate) events: &'l [Event],
}

/// How a task is set up.
pub(crate) struct Setup {
    pub(crate) window: Option<Window>,
    pub(crate) rules: Rules,
    /// The engine's own tools that are offered; all of them if empty.
    pub(crate) offered: &'static [&'static str],
}

/// Returns rules whose budgets end nothing.
pub(crate) fn endless() -> Rules {
    let mut rules = Rules::default();
    rules.budgets.investigate_turns = 10_000;
    rules.budgets.rejected_claims = 100_000;
    rules.budgets.accepted_facts = 100_000;
    rules
}

fn line_type() -> RecordType {
    RecordType {
        name: "text_line".into(),
        meaning: "A line of a text file.".into(),
        subject: "path".into(),
        fields: BTreeMap::new(),
        qualifiers: Vec::new(),
        scope: Vec::new(),
    }
}

fn tools(offered: &[&str], vocabulary: &Vocabulary) -> Vec<ToolSpec> {
    let mut tools = engine::catalogue(vocabulary);
    tools.retain(|tool| offered.is_empty() || offered.contains(&tool.name.as_str()));
    tools.push(ToolSpec {
        name: "read".into(),
        class: ToolClass::Investigate,
        description: "Reads lines of a file.".into(),
        arguments: json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
        records: vec![line_type()],
        sources: Default::default(),
        counts: None,
        covers: vec![],
    });
    tools
}

/// A task and everything that happened in it.
pub(crate) struct Life {
    pub(crate) task: Task,
    pub(crate) events: Vec<Event>,
    rules: Rules,
    vocabulary: Vocabulary,
    types: BTreeMap<String, RecordType>,
    writers: Writers,
}

impl Life {
    pub(crate) fn new(setup: Setup) -> Life {
        let Setup { window, rules, offered } = setup;
        let vocabulary = Vocabulary::shipped().unwrap();
        let classes =
            [ToolClass::Investigate, ToolClass::Record, ToolClass::GraphWrite, ToolClass::GraphRead];
        let agent = AgentSpec {
            name: "a".into(),
            prompt: "You look at a computer.".into(),
            surface: classes.into(),
            tools: None,
            objectives: vec![],
        };
        let mut assigned = TaskAssigned::new(TaskId(1), agent, "m");
        assigned.window = window;
        let tools = tools(offered, &vocabulary);
        let setting = Setting::new(rules.clone(), Seed(Digest::of(b"s")), &tools, &[TaskId(1)]);
        let types = BTreeMap::from([("text_line".to_owned(), line_type())]);
        let task = Task::new(assigned, Arc::new(setting));
        Life { task, events: Vec::new(), rules, vocabulary, types, writers: Writers::default() }
    }

    /// Takes a step and keeps the events.
    pub(crate) fn step(&mut self, input: Input) -> Command {
        let step = self.task.step(input).unwrap();
        self.events.extend(step.append.into_iter().map(|append| append.event));
        step.command
    }

    /// Runs the life to its end.
    pub(crate) fn live(
        &mut self,
        mut model: impl FnMut(&Scene<'_>) -> Input,
        mut tool: impl FnMut(&Invoke) -> ToolReturn,
    ) -> TaskEnded {
        let mut input = Input::Begin;
        for _ in 0..100_000 {
            input = match self.step(input) {
                Command::AskModel(request) => {
                    model(&Scene { request: &request, task: &self.task, events: &self.events })
                }
                Command::CallTool(invoke) => Input::Returned(tool(&invoke)),
                Command::Judge(judgement) => self.judge(&judgement),
                Command::Find(sought) => Input::Found(find(&sought.text, &self.task)),
                Command::Dispatch(_) => panic!("nothing is handed out"),
                Command::End => {
                    let Some(Event::TaskEnded(ended)) = self.events.last() else { panic!() };
                    return ended.clone();
                }
            };
        }
        panic!("the task does not end");
    }

    pub(crate) fn judge(&self, judgement: &Judgement) -> Input {
        let Judgement::Reading { fact, reading, .. } = judgement else { panic!("no absence is stated") };
        let gate = ground::Setting {
            rules: &self.rules.gate,
            vocabulary: &self.vocabulary,
            types: &self.types,
            writers: &self.writers,
            by_reference: true,
            dated: true,
        };
        Input::Judged(Box::new(judge(reading, *fact, self.task.shelf(), &gate)))
    }
}

/// Returns the first two hundred records that contain the text, in the order of the shelf.
pub(crate) fn find(text: &str, task: &Task) -> Found {
    let held = task.shelf().held().iter();
    let records = held.flat_map(|held| held.output.iter().map(|output| (held.invocation, output)));
    let places = records.flat_map(|(invocation, output)| {
        let holds = |record: &&ledger::Record| {
            record.fields.values().any(|field| field.value.to_text().contains(text))
        };
        output.records().iter().filter(holds).map(move |record| Place { invocation, record: record.id })
    });
    Found { by_words: Vec::new(), by_text: places.take(200).collect() }
}
