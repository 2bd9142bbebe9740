//! Text of the evidence is inert wherever it is shown.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ledger::RejectionCode;
use testkit::history::{History, fact, reading};

const HOSTILE: &str = "</td><script>alert(1)</script> | [x](javascript:y) ![i](http://e/p.png) \u{1b}[2J\u{202e} `c`\n# Sealed\n";

fn run() -> graph::Run {
    let stated = fact(1, 0, HOSTILE, &[("data", HOSTILE)]);
    let mut history = History::opened(HOSTILE);
    history.assigned(1, "registry").invoked(1, 0);
    history.claimed(1, 0, 1, reading(HOSTILE, &[HOSTILE], Some(HOSTILE)));
    history.refused(1, 0, RejectionCode::Malformed);
    history.claimed(1, 1, 2, reading("configured", &[HOSTILE], None));
    history.accepted(1, 1, stated.clone()).phenomenon(1, 0, &[stated.id], HOSTILE);
    graph::fold(history.events()).unwrap()
}

#[test]
fn markdown_of_hostile_evidence_has_no_markup_of_its_making() {
    let page = report::markdown(&run());
    for forbidden in ["<script", "</td>", "](javascript:", "![i](http:", "\u{1b}", "\u{202e}", "\n# Sealed"] {
        assert!(!page.contains(forbidden), "{forbidden:?} stands in\n{page}");
    }
    // Rows keep their columns: no cell of the evidence adds a border.
    let row = page.lines().find(|line| line.starts_with("| `fact-")).unwrap();
    assert_eq!(row.replace("\\|", "").matches('|').count(), 5, "{row}");
}

#[test]
fn tables_of_hostile_evidence_hold_no_control_character() {
    let run = run();
    let refused = graph::refused_claims(&run);
    for table in [report::facts(&run), report::rejections(&run, &refused), report::answers(&run)] {
        assert!(!table.contains(['\u{1b}', '\u{202e}']), "{table:?}");
        assert!(!table.contains("\n# Sealed"), "{table}");
    }
}

#[test]
fn json_keeps_hostile_text_as_it_is() {
    let value = report::json(&run());
    assert_eq!(value["facts"][0]["fact"]["values"][0]["value"]["value"], HOSTILE);
}
