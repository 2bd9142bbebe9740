//! Runs a task by hand: no store, no worker, no model.

use engine::{Command, Found, Input, Judgement, Place, Setting, Task, ToolReturn};
use ground::{Searchable, judge, judge_absence};
use ledger::event::{Phase, Refusal, TaskAssigned, TaskEnded};
use ledger::turn::{Answer, Message, Reply, ReplyBlock, ToolCall, TurnRequest, UserBlock};
use ledger::{
    AbsenceForm, AgentSpec, Behaviour, CallId, Completeness, Coverage, Digest, Event, Field, FieldValue, Gap,
    Locator, Objective, Outcome, Output, Record, RecordId, RecordType, Rules, Seed, TaskId, ToolClass,
    ToolSpec, Vocabulary, Window, Writers,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) fn line_type() -> RecordType {
    let fields = BTreeMap::new();
    RecordType {
        name: "text_line".into(),
        meaning: String::new(),
        subject: "path".into(),
        fields,
        qualifiers: Vec::new(),
        scope: Vec::new(),
    }
}

/// Returns the coverage of `read`: an empty call shows that no file of a name is below a folder.
pub(crate) fn coverage() -> Coverage {
    let own = |name: &str| (name.to_owned(), name.to_owned());
    let members = BTreeMap::from([own("name"), own("under")]);
    Coverage { form: AbsenceForm::File, members, required: BTreeMap::new(), free: vec![], reach: None }
}

pub(crate) fn tools() -> Vec<ToolSpec> {
    let read = ToolSpec {
        name: "read".into(),
        class: ToolClass::Investigate,
        description: String::new(),
        arguments: json!({}),
        records: vec![line_type()],
        sources: Default::default(),
        counts: None,
        covers: vec![coverage()],
    };
    let mut tools = engine::catalogue(&Vocabulary::shipped().unwrap());
    tools.push(read);
    // As in runs before statements.
    tools.extend(engine::retired(&Vocabulary::shipped().unwrap()));
    tools
}

/// Returns what the tool of these tests returns: one line with the text `text`.
pub(crate) fn returned(outcome: Outcome, text: &str) -> ToolReturn {
    let field = |value| Field { at: None, value };
    let record = Record {
        placement: None,
        defects: vec![],
        fields: BTreeMap::from([
            ("path".to_owned(), field(FieldValue::Path("a.txt".into()))),
            ("text".to_owned(), field(FieldValue::Text(text.into()))),
        ]),
        id: RecordId(0),
        kind: "text_line".into(),
        locator: Locator { evidence: "e".into(), path: "a.txt".into(), stream: None, span: None },
    };
    ToolReturn {
        outcome,
        completeness: Completeness::Complete,
        normalised: None,
        output: (outcome == Outcome::Ok).then(|| Arc::new(Output::new(vec![record]).unwrap())),
        defects: vec![],
        gaps: vec![Gap { path: "b.txt".into(), reason: "unreadable".into() }],
        notes: vec!["a note".into()],
    }
}

/// Returns a tool that investigates, with records of these types and these arguments.
pub(crate) fn investigates(name: &str, records: &[&str], arguments: &[&str]) -> ToolSpec {
    let properties: BTreeMap<_, _> = arguments.iter().map(|name| (*name, json!({}))).collect();
    let record = |name: &&str| RecordType {
        name: (*name).into(),
        meaning: String::new(),
        subject: "path".into(),
        fields: BTreeMap::new(),
        qualifiers: Vec::new(),
        scope: Vec::new(),
    };
    ToolSpec {
        name: name.into(),
        class: ToolClass::Investigate,
        description: String::new(),
        arguments: json!({"properties": properties}),
        records: records.iter().map(record).collect(),
        sources: Default::default(),
        counts: None,
        covers: vec![],
    }
}

pub(crate) struct Lived {
    pub(crate) events: Vec<Event>,
    pub(crate) ended: TaskEnded,
    pub(crate) tool_calls: u32,
}

impl Lived {
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        let refusal = |event: &Event| match event {
            Event::CallRefused(refused) => Some(refused.refusal),
            _ => None,
        };
        self.events.iter().filter_map(refusal).collect()
    }

    pub(crate) fn phases(&self) -> Vec<Phase> {
        let phase = |event: &Event| match event {
            Event::PhaseEntered(entered) => Some(entered.phase),
            _ => None,
        };
        self.events.iter().filter_map(phase).collect()
    }
}

/// Runs a task to its end; `None` from the model ends the wall time.
pub(crate) fn live(
    rules: Rules,
    objectives: Vec<Objective>,
    mut model: impl FnMut(&TurnRequest) -> Option<Reply>,
    tool: impl FnMut(u32) -> ToolReturn,
) -> Lived {
    let model = move |request: &TurnRequest| {
        model(request).map_or(Input::TimeSpent, |reply| Input::Replied(reply, None))
    };
    live_within(None, rules, objectives, model, tool)
}

/// Runs a task with every behaviour and these additional tools to its end.
pub(crate) fn live_with(
    further: Vec<ToolSpec>,
    rules: Rules,
    objectives: Vec<Objective>,
    model: impl FnMut(&TurnRequest) -> Option<Reply>,
    tool: impl FnMut(u32) -> ToolReturn,
) -> Lived {
    live_up_to(Behaviour::OneForRecords, further, rules, objectives, model, tool)
}

