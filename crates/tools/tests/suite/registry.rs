//! Hives and keys.

use crate::fixture::{Fixture, SOFTWARE, SYSTEM, TICKS, system, text, value, wide, write};
use ledger::{Completeness, FieldValue, Outcome, Record, Time};
use serde_json::json;
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};
use tools::Return;

fn key(fixture: &Fixture, hive: &str, key: &str) -> Return {
    fixture.run("parse_registry_key", json!({ "hive": hive, "key": key }))
}

fn find<'r>(returned: &'r Return, kind: &str, name: &str) -> &'r Record {
    let named = |record: &&Record| record.kind == kind && text(record, "name") == name;
    returned.records.iter().find(named).unwrap_or_else(|| panic!("no {kind} {name}"))
}

#[test]
fn hives_are_found_by_content_and_logs_are_none() {
    let fixture = Fixture::new();
    write(fixture.root(), "C/Users/Ann/SAM", b"named as a hive");
    let returned = fixture.ok("list_hives", json!({}));
    let found: Vec<_> =
        returned.records.iter().map(|record| (text(record, "path"), text(record, "hive_type"))).collect();
    let expected =
        [("C/Users/Ann/hive-without-a-name", "NTUSER"), (SOFTWARE, "SOFTWARE"), (SYSTEM, "SYSTEM")];
    assert_eq!(found, expected.map(|(path, kind)| (path.to_owned(), kind.to_owned())));
    let system = &returned.records[2];
    assert_eq!(value(system, "logs"), &FieldValue::List(vec![format!("{SYSTEM}.LOG1")]));
    assert_eq!(value(system, "last_written"), &FieldValue::Time(Time::from_filetime(TICKS)));
    assert_eq!(text(system, "version"), "1.5");
    assert_eq!(text(system, "embedded_name"), "\\SystemRoot\\System32\\Config\\SYS");
    assert_eq!(fixture.bytes_of(system, "root_name"), b"CMI-CreateHive{root}");
    assert_eq!(fixture.bytes_of(system, "last_written"), TICKS.to_le_bytes());
    let clean: Vec<_> = returned.records.iter().map(|record| text(record, "clean")).collect();
    assert_eq!(clean, ["true", "false", "true"]);
    let [cut] = returned.defects.as_slice() else { panic!("{:?}", returned.defects) };
    assert_eq!(cut.path, "C/Users/Ann/cut-hive");
}

#[test]
fn a_damaged_hive_is_still_listed_with_its_damage() {
    let fixture = Fixture::new();
    let mut built = system().build();
    built.put_u32(0x1FC, 0x1234_5678);
    write(fixture.root(), "D/damaged", &built.bytes);
    let returned = fixture.ok("list_hives", json!({ "path": "D" }));
    let [defect] = returned.records[0].defects.as_slice() else { panic!() };
    assert_eq!((defect.path.as_str(), defect.offset), ("D/damaged", Some(0x1FC)));
}

#[test]
fn a_key_comes_with_its_values_and_direct_subkeys() {
    let fixture = Fixture::new();
    let returned = key(&fixture, SYSTEM, "ControlSet001\\Control\\ComputerName");
    let kinds: Vec<_> =
        returned.records.iter().map(|record| (record.kind.as_str(), text(record, "key_path"))).collect();
    let path = "ControlSet001\\Control\\ComputerName";
    assert_eq!(kinds, [("registry_key", path.to_owned()), ("registry_key", format!("{path}\\ComputerName"))]);
    let deeper = fixture.ok(
        "parse_registry_key",
        json!({ "hive": SYSTEM, "key": "ControlSet001\\Control\\ComputerName", "depth": 1 }),
    );
    let name = find(&deeper, "registry_value", "ComputerName");
    assert_eq!(text(name, "value_path"), format!("{path}\\ComputerName\\ComputerName"));
    assert_eq!(text(name, "data"), "WKS-1");
    assert_eq!(fixture.bytes_of(name, "data"), wide("WKS-1\0"));
    assert_eq!(fixture.bytes_of(name, "name"), b"ComputerName");
    assert_eq!(fixture.bytes_of(name, "key_last_written"), TICKS.to_le_bytes());
    assert_eq!(value(name, "key_last_written"), &FieldValue::Time(Time::from_filetime(TICKS)));
    let unnamed = find(&deeper, "registry_value", "(default)");
    assert_eq!(text(unnamed, "value_path"), format!("{path}\\ComputerName\\(default)"));
    assert_eq!(unnamed.fields["name"].at, None);
    let inner = deeper.records.iter().find(|record| text(record, "last_written") != "0").unwrap();
    assert_eq!(fixture.bytes_of(inner, "name"), b"ComputerName");
    assert_eq!(fixture.bytes_of(inner, "values"), 2u32.to_le_bytes());
    assert_eq!(inner.locator.span.unwrap().length, 0x4C + 12);
}

