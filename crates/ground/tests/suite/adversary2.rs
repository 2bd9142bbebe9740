//! Claims by an adversary against rules that were relaxed: rescues, quotations, spellings and derivations.

use ground::{
    Adding, Basis, DerivationVerdict, Held, Search, Setting, Shelf, Verdict, judge, judge_derivation, recheck,
};
use ledger::{
    BoundValue, ByteSpan, ClaimedValue, Completeness, Derivation, Digest, FactEntry, FactId, Field,
    FieldValue, GateRules, IdSpace, InvocationId, Locator, Outcome, Output, Predicate, Reading, Record,
    RecordId, RecordType, RejectionCode, Seed, TaskId, Term, Tier, Vocabulary, Writer, Writers,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn space() -> IdSpace {
    IdSpace::new(Seed(Digest::of(b"adversary")))
}

fn id(ordinal: u32) -> InvocationId {
    InvocationId::assign(&space(), TaskId(1), ordinal).unwrap()
}

fn record(kind: &str, path: &str, offset: u64, fields: &[(&str, FieldValue)]) -> Record {
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
            path: path.into(),
            stream: None,
            span: Some(ByteSpan::new(offset, 1)),
        },
    }
}

/// The fields that limit a count.
const SCOPE: [&str; 4] = ["counted", "values", "first", "incomplete"];

/// A call: the arguments that it was run with, and what it returned.
type Call = (Value, Vec<Record>);

fn verdict(calls: Vec<Call>, reading: &Reading) -> Verdict {
    let subjects = [
        ("registry_value", "value_path"),
        ("text_line", "path"),
        ("dir_entry", "path"),
        ("record_count", "source"),
    ];
    let types: BTreeMap<String, RecordType> = subjects
        .map(|(name, subject)| {
            let (name, subject, meaning) = (name.to_owned(), subject.into(), String::new());
            let (fields, qualifiers) = (BTreeMap::new(), Vec::new());
            let scope = if name == "record_count" { SCOPE.map(str::to_owned).to_vec() } else { Vec::new() };
            (name.clone(), RecordType { name, meaning, subject, fields, qualifiers, scope })
        })
        .into();
    let mut shelf = Shelf::default();
    for (ordinal, (arguments, records)) in (0..).zip(calls) {
        let outcome = if records.is_empty() { Outcome::Empty } else { Outcome::Ok };
        let arguments = Some(arguments).filter(|all| !all.is_null());
        let completeness = Completeness::Complete;
        shelf.push(Held {
            invocation: id(ordinal),
            summary: "t".to_owned(),
            search: Search {
                logs: None,
                near: Vec::new(),
                tool: "read".into(),
                arguments,
                completeness,
                whole: true,
            },
            outcome,
            output: (!records.is_empty()).then(|| Arc::new(Output::new(records).unwrap())),
            shown: vec![],
        });
    }
    let (rules, vocabulary, writers) =
        (GateRules::default(), Vocabulary::shipped().unwrap(), Writers::default());
    let setting = Setting {
        rules: &rules,
        vocabulary: &vocabulary,
        types: &types,
        writers: &writers,
        by_reference: true,
        dated: true,
    };
    let verdict = judge(reading, FactId::assign(&space(), TaskId(1), 0).unwrap(), &shelf, &setting);
    if let Verdict::Grounded { fact, .. } = &verdict {
        let output = shelf.get(fact.entry().invocation).unwrap().output.clone().unwrap();
        recheck(fact.entry(), &output, &vocabulary, &types, &writers).unwrap();
        // Without the limiting fields a fact says more than its record.
        for field in SCOPE {
            let mut entry = fact.entry().clone();
            entry.values.retain(|value| value.field != field);
            let holds = recheck(&entry, &output, &vocabulary, &types, &writers).is_ok();
            assert_eq!(holds, entry == *fact.entry(), "{field}");
        }
    }
    verdict
}

