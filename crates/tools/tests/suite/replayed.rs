//! Hives with their logs applied, and remnants in free space.

use crate::fixture::{Fixture, SOFTWARE, SYSTEM, text, write};
use ledger::absence::{UnreadLogs, near_in, unread_logs};
use ledger::{Completeness, Outcome, Record};
use serde_json::json;
use testkit::hive::{HiveSpec, KeySpec, LogEntry, ValueSpec, new_log};

const HIVE: &str = "C/Users/Ann/NTUSER.DAT";

fn state(program: &str, more: u32) -> Vec<u8> {
    let run = KeySpec::new("Run")
        .value(ValueSpec::sz("start", program))
        .value(ValueSpec::sz("same", "c:\\same.exe"));
    let filler =
        (0..more).map(|n| KeySpec::new(&format!("k{n:03}")).value(ValueSpec::binary("b", &[7; 400])));
    let root = filler.fold(KeySpec::new("ROOT"), KeySpec::key);
    let root =
        root.key(KeySpec::new("Environment")).path("Software\\Microsoft\\Windows\\CurrentVersion\\Run", run);
    let mut spec = HiveSpec::new(root);
    (spec.primary, spec.secondary) = (6, 5);
    spec.build().bytes
}

/// Makes a dirty hive whose log replaces the program in its Run key.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let (before, after) = (state("c:\\old.exe", 40), state("c:\\new.exe", 40));
    write(fixture.root(), HIVE, &before);
    let log = new_log(&before, &[LogEntry::between(&before, &after, 5)]);
    write(fixture.root(), &format!("{HIVE}.LOG1"), &log);
    write(fixture.root(), &format!("{HIVE}.LOG2"), b"");
    fixture
}

fn value<'r>(records: &'r [Record], name: &str) -> &'r Record {
    records.iter().find(|record| record.kind == "registry_value" && text(record, "name") == name).unwrap()
}

#[test]
fn both_states_can_be_read_and_each_record_says_which() {
    let fixture = fixture();
    let key = "Software\\Microsoft\\Windows\\CurrentVersion\\Run";
    for (logs, state, program) in [("applied", "replayed", "c:\\new.exe"), ("ignored", "base", "c:\\old.exe")]
    {
        let returned = fixture.ok("parse_registry_key", json!({ "hive": HIVE, "key": key, "logs": logs }));
        assert!(returned.records.iter().all(|record| text(record, "hive_state") == state));
        assert_eq!(text(value(&returned.records, "start"), "data"), program);
        assert_eq!(returned.gaps.is_empty(), logs == "applied", "{:?}", returned.gaps);
    }
    let asked = json!({ "source": "autostarts", "hive": HIVE, "evidence": "disk" });
    let artifact = fixture.ok("records", asked);
    assert!(artifact.records.iter().any(|record| text(record, "command").contains("new.exe")));
    assert!(artifact.records.iter().all(|record| text(record, "hive_state") == "replayed"));
    let found = fixture.ok("search_registry", json!({ "text": "new.exe", "hive": HIVE }));
    assert_eq!(text(&found.records[0], "hive_state"), "replayed");
    let clean = fixture.ok("parse_registry_key", json!({ "hive": SYSTEM, "key": "Select" }));
    assert!(clean.records.iter().all(|record| !record.fields.contains_key("hive_state")));
}

#[test]
fn bytes_of_a_log_are_shown_in_the_log() {
    let fixture = fixture();
    let key = "Software\\Microsoft\\Windows\\CurrentVersion\\Run";
    let returned = fixture.ok("parse_registry_key", json!({ "hive": HIVE, "key": key }));
    let utf16 = |text: &str| crate::fixture::wide(&format!("{text}\0"));
    let (start, same) = (value(&returned.records, "start"), value(&returned.records, "same"));
    // The record is in the hive itself; its data is in the log.
    assert_eq!((start.locator.path.as_str(), start.fields["data"].at), (HIVE, None));
    assert_eq!(fixture.bytes_of(start, "name"), b"start");
    assert_eq!(fixture.bytes_of(same, "data"), utf16("c:\\same.exe"));
}

#[test]
fn what_the_logs_changed_is_counted() {
    let fixture = fixture();
    let returned = fixture.ok("list_hives", json!({ "path": "C/Users/Ann" }));
    let replay = returned.records.iter().find(|record| record.kind == "hive_replay").unwrap();
    assert_eq!(text(replay, "path"), HIVE);
    let told = ["entries", "first_sequence", "values_changed", "keys_added", "differences"];
    assert_eq!(told.map(|field| text(replay, field)), ["1", "5", "1", "0", "1"]);
    let hive = returned.records.iter().find(|record| text(record, "path") == HIVE).unwrap();
    assert_eq!((text(hive, "clean"), text(hive, "primary_sequence")), ("false".into(), "6".into()));
}

