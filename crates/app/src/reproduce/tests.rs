//! Comparisons of two answers of one tool.

use super::calls::{Measure, differences};
use super::records::{Subjects, differences as of_records};
use super::*;
use engine::ToolReturn;
use ledger::event::InvocationEnded;
use ledger::{
    ByteSpan, Completeness, Defect, Field, FieldValue, Gap, IdSpace, InvocationId, Locator, Record, RecordId,
    Seed, TaskId,
};
use proptest::prelude::*;
use serde_json::json;

fn record(path: &str, offset: u64, data: &str) -> Record {
    let field = |value| Field { at: Some(ByteSpan::new(offset, 1)), value };
    Record {
        placement: None,
        defects: vec![],
        fields: [
            ("path".to_owned(), field(FieldValue::Path(path.into()))),
            ("data".to_owned(), field(FieldValue::Text(data.into()))),
        ]
        .into(),
        id: RecordId(0),
        kind: "row".into(),
        locator: Locator {
            evidence: "e".into(),
            path: path.into(),
            stream: None,
            span: Some(ByteSpan::new(offset, 4)),
        },
    }
}

fn subjects() -> Subjects {
    [("row".to_owned(), "path".to_owned())].into()
}

fn compared(old: Vec<Record>, new: Vec<Record>) -> RecordsDiffer {
    of_records(&Output::new(old).unwrap(), &Output::new(new).unwrap(), &subjects(), 2)
}

#[test]
fn a_record_that_changed_is_paired_with_itself_and_told_field_by_field() {
    let old = vec![record("a", 0, "1"), record("b", 0, "1"), record("c", 0, "1")];
    let new = vec![record("a", 0, "1"), record("b", 0, "2"), record("c", 0, "1")];
    let told = compared(old, new);
    assert_eq!((told.differing, told.missing, told.added, told.moved), (1, 0, 0, 0));
    let example = &told.examples[0];
    assert_eq!((example.change, example.subject.as_deref()), (RecordChange::Differs, Some("b")));
    assert_eq!((example.record, example.now), (Some(RecordId(1)), Some(RecordId(1))));
    let value = |text: &str| Some(text.to_owned());
    let field =
        FieldDiffers { what: Part::Value, field: value("data"), recorded: value("1"), now: value("2") };
    assert_eq!(example.fields, [field]);
}

#[test]
fn what_came_and_went_is_counted_in_full_and_shown_in_part() {
    let all =
        |from: usize, to: usize| (from..to).map(|at| record(&format!("f{at}"), 0, "x")).collect::<Vec<_>>();
    let told = compared(all(0, 10), all(4, 12));
    assert_eq!((told.missing, told.added, told.differing, told.moved), (4, 2, 0, 0));
    assert_eq!((told.recorded, told.now, told.examples.len()), (10, 8, 4));
    let shown: Vec<_> = told.examples.iter().map(|it| (it.change, it.subject.clone().unwrap())).collect();
    assert_eq!(shown[0], (RecordChange::Missing, "f0".to_owned()));
    assert_eq!(shown[2], (RecordChange::Added, "f10".to_owned()));
}

#[test]
fn another_order_and_another_place_are_told_as_such() {
    let told = compared(
        vec![record("a", 0, "1"), record("b", 0, "1")],
        vec![record("b", 0, "1"), record("a", 0, "1")],
    );
    assert_eq!((told.moved, told.missing, told.added, told.differing), (1, 0, 0, 0));
    let told = compared(vec![record("a", 0, "1")], vec![record("a", 8, "1")]);
    let parts: Vec<Part> = told.examples[0].fields.iter().map(|field| field.what).collect();
    assert_eq!(parts, [Part::Locator, Part::Span, Part::Span]);
}

#[test]
fn one_text_in_two_types_is_not_one_value() {
    let mut new = record("a", 0, "1");
    new.fields
        .insert("data".into(), Field { at: Some(ByteSpan::new(0, 1)), value: FieldValue::Name("1".into()) });
    let told = compared(vec![record("a", 0, "1")], vec![new]);
    let field = &told.examples[0].fields[0];
    assert!(
        field.recorded.as_ref().unwrap().contains("text") && field.now.as_ref().unwrap().contains("name")
    );
}

