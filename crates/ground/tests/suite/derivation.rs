//! Derivations: what facts say together is checked by their values, and nothing is read into them.

use ground::{Adding, Basis, DerivationVerdict, judge_derivation};
use ledger::{
    AssumedZone, BoundValue, ByteSpan, Clock, Derivation, DerivationId, Digest, FactEntry, FactId,
    FieldValue, Locator, Placement, Precision, Predicate, RecordId, RejectionCode, Term, Tier, Time,
};

fn id(number: u32) -> FactId {
    format!("fact-{number:08x}").parse().unwrap()
}

fn bound(field: &str, value: FieldValue) -> BoundValue {
    BoundValue {
        field: field.into(),
        value,
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(0, 1),
        at: None,
        writer: None,
    }
}

fn fact(number: u32, values: Vec<BoundValue>) -> FactEntry {
    FactEntry {
        placement: None,
        id: id(number),
        predicate: Predicate("recorded".into()),
        subject: bound("name", FieldValue::Name(format!("n{number}"))),
        values,
        invocation: "inv-00000001".parse().unwrap(),
        output: Digest::of(b"output"),
        record: RecordId(0),
        kind: "event".into(),
        locator: Locator { evidence: "host".into(), path: "log".into(), stream: None, span: None },
        shown: true,
    }
}

fn time(text: &str, precision: Precision) -> Time {
    Time { utc: Some(text.parse().unwrap()), raw: "1".into(), clock: Clock::Host, precision, zone: None }
}

fn at(text: &str, precision: Precision) -> FieldValue {
    FieldValue::Time(time(text, precision))
}

/// Returns one fact for each value, all in the field `v`.
fn facts(values: Vec<FieldValue>) -> Vec<FactEntry> {
    (0..).zip(values).map(|(number, value)| fact(number, vec![bound("v", value)])).collect()
}

fn terms(count: usize) -> Vec<Term> {
    (0..).take(count).map(|number| Term { fact: id(number), field: "v".into() }).collect()
}

fn judged(derivation: &Derivation, facts: &[FactEntry]) -> Option<RejectionCode> {
    judged_by(derivation, facts, &Basis { adding: Adding::Disjoint, follows_dots: true, clocks: None })
}

fn judged_by(derivation: &Derivation, facts: &[FactEntry], basis: &Basis<'_>) -> Option<RejectionCode> {
    let known = |id| facts.iter().find(|fact| fact.id == id);
    let id = "der-00000001".parse::<DerivationId>().unwrap();
    match judge_derivation(derivation, id, basis, known) {
        DerivationVerdict::Derived(derived) => {
            assert_eq!(derived.entry().derivation, *derivation);
            None
        }
        DerivationVerdict::Refused(rejection) => {
            assert!(!rejection.reason.is_empty() && !rejection.hint.is_empty());
            Some(rejection.code)
        }
    }
}

fn same(values: Vec<FieldValue>) -> Option<RejectionCode> {
    judged(&Derivation::Same { terms: terms(values.len()) }, &facts(values))
}

fn different(values: Vec<FieldValue>) -> Option<RejectionCode> {
    judged(&Derivation::Different { terms: terms(values.len()) }, &facts(values))
}

fn order(values: Vec<FieldValue>) -> Option<RejectionCode> {
    judged(&Derivation::Order { terms: terms(values.len()) }, &facts(values))
}

fn path(text: &str) -> FieldValue {
    FieldValue::Path(text.into())
}

fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.into())
}

const NOT: Option<RejectionCode> = Some(RejectionCode::NotDerived);

#[test]
fn values_are_the_same_as_their_type_allows_and_no_further() {
    assert_eq!(same(vec![path("C:\\Temp\\A.exe"), path("c:/temp/a.EXE")]), None);
    assert_eq!(same(vec![path("C:\\Temp\\a.exe"), path("D:\\Temp\\a.exe")]), NOT);
    assert_eq!(same(vec![text("Run"), text("run")]), NOT);
    assert_eq!(same(vec![FieldValue::Hash("AB".into()), FieldValue::Hash("ab".into())]), None);
    assert_eq!(same(vec![FieldValue::Integer(300), FieldValue::Size(300)]), None);
    // Values of different types are compared character by character.
    assert_eq!(same(vec![text("C:\\a"), path("C:\\a")]), None);
    assert_eq!(same(vec![text("c:\\a"), path("C:\\a")]), NOT);
    assert_eq!(same(vec![text("a"), text("a"), text("b")]), NOT);
}

