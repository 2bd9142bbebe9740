//! Tests of the host and account columns, of lists, and of the time of what a fact says.

use detect::Attack;
use graph::Run;
use ledger::{AssumedZone, BoundValue, ByteSpan, Clock, FactEntry, FieldValue, Precision, Tier, Time, Utc};
use serde_json::Value;
use std::collections::BTreeMap;
use testkit::history::{self, History};

fn bound(field: &str, value: FieldValue) -> BoundValue {
    BoundValue {
        field: field.into(),
        value,
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(10, 4),
        at: None,
        writer: None,
    }
}

fn text(field: &str, value: &str) -> BoundValue {
    bound(field, FieldValue::Text(value.into()))
}

fn time(field: &str, zone: Option<AssumedZone>, clock: Clock) -> BoundValue {
    let utc: Utc = "2024-03-01T12:00:02Z".parse().unwrap();
    let time = Time { utc: Some(utc), raw: "r".into(), clock, precision: Precision::Second, zone };
    bound(field, FieldValue::Time(time))
}

/// Builds a run with these facts, each about a record of this type.
fn run(facts: Vec<(&str, Vec<BoundValue>)>) -> Run {
    let mut log = History::opened("T");
    log.assigned(1, "registry").asked(1, 1).invoked(1, 0);
    for (at, (kind, values)) in (0..).zip(facts) {
        log.claimed(1, at, 1, history::reading("configured", &[], None));
        let fact = history::fact(1, at, "subject", &[]);
        log.accepted(1, at, FactEntry { kind: kind.into(), values, ..fact });
    }
    graph::fold(log.events()).unwrap()
}

fn rows(run: &Run) -> Vec<BTreeMap<String, String>> {
    let mut out = Vec::new();
    exchange::facts_csv(run, &Attack::shipped().unwrap(), &mut out).unwrap();
    csv::Reader::from_reader(out.as_slice()).deserialize().map(Result::unwrap).collect()
}

/// Returns the observations of a bundle, in the order of facts.
fn observed(run: &Run) -> Vec<Value> {
    let mut out = Vec::new();
    exchange::stix(run, &Attack::shipped().unwrap(), &mut out).unwrap();
    let bundle: Value = serde_json::from_slice(&out).unwrap();
    let objects = bundle["objects"].as_array().unwrap().iter();
    objects.filter(|object| object["type"] == "observed-data").cloned().collect()
}

#[test]
fn the_account_of_a_fact_is_the_first_that_its_record_type_is_asked_for() {
    let run = run(vec![
        ("logon", vec![text("sid", "S-1-5-21-1"), text("account", "mara")]),
        ("logon", vec![text("by_account", "admin"), text("account", "-")]),
        ("logon", vec![text("sid", "S-1-5-21-1")]),
        ("user_account", vec![text("sid", "S-1-5-21-1"), text("name", "it-admin")]),
        ("run_key_entry", vec![text("name", "Updater")]),
    ]);
    let accounts: Vec<String> =
        rows(&run).into_iter().map(|mut row| row.remove("account").unwrap()).collect();
    assert_eq!(accounts, ["mara", "admin", "S-1-5-21-1", "it-admin", ""]);
}

#[test]
fn a_host_is_what_facts_call_it_and_else_the_label_of_its_evidence() {
    let label = |run: &Run| run.facts().next().unwrap().1.fact.locator.evidence.clone();
    let hosts = |run: &Run| -> Vec<String> {
        rows(run).into_iter().map(|mut row| row.remove("host").unwrap()).collect()
    };
    let named = |name: &'static str| ("computer_name", vec![text("name", name)]);
    let unnamed = run(vec![("run_key_entry", vec![])]);
    assert_eq!(hosts(&unnamed), [label(&unnamed)]);
    let once = run(vec![named("ALDER-07"), ("run_key_entry", vec![]), named("ALDER-07")]);
    let in_case = once.opened.case.evidence.iter().any(|evidence| evidence.label == label(&once));
    let expected = if in_case { "ALDER-07".to_owned() } else { label(&once) };
    assert_eq!(hosts(&once), vec![expected; 3]);
    let twice = run(vec![named("ALDER-07"), named("OLD-NAME")]);
    assert_eq!(hosts(&twice), [label(&twice), label(&twice)]);
}

