//! `tell` for clients that lie: whatever they name, the sentences that code writes contain nothing false.

use super::client::Client;
use super::{answer, demo_arguments, verified};
use crate::support::{Place, str};

use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A word that every lie contains.
const LIE: &str = "Zqx";

/// The facts that a task recorded, each with the fields that it states.
fn recorded(
    client: &mut Client,
    task: &str,
    source: &str,
    predicate: &str,
) -> Vec<(String, BTreeSet<String>)> {
    let listed = client.call("records", json!({"task": task, "source": source, "limit": 12}));
    let invocation = answer(&listed)["invocation"].as_str().unwrap_or_else(|| panic!("{listed}")).to_owned();
    let reading = json!([{"predicate": predicate, "record": format!("{invocation} all")}]);
    let said = client.call("record_phenomenon", json!({"task": task, "readings": reading}));
    let readings = answer(&said)["readings"].as_array().unwrap_or_else(|| panic!("{said}")).clone();
    let accepted = readings.iter().filter(|reading| reading["verdict"] == "accepted");
    accepted
        .map(|reading| {
            let values = reading["values"].as_array().unwrap();
            let fields = values.iter().map(|value| value["field"].as_str().unwrap().to_owned()).collect();
            (reading["fact"].as_str().unwrap().to_owned(), fields)
        })
        .collect()
}

/// Statements that would say something false, all of which must be refused.
fn false_ones(
    own: &[(String, BTreeSet<String>)],
    others: &[(String, BTreeSet<String>)],
    foreign: &[(String, BTreeSet<String>)],
) -> Vec<Value> {
    let mut hostile = Vec::new();
    for (fact, fields) in own.iter().take(12) {
        // Fields of another fact, and values in place of field names.
        for (_, theirs) in others.iter().take(12) {
            let crossed = theirs.difference(fields).next();
            hostile.extend(crossed.map(|field| json!({"node": fact, "fields": [field]})));
        }
        for smuggled in [
            "run_count = 212",
            "by_account: mara",
            "not",
            "never",
            "name\u{0}",
            "",
            "NAME ",
            "run_count ",
            "only",
            "last_run: 2031-01-01T00:00:00Z",
            "executed by it-admin",
            "тело",
            "*",
            "subject, ",
        ] {
            hostile.push(json!({"node": fact, "fields": [format!("{smuggled}{LIE}")]}));
        }
        let invented = fact.replace(|c: char| c.is_ascii_digit(), "0");
        hostile.push(json!({"node": invented}));
        hostile.push(json!({"node": format!("{fact} {LIE}")}));
        hostile.push(json!({"node": fact.to_uppercase()}));
    }
    // Another task's findings were not shared with this one.
    hostile.extend(foreign.iter().map(|(fact, _)| json!({"node": fact, "comment": LIE})));
    for prose in
        ["The Security log was cleared by it-admin", "fact-", "phen-00000000", "der-00000000", "тело"]
    {
        hostile.push(json!({"node": format!("{prose}{LIE}")}));
    }
    hostile
}

#[test]
fn no_false_word_stands_in_what_code_tells_whatever_a_client_names() {
    let place = Place::new();
    let rules = place.file("rules.toml", "[budgets]\nrejected_claims = 1000\n");
    let arguments = demo_arguments();
    let [case, demo] = arguments.each_ref().map(String::as_str);
    let mut client = Client::old(&place, &[case, demo, "--rules", str(&rules)]);
    let opened = client.open(&["execution", "eventlog"]);
    let [task, other] = [0, 1].map(|at| opened.tasks[at].clone());
    let ran = recorded(&mut client, &task, "prefetch", "executed");
    let assisted = recorded(&mut client, &task, "user_assist", "executed");
    let foreign = recorded(&mut client, &other, "services", "configured");
    assert!(!ran.is_empty() && assisted.len() > 4, "{ran:?} {assisted:?}");

    let mut hostile = false_ones(&ran, &assisted, &foreign);
    hostile.extend(false_ones(&assisted, &ran, &foreign));
    assert!(hostile.len() >= 200, "{}", hostile.len());
    for part in hostile.chunks(64) {
        let said = client.call("tell", json!({"task": task, "statements": part}));
        let judged = answer(&said)["statements"].as_array().unwrap_or_else(|| panic!("{said}"));
        assert_eq!(judged.len(), part.len());
        for (one, stated) in judged.iter().zip(part) {
            assert_eq!(one["verdict"], "rejected", "{stated}: {one}");
            let code = one["rejection"]["code"].as_str().unwrap();
            assert!(["unknown_fact", "wrong_field"].contains(&code), "{stated}: {one}");
            assert!(!one["rejection"]["hint"].as_str().unwrap().is_empty(), "{stated}: {one}");
        }
    }
    // Statements have no place for words, times, orders or actors.
    let fact = &ran[0].0;
    for member in ["text", "time", "by", "not", "after", "count_of", "title", "host"] {
        let said = client.call("tell", json!({"task": task, "statements": [{"node": fact, member: LIE}]}));
        assert_eq!(answer(&said)["refusal"], "bad_arguments", "{said}");
    }
    // The agent's own words are shown as its own, and nowhere else.
    let lies = [
        format!("{LIE}: this ran 212 times, at 2031-01-01T00:00:00Z, started by it-admin."),
        format!("Dieses Programm hat nie existiert. {LIE}"),
        format!("</aside><b>{LIE}</b> **{LIE}** `{LIE}`"),
        format!("2031-01-01T00:00:00Z {LIE} was executed"),
    ];
    let commented: Vec<Value> = assisted
        .iter()
        .zip(lies.iter().cycle())
        .map(|((fact, _), lie)| json!({"node": fact, "comment": lie}))
        .collect();
    let said = client.call("tell", json!({"task": task, "statements": commented}));
    assert_eq!(said["isError"], false, "{said}");
    let chapter =
        client.call("tell", json!({"task": task, "statements": [{"node": ran[0].0, "chapter": LIE}]}));
    assert_eq!(answer(&chapter)["statements"][0]["verdict"], "accepted", "{chapter}");
    client.call("close_run", json!({"run": opened.run}));
    verified(&place, &opened.name);

    let report = place.locard_ends(0, &["report", &opened.name, "--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let story = report["story"].as_array().unwrap();
    assert_eq!(story.len(), assisted.len() + 1);
    for statement in story {
        let bare = json!([statement["text"], statement["time"], statement["fields"], statement["chapter"]]);
        assert!(!bare.to_string().contains(LIE) && !bare.to_string().contains("2031"), "{statement}");
    }
    let markdown = place.locard_ends(0, &["report", &opened.name]);
    let told = markdown.split_once("## What happened").unwrap().1.split("\n## ").next().unwrap();
    for line in told.lines().filter(|line| line.contains(LIE)) {
        assert!(line.starts_with("  - _the agent's reading, not checked_ ("), "{line}");
    }
    let bare = place.locard_ends(0, &["report", &opened.name, "--no-comments"]);
    let told = bare.split_once("## What happened").unwrap().1.split("\n## ").next().unwrap();
    assert!(!told.contains(LIE), "{told}");
}
