//! Random tool returns.

use engine::ToolReturn;
use ledger::{Completeness, Defect, Field, FieldValue, Gap, Locator, Outcome, Output, Record, RecordId};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::random::Random;

/// The kinds of text that evidence consists of, from thin to dense.
const ALPHABETS: [&[&str]; 7] = [
    &["the ", "service ", "was ", "started ", "by ", "a ", "user ", "of ", "this ", "computer "],
    &["3f", "a9", "00", "c1", "7e", "d4"],
    &["C:\\", "Windows\\", "System32\\", "\"", "svchost.exe", "{", "}", ",", ":"],
    &["\u{444}\u{430}", "\u{439}", "\u{43b} "],
    &["\u{65e5}\u{672c}", "\u{8a9e}", "\u{3042}"],
    &["\u{1f600}", "\u{200b}", "\u{202e}", "\u{7}", "\n", "\t"],
    &["0", "17", "2024-", ":", "-", "\u{e9}", "\\", "%", "$"],
];

/// Makes a text of this many bytes, or a few more, of one kind.
fn text(random: &mut Random, kind: usize, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        text.push_str(ALPHABETS[kind][random.below(ALPHABETS[kind].len())]);
    }
    text
}

/// Makes a line of a file.
pub(crate) fn line(path: String, text: String, defects: Vec<Defect>) -> Record {
    let field = |value| Field { at: None, value };
    Record {
        placement: None,
        defects,
        fields: BTreeMap::from([
            ("path".to_owned(), field(FieldValue::Path(path.clone()))),
            ("text".to_owned(), field(FieldValue::Text(text))),
        ]),
        id: RecordId(0),
        kind: "text_line".into(),
        locator: Locator { evidence: "disk".into(), path, stream: None, span: None },
    }
}

/// Makes a return with these records.
pub(crate) fn returned(outcome: Outcome, records: Vec<Record>) -> ToolReturn {
    ToolReturn {
        outcome,
        completeness: Completeness::Complete,
        normalised: None,
        output: (outcome == Outcome::Ok).then(|| Arc::new(Output::new(records).unwrap())),
        defects: vec![],
        gaps: vec![],
        notes: vec![],
    }
}

/// Makes a random tool return; every record of it has `number` in its text.
pub(crate) fn anything(random: &mut Random, number: usize) -> ToolReturn {
    let outcome = match random.below(12) {
        0 => Outcome::Empty,
        1 => Outcome::Failed,
        2 => Outcome::Timeout,
        _ => Outcome::Ok,
    };
    let count = match random.below(4) {
        0 => 1 + random.below(200),
        1 => 1 + random.below(40),
        _ => 1 + random.below(8),
    };
    let (kind, most) = (random.below(ALPHABETS.len()), [40, 400, 2_000][random.below(3)]);
    let record = |at: usize, random: &mut Random| {
        let kind = if random.below(6) == 0 { random.below(ALPHABETS.len()) } else { kind };
        let length = random.below(most);
        let said = text(random, kind, length);
        let path = format!("Users/u{}/{}.txt", random.below(4), text(random, 1, 8));
        line(path, format!("mark {number} {at} {said}"), vec![])
    };
    let count = if outcome == Outcome::Ok { count } else { 0 };
    let records = (0..count).map(|at| record(at, random)).collect();
    let mut returned = returned(outcome, records);
    if random.below(4) == 0 {
        let reason = text(random, 0, 60);
        returned.gaps = vec![Gap { path: "b.txt".into(), reason }; 1 + random.below(5)];
        returned.notes = vec![text(random, 0, 120)];
    }
    returned
}
