//! Lessons of earlier runs, whatever they say, change how a question is searched for, and never make its answer worse.

use crate::desk::steps;
use crate::window::{find, line, returned};
use engine::{Command, Input, Judgement, Setting, Task, ToolReturn};
use ground::judge;
use ledger::event::{Refusal, TaskAssigned, TaskEnded};
use ledger::turn::{Answer, Message, Reply, ReplyBlock, ToolCall, TurnRequest, UserBlock};
use ledger::{
    AgentSpec, CallId, Digest, Event, KnownTool, LessonRule, Objective, Outcome, RecordType, Refuses,
    Remembered, RememberedLesson, Rules, Seed, TaskId, ToolClass, ToolSpec, Vocabulary, Writers, same_call,
};
use llm::{Model, Playbook};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

const STEPS: &str = r#"
[[step]]
id = "gone"
tool = "read"
arguments = { source = "a", under = "gone" }
[[step.record]]
predicate = "quoted"
values = ["text"]

[[step]]
id = "all"
tool = "read"
arguments = { source = "a" }
[[step.record]]
when = { text = "*one*" }
predicate = "quoted"
values = ["text"]

[[step]]
id = "each"
for_each = "all"
tool = "read"
arguments = { source = "b", under = "{all.path}" }
[[step.record]]
predicate = "quoted"
values = ["text"]

[[step]]
id = "several"
tool = "read"
arguments = { source = "b", n = 3 }
[[step.record]]
predicate = "quoted"
values = ["text"]

[[step]]
id = "none"
tool = "read"
arguments = { source = "c" }
"#;

/// Returns the calls that lessons and scripts are made of.
fn pool() -> Vec<Map<String, Value>> {
    let calls = [
        json!({"source": "a", "under": "gone"}),
        json!({"source": "a"}),
        json!({"source": "b", "under": "x.txt"}),
        json!({"source": "b", "n": 3}),
        json!({"source": "c"}),
        json!({}),
    ];
    calls.into_iter().filter_map(|call| call.as_object().cloned()).collect()
}

/// Answers calls from the evidence: each question's answer needs one form of call.
fn tool(arguments: &Value) -> ToolReturn {
    let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
    let lines = |marks: &[&str]| {
        let lines = marks.iter().map(|mark| line("x.txt".into(), format!("mark {mark}"), vec![]));
        returned(Outcome::Ok, lines.collect())
    };
    match (text("source").as_str(), text("under").as_str(), &arguments["n"]) {
        (_, "gone", _) => returned(Outcome::Failed, vec![]),
        ("a", "", Value::Null) => lines(&["one", "other"]),
        ("b", "x.txt", Value::Null) => lines(&["two"]),
        ("b", "", Value::Number(_)) => lines(&["three"]),
        ("c", ..) => returned(Outcome::Empty, vec![]),
        _ => returned(Outcome::Failed, vec![]),
    }
}

fn line_type() -> RecordType {
    let of_fields = BTreeMap::new();
    RecordType {
        name: "text_line".into(),
        meaning: String::new(),
        subject: "path".into(),
        fields: of_fields,
        qualifiers: Vec::new(),
        scope: Vec::new(),
    }
}

fn read() -> ToolSpec {
    let types = || std::iter::once("text_line".to_owned()).collect();
    ToolSpec {
        name: "read".into(),
        class: ToolClass::Investigate,
        description: String::new(),
        arguments: json!({"type": "object", "properties": {
            "source": {"type": "string", "enum": ["a", "b", "c"]},
            "under": {"type": "string"},
            "n": {"type": "integer"},
        }}),
        records: vec![line_type()],
        sources: ["a", "b", "c"].map(|source| (source.to_owned(), types())).into(),
        counts: None,
        covers: vec![],
    }
}

