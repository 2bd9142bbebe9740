//! `locard replay --step`: shows the turns of an agent from its log alone.

use crate::support::rechained;
use crate::support::{Place, collected_case, invocations, script, str, text};
use ledger::Rules;
use serde_json::{Value, json};
use testkit::scripted::{Scripted, calls, words};

/// An agent that lists files, claims a true and an invented value with a made-up invocation, and makes a call that is
/// no longer allowed.
fn agent() -> Scripted {
    let reading = |name: &str, cited: &str| json!({"predicate": "present", "values": {"name": name}, "invocation": cited});
    script(vec![
        Box::new(|_| calls(1, &[("find_files", json!({"name": "*"}))])),
        Box::new(|_| words("I have seen it.")),
        Box::new(move |_| {
            let readings = ["setupapi.dev.log", "nobody.log"].map(|name| reading(name, "inv-00000000"));
            calls(
                3,
                &[
                    ("record_phenomenon", json!({"readings": readings})),
                    ("list_directory", json!({"path": "p1"})),
                ],
            )
        }),
        Box::new(|request| {
            assert!(invocations(request).is_empty());
            calls(4, &[("nothing_to_record", json!({"reason": "\u{1b}[2Jthat\nis all"}))])
        }),
    ])
}

#[test]
fn each_turn_shows_what_the_agent_saw_did_claimed_and_was_told() {
    let place = Place::new();
    let (finished, run) = place.investigate(Rules::default(), vec![("filesystem", agent())]);
    let folder = str(&finished.folder);
    let out = place.locard_ends(0, &["replay", folder, "--step"]);
    let (_, fact) = run.facts().next().unwrap();
    let expected = [
        "=== task-1 filesystem (scripted), turn 1, phase investigate",
        "left: 59 more turns of the phase, 60 refused claims, 400 facts",
        "    Investigate.",
        "    Investigate the evidence of this case towards your objectives. Record facts as you find them.",
        "  call-1-0 find_files {\"name\":\"*\"}",
        "=== task-1 filesystem (scripted), turn 2, phase investigate",
        "  the answer to call-1-0 find_files",
        "  said: I have seen it.",
        "  the phase record begins: the agent stopped, and too little was recorded",
        "=== task-1 filesystem (scripted), turn 3, phase record",
        "left: 29 more turns of the phase, 60 refused claims, 400 facts",
        "    Record what you have already found, then stop. Nothing new can be looked for now.",
        "claimed present: name = setupapi.dev.log citing inv-00000000",
        &format!(
            "    accepted: {} in {} of {}, the citation inv-00000000 healed (unknown_invocation)",
            fact.fact.id, fact.fact.record, fact.fact.invocation
        ),
        "claimed present: name = nobody.log citing inv-00000000",
        "    refused: unknown_invocation: no invocation of this task has the id",
        "  call-3-1 list_directory refused: outside_surface: list_directory is not offered in this phase",
        "left: 28 more turns of the phase, 59 refused claims, 399 facts",
        "  nothing to record: \\u{1b}[2Jthat\\u{a}is all",
        "  the task ended: no open questions; 1 facts, 1 claims refused",
    ];
    let mut rest = out.as_str();
    for text in expected {
        rest = rest.split_once(text).unwrap_or_else(|| panic!("{text:?} is not in\n{rest}\nof\n{out}")).1;
    }
    assert!(!out.chars().any(|c| c.is_control() && c != '\n'), "{out}");
    let third = place.locard_ends(0, &["replay", folder, "--step", "--turn", "3"]);
    assert_eq!(third.matches("=== ").count(), 1);
    assert!(out.contains(&third), "{third}");
    assert_eq!(place.locard_ends(0, &["replay", folder, "--step", "--turn", "9"]), "there is no such turn\n");
    let json = place.locard_ends(0, &["replay", folder, "--step", "--task", "1", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let turns = json["steps"][0]["turns"].as_array().unwrap();
    assert_eq!((turns.len(), &json["steps"][0]["otherwise_from"]), (4, &Value::Null));
    // The JSON format has the whole text.
    let answer = &turns[1]["saw"][0];
    let lines = answer["text"].as_str().unwrap().lines().count();
    assert!(lines > 30 && answer["lines"] == json!(lines), "{answer}");
    // The text format says how much it leaves out.
    let more = format!("    … {} more lines ({} bytes in all)", lines - 8, answer["bytes"]);
    assert!(out.lines().any(|line| line == more), "{more}");
    assert_eq!(turns[2]["did"][1]["tool"], "list_directory");
    assert_eq!(turns[2]["told"].as_array().unwrap().last().unwrap()["event"], "call_refused");
}

#[test]
fn the_walk_needs_neither_evidence_nor_model_and_ends_where_the_log_does() {
    let place = Place::new();
    let case = collected_case(&place, "alder");
    place.locard_ends(0, &["run", str(&case), "--model", "sloppy:2"]);
    let walked = || place.locard_ends(0, &["replay", "latest", "--step", "--agent", "registry"]);
    let with = walked();
    std::fs::remove_dir_all(&case).unwrap();
    assert_eq!(walked(), with);
    assert!(with.contains("refused: ") && with.contains(" healed ("), "{with}");

    let copy = rechained(&place, &place.only_run(), "broken", |events| {
        let asked = |event: &ledger::Event| matches!(event, ledger::Event::TurnRequested(it) if it.turn == 2);
        let at = events.iter().position(|(_, event, _)| asked(event)).unwrap();
        events.truncate(at + 1);
    });
    let out = place.locard_ends(0, &["replay", str(&copy), "--step"]);
    assert!(out.contains("  nothing in the log\n"), "{out}");
}

#[test]
fn what_cannot_be_meant_together_is_refused() {
    let place = Place::new();
    let file = place.file("rules.toml", "");
    for arguments in [&["--step", "--rules", str(&file)][..], &["--turn", "2"]] {
        let output = place.locard(&[&["replay", "latest"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    }
}