#[test]
fn values_that_cannot_be_compared_are_neither_the_same_nor_different() {
    let mixed = || vec![text("300"), FieldValue::Integer(300)];
    assert_eq!(same(mixed()), Some(RejectionCode::WrongField));
    assert_eq!(different(mixed()), Some(RejectionCode::WrongField));
    let lists = || vec![FieldValue::List(vec!["a".into()]), FieldValue::List(vec!["a".into()])];
    assert_eq!(same(lists()), Some(RejectionCode::WrongField));
}

#[test]
fn times_are_the_same_as_far_as_the_coarser_tells_and_different_only_surely() {
    let fine = || at("2012-04-04T01:58:40.8392490Z", Precision::Filetime);
    let second = || at("2012-04-04T01:58:40Z", Precision::Second);
    let next = || at("2012-04-04T01:58:41Z", Precision::Second);
    assert_eq!((same(vec![fine(), second()]), different(vec![fine(), second()])), (None, NOT));
    assert_eq!((same(vec![fine(), next()]), different(vec![fine(), next()])), (NOT, None));
    assert_eq!(different(vec![path("a"), path("b"), path("A")]), NOT);
}

#[test]
fn an_order_holds_only_where_no_precision_can_turn_it() {
    let second = |text: &str| at(text, Precision::Second);
    let (one, two) = ("2012-04-04T01:58:40Z", "2012-04-04T01:58:41Z");
    assert_eq!(order(vec![second(one), second(two)]), None);
    assert_eq!(order(vec![second(two), second(one)]), NOT);
    assert_eq!(order(vec![second(one), second(one)]), NOT);
    // The two-second precision of FAT reaches past the next second.
    assert_eq!(order(vec![at(one, Precision::TwoSeconds), second(two)]), NOT);
    assert_eq!(order(vec![second(one), second(two), second(one)]), NOT);
}

#[test]
fn a_span_counts_everything_that_the_times_may_mean() {
    let within = |seconds, values: Vec<FieldValue>| {
        judged(&Derivation::Within { terms: terms(values.len()), seconds }, &facts(values))
    };
    let pair =
        || vec![at("2012-04-04T01:58:40Z", Precision::Second), at("2012-04-04T01:58:42Z", Precision::Second)];
    assert_eq!((within(3, pair()), within(2, pair())), (None, NOT));
    let exact = |text: &str| at(text, Precision::Nanosecond);
    let pair = || vec![exact("2012-04-04T01:58:42Z"), exact("2012-04-04T01:58:40Z")];
    assert_eq!((within(2, pair()), within(1, pair())), (None, NOT));
}

#[test]
fn a_path_lies_below_another_by_whole_names_of_one_piece_of_evidence() {
    let below =
        |values: Vec<FieldValue>| judged(&Derivation::Below { terms: terms(values.len()) }, &facts(values));
    let key = |text: &str| FieldValue::RegistryPath(text.into());
    let wrong = Some(RejectionCode::WrongField);
    for (values, expected) in [
        (vec![path("p1/Users"), path(r"p1\Users\mara"), path("p1/Users/mara/a.txt")], None),
        (vec![path("p1/Dir"), path("p1/dir/a.txt")], NOT),
        (vec![path("p1/Users"), path("p1/Users-old/mara")], NOT),
        (vec![path("p1/Users/mara"), path("p1/Users")], NOT),
        (vec![path("p1/Users"), path("p1/users/")], NOT),
        (vec![path(""), path("p1/users/")], NOT),
        (vec![key(r"Software\Run"), key(r"software\run\a")], None),
        (vec![key(r"Software\Run"), key(r"software\running\a")], NOT),
        (vec![path("Software"), key(r"Software\Run")], wrong),
        (vec![text("p1"), path("p1/users")], wrong),
        (vec![path("p1"), FieldValue::Integer(1)], wrong),
    ] {
        assert_eq!(below(values.clone()), expected, "{values:?}");
    }
    let mut others = facts(vec![path("p1/Users"), path("p1/Users/mara")]);
    others[1].locator.evidence = "other".into();
    assert_eq!(judged(&Derivation::Below { terms: terms(2) }, &others), NOT);
    let mut of_hives = facts(vec![key(r"Microsoft\Windows"), key(r"Microsoft\Windows\Run")]);
    of_hives[1].locator.path = "another/SOFTWARE".into();
    assert_eq!(judged(&Derivation::Below { terms: terms(2) }, &of_hives), NOT);
}