fn reading(predicate: &str, subject: &str, values: &[(&str, &str)]) -> Reading {
    let value = |(field, value): &(&str, &str)| ClaimedValue {
        field: (!field.is_empty()).then(|| (*field).to_owned()),
        value: (*value).to_owned(),
    };
    Reading {
        fields: Vec::new(),
        predicate: predicate.into(),
        subject: subject.into(),
        values: values.iter().map(value).collect(),
        invocation: id(0).to_string(),
        record: None,
    }
}

fn code(verdict: &Verdict) -> Option<RejectionCode> {
    match verdict {
        Verdict::Refused(rejection) => Some(rejection.code),
        Verdict::Grounded { .. } => None,
    }
}

fn value_of(hive: &str, path: &str, data: FieldValue, offset: u64) -> Record {
    let name = path.rsplit('\\').next().unwrap();
    let fields = [
        ("value_path", FieldValue::RegistryPath(path.into())),
        ("name", FieldValue::Name(name.into())),
        ("value_type", FieldValue::Name("REG_DWORD".into())),
        ("data", data),
    ];
    record("registry_value", hive, offset, &fields)
}

fn line(path: &str, text: &str) -> Record {
    let fields = [("path", FieldValue::Path(path.into())), ("text", FieldValue::Text(text.into()))];
    record("text_line", path, 1, &fields)
}

fn quote_of(text: &str, words: &str) -> Option<RejectionCode> {
    code(&verdict(vec![(Value::Null, vec![line("a.log", text)])], &reading("quoted", "", &[("text", words)])))
}

#[test]
fn a_count_is_never_told_without_what_was_counted() {
    let count = || {
        let fields = [
            ("source", FieldValue::Path("Security.evtx".into())),
            ("count", FieldValue::Integer(102)),
            ("counted", FieldValue::Name("logon".into())),
            ("by", FieldValue::List(vec!["account".into()])),
            ("values", FieldValue::List(vec!["mara".into()])),
            ("incomplete", FieldValue::Name("damage".into())),
        ];
        vec![(Value::Null, vec![record("record_count", "Security.evtx", 1, &fields)])]
    };
    let fields =
        |claimed: &[(&str, &str)]| match verdict(count(), &reading("counted", "Security.evtx", claimed)) {
            Verdict::Grounded { fact, .. } => {
                fact.entry().values.iter().map(|value| value.field.clone()).collect::<Vec<_>>().join(",")
            }
            Verdict::Refused(rejection) => rejection.reason,
        };
    assert_eq!(fields(&[("count", "102"), ("counted", "logon")]), "count,counted,values,incomplete");
    assert_eq!(fields(&[("count", "102"), ("values", "mara")]), "count,values,counted,incomplete");
    // Two counts with the same number are two facts: the claim must say which one it means.
    let mut several = count();
    if let Some((_, records)) = several.first_mut() {
        let mut other = records[0].clone();
        other.fields.insert("values".into(), Field { at: None, value: FieldValue::List(vec!["ann".into()]) });
        records.push(other);
    }
    let unclear = reading("counted", "Security.evtx", &[("count", "102"), ("counted", "logon")]);
    assert_eq!(code(&verdict(several, &unclear)), Some(RejectionCode::Ambiguous));
    assert_ne!(fields(&[("count", "103"), ("counted", "logon")]), "count,counted,values,incomplete");
}

#[test]
fn telling_values_that_many_records_share_heal_nothing() {
    let start = |service: &str, start, offset| {
        value_of("SYSTEM", &format!(r"Services\{service}\Start"), FieldValue::Integer(start), offset)
    };
    let calls = || vec![(Value::Null, vec![start("Good", 4, 1)]), (Value::Null, vec![start("Evil", 2, 2)])];
    let values = [("name", "Start"), ("value_type", "REG_DWORD"), ("data", "2")];
    // The cited service has start type 4; the value of another service is no healing.
    assert_eq!(code(&verdict(calls(), &reading("configured", "", &values))), Some(RejectionCode::Ambiguous));
    let named = reading("configured", r"Services\Evil\Start", &values);
    assert_eq!(code(&verdict(calls(), &named)), None);
}

