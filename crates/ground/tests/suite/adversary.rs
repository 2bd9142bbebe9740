//! Claims by an adversary: the gateway once accepted each of them, though the evidence does not say it.

use ground::{Held, Setting, Shelf, Verdict, judge};
use ledger::{
    ByteSpan, ClaimedValue, Digest, FactId, Field, FieldValue, GateRules, IdSpace, InvocationId, Locator,
    Outcome, Output, Reading, Record, RecordId, RecordType, RejectionCode, Seed, TaskId, Time, Vocabulary,
    Writers,
};
use std::collections::BTreeMap;
use std::sync::Arc;

fn space() -> IdSpace {
    IdSpace::new(Seed(Digest::of(b"adversary")))
}

fn id(ordinal: u32) -> InvocationId {
    InvocationId::assign(&space(), TaskId(1), ordinal).unwrap()
}

fn record(kind: &str, offset: u64, fields: &[(&str, FieldValue)]) -> Record {
    let field =
        |(name, value): &(&str, FieldValue)| ((*name).to_owned(), Field { at: None, value: value.clone() });
    Record {
        placement: None,
        defects: vec![],
        fields: fields.iter().map(field).collect(),
        id: RecordId(0),
        kind: kind.into(),
        locator: Locator {
            evidence: "host".into(),
            path: "SYSTEM".into(),
            stream: None,
            span: Some(ByteSpan::new(offset, 1)),
        },
    }
}

fn service(name: &str, start: i128, offset: u64) -> Record {
    record(
        "registry_value",
        offset,
        &[
            ("value_path", FieldValue::RegistryPath(format!(r"Services\{name}\Start"))),
            ("name", FieldValue::Name("Start".into())),
            ("value_type", FieldValue::Name("REG_DWORD".into())),
            ("data", FieldValue::Integer(start)),
        ],
    )
}

fn run_key(written: u64) -> Record {
    record(
        "registry_key",
        9,
        &[
            ("key_path", FieldValue::RegistryPath(r"Microsoft\Windows\CurrentVersion\Run".into())),
            ("name", FieldValue::Name("Run".into())),
            ("last_written", FieldValue::Time(Time::from_filetime(written))),
            ("subkeys", FieldValue::Integer(300)),
            ("hive", FieldValue::Path("Windows/System32/config/SOFTWARE".into())),
        ],
    )
}

fn verdict(outputs: Vec<Vec<Record>>, reading: &Reading) -> Verdict {
    let subjects = [
        ("registry_value", "value_path"),
        ("registry_key", "key_path"),
        ("service", "name"),
        ("text_line", "path"),
        ("deleted_entry", "path"),
    ];
    let types: BTreeMap<String, RecordType> = subjects
        .map(|(name, subject)| {
            let kind = RecordType {
                name: name.into(),
                meaning: String::new(),
                subject: subject.into(),
                fields: BTreeMap::new(),
                qualifiers: if name == "text_line" { vec!["stream".into()] } else { Vec::new() },
                scope: Vec::new(),
            };
            (name.to_owned(), kind)
        })
        .into();
    let mut shelf = Shelf::default();
    for (ordinal, records) in (0..).zip(outputs) {
        let output = Some(Arc::new(Output::new(records).unwrap()));
        let summary = "t".to_owned();
        shelf.push(Held {
            invocation: id(ordinal),
            summary,
            search: search(),
            outcome: Outcome::Ok,
            output,
            shown: vec![],
        });
    }
    let (rules, vocabulary) = (GateRules::default(), Vocabulary::shipped().unwrap());
    let setting = Setting {
        rules: &rules,
        vocabulary: &vocabulary,
        types: &types,
        writers: &Writers::default(),
        by_reference: true,
        dated: true,
    };
    judge(reading, FactId::assign(&space(), TaskId(1), 0).unwrap(), &shelf, &setting)
}

fn reading(predicate: &str, subject: &str, values: &[(&str, &str)], cited: u32) -> Reading {
    let value = |(field, value): &(&str, &str)| ClaimedValue {
        field: (!field.is_empty()).then(|| (*field).to_owned()),
        value: (*value).to_owned(),
    };
    Reading {
        fields: Vec::new(),
        predicate: predicate.into(),
        subject: subject.into(),
        values: values.iter().map(value).collect(),
        invocation: id(cited).to_string(),
        record: None,
    }
}

fn refused(verdict: Verdict) -> RejectionCode {
    match verdict {
        Verdict::Refused(rejection) => rejection.code,
        Verdict::Grounded { fact, .. } => panic!("accepted: {fact:?}"),
    }
}