#[test]
fn numbers_add_up_or_do_not() {
    let sum = |total, values: Vec<FieldValue>| {
        judged(&Derivation::Sum { terms: terms(values.len()), total }, &facts(values))
    };
    let numbers = || vec![FieldValue::Integer(-1), FieldValue::Size(300), FieldValue::Integer(2)];
    assert_eq!((sum(301, numbers()), sum(300, numbers())), (None, NOT));
    assert_eq!(sum(301, vec![text("301"), FieldValue::Integer(0)]), Some(RejectionCode::WrongField));
}

#[test]
fn a_time_of_another_clock_or_of_no_known_zone_is_compared_with_nothing() {
    let host = || at("2012-04-04T01:58:41Z", Precision::Second);
    let second = || time("2012-04-04T01:58:40Z", Precision::Second);
    for odd in [
        Time { zone: Some(AssumedZone::Utc), ..second() },
        Time { clock: Clock::CollectionCopy, ..second() },
        Time { utc: None, ..second() },
    ] {
        let pair = vec![FieldValue::Time(odd), host()];
        assert_eq!(order(pair.clone()), Some(RejectionCode::NaiveTime), "{pair:?}");
        assert_eq!(same(pair), Some(RejectionCode::NaiveTime));
    }
}

#[test]
fn of_a_quotation_only_the_quoted_words_are_compared() {
    let quoted = |number, words: &str, whole: &str| {
        let value =
            BoundValue { quotation: Some(words.into()), tier: Tier::Quoted, ..bound("v", text(whole)) };
        fact(number, vec![value])
    };
    let same = Derivation::Same { terms: terms(2) };
    let facts = [quoted(0, "net user", "net user a"), quoted(1, "net user", "net user b")];
    assert_eq!(judged(&same, &facts), None);
    let facts = [quoted(0, "net user", "same text"), quoted(1, "net group", "same text")];
    assert_eq!(judged(&same, &facts), NOT);
}

#[test]
fn what_does_not_name_two_values_of_known_facts_is_refused() {
    let all = facts(vec![text("a"), text("a")]);
    let same = |terms| judged(&Derivation::Same { terms }, &all);
    assert_eq!(same(terms(1)), Some(RejectionCode::Malformed));
    assert_eq!(same([terms(1), terms(1)].concat()), Some(RejectionCode::Malformed));
    assert_eq!(same(terms(65)), Some(RejectionCode::Malformed));
    assert_eq!(same(terms(3)), Some(RejectionCode::UnknownFact));
    let field = Term { fact: id(1), field: "w".into() };
    assert_eq!(same([terms(1), vec![field]].concat()), Some(RejectionCode::WrongField));
}

#[test]
fn a_field_with_several_values_names_none_of_them() {
    let two = fact(0, vec![bound("v", text("a")), bound("v", text("b"))]);
    let all = [two, fact(1, vec![bound("v", text("a"))])];
    assert_eq!(judged(&Derivation::Same { terms: terms(2) }, &all), Some(RejectionCode::Ambiguous));
}

/// Returns a count of `counted` records of the file `path`, by these fields with these values.
fn count(number: u32, path: &str, counted: &str, by: &[&str], values: &[&str]) -> FactEntry {
    let list = |items: &[&str]| FieldValue::List(items.iter().map(|item| (*item).to_owned()).collect());
    let values = vec![
        bound("v", FieldValue::Integer(4)),
        bound("counted", FieldValue::Name(counted.into())),
        bound("by", list(by)),
        bound("values", list(values)),
    ];
    let mut fact = fact(number, values);
    (fact.kind, fact.predicate) = ("record_count".into(), Predicate("counted".into()));
    (fact.locator.path, fact.record) = (path.into(), RecordId(number));
    fact
}

/// Returns how many times a source has in the hours between two instants.
fn bucket(number: u32, source: &str, from: &str, to: &str) -> FactEntry {
    let values = vec![
        bound("v", FieldValue::Integer(4)),
        bound("from", at(from, Precision::Second)),
        bound("to", at(to, Precision::Second)),
    ];
    let mut fact = fact(number, values);
    (fact.kind, fact.predicate) = ("time_bucket".into(), Predicate("counted".into()));
    (fact.subject, fact.record) = (bound("source", FieldValue::Name(source.into())), RecordId(number));
    fact
}