#[test]
fn words_that_two_lines_share_are_not_healed_by_the_number_of_one() {
    let numbered = |text: &str, number: u64| {
        let mut line = line("setup.log", text);
        line.locator.span = Some(ByteSpan::new(number, 1));
        line.fields.insert("line".into(), Field { at: None, value: FieldValue::Integer(number.into()) });
        (Value::Null, vec![line])
    };
    let calls = || {
        vec![numbered("remote access was removed by mara", 5), numbered("then remote access was removed", 70)]
    };
    let said =
        |words: &str| code(&verdict(calls(), &reading("quoted", "", &[("text", words), ("line", "70")])));
    assert_eq!(said("remote access was removed"), Some(RejectionCode::Ambiguous));
    assert_eq!(said("then remote access was"), None);
}

#[test]
fn words_of_one_users_file_are_not_healed_into_the_same_file_of_another() {
    let path = |user: &str| format!("p1/Users/{user}/setup.log");
    let words = "remote access was installed";
    let calls = || {
        let of = |user: &str, text: &str| {
            (json!({"evidence": "host", "path": path(user)}), vec![line(&path(user), text)])
        };
        vec![of("alice", "nothing to see here"), of("bob", words)]
    };
    let said = |subject: &str, more: &[(&str, &str)]| {
        let values = [&[("text", words)], more].concat();
        code(&verdict(calls(), &reading("quoted", subject, &values)))
    };
    assert_eq!(said("", &[]), Some(RejectionCode::Ambiguous));
    // A claim that states the file's path means that file.
    assert_eq!(said(&path("bob"), &[]), None);
    assert_eq!(said("", &[("path", &path("bob"))]), None);
}

#[test]
fn what_was_searched_below_one_users_folder_is_not_healed_into_that_of_another() {
    let program = r"C:\Temp\mimikatz.exe";
    let found = |user: &str| {
        let data = FieldValue::Text(program.into());
        value_of(&format!("p1/Users/{user}/NTUSER.DAT"), r"Software\Run\mimikatz", data, 1)
    };
    let claim = reading("configured", r"Software\Run\mimikatz", &[("data", program)]);
    let below = |user: &str| json!({"evidence": "host", "under": format!("p1/Users/{user}")});
    let of_other = vec![(below("alice"), vec![]), (below("bob"), vec![found("bob")])];
    assert_eq!(code(&verdict(of_other, &claim)), Some(RejectionCode::Ambiguous));
    // If the call searched everything, or the same folder, the citation was mistyped.
    for arguments in [json!({"evidence": "host", "under": ""}), below("bob")] {
        let calls = vec![(arguments, vec![]), (Value::Null, vec![found("bob")])];
        assert_eq!(code(&verdict(calls, &claim)), None);
    }
}

#[test]
fn a_point_inside_a_word_ends_no_clause() {
    for (text, words) in [
        ("The host did not run evil.exe successfully", "successfully"),
        ("never saw 10.0.0.5 connected", "connected"),
    ] {
        assert_eq!(quote_of(text, words), Some(RejectionCode::ValueAbsent), "{words}");
    }
    assert_eq!(quote_of("It did not run. Later it was allowed", "allowed"), None);
}

#[test]
fn a_quotation_leaves_no_negation_before_it() {
    for (text, words) in [
        ("Es wurde keine Verbindung hergestellt", "Verbindung hergestellt"),
        ("Die Anmeldung war niemals erfolgreich", "erfolgreich"),
        ("The installer failed to remove the agent", "remove the agent"),
        ("The client was unable to connect", "connect"),
    ] {
        assert_eq!(quote_of(text, words), Some(RejectionCode::ValueAbsent), "{words}");
        assert_eq!(quote_of(text, text), None);
    }
    assert_eq!(quote_of("Logon failed for user bob", "user bob"), None);
    assert_eq!(quote_of("moved to C:\\nie\\x", "C:\\nie\\x"), None);
}

