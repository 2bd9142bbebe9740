//! Random lives: whatever a model does and tools return, each request obeys the rules and fits.
//!
//! `PROPTEST_CASES=4000 cargo test --release -p llm --test suite window::random -- --nocapture` checks more than 100,000 pairs
//! of a transcript and a budget: each request of a life is one.

use super::evidence::anything;
use super::examiner::{Examiner, Tally, Ways};
use super::life::{Life, Scene, Setup, endless};
use super::mind::{Mind, newest};
use engine::Input;
use ledger::event::{TaskEnded, TaskStatus};
use ledger::turn::{Answer, Reply, ReplyBlock, ToolCall};
use ledger::{CallId, Digest, Event, Exchange, NodeId, Usage, Window};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use testkit::api::Speaks;
use testkit::random::Random;

/// How many lives run by default: some seconds without optimisation.
const LIVES: u32 = 16;
/// The engine's tools that fit into a small context.
const FEW: &[&str] = &["list_invocations", "list_phenomena", "read_output", "recall", "record_phenomenon"];
/// The most tokens, as the engine estimates them, that the newest turn and the substitute for the others need in their shortest form.
const LEAST_ROOM: u64 = 6_000;

/// The parameters of a life.
#[derive(Debug, Clone)]
struct Case {
    seed: u64,
    turns: u32,
    context: u32,
    thinks: bool,
    anthropic: bool,
    view: (u64, u64),
}

fn case() -> impl Strategy<Value = Case> {
    let context = (0u32..=4, 0u32..4_000).prop_map(|(doubled, more)| (4_000 + more) << doubled);
    let view = prop_oneof![Just((1_024, 512)), Just((4_096, 2_048)), Just((24 * 1_024, 8 * 1_024))];
    (any::<u64>(), 1u32..60, context, any::<bool>(), any::<bool>(), view).prop_map(
        |(seed, turns, context, thinks, anthropic, view)| Case {
            seed,
            turns,
            context: context.min(64_000),
            thinks,
            anthropic,
            view,
        },
    )
}

/// The result of a life.
struct Lived {
    life: Life,
    ended: TaskEnded,
    examiner: Examiner,
    audit: Audit,
}

fn lived(case: &Case, ways: &mut BTreeMap<(u32, bool), Ways>) -> Lived {
    let reply = (case.context / 8 / 512 * 512).max(1_536);
    let window = Window { context: case.context, reply };
    // Thinking that goes back with its signature is specific to Anthropic.
    let thinks = case.thinks && case.anthropic;
    let ways = ways.entry((reply, thinks)).or_insert_with(|| Ways::new(reply, thinks)).clone();
    let mut rules = endless();
    (rules.view.head_bytes, rules.view.tail_bytes) = case.view;
    let offered = if case.context < 16_000 { FEW } else { &[] };
    let mut life = Life::new(Setup { window: Some(window), rules, offered });
    let speaks = if case.anthropic { Speaks::Anthropic } else { Speaks::OpenAi };
    let mut examiner = Examiner::new(speaks, window, ways);
    let mut mind = Mind::new(case.seed, speaks, thinks);
    let mut audit = Audit::new();
    let mut turns = 0;
    let model = |scene: &Scene<'_>| {
        let (count, over) = examiner.look(scene);
        let usage = Usage { input: count, ..Usage::default() };
        let request = Digest::of(b"");
        let sent = (!over).then_some(count);
        let exchange = Some(Exchange { request, attempts: 1, usage, sent, request_id: None });
        if over {
            return Input::TooLong("prompt is too long".to_owned(), exchange);
        }
        mind.see(scene.request);
        turns += 1;
        let reply = match turns <= case.turns {
            true => mind.reply(),
            false => match audit.next(scene) {
                Some(call) => mind.said("I look again.".to_owned(), vec![call]),
                None => Reply { blocks: vec![ReplyBlock::Text { text: "Done.".to_owned() }] },
            },
        };
        Input::Replied(reply, exchange)
    };
    let (mut random, mut number) = (Random::new(case.seed), 0);
    let ended = life.live(model, |_| {
        number += 1;
        anything(&mut random, number)
    });
    if ended.status == TaskStatus::ModelFailed {
        let most = u64::from(window.context - window.reply);
        (examiner.tally.too_small, examiner.tally.most_room) = (1, most.saturating_sub(examiner.fixed));
    }
    Lived { life, ended, examiner, audit }
}

/// The last part of a life: it searches for everything that the life ever did.
struct Audit {
    calls: u32,
    /// The nodes listed so far; after it, how many are asked for at once, and whether all are listed.
    listed: BTreeSet<NodeId>,
    at_once: usize,
    is_listed: bool,
    then: u32,
    read: u32,
    recalled: u32,
}

impl Audit {
    fn new() -> Audit {
        let listed = BTreeSet::new();
        Audit { calls: 0, listed, at_once: 40, is_listed: false, then: 0, read: 0, recalled: 0 }
    }

