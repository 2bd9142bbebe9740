//! Registry searches.

use crate::fixture::{Fixture, SOFTWARE, text, wide, write};
use ledger::{Completeness, Outcome};
use serde_json::{Value, json};
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};

fn found(fixture: &Fixture, arguments: Value) -> Vec<String> {
    let returned = fixture.run("search_registry", arguments.clone());
    assert_ne!(returned.outcome, Outcome::Failed, "{arguments}: {:?}", returned.notes);
    let path = |record: &ledger::Record| match record.kind.as_str() {
        "registry_key" => format!("K {}", text(record, "key_path")),
        _ => format!("V {}", text(record, "value_path")),
    };
    returned.records.iter().map(path).collect()
}

#[test]
fn names_and_data_are_searched_where_it_is_asked() {
    let fixture = Fixture::new();
    let narrow = b"\x00\x01evil in bytes\xff".to_vec();
    let root = KeySpec::new("ROOT")
        .path("a\\Evil key\\below", KeySpec::new("").value(ValueSpec::binary("narrow", &narrow)))
        .path("a\\b", KeySpec::new("").value(ValueSpec::sz("evil name", "x")).value(ValueSpec::dword("n", 7)))
        .path("a\\c", KeySpec::new("").value(ValueSpec::binary("wide", &wide("an EVIL text"))))
        .path("a\\d", KeySpec::new("").value(ValueSpec::multi_sz("many", &["x", "evil"])));
    write(fixture.root(), "D/hive", &HiveSpec::new(root).build().bytes);
    let within = |place: &str| found(&fixture, json!({ "text": "evil", "in": place, "hive": "D/hive" }));
    let (key, name) = ("K a\\Evil key", "V a\\b\\evil name");
    let data = ["V a\\Evil key\\below\\narrow", "V a\\c\\wide", "V a\\d\\many"];
    assert_eq!(within("key_name"), [key]);
    assert_eq!(within("value_name"), [name]);
    assert_eq!(within("data").len(), 3);
    assert!(data.iter().all(|path| within("data").contains(&(*path).to_owned())));
    assert_eq!(within("any").len(), 5);
    let exact = json!({ "text": "evil", "ignore_case": false, "hive": "D/hive", "in": "key_name" });
    assert!(found(&fixture, exact).is_empty());
    let path = json!({ "text": "a\\evil", "hive": "D/hive" });
    assert_eq!(found(&fixture, path), [key]);
    let below = json!({ "text": "evil", "hive": "D/hive", "under": "A/b" });
    assert_eq!(found(&fixture, below), [name]);
    // Everything: the two hives with the word, ordered by path.
    assert!(
        found(&fixture, json!({ "text": "evil" }))
            .contains(&"V Microsoft\\Windows\\CurrentVersion\\Run\\svchost".to_owned())
    );
}

#[test]
fn a_key_of_the_live_registry_limits_the_search_to_the_hives_that_can_hold_it() {
    let fixture = Fixture::new();
    let all = found(&fixture, json!({ "text": "micros", "in": "key_name" }));
    assert_eq!(all.len(), 2);
    let machine = json!({ "text": "micros", "in": "key_name", "key": "HKLM\\SOFTWARE" });
    assert_eq!(found(&fixture, machine), ["K Microsoft"]);
    let current =
        json!({ "text": "computer", "key": "HKLM\\SYSTEM\\CurrentControlSet\\Control", "in": "key_name" });
    assert_eq!(found(&fixture, current).len(), 2);
    let users = fixture.ok("search_registry", json!({ "text": "micros", "key": "HKCU\\Software" }));
    assert_eq!(users.records.len(), 1);
    assert!(users.notes.iter().any(|note| note.contains("any user's hive")), "{:?}", users.notes);
    for (key, says) in [
        ("HKLM\\SAM\\SAM", "\"key\": nothing of the evidence stands for"),
        ("HKCR\\.exe", "HKLM\\SOFTWARE\\Classes"),
        ("HKU\\S-1-5-21-9\\Software", "nothing of the evidence stands for"),
    ] {
        let returned = fixture.run("search_registry", json!({ "text": "xx", "key": key }));
        assert_eq!(returned.outcome, Outcome::Failed, "{key}");
        assert!(returned.notes[0].contains(says), "{key}: {:?}", returned.notes);
    }
}

