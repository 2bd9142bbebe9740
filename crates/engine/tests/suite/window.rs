//! A conversation that outgrows its model's context window.

use crate::life;

use engine::{Input, ToolReturn};
use ledger::event::TaskStatus;
use ledger::turn::{Answer, Message, Reply, ReplyBlock, TurnRequest, UserBlock};
use ledger::{Digest, Event, Exchange, Outcome, Rules, Usage, Window};
use life::{Lived, answers, call, live_within, returned};
use serde_json::json;
use std::cell::RefCell;

const WINDOW: Window = Window { context: 13_200, reply: 2_000 };

/// Returns a tool's output of about 4,000 bytes; each has a different number.
fn long(number: u32) -> ToolReturn {
    returned(Outcome::Ok, &format!("number {number} of many; {}", "words of it ".repeat(330)))
}

fn rules() -> Rules {
    let mut rules = Rules::default();
    rules.budgets.investigate_turns = 60;
    rules
}

/// Returns about what a provider counts: a token for four bytes of what it is sent.
fn tokens(request: &TurnRequest) -> u64 {
    let answer = |block: &UserBlock| match block {
        UserBlock::Answer { answer: Answer::Returned(returned), .. } => {
            let pages =
                returned.page.iter().flat_map(|page| page.records().map(move |record| (page, record)));
            pages.map(|(page, record)| page.output.line_length(record.id).unwrap()).sum::<usize>() + 300
        }
        block => serde_json::to_string(block).unwrap().len(),
    };
    let messages = request.messages.iter().map(|message| match &**message {
        Message::User(blocks) => blocks.iter().map(answer).sum::<usize>(),
        Message::Assistant(blocks) => serde_json::to_string(blocks).unwrap().len(),
    });
    (messages.sum::<usize>() + request.system.len() + serde_json::to_string(&*request.tools).unwrap().len())
        as u64
        / 4
}

fn says(request: &TurnRequest, blocks: Vec<ReplyBlock>) -> Input {
    let usage = Usage { input: tokens(request), ..Usage::default() };
    let exchange =
        Exchange { request: Digest::of(b""), attempts: 1, usage, sent: Some(usage.input), request_id: None };
    Input::Replied(Reply { blocks }, Some(exchange))
}

fn reads(turn: u32) -> Vec<ReplyBlock> {
    vec![call(&format!("c{turn}"), "read", json!({"n": turn}))]
}

/// Reads `most` long outputs one after another, then continues with `then`.
fn investigation(
    most: u32,
    then: impl Fn(u32, &TurnRequest) -> Vec<ReplyBlock>,
) -> (Lived, Vec<TurnRequest>) {
    let requests = RefCell::new(Vec::new());
    let model = |request: &TurnRequest| {
        requests.borrow_mut().push(request.clone());
        let blocks =
            if request.turn <= most { reads(request.turn) } else { then(request.turn - most, request) };
        says(request, blocks)
    };
    let lived = live_within(Some(WINDOW), rules(), vec![], model, long);
    (lived, requests.into_inner())
}

fn done(_: u32, _: &TurnRequest) -> Vec<ReplyBlock> {
    vec![ReplyBlock::Text { text: "done".into() }]
}

fn calls(blocks: &[ReplyBlock]) -> Vec<&str> {
    fn id(block: &ReplyBlock) -> Option<&str> {
        match block {
            ReplyBlock::Call(call) => Some(call.call.0.as_str()),
            ReplyBlock::Text { .. } | ReplyBlock::Verbatim { .. } => None,
        }
    }
    blocks.iter().filter_map(id).collect()
}

#[test]
fn every_request_fits_and_keeps_the_task_the_newest_turn_and_the_order_of_turns() {
    let (_, requests) = investigation(50, done);
    let mut cut = 0;
    for request in &requests {
        assert!(
            tokens(request) <= u64::from(WINDOW.context - WINDOW.reply),
            "{} tokens in turn {}",
            tokens(request),
            request.turn
        );
        let Message::User(first) = &*request.messages[0] else { panic!() };
        let UserBlock::Text { text } = &first[0] else { panic!("{first:?}") };
        assert!(text.starts_with("Investigate the evidence"));
        for (at, message) in request.messages.iter().enumerate() {
            match &**message {
                Message::User(_) => assert_eq!(at % 2, 0),
                Message::Assistant(blocks) => {
                    assert_eq!(at % 2, 1);
                    let Message::User(answered) = &*request.messages[at + 1] else { panic!() };
                    let answered: Vec<_> = answered
                        .iter()
                        .filter_map(|block| match block {
                            UserBlock::Answer { call, .. } => Some(call.0.as_str()),
                            UserBlock::Text { .. } | UserBlock::Distilled(_) | UserBlock::Recovery(_) => None,
                        })
                        .collect();
                    assert_eq!(calls(blocks), answered);
                }
            }
        }
        let newest = answers(request);
        assert!(request.turn == 1 || newest.iter().all(|answer| matches!(answer, Answer::Returned(_))));
        cut += usize::from(request.messages.iter().any(|message| {
            matches!(&**message, Message::User(blocks) if blocks.iter().any(|block| matches!(block, UserBlock::Distilled(_))))
        }));
    }
    assert!(cut > 10, "{cut}");
}