fn ended(output: &Output) -> InvocationEnded {
    let ids = IdSpace::new(Seed(Digest::of(b"again")));
    InvocationEnded {
        invocation: InvocationId::assign(&ids, TaskId(1), 0).unwrap(),
        outcome: Outcome::Ok,
        completeness: Completeness::Complete,
        normalised: Some(json!({"path": "a"})),
        output: Some(output.digest()),
        records: output.records().len() as u32,
        bytes: output.bytes().len() as u64,
        shown: vec![],
        defects: vec![],
        gaps: vec![Gap { path: "a".into(), reason: "large".into() }],
        notes: vec!["one".into()],
    }
}

fn returned(output: &Output) -> ToolReturn {
    let InvocationEnded { outcome, completeness, normalised, defects, gaps, notes, .. } = ended(output);
    ToolReturn {
        outcome,
        completeness,
        normalised,
        output: Some(Arc::new(output.clone())),
        defects,
        gaps,
        notes,
    }
}

#[test]
fn each_part_of_an_answer_is_compared() {
    let output = Output::new(vec![record("a", 0, "1")]).unwrap();
    let other = Output::new(vec![record("a", 0, "2")]).unwrap();
    let of = |now: ToolReturn| {
        let subjects = subjects();
        let measure = Measure {
            subjects: &subjects,
            examples: 3,
            translated: false,
            untold: false,
            nearless: false,
            reworded: false,
        };
        differences(&ended(&output), &now, |_| Ok(Arc::new(output.clone())), &measure)
    };
    let same = || returned(&output);
    assert_eq!(of(same()), []);
    assert!(matches!(of(ToolReturn { outcome: Outcome::Empty, ..same() })[..], [Difference::Outcome { .. }]));
    let cut = ToolReturn { completeness: Completeness::Truncated, ..same() };
    assert!(matches!(of(cut)[..], [Difference::Completeness { .. }]));
    assert!(matches!(of(ToolReturn { normalised: None, ..same() })[..], [Difference::Arguments { .. }]));
    let damaged = Defect { path: "a".into(), offset: Some(4), what: "cut".into() };
    let [Difference::Defects(texts)] = &of(ToolReturn { defects: vec![damaged.clone()], ..same() })[..]
    else {
        panic!("defects differ");
    };
    assert_eq!((texts.added, texts.added_examples[0].as_str()), (1, "a at 0x4: cut"));
    assert!(matches!(
        of(ToolReturn { gaps: vec![], ..same() })[..],
        [Difference::Gaps(TextsDiffer { missing: 1, .. })]
    ));
    let notes = ToolReturn { notes: vec!["one".into(), "one".into()], ..same() };
    assert!(matches!(
        of(notes)[..],
        [Difference::Notes(TextsDiffer { added: 1, missing: 0, moved: false, .. })]
    ));
    let [Difference::Output { records: Some(records), .. }] = &of(returned(&other))[..] else {
        panic!("outputs differ");
    };
    assert_eq!(records.differing, 1);
    let none = of(ToolReturn { output: None, ..same() });
    assert!(matches!(none[..], [Difference::Output { records: None, now: None, .. }]));
}

#[test]
fn damage_of_a_record_is_compared_as_the_log_names_it() {
    let damaged = Defect { path: "a".into(), offset: None, what: "cut".into() };
    let output = Output::new(vec![Record { defects: vec![damaged.clone()], ..record("a", 0, "1") }]).unwrap();
    let recorded = InvocationEnded { defects: vec![damaged], ..ended(&output) };
    let subjects = subjects();
    let measure = Measure {
        subjects: &subjects,
        examples: 3,
        translated: false,
        untold: false,
        nearless: false,
        reworded: false,
    };
    assert_eq!(differences(&recorded, &returned(&output), |_| Ok(Arc::new(output.clone())), &measure), []);
}

proptest! {
    #[test]
    fn every_record_of_both_sides_is_accounted_for(old in prop::collection::vec((0u8..5, 0u8..3, 0u8..3), 0..12), new in prop::collection::vec((0u8..5, 0u8..3, 0u8..3), 0..12)) {
        let records = |rows: &[(u8, u8, u8)]| -> Vec<Record> {
            rows.iter().map(|(path, at, data)| record(&path.to_string(), u64::from(*at), &data.to_string())).collect()
        };
        let told = compared(records(&old), records(&new));
        prop_assert_eq!(told.recorded - told.missing, told.now - told.added);
        let mut sorted = (old.clone(), new.clone());
        sorted.0.sort_unstable();
        sorted.1.sort_unstable();
        let changed = told.missing + told.added + told.differing > 0;
        prop_assert_eq!(changed, sorted.0 != sorted.1);
        prop_assert_eq!(changed || told.moved > 0, old != new);
    }
}