#[test]
fn counts_are_added_only_where_no_record_can_be_in_two_of_them() {
    let log = "Logs/Security.evtx";
    let by_account =
        |number, account: &str| count(number, log, "logon", &["record", "account"], &["logon", account]);
    let all = |number| count(number, log, "logon", &["record"], &["logon"]);
    let in_file = |number, path: &str| count(number, path, "logon", &["record"], &["logon"]);
    let loose = |number| FactEntry {
        placement: Some(Placement::Elsewhere),
        ..in_file(number, "Users/mara/Downloads/logons.evtx")
    };
    let mut copy = in_file(1, log);
    copy.locator.evidence = "other".into();
    let (first, second) =
        (("2025-09-17T08:00:00Z", "2025-09-17T08:59:59Z"), ("2025-09-17T09:00:00Z", "2025-09-17T09:59:59Z"));
    let hour = |number, source: &str, (from, to): (&str, &str)| bucket(number, source, from, to);
    let without_span = |number| {
        let mut fact = hour(number, "event_log", first);
        fact.values.truncate(1);
        fact
    };
    for (one, other, added, why) in [
        (by_account(0, "ann"), by_account(1, "bob"), true, "accounts"),
        (by_account(0, "ann"), by_account(1, "ann"), false, "one account twice"),
        (by_account(0, "ann"), all(1), false, "a part and the whole"),
        (all(0), all(1), false, "the whole twice, by calls that were narrowed"),
        (
            all(0),
            count(1, log, "failed_logon", &["record"], &["failed_logon"]),
            false,
            "types that may share",
        ),
        (in_file(0, log), in_file(1, "Logs/Old.evtx"), true, "files"),
        (in_file(0, log), in_file(1, "Logs/Security (2).evtx"), false, "a copy of a log"),
        (in_file(0, "Logs/Copy of Security.evtx"), in_file(1, log), false, "a copy of a log, named so"),
        (in_file(0, log), in_file(1, "Logs/Archive-Security-2025-09-17.evtx"), true, "an archive of a log"),
        (in_file(0, log), in_file(1, "Logs/Microsoft-Windows-Security-Audit%4Log.evtx"), true, "another log"),
        (in_file(0, "Logs/P%4Device.evtx"), in_file(1, "Logs/P.evtx"), true, "a log below another channel"),
        (in_file(0, log), loose(1), false, "a file that anybody can have put there"),
        (
            by_account(0, "ann"),
            FactEntry { placement: Some(Placement::Elsewhere), ..by_account(1, "bob") },
            true,
            "accounts of a copy",
        ),
        (in_file(0, "Logs"), in_file(1, log), false, "a folder and its file"),
        (in_file(0, "Log"), in_file(1, log), true, "a folder of a like name"),
        (in_file(0, log), copy, true, "pieces of evidence"),
        (hour(0, "event_log", first), hour(1, "event_log", second), true, "hours"),
        (hour(0, "event_log", first), hour(1, "event_log", first), false, "an hour twice"),
        (hour(0, "event_log", first), hour(1, "prefetch", first), true, "sources"),
        (without_span(0), hour(1, "event_log", second), false, "a span that is not stated"),
    ] {
        let sum = Derivation::Sum { terms: terms(2), total: 8 };
        assert_eq!(judged(&sum, &[one, other]).is_none(), added, "{why}");
    }
}

#[test]
fn runs_from_before_copies_were_told_apart_are_judged_as_they_were() {
    let in_file = |number, path: &str| count(number, path, "logon", &["record"], &["logon"]);
    let counts = [in_file(0, "Logs/Security.evtx"), in_file(1, "Logs/Security (2).evtx")];
    let sum = Derivation::Sum { terms: terms(2), total: 8 };
    let paths = facts(vec![path("C:/a"), path("C:/a/../b")]);
    let below = Derivation::Below { terms: terms(2) };
    let former = Basis { adding: Adding::OfOtherFiles, follows_dots: false, clocks: None };
    assert_eq!((judged_by(&sum, &counts, &former), judged_by(&below, &paths, &former)), (None, None));
    assert_eq!((judged(&sum, &counts), judged(&below, &paths)), (NOT, NOT));
    // A replay tells models what they were told in the run.
    let twice = [in_file(0, "Logs/Security.evtx"), in_file(1, "Logs/Security.evtx")];
    let known = |id| twice.iter().find(|fact| fact.id == id);
    let id = "der-00000001".parse::<DerivationId>().unwrap();
    let DerivationVerdict::Refused(rejection) = judge_derivation(&sum, id, &former, known) else { panic!() };
    let hint = "Add counts of one type by the same fields with other values, or of other files.";
    assert_eq!(rejection.hint, hint);
}

#[test]
fn of_a_path_that_leads_back_nothing_follows_from_its_letters() {
    assert_eq!(different(vec![path("C:\\a\\..\\b"), path("C:\\b")]), NOT);
    assert_eq!(different(vec![path("C:\\a\\.\\b"), path("C:\\a\\b")]), NOT);
    assert_eq!(different(vec![path("C:\\a..b"), path("C:\\b")]), None);
}
