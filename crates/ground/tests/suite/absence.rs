//! When a search shows that something is absent, and when it does not.

use ground::{AbsenceVerdict, Held, Search, Searchable, Shelf, judge_absence, mentions};
use ledger::absence::UnreadLogs;
use ledger::{
    Absence, AbsenceClaim, AbsenceForm, AbsenceId, BoundValue, ByteSpan, Completeness, Coverage, Digest,
    FactEntry, FieldValue, IdSpace, InvocationId, Locator, Outcome, Predicate, RecordId, RejectionCode, Seed,
    TaskId, Tier,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn ids() -> IdSpace {
    IdSpace::new(Seed(Digest::of(b"absence")))
}

fn id(ordinal: u32) -> InvocationId {
    InvocationId::assign(&ids(), TaskId(1), ordinal).unwrap()
}

fn coverage() -> BTreeMap<String, Vec<Coverage>> {
    let names = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<BTreeMap<_, _>>()
    };
    let find = Coverage {
        form: AbsenceForm::File,
        members: names(&[("name", "name"), ("under", "under"), ("evidence", "evidence")]),
        required: BTreeMap::from([("offset".to_owned(), json!(0))]),
        free: vec!["limit".into()],
        reach: None,
    };
    let key = Coverage {
        form: AbsenceForm::RegistryKey,
        members: names(&[("hive", "hive"), ("key", "key"), ("evidence", "evidence")]),
        required: BTreeMap::new(),
        free: vec!["depth".into(), "logs".into()],
        reach: None,
    };
    let text = Coverage {
        form: AbsenceForm::Text,
        members: names(&[("text", "text"), ("under", "under"), ("evidence", "evidence")]),
        required: BTreeMap::from([("ignore_case".to_owned(), json!(true))]),
        free: vec![],
        reach: None,
    };
    BTreeMap::from([
        ("find_files".to_owned(), vec![find]),
        ("parse_registry_key".to_owned(), vec![key]),
        ("search_text".to_owned(), vec![text]),
    ])
}

fn search(tool: &str, arguments: Value) -> Held {
    Held {
        invocation: id(0),
        summary: tool.to_owned(),
        search: Search {
            logs: None,
            near: Vec::new(),
            tool: tool.to_owned(),
            arguments: Some(arguments),
            completeness: Completeness::Complete,
            whole: true,
        },
        outcome: Outcome::Empty,
        output: None,
        shown: Vec::new(),
    }
}

fn verdict(claim: &AbsenceClaim, shelf: &Shelf) -> AbsenceVerdict {
    let evidence = BTreeSet::from(["host-1".to_owned(), "host-2".to_owned()]);
    let id = AbsenceId::assign(&ids(), TaskId(1), 0).unwrap();
    judge_absence(
        claim,
        id,
        shelf,
        &Searchable { coverage: &coverage(), evidence: &evidence, as_it_stands: true },
    )
}

fn judge(held: Held, absence: Absence) -> Result<Absence, RejectionCode> {
    let mut shelf = Shelf::default();
    shelf.push(held);
    let claim = AbsenceClaim { absence, searches: vec![id(0).to_string()] };
    match verdict(&claim, &shelf) {
        AbsenceVerdict::Covered(covered) => Ok(covered.into_entry().absence),
        AbsenceVerdict::Refused(rejection) => Err(rejection.code),
    }
}

fn file(name: &str, under: &str) -> Absence {
    Absence::File { near: Vec::new(), name: name.into(), under: under.into(), evidence: None }
}

