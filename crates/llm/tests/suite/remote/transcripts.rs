//! Conversations of every form, valid and broken.

use super::world::{BOTH, refused, request, returned, says, world};
use ledger::turn::{Answer, Message, ReplyBlock, ToolCall, TurnRequest, UserBlock};
use ledger::{CallId, Outcome};
use llm::Model;
use llm::api::{Part, Role, Transcript, TranscriptError, Turn, check_transcript, transcript};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a model said in a turn, and the answers that it got.
#[derive(Debug, Clone)]
struct Exchange {
    before: String,
    calls: Vec<(Value, u8)>,
    after: String,
    told: Vec<String>,
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), Just(" \n".to_owned()), ".{0,12}"]
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let arguments =
        prop_oneof![Just(json!({"path": "x"})), Just(json!("expected an object")), Just(json!([1]))];
    let calls = prop::collection::vec((arguments, 0u8..5), 0..5);
    (words(), calls, words(), prop::collection::vec(words(), 0..3))
        .prop_map(|(before, calls, after, told)| Exchange { before, calls, after, told })
}

fn answer(kind: u8, number: u32) -> Answer {
    match kind {
        0 => returned(number, Outcome::Empty),
        1 => returned(number, Outcome::Failed),
        2 => refused(),
        3 => Answer::Noted { text: String::new() },
        _ => Answer::Nodes { nodes: vec![], left_out: 0 },
    }
}

/// Returns the request that an engine would make after these turns.
fn asked(exchanges: &[Exchange]) -> TurnRequest {
    let text = |text: &String| UserBlock::Text { text: text.clone() };
    let mut messages = vec![Arc::new(Message::User(vec![text(&"Investigate.".to_owned())]))];
    for (turn, exchange) in exchanges.iter().enumerate() {
        let call = |index: usize| CallId(format!("c{turn}-{index}"));
        let mut said = vec![ReplyBlock::Text { text: exchange.before.clone() }];
        let mut answers: Vec<_> = exchange.told.iter().map(text).collect();
        for (index, (arguments, kind)) in exchange.calls.iter().enumerate() {
            let tool = if index % 2 == 0 { "find_files" } else { "no such tool \u{e9}" };
            let arguments = arguments.clone();
            said.push(ReplyBlock::Call(ToolCall { call: call(index), tool: tool.into(), arguments }));
            answers.push(UserBlock::Answer {
                call: call(index),
                answer: answer(*kind, (turn * 8 + index) as u32),
            });
        }
        said.push(ReplyBlock::Text { text: exchange.after.clone() });
        messages.push(Arc::new(Message::Assistant(said)));
        messages.push(Arc::new(Message::User(answers)));
    }
    request(exchanges.len() as u32 + 1, messages)
}