#[test]
fn a_name_goes_on_over_the_marks_that_hide_it() {
    for (text, words) in
        [("net user admin$ Passw0rd /add", "net user admin"), ("del C:\\PROGRA~1\\x", "C:\\PROGRA")]
    {
        assert_eq!(quote_of(text, words), Some(RejectionCode::ValueAbsent), "{words}");
    }
    assert_eq!(quote_of("net user admin$ Passw0rd /add", "net user admin$"), None);
    assert_eq!(quote_of("echo $env:TEMP", "env:TEMP"), None);
}

#[test]
fn a_long_text_full_of_refused_places_is_searched_once() {
    let text = "no allowed ".repeat(100_000);
    assert_eq!(quote_of(&text, "allowed"), Some(RejectionCode::ValueAbsent));
}

#[test]
fn a_long_claim_costs_nothing_in_short_texts() {
    let lines = (0..20_000).map(|number| {
        let mut line = line("a.log", &format!("caf\u{e9} {number}"));
        line.locator.span = Some(ByteSpan::new(number, 1));
        line
    });
    let words = "\u{e9}t\u{e9} ".repeat(8_000);
    let claim = reading("quoted", "", &[("text", &words)]);
    let judged = verdict(vec![(Value::Null, lines.collect())], &claim);
    assert_eq!(code(&judged), Some(RejectionCode::ValueAbsent));
}

#[test]
fn a_key_may_be_written_as_shells_and_editors_show_it() {
    let hive = "C/Windows/System32/config/SOFTWARE";
    let run = r"Microsoft\Windows\CurrentVersion\Run\Updater";
    let data = || FieldValue::Text(r"C:\Temp\up.exe".into());
    let said = |subject: &str| {
        let calls = vec![(Value::Null, vec![value_of(hive, run, data(), 1)])];
        code(&verdict(calls, &reading("configured", subject, &[("data", r"C:\Temp\up.exe")])))
    };
    for root in ["HKLM:", r"Computer\HKEY_LOCAL_MACHINE", r"\HKLM", "hklm"] {
        assert_eq!(said(&format!(r"{root}\SOFTWARE\{run}")), None, "{root}");
    }
    for other in ["HKCU:", r"Computer\HKEY_USERS", r"Computer", "HKLMX:"] {
        assert_eq!(said(&format!(r"{other}\SOFTWARE\{run}")), Some(RejectionCode::ValueAbsent), "{other}");
    }
}

#[test]
fn a_hive_that_is_kept_aside_is_mounted_nowhere() {
    let program = || FieldValue::Text(r"C:\Temp\up.exe".into());
    let said = |hive: &str, subject: &str| {
        let calls = vec![(Value::Null, vec![value_of(hive, r"Microsoft\Run\Updater", program(), 1)])];
        code(&verdict(calls, &reading("configured", subject, &[("data", r"C:\Temp\up.exe")])))
    };
    let live = r"HKLM\SOFTWARE\Microsoft\Run\Updater";
    for folder in ["p1/Windows/System32/config/RegBack", "C/Windows.old/WINDOWS/System32/config"] {
        let hive = format!("{folder}/SOFTWARE");
        assert_eq!(said(&hive, live), Some(RejectionCode::ValueAbsent), "{hive}");
        assert_eq!(said(&hive, r"Microsoft\Run\Updater"), None, "{hive}");
    }
    assert_eq!(said("p1/Windows/System32/config/SOFTWARE", live), None);
}