/// Does the same in a run with the behaviours up to this one.
pub(crate) fn live_up_to(
    newest: Behaviour,
    further: Vec<ToolSpec>,
    rules: Rules,
    objectives: Vec<Objective>,
    mut model: impl FnMut(&TurnRequest) -> Option<Reply>,
    tool: impl FnMut(u32) -> ToolReturn,
) -> Lived {
    let model = move |request: &TurnRequest| {
        model(request).map_or(Input::TimeSpent, |reply| Input::Replied(reply, None))
    };
    let tools: Vec<_> = tools().into_iter().chain(further).collect();
    let setting = Setting::new(rules.clone(), Seed(Digest::of(b"s")), &tools, &[TaskId(1)]);
    live_in(setting.with_behaviours(|behaviour| behaviour <= newest), None, rules, objectives, model, tool)
}

/// Runs a task whose model has this context window to its end.
pub(crate) fn live_within(
    window: Option<Window>,
    rules: Rules,
    objectives: Vec<Objective>,
    model: impl FnMut(&TurnRequest) -> Input,
    tool: impl FnMut(u32) -> ToolReturn,
) -> Lived {
    let setting = Setting::new(rules.clone(), Seed(Digest::of(b"s")), &tools(), &[TaskId(1)]);
    live_in(setting, window, rules, objectives, model, tool)
}

fn live_in(
    setting: Setting,
    window: Option<Window>,
    rules: Rules,
    objectives: Vec<Objective>,
    model: impl FnMut(&TurnRequest) -> Input,
    tool: impl FnMut(u32) -> ToolReturn,
) -> Lived {
    let classes = [ToolClass::Investigate, ToolClass::Record, ToolClass::GraphWrite, ToolClass::GraphRead];
    let surface = classes.into();
    let agent = AgentSpec { name: "a".into(), prompt: String::new(), surface, tools: None, objectives };
    let mut assigned = TaskAssigned::new(TaskId(1), agent, "m");
    assigned.window = window;
    live_task(Task::new(assigned, Arc::new(setting)), &rules, model, tool)
}

/// Runs a task that was made by hand to its end.
pub(crate) fn live_task(
    mut task: Task,
    rules: &Rules,
    mut model: impl FnMut(&TurnRequest) -> Input,
    mut tool: impl FnMut(u32) -> ToolReturn,
) -> Lived {
    let deleted = RecordType { name: "deleted_entry".into(), ..line_type() };
    let types = [line_type(), deleted].map(|known| (known.name.clone(), known));
    let types = BTreeMap::from(types);
    let vocabulary = Vocabulary::shipped().unwrap();
    let gate = ground::Setting {
        rules: &rules.gate,
        vocabulary: &vocabulary,
        types: &types,
        writers: &Writers::default(),
        by_reference: true,
        dated: true,
    };
    let (mut events, mut tool_calls, mut input) = (Vec::new(), 0, Input::Begin);
    for _ in 0..10_000 {
        let step = task.step(input).unwrap();
        events.extend(step.append.into_iter().map(|append| append.event));
        input = match step.command {
            Command::AskModel(request) => model(&request),
            Command::CallTool(_) => {
                tool_calls += 1;
                Input::Returned(tool(tool_calls))
            }
            Command::Judge(Judgement::Reading { fact, reading, .. }) => {
                Input::Judged(Box::new(judge(&reading, fact, task.shelf(), &gate)))
            }
            Command::Judge(Judgement::Absence { id, absence, .. }) => {
                let covers = BTreeMap::from([("read".to_owned(), vec![coverage()])]);
                let searchable =
                    Searchable { coverage: &covers, evidence: &BTreeSet::new(), as_it_stands: true };
                Input::AbsenceJudged(Box::new(judge_absence(&absence, id, task.shelf(), &searchable)))
            }
            Command::Find(sought) => Input::Found(find(&sought.text, &task)),
            Command::Dispatch(_) => panic!("nothing is handed out"),
            Command::End => {
                let Some(Event::TaskEnded(ended)) = events.last().cloned() else { panic!("{events:?}") };
                return Lived { events, ended, tool_calls };
            }
        };
    }
    panic!("the task does not end");
}

/// Returns every record that holds the text, in the order of the shelf.
fn find(text: &str, task: &Task) -> Found {
    let held = task.shelf().held().iter();
    let records = held.flat_map(|held| held.output.iter().map(|output| (held.invocation, output)));
    let places = records.flat_map(|(invocation, output)| {
        let holds =
            |record: &&Record| record.fields.values().any(|field| field.value.to_text().contains(text));
        output.records().iter().filter(holds).map(move |record| Place { invocation, record: record.id })
    });
    Found { by_words: places.collect(), by_text: Vec::new() }
}

pub(crate) fn call(id: &str, tool: &str, arguments: Value) -> ReplyBlock {
    ReplyBlock::Call(ToolCall { call: CallId(id.into()), tool: tool.into(), arguments })
}

pub(crate) fn says(blocks: Vec<ReplyBlock>) -> Option<Reply> {
    Some(Reply { blocks })
}

pub(crate) fn words() -> Option<Reply> {
    says(vec![ReplyBlock::Text { text: "done".into() }])
}

pub(crate) fn false_reading(number: u32) -> Value {
    json!({"predicate": "quoted", "values": {"text": format!("never written {number}")}, "invocation": "inv-00000000"})
}

pub(crate) fn answers(request: &TurnRequest) -> Vec<Answer> {
    let Some(Message::User(blocks)) = request.messages.last().map(AsRef::as_ref) else { panic!() };
    let answer = |block: &UserBlock| match block {
        UserBlock::Answer { answer, .. } => Some(answer.clone()),
        UserBlock::Text { .. } | UserBlock::Distilled(_) | UserBlock::Recovery(_) => None,
    };
    blocks.iter().filter_map(answer).collect()
}
