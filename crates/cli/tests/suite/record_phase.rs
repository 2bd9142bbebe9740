//! An agent that never records anything ends up with record tools only.

use crate::support::{Place, answers, invocations, script};
use ledger::event::{Phase, Refusal, TaskStatus};
use ledger::turn::Answer;
use ledger::{Rules, ToolClass};
use serde_json::json;
use std::sync::{Arc, Mutex};
use testkit::scripted::{Scripted, calls};

const HISTORY: &str = "p1/Users/mara/AppData/Local/Chromium/User Data/Default/History";

#[test]
fn on_the_record_surface_no_evidence_can_be_read() {
    let place = Place::new();
    let offered: Arc<Mutex<Vec<String>>> = Arc::default();
    let refused: Arc<Mutex<Vec<Answer>>> = Arc::default();
    let (offers, refusals) = (Arc::clone(&offered), Arc::clone(&refused));
    let script = script(vec![
        Box::new(|_| calls(1, &[("list_hives", json!({}))])),
        Box::new(|_| testkit::scripted::words("I have looked enough.")),
        Box::new(move |request| {
            *offers.lock().unwrap() = request.tools.iter().map(|tool| tool.name.clone()).collect();
            calls(
                3,
                &[
                    ("list_directory", json!({"path": "/"})),
                    ("sqlite_query", json!({"path": HISTORY, "sql": "SELECT url FROM urls"})),
                    (
                        "parse_registry_key",
                        json!({"hive": "p1/Windows/System32/config/SYSTEM", "key": "Select"}),
                    ),
                ],
            )
        }),
        Box::new(move |request| {
            *refusals.lock().unwrap() = answers(request);
            calls(4, &[("nothing_to_record", json!({"reason": "nothing stood out"}))])
        }),
    ]);
    let (finished, run) = place.investigate(Rules::default(), vec![("registry", script)]);

    let offered = offered.lock().unwrap();
    assert!(offered.iter().any(|tool| tool == "record_phenomenon"));
    for tool in tools::catalogue() {
        assert!(!offered.contains(&tool.name), "{} is offered", tool.name);
    }
    let refused = refused.lock().unwrap();
    assert_eq!(refused.len(), 3);
    for answer in refused.iter() {
        assert!(matches!(answer, Answer::Refused { refusal: Refusal::OutsideSurface, .. }), "{answer:?}");
    }
    let task = run.tasks.values().next().unwrap();
    assert_eq!(task.invocations.len(), 1, "only the call of the investigation ran");
    assert_eq!(task.refusals.len(), 3);
    let phases: Vec<_> = task.phases.iter().map(|entered| entered.phase).collect();
    assert_eq!(phases, [Phase::Investigate, Phase::Record]);
    assert!(!task.phases[1].surface.contains(&ToolClass::Investigate));
    assert_eq!(task.nothing.as_ref().unwrap().reason, "nothing stood out");
    assert_eq!(finished.tasks[0].1.facts, 0);
}

/// An agent that investigates until its turns are used up, asks for evidence eleven more times, and only then records.
fn late(record_turns: u32) -> (u32, u32, usize) {
    let place = Place::new();
    let mut rules = Rules::default();
    rules.budgets.record_turns = record_turns;
    let mut turn = 0;
    let mut cited = String::new();
    let script = Scripted::new(move |request| {
        turn += 1;
        if let Some(first) = invocations(request).first().filter(|_| turn == 2) {
            cited = first.clone();
        }
        let reading = json!({"predicate": "present", "values": {"name": "mara"}, "invocation": cited});
        Some(match turn {
            1 => calls(turn, &[("list_directory", json!({"path": "p1/Users"}))]),
            2..=71 => calls(turn, &[("list_directory", json!({"path": "/", "limit": turn}))]),
            72 => calls(turn, &[("record_phenomenon", json!({"readings": [reading]}))]),
            _ => testkit::scripted::words("done"),
        })
    });
    let (finished, run) = place.investigate(rules, vec![("timeline", script)]);
    let task = run.tasks.values().next().unwrap();
    (task.turns, finished.tasks[0].1.facts, task.refusals.len())
}

#[test]
fn sixty_turns_of_investigation_and_thirty_of_recording_let_a_late_agent_record_and_ten_do_not() {
    let budgets = Rules::default().budgets;
    assert_eq!((budgets.investigate_turns, budgets.record_turns), (60, 30));
    assert_eq!(late(30), (73, 1, 11));
    assert_eq!(late(10), (70, 0, 10));
}

#[test]
fn an_agent_that_never_stops_is_ended_by_its_budgets() {
    let place = Place::new();
    let mut rules = Rules::default();
    rules.budgets.investigate_turns = 5;
    rules.budgets.record_turns = 3;
    let mut turn = 0;
    let script = Scripted::new(move |_| {
        turn += 1;
        Some(calls(turn, &[("list_directory", json!({"path": "/", "limit": turn}))]))
    });
    let (finished, run) = place.investigate(rules, vec![("filesystem", script)]);
    let task = run.tasks.values().next().unwrap();
    assert_eq!((task.turns, task.invocations.len(), task.refusals.len()), (8, 5, 3));
    // The agent has no objectives, so none is unmet, although nothing was recorded.
    assert_eq!(finished.tasks[0].1.status, TaskStatus::Completed);
}

#[test]
fn a_spent_wall_time_ends_a_task_whose_model_answers_at_once() {
    let place = Place::new();
    let rules = place.file("rules.toml", "[budgets]\nwall_seconds = 0\n");
    let demo = crate::support::demo_folder();
    place.locard_ends(60, &["run", demo.to_str().unwrap(), "--rules", rules.to_str().unwrap()]);
    let run = app::load_run(&place.only_run()).unwrap();
    for task in run.tasks.values() {
        assert_eq!((task.turns, task.invocations.len()), (1, 0));
        assert_eq!(task.ended.as_ref().unwrap().spent, Some(ledger::event::Spent::WallTime));
    }
}

#[test]
fn an_identical_call_is_answered_from_the_log_and_then_refused() {
    let place = Place::new();
    let same = || ("list_hives", json!({}));
    let script = script(vec![Box::new(move |_| calls(1, &[same(), same(), same(), same()]))]);
    let (_, run) = place.investigate(Rules::default(), vec![("registry", script)]);
    let task = run.tasks.values().next().unwrap();
    assert_eq!((task.invocations.len(), task.served, task.refusals.len()), (1, 2, 1));
    assert_eq!(task.refusals[0].refusal, Refusal::Repeated);
}

#[test]
fn a_model_that_cannot_be_had_ends_the_task_and_not_the_run() {
    let place = Place::new();
    let (finished, run) = place.investigate(Rules::default(), vec![("registry", Scripted::new(|_| None))]);
    assert_eq!(finished.tasks[0].1.status, TaskStatus::ModelFailed);
    assert!(run.sealed.is_some());
    assert!(app::verify(&finished.folder).holds());
}

#[test]
fn a_model_that_writes_a_fraction_does_not_stop_the_recording() {
    let place = Place::new();
    let script =
        script(vec![Box::new(|_| calls(1, &[("list_directory", json!({"path": "/", "limit": 1.5}))]))]);
    let (finished, run) = place.investigate(Rules::default(), vec![("filesystem", script)]);
    assert_eq!(run.tasks.values().next().unwrap().invocations[0].started.arguments["limit"], json!("1.5"));
    assert!(app::verify(&finished.folder).holds());
}