#[test]
fn a_log_that_the_other_of_the_pair_is_without_is_a_gap() {
    let fixture = fixture();
    let asked = json!({ "hive": HIVE, "key": "Software" });
    assert!(fixture.run("parse_registry_key", asked.clone()).gaps.is_empty());
    std::fs::remove_file(fixture.root().join(format!("{HIVE}.LOG2"))).unwrap();
    let returned = fixture.run("parse_registry_key", asked);
    assert!(returned.records.iter().all(|record| text(record, "hive_state") == "replayed"));
    let [gap] = &returned.gaps[..] else { panic!("{:?}", returned.gaps) };
    assert_eq!(gap.path, format!("{HIVE}.LOG2"));
    assert!(gap.reason.contains("is not in the evidence"), "{gap:?}");
}

#[test]
fn a_torn_entry_is_damage_of_the_log() {
    let fixture = fixture();
    let before = state("c:\\old.exe", 40);
    let mut log = new_log(&before, &[LogEntry::between(&before, &state("c:\\new.exe", 40), 5)]);
    let last = log.len() - 600;
    log[last] ^= 1;
    write(fixture.root(), &format!("{HIVE}.LOG1"), &log);
    let returned = fixture.run("parse_registry_key", json!({ "hive": HIVE, "key": "Software" }));
    assert!(returned.records.iter().all(|record| text(record, "hive_state") == "base"));
    assert!(returned.gaps[0].reason.contains("entry 5 does not fit its hashes"), "{:?}", returned.gaps);
    assert_eq!(returned.defects[0].path, format!("{HIVE}.LOG1"));
}

#[test]
fn remnants_of_deleted_keys_are_found() {
    let fixture = Fixture::new();
    let returned = fixture.ok("deleted_registry", json!({ "hive": SYSTEM }));
    let told: Vec<_> =
        returned.records.iter().map(|record| (record.kind.as_str(), text(record, "state"))).collect();
    assert_eq!(told, [("deleted_key", "deleted".into()), ("deleted_value", "deleted".to_owned())]);
    assert_eq!(text(&returned.records[0], "key_path"), "ControlSet001\\Control\\Gone");
    assert_eq!(text(&returned.records[1], "data"), "c:\\gone.exe");
    assert_eq!(fixture.bytes_of(&returned.records[0], "name"), b"Gone");
    assert_eq!(fixture.bytes_of(&returned.records[1], "data"), crate::fixture::wide("c:\\gone.exe\0"));
    let none = fixture.run("deleted_registry", json!({ "hive": SYSTEM, "text": "nothing of the kind" }));
    assert_eq!((none.outcome, none.completeness), (Outcome::Empty, Completeness::Complete));
}

#[test]
fn a_path_of_a_live_registry_is_searched_below_its_hive() {
    let fixture = Fixture::new();
    for text in
        ["HKLM\\SYSTEM\\ControlSet001\\Control\\Kinds", "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Kinds"]
    {
        let found = fixture.ok("search_registry", json!({ "text": text }));
        assert_eq!(crate::fixture::text(&found.records[0], "key_path"), "ControlSet001\\Control\\Kinds");
        assert!(found.notes.iter().any(|note| note.contains("SYSTEM hives")), "{:?}", found.notes);
    }
    let none =
        fixture.run("search_registry", json!({ "text": "HKLM\\SOFTWARE\\ControlSet001\\Control\\Kinds" }));
    assert!(none.records.is_empty());
}

#[test]
fn a_hive_as_it_stands_tells_what_is_near_the_key_that_its_file_lacks() {
    let fixture = fixture();
    let key = "Software\\Microsoft\\Windows\\CurrentVersion\\Run\\start";
    let call =
        |logs: &str| fixture.run("parse_registry_key", json!({ "hive": HIVE, "key": key, "logs": logs }));
    for logs in ["applied", "ignored"] {
        let returned = call(logs);
        assert_eq!(returned.outcome, Outcome::Empty);
        let near: Vec<&str> = near_in(&returned.notes).collect();
        assert!(near[0].starts_with("a value: "), "{logs}: {:?}", returned.notes);
        let unread = unread_logs(HIVE, &returned.gaps, &returned.defects);
        let expected = (logs == "ignored").then_some(UnreadLogs::NotApplied);
        assert_eq!(unread, expected, "{logs}");
    }
    let missing = fixture.run("parse_registry_key", json!({ "hive": SOFTWARE, "key": "Gone" }));
    let unread = unread_logs(SOFTWARE, &missing.gaps, &missing.defects);
    assert_eq!(unread, Some(UnreadLogs::Missing), "{:?}", missing.gaps);
    write(fixture.root(), &format!("{SOFTWARE}.LOG1"), b"no log");
    let broken = fixture.run("parse_registry_key", json!({ "hive": SOFTWARE, "key": "Gone" }));
    let unread = unread_logs(SOFTWARE, &broken.gaps, &broken.defects);
    assert!(matches!(unread, Some(UnreadLogs::NotApplied | UnreadLogs::InPart)));
    let asked = json!({ "hive": SOFTWARE, "key": "Gone", "logs": "ignored" });
    let ignored = fixture.run("parse_registry_key", asked);
    let unread = unread_logs(SOFTWARE, &ignored.gaps, &ignored.defects);
    assert_eq!(unread, Some(UnreadLogs::NotApplied), "the hint's call is one of its file");
}