const WRITTEN: u64 = 129_779_783_208_392_490;
const WRITTEN_TEXT: &str = "2012-04-04T01:58:40Z";

#[test]
fn a_time_of_a_key_is_no_time_of_its_hive() {
    let hive = "Windows/System32/config/SOFTWARE";
    let claim = reading("modified", hive, &[("last_written", WRITTEN_TEXT)], 0);
    assert_eq!(refused(verdict(vec![vec![run_key(WRITTEN)]], &claim)), RejectionCode::ValueAbsent);
}

#[test]
fn a_change_is_nothing_without_its_time() {
    for values in [&[("name", "Run")][..], &[("subkeys", "300")]] {
        let code = refused(verdict(vec![vec![run_key(WRITTEN)]], &reading("modified", "", values, 0)));
        assert_eq!(code, RejectionCode::Overclaim);
    }
    for (never, text) in [(0, "0"), (0x7fff_ffff_ffff_ffff, "9223372036854775807")] {
        let claim =
            reading("modified", r"Microsoft\Windows\CurrentVersion\Run", &[("last_written", text)], 0);
        assert_eq!(refused(verdict(vec![vec![run_key(never)]], &claim)), RejectionCode::Overclaim);
    }
}

#[test]
fn a_wrong_start_of_one_service_is_not_healed_into_that_of_another() {
    let outputs = vec![vec![service("Good", 4, 1)], vec![service("Evil", 2, 2)]];
    let claim = reading("configured", "", &[("name", "Start"), ("data", "2")], 0);
    assert_eq!(refused(verdict(outputs, &claim)), RejectionCode::Ambiguous);
}

#[test]
fn a_value_of_one_users_hive_is_not_healed_into_that_of_another() {
    let in_hive = |user: &str, file: &str, program: &str| {
        let mut record = record(
            "registry_value",
            1,
            &[
                ("value_path", FieldValue::RegistryPath(format!(r"Software\Run\{program}"))),
                ("data", FieldValue::Text(format!(r"C:\Temp\{program}.exe"))),
            ],
        );
        record.locator.path = format!("C/Users/{user}/{file}");
        vec![record]
    };
    let claim = reading("configured", r"Software\Run\mimikatz", &[("data", r"C:\Temp\mimikatz.exe")], 0);
    let of_other = vec![in_hive("alice", "NTUSER.DAT", "OneDrive"), in_hive("bob", "ntuser.dat", "mimikatz")];
    assert_eq!(refused(verdict(of_other, &claim)), RejectionCode::Ambiguous);
    // The cited call examined something else, so the citation is mistyped.
    let mistyped =
        vec![in_hive("alice", "UsrClass.dat", "OneDrive"), in_hive("bob", "NTUSER.DAT", "mimikatz")];
    assert!(matches!(verdict(mistyped, &claim), Verdict::Grounded { healing: Some(_), .. }));
}

#[test]
fn a_service_that_nothing_starts_does_not_persist() {
    let of_start = |start| {
        let fields = [("name", FieldValue::Name("Evil".into())), ("start", FieldValue::Integer(start))];
        vec![vec![record("service", 1, &fields)]]
    };
    let claim = |start: &str| reading("persists", "Evil", &[("start", start)], 0);
    for (start, said) in [(4, "4"), (4, "0x4"), (3, "3")] {
        assert_eq!(refused(verdict(of_start(start), &claim(said))), RejectionCode::Overclaim, "{said}");
    }
    assert!(matches!(verdict(of_start(2), &claim("2")), Verdict::Grounded { .. }));
}

#[test]
fn a_number_without_its_field_is_placed_nowhere() {
    let claim = reading("configured", "", &[("", "Start"), ("", "4")], 0);
    assert_eq!(refused(verdict(vec![vec![service("Good", 4, 1)]], &claim)), RejectionCode::TooWeak);
}

#[test]
fn a_space_that_no_keyboard_types_is_part_of_a_name() {
    let name = |text: &str| {
        vec![vec![record(
            "registry_value",
            1,
            &[
                ("value_path", FieldValue::RegistryPath(r"K\v".into())),
                ("name", FieldValue::Name(text.into())),
            ],
        )]]
    };
    let claim = |text| reading("configured", r"K\v", &[("name", text)], 0);
    for disguised in ["svchost.exe\u{a0}", "\u{3000}svchost.exe"] {
        assert_eq!(refused(verdict(name("svchost.exe"), &claim(disguised))), RejectionCode::ValueAbsent);
    }
    assert!(matches!(verdict(name("svchost.exe"), &claim(" svchost.exe ")), Verdict::Grounded { .. }));
}