#[test]
fn a_search_for_no_less_covers_an_absence() {
    for (searched, absence) in [
        (json!({"name": "mimikatz.exe", "offset": 0, "limit": 9}), file("Mimikatz.EXE", "")),
        (
            json!({"name": "*.pf", "under": "C/Windows", "offset": 0}),
            file("CMD.EXE-1.pf", "C/Windows/Prefetch"),
        ),
        (json!({"name": "*.pf", "under": "C/Windows"}), file("*.PF", "C/Windows")),
        (json!({"under": "C/Temp"}), file("a.exe", "C/Temp/x")),
        (json!({"name": "a*", "extension": null}), file("abc", "anywhere")),
    ] {
        // The absence is about the folder that was searched: a link below it leads elsewhere.
        let Absence::File { name, .. } = &absence else { panic!("{absence:?}") };
        let under = searched["under"].as_str().unwrap_or_default();
        let told = Ok(file(name, under));
        assert_eq!(judge(search("find_files", searched.clone()), absence), told, "{searched}");
    }
    let key = |key: &str| Absence::RegistryKey {
        as_it_stands: false,
        near: Vec::new(),
        hive: "C/SYSTEM".into(),
        key: key.into(),
        evidence: None,
    };
    let searched = json!({"hive": "C/SYSTEM", "key": "Select\\Gone", "depth": 2});
    for absent in [key("select\\gone"), key("Select\\Gone\\Below")] {
        assert!(judge(search("parse_registry_key", searched.clone()), absent).is_ok());
    }
    let text = Absence::Text { text: "the Password".into(), under: "C/Users/eve".into(), evidence: None };
    let searched = json!({"text": "password", "under": "C/Users", "ignore_case": true});
    assert!(judge(search("search_text", searched), text).is_ok());
}

#[test]
fn a_search_for_less_or_for_something_else_covers_nothing() {
    for (searched, absence) in [
        (json!({"name": "mimi.exe"}), file("mimikatz.exe", "")),
        (json!({"name": "*.pf", "under": "C/Windows/Prefetch"}), file("a.pf", "C/Windows")),
        (json!({"name": "*.pf", "under": "C/Win"}), file("a.pf", "C/Windows")),
        (json!({"name": "*.pf", "offset": 50}), file("a.pf", "")),
        (json!({"name": "*.pf", "min_size": 1}), file("a.pf", "")),
        (json!({"name": "a.exe"}), file("*.exe", "")),
        (json!({"name": "Users/*/a.exe"}), file("a.exe", "")),
        (json!({"name": "[ab].exe"}), file("b.exe", "")),
    ] {
        let code = judge(search("find_files", searched.clone()), absence);
        assert_eq!(code, Err(RejectionCode::CoverageMissing), "{searched}");
    }
    let key = |hive: &str, key: &str| Absence::RegistryKey {
        as_it_stands: false,
        near: Vec::new(),
        hive: hive.into(),
        key: key.into(),
        evidence: None,
    };
    let searched = json!({"hive": "C/SYSTEM", "key": "Select\\Gone"});
    for absent in
        [key("C/SYSTEM", "Select"), key("C/SOFTWARE", "Select\\Gone"), key("C/SYSTEM", "Select\\Gone2")]
    {
        assert!(judge(search("parse_registry_key", searched.clone()), absent).is_err());
    }
    let text = |text: &str| Absence::Text { text: text.into(), under: String::new(), evidence: None };
    let searched = |ignore| json!({"text": "password", "ignore_case": ignore});
    assert!(judge(search("search_text", searched(true)), text("pass")).is_err());
    assert!(judge(search("search_text", searched(false)), text("password")).is_err());
    assert!(judge(search("read_file", json!({})), text("password")).is_err());
}

#[test]
fn only_a_search_that_is_whole_complete_and_empty_covers() {
    let good = || search("find_files", json!({"name": "a.exe"}));
    let mut others = [good(), good(), good(), good(), good()];
    others[0].outcome = Outcome::Ok;
    others[1].outcome = Outcome::Failed;
    others[2].outcome = Outcome::Timeout;
    others[3].search.completeness = Completeness::Truncated;
    others[4].search.whole = false;
    for held in others {
        assert_eq!(judge(held, file("a.exe", "")), Err(RejectionCode::CoverageMissing));
    }
    let mut unread = good();
    unread.search.arguments = None;
    assert_eq!(judge(unread, file("a.exe", "")), Err(RejectionCode::CoverageMissing));
}

