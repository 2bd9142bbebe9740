//! Selecting facts.

use crate::support::{Place, text};
use serde_json::Value;
use std::collections::BTreeSet;

fn listed(place: &Place, more: &[&str]) -> Vec<Value> {
    let out = place.locard_ends(0, &[&["facts", "latest", "--format", "jsonl"], more].concat());
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The facts that a person would find by going through all of them.
fn by_hand(all: &[Value], fits: impl Fn(&Value) -> bool) -> Vec<Value> {
    all.iter().filter(|it| fits(it)).cloned().collect()
}

#[test]
fn facts_are_chosen_by_what_they_say_where_they_stand_and_how_much_they_stand_out() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let all = listed(&place, &[]);
    let predicate = |it: &Value| it["fact"]["predicate"].as_str().unwrap().to_owned();
    let executed = by_hand(&all, |it| predicate(it) == "executed");
    assert!(!executed.is_empty() && executed.len() < all.len());
    assert_eq!(listed(&place, &["--predicate", "executed"]), executed);
    let two = by_hand(&all, |it| ["executed", "present"].contains(&&*predicate(it)));
    assert_eq!(listed(&place, &["--predicate", "executed", "--predicate", "present"]), two);
    let of_host = by_hand(&all, |it| it["fact"]["locator"]["evidence"] == "alder-fs01");
    assert!(!of_host.is_empty() && of_host.len() < all.len());
    assert_eq!(listed(&place, &["--host", "alder-fs01"]), of_host);
    assert_eq!(
        listed(&place, &["--host", "alder-fs01"]),
        listed(&place, &["--host", of_host[0]["host"].as_str().unwrap()])
    );
    let mara = by_hand(&all, |it| it["account"] == "mara");
    assert!(!mara.is_empty());
    let high = by_hand(&all, |it| ["high", "critical"].contains(&it["level"].as_str().unwrap()));
    assert!(!high.is_empty() && high.len() < all.len());
    assert_eq!(listed(&place, &["--level", "high"]), high);
    let named = listed(&place, &["--text", "SVCHOST.exe"]);
    assert!(!named.is_empty() && named.len() < all.len());
    for it in &named {
        assert!(it["fact"].to_string().to_lowercase().contains("svchost.exe"), "{it}");
    }
    // Several conditions apply together.
    let both = listed(&place, &["--text", "svchost.exe", "--predicate", "executed"]);
    assert_eq!(both, by_hand(&named, |it| predicate(it) == "executed"));
}

#[test]
fn facts_are_chosen_by_the_time_that_dates_them() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let all = listed(&place, &[]);
    let day = listed(&place, &["--since", "2025-09-16", "--until", "2025-09-16"]);
    let instants = |of: &[Value]| -> BTreeSet<String> {
        let times = of.iter().filter_map(|it| it["time"].as_str());
        times.filter(|time| time.ends_with('Z')).map(str::to_owned).collect()
    };
    let expected =
        instants(&by_hand(&all, |it| it["time"].as_str().is_some_and(|time| time.starts_with("2025-09-16"))));
    assert!(expected.len() > 3, "{expected:?}");
    assert_eq!(instants(&day), expected);
    assert!(day.iter().all(|it| it["time"].is_string()), "what no time dates is left out");
    let minute = listed(&place, &["--since", "2025-09-16T09:46:00Z", "--until", "2025-09-16T11:47:00+02:00"]);
    assert!(!minute.is_empty() && minute.len() < day.len());
    let out = place.locard_ends(0, &["facts", "latest", "--since", "2025-09-16"]);
    assert!(out.contains(&format!(" of {} facts\nno time dates ", all.len())), "{out}");
}

#[test]
fn a_choice_is_the_same_in_every_format_and_counts_what_it_is_of() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let all = listed(&place, &[]).len();
    let chosen = listed(&place, &["--predicate", "executed"]);
    let json = place.locard_ends(0, &["facts", "latest", "--predicate", "executed", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["facts"], &json["of"]), (&Value::from(chosen.clone()), &Value::from(all)));
    let text = place.locard_ends(0, &["facts", "latest", "--predicate", "executed"]);
    let heads = text.lines().filter(|line| line.starts_with("fact-")).count();
    assert_eq!(heads, chosen.len());
    assert!(text.contains(&format!("{heads} of {all} facts\n")), "{text}");
    assert_eq!(listed(&place, &["--text", "no such text anywhere"]), [] as [Value; 0]);
}