#[test]
fn a_list_is_said_once_and_is_a_list() {
    let names = || bound("names", FieldValue::List(vec!["a;b".into(), "c".into()]));
    let run = run(vec![("hosts_entry", vec![names(), names(), time("time", None, Clock::Host)])]);
    let fact = &run.facts().next().unwrap().1.fact;
    assert_eq!(graph::fact_title(fact).matches("names = ").count(), 1, "{}", graph::fact_title(fact));
    assert_eq!(graph::fact_title_as_told(fact).matches("names = ").count(), 2);
    assert_eq!(rows(&run)[0]["values"].matches("names=").count(), 1, "{}", rows(&run)[0]["values"]);
    let attack = Attack::shipped().unwrap();
    let mut out = Vec::new();
    exchange::timesketch(&run, &attack, &mut out).unwrap();
    let line: Value = serde_json::from_slice(&out).unwrap();
    assert!(
        line["value_names"] == serde_json::json!(["a;b", "c"])
            || line["other_values"].as_str().is_some_and(|told| told.matches("names=").count() == 1),
        "{line}"
    );
    let mut out = Vec::new();
    exchange::stix(&run, &attack, &mut out).unwrap();
    let bundle = String::from_utf8(out).unwrap();
    assert!(bundle.contains(r"names = a;b\nnames = c\n"), "{bundle}");
}

#[test]
fn an_observation_is_of_when_it_happened_and_says_where_that_is_not_known() {
    let run = run(vec![
        ("logon", vec![time("time", None, Clock::Host)]),
        ("logon", vec![time("time", Some(AssumedZone::Utc), Clock::Host)]),
        ("logon", vec![time("time", None, Clock::CollectionCopy)]),
        ("logon", vec![time("expires", None, Clock::Host)]),
        ("logon", vec![]),
        ("autostart", vec![time("key_last_written", None, Clock::Host)]),
    ]);
    let told: Vec<[String; 3]> = observed(&run)
        .iter()
        .map(|it| {
            [&it["first_observed"], &it["last_observed"], &it["labels"][0]]
                .map(|it| it.as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(told.len(), 6);
    assert_eq!(
        told[5],
        ["2024-03-01T12:00:02Z", "2024-03-01T12:00:02Z", "observed-when-its-key-was-written"]
    );
    assert_eq!(told[0], ["2024-03-01T12:00:02Z", "2024-03-01T12:00:02Z", "observed-when-it-happened"]);
    assert_eq!(told[1], ["2024-02-29T22:00:02Z", "2024-03-02T00:00:02Z", "observed-by-local-time"]);
    for undated in &told[2..5] {
        assert_eq!(undated[2], "observed-when-read");
        assert!(!undated[0].starts_with("2024-03-01"), "{undated:?}");
    }
}

#[test]
fn a_keys_last_write_is_not_told_as_the_event_of_what_it_holds() {
    let run = run(vec![
        ("autostart", vec![text("command", "a.exe"), time("key_last_written", None, Clock::Host)]),
        ("registry_key", vec![time("last_written", None, Clock::Host)]),
    ]);
    let mut out = Vec::new();
    exchange::timesketch(&run, &Attack::shipped().unwrap(), &mut out).unwrap();
    let lines: Vec<Value> = out
        .split(|byte| *byte == b'\n')
        .filter(|it| !it.is_empty())
        .map(|it| serde_json::from_slice(it).unwrap())
        .collect();
    let messages: Vec<&str> = lines.iter().map(|line| line["message"].as_str().unwrap()).collect();
    assert!(
        messages[0].starts_with("what holds this was last written, this then or before: configured subject"),
        "{messages:?}"
    );
    assert!(messages[1].starts_with("configured subject"), "{messages:?}");
}
