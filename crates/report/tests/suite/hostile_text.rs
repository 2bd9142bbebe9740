//! Checks that text from the evidence, from a model and from an agent's file is inert wherever it is shown.

use crate::lead;

use ledger::event::{EvidenceHashed, TaskEnded, TaskStatus};
use ledger::{
    ByteSpan, ClaimedValue, Condition, Defect, Digest, Event, Field, FieldValue, Gap, Healing, Integrity,
    IntegrityLevel, Locator, Objective, Outcome, Predicate, Reading, Record, RecordId, RejectionCode, Stream,
};
use std::collections::BTreeSet;
use testkit::history::{History, fact, reading};

const HOSTILE: &str = "</td><script>alert(1)</script> | \\| [x](javascript:y) ![i](http://e/p.png) https://evil.com www.evil.com a@evil.com @evil \u{1b}[2J\u{202e}\u{61c}\u{2028}\u{feff} `c` ```d\n# Sealed\n";
/// What must not occur in a page outside of code.
const MARKUP: [&str; 10] = [
    "<script",
    "</td>",
    "](javascript:",
    "![i](http:",
    "https://evil",
    "www.evil",
    "a@evil",
    "@evil",
    "`",
    "\n# Sealed",
];
/// What must not occur anywhere.
const CONTROLS: [char; 5] = ['\u{1b}', '\u{202e}', '\u{61c}', '\u{2028}', '\u{feff}'];

fn run() -> graph::Run {
    run_of(HOSTILE)
}

/// Builds a run in which every text that somebody else can write is this one.
fn run_of(text: &str) -> graph::Run {
    let mut stated = fact(1, 0, text, &[(text, text)]);
    stated.predicate = Predicate(text.into());
    stated.subject.field = text.into();
    stated.subject.field.push('s');
    stated.locator.path = text.into();
    stated.values[0].quotation = Some(text.into());
    stated.values[0].at = Some(ByteSpan::new(1, 2));
    stated.shown = false;
    let condition = Condition {
        predicate: stated.predicate.clone(),
        record: stated.kind.clone(),
        subject: "*".into(),
        field: text.into(),
        value: None,
        unless: None,
        earlier: None,
    };
    let objective = Objective {
        id: "o".into(),
        question: text.into(),
        applies: None,
        weight: ledger::Weight::Activity,
        searched: Vec::new(),
        or: Vec::new(),
        condition,
    };
    let defect = Defect { path: text.into(), offset: Some(1), what: text.into() };
    let gap = Gap { path: text.into(), reason: text.into() };
    let mut history = History::opened(text);
    history.assigned_with(1, text, text, vec![objective]).invoked(1, 0);
    history.invoked_as(1, 1, text, |end| {
        end.outcome = Outcome::Failed;
        end.notes.push(text.into());
        end.defects.push(defect);
        end.gaps.push(gap.clone());
    });
    let claimed = ClaimedValue { field: Some(text.into()), value: text.into() };
    let claimed = Reading { values: vec![claimed], subject: text.into(), ..reading(text, &[], Some(text)) };
    history.claimed(1, 0, 1, claimed);
    history.refused(1, 0, RejectionCode::Malformed);
    history.claimed(1, 1, 2, reading("configured", &[text], None));
    let healing =
        Healing { cited: text.into(), healed: stated.invocation, because: RejectionCode::UnknownInvocation };
    history.accepted_as(1, 1, stated.clone(), Some(healing)).phenomenon(1, 0, &[stated.id], text);
    lead::notes(&mut history, text);
    let other = lead::hands_out(&mut history, text);
    let grounds = [ledger::NodeId::Fact(stated.id), ledger::NodeId::Fact(other.id)];
    lead::tells(&mut history, 2, text, &grounds, None);
    lead::states(&mut history, 3, grounds[0], Some(text), None);
    lead::weighs(&mut history, text, grounds[1]);
    let result = ledger::event::ObjectiveResult {
        id: "o".into(),
        facts: vec![stated.id],
        watched: false,
        without: None,
    };
    let status = TaskStatus::Completed;
    history.ended(
        1,
        TaskEnded {
            status,
            spent: None,
            objectives: vec![result],
            own: vec![],
            turns: 0,
            facts: 1,
            rejections: 1,
        },
    );
    let integrity = Integrity { level: IntegrityLevel::Full, sha256: Digest::of(b""), files: 0, bytes: 0 };
    let hashed = EvidenceHashed { evidence: text.into(), integrity, as_expected: None, gaps: vec![gap] };
    history.push(Stream::Run, Event::EvidenceHashed(hashed));
    graph::fold(history.events()).unwrap()
}

/// Returns a page without its code spans, read according to CommonMark 0.31 §6.1: an unescaped run of backticks opens a span,
/// and the next run of the same length closes it.
fn without_code(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = rest.find(['`', '\\']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(escaped) = rest.strip_prefix('\\') {
            let length = escaped.chars().next().map_or(0, char::len_utf8);
            rest = &escaped[length..];
            continue;
        }
        let fence = rest.len() - rest.trim_start_matches('`').len();
        match closing(&rest[fence..], fence) {
            Some(end) => rest = &rest[fence + end..],
            None => {
                out.push_str(&rest[..fence]);
                rest = &rest[fence..];
            }
        }
    }
    out + rest
}

