//! The recoveries of a run, and the detection of changes to them.

use crate::support::{Logged, Place, invocations, rechained, script};
use ledger::event::{RecoveryTrigger, SeenRecord, SuggestedCall, TaskEnded, TaskStatus, WithoutFact};
use ledger::{Event, InvocationId, Objective, RecordId, Rules};
use serde_json::{Value, json};
use std::path::PathBuf;
use testkit::scripted::{calls, words};

fn objective(id: &str, record: &str, searched: Value) -> Objective {
    let condition = json!({"predicate": "quoted", "record": record, "subject": "*", "field": "text"});
    let of = json!({"id": id, "question": id, "condition": condition, "searched": searched});
    serde_json::from_value(of).unwrap()
}

/// A run with one objective that a complete search answers, and one for which other ways are tried, of which the first succeeds.
pub(crate) fn recovered(place: &Place) -> PathBuf {
    let replies = script(vec![
        Box::new(|_| {
            calls(
                1,
                &[
                    ("find_files", json!({"name": "*no-such-tool*"})),
                    ("records", json!({"source": "usn_journal", "name": "no-such"})),
                ],
            )
        }),
        Box::new(|_| words("nothing there")),
        Box::new(|_| calls(3, &[("search_text", json!({"text": "Get-ChildItem", "limit": 1}))])),
        Box::new(|request| {
            let reading = json!({"predicate": "quoted", "values": {"text": "Get-ChildItem"}, "record": "r0",
                "invocation": invocations(request)[0]});
            calls(4, &[("record_phenomenon", json!({"readings": [reading], "interpretation": ""}))])
        }),
    ]);
    let mut request = place.request(Rules::default(), vec![("registry", replies)]);
    let searched = json!([{"tool": "records", "arguments": {"source": "usn_journal", "name": "no-such"}}]);
    request.agents[0].spec.objectives =
        vec![objective("gone", "usn_created", searched), objective("line", "text_line", json!([]))];
    let gone = &mut request.agents[0].spec.objectives[0].condition;
    (gone.predicate, gone.field) = (ledger::Predicate("created".into()), "time".into());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(app::run(request)).unwrap().folder
}

fn change(log: &mut Logged, take: impl Fn(&mut Event) -> bool) {
    assert!(log.iter_mut().any(|(_, event, _)| take(event)), "no such event");
}

macro_rules! changed {
    ($variant:ident, |$it:ident| $change:expr) => {
        |log: &mut Logged| {
            change(log, |event| match event {
                Event::$variant($it) => {
                    $change;
                    true
                }
                _ => false,
            })
        }
    };
}

type Forgery = (&'static str, fn(&mut Logged), &'static str);

const FORGERIES: &[Forgery] = &[
    ("attempt", changed!(RecoveryBegun, |it| it.attempt = 2), "its number is not"),
    (
        "trigger",
        changed!(RecoveryBegun, |it| it.trigger = RecoveryTrigger::StepsExhausted),
        "what set it off is not",
    ),
    ("objective", changed!(RecoveryBegun, |it| it.objective = "gone".into()), "what set it off is not"),
    ("no objective", changed!(RecoveryBegun, |it| it.objective = "x".into()), "none of its agent's"),
    ("strategy", changed!(RecoveryBegun, |it| it.strategy = "x".into()), "there is no such strategy"),
    ("other strategy", changed!(RecoveryBegun, |it| it.strategy = "find-by-name".into()), "does not answer"),
    ("because", changed!(RecoveryBegun, |it| it.because = None), "which call it answers"),
    (
        "call",
        changed!(RecoveryBegun, |it| it
            .calls
            .push(SuggestedCall { tool: "hash_file".into(), arguments: json!({"path": "a"}) })),
        "a call that its strategy does not have",
    ),
    ("no call", changed!(RecoveryBegun, |it| it.calls.clear()), "it suggests nothing"),
    ("facts", changed!(RecoveryEnded, |it| it.facts += 1), "what came of it is not"),
    ("answered", changed!(RecoveryEnded, |it| it.answered.clear()), "what came of it is not"),
    ("lost end", without_end, "nothing is said of what came of the recovery"),
    ("lost beginning", without_beginning, "do not follow one another"),
    (
        "state",
        changed!(TaskEnded, |it| it.objectives[0].without = Some(WithoutFact::Unmet)),
        "is said to be unmet, and not how it was looked for",
    ),
    (
        "not asked",
        changed!(TaskEnded, |it| it.objectives[0].without = Some(WithoutFact::NotAsked)),
        "how an objective stands is not",
    ),
    (
        "partly searched",
        changed!(TaskEnded, |it| it.objectives[0].without =
            Some(WithoutFact::Partly { calls: searches(it), missing: vec!["all".into()] })),
        "how an objective stands is not",
    ),
    (
        "seen",
        changed!(TaskEnded, |it| it.objectives[0].without = Some(WithoutFact::Seen {
            records: vec![SeenRecord { invocation: searches(it)[0], record: RecordId(0) }],
            number: 1,
        })),
        "that no call of its task returned",
    ),
    (
        "needed",
        changed!(TaskEnded, |it| it.objectives[0].without =
            Some(WithoutFact::NotDeterminable { needed: vec!["a SAM hive".into()] })),
        "how an objective stands is not",
    ),
    ("no state", changed!(TaskEnded, |it| it.objectives[0].without = None), "how it stands without a fact"),
    ("status", changed!(TaskEnded, |it| it.status = TaskStatus::Incomplete), "its status is not"),
];

/// The searches that answer the first objective.
fn searches(ended: &TaskEnded) -> Vec<InvocationId> {
    let Some(WithoutFact::Empty { searches, .. }) = &ended.objectives[0].without else { panic!("{ended:?}") };
    searches.clone()
}

fn without_end(log: &mut Logged) {
    log.retain(|(_, event, _)| !matches!(event, Event::RecoveryEnded(_)));
}

fn without_beginning(log: &mut Logged) {
    log.retain(|(_, event, _)| !matches!(event, Event::RecoveryBegun(_) | Event::RecoveryEnded(_)));
}

#[test]
fn a_recovery_has_its_effect_and_is_verified_and_replayed_and_each_change_of_it_is_found() {
    let place = Place::new();
    let run = recovered(&place);
    let loaded = app::load_run(&run).unwrap();
    let task = loaded.tasks.values().next().unwrap();
    let [(begun, Some(ended))] = &task.recoveries[..] else { panic!("{:?}", task.recoveries) };
    assert_eq!((begun.strategy.as_str(), begun.objective.as_str()), ("search-content", "line"));
    assert_eq!((ended.facts, &ended.answered[..]), (1, &["line".to_owned()][..]));
    let answers: Vec<_> = task.ended.iter().flat_map(|end| &end.objectives).map(|it| it.answer()).collect();
    assert_eq!(answers, ["empty", "met"]);
    let untouched = app::verify(&rechained(&place, &run, "untouched", |_| ()));
    assert!(untouched.holds(), "{:?}", untouched.findings);
    place.locard_ends(0, &["replay", run.to_str().unwrap()]);
    let missed = |(name, forge, expected): &&Forgery| {
        let certificate = app::verify(&rechained(&place, &run, name, forge));
        let told = certificate.findings.iter().any(|finding| finding.what.contains(expected));
        if !told {
            println!("{name}: {:#?}", certificate.findings);
        }
        !told
    };
    let missed: Vec<&str> = FORGERIES.iter().filter(missed).map(|(name, ..)| *name).collect();
    assert_eq!(missed, [""; 0]);
}
