//! Tests of the ranking: objectives by weight, then corroborated and rare facts; repetition lowers the rank.

use graph::{Raised, fold, foremost, ranked};
use ledger::{Clock, Condition, FactEntry, FieldValue, Objective, Precision, Predicate, Time, Weight};
use testkit::history::{History, fact, reading};

pub(crate) fn objective(id: &str, subject: &str, weight: Weight) -> Objective {
    Objective {
        id: id.into(),
        question: id.into(),
        applies: None,
        weight,
        searched: Vec::new(),
        or: Vec::new(),
        condition: Condition {
            predicate: Predicate("configured".into()),
            record: "registry_value".into(),
            subject: subject.into(),
            field: "data".into(),
            value: None,
            unless: None,
            earlier: None,
        },
    }
}

/// Builds a history of one task in which each of these facts has its own phenomenon.
fn history(objectives: Vec<Objective>, facts: &[FactEntry]) -> History {
    let mut history = History::opened("T").with_evidence("another");
    history.assigned_with(1, "a", "m", objectives).asked(1, 1).invoked(1, 0);
    for (ordinal, fact) in (0..).zip(facts) {
        history.claimed(1, ordinal, 1, reading("configured", &["v"], None));
        history.accepted(1, ordinal, fact.clone());
        history.phenomenon(1, ordinal, &[fact.id], "");
    }
    history
}

fn of_kind(kind: &str, fact: FactEntry) -> FactEntry {
    FactEntry { kind: kind.into(), ..fact }
}

fn order(history: &History) -> Vec<String> {
    let run = fold(history.events()).unwrap();
    let subject = |it: graph::Ranked<'_>| {
        run.fact(it.phenomenon.facts[0]).unwrap().subject.value.to_text().into_owned()
    };
    ranked(&run).into_iter().map(subject).collect()
}

#[test]
fn a_finding_comes_before_what_any_computer_has_whoever_recorded_it() {
    let facts = [
        fact(1, 0, "k\\host", &[("data", "v")]),
        fact(1, 1, "k\\odd", &[("data", "v")]),
        fact(1, 2, "k\\other", &[("data", "v")]),
    ];
    let objectives =
        vec![objective("host", "*host", Weight::Context), objective("odd", "*odd", Weight::Finding)];
    assert_eq!(order(&history(objectives, &facts)), ["k\\odd", "k\\other", "k\\host"]);
}

#[test]
fn what_another_kind_of_source_names_too_comes_first() {
    let facts = [
        fact(1, 0, "C:\\alone.exe", &[("data", "v")]),
        fact(1, 1, "C:\\tool.exe", &[("data", "v")]),
        of_kind("other_source", fact(1, 2, "D:\\x\\TOOL.EXE", &[("data", "v")])),
    ];
    let order = order(&history(vec![], &facts));
    assert_eq!(order.last().map(String::as_str), Some("C:\\alone.exe"));
}

#[test]
fn ten_things_of_one_kind_do_not_bury_the_one_of_another() {
    let mut facts: Vec<_> = (0..10).map(|n| fact(1, n, &format!("k\\many{n}"), &[("data", "v")])).collect();
    facts.push(fact(1, 10, "k\\single", &[("data", "v")]));
    let objectives =
        vec![objective("many", "*many*", Weight::Finding), objective("single", "*single", Weight::Finding)];
    let order = order(&history(objectives, &facts));
    assert!(order.iter().position(|subject| subject == "k\\single").unwrap() <= 1, "{order:?}");
}

#[test]
fn a_value_that_is_no_path_names_nothing() {
    let mut first = fact(1, 0, "k\\first", &[("data", "same words")]);
    first.values[0].value = FieldValue::Text("same words".into());
    let second = of_kind("other_source", fact(1, 1, "k\\second", &[("data", "same words")]));
    let made = history(vec![], &[first, second]);
    let run = fold(made.events()).unwrap();
    assert!(ranked(&run).iter().all(|it| it.rank.corroborated_by.is_empty()));
}