/// Returns the end of the first run of exactly `fence` backticks.
fn closing(text: &str, fence: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let run = text[at + found..].len() - text[at + found..].trim_start_matches('`').len();
        at += found + run;
        if run == fence {
            return Some(at);
        }
    }
    None
}

#[test]
fn markdown_of_hostile_text_has_no_markup_of_its_making() {
    let page = report::markdown(&run());
    assert!(!page.contains(CONTROLS), "{page:?}");
    assert!(!page.contains("\n# Sealed"), "{page}");
    // Code spans do not cross lines, so each line is read separately.
    for line in page.lines() {
        let words = without_code(line);
        for forbidden in MARKUP {
            assert!(!words.contains(forbidden), "{forbidden:?} stands in\n{line}\nas\n{words}");
        }
    }
}

/// Returns the names of the tags in a page, except in its style, script and data.
fn tags(page: &str) -> BTreeSet<String> {
    let mut rest = page;
    let mut tags = BTreeSet::new();
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        if name == "style" || name == "script" {
            let end = format!("</{name}>");
            rest = &rest[rest.find(&end).unwrap() + end.len()..];
        }
        tags.insert(name);
    }
    tags
}

#[test]
fn a_page_of_hostile_text_has_no_tag_but_those_of_its_own() {
    let attack = detect::Attack::shipped().unwrap();
    let nothing = |_: &Digest| None;
    let stored = |_: &Digest| Some(HOSTILE.repeat(20).into_bytes());
    let outputs: [&report::html::Outputs<'_>; 2] = [&nothing, &stored];
    for outputs in outputs {
        let material = report::html::Material { outputs, attack: &attack, verified: None };
        let own = report::html::page(&quiet(), &material);
        let page = report::html::page(&run(), &material);
        assert!(!page.contains(CONTROLS), "{page:?}");
        assert_eq!(tags(&page).difference(&tags(&own)).collect::<Vec<_>>(), Vec::<&String>::new());
        for outside in
            ["<script>alert", " style=", " onload=", " onclick=", " src=", "javascript:y\"", "url("]
        {
            assert!(!page.contains(outside), "{outside}");
        }
    }
}

/// Builds the same run with nothing hostile in it.
fn quiet() -> graph::Run {
    run_of("quiet")
}

#[test]
fn rows_keep_their_columns() {
    let page = report::markdown(&run());
    let mut columns = 0;
    let mut rows = 0;
    for line in page.lines() {
        let borders = line.match_indices('|').filter(|(at, _)| !line[..*at].ends_with('\\')).count();
        match line.starts_with('|') {
            true if columns > 0 => {
                rows += 1;
                assert_eq!(borders, columns, "{line}");
            }
            true => columns = borders,
            false => columns = 0,
        }
    }
    assert!(rows > 8, "{page}");
}

#[test]
fn the_listing_has_values_in_full_however_long() {
    let long = format!("{}END", "x".repeat(5_000));
    let stated = fact(1, 0, "k", &[("data", &long)]);
    let mut history = History::opened("T");
    history.assigned(1, "a").invoked(1, 0).claimed(1, 0, 1, reading("configured", &["v"], None));
    history.accepted(1, 0, stated.clone()).phenomenon(1, 0, &[stated.id], "");
    let run = graph::fold(history.events()).unwrap();
    assert!(!report::markdown(&run).contains(&long), "it is shortened, and says so");
    assert!(report::markdown(&run).contains("5003 characters"));
    assert!(report::facts(&run).contains(&format!("data = {long}\n")));
    assert!(!graph::fact_title(&stated).contains("END"));
}

#[test]
fn tables_of_hostile_text_hold_no_control_character() {
    let run = run();
    let refused = graph::refused_claims(&run);
    let field = Field { at: None, value: FieldValue::Text(HOSTILE.into()) };
    let record = Record {
        placement: None,
        defects: vec![Defect { path: HOSTILE.into(), offset: None, what: HOSTILE.into() }],
        fields: [(HOSTILE.to_owned(), field)].into(),
        id: RecordId(0),
        kind: HOSTILE.into(),
        locator: Locator { evidence: HOSTILE.into(), path: HOSTILE.into(), stream: None, span: None },
    };
    let tables = [
        report::facts(&run),
        report::rejections(&refused),
        report::answers(&run),
        report::records(&[record]),
    ];
    for table in tables {
        assert!(!table.contains(CONTROLS), "{table:?}");
        assert!(!table.contains("\n# Sealed"), "{table}");
    }
}

#[test]
fn json_keeps_hostile_text_as_it_is() {
    let value = report::json(&run());
    assert_eq!(value["facts"][0]["fact"]["values"][0]["value"]["value"], HOSTILE);
}

#[test]
fn json_text_holds_no_control_character_and_says_the_same() {
    let value = serde_json::json!({"a": "x\u{9b}31m\u{202e}\u{feff}\u{2028}é\n\u{e0041}"});
    let text = report::json_text(&value);
    assert!(text.is_ascii() || text.chars().all(|c| c == 'é' || c.is_ascii() || c == '\u{e0041}'), "{text}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
}
