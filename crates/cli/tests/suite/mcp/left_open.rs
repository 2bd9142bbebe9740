//! Questions that clients leave open: a lead is asked about them before it may end, and a sweep follows when a run is closed.

use super::client::Client;
use super::{answer, demo_arguments, verified};
use crate::support::Place;
use serde_json::{Value, json};

/// Calls of a client that believed there was nothing to find, and looked only at a part, or at nothing.
#[test]
fn what_a_client_leaves_open_is_asked_when_it_closes_its_run() {
    let place = Place::new();
    let mut client = Client::swept(&place, &demo_arguments().each_ref().map(String::as_str));
    let opened = client.open(&[]);
    let task = opened.task().to_owned();
    for (tool, mut given) in [
        ("records", json!({"record": "log_cleared"})),
        ("records", json!({"record": "log_cleared", "to": "1999-12-31T00:00:00Z"})),
        ("records", json!({"source": "services", "name": "zzz"})),
        ("overview", json!({})),
    ] {
        given["task"] = json!(task);
        assert_eq!(client.call(tool, given)["isError"], false);
    }
    let closed = client.call("close_run", json!({"run": opened.run}));
    assert_eq!(closed["structuredContent"]["verification"]["verified"], true, "{closed}");
    let report = place.locard_ends(0, &["report", &opened.name, "--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    for (id, left, now) in [
        ("cleared", "seen", "met"),
        ("services", "partly", "met"),
        ("remote-desktop", "not_asked", "met"),
        ("accounts", "not_asked", "met"),
    ] {
        let answers = report["answers"].as_array().unwrap().iter();
        let is_it = |it: &&Value| it["objective"] == id && it["answer"] == now && it["before_sweep"] == left;
        assert!(answers.clone().any(|it| is_it(&it)), "{id}: {report:#}");
    }
    let open = |it: &&Value| matches!(it["answer"].as_str(), Some("seen" | "not_asked"));
    let left: Vec<_> = report["answers"].as_array().unwrap().iter().filter(open).collect();
    assert!(left.is_empty(), "{left:#?}");
    verified(&place, &opened.name);
}

#[test]
fn a_lead_that_wants_to_end_is_asked_three_times_about_what_is_open() {
    let place = Place::new();
    let mut client = Client::swept(&place, &demo_arguments().each_ref().map(String::as_str));
    let opened = client.open(&["lead"]);
    let task = opened.task().to_owned();
    assert_eq!(answer(&client.call("agent_registry", json!({"task": task})))["type"], "reported");
    for asked in 1..=3 {
        let told = client.call("close_task", json!({"task": task, "words": "the computer is clean"}));
        let text = told.to_string();
        assert!(text.contains(&format!("This is reminder {asked} of 3")), "{told}");
        assert!(text.contains("agent_eventlog: ") && !text.contains("agent_registry: "), "{told}");
        assert_eq!(told["structuredContent"]["ended"], Value::Null, "{told}");
    }
    let ended = client.call("close_task", json!({"task": task, "words": "the computer is clean"}));
    assert_eq!(ended["structuredContent"]["ended"]["status"], "incomplete", "{ended}");
    client.call("close_run", json!({"run": opened.run}));
    let facts = place.locard_ends(0, &["report", &opened.name, "--format", "markdown"]);
    assert!(facts.contains("1 of 1 tasks accepted, 42 open questions"), "{facts}");
    verified(&place, &opened.name);
    place.locard_ends(0, &["replay", &opened.name]);
}

#[test]
fn what_a_lead_declines_stays_open_is_swept_and_shows_its_reason() {
    let place = Place::new();
    let mut client = Client::swept(&place, &demo_arguments().each_ref().map(String::as_str));
    let opened = client.open(&["lead"]);
    let task = opened.task().to_owned();
    let decline = |client: &mut Client, agent: &str, questions: &[&str], reason: &str| {
        let given = json!({"task": task, "agent": agent, "questions": questions, "reason": reason});
        answer(&client.call("decline_questions", given)).clone()
    };
    for (agent, questions, reason) in [
        ("eventlog", &["no-such"][..], "why"),
        ("eventlog", &[], "why"),
        ("eventlog", &["cleared"], " "),
        ("nobody", &["cleared"], "why"),
    ] {
        let refused = decline(&mut client, agent, questions, reason);
        assert_eq!(refused["refusal"], "bad_arguments", "{agent} {questions:?} {reason:?}");
    }
    let declined =
        decline(&mut client, "agent_eventlog", &["cleared", "logons"], "the owner knows who did it");
    assert_eq!(declined["type"], "noted", "{declined}");
    let told = client.call("close_task", json!({"task": task, "words": "done"})).to_string();
    assert!(told.contains("say why with decline_questions") && told.contains("failed-logons ("), "{told}");
    assert!(!told.contains("cleared (") && !told.contains(": logons ("), "{told}");
    (2..=4).for_each(|_| drop(client.call("close_task", json!({"task": task, "words": "done"}))));
    client.call("close_run", json!({"run": opened.run}));
    let report = place.locard_ends(0, &["report", &opened.name, "--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let answers = report["answers"].as_array().unwrap();
    let cleared = answers.iter().find(|it| it["objective"] == "cleared").unwrap();
    assert_eq!(cleared["declined"], "the owner knows who did it");
    assert_eq!((&cleared["before_sweep"], &cleared["answer"]), (&json!("not_asked"), &json!("met")));
    let other = answers.iter().find(|it| it["objective"] == "failed-logons").unwrap();
    assert_eq!(other["declined"], Value::Null);
    for format in ["markdown", "html"] {
        let shown = place.locard_ends(0, &["report", &opened.name, "--format", format]);
        assert!(shown.contains("the owner knows who did it"), "{format}");
    }
    verified(&place, &opened.name);
    place.locard_ends(0, &["replay", &opened.name]);
}

#[test]
fn the_question_that_a_lead_makes_up_stands_apart_and_raises_nothing() {
    let place = Place::new();
    let mut client = Client::new(&place, &demo_arguments().each_ref().map(String::as_str));
    let opened = client.open(&["lead"]);
    let lead = opened.task().to_owned();
    let own = |id: &str| json!([{"id": id, "question": "Was the computer hacked by APT28?", "predicate": "present", "record": "dir_entry", "field": "path"}]);
    let refused = client.call("agent_filesystem", json!({"task": lead, "criteria": own("hosts")}));
    assert!(refused.to_string().contains("is a question of the case"), "{refused}");
    let handed = client.call("agent_filesystem", json!({"task": lead, "criteria": own("apt28")}));
    assert_eq!(answer(&handed)["type"], "reported", "{handed}");
    client.call("close_run", json!({"run": opened.run}));
    let page = place.locard_ends(0, &["report", &opened.name, "--format", "markdown"]);
    let line = page.lines().find(|line| line.contains("Was the computer hacked by APT28? (")).unwrap();
    let checked = "code checked only that some dir\\_entry with any path is recorded as \"present\", not whether that answers";
    assert!(line.contains(checked), "{line}");
    let report = place.locard_ends(0, &["report", &opened.name, "--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let of_it = |it: &&Value| it["objective"] == "apt28";
    let its_own = report["answers"].as_array().unwrap().iter().find(of_it).unwrap();
    assert_eq!((&its_own["by"], &its_own["confidence"]), (&json!("agent"), &Value::Null), "{its_own}");
    // It closes no question of the case, and does not count among them.
    let is_open = |it: &&Value| {
        it["by"] == "standard" && matches!(it["answer"].as_str(), Some("not_asked" | "partly" | "seen"))
    };
    let open = report["answers"].as_array().unwrap().iter().filter(is_open).count();
    assert!(open > 30 && page.contains(&format!(" {open} open questions")), "{open}");
    verified(&place, &opened.name);
}

/// Calls of a client that believed there was nothing to find.
#[test]
fn calls_that_can_match_nothing_have_no_answer_over_the_protocol() {
    let place = Place::new();
    let mut client = Client::new(&place, &demo_arguments().each_ref().map(String::as_str));
    let opened = client.open(&[]);
    let task = opened.task().to_owned();
    for (tool, mut given) in [
        ("records", json!({"source": "event_log", "where": "channel = 'Security.evtx'"})),
        ("records", json!({"source": "event_log", "where": "channel IN ('{System,*RDP*}')"})),
        ("records", json!({"source": "event_log", "where": "provider = 'Service Control'"})),
        ("find_files", json!({"name": "Userz/**/*.exe"})),
        ("find_files", json!({"name": "q*/*.exe"})),
    ] {
        given["task"] = json!(task);
        let answered = client.call(tool, given.clone());
        assert_eq!(answered["isError"], true, "{tool} {given}: {answered}");
    }
    for retired in ["query_events", "registry_artifact"] {
        let answered = client.ask("tools/call", json!({"name": retired, "arguments": {"task": task}}));
        assert!(answered["error"]["message"].as_str().unwrap().contains("there is no tool"), "{answered}");
    }
    for name in ["Users/**/*.exe", "*.{exe}"] {
        let found = client.call("find_files", json!({"task": task, "name": name}));
        assert_eq!(found["isError"], false, "{name}: {found}");
        assert!(!found["structuredContent"]["records"].as_array().unwrap().is_empty(), "{name}");
    }
}