#[test]
fn a_short_quotation_is_not_healed_into_another_file() {
    let line = |path: &str, text: &str, offset| {
        record(
            "text_line",
            offset,
            &[("path", FieldValue::Path(path.into())), ("text", FieldValue::Text(text.into()))],
        )
    };
    let outputs =
        vec![vec![line("setup.log", "all was well", 1)], vec![line("fw.log", "packet was denied today", 2)]];
    let claim = reading("quoted", "", &[("text", "denied")], 0);
    assert_eq!(refused(verdict(outputs, &claim)), RejectionCode::Ambiguous);
}

#[test]
fn a_quotation_may_name_the_file_and_the_line_that_it_stands_in() {
    let line = record(
        "text_line",
        1,
        &[
            ("path", FieldValue::Path("logs/setup.log".into())),
            ("line", FieldValue::Integer(700)),
            ("text", FieldValue::Text("net user admin2 /add".into())),
        ],
    );
    let said = |values: &[(&str, &str)]| verdict(vec![vec![line.clone()]], &reading("quoted", "", values, 0));
    let good = said(&[("text", "net user"), ("line", "700"), ("path", "/logs/setup.log")]);
    assert!(matches!(good, Verdict::Grounded { .. }), "{good:?}");
    refused(said(&[("text", "net user"), ("line", "701")]));
    refused(said(&[("line", "700")]));
}

/// Returns a call's search that cannot support an absence.
fn search() -> ground::Search {
    let completeness = ledger::Completeness::Complete;
    ground::Search {
        logs: None,
        near: Vec::new(),
        tool: "read".into(),
        arguments: None,
        completeness,
        whole: true,
    }
}

/// A line of a file in one of two images.
fn line_of(image: &str, path: &str, stream: Option<&str>, text: &str) -> Record {
    let mut line = record(
        "text_line",
        1,
        &[("path", FieldValue::Path(path.into())), ("text", FieldValue::Text(text.into()))],
    );
    line.locator.evidence = image.into();
    line.locator.path = path.into();
    line.locator.stream = stream.map(str::to_owned);
    if let Some(stream) = stream {
        let value = FieldValue::Name(stream.to_owned());
        line.fields.insert("stream".into(), Field { at: None, value });
    }
    line
}

#[test]
fn words_of_an_alternate_stream_are_not_quoted_of_the_file() {
    let outputs = || vec![vec![line_of("a", "p1/notes.txt", Some("hidden"), "the second set of books")]];
    let words = ("text", "the second set of books");
    let said = |values: &[(&str, &str)]| verdict(outputs(), &reading("quoted", "p1/notes.txt", values, 0));
    assert_eq!(refused(said(&[words])), RejectionCode::Overclaim);
    assert!(matches!(said(&[words, ("stream", "hidden")]), Verdict::Grounded { .. }));
    refused(said(&[words, ("stream", "other")]));
}

#[test]
fn a_value_of_one_image_is_not_healed_into_the_same_path_of_another() {
    let path = "p1/Windows/setup.log";
    let outputs = || {
        vec![
            vec![line_of("a", path, None, "nothing was installed here")],
            vec![line_of("b", path, None, "remote access was installed")],
        ]
    };
    let claim = reading("quoted", path, &[("text", "remote access was installed")], 0);
    assert_eq!(refused(verdict(outputs(), &claim)), RejectionCode::Ambiguous);
    let right = reading("quoted", path, &[("text", "remote access was installed")], 1);
    assert!(matches!(verdict(outputs(), &right), Verdict::Grounded { .. }));
}

#[test]
fn an_entry_that_is_counted_in_or_has_another_name_was_not_deleted() {
    let entry = |state: &str| {
        let path = "p1/$Deleted/40-2/plan.txt";
        vec![vec![record(
            "deleted_entry",
            1,
            &[
                ("path", FieldValue::Path(path.into())),
                ("name", FieldValue::Name("plan.txt".into())),
                ("state", FieldValue::Name(state.into())),
            ],
        )]]
    };
    let said = |predicate: &str, state: &str, values: &[(&str, &str)]| {
        verdict(entry(state), &reading(predicate, "", values, 0))
    };
    let name = ("name", "plan.txt");
    for state in ["allocated", "renamed"] {
        let code = refused(said("deleted", state, &[name, ("state", state)]));
        assert_eq!(code, RejectionCode::Overclaim, "{state}");
    }
    assert!(matches!(said("deleted", "deleted", &[name, ("state", "deleted")]), Verdict::Grounded { .. }));
    // Without its state the file could be taken for one that still exists.
    for predicate in ["deleted", "present"] {
        assert_eq!(refused(said(predicate, "deleted", &[name])), RejectionCode::Overclaim, "{predicate}");
    }
}