#[test]
fn an_absence_speaks_of_the_evidence_that_was_searched() {
    let of = |label: Option<&str>| Absence::File {
        near: Vec::new(),
        name: "a".into(),
        under: String::new(),
        evidence: label.map(str::to_owned),
    };
    let one = || search("find_files", json!({"name": "a", "evidence": "host-1"}));
    let all = || search("find_files", json!({"name": "a"}));
    assert_eq!(judge(one(), of(None)), Ok(of(Some("host-1"))));
    assert_eq!(judge(one(), of(Some("host-1"))), Ok(of(Some("host-1"))));
    assert_eq!(judge(one(), of(Some("host-2"))), Err(RejectionCode::CoverageMissing));
    assert_eq!(judge(all(), of(Some("host-2"))), Ok(of(Some("host-2"))));
    assert_eq!(judge(all(), of(Some("host-3"))), Err(RejectionCode::CoverageMissing));
}

#[test]
fn a_claim_that_cites_nothing_real_is_refused_by_its_code() {
    let shelf = Shelf::default();
    let code = |searches: Vec<String>, what: &str| {
        let claim = AbsenceClaim { absence: file(what, ""), searches };
        match verdict(&claim, &shelf) {
            AbsenceVerdict::Refused(rejection) => rejection.code,
            AbsenceVerdict::Covered(covered) => panic!("{covered:?}"),
        }
    };
    assert_eq!(code(vec![], "a"), RejectionCode::Malformed);
    assert_eq!(code(vec![id(7).to_string()], ""), RejectionCode::Malformed);
    assert_eq!(code(vec![id(7).to_string()], "a"), RejectionCode::UnknownInvocation);
    assert_eq!(code(vec!["inv-nonsense".into()], "a"), RejectionCode::UnknownInvocation);
}

#[test]
fn an_absence_tells_the_place_as_it_was_searched() {
    // If one folder has both `Tools` and `tools`, or `C` and `C%3A`, only one of them was searched.
    for (searched, claimed, told) in [
        ("Tools", "tools", "Tools"),
        ("C%3A/Users", "C:\\users\\eve", "C%3A/Users"),
        ("C/Users", "c:\\USERS\\Eve", "C/Users"),
        ("", "C:\\Users", ""),
    ] {
        let held = search("find_files", json!({"name": "a.exe", "under": searched}));
        assert_eq!(judge(held, file("a.exe", claimed)), Ok(file("a.exe", told)), "{claimed}");
    }
    let key = |hive: &str| Absence::RegistryKey {
        as_it_stands: false,
        near: Vec::new(),
        hive: hive.into(),
        key: "A".into(),
        evidence: None,
    };
    let held = search("parse_registry_key", json!({"hive": "Users/Bob/NTUSER.DAT", "key": "A"}));
    assert_eq!(judge(held, key("users/bob/ntuser.dat")), Ok(key("Users/Bob/NTUSER.DAT")));
}

