//! Tests of the comparison rules, each with what it must distinguish.

use super::*;
use ledger::{ByteSpan, Tier};

const MILLISECOND: i128 = 1_000_000;

fn bound(value: FieldValue) -> BoundValue {
    BoundValue {
        field: "f".into(),
        value,
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(0, 1),
        at: None,
        writer: None,
    }
}

fn is_in(manner: Manner, truth: &TruthValue, value: FieldValue) -> bool {
    Sought::new(truth, manner).is(&Held::new(&bound(value)), MILLISECOND)
}

fn is(truth: &str, value: FieldValue) -> bool {
    is_in(Manner::ByType, &TruthValue::Text(truth.into()), value)
}

fn time(text: &str) -> FieldValue {
    let ticks = text.parse::<Utc>().unwrap().unix_nanoseconds() / 100 + 116_444_736_000_000_000;
    FieldValue::Time(Time::from_filetime(u64::try_from(ticks).unwrap()))
}

fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.into())
}

#[test]
fn times_are_equal_within_the_tolerance_in_any_notation() {
    let held = || time("2012-04-06T19:06:22.1234567Z");
    for (truth, expected) in [
        ("2012-04-06T19:06:22.123Z", true),
        ("2012-04-06T19:06:22.1234567Z", true),
        ("2012-04-06T21:06:22.124+02:00", true),
        ("2012-04-06 19:06:22.1230000", true),
        ("2012-04-06T19:06:22Z", true),
        ("129782127821234567", true),
        ("129782127821230000", true),
        ("129782127821334567", false),
        ("2012-04-06T19:06:22.126Z", false),
        ("2012-04-06T19:06:23.2Z", false),
        ("2012-04-06T21:06:22.123Z", false),
        ("19:06:22", false),
    ] {
        assert_eq!(is(truth, held()), expected, "{truth}");
    }
    let unset = || FieldValue::Time(Time::from_filetime(0));
    assert!(is("0", unset()) && !is("1601-01-01T00:00:00Z", unset()));
    assert!(is("2012-04-06T19:06:22Z", text("2012-04-06T21:06:22+02:00")));
    assert!(!is("2012-04-06T19:06:22Z", text("2012-04-06T19:06:22")), "a time without a zone is no instant");
}

#[test]
fn numbers_are_equal_as_numbers() {
    let number = |number| TruthValue::Number(number);
    for (truth, held, expected) in [
        (number(7601), FieldValue::Integer(7601), true),
        (number(7601), text("7601"), true),
        (number(262_144), FieldValue::Size(262_144), true),
        (TruthValue::Text("0x1db1".into()), FieldValue::Integer(7601), true),
        (TruthValue::Text("7601".into()), text("0x1DB1"), true),
        (number(760), FieldValue::Integer(7601), false),
        (number(7601), text("build 7601 of it"), false),
        (TruthValue::Text("7601".into()), text("7601.win7sp1_gdr.111118-2330"), false),
        (number(1), FieldValue::Flag(true), false),
        (TruthValue::Flag(true), FieldValue::Flag(true), true),
        (TruthValue::Text("False".into()), FieldValue::Flag(false), true),
        (TruthValue::Flag(false), FieldValue::Flag(true), false),
    ] {
        assert_eq!(is_in(Manner::ByType, &truth, held.clone()), expected, "{truth:?} {held:?}");
    }
}

#[test]
fn names_guids_and_hashes_follow_their_type() {
    for (truth, held, expected) in [
        ("NET.EXE", FieldValue::Name("net.exe".into()), true),
        ("net", FieldValue::Name("net.exe".into()), false),
        ("p\u{430}ypal", FieldValue::Name("paypal".into()), false),
        ("{656B1715-ECF6}", FieldValue::Guid("656b1715-ecf6".into()), true),
        ("{656B1715-ECF6", FieldValue::Guid("656b1715-ecf6".into()), false),
        ("ABCDEF01", FieldValue::Hash("abcdef01".into()), true),
        ("ABCDEF0", FieldValue::Hash("abcdef01".into()), false),
        ("s-1-5-18", FieldValue::Sid("S-1-5-18".into()), true),
        ("S-1-5-1", FieldValue::Sid("S-1-5-18".into()), false),
        (r"C:\Windows\net.exe", FieldValue::Path("C/Windows/net.exe".into()), true),
        (r"C:\Windows\net.exe", FieldValue::Path("net.exe".into()), false),
        ("svchost", FieldValue::RegistryPath(r"Run\svchost".into()), true),
        (r"HKLM\Run\svchost", FieldValue::RegistryPath(r"Run\other".into()), false),
    ] {
        assert_eq!(is(truth, held.clone()), expected, "{truth} {held:?}");
    }
}

#[test]
fn a_text_is_equal_or_stands_in_free_text_between_word_boundaries() {
    for (truth, held, expected) in [
        ("Windows 7 Ultimate", "Windows 7 Ultimate", true),
        ("Windows User", "owner: Windows User.", true),
        ("net  user guest", "cmd /c net  user guest /active:yes", true),
        ("Windows User", "Windows Users", false),
        ("Windows User", "windows user", false),
        ("10.3.58.1", "gateway 10.3.58.1,", true),
        ("10.3.58.1", "gateway 10.3.58.10", false),
        ("10.3.58.1", "gateway 10.3.58.1.5", false),
        ("no", "no", true),
        ("no", "there is no such thing", false),
        ("", "", true),
        ("", "something", false),
    ] {
        assert_eq!(is(truth, text(held)), expected, "{truth:?} in {held:?}");
    }
    let list = FieldValue::List(vec!["10.0.0.1".into(), "10.0.0.2".into()]);
    assert!(is("10.0.0.2", list.clone()) && !is("10.0.0.3", list));
}

#[test]
fn of_a_quoted_text_only_the_quoted_words_count() {
    let quoted = BoundValue {
        quotation: Some("net user guest".into()),
        ..bound(text("net user guest /add mimikatz"))
    };
    let is = |truth: &str| {
        Sought::new(&TruthValue::Text(truth.into()), Manner::ByType).is(&Held::new(&quoted), MILLISECOND)
    };
    assert!(is("net user guest") && is("user guest"));
    assert!(!is("mimikatz"));
}

#[test]
fn what_may_be_contained_is_found_in_names_and_paths_too() {
    let contained =
        |truth: &str, held: FieldValue| is_in(Manner::Contained, &TruthValue::Text(truth.into()), held);
    let held = || FieldValue::Name("{F38BF404}\\CMD.exe".into());
    assert!(contained("cmd.exe", held()));
    assert!(!is("cmd.exe", held()));
    assert!(!contained("md.exe", held()));
    assert!(!contained("EXCEL.EXE", FieldValue::Path("C/Office/EXCEL.EXEC".into())));
}