#[test]
fn every_type_of_data_has_its_field() {
    let fixture = Fixture::new();
    let returned =
        fixture.ok("parse_registry_key", json!({ "hive": SYSTEM, "key": "ControlSet001/Control/Kinds" }));
    let data = |name: &str| value(find(&returned, "registry_value", name), "data").clone();
    assert_eq!(data("many"), FieldValue::List(vec!["one".into(), "two".into()]));
    assert_eq!(data("number"), FieldValue::Integer(7));
    assert_eq!(data("large"), FieldValue::Integer(u64::MAX.into()));
    assert_eq!(data("binary"), FieldValue::Bytes("0102ff".into()));
    assert_eq!(text(find(&returned, "registry_value", "binary"), "data_length"), "3");
    assert_eq!(text(&returned.records[0], "class"), "a class");

    let long = find(&returned, "registry_value", "long");
    assert_eq!(data("long"), FieldValue::Bytes("ab".repeat(4096)));
    assert_eq!((text(long, "data_length"), text(long, "truncated")), ("5000".into(), "true".into()));
    assert_eq!(long.fields["data"].at.unwrap().length, 4096);
    let huge = find(&returned, "registry_value", "huge");
    assert_eq!((text(huge, "data_length"), huge.fields["data"].at), ("20000".into(), None));

    let odd = find(&returned, "registry_value", "odd");
    assert_eq!(data("odd"), FieldValue::Bytes("0102".into()));
    assert_eq!(odd.defects.len(), 1);
    let hidden = find(&returned, "registry_value", "hidden");
    assert_eq!((text(hidden, "data"), text(hidden, "trailing")), ("seen".into(), "true".into()));
    assert!(returned.defects.is_empty(), "{:?}", returned.defects);
}

#[test]
fn spellings_of_the_live_registry_are_understood_where_they_fit() {
    let fixture = Fixture::new();
    let used = |hive: &str, asked: &str| {
        let returned = key(&fixture, hive, asked);
        assert_eq!(returned.outcome, Outcome::Ok, "{asked}: {:?}", returned.notes);
        returned.normalised.unwrap()["key"].clone()
    };
    let control = "ControlSet001\\Control";
    for asked in [
        "HKLM\\SYSTEM\\CurrentControlSet\\Control",
        "HKEY_LOCAL_MACHINE/system/controlset001/control",
        "SYSTEM\\CurrentControlSet\\Control",
        "ROOT\\ControlSet001\\Control",
        "CMI-CreateHive{root}\\ControlSet001\\Control\\",
    ] {
        assert_eq!(used(SYSTEM, asked), control, "{asked}");
    }
    assert_eq!(used(SYSTEM, "HKLM\\SYSTEM"), "");
    let with_slash = used(SYSTEM, "currentcontrolset\\control\\IMAGE/png");
    assert_eq!(with_slash, "ControlSet001\\Control\\image/png");
    assert_eq!(used("C/Users/Ann/hive-without-a-name", "HKCU\\software\\microsoft"), "Software\\Microsoft");
    for (hive, asked) in [
        (SYSTEM, "HKLM\\SOFTWARE\\Microsoft"),
        (SYSTEM, "HKCU\\Software"),
        (SOFTWARE, "HKLM\\SYSTEM\\Select"),
        ("C/Users/Ann/hive-without-a-name", "HKU\\S-1-5-21-1\\Software"),
    ] {
        let returned = key(&fixture, hive, asked);
        assert_eq!(returned.outcome, Outcome::Failed, "{asked}");
        assert!(returned.notes[0].contains("does not lie in a hive of type"), "{:?}", returned.notes);
    }
}

#[test]
fn the_root_is_a_key_with_a_path_of_its_own() {
    let fixture = Fixture::new();
    let returned = fixture.ok("parse_registry_key", json!({ "hive": SYSTEM, "key": "" }));
    assert_eq!(text(&returned.records[0], "key_path"), "\\");
    assert_eq!(text(&returned.records[0], "name"), "CMI-CreateHive{root}");
    assert_eq!(text(&returned.records[1], "key_path"), "ControlSet001");
}

