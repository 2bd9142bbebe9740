//! The problem that motivated this project: values that were really read, cited with mistyped ids.

use crate::support::{Place, invocations, script};
use graph::Judged;
use ledger::{RejectionCode, Rules};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::scripted::calls;

const SYSTEM: &str = "p1/Windows/System32/config/SYSTEM";
const NAME_KEY: &str = r"ControlSet001\Control\ComputerName\ComputerName";

fn read_name() -> (&'static str, Value) {
    ("parse_registry_key", json!({"hive": SYSTEM, "key": NAME_KEY}))
}

fn record_name(cited: &str) -> (&'static str, Value) {
    let reading = json!({
        "predicate": "configured",
        "values": {"name": "ComputerName", "data": "ALDER-07"},
        "invocation": cited,
    });
    ("record_phenomenon", json!({"readings": [reading]}))
}

/// The id with its last digit changed.
fn mistyped(id: &str) -> String {
    let (rest, last) = id.split_at(id.len() - 1);
    format!("{rest}{}", if last == "0" { "1" } else { "0" })
}

fn verdicts(run: &graph::Run) -> Vec<Result<bool, RejectionCode>> {
    run.tasks
        .values()
        .flat_map(|task| &task.claims)
        .map(|claim| match claim.judged.as_ref().unwrap() {
            Judged::Accepted(accepted) => Ok(accepted.healing.is_some()),
            Judged::Repeated(repeated) => Ok(repeated.healing.is_some()),
            Judged::Rejected(rejection) => Err(rejection.code),
            Judged::Covered(_) | Judged::Derived(_) | Judged::Told(_) | Judged::Stated(_) => {
                panic!("only readings were claimed")
            }
        })
        .collect()
}

#[test]
fn a_mistyped_id_is_healed_where_one_output_holds_the_reading() {
    let place = Place::new();
    let script = script(vec![
        Box::new(|_| calls(1, &[("list_hives", json!({})), read_name()])),
        Box::new(|request| {
            let ids = invocations(request);
            calls(
                2,
                &[record_name(&mistyped(&ids[1])), record_name("inv-computer-name"), record_name(&ids[0])],
            )
        }),
    ]);
    let (_, run) = place.investigate(Rules::default(), vec![("registry", script)]);
    assert_eq!(verdicts(&run), [Ok(true), Ok(true), Ok(true)]);
    let (_, accepted) = run.facts().next().unwrap();
    assert_eq!(accepted.healing.as_ref().unwrap().because, RejectionCode::UnknownInvocation);
    let (_, healed) = run.invocation(accepted.fact.invocation).unwrap();
    assert_eq!(healed.started.tool, "parse_registry_key");
}

#[test]
fn a_right_id_needs_no_healing() {
    let place = Place::new();
    let script = script(vec![
        Box::new(|_| calls(1, &[read_name()])),
        Box::new(|request| calls(2, &[record_name(&invocations(request)[0])])),
    ]);
    let (_, run) = place.investigate(Rules::default(), vec![("registry", script)]);
    assert_eq!(verdicts(&run), [Ok(false)]);
}

#[test]
fn nothing_is_healed_where_several_different_outputs_hold_the_reading() {
    let place = Place::new();
    // Two profiles have the same flags, so one reading fits two records in two outputs.
    let key = |sid: &str| {
        let key = format!(r"Microsoft\Windows NT\CurrentVersion\ProfileList\{sid}");
        ("parse_registry_key", json!({"hive": "p1/Windows/System32/config/SOFTWARE", "key": key}))
    };
    let script = script(vec![
        Box::new(move |_| {
            calls(
                1,
                &[
                    key("S-1-5-21-1391846017-2755219433-3320145571-1001"),
                    key("S-1-5-21-1391846017-2755219433-3320145571-1002"),
                ],
            )
        }),
        Box::new(|_| {
            let reading = json!({
                "predicate": "configured",
                "values": {"name": "ProfileImagePath", "value_type": "REG_EXPAND_SZ"},
                "invocation": "inv-00000000",
            });
            calls(2, &[("record_phenomenon", json!({"readings": [reading]}))])
        }),
    ]);
    let (_, run) = place.investigate(Rules::default(), vec![("registry", script)]);
    assert_eq!(verdicts(&run), [Err(RejectionCode::Ambiguous)]);
    let refused = graph::refused_claims(&run);
    assert_eq!(refused[0].rejection.candidates.len(), 2);
}

#[test]
fn nothing_is_healed_across_agents() {
    let place = Place::new();
    let seen: Arc<Mutex<Option<String>>> = Arc::default();
    let (theirs, ours) = (Arc::clone(&seen), seen);
    let reader = script(vec![
        Box::new(|_| calls(1, &[read_name()])),
        Box::new(move |request| {
            *theirs.lock().unwrap() = Some(invocations(request)[0].clone());
            testkit::scripted::words("read")
        }),
    ]);
    let copyist = script(vec![
        Box::new(|_| calls(1, &[("list_hives", json!({}))])),
        Box::new(move |_| {
            let cited = loop {
                if let Some(id) = ours.lock().unwrap().clone() {
                    break id;
                }
                std::thread::yield_now();
            };
            calls(2, &[record_name(&cited), record_name("inv-12345678")])
        }),
    ]);
    let (_, run) = place.investigate(Rules::default(), vec![("reader", reader), ("copyist", copyist)]);
    assert_eq!(
        verdicts(&run),
        [Err(RejectionCode::ForeignInvocation), Err(RejectionCode::UnknownInvocation)]
    );
    assert_eq!(run.facts().count(), 0);
}

#[test]
fn without_the_rescue_the_same_ids_are_refused() {
    let place = Place::new();
    let mut rules = Rules::default();
    rules.gate.rescue = false;
    let script = script(vec![
        Box::new(|_| calls(1, &[read_name()])),
        Box::new(|request| calls(2, &[record_name(&mistyped(&invocations(request)[0]))])),
    ]);
    let (_, run) = place.investigate(rules, vec![("registry", script)]);
    assert_eq!(verdicts(&run), [Err(RejectionCode::UnknownInvocation)]);
}