#[test]
fn what_names_the_thing_of_a_finding_comes_before_what_names_another() {
    let facts = [
        fact(1, 0, "k\\other", &[("data", "v")]),
        fact(1, 1, "x\\scansvc", &[("data", "v")]),
        fact(1, 2, "odd\\SCANSVC", &[("data", "v")]),
    ];
    let made = history(vec![objective("odd", "odd*", Weight::Finding)], &facts);
    assert_eq!(order(&made), ["odd\\SCANSVC", "x\\scansvc", "k\\other"]);
    let run = fold(made.events()).unwrap();
    let all = ranked(&run);
    assert_eq!(all[1].linked_to, Some(all[0].phenomenon.id));
    assert_eq!((all[0].linked_to, all[2].linked_to), (None, None));
}

#[test]
fn what_happened_within_half_an_hour_of_a_finding_comes_before_what_did_not() {
    let at = |text: &str, fact: FactEntry| {
        let mut fact = fact;
        let time = Time {
            utc: Some(text.parse().unwrap()),
            raw: "1".into(),
            clock: Clock::Host,
            precision: Precision::Second,
            zone: None,
        };
        fact.values[0].value = FieldValue::Time(time);
        fact
    };
    let facts = [
        at("2025-01-01T10:31:01Z", fact(1, 0, "k\\later", &[("data", "v")])),
        at("2025-01-01T09:31:00Z", fact(1, 1, "k\\before", &[("data", "v")])),
        at("2025-01-01T10:01:00Z", fact(1, 2, "odd\\thing", &[("data", "v")])),
    ];
    let made = history(vec![objective("odd", "odd*", Weight::Finding)], &facts);
    assert_eq!(order(&made), ["odd\\thing", "k\\before", "k\\later"]);
}

fn at(text: &str, mut fact: FactEntry) -> FactEntry {
    let utc = Some(text.parse().unwrap());
    let time = Time { utc, raw: "1".into(), clock: Clock::Host, precision: Precision::Second, zone: None };
    fact.values[0].value = FieldValue::Time(time);
    fact
}

fn says(kind: &str, predicate: &str, fact: FactEntry) -> FactEntry {
    FactEntry { predicate: Predicate(predicate.into()), ..of_kind(kind, fact) }
}

/// Returns the levels of the first facts, and why they were raised.
fn levels(facts: &[FactEntry]) -> Vec<(String, detect::Level, Option<Raised>)> {
    let made = history(vec![], facts);
    let run = fold(made.events()).unwrap();
    let told = |it: &graph::Foremost<'_>| {
        (it.fact.subject.value.to_text().into_owned(), it.rank.level, it.rank.raised)
    };
    foremost(&run).iter().map(told).collect()
}

#[test]
fn what_is_low_becomes_medium_within_half_an_hour_of_a_high_finding_in_the_same_evidence() {
    use detect::Level::{High, Low, Medium};
    let cleared =
        says("log_cleared", "cleared", at("2025-01-01T10:00:00Z", fact(1, 0, "Security", &[("time", "")])));
    let deleted = |ordinal, name: &str, time: &str| {
        let mut fact = says("deleted_entry", "deleted", at(time, fact(1, ordinal, name, &[("deleted", "")])));
        (fact.subject.field, fact.subject.value) = ("path".into(), FieldValue::Path(name.into()));
        fact
    };
    let near = deleted(1, "p1/Users/a/near.ps1", "2025-01-01T10:29:00Z");
    let far = deleted(2, "p1/Users/a/distant.ps1", "2025-01-01T10:31:00Z");
    let mut elsewhere = deleted(3, "p1/Users/b/another.ps1", "2025-01-01T10:29:00Z");
    elsewhere.locator.evidence = "another".into();
    let all = levels(&[cleared, near.clone(), far, elsewhere]);
    let of = |name: &str| all.iter().find(|it| it.0.contains(name)).map(|it| (it.1, it.2));
    assert_eq!(of("Security"), Some((High, None)));
    assert_eq!(of("near"), Some((Medium, Some(Raised::SameTime))));
    assert_eq!((of("distant"), of("another")), (Some((Low, None)), Some((Low, None))));
    assert_eq!(levels(&[near])[0].1, Low, "where nothing is high nothing is raised");
}

