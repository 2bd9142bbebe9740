//! Derivations and absences in words.

use crate::anything::{bound, fact_of, written};
use ledger::{
    Absence, AbsenceEntry, Derivation, FactEntry, FactId, FieldValue, Precision, Reach, Stretch, Term, Time,
};
use phrases::{Language, Piece, absence, derivation};
use proptest::prelude::*;

fn time(text: &str) -> FieldValue {
    let time = Time::from_filetime(0);
    FieldValue::Time(Time { utc: Some(text.parse().unwrap()), precision: Precision::Second, ..time })
}

fn id(text: &str) -> FactId {
    text.parse().unwrap()
}

fn facts() -> [FactEntry; 2] {
    let file = bound("file", FieldValue::Path(r"C:\Users\mara\setup.exe".into()));
    let downloaded = fact_of(
        "browser_download",
        "downloaded",
        file,
        vec![
            bound("time", time("2024-03-01T11:58:00Z")),
            bound("state_of_download", FieldValue::Name("complete".into())),
        ],
    );
    let executable = bound("executable", FieldValue::Name("SETUP.EXE".into()));
    let executed =
        fact_of("prefetch", "executed", executable, vec![bound("last_run", time("2024-03-01T12:01:05Z"))]);
    [FactEntry { id: id("fact-00000001"), ..downloaded }, FactEntry { id: id("fact-00000002"), ..executed }]
}

fn terms() -> Vec<Term> {
    vec![
        Term { fact: id("fact-00000001"), field: "time".into() },
        Term { fact: id("fact-00000002"), field: "last_run".into() },
    ]
}

#[test]
fn a_derivation_says_its_facts_and_how_they_stand() {
    let facts = facts();
    let facts: Vec<&FactEntry> = facts.iter().collect();
    for (what, english) in [
        (
            Derivation::Order { terms: terms() },
            r"In this order: C:\Users\mara\setup.exe was downloaded; the download was completed; it began at 2024-03-01T11:58:00Z; 3 minutes 5 seconds later: SETUP.EXE ran, most recently at 2024-03-01T12:01:05Z.",
        ),
        (
            Derivation::Within { terms: terms(), seconds: 300 },
            r"Within 300 seconds of each other: C:\Users\mara\setup.exe was downloaded; the download was completed; it began at 2024-03-01T11:58:00Z; SETUP.EXE ran, most recently at 2024-03-01T12:01:05Z.",
        ),
    ] {
        assert_eq!(derivation(Language::English, &what, &facts).text(), english);
        let german = derivation(Language::German, &what, &facts).text();
        assert!(german.contains("2024-03-01T12:01:05Z"), "{german}");
    }
}

#[test]
fn values_that_are_the_same_are_named_beside_their_facts() {
    let facts = facts();
    let facts: Vec<&FactEntry> = facts.iter().collect();
    let terms = vec![
        Term { fact: id("fact-00000001"), field: "file".into() },
        Term { fact: id("fact-00000002"), field: "executable".into() },
    ];
    let said = derivation(Language::English, &Derivation::Same { terms }, &facts).text();
    assert_eq!(
        said,
        r"The same value: C:\Users\mara\setup.exe was downloaded; the download was completed (compared: file = C:\Users\mara\setup.exe); SETUP.EXE ran, most recently at 2024-03-01T12:01:05Z (compared: executable = SETUP.EXE)."
    );
}

#[test]
fn a_term_whose_fact_is_not_at_hand_is_said_by_its_id() {
    let said = derivation(Language::English, &Derivation::Same { terms: terms() }, &[]).text();
    assert_eq!(said, "The same value: fact-00000001.time; fact-00000002.last_run.");
}

#[test]
fn an_absence_says_all_of_where_was_searched() {
    let entry = |absence| AbsenceEntry { id: "abs-00000001".parse().unwrap(), absence, searches: Vec::new() };
    let reach = Reach {
        listed: "inv-00000001".parse().unwrap(),
        stretches: vec![Stretch {
            evidence: "alder-07".into(),
            first: "2024-01-01T00:00:00Z".into(),
            last: "2024-03-01T00:00:00Z".into(),
        }],
    };
    for (what, english) in [
        (
            Absence::File {
                name: "evil.exe".into(),
                under: "Users".into(),
                evidence: Some("alder-07".into()),
                near: vec!["evi1.exe".into()],
            },
            "There is no file or folder named evil.exe under Users in the evidence alder-07; near it, and not it: evi1.exe.",
        ),
        (
            Absence::RegistryKey {
                hive: "p1/SYSTEM".into(),
                key: "Select".into(),
                evidence: None,
                as_it_stands: true,
                near: Vec::new(),
            },
            "The hive p1/SYSTEM as it stands, without what its transaction logs hold, has no key Select in any of the evidence.",
        ),
        (
            Absence::Events {
                channel: "Security".into(),
                provider: Some("Microsoft-Windows-Eventlog".into()),
                ids: [1102].into(),
                from: None,
                to: None,
                evidence: None,
                reach: Some(reach),
            },
            "The channel Security holds no event with the id 1102 of the provider Microsoft-Windows-Eventlog in any of the evidence; its logs reach from 2024-01-01T00:00:00Z to 2024-03-01T00:00:00Z in the evidence alder-07.",
        ),
    ] {
        assert_eq!(absence(Language::English, &entry(what)).text(), english);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn an_absence_says_its_whole_scope_and_shows_nothing_hidden(
        name in "\\PC{1,400}", under in "\\PC{0,400}", near in proptest::collection::vec("\\PC{1,40}", 0..8),
    ) {
        let what = Absence::File { name: name.clone(), under: under.clone(), evidence: None, near: near.clone() };
        let entry = AbsenceEntry { id: "abs-00000001".parse().unwrap(), absence: what, searches: Vec::new() };
        for language in Language::ALL {
            let said = absence(language, &entry);
            let value = |field: &str| -> Vec<String> {
                let of = |piece: &Piece| match piece {
                    Piece::Value { field: own, text } if own == field => Some(text.clone()),
                    _ => None,
                };
                said.pieces.iter().filter_map(of).collect()
            };
            prop_assert_eq!(value("name"), vec![written(&name)]);
            prop_assert_eq!(value("under").concat(), written(&under));
            prop_assert_eq!(value("near"), near.iter().map(|near| written(near)).collect::<Vec<_>>());
            let hidden = |c| ledger::escapes::is_hidden(c) || ledger::escapes::is_unseen(c);
            prop_assert!(!said.text().contains(hidden));
        }
    }
}
