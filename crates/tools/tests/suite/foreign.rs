//! Logs in their usual place that another computer wrote: copied there, or forwarded.

use crate::fixture;
use evidence::open_directory;
use ledger::{Placement, Record};
use serde_json::{Value, json};
use std::path::Path;
use testkit::evtx::{Event, log};
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};
use tools::{Prepared, run_prepared};

const LOGS: &str = "C/Windows/System32/winevt/Logs";

/// Makes a log with a log-cleared event for each computer name, in order.
fn written_by(names: &[&str]) -> Vec<u8> {
    let event = |(number, computer): (usize, &&'static str)| Event {
        record_id: number as u64 + 1,
        time: 133_000_000_000_000_000 + number as u64 * 10_000_000,
        provider: "Microsoft-Windows-Eventlog",
        guid: Some("{fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148}"),
        event_id: 104,
        level: 4,
        channel: "System",
        computer,
        user_sid: None,
        user_data: Some("LogFileCleared"),
        data: &[("SubjectUserName", "mara"), ("Channel", "Application")],
    };
    let names: Vec<&'static str> = names.iter().map(|name| known(name)).collect();
    log(&names.iter().enumerate().map(event).collect::<Vec<_>>())
}

/// Returns the test's name as a static string, as an event needs it.
fn known(name: &str) -> &'static str {
    let names = [
        "ALDER-07",
        "alder-07.corp.example",
        "DESKTOP-K3Q9V1T",
        "WIN-SETUP",
        "BIRCH-01",
        "MINWINPC",
        "A-HOST-OF-A-LONG-NAME",
        "A-HOST-OF-A-LONG-OTHER",
    ];
    names.into_iter().find(|known| *known == name).unwrap()
}

/// Writes a drive with a SYSTEM hive with these computer names, one per control set, and logs.
fn drive(folder: &Path, hive: &[&str], logs: &[(&str, Vec<u8>)]) {
    fixture::write(folder, "C/Windows/notepad.exe", b"x");
    if !hive.is_empty() {
        let set = |root: KeySpec, (number, name): (usize, &&str)| {
            let key = KeySpec::new("ComputerName").value(ValueSpec::sz("ComputerName", name));
            root.path(&format!("ControlSet{:03}\\Control\\ComputerName\\ComputerName", number + 1), key)
        };
        let select = KeySpec::new("Select").value(ValueSpec::dword("Current", 1));
        let root = hive.iter().enumerate().fold(KeySpec::new("ROOT").key(select), set);
        fixture::write(folder, "C/Windows/System32/config/SYSTEM", &HiveSpec::new(root).build().bytes);
    }
    for (name, bytes) in logs {
        fixture::write(folder, &format!("{LOGS}/{name}"), bytes);
    }
}

fn records(folder: &Path, tool: &str, arguments: &Value) -> Vec<Record> {
    let tree = open_directory(folder, "disk").unwrap();
    let scratch = tempfile::tempdir().unwrap();
    run_prepared(tool, arguments, &[Box::new(tree)], &Prepared::default(), scratch.path()).records
}

/// Returns the placement of a log's records, of counts of them, and of the log itself.
fn places(folder: &Path, name: &str) -> Vec<Option<Placement>> {
    let path = format!("{LOGS}/{name}");
    let mut found = records(folder, "parse_file", &json!({ "path": path }));
    assert!(!found.is_empty(), "{name}");
    found.extend(records(folder, "list_event_channels", &json!({ "under": path })));
    let count = json!({ "record": "log_cleared", "count_by": "computer", "under": path });
    found.extend(records(folder, "records", &count));
    assert!(found.iter().any(|record| record.kind == "event_log"), "{name}");
    assert!(found.iter().any(|record| record.kind == "record_count"), "{name}");
    found.iter().map(|record| record.placement).collect()
}