#[test]
fn a_name_that_only_looks_the_same_was_not_searched() {
    for (searched, absence) in [
        // Names in different Unicode normal forms are different names on disk.
        (json!({"name": "e\u{301}.exe"}), file("\u{e9}.exe", "")),
        (json!({"name": "\u{130}"}), file("i\u{307}", "")),
        // Names with control characters are written differently, and other escapes are never written.
        (json!({"name": "a?b"}), file("a\nb", "")),
        (json!({"name": "a%{b"}), file("a%{b", "")),
        (json!({"name": "%{41}.exe"}), file("%{41}.exe", "")),
        // A pattern of a whole path begins at the root.
        (json!({"name": "/Windows/a.exe", "under": "C"}), file("/Windows/a.exe", "C")),
        (json!({"name": "/D:/a.exe"}), file("/D:/a.exe", "")),
        // Dots lead elsewhere, and only the root has drives.
        (json!({"name": "a.exe", "under": "C/Users"}), file("a.exe", "C/Users/../Windows")),
        (json!({"name": "a.exe", "under": "x/a:"}), file("a.exe", "x/a")),
        (json!({"name": "a.exe", "under": "x/a%3A"}), file("a.exe", "x/a")),
        (json!({"name": "a.exe", "under": "re\u{301}sume\u{301}"}), file("a.exe", "r\u{e9}sum\u{e9}")),
    ] {
        assert!(judge(search("find_files", searched.clone()), absence).is_err(), "{searched}");
    }
    for name in ["a%{0A}b", "/Windows/a.exe"] {
        assert!(judge(search("find_files", json!({"name": name})), file(name, "")).is_ok(), "{name}");
    }
    let key = |key: &str| Absence::RegistryKey {
        as_it_stands: false,
        near: Vec::new(),
        hive: "S".into(),
        key: key.into(),
        evidence: None,
    };
    for (searched, claimed) in [
        ("Classes\\image\\png", "Classes\\image/png"),
        ("Volumes\\C", "Volumes\\C:"),
        ("Volumes\\C%3A", "Volumes\\C"),
        ("e\u{301}", "\u{e9}"),
        ("kiosk", "\u{212a}iosk"),
    ] {
        let held = search("parse_registry_key", json!({"hive": "S", "key": searched}));
        assert!(judge(held, key(claimed)).is_err(), "{claimed} by {searched}");
    }
    let text = |text: &str| Absence::Text { text: text.into(), under: String::new(), evidence: None };
    for (searched, claimed) in
        [("kb", "\u{212a}b"), ("i\u{307}", "\u{130}"), ("\u{3b1}\u{3c2}", "\u{391}\u{3a3}")]
    {
        let held = search("search_text", json!({"text": searched, "ignore_case": true}));
        assert!(judge(held, text(claimed)).is_err(), "{claimed} by {searched}");
    }
    for (searched, claimed) in [("kB", "Kb"), ("gr\u{fc}n", "GR\u{dc}N"), ("\u{212a}x", "\u{212a}X")] {
        let held = search("search_text", json!({"text": searched, "ignore_case": true}));
        assert!(judge(held, text(claimed)).is_ok(), "{claimed} by {searched}");
    }
}

fn fact(value: FieldValue) -> FactEntry {
    let bound = |value| BoundValue {
        field: "data".into(),
        value,
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(0, 1),
        at: None,
        writer: None,
    };
    FactEntry {
        placement: None,
        id: ledger::FactId::assign(&ids(), TaskId(1), 0).unwrap(),
        predicate: Predicate("configured".into()),
        subject: bound(FieldValue::RegistryPath("ProfileList\\S-1-5-21-1".into())),
        values: vec![bound(value)],
        invocation: id(0),
        output: Digest::of(b"o"),
        record: RecordId(0),
        kind: "registry_value".into(),
        locator: Locator { evidence: "e".into(), path: "p".into(), stream: None, span: None },
        shown: true,
    }
}

#[test]
fn a_fact_names_its_values_and_the_parts_of_its_paths_and_nothing_within_a_word() {
    let path = fact(FieldValue::Text("C:\\Users\\mara".into()));
    for named in ["mara", "MARA", "C:/Users/Mara", "S-1-5-21-1"] {
        assert!(mentions(&path, named), "{named}");
    }
    for not_named in ["", "mar", "amara", "Users\\mar", "S-1-5-21", "eve"] {
        assert!(!mentions(&path, not_named), "{not_named}");
    }
    assert!(!mentions(&fact(FieldValue::Text("12/31/2020".into())), "2020"), "a date is no path");
    assert!(mentions(&fact(FieldValue::Text("https://cdn.example/a.exe".into())), "cdn.example"));
    assert!(mentions(&fact(FieldValue::List(vec!["10.0.0.1".into(), "10.0.0.2".into()])), "10.0.0.2"));
    assert!(!mentions(&fact(FieldValue::List(vec!["10.0.0.1".into()])), "10.0.0"));
}