#[test]
fn a_first_turn_that_fills_the_context_leaves_the_task_in_its_place() {
    let first = RefCell::new(Vec::new());
    let model = |request: &TurnRequest| {
        first.borrow_mut().push(request.messages[0].clone());
        let ten = (0..10).map(|n| call(&format!("c{n}"), "read", json!({"n": n}))).collect();
        says(request, if request.turn == 1 { ten } else { done(0, request) })
    };
    live_within(Some(WINDOW), rules(), vec![], model, long);
    for message in first.into_inner() {
        let Message::User(blocks) = &*message else { panic!() };
        let Some(UserBlock::Text { text }) = blocks.first() else { panic!("{blocks:?}") };
        assert!(text.starts_with("Investigate the evidence"));
    }
}

#[test]
fn what_is_sent_mostly_begins_with_what_was_sent_before() {
    let (_, requests) = investigation(50, done);
    let goes_on = |pair: &&[TurnRequest]| {
        let (before, after) = (&pair[0].messages, &pair[1].messages);
        before.len() < after.len() && before.iter().zip(after.iter()).all(|(a, b)| a == b)
    };
    let kept = requests.windows(2).filter(goes_on).count();
    assert!(kept * 4 >= requests.len() * 3, "{kept} of {}", requests.len());
}

#[test]
fn what_was_cut_says_what_it_was_and_is_found_again_by_recall() {
    let then = |turn, request: &TurnRequest| match turn {
        1 => vec![call("recall-1", "recall", json!({"text": "number 3 of many"}))],
        2 => {
            let [Answer::Recalled(recalled)] = &answers(request)[..] else {
                panic!("{:?}", answers(request))
            };
            let hit = &recalled.hits[0];
            assert_eq!((hit.records, hit.lost), (1, 1));
            let invocation = hit.page.invocation.to_string();
            let reading = json!({"predicate": "quoted", "values": {"text": "number 3 of many"}, "invocation": invocation});
            let arguments = json!({"readings": [reading]});
            vec![call("record", "record_phenomenon", arguments)]
        }
        _ => done(turn, request),
    };
    let (lived, requests) = investigation(50, then);
    let recalled = lived.events.iter().find_map(|event| match event {
        Event::Recalled(recalled) => Some(recalled),
        _ => None,
    });
    assert_eq!(recalled.unwrap().shown.len(), 1);
    assert_eq!(lived.ended.facts, 1, "{:?}", lived.events.last());
    let losses: Vec<_> = requests
        .iter()
        .flat_map(|request| request.messages.iter())
        .filter_map(|message| match &**message {
            Message::User(blocks) => Some(blocks),
            Message::Assistant(_) => None,
        })
        .flatten()
        .filter_map(|block| match block {
            UserBlock::Answer { answer: Answer::Cut(loss), .. } => Some(loss),
            _ => None,
        })
        .collect();
    let loss = losses.first().unwrap();
    assert_eq!((loss.tool.as_str(), loss.records, loss.cut), ("read", 1, 1));
    assert!(loss.invocation.is_some() && loss.paths == ["a.txt"]);
}

#[test]
fn a_request_that_was_too_long_is_followed_by_a_shorter_one_at_no_cost_in_turns() {
    let mut lengths = Vec::new();
    let model = |request: &TurnRequest| {
        lengths.push(tokens(request));
        match tokens(request) {
            // The server's context is smaller than configured.
            6_000.. => Input::TooLong("prompt is too long".into(), None),
            _ if lengths.len() > 80 => says(request, done(0, request)),
            _ => says(request, reads(request.turn)),
        }
    };
    let lived = live_within(Some(WINDOW), rules(), vec![], model, long);
    let refused = lived.events.iter().filter(|event| matches!(event, Event::RequestTooLong(_))).count();
    assert!((1..=8).contains(&refused), "{refused}");
    assert_eq!(lived.tool_calls, 60);
    assert!(lengths.iter().rev().take(20).all(|length| *length < 6_000));
}

#[test]
fn a_context_that_holds_not_even_the_task_ends_it_in_words() {
    let window = Window { context: 800, reply: 200 };
    let lived = live_within(Some(window), rules(), vec![], |request| says(request, done(0, request)), long);
    assert_eq!(lived.ended.status, TaskStatus::ModelFailed);
    let reason = lived.events.iter().find_map(|event| match event {
        Event::TurnFailed(failed) => Some(failed.reason.as_str()),
        _ => None,
    });
    assert!(reason.unwrap().starts_with("the model's context of 800 tokens is too small"), "{reason:?}");
}
