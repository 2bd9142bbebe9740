//! The life of a task, driven by hand: no store, no worker, no model.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use engine::{Command, Input, Setting, Task, ToolReturn};
use ground::judge;
use ledger::event::{Phase, Refusal, TaskAssigned, TaskEnded, TaskStatus};
use ledger::turn::{Answer, Message, ReadingResult, Reply, ReplyBlock, ToolCall, TurnRequest, UserBlock};
use ledger::{
    AgentSpec, CallId, Completeness, Condition, Digest, Event, Field, FieldValue, Gap, Locator, Objective,
    Outcome, Output, Predicate, Record, RecordId, RecordType, Rules, Seed, TaskId, ToolClass, ToolSpec,
    Vocabulary,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn line_type() -> RecordType {
    let fields = BTreeMap::new();
    RecordType { name: "text_line".into(), meaning: String::new(), subject: "path".into(), fields }
}

fn tools() -> Vec<ToolSpec> {
    let read = ToolSpec {
        name: "read".into(),
        class: ToolClass::Investigate,
        description: String::new(),
        arguments: json!({}),
        records: vec![line_type()],
    };
    let mut tools = engine::catalogue(&Vocabulary::shipped().unwrap());
    tools.push(read);
    tools
}

/// What the tool of these tests returns: one line of text that says `text`.
fn returned(outcome: Outcome, text: &str) -> ToolReturn {
    let field = |value| Field { at: None, value };
    let record = Record {
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

struct Lived {
    events: Vec<Event>,
    ended: TaskEnded,
    tool_calls: u32,
}

impl Lived {
    fn refusals(&self) -> Vec<Refusal> {
        let refusal = |event: &Event| match event {
            Event::CallRefused(refused) => Some(refused.refusal),
            _ => None,
        };
        self.events.iter().filter_map(refusal).collect()
    }

    fn phases(&self) -> Vec<Phase> {
        let phase = |event: &Event| match event {
            Event::PhaseEntered(entered) => Some(entered.phase),
            _ => None,
        };
        self.events.iter().filter_map(phase).collect()
    }
}

/// Lives a task to its end; `None` from the model is the end of the wall time.
fn live(
    rules: Rules,
    objectives: Vec<Objective>,
    mut model: impl FnMut(&TurnRequest) -> Option<Reply>,
    mut tool: impl FnMut(u32) -> ToolReturn,
) -> Lived {
    let surface = [ToolClass::Investigate, ToolClass::Record, ToolClass::GraphRead].into();
    let agent = AgentSpec { name: "a".into(), prompt: String::new(), surface, objectives };
    let assigned = TaskAssigned { task: TaskId(1), agent, model: "m".into(), model_digest: None };
    let setting = Setting::new(rules.clone(), Seed(Digest::of(b"s")), &tools(), &[TaskId(1)]);
    let mut task = Task::new(assigned, Arc::new(setting));
    let types = BTreeMap::from([("text_line".to_owned(), line_type())]);
    let vocabulary = Vocabulary::shipped().unwrap();
    let gate = ground::Setting { rules: &rules.gate, vocabulary: &vocabulary, types: &types };
    let (mut events, mut tool_calls, mut input) = (Vec::new(), 0, Input::Begin);
    for _ in 0..10_000 {
        let step = task.step(input).unwrap();
        events.extend(step.append.into_iter().map(|append| append.event));
        input = match step.command {
            Command::AskModel(request) => model(&request).map_or(Input::TimeSpent, Input::Replied),
            Command::CallTool(_) => {
                tool_calls += 1;
                Input::Returned(tool(tool_calls))
            }
            Command::Judge(it) => Input::Judged(Box::new(judge(&it.reading, it.fact, task.shelf(), &gate))),
            Command::End => {
                let Some(Event::TaskEnded(ended)) = events.last().cloned() else { panic!("{events:?}") };
                return Lived { events, ended, tool_calls };
            }
        };
    }
    panic!("the task does not end");
}

fn call(id: &str, tool: &str, arguments: Value) -> ReplyBlock {
    ReplyBlock::Call(ToolCall { call: CallId(id.into()), tool: tool.into(), arguments })
}

fn says(blocks: Vec<ReplyBlock>) -> Option<Reply> {
    Some(Reply { blocks })
}

fn words() -> Option<Reply> {
    says(vec![ReplyBlock::Text { text: "done".into() }])
}

fn false_reading(number: u32) -> Value {
    json!({"predicate": "quoted", "values": {"text": format!("never written {number}")}, "invocation": "inv-00000000"})
}

fn answers(request: &TurnRequest) -> Vec<Answer> {
    let Some(Message::User(blocks)) = request.messages.last().map(AsRef::as_ref) else { panic!() };
    let answer = |block: &UserBlock| match block {
        UserBlock::Answer { answer, .. } => Some(answer.clone()),
        UserBlock::Text { .. } => None,
    };
    blocks.iter().filter_map(answer).collect()
}

fn objective() -> Objective {
    Objective {
        id: "line".into(),
        question: "Which line?".into(),
        condition: Condition {
            predicate: Predicate::quoted(),
            record: "text_line".into(),
            subject: "*".into(),
            field: "text".into(),
        },
    }
}

fn ok(_: u32) -> ToolReturn {
    returned(Outcome::Ok, "the words of the evidence")
}

#[test]
fn refused_readings_cost_from_their_own_budget_and_end_the_task_when_it_is_spent() {
    let mut rules = Rules::default();
    rules.budgets.investigate_turns = 5;
    rules.budgets.rejected_claims = 40;
    let mut turn = 0;
    let lived = live(
        rules,
        vec![],
        |_| {
            turn += 1;
            says(vec![call(
                &format!("c{turn}"),
                "record_phenomenon",
                json!({"readings": [false_reading(turn)]}),
            )])
        },
        ok,
    );
    assert_eq!((lived.ended.turns, lived.ended.rejections), (40, 40), "no turn of the five was spent");
    assert_eq!(lived.phases(), [Phase::Investigate]);
}

#[test]
fn the_budget_of_refused_readings_holds_within_one_batch() {
    let mut rules = Rules::default();
    rules.budgets.rejected_claims = 10;
    let readings: Vec<_> = (0..64).map(false_reading).collect();
    let lived = live(
        rules,
        vec![],
        |_| says(vec![call("c", "record_phenomenon", json!({"readings": readings}))]),
        ok,
    );
    assert_eq!(lived.ended.rejections, 10);
    let submitted = lived.events.iter().filter(|event| matches!(event, Event::ClaimSubmitted(_))).count();
    assert_eq!(submitted, 10, "what is not judged is not submitted");
}

#[test]
fn a_repeated_call_is_answered_in_full_from_the_log() {
    let mut told = Vec::new();
    let mut turn = 0;
    live(
        Rules::default(),
        vec![],
        |request| {
            turn += 1;
            told.extend(answers(request));
            if turn <= 2 { says(vec![call(&format!("c{turn}"), "read", json!({}))]) } else { words() }
        },
        ok,
    );
    let [Answer::Returned(first), Answer::Returned(second), ..] = &told[..] else { panic!("{told:?}") };
    assert!(!first.from_log && second.from_log);
    assert_eq!((&first.page, &first.gaps), (&second.page, &second.gaps));
    assert_eq!(second.notes[0], "a note");
}

#[test]
fn a_failed_call_is_answered_from_the_log_and_one_that_timed_out_is_made_again() {
    for (outcome, calls) in [(Outcome::Failed, 1), (Outcome::Timeout, 3)] {
        let mut turn = 0;
        let lived = live(
            Rules::default(),
            vec![],
            |_| {
                turn += 1;
                if turn <= 4 { says(vec![call(&format!("c{turn}"), "read", json!({}))]) } else { words() }
            },
            |_| returned(outcome, ""),
        );
        assert_eq!(lived.tool_calls, calls, "{outcome:?}");
        assert_eq!(lived.refusals(), [Refusal::Repeated], "{outcome:?}");
    }
}

#[test]
fn nothing_to_record_opens_the_record_phase_while_an_objective_is_unmet_and_ends_it_there() {
    let mut turn = 0;
    let lived = live(
        Rules::default(),
        vec![objective()],
        |_| {
            turn += 1;
            says(vec![call(&format!("c{turn}"), "nothing_to_record", json!({"reason": "clean"}))])
        },
        ok,
    );
    assert_eq!(lived.phases(), [Phase::Investigate, Phase::Record]);
    assert_eq!((lived.ended.turns, lived.ended.status), (2, TaskStatus::Incomplete));
}

#[test]
fn an_agent_sees_its_refused_readings_even_if_it_said_that_nothing_is_left() {
    let mut turn = 0;
    let mut refused = 0;
    live(
        Rules::default(),
        vec![objective()],
        |request| {
            turn += 1;
            let rejected = |answer: &Answer| match answer {
                Answer::Recorded(recorded) => {
                    recorded.readings.iter().any(|r| matches!(r, ReadingResult::Rejected { .. }))
                }
                _ => false,
            };
            refused += answers(request).iter().filter(|answer| rejected(answer)).count();
            let mut blocks = vec![call(&format!("n{turn}"), "nothing_to_record", json!({"reason": "clean"}))];
            if turn == 1 {
                blocks.push(call("r", "record_phenomenon", json!({"readings": [false_reading(1)]})));
            }
            says(blocks)
        },
        ok,
    );
    assert_eq!(refused, 1);
}

#[test]
fn a_met_objective_completes_the_task_without_a_record_phase() {
    let mut turn = 0;
    let lived = live(
        Rules::default(),
        vec![objective()],
        |request| {
            turn += 1;
            match (turn, answers(request).first()) {
                (1, _) => says(vec![call("c", "read", json!({}))]),
                (2, Some(Answer::Returned(returned))) => {
                    let reading = json!({"predicate": "quoted", "values": {"text": "words of the evidence"},
                        "invocation": returned.invocation.to_string()});
                    let again = json!({"readings": [reading]});
                    says(vec![
                        call("r", "record_phenomenon", again.clone()),
                        call("r2", "record_phenomenon", again),
                    ])
                }
                _ => words(),
            }
        },
        ok,
    );
    assert_eq!(lived.ended.status, TaskStatus::Completed);
    assert_eq!(lived.phases(), [Phase::Investigate]);
    assert_eq!(lived.ended.facts, 1, "the same record call again is refused");
    assert_eq!(lived.refusals(), [Refusal::Repeated]);
}

#[test]
fn a_budget_that_ends_a_task_with_nothing_recorded_is_said_so_even_after_the_record_phase() {
    let mut rules = Rules::default();
    rules.budgets.investigate_turns = 2;
    let mut turn = 0;
    let lived = live(
        rules,
        vec![objective()],
        |_| {
            turn += 1;
            if turn <= 2 {
                says(vec![call(&format!("c{turn}"), "read", json!({"n": turn}))])
            } else {
                words()
            }
        },
        ok,
    );
    assert_eq!(lived.phases(), [Phase::Investigate, Phase::Record]);
    assert_eq!(lived.ended.status, TaskStatus::BudgetSpent);
}

#[test]
fn the_end_of_the_wall_time_ends_the_task() {
    let lived = live(Rules::default(), vec![objective()], |_| None, ok);
    assert!(lived.events.iter().any(|event| matches!(event, Event::TimeSpent)));
    assert_eq!((lived.ended.turns, lived.ended.status), (1, TaskStatus::BudgetSpent));
}

#[test]
fn every_call_is_answered_in_the_next_message_and_roles_alternate() {
    let mut turn = 0;
    live(
        Rules::default(),
        vec![objective()],
        |request| {
            turn += 1;
            for (index, message) in request.messages.iter().enumerate() {
                let user = matches!(message.as_ref(), Message::User(_));
                assert_eq!(user, index % 2 == 0, "message {index}");
            }
            for pair in request.messages.windows(2) {
                let (Message::Assistant(said), Message::User(answered)) = (&*pair[0], &*pair[1]) else {
                    continue;
                };
                let calls: Vec<_> = said
                    .iter()
                    .filter_map(|block| match block {
                        ReplyBlock::Call(call) => Some(&call.call),
                        ReplyBlock::Text { .. } => None,
                    })
                    .collect();
                let answers: Vec<_> = answered
                    .iter()
                    .filter_map(|block| match block {
                        UserBlock::Answer { call, .. } => Some(call),
                        UserBlock::Text { .. } => None,
                    })
                    .collect();
                assert_eq!(calls, answers);
            }
            match turn {
                1 => says((0..20).map(|n| call("same id", "read", json!({"n": n}))).collect()),
                2 => says(vec![]),
                3 => says(vec![call("", "no such tool", json!([])), call("x", "read", json!({}))]),
                _ => words(),
            }
        },
        ok,
    );
    assert!(turn >= 4);
}

#[test]
fn equal_inputs_give_equal_events() {
    let lived = || {
        let mut turn = 0;
        let model = move |_: &TurnRequest| {
            turn += 1;
            if turn < 4 { says(vec![call("c", "read", json!({"n": turn}))]) } else { words() }
        };
        live(Rules::default(), vec![objective()], model, ok).events
    };
    assert_eq!(lived(), lived());
}