#[test]
fn a_short_name_that_no_listing_shows_is_not_absent() {
    for name in ["MIMIKA~1.EXE", "progra~2", "/p1/DOCUME~1", "a~?.txt"] {
        assert!(judge(search("find_files", json!({"name": name})), file(name, "")).is_err(), "{name}");
    }
    for name in ["~$plan.docx", "backup~1.tar.gz", "notes~", "a ~1 of many.txt"] {
        assert!(judge(search("find_files", json!({"name": name})), file(name, "")).is_ok(), "{name}");
    }
}

#[test]
fn what_is_near_and_has_no_room_in_an_absence_is_counted() {
    let near: Vec<String> = (0..12).map(|number| format!("a stream: C/{number:02}.txt:a.exe")).collect();
    let told = |number: usize| {
        let held = search("find_files", json!({ "name": "a.exe" }));
        let near = near.iter().take(number).cloned().collect();
        let absence = judge(Held { search: Search { near, ..held.search }, ..held }, file("a.exe", ""));
        absence.unwrap().near().to_vec()
    };
    assert_eq!(told(8), near[..8]);
    let crowded = told(12);
    assert_eq!(crowded[..7], near[..7]);
    assert_eq!(crowded[7..], ["5 more things near it".to_owned()]);
}

/// Returns an absence of a key, from the hive file as it stands or from the hive as Windows would read it.
fn gone(as_it_stands: bool) -> Absence {
    let (hive, key) = ("C/SYSTEM".to_owned(), "Select\\Gone".to_owned());
    Absence::RegistryKey { hive, key, evidence: None, as_it_stands, near: Vec::new() }
}

/// Returns a search for that key that left these transaction logs unread.
fn of_hive(logs: Option<UnreadLogs>, more: Value) -> Held {
    let mut arguments = json!({"hive": "C/SYSTEM", "key": "Select\\Gone", "depth": 0});
    arguments.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    let mut held = search("parse_registry_key", arguments);
    if logs.is_some() {
        (held.search.completeness, held.search.whole) = (Completeness::Truncated, false);
    }
    held.search.logs = logs;
    held
}

fn refused(held: Held, absence: Absence) -> (String, String) {
    let mut shelf = Shelf::default();
    shelf.push(held);
    let claim = AbsenceClaim { absence, searches: vec![id(0).to_string()] };
    match verdict(&claim, &shelf) {
        AbsenceVerdict::Refused(rejection) => (rejection.reason, rejection.hint),
        AbsenceVerdict::Covered(covered) => panic!("{covered:?}"),
    }
}

/// Returns the arguments of the call that a hint names after the tool's name.
fn named(hint: &str, tool: &str) -> Value {
    let (_, after) = hint.split_once(&format!("{tool} {{")).unwrap_or_else(|| panic!("{hint}"));
    serde_json::Deserializer::from_str(&format!("{{{after}")).into_iter().next().unwrap().unwrap()
}

#[test]
fn a_hive_without_its_logs_lacks_a_key_as_it_stands_and_not_otherwise() {
    for logs in [UnreadLogs::Missing, UnreadLogs::NotApplied] {
        let held = || of_hive(Some(logs), json!({"logs": "applied"}));
        let told = judge(held(), gone(true)).unwrap();
        assert!(told.is_as_it_stands());
        assert!(told.to_string().contains("as it stands, without what its transaction logs hold"), "{told}");
        let (reason, hint) = refused(held(), gone(false));
        assert!(reason.contains("read the hive as it stands"), "{reason}");
        let call = named(&hint, "record_absence");
        let expected = json!({"form": "registry_key", "hive": "C/SYSTEM", "key": "Select\\Gone",
            "as_it_stands": true, "searches": [id(0).to_string()]});
        assert_eq!(call, expected);
        assert!(!hint.contains("parse_registry_key"), "its logs were not left out on request: {hint}");
    }
    let asked_so = of_hive(Some(UnreadLogs::NotApplied), json!({"logs": "ignored"}));
    let (_, hint) = refused(asked_so, gone(false));
    assert_eq!(
        named(&hint, "parse_registry_key"),
        json!({"hive": "C/SYSTEM", "key": "Select\\Gone"}),
        "it can be searched with them"
    );
}

