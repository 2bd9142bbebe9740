//! Tests of following a run that another process records.

use crate::client::Opened;
use crate::made::{Made, name};
use ledger::RejectionCode;
use serde_json::Value;
use store::{Durability, Writer};
use testkit::history;

fn news(opened: &Opened, from: u64) -> Value {
    serde_json::from_str(&opened.page(&format!("/run/{}/news?from={from}", name(1)))).unwrap()
}

fn texts(news: &Value) -> Vec<String> {
    let lines = news["lines"].as_array().unwrap().iter();
    lines
        .map(|line| format!("{}: {}", line["kind"].as_str().unwrap(), line["text"].as_str().unwrap()))
        .collect()
}

#[test]
fn what_is_added_is_told_and_nothing_twice() {
    let runs = tempfile::tempdir().unwrap();
    let mut made = Made::by("registry");
    let output = made.called(0, &["one"]);
    let fact = made.found(0, &output, 0);
    made.history.claimed(1, 1, 1, history::reading("present", &["x"], None));
    made.history.refused(1, 1, RejectionCode::ValueAbsent);
    let entries = made.entries();
    let writer = Writer::create(&runs.path().join(name(1))).unwrap();
    writer.append(entries[..3].to_vec(), Durability::Buffered).unwrap();
    let opened = Opened::over(runs.path());
    let first = news(&opened, 0);
    assert_eq!(first["next"], 3);
    assert_eq!((&first["sealed"], &first["more"]), (&Value::Bool(false), &Value::Bool(false)));
    assert_eq!(texts(&first).last().unwrap(), "step: turn 1");
    assert_eq!(texts(&news(&opened, 3)), [] as [&str; 0]);
    writer.append(entries[3..].to_vec(), Durability::Buffered).unwrap();
    let second = news(&opened, 3);
    assert_eq!(second["next"], entries.len() as u64);
    let told = texts(&second);
    let inv = history::invocation(1, 0);
    assert_eq!(told[0], "call: search_text {\"path\":\"notes\"}");
    assert_eq!(told[1], format!("call: {inv} returned 1 record"));
    assert!(told.contains(&format!("recorded: {} configured one", fact.id)), "{told:?}");
    assert!(told.last().unwrap().ends_with("value_absent: it does not stand there"), "{told:?}");
    assert_eq!(second["lines"][0]["who"], "registry (task-1)");
    assert_eq!(second["lines"][0]["link"], format!("/run/{}/inv/{inv}", name(1)));
    // A page that is opened later shows all of it, and says where to continue.
    let page = opened.page(&format!("/run/{}/follow", name(1)));
    assert!(
        page.contains(&format!("data-next=\"{}\"", entries.len())) && page.contains("data-news"),
        "{page}"
    );
    assert!(page.contains("value_absent") && page.contains("http-equiv=\"refresh\""), "{page}");
}

#[test]
fn pages_of_a_run_show_what_came_since() {
    let runs = tempfile::tempdir().unwrap();
    let mut made = Made::by("registry");
    let output = made.called(0, &["one", "two"]);
    made.found(0, &output, 0);
    let before = made.entries().len();
    made.found(1, &output, 1);
    let entries = made.entries();
    let writer = Writer::create(&runs.path().join(name(1))).unwrap();
    writer.append(entries[..before].to_vec(), Durability::Buffered).unwrap();
    let opened = Opened::over(runs.path());
    let address = format!("/run/{}/facts", name(1));
    let facts = || opened.page(&address).matches("class=\"item\"").count();
    assert_eq!(facts(), 1);
    writer.append(entries[before..].to_vec(), Durability::Buffered).unwrap();
    assert_eq!(facts(), 2);
}

#[test]
fn a_long_log_is_told_in_parts() {
    let runs = tempfile::tempdir().unwrap();
    let mut made = Made::by("registry");
    (0..300).for_each(|ordinal| drop(made.called(ordinal, &["x"])));
    made.write(runs.path(), &name(1));
    let opened = Opened::over(runs.path());
    let first = news(&opened, 0);
    assert_eq!((&first["more"], &first["next"]), (&Value::Bool(true), &400.into()));
    let second = news(&opened, 400);
    assert_eq!((&second["more"], &second["next"]), (&Value::Bool(false), &603.into()));
    let page = opened.page(&format!("/run/{}/follow?from=0", name(1)));
    assert!(page.contains("rel=\"next\"") && !page.contains("data-news"), "{page}");
}