#[test]
fn a_name_that_the_run_does_not_know_is_answered_with_the_nearest() {
    let place = Place::new();
    place.has_demo_run(&[]);
    for (more, told) in [
        (["--predicate", "exceuted"], ["there is no predicate \"exceuted\"", "did you mean `executed`?"]),
        (["--host", "alder-7"], ["there is no host \"alder-7\"", "did you mean `alder-07`?"]),
        (["--host", "zzz"], ["there is no host \"zzz\"", "there is alder-07, alder-fs01"]),
        (["--since", "2025-09-16T09:00:00"], ["has no zone", "2025-09-16T09:40:00Z"]),
    ] {
        let output = place.locard(&[&["facts", "latest"], &more[..]].concat());
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(told.iter().all(|told| complaint.contains(told)), "{complaint}");
    }
}

#[test]
fn refused_claims_can_be_had_a_line_each() {
    let place = Place::new();
    place.has_demo_run(&["--model", "sloppy:4"]);
    let lines = place.locard_ends(0, &["rejections", "latest", "--format", "jsonl"]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let json = place.locard_ends(0, &["rejections", "latest", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(!lines.is_empty());
    assert_eq!(json["rejections"], Value::from(lines));
}

#[test]
fn a_mistyped_name_is_answered_with_the_one_that_is_meant() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let demo = crate::support::demo_folder();
    let demo = crate::support::str(&demo);
    for (command, nearest) in [
        (&["tool", "list_hive", "--evidence", demo][..], "list_hives"),
        (&["run", demo, "--agent", "registy"], "registry"),
        (&["replay", "latest", "--agent", "registy"], "registry"),
        (&["facts", "latest:dmo"], "latest:demo"),
        (&["facts", "lates"], "latest"),
        (&["run", demo, "--model", "slopy:3"], "sloppy:3"),
        (&["report", "latest", "--redact", "peopel"], "people"),
        (&["rejections", "latest", "--format", "jsno"], "json"),
    ] {
        let output = place.locard(command);
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {complaint}");
        let told = [format!("did you mean `{nearest}`?"), format!("a similar value exists: '{nearest}'")];
        assert!(told.iter().any(|told| complaint.contains(told)), "{command:?}: {complaint}");
    }
    // If nothing is similar, nothing is proposed.
    let complaint = text(&place.locard(&["tool", "zzz", "--evidence", demo]).stderr);
    assert!(!complaint.contains("did you mean"), "{complaint}");
    let complaint = text(&place.locard(&["sql", demo, "usr_assist", "--no-cache"]).stderr);
    assert!(complaint.contains("the nearest tables are user_assist"), "{complaint}");
}

#[test]
fn levels_are_coloured_only_where_that_is_asked_and_results_for_programs_never() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let facts =
        |more: &[&str]| place.locard_ends(0, &[&["facts", "latest", "--level", "high"], more].concat());
    let plain = facts(&[]);
    assert!(
        plain.contains("\n  high      is how much it stands out\n") && !plain.contains('\u{1b}'),
        "{plain}"
    );
    assert_eq!(facts(&["--color", "never"]), plain);
    let coloured = facts(&["--color", "always"]);
    assert!(coloured.contains("\u{1b}[31mhigh\u{1b}[0m"), "{coloured}");
    let without: String =
        coloured.replace("\u{1b}[0m", "").replace("\u{1b}[31m", "").replace("\u{1b}[1;31m", "");
    assert_eq!(without, plain);
    assert_eq!(facts(&["--color", "always", "--format", "json"]), facts(&["--format", "json"]));
    assert_eq!(facts(&["--color", "always", "--format", "jsonl"]), facts(&["--format", "jsonl"]));
}