fn objectives() -> Vec<Objective> {
    let one = |mark: &str, searched: Value| {
        let condition = json!({
            "predicate": "quoted", "record": "text_line", "subject": "*", "field": "text", "value": format!("*{mark}*"),
        });
        let objective = json!({"id": mark, "question": mark, "condition": condition, "searched": searched});
        serde_json::from_value(objective).unwrap()
    };
    vec![
        one("one", json!([])),
        one("two", json!([])),
        one("three", json!([])),
        one("four", json!([{"tool": "read", "arguments": {"source": "c"}}])),
    ]
}

type Decides<'m> = dyn FnMut(&TurnRequest) -> Reply + 'm;

/// Runs a task of a run that was told these lessons; returns how it ended, and its events.
fn lived(lessons: Vec<RememberedLesson>, decides: &mut Decides<'_>) -> (TaskEnded, Vec<Event>) {
    let vocabulary = Vocabulary::shipped().unwrap();
    let classes = [ToolClass::Investigate, ToolClass::Record, ToolClass::GraphWrite, ToolClass::GraphRead];
    let agent = AgentSpec {
        name: "a".into(),
        prompt: String::new(),
        surface: classes.into(),
        tools: None,
        objectives: objectives(),
    };
    let rules = Rules::default();
    let mut tools = engine::catalogue(&vocabulary);
    tools.push(read());
    let setting = Setting::new(rules.clone(), Seed(Digest::of(b"s")), &tools, &[TaskId(1)])
        .with_remembered(vec![Remembered { agent: "a".into(), lessons }])
        .with_behaviours(|_| true);
    let (types, writers) = (BTreeMap::from([("text_line".to_owned(), line_type())]), Writers::default());
    let gate = ground::Setting {
        rules: &rules.gate,
        vocabulary: &vocabulary,
        types: &types,
        writers: &writers,
        by_reference: true,
        dated: true,
    };
    let mut task = Task::new(TaskAssigned::new(TaskId(1), agent, "m"), Arc::new(setting));
    let (mut events, mut input) = (Vec::new(), Input::Begin);
    for _ in 0..10_000 {
        let step = task.step(input).unwrap();
        events.extend(step.append.into_iter().map(|append| append.event));
        input = match step.command {
            Command::AskModel(request) => Input::Replied(decides(&request), None),
            Command::CallTool(invoke) => Input::Returned(tool(&invoke.arguments)),
            Command::Judge(Judgement::Reading { fact, reading, .. }) => {
                Input::Judged(Box::new(judge(&reading, fact, task.shelf(), &gate)))
            }
            Command::Judge(Judgement::Absence { .. }) => panic!("no absence is stated"),
            Command::Find(sought) => Input::Found(find(&sought.text, &task)),
            Command::Dispatch(_) => panic!("nothing is handed out"),
            Command::End => {
                let Some(Event::TaskEnded(ended)) = events.last().cloned() else { panic!("{events:?}") };
                return (ended, events);
            }
        };
    }
    panic!("the task does not end");
}

fn by_playbook(lessons: Vec<RememberedLesson>) -> (TaskEnded, Vec<Event>) {
    let mut playbook = Playbook::new(steps(STEPS), Digest::of(STEPS.as_bytes()));
    lived(lessons, &mut |request| {
        let mut turning = playbook.turn(request);
        match turning.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(reply) => reply.unwrap(),
            Poll::Pending => panic!("an embedded model answers at once"),
        }
    })
}

fn call(turn: u32, tool: &str, arguments: Value) -> Reply {
    let call = ToolCall { call: CallId(format!("c{turn}")), tool: tool.into(), arguments };
    Reply { blocks: vec![ReplyBlock::Call(call)] }
}