/// Returns the same conversation, broken in every way that one change can break it.
fn broken(whole: &Transcript) -> Vec<(String, Transcript)> {
    let mut all = Vec::new();
    let mut add = |what: String, change: &dyn Fn(&mut Transcript)| {
        let mut changed = whole.clone();
        change(&mut changed);
        all.push((what, changed));
    };
    let blank = || Part::Text(" ".into());
    for turn in 0..whole.turns.len() {
        add(format!("drop turn {turn}"), &|t| drop(t.turns.remove(turn)));
        add(format!("repeat turn {turn}"), &|t| t.turns.insert(turn, t.turns[turn].clone()));
        add(format!("empty turn {turn}"), &|t| t.turns[turn].parts.clear());
        add(format!("blank in turn {turn}"), &|t| t.turns[turn].parts.push(blank()));
        add(format!("other side in turn {turn}"), &|t| {
            t.turns[turn].role = match t.turns[turn].role {
                Role::User => Role::Assistant,
                Role::Assistant => Role::User,
            };
        });
        if turn > 0 {
            add(format!("swap turns {turn}"), &|t| t.turns.swap(turn - 1, turn));
        }
        for (at, part) in whole.turns[turn].parts.iter().enumerate() {
            match part {
                Part::Text(_) => {}
                Part::Call { .. } | Part::Result { .. } => {
                    add(format!("drop {turn}.{at}"), &|t| drop(t.turns[turn].parts.remove(at)));
                    add(format!("repeat {turn}.{at}"), &|t| {
                        let part = t.turns[turn].parts[at].clone();
                        t.turns[turn].parts.insert(at, part);
                    });
                    for id in ["other", "", "a b", "\u{e9}"] {
                        add(format!("rename {turn}.{at} {id:?}"), &|t| match &mut t.turns[turn].parts[at] {
                            Part::Call { call, .. } | Part::Result { call, .. } => *call = id.into(),
                            Part::Text(_) => {}
                        });
                    }
                }
            }
            if let Part::Result { .. } = part {
                add(format!("text before {turn}.{at}"), &|t| {
                    t.turns[turn].parts.insert(at, Part::Text("x".into()));
                });
                add(format!("delay {turn}.{at}"), &|t| {
                    let part = t.turns[turn].parts.remove(at);
                    match t.turns.get_mut(turn + 2) {
                        Some(later) => later.parts.insert(0, part),
                        None => t.turns[0].parts.insert(0, part),
                    }
                });
            }
            if let Part::Call { .. } = part {
                add(format!("no tool {turn}.{at}"), &|t| {
                    if let Part::Call { tool, .. } = &mut t.turns[turn].parts[at] {
                        tool.push('/');
                    }
                });
            }
        }
    }
    add("nothing".into(), &|t| t.turns.clear());
    add("the model's last word".into(), &|t| {
        t.turns.push(Turn { role: Role::Assistant, parts: vec![Part::Text("x".into())] });
    });
    all
}

proptest! {
    #[test]
    fn every_conversation_of_an_engine_keeps_the_rules_and_no_change_of_it_does(
        exchanges in prop::collection::vec(exchange(), 0..5),
    ) {
        let whole = transcript(&asked(&exchanges)).unwrap();
        prop_assert_eq!(check_transcript(&whole), Ok(()));
        for (what, changed) in broken(&whole) {
            prop_assert!(check_transcript(&changed).is_err(), "{what}: {changed:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_strict_servers_take_what_the_check_takes(exchanges in prop::collection::vec(exchange(), 0..5)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for speaks in BOTH {
            let world = world(speaks, |_, _| says("Done."));
            let replied = runtime.block_on(world.provider.model().turn(&asked(&exchanges)));
            prop_assert_eq!(world.server.broken(), Vec::<String>::new());
            prop_assert!(replied.is_ok());
        }
    }
}

#[test]
fn errors_name_the_turn_and_the_call() {
    let exchange = Exchange {
        before: "I look.".into(),
        calls: vec![(json!({}), 0), (json!({}), 2)],
        after: String::new(),
        told: vec!["Go on.".into()],
    };
    let whole = transcript(&asked(&[exchange])).unwrap();
    let [Part::Result { failed: false, .. }, Part::Result { failed: true, .. }, Part::Text(_)] =
        &whole.turns[2].parts[..]
    else {
        panic!("{whole:?}")
    };
    let check = |change: &dyn Fn(&mut Vec<Part>)| {
        let mut changed = whole.clone();
        change(&mut changed.turns[2].parts);
        check_transcript(&changed).unwrap_err()
    };
    let call = |call: &str| call.to_owned();
    assert_eq!(
        check(&|parts| drop(parts.remove(1))),
        TranscriptError::Unanswered { turn: 1, call: call("c0-1") }
    );
    assert_eq!(
        check(&|parts| parts.insert(0, parts[1].clone())),
        TranscriptError::AnsweredTwice { turn: 2, call: call("c0-1") }
    );
    assert_eq!(
        check(&|parts| parts.rotate_right(1)),
        TranscriptError::ResultAfterText { turn: 2, call: call("c0-0") }
    );
}