#[test]
fn a_log_that_names_no_name_of_the_computer_is_of_another_one() {
    let system = || vec![("System.evtx", vec!["WIN-SETUP", "DESKTOP-K3Q9V1T", "ALDER-07"])];
    let two = || {
        vec![
            ("Archive-System-2019-01-01.evtx", vec!["WIN-SETUP", "DESKTOP-K3Q9V1T"]),
            ("System.evtx", vec!["DESKTOP-K3Q9V1T", "ALDER-07"]),
        ]
    };
    let one = |name: &'static str, names: &[&'static str]| vec![(name, names.to_vec())];
    // The names in the hive, other logs, the log in question, whether it is foreign.
    type Case = (&'static [&'static str], Vec<(&'static str, Vec<&'static str>)>, &'static str, bool);
    let cases: Vec<Case> = vec![
        (&["ALDER-07"], vec![], "ALDER-07", false),
        (&["alder-07"], vec![], "alder-07.corp.example", false),
        (&["ALDER-07", "DESKTOP-K3Q9V1T"], vec![], "DESKTOP-K3Q9V1T", false),
        (&["A-HOST-OF-A-LON"], vec![], "A-HOST-OF-A-LONG-NAME", false),
        // If the hive has the full name, another name with the same beginning belongs to another computer.
        (&["A-HOST-OF-A-LON", "A-HOST-OF-A-LONG-NAME"], vec![], "A-HOST-OF-A-LONG-NAME", false),
        (&["A-HOST-OF-A-LON", "A-HOST-OF-A-LONG-NAME"], vec![], "A-HOST-OF-A-LONG-OTHER", true),
        (&["ALDER-07"], vec![], "BIRCH-01", true),
        (&["ALDER-07"], system(), "BIRCH-01", true),
        // Windows was set up under another name, which other logs have before the present one.
        (&["ALDER-07"], system(), "WIN-SETUP", false),
        (&["ALDER-07"], two(), "WIN-SETUP", false),
        (&["ALDER-07"], vec![], "WIN-SETUP", true),
        // Only a name before one of the computer's names is an earlier name of it, and no name returns.
        (&["ALDER-07"], one("System.evtx", &["ALDER-07", "BIRCH-01"]), "BIRCH-01", true),
        (&["ALDER-07"], one("System.evtx", &["BIRCH-01", "ALDER-07", "BIRCH-01"]), "BIRCH-01", true),
        (&["ALDER-07"], one("System.evtx", &["ALDER-07", "BIRCH-01", "ALDER-07"]), "BIRCH-01", true),
        // A copy does not count either; archives, and logs named by a collecting tool, do.
        (&["ALDER-07"], one("System - Copy.evtx", &["BIRCH-01", "ALDER-07"]), "BIRCH-01", true),
        (
            &["ALDER-07"],
            one("Archive-System-2019-01-01.evtx", &["WIN-SETUP", "ALDER-07"]),
            "WIN-SETUP",
            false,
        ),
        // A collection never counts, whatever is in it.
        (&["ALDER-07"], one("ForwardedEvents.evtx", &["BIRCH-01", "ALDER-07"]), "BIRCH-01", true),
        (&["ALDER-07"], vec![], "MINWINPC", false),
        // Without a hive nothing shows whose log it is.
        (&[], system(), "BIRCH-01", false),
    ];
    for (hive, others, asked, is_foreign) in cases {
        let folder = tempfile::tempdir().unwrap();
        let mut logs: Vec<_> = others.iter().map(|(name, names)| (*name, written_by(names))).collect();
        logs.push(("Archive-System-2025-01-01.evtx", written_by(&[asked])));
        drive(folder.path(), hive, &logs);
        let expected = is_foreign.then_some(Placement::Foreign);
        let found = places(folder.path(), "Archive-System-2025-01-01.evtx");
        assert!(found.iter().all(|place| *place == expected), "{hive:?} {asked}: {found:?}");
    }
}

