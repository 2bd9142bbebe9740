//! Tests of the techniques that the facts of a run fit, and of the phenomena that carry them.

use detect::Attack;
use graph::{attack_fits, fold, techniques_of};
use ledger::{FactEntry, Predicate};
use testkit::history::{History, fact, reading};

const RUN: &str = "ROOT\\Microsoft\\Windows\\CurrentVersion\\Run\\Updater";
const SETHC: &str =
    "ROOT\\Microsoft\\Windows NT\\CurrentVersion\\Image File Execution Options\\sethc.exe\\Debugger";

/// Builds a fact about a record of this type; the first field is the subject.
fn stated(kind: &str, predicate: &str, fields: &[(&str, &str)]) -> FactEntry {
    let mut stated = fact(1, 0, "", fields);
    let subject = stated.values.remove(0);
    FactEntry { kind: kind.into(), predicate: Predicate(predicate.into()), subject, ..stated }
}

#[test]
fn a_run_tells_each_technique_once_with_its_phenomena_and_facts() {
    let at = |ordinal: u32, kind: &str, fields: &[(&str, &str)]| {
        let id = fact(1, ordinal, "", &[]).id;
        FactEntry { id, ..stated(kind, "persists", fields) }
    };
    let facts = [
        at(0, "autostart", &[("value_path", RUN), ("command", "a.exe")]),
        at(1, "autostart", &[("value_path", SETHC), ("command", "cmd.exe")]),
        at(2, "autostart", &[("value_path", RUN), ("command", "b.exe")]),
        at(3, "os_version", &[("key_path", "x")]),
    ];
    let mut history = History::opened("T");
    history.assigned(1, "a").asked(1, 1).invoked(1, 0);
    for (ordinal, fact) in (0..).zip(&facts) {
        history.claimed(1, ordinal, 1, reading("persists", &["v"], None));
        history.accepted(1, ordinal, fact.clone());
    }
    history.phenomenon(1, 0, &[facts[0].id, facts[1].id], "persistence").phenomenon(1, 1, &[facts[3].id], "");
    let run = fold(history.events()).unwrap();
    let attack = Attack::shipped().unwrap();
    let told: Vec<_> = attack_fits(&attack, &run)
        .into_iter()
        .map(|fit| (fit.technique.id.to_string(), fit.phenomena.len(), fit.facts))
        .collect();
    let expected = [
        ("T1546.008".to_owned(), 1, vec![facts[1].id]),
        ("T1546.012".to_owned(), 1, vec![facts[1].id]),
        ("T1547.001".to_owned(), 1, vec![facts[0].id, facts[2].id]),
    ];
    assert_eq!(told, expected);
    let phenomena = &run.tasks.values().next().unwrap().phenomena;
    assert_eq!(techniques_of(&attack, &run, &phenomena[0]).len(), 3);
    assert!(techniques_of(&attack, &run, &phenomena[1]).is_empty());
}