#[test]
fn keys_and_folders_that_every_user_may_write_are_no_administrators() {
    let writers = Writers::shipped().unwrap();
    let of = |hive: &str, key: &str| {
        let fields = [("key_path", FieldValue::RegistryPath(key.into()))];
        let hive = format!("p1/Windows/System32/config/{hive}");
        writers.written(&record("registry_value", &hive, 1, &fields)).unwrap().by("data")
    };
    for (hive, key) in [
        ("SOFTWARE", r"WOW6432Node\Microsoft\Tracing\x_RASAPI32"),
        ("SOFTWARE", r"Microsoft\DRM"),
        ("SYSTEM", r"ControlSet001\Services\Dnscache\Performance"),
        ("SYSTEM", r"ControlSet001\Services\RpcEptMapper\Performance"),
    ] {
        assert_eq!(of(hive, key), Writer::AnyUser, "{key}");
    }
    assert_eq!(of("SOFTWARE", r"Microsoft\Windows\CurrentVersion\Run"), Writer::Administrator);
    let file = |path: &str| {
        let fields = [("text", FieldValue::Text("x".into()))];
        writers.written(&record("text_line", path, 1, &fields)).unwrap().by("text")
    };
    assert_eq!(file("p1/Windows/System32/Tasks_Migrated/x"), Writer::AnyUser);
}

#[test]
fn a_letter_that_only_looks_like_one_of_ascii_is_another() {
    let kelvin = "\u{212a}ernel32.dll";
    let said = |held: &str, claimed: &str| {
        let path = format!("C/Temp/{held}");
        let entry = record("dir_entry", &path, 1, &[("path", FieldValue::Path(path.clone()))]);
        let claim = reading("present", "", &[("path", &format!("C/Temp/{claimed}"))]);
        code(&verdict(vec![(Value::Null, vec![entry])], &claim))
    };
    assert_eq!(said(kelvin, "kernel32.dll"), Some(RejectionCode::ValueAbsent));
    assert_eq!(said("kernel32.dll", kelvin), Some(RejectionCode::ValueAbsent));
    assert_eq!(said(kelvin, "\u{212a}ERNEL32.DLL"), None);
    assert_eq!(quote_of("loads kernel32.dll", "\u{212a}ernel32.dll"), Some(RejectionCode::ValueAbsent));
    assert_eq!(quote_of("loads Kernel32.dll", kelvin), Some(RejectionCode::ValueAbsent));
    assert_eq!(quote_of("loads \u{212a}ernel32.dll", kelvin), None);
}

#[test]
fn a_drive_behind_its_namespace_is_the_folder_of_the_copy_too() {
    let entry =
        record("dir_entry", "C/Users/x.exe", 1, &[("path", FieldValue::Path("C/Users/x.exe".into()))]);
    for (path, expected) in [
        (r"\\?\C:\Users\x.exe", None),
        (r"\??\C:\Users\x.exe", None),
        (r"\??\D:\Users\x.exe", Some(RejectionCode::ValueAbsent)),
        (r"\\C\Users\x.exe", Some(RejectionCode::ValueAbsent)),
    ] {
        let calls = vec![(Value::Null, vec![entry.clone()])];
        assert_eq!(code(&verdict(calls, &reading("present", "", &[("path", path)]))), expected, "{path}");
    }
}

fn fact(number: u32, path: &str, value: FieldValue) -> FactEntry {
    let bound = |field: &str, value| BoundValue {
        field: field.into(),
        value,
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(0, 1),
        at: None,
        writer: None,
    };
    FactEntry {
        placement: None,
        id: format!("fact-{number:08x}").parse().unwrap(),
        predicate: Predicate("recorded".into()),
        subject: bound("name", FieldValue::Name(format!("n{number}"))),
        values: vec![bound("v", value)],
        invocation: "inv-00000001".parse().unwrap(),
        output: Digest::of(b"output"),
        record: RecordId(number),
        kind: "event".into(),
        locator: Locator {
            evidence: "host".into(),
            path: path.into(),
            stream: None,
            span: Some(ByteSpan::new(number.into(), 1)),
        },
        shown: true,
    }
}

