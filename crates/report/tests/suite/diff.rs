//! Tests of the comparison of two runs, as text and as JSON.

use graph::{Run, diff, fold};
use ledger::{FactEntry, RejectionCode};
use report::{diff_json, diff_text};
use testkit::history::{History, fact, invocation, reading};

/// Builds a run with these facts, each in its own phenomenon, and one refused claim.
fn run(facts: &[FactEntry], refused: &str) -> Run {
    let mut history = History::opened("T");
    history.assigned(1, "registry").asked(1, 1).invoked(1, 0);
    for (ordinal, fact) in (0..).zip(facts) {
        history.claimed(1, ordinal, 1, reading("configured", &["x"], None));
        history.accepted(1, ordinal, fact.clone());
        history.phenomenon(1, ordinal, &[fact.id], "an agent's words");
    }
    let last = facts.len() as u32;
    let cited = invocation(1, 0).to_string();
    history.claimed(
        1,
        last,
        1,
        ledger::Reading { invocation: cited, ..reading("executed", &[refused], None) },
    );
    history.refused(1, last, RejectionCode::Overclaim);
    fold(history.events()).unwrap()
}

fn facts(values: &[(&str, &str)]) -> Vec<FactEntry> {
    (0..)
        .zip(values)
        .map(|(ordinal, (subject, value))| fact(1, ordinal, subject, &[("data", value)]))
        .collect()
}

#[test]
fn text_of_the_evidence_and_of_models_is_inert() {
    let hostile = "\u{1b}[2J\n\u{202e}both runs recorded the same";
    let one = run(&facts(&[(hostile, hostile), ("Select", "1")]), hostile);
    let other = run(&facts(&[("Select", hostile)]), "plain");
    for text in [diff_text(&diff(&one, &other), true), diff_text(&diff(&other, &one), true)] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        assert!(!text.lines().any(|line| line == "both runs recorded the same"), "{text}");
        assert!(text.ends_with("\nthe runs recorded different things\n"), "{text}");
    }
}

#[test]
fn totals_come_first_and_long_lists_are_cut_and_say_so() {
    let names: Vec<String> = (0..14).map(|n| format!("Run\\{n}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let (one, other) = (run(&facts(&many), "x"), run(&facts(&many[..1]), "x"));
    let diff = diff(&one, &other);
    let text = diff_text(&diff, false);
    let row = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().skip(1).map(|number| number.parse::<u32>().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((row("facts "), row("rejections ")), (vec![1, 13, 0, 0], vec![1, 0, 0]));
    assert!(!text.contains("hypotheses"), "what neither run has is left out: {text}");
    assert!(text.find("\nfacts ").unwrap() < text.find("\nfacts only before\n").unwrap());
    assert_eq!(text.matches("\n  … and 3 more\n").count(), 2, "{text}");
    assert!(text.ends_with("; --all lists everything\n"), "{text}");
    let all = diff_text(&diff, true);
    assert_eq!(all.matches("\n  - registry: configured Run\\").count(), 26, "{all}");
    assert!(!all.contains("--all"), "{all}");
    // JSON contains everything.
    assert_eq!(diff_json(&diff)["facts"]["only_before"].as_array().unwrap().len(), 13);
}

#[test]
fn a_fact_with_another_value_is_told_by_that_value() {
    let (one, other) = (run(&facts(&[("Select", "1")]), "x"), run(&facts(&[("Select", "2")]), "x"));
    let diff = diff(&one, &other);
    let text = diff_text(&diff, false);
    let expected = "\nfacts with different values\n  ~ registry: configured Select: data = 2\n      - data = 1\n      + data = 2\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("\nphenomena with different facts\n"), "{text}");
    let json = diff_json(&diff);
    assert_eq!(json["facts"]["changed"][0]["before"]["title"], "configured Select: data = 1");
    assert_eq!(json["phenomena"]["changed"][0]["kept"], 0);
    assert_eq!(json["recorded_the_same"], false);
}