#[test]
fn of_a_log_with_forwarded_records_each_is_its_own_computers() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["ALDER-07", "BIRCH-01"].repeat(6);
    drive(folder.path(), &["ALDER-07"], &[("ForwardedEvents.evtx", written_by(&names))]);
    let found =
        records(folder.path(), "parse_file", &json!({ "path": format!("{LOGS}/ForwardedEvents.evtx") }));
    assert_eq!(found.len(), names.len());
    for record in &found {
        let is_other = record.fields["computer"].value.to_text() == "BIRCH-01";
        assert_eq!(record.placement, is_other.then_some(Placement::Foreign));
    }
    // A count there belongs to no single computer, and its time span is that of all of them.
    let path = format!("{LOGS}/ForwardedEvents.evtx");
    let listed = records(folder.path(), "list_event_channels", &json!({ "under": path }));
    assert!(listed.iter().all(|log| log.placement == Some(Placement::Foreign)), "{listed:?}");
    for by in ["channel", "computer"] {
        let count = json!({ "record": "log_cleared", "count_by": by, "under": path });
        let counts = records(folder.path(), "records", &count);
        assert!(
            !counts.is_empty() && counts.iter().all(|it| it.placement == Some(Placement::Foreign)),
            "{by}"
        );
    }
}

#[test]
fn a_name_that_comes_back_in_the_middle_of_a_log_links_nothing() {
    let names = [vec!["BIRCH-01"; 900], vec!["ALDER-07"; 500], vec!["BIRCH-01"; 5], vec!["ALDER-07"; 700]];
    let folder = tempfile::tempdir().unwrap();
    let logs = [
        ("System.evtx", written_by(&names.concat())),
        ("Archive-System-2025-01-01.evtx", written_by(&["BIRCH-01"])),
    ];
    drive(folder.path(), &["ALDER-07"], &logs);
    let found = places(folder.path(), "Archive-System-2025-01-01.evtx");
    assert!(found.iter().all(|place| *place == Some(Placement::Foreign)), "{found:?}");
}

#[test]
fn the_hive_that_another_accessor_of_velociraptor_collected_tells_whose_a_log_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = |drive: &str, path: &str| format!("uploads/{drive}/{path}");
    let source = tempfile::tempdir().unwrap();
    drive(source.path(), &["ALDER-07"], &[]);
    let hive = "Windows/System32/config/SYSTEM";
    let bytes = std::fs::read(source.path().join("C").join(hive)).unwrap();
    fixture::write(folder.path(), &at("ntfs/%5C%5C.%5CC%3A", hive), &bytes);
    for (name, computer) in [("Archive-System-2025-01-01.evtx", "BIRCH-01"), ("System.evtx", "ALDER-07")] {
        let path = at("auto/C%3A", &format!("Windows/System32/winevt/Logs/{name}"));
        fixture::write(folder.path(), &path, &written_by(&[computer]));
        let found = records(folder.path(), "parse_file", &json!({ "path": path }));
        let expected = (computer == "BIRCH-01").then_some(Placement::Foreign);
        assert!(!found.is_empty() && found.iter().all(|log| log.placement == expected), "{name}: {found:?}");
    }
}

#[test]
fn a_log_that_the_case_file_calls_the_hosts_own_is_taken_for_it() {
    let folder = tempfile::tempdir().unwrap();
    drive(folder.path(), &["ALDER-07"], &[("Security.evtx", written_by(&["BIRCH-01"]))]);
    let tree = open_directory(folder.path(), "disk").unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let in_place = [("disk".to_owned(), vec![LOGS.to_owned()])].into();
    let prepared = Prepared { in_place, ..Prepared::default() };
    let asked = json!({ "path": format!("{LOGS}/Security.evtx") });
    let found = run_prepared("parse_file", &asked, &[Box::new(tree)], &prepared, scratch.path()).records;
    assert!(!found.is_empty() && found.iter().all(|it| it.placement == Some(Placement::Stated)), "{found:?}");
}

#[test]
fn a_name_that_changes_within_a_chunk_is_found() {
    let of_many = [vec!["WIN-SETUP"; 900], vec!["ALDER-07"; 900], vec!["BIRCH-01"]].concat();
    let bytes = written_by(&of_many);
    let mut fetch = |offset: u64, buffer: &mut [u8]| {
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok::<_, std::convert::Infallible>(length)
    };
    let names = artifacts::evtx::computers(bytes.len() as u64, &mut fetch, &mut |at| at).unwrap();
    assert!(bytes.len() > 5 * 0x1_0000, "{}", bytes.len());
    let names: Vec<_> = names.into_iter().map(|writer| writer.computer).collect();
    assert_eq!(names, ["WIN-SETUP", "ALDER-07", "BIRCH-01"]);
}