fn basis() -> Basis<'static> {
    Basis { adding: Adding::Disjoint, follows_dots: true, clocks: None }
}

fn derived(facts: &[FactEntry], form: impl Fn(Vec<Term>) -> Derivation) -> bool {
    let terms = facts.iter().map(|fact| Term { fact: fact.id, field: "v".into() }).collect();
    let known = |id| facts.iter().find(|fact: &&FactEntry| fact.id == id);
    let verdict = judge_derivation(&form(terms), "der-00000001".parse().unwrap(), &basis(), known);
    matches!(verdict, DerivationVerdict::Derived(_))
}

/// Returns whether two values are the same, and whether they are different.
fn compared(one: FieldValue, other: FieldValue) -> (bool, bool) {
    let facts = [fact(0, "a", one), fact(1, "b", other)];
    (
        derived(&facts, |terms| Derivation::Same { terms }),
        derived(&facts, |terms| Derivation::Different { terms }),
    )
}

#[test]
fn what_may_be_two_spellings_of_one_thing_is_not_surely_different() {
    let key = |text: &str| FieldValue::RegistryPath(text.into());
    let path = |text: &str| FieldValue::Path(text.into());
    let name = |text: &str| FieldValue::Name(text.into());
    let text = |text: &str| FieldValue::Text(text.into());
    let hash = |digits: usize| FieldValue::Hash("ab".repeat(digits));
    for (one, other) in [
        // One of them begins at the root of its hive.
        (key(r"HKLM\SOFTWARE\Microsoft\Run"), key(r"Microsoft\Run")),
        (key(r"Microsoft\Run"), key(r"HKLM\SOFTWARE\Microsoft\Run")),
        (path(r"C:\Windows\x.exe"), path("p1/Windows/x.exe")),
        (path(r"%SystemRoot%\x.exe"), path(r"C:\Windows\x.exe")),
        (path(r"\Device\HarddiskVolume2\Windows\x.exe"), path(r"C:\Windows\X.EXE")),
        (path(r"C:\PROGRA~1\x.exe"), path(r"C:\Program Files\x.exe")),
        (path(r"C:\a\LONGNA~1.EXE"), path(r"C:\a\longname.exe")),
        (text(r"c:\temp\a.exe"), path(r"C:\Temp\A.exe")),
        (text("BOB"), name("bob")),
        // Digests of two kinds may belong to one file.
        (hash(16), hash(20)),
    ] {
        assert_eq!(compared(one.clone(), other.clone()), (false, false), "{one:?} {other:?}");
    }
    for (one, other) in [
        (key(r"HKLM\SOFTWARE\A"), key(r"HKLM\SOFTWARE\B")),
        (key(r"Microsoft\A"), key(r"Microsoft\B")),
        (path(r"C:\a\x.exe"), path(r"C:\b\x.exe")),
        (path(r"C:\a\x.exe"), path(r"D:\a\x.exe")),
        (path("p1/a/x.exe"), path("p1/a/y.exe")),
        (path(r"C:\a\x.exe"), path("p1/a/y.exe")),
        (text("bob"), name("alice")),
        (text("a"), text("A")),
    ] {
        assert_eq!(compared(one.clone(), other.clone()), (false, true), "{one:?} {other:?}");
    }
}

#[test]
fn one_value_of_the_evidence_is_added_up_once() {
    let sum = |facts: &[FactEntry]| derived(facts, |terms| Derivation::Sum { terms, total: 600 });
    let first = fact(0, "a", FieldValue::Size(300));
    let second = fact(1, "a", FieldValue::Size(300));
    assert!(sum(&[first.clone(), second]));
    // Recorded twice, it is still one size, whichever output it comes from.
    let twice = FactEntry { id: "fact-00000007".parse().unwrap(), output: Digest::of(b"o"), ..first.clone() };
    assert!(!sum(&[first, twice]));
}