#[test]
fn an_archive_that_a_command_packed_is_medium_where_it_was_deleted() {
    let packed = r"Compress-Archive C:\Users\a\Documents C:\Users\a\q3.zip";
    let mut typed = says("typed_command", "typed", fact(1, 0, packed, &[("line", "1")]));
    typed.subject.field = "command".into();
    let gone = says("recycled_file", "deleted", fact(1, 1, r"C:\Users\a\q3.zip", &[("size", "1")]));
    assert_eq!(levels(&[typed.clone(), gone])[0].2, Some(Raised::Said));
    let other = says("recycled_file", "deleted", fact(1, 1, r"C:\Users\a\q4.zip", &[("size", "1")]));
    assert_eq!(levels(&[typed, other])[0].2, None);
}

#[test]
fn facts_about_one_program_outside_of_windows_share_a_place_among_the_first() {
    let of = |ordinal, name: &str, program: &str| {
        says("service", "persists", fact(1, ordinal, name, &[("image_path", program)]))
    };
    let facts = [
        of(0, "one", r"C:\ProgramData\x\svchost.exe -k a"),
        of(1, "two", r#""D:\ProgramData\X\SVCHOST.EXE" -k b"#),
        of(2, "three", r"C:\ProgramData\y\svchost.exe"),
    ];
    let made = history(vec![], &facts);
    let run = fold(made.events()).unwrap();
    let first = foremost(&run);
    assert_eq!(first.len(), 2, "{first:?}");
    assert_eq!(first[0].more, [facts[1].id]);
}

#[test]
fn one_command_of_two_accounts_or_two_hosts_keeps_two_places() {
    let typed = |ordinal, user: &str, evidence: &str| {
        let line = "net localgroup administrators helper /add";
        let mut fact = says("typed_command", "typed", fact(1, ordinal, line, &[("user", user)]));
        (fact.subject.field, fact.locator.evidence) = ("command".into(), evidence.into());
        fact
    };
    let all = levels(&[typed(0, "a", "host"), typed(1, "b", "host"), typed(2, "a", "another")]);
    assert_eq!(all.len(), 3, "{all:?}");
}

#[test]
fn neither_an_equal_name_in_another_folder_nor_the_file_of_origin_raises_a_level() {
    use detect::Level::{High, Low};
    let history =
        r"C:\Users\a\AppData\Roaming\Microsoft\Windows\PowerShell\PSReadLine\ConsoleHost_history.txt";
    let typed = |ordinal, line: &str| {
        let mut fact = says("typed_command", "typed", fact(1, ordinal, line, &[("path", history)]));
        fact.subject.field = "command".into();
        fact.values[0].value = FieldValue::Path(history.into());
        fact.locator.path = history.into();
        fact
    };
    let high = typed(0, "net localgroup administrators helper /add");
    let packed = typed(1, r"Compress-Archive C:\x C:\Users\a\q3.zip");
    let gone = says("recycled_file", "deleted", fact(1, 2, r"E:\Old\q3.zip", &[("size", "1")]));
    let all = levels(&[high, packed, gone]);
    assert_eq!((all[0].1, all[1].1, all[1].2), (High, Low, None), "{all:?}");
}

#[test]
fn a_local_time_of_an_unknown_zone_is_near_nothing() {
    use detect::Level::Low;
    let local = |mut fact: FactEntry| {
        if let FieldValue::Time(time) = &mut fact.values[0].value {
            time.zone = Some(ledger::time::AssumedZone::Utc);
        }
        fact
    };
    let cleared = at("2025-01-01T10:00:00Z", fact(1, 0, "Security", &[("time", "")]));
    let cleared = local(says("log_cleared", "cleared", cleared));
    let mut gone = at("2025-01-01T10:10:00Z", fact(1, 1, "p1/Users/a/near.ps1", &[("deleted", "")]));
    (gone.subject.field, gone.subject.value) =
        ("path".into(), FieldValue::Path("p1/Users/a/near.ps1".into()));
    let all = levels(&[cleared, says("deleted_entry", "deleted", gone)]);
    assert_eq!((all[1].1, all[1].2), (Low, None), "{all:?}");
}