/// Runs a script: each call in turn, with all of its records recorded. If it insists, it repeats a refused call with a reason.
fn by_script(script: &[usize], insists: bool, lessons: Vec<RememberedLesson>) -> (TaskEnded, Vec<Event>) {
    let pool = pool();
    let mut due: VecDeque<Map<String, Value>> = script.iter().map(|at| pool[*at].clone()).collect();
    let mut last = Map::new();
    lived(lessons, &mut |request| {
        let Some(Message::User(blocks)) = request.messages.last().map(AsRef::as_ref) else { panic!() };
        for block in blocks {
            match block {
                UserBlock::Answer { answer: Answer::Returned(answer), .. } => {
                    if let Some(page) = &answer.page {
                        let records: Vec<String> =
                            page.records().map(|record| record.id.to_string()).collect();
                        let cited = format!("{} {}", answer.invocation, records.join(","));
                        let arguments = json!({"record": cited, "predicate": "quoted"});
                        return call(request.turn, "record_phenomenon", arguments);
                    }
                }
                UserBlock::Answer {
                    answer: Answer::Refused { refusal: Refusal::Remembered, .. }, ..
                } if insists => {
                    let mut again = last.clone();
                    again.insert("reason".to_owned(), json!("it is worth a second look"));
                    return call(request.turn, "read", Value::Object(again));
                }
                _ => {}
            }
        }
        match due.pop_front() {
            Some(arguments) => {
                last = arguments.clone();
                call(request.turn, "read", Value::Object(arguments))
            }
            None => Reply { blocks: vec![ReplyBlock::Text { text: "That is all.".into() }] },
        }
    })
}

/// Returns how much is known of each question, by its name.
fn known(ended: &TaskEnded) -> BTreeMap<String, u8> {
    let rank = |answer: &str| match answer {
        "met" => 4,
        "empty" => 3,
        "not_determinable" => 2,
        "seen" | "partly" => 1,
        _ => 0,
    };
    ended.objectives.iter().map(|it| (it.id.clone(), rank(it.answer()))).collect()
}

fn worse(without: &TaskEnded, with: &TaskEnded) -> Vec<String> {
    let with = known(with);
    known(without).into_iter().filter(|(id, rank)| with[id] < *rank).map(|(id, _)| id).collect()
}

