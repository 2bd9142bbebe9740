//! Tests of what a report says about all tasks together.

use crate::lead;

use ledger::event::{ObjectiveResult, SeenRecord, TaskEnded, TaskStatus, WithoutFact};
use ledger::{Condition, NodeId, Objective, Outcome, Predicate, Time, Weight};
use serde_json::json;
use testkit::history::{History, fact, invocation, reading};

#[test]
fn a_note_stands_apart_in_every_format_and_is_in_no_other_place_of_it() {
    let words = "the owner was seen at 2024-03-01T12:00:05Z with ALDER-07";
    let stated = fact(1, 0, "k", &[("data", "d")]);
    let mut history = History::opened("T");
    history.assigned(1, "a").invoked(1, 0).claimed(1, 0, 1, reading("configured", &["d"], None));
    history.accepted(1, 0, stated.clone()).phenomenon(1, 0, &[stated.id], "");
    lead::notes(&mut history, words);
    let run = graph::fold(history.events()).unwrap();
    assert!(graph::narrative(&run).is_empty());
    assert_eq!((run.facts().count(), run.graph.carried_by(stated.id).len()), (1, 1));
    let json = report::json(&run);
    let note =
        json!({"task": "task-1", "agent": "a", "turn": 1, "text": words, "chapter": null, "checked": false});
    assert_eq!(json["notes"], json!([note]));
    assert_eq!(json.to_string().matches("ALDER-07").count(), 1);
    let markdown = report::markdown(&run);
    let (_, after) = markdown.split_once("## Agents' notes (not checked)").unwrap();
    assert!(after.split("\n## ").next().unwrap().contains(words), "{markdown}");
    assert_eq!(markdown.matches("ALDER-07").count(), 1);
    let facts = report::facts(&run);
    let (_, after) = facts.split_once("Agents' notes (not checked)").unwrap();
    assert!(after.contains(words) && facts.matches("ALDER-07").count() == 1, "{facts}");
    assert!(!report::answers(&run).contains("ALDER-07"));
}

fn objective(id: &str, weight: Weight) -> Objective {
    let condition = Condition {
        predicate: Predicate("configured".into()),
        record: "r".into(),
        subject: "*".into(),
        field: "k".into(),
        value: None,
        unless: None,
        earlier: None,
    };
    let question = format!("Q {id}?");
    let searched = json!([{"tool": "find_files", "arguments": {"key": "Run"}}]);
    let searched = if id == "a" { serde_json::from_value(searched).unwrap() } else { vec![] };
    Objective { id: id.into(), question, applies: None, weight, searched, condition, or: Vec::new() }
}

/// Builds a run whose agent was asked five questions, none of which a fact answers.
fn answered() -> graph::Run {
    let weights = [Weight::Activity, Weight::Activity, Weight::Activity, Weight::Finding, Weight::Activity];
    let mut objectives: Vec<_> =
        ["a", "b", "c", "d", "e"].into_iter().zip(weights).map(|(id, w)| objective(id, w)).collect();
    let sources = serde_json::json!([{"tool": "list_hives", "sources": {"needed": "the file NTUSER.DAT"}}]);
    objectives[1].searched = serde_json::from_value(sources).unwrap();
    let without = [
        Some(WithoutFact::Empty { searches: vec![invocation(1, 0)], lacking: Vec::new() }),
        Some(WithoutFact::NotDeterminable {
            needed: vec!["the file NTUSER.DAT".into(), "p1/NTUSER.DAT: permission denied".into()],
        }),
        Some(WithoutFact::Partly {
            calls: vec![invocation(1, 0)],
            missing: vec!["find_files name=x".into()],
        }),
        Some(WithoutFact::NotAsked),
        Some(WithoutFact::Seen {
            records: vec![SeenRecord { invocation: invocation(1, 1), record: ledger::RecordId(0) }],
            number: 3,
        }),
    ];
    let results = objectives.iter().zip(without).map(|(objective, without)| ObjectiveResult {
        id: objective.id.clone(),
        facts: vec![],
        watched: false,
        without,
    });
    let results = results.collect();
    let mut history = History::opened("T").behaving(&ledger::Behaviour::ALL);
    history.assigned_with(1, "files", "m", objectives);
    history.invoked_as(1, 0, "find_files", |end| {
        (end.outcome, end.output, end.records) = (Outcome::Empty, None, 0)
    });
    history.invoked(1, 1);
    let status = TaskStatus::Incomplete;
    history.ended(
        1,
        TaskEnded {
            status,
            spent: None,
            objectives: results,
            own: vec![],
            turns: 0,
            facts: 0,
            rejections: 0,
        },
    );
    graph::fold(history.events()).unwrap()
}