    /// Processes the result of the last call.
    fn take(&mut self, answer: &Answer) {
        match answer {
            Answer::Nodes { nodes, left_out } => {
                self.listed.extend(nodes.iter().map(|node| node.id));
                self.is_listed = *left_out == 0;
            }
            // A list that does not fit even alone can be asked for in shorter pages.
            Answer::Cut(loss) if loss.invocation.is_none() => self.at_once = (self.at_once / 2).max(1),
            // An output that does not fit becomes a note that says how to continue.
            Answer::Cut(loss) => {
                self.read += u32::from(loss.tool == "read_output");
                self.recalled += u32::from(loss.tool == "recall");
            }
            Answer::Page(page) => self.read += u32::from(page.records().next().is_some()),
            Answer::Recalled(recalled) => self.recalled += u32::from(!recalled.hits.is_empty()),
            other => panic!("{other:?}"),
        }
    }

    /// Returns the next call.
    fn next(&mut self, scene: &Scene<'_>) -> Option<ToolCall> {
        if self.calls > 0 {
            newest(scene.request).for_each(|answer| self.take(answer));
        }
        let held = scene.task.shelf().held();
        let with_records: Vec<_> = held.iter().filter(|held| held.output.is_some()).collect();
        let (tool, arguments): (_, Value) = match self.is_listed {
            false => ("list_invocations", json!({"offset": self.listed.len(), "limit": self.at_once})),
            true => {
                self.then += 1;
                let place = with_records.len() * (self.then as usize - 1) / 5;
                let output = with_records.get(place).filter(|_| self.then <= 5);
                let held = output?;
                let text = held.output.as_ref()?.records().first()?.fields["text"].value.to_text();
                let text: Vec<_> = text.split(' ').take(3).collect();
                match self.then {
                    1..4 => {
                        ("read_output", json!({"invocation": held.invocation.to_string(), "first": "r0"}))
                    }
                    _ => ("recall", json!({"text": text.join(" ")})),
                }
            }
        };
        self.calls += 1;
        let call = CallId(format!("audit_{}", self.calls));
        Some(ToolCall { call, tool: tool.to_owned(), arguments })
    }
}

fn holds(lived: &Lived) -> Result<(), TestCaseError> {
    let Lived { life, ended, examiner, audit } = lived;
    let started: BTreeSet<_> = life
        .events
        .iter()
        .filter_map(|event| match event {
            Event::InvocationStarted(started) => Some(started.invocation),
            _ => None,
        })
        .collect();
    let held: BTreeSet<_> = life.task.shelf().held().iter().map(|held| held.invocation).collect();
    prop_assert_eq!(&started, &held);
    if ended.status == TaskStatus::ModelFailed {
        prop_assert!(
            examiner.tally.most_room < LEAST_ROOM,
            "{:?}, {:?}",
            examiner.tally,
            life.events.iter().rev().nth(1)
        );
        return Ok(());
    }
    for invocation in &started {
        prop_assert!(audit.listed.contains(&NodeId::Invocation(*invocation)), "{invocation} is not listed");
    }
    if life.task.shelf().held().iter().any(|held| held.output.is_some()) {
        prop_assert_eq!((audit.read, audit.recalled), (3, 2));
    }
    Ok(())
}

#[test]
fn a_life_whose_dense_text_was_refused_once_goes_on() {
    let case = Case {
        seed: 198_866_976_508_470_046,
        turns: 12,
        context: 13_450,
        thinks: false,
        anthropic: false,
        view: (24 * 1_024, 8 * 1_024),
    };
    let lived = lived(&case, &mut BTreeMap::new());
    assert!(lived.examiner.tally.over > 0);
    assert_eq!(lived.ended.status, TaskStatus::Completed);
    holds(&lived).unwrap();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "whoever asks for more lives says so in the environment")]
fn in_random_lives_each_request_keeps_the_rules_and_fits() {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if asked { Config::default().cases } else { LIVES };
    let mut runner = TestRunner::new(Config {
        cases,
        max_shrink_iters: 300,
        source_file: Some(file!()),
        ..Config::default()
    });
    let (total, ways) = (RefCell::new(Tally::default()), RefCell::new(BTreeMap::new()));
    let failed = runner.run(&case(), |case| {
        let lived = self::lived(&case, &mut ways.borrow_mut());
        holds(&lived)?;
        if case.seed % 8 == 0 {
            let again = self::lived(&case, &mut ways.borrow_mut());
            prop_assert_eq!(&lived.examiner.bodies, &again.examiner.bodies);
        }
        total.borrow_mut().add(&lived.examiner.tally);
        Ok(())
    });
    let total = *total.borrow();
    println!("{total:?}");
    failed.unwrap();
    // Only text denser than all before it makes a request longer than estimated; the next request is shorter.
    assert!(total.over * 50 <= total.requests && total.over_in_a_row <= 2, "{total:?}");
}
