//! Tests of how the story is arranged: episodes, several facts in one line, and the machine itself at the end.

use crate::lead;
use ledger::{FactEntry, NodeId, Predicate, Time};
use testkit::history::{History, fact, reading};

/// Builds a fact about a record type; its first value is the subject.
fn of(number: u32, kind: &str, predicate: &str, values: &[(&str, &str)]) -> FactEntry {
    let mut made = fact(1, number, "", values);
    (made.kind, made.predicate) = (kind.into(), Predicate(predicate.into()));
    made.subject = made.values[0].clone();
    made.record = ledger::RecordId(number);
    made
}

/// Returns 2022-06-18, this many minutes past 04:26 UTC.
fn at(minutes: u64) -> Option<Time> {
    Some(Time::from_filetime(133_000_000_000_000_000 + minutes * 600_000_000))
}

/// Builds a run that states these facts, each with its time.
fn telling(facts: &[(FactEntry, Option<Time>)]) -> graph::Run {
    let mut history = History::opened("T").behaving(&ledger::Behaviour::ALL);
    history.assigned(1, "lead").invoked(1, 0);
    for (number, (stated, time)) in (0..).zip(facts) {
        history.claimed(1, number, 1, reading(&stated.predicate.0, &["v"], None));
        history.accepted(1, number, stated.clone());
        lead::states(&mut history, 100 + number, NodeId::Fact(stated.id), None, time.clone());
    }
    graph::fold(history.events()).unwrap()
}

fn ran(number: u32, name: &str) -> FactEntry {
    of(number, "prefetch", "executed", &[("program", name)])
}

#[test]
fn what_follows_within_half_an_hour_is_one_episode() {
    let facts: Vec<_> = [0, 10, 35, 70, 71]
        .into_iter()
        .zip(0..)
        .map(|(minutes, number)| {
            // Different types, so no two of them share a line.
            let stated = match number {
                1 => of(number, "browser_download", "downloaded", &[("file", "b.exe")]),
                2 => of(number, "log_cleared", "cleared", &[("cleared", "Security")]),
                _ => ran(number, &format!("P{number}.EXE")),
            };
            (stated, at(minutes))
        })
        .collect();
    let json = report::json(&telling(&facts));
    let episodes: Vec<_> =
        json["story"].as_array().unwrap().iter().map(|it| it["episode"].as_u64()).collect();
    assert_eq!(episodes, [Some(0), Some(0), Some(0), None, None], "two statements make no episode");
    let page = report::markdown(&telling(&facts));
    assert!(page.contains("3 statements, from 2022-06-18T04:26:40Z to 2022-06-18T05:01:40Z"), "{page}");
}

#[test]
fn facts_of_one_kind_stand_in_one_line_that_says_what_all_of_them_state() {
    let typed = |number: u32, command: &str, user: &str| {
        (of(number, "typed_command", "typed", &[("command", command), ("user", user)]), None)
    };
    let facts = [
        typed(0, "whoami", "mara"),
        typed(1, "hostname", "it"),
        typed(2, "net user", "mara"),
        typed(3, "ipconfig", "mara"),
    ];
    let run = telling(&facts);
    let json = report::json(&run);
    let groups: Vec<_> =
        json["story"].as_array().unwrap().iter().map(|it| it["group"]["text"].as_str()).collect();
    let line = Some("The PowerShell history of mara holds these 3 commands:");
    assert_eq!(groups, [line, None, line, line]);
    let answers = report::answers(&run);
    let lines: Vec<&str> =
        answers.lines().filter(|line| line.contains("PowerShell")).map(str::trim).collect();
    assert_eq!(lines.len(), 5, "a line and four statements: {answers}");
    assert_eq!(Some(lines[0]), line);
    for (line, command) in lines[1..].iter().zip(["whoami", "net user", "ipconfig", "hostname"]) {
        assert!(line.contains(command), "{answers}");
    }
    let mut german = telling(&facts);
    german.tell_in(report::Language::German);
    assert!(report::answers(&german).contains("Der PowerShell-Verlauf von mara enthält diese 3 Befehle:"));
}

#[test]
fn what_is_ordinary_on_any_computer_comes_last_under_the_machine_itself() {
    let ordinary = of(
        0,
        "service",
        "persists",
        &[("name", "Spooler"), ("image_path", r"C:\Windows\System32\spoolsv.exe")],
    );
    let run = telling(&[(ordinary, at(0)), (ran(1, "P.EXE"), at(5))]);
    for text in [report::answers(&run), report::markdown(&run)] {
        let text = text.to_lowercase();
        let text = text.split_once("what happened").unwrap().1.split("\n## ").next().unwrap();
        let places = ["p.exe", "the machine itself", "spooler"].map(|it| text.rfind(it).unwrap());
        assert!(places.is_sorted(), "{text}");
    }
}

#[test]
fn an_agent_cannot_put_a_start_of_a_program_among_what_was_removed() {
    let mut history = History::opened("T").behaving(&ledger::Behaviour::ALL);
    history.assigned(1, "lead").invoked(1, 0).claimed(1, 0, 1, reading("executed", &["v"], None));
    let stated = ran(0, "P.EXE");
    history.accepted(1, 0, stated.clone());
    lead::states_in(&mut history, 1, NodeId::Fact(stated.id), ledger::Chapter::Removed);
    let run = graph::fold(history.events()).unwrap();
    assert_eq!(report::json(&run)["story"][0]["chapter"], "ran");
}

#[test]
fn a_value_is_told_in_a_line_of_several_only_where_all_of_them_state_it() {
    let logon = |number: u32, status: &str| {
        let values = [("account", "mara"), ("address", "10.0.0.5"), ("status", status)];
        let mut made = of(number, "logon_failed", "failed_logon", &values);
        let time = at(u64::from(number));
        let value = ledger::FieldValue::Time(time.clone().unwrap());
        made.values.push(ledger::BoundValue { field: "time".into(), value, ..made.values[0].clone() });
        (made, time)
    };
    let facts = [logon(0, "a"), logon(1, "a"), logon(2, "a"), logon(3, "b")];
    let json = report::json(&telling(&facts));
    let text = json["story"][0]["group"]["text"].as_str().unwrap();
    assert!(text.starts_with("These 3 logons as mara failed from 10.0.0.5 (status “a”)"), "{text}");
    assert!(
        text.ends_with(
            "their times lie between 2022-06-18T04:26:40.0000000Z and 2022-06-18T04:28:40.0000000Z:"
        ),
        "{text}"
    );
    assert!(json["story"][3]["group"].is_null(), "another outcome is no part of the line");
}