#[test]
fn last_write_times_limit_the_search() {
    let fixture = Fixture::new();
    let with = |name: &str, time: &str| {
        found(&fixture, json!({ "text": "svchost", "in": "value_name", name: time }))
    };
    let hit = "V Microsoft\\Windows\\CurrentVersion\\Run\\svchost";
    assert_eq!(with("written_after", "2012-04-04T00:00:00Z"), [hit]);
    assert!(with("written_after", "2012-04-07T00:00:00Z").is_empty());
    assert!(with("written_before", "2012-04-03T00:00:00+02:00").is_empty());
    let naive = fixture.run("search_registry", json!({ "text": "xx", "written_after": "2012-04-03" }));
    assert!(naive.notes[0].contains("such as 2025-03-01T00:00:00Z"), "{:?}", naive.notes);
    let turned = json!({ "text": "xx", "written_after": "2012-04-03T00:00:00Z", "written_before": "2012-04-02T00:00:00Z" });
    assert!(fixture.run("search_registry", turned).notes[0].contains("no earlier than"));
}

#[test]
fn pages_join_to_the_whole_and_only_a_whole_and_clean_search_is_complete() {
    let fixture = Fixture::new();
    let sound =
        KeySpec::new("r").path("hit one\\hit two", KeySpec::new("").value(ValueSpec::sz("hit three", "hit")));
    let sound = sound.path("hit four\\x", KeySpec::new("").value(ValueSpec::sz("a", "hit five")));
    write(fixture.root(), "sound", &HiveSpec::new(sound).build().bytes);
    let clean = fixture.ok("search_registry", json!({ "text": "hit", "hive": "sound", "limit": 2000 }));
    assert_eq!((clean.records.len(), clean.completeness), (5, Completeness::Complete));
    let mut joined = Vec::new();
    for offset in (0..clean.records.len()).step_by(3) {
        let page = fixture
            .run("search_registry", json!({ "text": "hit", "hive": "sound", "limit": 3, "offset": offset }));
        assert_eq!(page.completeness, Completeness::Truncated);
        joined.extend(page.records);
    }
    assert_eq!(joined, clean.records);
    let dirty = fixture.run("search_registry", json!({ "text": "absent", "hive": SOFTWARE }));
    assert_eq!((dirty.outcome, dirty.completeness), (Outcome::Empty, Completeness::Truncated));
    let all = fixture.run("search_registry", json!({ "text": "absent" }));
    assert!(all.gaps.iter().any(|gap| gap.path == "C/Users/Ann/cut-hive"), "{:?}", all.gaps);
    let mut built = crate::fixture::system().build();
    let list = built.subkey_lists["ControlSet001\\Control"];
    built.put(list, b"xx");
    write(fixture.root(), "damaged", &built.bytes);
    let damaged = fixture.run("search_registry", json!({ "text": "absent", "hive": "damaged" }));
    assert_eq!((damaged.defects.is_empty(), damaged.completeness), (false, Completeness::Truncated));
}

#[test]
fn data_that_many_values_share_ends_the_page_and_not_the_search() {
    let fixture = Fixture::new();
    let keys = (0..40).map(|index| {
        KeySpec::new(&format!("k{index:02}")).value(ValueSpec::binary("hit", &vec![7; 1 << 20]))
    });
    write(fixture.root(), "large", &HiveSpec::new(keys.fold(KeySpec::new("r"), KeySpec::key)).build().bytes);
    let first = fixture.ok("search_registry", json!({ "text": "hit", "hive": "large" }));
    assert!(first.records.len() < 40 && first.completeness == Completeness::Truncated);
    let next = first.records.len();
    assert!(first.notes[0].contains(&format!("\"offset\": {next}")), "{:?}", first.notes);
    let rest = fixture.ok("search_registry", json!({ "text": "hit", "hive": "large", "offset": next }));
    assert_eq!(first.records.len() + rest.records.len(), 40);
}
