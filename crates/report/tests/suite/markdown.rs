//! Tests of what the Markdown page says about what was not read, and about the basis of facts.

use ledger::event::{EvidenceHashed, InvocationEnded};
use ledger::{
    Completeness, Digest, Event, Gap, Healing, Integrity, IntegrityLevel, Outcome, RejectionCode, Stream,
    Writer, Writers,
};
use testkit::history::{History, fact, invocation, reading};

fn page(history: &History) -> String {
    report::markdown(&graph::fold(history.events()).unwrap())
}

/// Returns the lines of the section with this heading.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let start = page.split_once(&format!("## {heading}\n")).unwrap().1;
    start.split("\n## ").next().unwrap()
}

#[test]
fn every_call_that_fell_short_is_listed_with_its_arguments_and_first_note() {
    let mut history = History::opened("T");
    history.assigned(1, "a").invoked(1, 0);
    let said = |outcome: Outcome, completeness: Completeness| {
        move |end: &mut InvocationEnded| {
            end.outcome = outcome;
            end.completeness = completeness;
            end.notes = vec!["first note".into(), "second note".into()];
        }
    };
    history.invoked_as(1, 1, "t", said(Outcome::Failed, Completeness::Complete));
    history.invoked_as(1, 2, "t", said(Outcome::Timeout, Completeness::Complete));
    history.invoked_as(1, 3, "t", said(Outcome::Denied, Completeness::Complete));
    history.invoked_as(1, 4, "t", said(Outcome::Ok, Completeness::Truncated));
    history.invoked_as(1, 5, "t", said(Outcome::Empty, Completeness::Truncated));
    history.started(1, 6, "t");
    let page = page(&history);
    let listed = section(&page, "Not examined");
    let reasons = [
        "the call failed: first note",
        "the call was stopped before it was done: first note",
        "the call was not allowed: first note",
        "the call stopped before the end: first note",
        "the call stopped before the end: first note",
        "the run broke off",
    ];
    for (ordinal, reason) in (1..).zip(reasons) {
        let line = format!("- `{}` `t {{\"key\":\"Run\"}}`: `{reason}`\n", invocation(1, ordinal));
        assert!(listed.contains(&line), "{line} stands not in\n{listed}");
    }
    assert_eq!(listed.matches("- `").count(), 6, "{listed}");
}

#[test]
fn evidence_that_could_not_be_hashed_is_named_as_damage_too() {
    let mut history = History::opened("T");
    assert!(section(&page(&history), "Damaged evidence").contains("the hashes cover all"));
    let integrity = Integrity { level: IntegrityLevel::Full, sha256: Digest::of(b""), files: 0, bytes: 0 };
    let gaps = vec![Gap { path: "C/pagefile.sys".into(), reason: "input/output error".into() }];
    let hashed = EvidenceHashed { evidence: "host".into(), integrity, as_expected: None, gaps };
    history.push(Stream::Run, Event::EvidenceHashed(hashed));
    let page = page(&history);
    let line = "`C/pagefile.sys`: `input/output error`";
    assert!(section(&page, "Not examined").contains(line), "{page}");
    assert!(
        section(&page, "Damaged evidence").contains(&format!("`host` was hashed without {line}")),
        "{page}"
    );
}

#[test]
fn a_fact_stands_below_its_finding_with_its_place_and_its_citation_and_its_bytes_in_the_listing() {
    let mut stated = fact(1, 0, r"Run\calc", &[("data", "calc.exe")]);
    stated.values[0].at = Some(ledger::ByteSpan::new(0x1000, 8));
    let healing = Healing {
        cited: "inv-typo".into(),
        healed: stated.invocation,
        because: RejectionCode::UnknownInvocation,
    };
    let mut history = History::opened("T");
    history.assigned(1, "a").invoked(1, 0).claimed(1, 0, 1, reading("configured", &["calc.exe"], None));
    history.accepted_as(1, 0, stated.clone(), Some(healing)).phenomenon(1, 0, &[stated.id], "starts");
    let page = page(&history);
    let id = format!("`{}`", stated.id);
    let row = page.lines().find(|line| line.starts_with("- `") && line.contains(&id)).unwrap();
    for part in ["calc.exe", "`host:SYSTEM`", "healed: cited as `inv-typo` (`unknown_invocation`)"] {
        assert!(row.contains(part), "{part} stands not in\n{row}");
    }
    let listed = report::facts(&graph::fold(history.events()).unwrap());
    for part in ["data = calc.exe", "output bytes 0xa+4, evidence bytes 0x1000+8"] {
        assert!(listed.contains(part), "{part} stands not in\n{listed}");
    }
}

#[test]
fn findings_behind_the_first_stand_in_one_line_each() {
    let mut history = History::opened("T");
    history.assigned(1, "a").invoked(1, 0);
    for number in 0..40 {
        let stated = fact(1, number, &format!("k{number}"), &[("data", "v")]);
        history.claimed(1, number, 1, reading("configured", &["v"], None));
        history.accepted(1, number, stated.clone()).phenomenon(1, number, &[stated.id], "");
    }
    let page = page(&history);
    let findings = section(&page, "Findings");
    assert_eq!(
        findings.lines().filter(|line| line.starts_with("### ")).count(),
        graph::FIRST + 1,
        "{findings}"
    );
    let short = findings.lines().filter(|line| line.ends_with("(ordinary, 1 fact)")).count();
    assert_eq!(short, 40 - graph::FIRST, "{findings}");
}

#[test]
fn who_could_have_written_a_value_stands_beside_it_and_is_explained_where_a_run_knows() {
    let mut stated = fact(1, 0, r"Run\calc", &[("data", "calc.exe")]);
    stated.subject.writer = Some(Writer::Administrator);
    stated.values[0].writer = Some(Writer::AnyUser);
    for writers in [Writers::default(), Writers::shipped().unwrap()] {
        let mut history = History::opened("T").judged_with(writers.clone());
        history.assigned(1, "a").invoked(1, 0).claimed(1, 0, 1, reading("configured", &["calc.exe"], None));
        history.accepted_as(1, 0, stated.clone(), None).phenomenon(1, 0, &[stated.id], "starts");
        let page = page(&history);
        assert!(page.contains("writable by any user)"), "{page}");
        let run = graph::fold(history.events()).unwrap();
        let text = report::facts(&run);
        assert!(text.contains("exact, output bytes 0xa+4, writable by any user"), "{text}");
        for shown in [page, text] {
            assert_eq!(shown.contains("\"writable by\" names"), !writers.is_empty(), "{shown}");
        }
        let json = report::json(&run);
        assert_eq!(json["facts"][0]["writer"], "any_user");
        assert_eq!(json["facts"][0]["fact"]["subject"]["writer"], "administrator");
    }
}

#[test]
fn a_fact_whose_phenomenon_was_never_recorded_is_shown_all_the_same() {
    let stated = fact(1, 0, "k", &[("data", "v")]);
    let mut history = History::opened("T");
    history.assigned(1, "a").invoked(1, 0).claimed(1, 0, 1, reading("configured", &["v"], None));
    history.accepted(1, 0, stated.clone());
    let broken = page(&history);
    assert!(section(&broken, "Findings").contains("### Facts that no finding carries"), "{broken}");
    assert!(section(&broken, "Findings").contains(&stated.id.to_string()), "{broken}");
    history.phenomenon(1, 0, &[stated.id], "");
    assert!(!page(&history).contains("no phenomenon carries"));
}