prop_compose! {
    fn lesson()(number in 0..1000_u32, at in 0..6_usize, must_not in any::<bool>(), refuses in 0..3_u8) -> RememberedLesson {
        let arguments = pool()[at].clone();
        RememberedLesson {
            id: format!("g-{number}"),
            rule: if must_not { LessonRule::MustNot } else { LessonRule::ShouldPrefer },
            text: "make read() again".into(),
            tool: Some("read".into()),
            arguments: KnownTool::of(&read()).form("read", &arguments).told(),
            refuses: match refuses {
                0 => None,
                1 => Some(Refuses::Form),
                _ => Some(Refuses::Call(same_call("read", &arguments))),
            },
            seen: 1,
            contradicted: 0,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_question_of_the_playbook_stands_worse_for_what_is_remembered(lessons in prop::collection::vec(lesson(), 0..10)) {
        let (without, _) = by_playbook(vec![]);
        let (with, events) = by_playbook(lessons);
        prop_assert_eq!(worse(&without, &with), Vec::<String>::new());
        let refused = events.iter().filter(|event| matches!(event, Event::CallRefused(_)));
        prop_assert_eq!(refused.count(), 0, "the playbook makes no call only to be refused");
    }

    #[test]
    fn no_question_of_a_script_that_insists_stands_worse(
        lessons in prop::collection::vec(lesson(), 0..10), script in prop::collection::vec(0..6_usize, 0..8),
    ) {
        let (without, _) = by_script(&script, true, vec![]);
        let (with, _) = by_script(&script, true, lessons);
        prop_assert_eq!(worse(&without, &with), Vec::<String>::new());
    }

    #[test]
    fn what_shows_that_a_question_was_searched_is_refused_to_nobody(
        lessons in prop::collection::vec(lesson(), 0..10), script in prop::collection::vec(0..6_usize, 0..8),
    ) {
        let (without, _) = by_script(&script, false, vec![]);
        let (with, events) = by_script(&script, false, lessons);
        let (before, after) = (known(&without)["four"], known(&with)["four"]);
        prop_assert!(before < 3 || after == before, "{} became {}", before, after);
        let mut told: Vec<&Option<String>> = events.iter().filter_map(|event| match event {
            Event::CallRefused(refused) if refused.refusal == Refusal::Remembered => Some(&refused.lesson),
            _ => None,
        }).collect();
        let all = told.len();
        told.sort();
        told.dedup();
        let again = events.iter().filter(|event| matches!(event, Event::CallRefused(refused) if refused.told.starts_with("this very call")));
        prop_assert!(all <= told.len() + again.count(), "a lesson refuses once, and the very same call until it has a reason");
    }
}

fn failed(arguments: Value, refuses: Refuses) -> RememberedLesson {
    RememberedLesson {
        id: "c-1".into(),
        rule: LessonRule::MustNot,
        text: "make read() again".into(),
        tool: Some("read".into()),
        arguments: KnownTool::of(&read()).form("read", arguments.as_object().unwrap()).told(),
        refuses: Some(refuses),
        seen: 1,
        contradicted: 0,
    }
}

fn started(events: &[Event]) -> Vec<&ledger::event::InvocationStarted> {
    let started = events.iter().filter_map(|event| match event {
        Event::InvocationStarted(started) => Some(started),
        _ => None,
    });
    started.collect()
}

#[test]
fn the_playbook_leaves_a_call_that_cannot_work_where_another_answered_what_it_is_for() {
    let gone = json!({"source": "a", "under": "gone"});
    let refuses = Refuses::Call(same_call("read", gone.as_object().unwrap()));
    let (_, before) = by_playbook(vec![]);
    let (ended, after) = by_playbook(vec![failed(gone.clone(), refuses)]);
    assert!(started(&before).iter().any(|it| it.arguments == gone));
    // The question of the search that found nothing counts as answered, too.
    assert!(known(&ended).values().all(|rank| *rank >= 3), "{ended:?}");
    assert!(started(&after).iter().all(|it| it.arguments != gone));
}

#[test]
fn the_playbook_insists_on_a_call_that_a_question_is_open_for() {
    let only = json!({"source": "b", "n": 3});
    let (ended, events) = by_playbook(vec![failed(only.clone(), Refuses::Form)]);
    assert_eq!(known(&ended)["three"], 4);
    let made = started(&events).into_iter().find(|it| it.arguments == only).unwrap();
    assert_eq!(made.insists.as_ref().unwrap().lesson, "c-1");
}

#[test]
fn the_playbook_begins_with_what_worked() {
    let prefers = |arguments: Value| RememberedLesson {
        rule: LessonRule::ShouldPrefer,
        refuses: None,
        ..failed(arguments, Refuses::Form)
    };
    let first = |events: &[Event]| started(events)[0].arguments.clone();
    let (_, before) = by_playbook(vec![]);
    let (_, after) = by_playbook(vec![prefers(json!({"source": "c"})), prefers(json!({"source": "b"}))]);
    assert_eq!(first(&before), json!({"source": "a", "under": "gone"}));
    assert_eq!(first(&after), json!({"source": "c"}));
    assert_eq!(started(&after)[1].arguments, json!({"source": "b", "n": 3}));
}

#[test]
fn arguments_written_otherwise_are_the_same_call() {
    let one = json!({"path": "C:\\Users\\Mara\\a.txt", "n": 3, "limit": 10, "evidence": ""});
    let other = json!({"path": "c:/users/mara/A.TXT ", "n": "3"});
    let call = |arguments: &Value| same_call("read", arguments.as_object().unwrap());
    assert_eq!(call(&one), call(&other));
    assert_ne!(call(&one), call(&json!({"path": "c:/users/mara/b.txt", "n": 3})));
}