#[test]
fn an_absent_key_is_empty_and_an_absent_hive_fails() {
    let fixture = Fixture::new();
    let returned = key(&fixture, SYSTEM, "ControlSet001\\Services");
    assert_eq!((returned.outcome, returned.completeness), (Outcome::Empty, Completeness::Complete));
    assert!(
        returned.notes[0].contains("the deepest key on that way is \"ControlSet001\""),
        "{:?}",
        returned.notes
    );
    let returned = key(&fixture, SYSTEM, "CurrentControlSet\\Services");
    assert_eq!(returned.normalised.unwrap()["key"], "ControlSet001\\Services");
    let returned = key(&fixture, SYSTEM, "Select\\Current");
    assert!(returned.notes[0].contains("has a value of that name"), "{:?}", returned.notes);
    assert_eq!(key(&fixture, "C/none", "").outcome, Outcome::Failed);
    for no_hive in ["C/Users/Ann/notes.txt", "C/Users/Ann/cut-hive"] {
        let returned = key(&fixture, no_hive, "");
        assert_eq!(returned.outcome, Outcome::Failed);
        assert!(returned.notes[0].contains("not a hive"), "{:?}", returned.notes);
    }
    write(
        fixture.root(),
        "no-current",
        &HiveSpec::new(
            KeySpec::new("r")
                .key(KeySpec::new("ControlSet001"))
                .key(KeySpec::new("Select").value(ValueSpec::sz("Current", "1"))),
        )
        .build()
        .bytes,
    );
    let returned = key(&fixture, "no-current", "CurrentControlSet");
    assert!(returned.notes[0].contains("cannot be resolved"), "{:?}", returned.notes);
}

#[test]
fn damage_that_may_hide_a_key_is_no_absence() {
    let fixture = Fixture::new();
    let mut built = system().build();
    let list = built.subkey_lists["ControlSet001\\Control"];
    built.put(list, b"xx");
    write(fixture.root(), "damaged", &built.bytes);
    let returned = key(&fixture, "damaged", "ControlSet001\\Control\\Kinds");
    assert_eq!(returned.outcome, Outcome::Failed);
    assert!(!returned.defects.is_empty());
    let returned = key(&fixture, "damaged", "ControlSet001\\Control");
    assert_eq!(returned.outcome, Outcome::Ok);
    assert!(!returned.defects.is_empty());
}

#[test]
fn a_dirty_hive_leaves_a_gap() {
    let fixture = Fixture::new();
    let run = "Microsoft\\Windows\\CurrentVersion\\Run";
    let returned = key(&fixture, SOFTWARE, run);
    assert_eq!(text(&returned.records[1], "data"), "c:\\evil.exe");
    assert!(returned.gaps[0].reason.contains("no transaction logs"), "{:?}", returned.gaps);
    assert!(returned.defects.is_empty());
    write(fixture.root(), &format!("{}.log2", SOFTWARE), b"x");
    let returned = key(&fixture, SOFTWARE, "absent");
    assert_eq!(returned.outcome, Outcome::Empty);
    assert_eq!(
        returned.gaps[0].reason,
        format!("transaction logs present and not applied: {SOFTWARE}.log2: the log has no valid base block")
    );
    assert!(key(&fixture, SYSTEM, "Select").gaps.is_empty());
}

#[test]
fn a_limit_ends_the_reading_and_says_so() {
    let fixture = Fixture::new();
    let arguments = json!({ "hive": SYSTEM, "key": "", "depth": 3, "limit": 3 });
    let returned = fixture.ok("parse_registry_key", arguments);
    assert_eq!((returned.records.len(), returned.completeness), (3, Completeness::Truncated));
    assert!(returned.notes[0].contains("stopped after 3 records"), "{:?}", returned.notes);
}

#[test]
fn data_that_many_values_share_does_not_fill_the_memory() {
    let fixture = Fixture::new();
    let keys = (0..40)
        .map(|index| KeySpec::new(&format!("k{index:02}")).value(ValueSpec::binary("v", &vec![7; 1 << 20])));
    let root = keys.fold(KeySpec::new("r"), KeySpec::key);
    write(fixture.root(), "large", &HiveSpec::new(root).build().bytes);
    let arguments = json!({ "hive": "large", "key": "", "depth": 1 });
    let returned = fixture.ok("parse_registry_key", arguments);
    assert_eq!(returned.completeness, Completeness::Truncated);
    let values = returned.records.iter().filter(|record| record.kind == "registry_value").count();
    assert_eq!(values, 32);
}