#[test]
fn a_hive_that_was_read_with_its_logs_or_is_clean_says_nothing_of_itself_as_it_stands() {
    let held = || of_hive(None, json!({"logs": "applied"}));
    assert!(!judge(held(), gone(false)).unwrap().is_as_it_stands());
    let (reason, hint) = refused(held(), gone(true));
    assert!(reason.contains("what Windows would read"), "{reason}");
    let call = named(&hint, "record_absence");
    assert_eq!((&call["as_it_stands"], &call["key"]), (&Value::Null, &json!("Select\\Gone")));
}

#[test]
fn a_hive_whose_logs_were_read_in_part_lacks_nothing_in_either_way() {
    for stands in [false, true] {
        let (reason, hint) = refused(of_hive(Some(UnreadLogs::InPart), json!({})), gone(stands));
        assert!(reason.contains("in part only"), "{reason}");
        let call = named(&hint, "parse_registry_key");
        assert_eq!(call, json!({"hive": "C/SYSTEM", "key": "Select\\Gone", "logs": "ignored"}));
    }
}

#[test]
fn a_hive_as_it_stands_is_searched_for_no_less_than_any_other() {
    let held = |more: Value| of_hive(Some(UnreadLogs::Missing), more);
    for more in [json!({"key": "Select\\Other"}), json!({"hive": "C/SOFTWARE"}), json!({"last": 3})] {
        assert_eq!(judge(held(more.clone()), gone(true)), Err(RejectionCode::CoverageMissing), "{more}");
    }
    let mut found = held(json!({}));
    found.outcome = Outcome::Ok;
    assert_eq!(judge(found, gone(true)), Err(RejectionCode::CoverageMissing));
    let mut cut = of_hive(None, json!({}));
    (cut.search.completeness, cut.search.whole) = (Completeness::Truncated, false);
    for stands in [false, true] {
        assert_eq!(judge(cut.clone(), gone(stands)), Err(RejectionCode::CoverageMissing));
    }
}

#[test]
fn searches_of_two_kinds_cover_neither_absence() {
    let mut shelf = Shelf::default();
    let mut clean = of_hive(None, json!({}));
    clean.invocation = id(1);
    shelf.push(of_hive(Some(UnreadLogs::Missing), json!({})));
    shelf.push(clean);
    for stands in [false, true] {
        let searches = vec![id(0).to_string(), id(1).to_string()];
        let claim = AbsenceClaim { absence: gone(stands), searches };
        assert!(matches!(verdict(&claim, &shelf), AbsenceVerdict::Refused(_)));
    }
}

#[test]
fn a_run_from_before_refuses_as_it_did() {
    let mut shelf = Shelf::default();
    shelf.push(of_hive(Some(UnreadLogs::Missing), json!({"logs": "applied"})));
    let judged = |stands| {
        let evidence = BTreeSet::new();
        let before = Searchable { coverage: &coverage(), evidence: &evidence, as_it_stands: false };
        let claim = AbsenceClaim { absence: gone(stands), searches: vec![id(0).to_string()] };
        match judge_absence(&claim, AbsenceId::assign(&ids(), TaskId(1), 0).unwrap(), &shelf, &before) {
            AbsenceVerdict::Refused(rejection) => rejection,
            AbsenceVerdict::Covered(covered) => panic!("{covered:?}"),
        }
    };
    assert!(judged(false).reason.ends_with("stopped before the end, so it shows no absence"));
    assert_eq!(judged(true).code, RejectionCode::Malformed);
}