#[test]
fn an_objective_without_a_fact_is_answered_by_how_it_stands() {
    let run = answered();
    let page = report::markdown(&run);
    for line in [
        &format!("| Q a? | searched, nothing found (`{}`) |", invocation(1, 0)),
        "| Q b? | cannot be answered: `needs the file NTUSER.DAT; could not read p1/NTUSER.DAT: permission denied` |",
        "| Q c? | partly searched: `not searched or not read: find_files name=x` |",
        "| Q d? | not asked |",
        &format!("| Q e? | seen, not recorded: `record r0 of {} and 2 more` |", invocation(1, 1)),
        "Limits: 1 question cannot be answered, 3 open questions, 0 gaps, 0 incomplete calls, 2 checks not made.",
        "- Needs the file NTUSER.DAT:\n  - Q b? (files)",
        "- Open (partly searched): Q c? (files)",
        "- Open (not asked): Q d? (files)",
        "The run does not list the questions of its case",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    let table = report::answers(&run);
    for line in [
        "searched, nothing found Q a?",
        "cannot be answered      Q b?",
        "needs the file NTUSER.DAT",
        "could not read p1/NTUSER.DAT: permission denied",
        "partly searched         Q c?",
        "not asked               Q d?",
        "seen, not recorded      Q e?",
    ] {
        assert!(table.contains(line), "{line}\n{table}");
    }
    let json = report::json(&run);
    let words: Vec<_> =
        json["answers"].as_array().unwrap().iter().map(|it| it["answer"].as_str().unwrap()).collect();
    assert_eq!(words, ["empty", "not_determinable", "partly", "not_asked", "seen"]);
    assert_eq!(json["answers"][1]["needed"][0], "the file NTUSER.DAT");
}

/// Builds a run with a lead that states three sentences, the earliest last.
fn led() -> graph::Run {
    let stated = fact(1, 0, "k", &[("data", "v")]);
    let mut history = History::opened("T");
    history.assigned(1, "lead").invoked(1, 0).claimed(1, 0, 1, reading("configured", &["v"], None));
    history.accepted(1, 0, stated.clone());
    let other = lead::hands_out(&mut history, "registry");
    let at = |tick: u64| Some(Time::from_filetime(133_000_000_000_000_000 + tick));
    let (own, handed) = (NodeId::Fact(stated.id), NodeId::Fact(other.id));
    lead::tells(&mut history, 1, "undated", &[own], None);
    lead::tells(&mut history, 2, "later", &[own, handed], at(20));
    lead::tells(&mut history, 3, "earlier", &[handed], at(10));
    lead::tells(&mut history, 4, "earlier", &[handed], at(10));
    lead::weighs(&mut history, "it was so", handed);
    graph::fold(history.events()).unwrap()
}

#[test]
fn sentences_of_an_earlier_version_stand_apart_without_a_time() {
    let run = led();
    let page = report::markdown(&run);
    assert!(!page.contains("## What happened"));
    let readings = page.split_once("## What an agent made of it\n").unwrap().1.split("\n## ").next().unwrap();
    let places: Vec<_> =
        ["`earlier`", "`later`", "`undated`"].map(|text| readings.find(text).unwrap()).to_vec();
    assert!(places.is_sorted(), "{readings}");
    assert_eq!(readings.matches("`earlier`").count(), 1, "told twice, it stands once");
    assert!(readings.contains("_the agent's reading, not checked_"));
    assert!(!readings.contains("2022-") && !readings.contains("(`time`)"), "{readings}");
    let other = fact(2, 0, "registry", &[("k", "registry")]);
    assert!(readings.contains(&format!("  - `{}`: `{}`", other.id, graph::fact_title(&other))), "{readings}");
    let json = report::json(&run);
    assert_eq!(json["narrative"][0]["text"], "earlier");
    assert_eq!(json["narrative"][1]["cites"][1]["id"], other.id.to_string());
    assert!(report::facts(&run).contains("an agent's words: later"));
}

/// Builds a run whose lead states its own fact twice, with comments, and then an earlier one that was handed over.
fn telling() -> (graph::Run, ledger::FactEntry, ledger::FactEntry) {
    let stated = fact(1, 0, "k", &[("data", "v7")]);
    let mut history = History::opened("T").behaving(&ledger::Behaviour::ALL);
    history.assigned(1, "lead").invoked(1, 0).claimed(1, 0, 1, reading("configured", &["v"], None));
    history.accepted(1, 0, stated.clone());
    let other = lead::hands_out(&mut history, "registry");
    let at = |tick: u64| Some(Time::from_filetime(133_000_000_000_000_000 + tick));
    lead::states(&mut history, 1, NodeId::Fact(stated.id), Some("“v7” ist ein Name, “v8” nicht"), at(20));
    lead::states(&mut history, 2, NodeId::Fact(other.id), None, at(10));
    lead::states(&mut history, 3, NodeId::Fact(stated.id), Some("zweitens"), at(20));
    (graph::fold(of_two_hosts(&history)).unwrap(), stated, other)
}

#[test]
fn what_is_told_stands_once_in_words_of_code_with_comments_apart() {
    let (mut run, stated, other) = telling();
    let json = report::json(&run);
    let story = json["story"].as_array().unwrap();
    let nodes: Vec<_> = story.iter().map(|it| it["node"].as_str().unwrap()).collect();
    assert_eq!(nodes, [other.id.to_string(), stated.id.to_string()]);
    let said = phrases::fact(phrases::Language::English, &stated, phrases::Choice::Usual).text();
    assert_eq!(story[1]["text"], said);
    let comments = &story[1]["comments"];
    assert_eq!(comments.as_array().unwrap().len(), 2);
    let values = json!([{"text": "v7", "stands": true}, {"text": "v8", "stands": false}]);
    let found = comments[0]["values"].as_array().unwrap().iter().map(|value| {
        json!({"text": value["text"].as_str().unwrap().trim_matches(['“', '”']), "stands": value["stands"]})
    });
    assert_eq!(json!(found.collect::<Vec<_>>()), values);
    let page = report::markdown(&run);
    let told = page.split_once("## What happened\n").unwrap().1.split("\n## ").next().unwrap();
    assert!(told.contains("_the agent's reading, not checked_ (lead, task-1): `zweitens`"), "{told}");
    assert!(told.contains(&format!("`{said}`")), "{told}");
    run.leave_out_comments();
    for text in [report::markdown(&run), report::json_text(&report::json(&run)), report::facts(&run)] {
        assert!(!text.contains("zweitens") && !text.contains("v8"), "{text}");
    }
}

#[test]
fn a_sentence_that_denies_what_the_sweep_found_is_marked_in_every_format() {
    let mut history = History::opened("T");
    let stated = fact(1, 0, "k", &[("data", "v")]);
    history.assigned(1, "lead").invoked(1, 0).claimed(1, 0, 1, reading("configured", &["v"], None));
    history.accepted(1, 0, stated.clone());
    lead::tells(&mut history, 1, "Nothing was executed", &[NodeId::Fact(stated.id)], None);
    lead::tells(&mut history, 2, "Something was configured", &[NodeId::Fact(stated.id)], None);
    let mut found = fact(3, 0, "calc.exe", &[("data", "v")]);
    found.predicate = Predicate("executed".into());
    let mut swept = ledger::event::TaskAssigned::new(
        ledger::TaskId(3),
        ledger::AgentSpec {
            name: ledger::SWEEP.into(),
            prompt: String::new(),
            surface: Default::default(),
            tools: None,
            objectives: vec![],
        },
        "sweep",
    );
    swept.sweep = true;
    history.push(ledger::Stream::Run, ledger::Event::TaskAssigned(swept));
    history.invoked(3, 0).claimed(3, 0, 1, reading("executed", &["v"], None));
    history.accepted(3, 0, found.clone());
    let run = graph::fold(history.events()).unwrap();
    let said = format!("the sweep contradicts this: {}", found.id);
    let table = report::answers(&run);
    assert_eq!(table.matches(&said).count(), 1, "{table}");
    let page = report::markdown(&run);
    assert_eq!(page.matches("**the sweep contradicts this**").count(), 1, "{page}");
    let json = report::json(&run);
    let by = |place: usize| json["narrative"][place]["contradicted_by"].clone();
    assert_eq!((by(0), by(1)), (json!([found.id]), json!([])));
}

/// Builds a run that tells of 09:59 UTC, of 12:00 local time, and of 10:01 UTC; a fact sets the zone of a host this many minutes from UTC.
fn of_local_time(zone_of: &str, bias: i128, active: i128) -> (graph::Run, ledger::FactId) {
    let minutes = |field: &str, number: i128| ledger::BoundValue {
        value: ledger::FieldValue::Integer(number),
        ..fact(1, 0, "", &[(field, "")]).values.remove(0)
    };
    let mut zone = fact(1, 0, "TimeZoneInformation", &[]);
    (zone.kind, zone.locator.evidence) = ("time_zone".into(), zone_of.into());
    zone.values = vec![minutes("bias", bias), minutes("active_bias", active)];
    let noon = Time { zone: Some(ledger::AssumedZone::Utc), ..time("2024-03-01T12:00:00Z") };
    let mut history = History::opened("T").behaving(&ledger::Behaviour::ALL);
    history.assigned(1, "lead").invoked(1, 0);
    history.claimed(1, 0, 1, reading("configured", &["v"], None)).accepted(1, 0, zone.clone());
    let times = [time("2024-03-01T10:01:00Z"), noon, time("2024-03-01T09:59:00Z")];
    for (number, (name, time)) in (1..).zip(["after", "local", "before"].into_iter().zip(times)) {
        let mut task = fact(1, number, name, &[]);
        let value = ledger::FieldValue::Time(time.clone());
        task.values = vec![ledger::BoundValue { value, ..minutes("time", 0) }];
        history.claimed(1, number, 1, reading("configured", &["v"], None)).accepted(1, number, task.clone());
        lead::states(&mut history, number + 9, NodeId::Fact(task.id), None, Some(time));
    }
    (graph::fold(of_two_hosts(&history)).unwrap(), zone.id)
}

fn time(text: &str) -> Time {
    let utc: ledger::Utc = text.parse().unwrap();
    Time { utc: Some(utc), raw: text.into(), ..Time::from_filetime(0) }
}

#[test]
fn a_local_time_stands_where_the_zone_of_its_own_host_puts_it() {
    let order = |zone_of, bias, active| {
        let (run, _) = of_local_time(zone_of, bias, active);
        let told = graph::story(&run).into_iter().map(|it| match it.node {
            NodeId::Fact(id) => run.fact(id).unwrap().subject.value.to_text().into_owned(),
            other => other.to_string(),
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(order("host", -60, -120), ["before", "local", "after"]);
    assert_eq!(order("host", -60, -60), ["before", "after", "local"], "by the offset that was last in force");
    assert_eq!(order("host", -180, -180), ["local", "before", "after"]);
    assert_eq!(
        order("another", -180, -180),
        ["before", "after", "local"],
        "the zone of another host says nothing"
    );
    assert_eq!(order("host", -9000, -180), ["before", "after", "local"], "there is no such zone");
    let (run, zone) = of_local_time("host", -60, -120);
    let told = &report::json(&run)["story"][1];
    assert_eq!(told["between"], json!(["2024-03-01T10:00:00Z", "2024-03-01T11:00:00Z"]));
    assert_eq!(told["zone"], zone.to_string());
    let between = "between 2024-03-01T10:00:00Z and 2024-03-01T11:00:00Z by the";
    assert!(report::markdown(&run).contains(&format!("{between} host's zone, `{zone}`")));
}

/// Builds the same run, with a fact about a clock that was set back across the time `before`.
fn of_a_step(host: &str, after: &str) -> graph::Run {
    let bound = |field: &str, text: &str| ledger::BoundValue {
        value: ledger::FieldValue::Time(time(text)),
        ..fact(1, 0, "", &[(field, "")]).values.remove(0)
    };
    let mut step = fact(1, 0, "Security.evtx", &[]);
    (step.kind, step.locator.evidence) = ("clock_step".into(), "host".into());
    step.values = vec![bound("after", after), bound("before", "2024-03-01T10:00:00Z")];
    let mut seen = fact(1, 1, "task", &[]);
    seen.locator.evidence = host.into();
    seen.values = vec![bound("time", "2024-03-01T09:59:00Z")];
    let mut history = History::opened("T");
    history.assigned(1, "lead").invoked(1, 0);
    history.claimed(1, 0, 1, reading("configured", &["v"], None)).accepted(1, 0, step.clone());
    history.claimed(1, 1, 1, reading("configured", &["v"], None)).accepted(1, 1, seen.clone());
    lead::states(&mut history, 2, NodeId::Fact(seen.id), None, Some(time("2024-03-01T09:59:00Z")));
    graph::fold(of_two_hosts(&history)).unwrap()
}

#[test]
fn a_statement_of_a_time_that_stood_twice_says_so() {
    let page = |host, after| report::markdown(&of_a_step(host, after));
    assert!(page("host", "2024-03-01T09:00:00Z").contains("order not certain"));
    assert!(!page("host", "2024-03-01T09:59:30Z").contains("order not certain"), "half a minute is no step");
    assert!(
        !page("another", "2024-03-01T09:00:00Z").contains("order not certain"),
        "the clock of another host"
    );
}

/// Returns the events of a history whose case has a second piece of evidence.
fn of_two_hosts(history: &History) -> Vec<(ledger::Stream, ledger::Event, ledger::chain::Circumstance)> {
    let mut events = history.events();
    if let Some((_, ledger::Event::RunOpened(opened), _)) = events.first_mut() {
        let another = ledger::EvidenceEntry { label: "another".into(), ..opened.case.evidence[0].clone() };
        opened.case.evidence.push(another);
    }
    events
}

#[test]
fn what_was_searched_in_vain_says_how_far_its_logs_go() {
    let mut asked = objective("a", Weight::Finding);
    let listing = |channel: &str| {
        let sources = json!({"when": {"channel": [channel]}, "needed": "the log"});
        serde_json::from_value(json!([{"tool": "list_event_channels", "sources": sources}, {"tool": "find_files", "arguments": {"key": "Run"}}])).unwrap()
    };
    asked.searched = listing("Secur*");
    let page = |asked: &Objective| {
        let mut log = fact(1, 0, "Logs/Security.evtx", &[("channel", "Security")]);
        (log.kind, log.locator.path) = ("event_log".into(), "Logs/Security.evtx".into());
        for (field, text) in [("first", "2024-03-01T09:00:00Z"), ("last", "2024-03-02T09:00:00Z")] {
            let value = ledger::FieldValue::Time(time(text));
            log.values.push(ledger::BoundValue { value, field: field.into(), ..log.values[0].clone() });
        }
        let mut history = History::opened("T").behaving(&ledger::Behaviour::ALL);
        history.assigned_with(1, "eventlog", "m", vec![asked.clone()]).invoked(1, 0);
        history.claimed(1, 0, 1, reading("configured", &["v"], None)).accepted(1, 0, log);
        history.invoked_as(1, 1, "find_files", |end| {
            (end.outcome, end.output, end.records) = (Outcome::Empty, None, 0);
        });
        let without = Some(WithoutFact::Empty { searches: vec![invocation(1, 1)], lacking: Vec::new() });
        let result = ObjectiveResult { id: "a".into(), facts: vec![], watched: false, without };
        let (status, objectives) = (TaskStatus::Completed, vec![result]);
        history.ended(
            1,
            TaskEnded { status, spent: None, objectives, own: vec![], turns: 0, facts: 1, rejections: 0 },
        );
        report::markdown(&graph::fold(history.events()).unwrap())
    };
    let told = "host:Security.evtx covers 2024-03-01T09:00:00.0000000Z to 2024-03-02T09:00:00.0000000Z";
    assert!(page(&asked).contains(told), "{}", page(&asked));
    asked.searched = listing("System");
    assert!(!page(&asked).contains(told), "another log");
}

#[test]
fn a_hypothesis_names_what_speaks_for_it_whoever_recorded_that() {
    let page = report::markdown(&led());
    let other = fact(2, 0, "registry", &[("k", "registry")]);
    assert!(
        page.contains(
            "- `it was so`: supported; none for it, none against it; 1 ordinary or low, not counted"
        ),
        "{page}"
    );
    assert!(
        page.contains(&format!("  - not counted: `{}` (`{}`)", graph::fact_title(&other), other.id)),
        "{page}"
    );
}

#[test]
fn a_run_with_a_lead_tells_who_was_handed_what_and_what_became_of_it() {
    let run = led();
    let page = report::markdown(&run);
    let row = "| 3 | task-2 | `registry` | task-1 | `registry` | `registry` (not found), `art-00000001` (shown) | open questions remain | **no** |";
    assert!(page.contains(row), "{page}");
    assert!(
        page.contains(
            "| task-2 | `registry` | 1 | apparent\\_completion | `registry` | `registry` | 4 | `registry` |"
        ),
        "{page}"
    );
    assert!(page.contains("checkpoint of registry: `registry`"), "{page}");
    let json = report::json(&run);
    assert_eq!(json["dispatched"][0]["accepted"], false);
    assert_eq!(json["tasks"][1]["recoveries"][0]["ended"]["facts"], 4);
    assert_eq!(json["tasks"][1]["artifacts"][0]["kind"], "checkpoint");
}

#[test]
fn a_run_without_a_lead_has_none_of_these_sections() {
    let page = report::markdown(&answered());
    for heading in [
        "## What happened",
        "## What an agent made of it",
        "## Assigned tasks",
        "## Recoveries",
        "## Stored texts",
    ] {
        assert!(!page.contains(heading), "{page}");
    }
}
