//! Patterns that can match nothing are refused, and the refusal says where matches could have been; patterns within a volume are found there.

use evidence::Tree;
use ledger::{Completeness, EvidenceKind, Outcome};
use serde_json::{Value, json};
use std::path::Path;
use tools::{Return, run};

fn asked(tool: &str, arguments: &Value) -> Return {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/demo/alder-07.E01");
    let trees: Vec<Box<dyn Tree>> = vec![evidence::open(EvidenceKind::Image, &demo, "pc").unwrap()];
    let scratch = tempfile::tempdir().unwrap();
    run(tool, arguments, &trees, scratch.path())
}

#[test]
fn a_pattern_that_leaves_out_the_volume_is_looked_for_in_every_volume() {
    let with_volume = asked("find_files", &json!({ "name": "p1/Users/**/*.exe" }));
    assert!(with_volume.outcome == Outcome::Ok && !with_volume.records.is_empty());
    for name in ["Users/**/*.exe", "/users/**/*.exe", "Users\\**\\*.{exe}", "{Users,Userz}/**/*.exe"] {
        let found = asked("find_files", &json!({ "name": name }));
        assert_eq!(found.records, with_volume.records, "{name}: {:?}", found.notes);
    }
    for (name, same) in [
        ("*/*/NTUSER.DAT", "Users/*/NTUSER.DAT"),
        ("U*/*/Downloads/*.pdf", "Users/*/Downloads/*.pdf"),
        ("?indows/Temp/*", "Windows/Temp/*"),
        ("{P*,Userz}/ScanToPdf/*", "ProgramData/ScanToPdf/*"),
    ] {
        let found = asked("find_files", &json!({ "name": name }));
        assert!(!found.records.is_empty(), "{name}: {:?}", found.notes);
        assert_eq!(found.records, asked("find_files", &json!({ "name": same })).records, "{name}");
        let deleted = asked("list_deleted", &json!({ "name": name.replace("Temp", "temp") }));
        assert_eq!(deleted.records, asked("list_deleted", &json!({ "name": same })).records, "{name}");
    }
    let used = asked("find_files", &json!({ "name": "Users/**/*.exe" })).normalised;
    assert_eq!(used.unwrap()["name"], "/p1/Users/**/*.exe");
}

#[test]
fn what_can_match_nothing_does_not_end_empty_and_complete() {
    for (tool, arguments, told) in [
        ("find_files", json!({ "name": "Userz/**/*.exe" }), "/ of pc, p1 of pc"),
        ("find_files", json!({ "name": "p1/Users/nobody/**" }), "p1/Users of pc"),
        ("find_files", json!({ "name": "Users/nobody/*.exe" }), "p1/Users of pc"),
        ("find_files", json!({ "name": "p?/Nope/**" }), "p1 of pc"),
        ("find_files", json!({ "name": "q*/**" }), "/ of pc"),
        ("find_files", json!({ "name": "C:/Nope/*" }), "p1 of pc"),
        ("find_files", json!({ "name": "uploads/auto/Q%3A/**" }), "/ of pc"),
        ("find_files", json!({ "name": "*.[a-z]xe" }), "regular expression"),
        ("find_files", json!({ "name": "*.exe;*.dll" }), "{a,b} for either"),
        ("find_files", json!({ "name": "*.exe, *.dll" }), "{a,b} for either"),
        ("find_files", json!({ "name": "D:/Users/*" }), "drive"),
        ("find_files", json!({ "name": "p1/pagefile.sys/*", "under": "" }), "p1 of pc"),
        ("find_files", json!({ "name": "Windows/System32/drivers/etc/hosts/*" }), "etc of pc"),
        ("find_files", json!({ "name": "Users/*", "under": "p1/Windows" }), "p1/Windows of pc"),
        ("list_deleted", json!({ "name": "Users/*", "under": "p1/Windows" }), "p1/Windows of pc"),
        ("list_deleted", json!({ "under": "p1/Windows/System32/drivers/etc/hosts" }), "not a folder"),
        ("find_files", json!({ "name": "C:" }), "as C:/*"),
        ("find_files", json!({ "name": "report.pdf:Zone.Identifier" }), "with_stream"),
        ("find_files", json!({ "name": "*.{exe,dll" }), "braces that are closed"),
        ("list_deleted", json!({ "name": "{a,{b,c}" }), "braces that are closed"),
        ("find_files", json!({ "extension": "exe,dll" }), "*.{exe,dll}"),
        ("list_deleted", json!({ "extension": "exe;dll" }), "*.{exe,dll}"),
        ("find_files", json!({ "with_stream": "a:b" }), "Zone.Identifier"),
        ("find_files", json!({ "with_stream": "Zone.Identifier|foo" }), "Zone.Identifier"),
        ("find_files", json!({ "name": "svchost.exe|stage.ps1" }), "{a,b}"),
        ("find_files", json!({ "name": "svchost.exe,stage.ps1" }), "{a,b}"),
        ("find_files", json!({ "name": "nope.exe OR nope.ps1" }), "{a,b}"),
        ("find_files", json!({ "name": "^svchost" }), "regular expression"),
        ("find_files", json!({ "name": "svchost.exe$" }), "regular expression"),
        ("find_files", json!({ "name": "!*.exe" }), "leaves names out"),
        ("find_files", json!({ "name": "svchost%" }), "%TEMP%/*"),
        ("list_deleted", json!({ "name": "<stage>" }), "without quotes"),
        ("list_event_channels", json!({ "name": "Sysmon" }), "Security.evtx"),
        (
            "records",
            json!({ "source": "recycle_bin", "where": "deleted = '2025-08-27'" }),
            "to before the next",
        ),
        (
            "records",
            json!({ "source": "recycle_bin", "where": "deleted BETWEEN '2025-08-27' AND '2025-08-27'" }),
            "to before the next",
        ),
        ("records", json!({ "source": "recycle_bin", "where": "original_path LIKE '*mara*'" }), "% for any"),
        (
            "records",
            json!({ "source": "services", "where": "key_path LIKE '%CurrentControlSet\\Services\\%'" }),
            "ControlSet___",
        ),
        ("list_deleted", json!({ "name": "p9/**" }), "/ of pc"),
        ("list_deleted", json!({ "name": "Nope/*.exe" }), "p1 of pc"),
        ("search_text", json!({ "text": "x y", "name": "*.nosuch" }), "/ of pc"),
        ("search_registry", json!({ "text": "Run", "key": "Nope" }), "SYSTEM"),
        ("search_registry", json!({ "text": "Run", "key": "HKLM\\SYSTEM\\Nope" }), "SYSTEM"),
        (
            "search_registry",
            json!({ "text": "Run", "key": "Nope", "hive": "p1/Windows/System32/config/SYSTEM" }),
            "SYSTEM",
        ),
        ("timeline", json!({ "key": "Nope" }), "SYSTEM"),
        ("timeline", json!({ "key": "HKLM\\SYSTEM\\Nope" }), "SYSTEM"),
        ("records", json!({ "source": "services", "where": "hive = 'Nope'" }), "SYSTEM"),
        ("timeline_anomalies", json!({ "where": "channel = 'Securty'" }), "Security"),
        ("records", json!({ "source": "mui_cache", "where": "hive = 'nope'" }), "SYSTEM"),
        (
            "records",
            json!({ "source": "services", "hive": "p1/Windows/System32/config/SYSTEM", "under": "p1/Users" }),
            "either",
        ),
        ("find_files", json!({ "name": ".*\\.exe$" }), "regular expression"),
        ("find_files", json!({ "extension": "*.{exe" }), "without patterns"),
        ("find_files", json!({ "name": "*.exe", "under": "Userz" }), "Userz"),
        ("list_deleted", json!({ "name": "D:/x*" }), "drive"),
        ("search_text", json!({ "text": "x y", "name": "Users/*" }), "without separators"),
        ("records", json!({ "source": "services", "under": "D:/x" }), "drive"),
        ("records", json!({ "source": "prefetchs" }), "prefetch"),
        ("records", json!({ "record": "logonz" }), "logon"),
        ("records", json!({ "source": "prefetch", "where": "channel = 'Security'" }), "channel"),
        ("records", json!({ "source": "event_log", "where": "channel = 'Securty'" }), "Security"),
        ("records", json!({ "record": "logon", "where": "channel LIKE '%Sekurity%'" }), "channel"),
        ("records", json!({ "source": "logons", "where": "provider = 'Service Control'" }), "provider"),
        (
            "records",
            json!({ "source": "event_log", "where": "channel IN ('Security.evtx', 'Systm') AND event_id = 1", "count_by": "event_id" }),
            "System",
        ),
        ("list_event_channels", json!({ "where": "channel = 'Securty'" }), "Security"),
        ("timeline", json!({ "field": "zzz" }), "field"),
        ("timeline", json!({ "source": "zzz" }), "source"),
    ] {
        let returned = asked(tool, &arguments);
        let is_told = returned.notes.iter().any(|note| note.contains(told));
        assert!(returned.outcome == Outcome::Failed && is_told, "{tool} {arguments}: {returned:?}");
    }
}

#[test]
fn a_place_that_is_there_and_holds_nothing_of_the_kind_ends_empty_and_complete() {
    for (tool, arguments) in [
        ("records", json!({ "source": "event_log", "where": "channel = 'Security' AND event_id = 9" })),
        ("records", json!({ "record": "logon", "where": "channel = 'System'" })),
        (
            "records",
            json!({ "source": "event_log", "where": "channel LIKE 'S%' AND provider <> 'x'", "text": "zzzzz" }),
        ),
        ("find_files", json!({ "name": "p1/Users/*/nothing of the kind.exe" })),
        ("find_files", json!({ "name": "p1/Windows/nothing of the kind.exe" })),
        ("find_files", json!({ "name": "C:/nothing of the kind.exe" })),
        ("find_files", json!({ "name": "*/nothing of the kind.exe" })),
        ("find_files", json!({ "name": "[a-" })),
        ("records", json!({ "source": "logons", "where": "channel = 'System'" })),
        ("records", json!({ "source": "mui_cache", "where": "hive = 'p1/Windows/System32/config/SYSTEM'" })),
        ("records", json!({ "source": "mui_cache", "where": "hive LIKE '%SYSTEM'" })),
        ("search_text", json!({ "text": "no such text", "name": "hosts" })),
        ("search_registry", json!({ "text": "no such text", "key": "HKLM\\SYSTEM\\Select" })),
        // A field such as the computer's name is not a place to search, so an unknown value is not refused.
        ("records", json!({ "source": "event_log", "where": "computer = 'NO-SUCH'" })),
    ] {
        let returned = asked(tool, &arguments);
        let ended = (returned.outcome, returned.completeness);
        assert_eq!(
            ended,
            (Outcome::Empty, Completeness::Complete),
            "{tool} {arguments}: {:?}",
            returned.notes
        );
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test makes its own evidence")]
fn a_call_that_finds_nothing_to_read_says_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("Users")).unwrap();
    std::fs::write(folder.path().join("Users/note.txt"), "x").unwrap();
    let trees: Vec<Box<dyn Tree>> =
        vec![evidence::open(EvidenceKind::Directory, folder.path(), "pc").unwrap()];
    let scratch = tempfile::tempdir().unwrap();
    for (tool, arguments, told) in [
        ("records", json!({ "source": "srum" }), "no file of srum was found"),
        ("records", json!({ "source": "usn_journal" }), "no file of usn_journal was found"),
        ("records", json!({ "source": "logons", "where": "channel = 'Security'" }), "no file of event_log"),
        ("records", json!({ "record": "logon", "count_by": "account" }), "no file of event_log was found"),
        ("records", json!({ "source": "services" }), "no hive of type SYSTEM was found"),
        ("records", json!({ "source": "persistence", "under": "Users" }), "no file of"),
        ("list_event_channels", json!({}), "no file of event_log was found"),
        ("search_registry", json!({ "text": "Run", "key": "Software" }), "no hive was found"),
        ("timeline", json!({ "source": "registry" }), "was found"),
        ("timeline", json!({ "source": "hosts" }), "records of hosts have no times"),
        ("timeline_anomalies", json!({}), "only NTFS in an image has them"),
        ("timeline_anomalies", json!({ "record": "silence" }), "no file of"),
        ("find_files", json!({ "with_stream": "*" }), "is no disk image"),
    ] {
        let returned = run(tool, &arguments, &trees, scratch.path());
        let is_told = returned.notes.iter().any(|note| note.contains(told));
        assert!(returned.outcome == Outcome::Empty && is_told, "{tool} {arguments}: {returned:?}");
    }
}

#[test]
fn a_path_in_any_notation_finds_what_records_tell_of_it() {
    for (tool, plain, others) in [
        (
            "records",
            json!({ "source": "recycle_bin", "name": "C:\\Users\\mara\\Documents\\*" }),
            &[
                "C:/Users/mara/Documents/*",
                "%USERPROFILE%\\Documents\\*",
                "*/mara/Documents/*",
                "“C:\\Users\\mara\\Documents\\*”",
            ][..],
        ),
        (
            "records",
            json!({ "source": "bam", "name": "*svchost.exe" }),
            &["C:\\ProgramData\\ScanToPdf\\svchost.exe", "%ProgramData%\\ScanToPdf\\svchost.exe"],
        ),
        (
            "records",
            json!({ "source": "mft", "name": "*/mara/NTUSER.DAT" }),
            &["C:\\Users\\mara\\NTUSER.DAT", "*\\mara\\NTUSER.DAT", "{nope, *\\mara\\NTUSER.DAT}"],
        ),
        (
            "records",
            json!({ "source": "autostarts", "name": "Microsoft\\Windows\\CurrentVersion\\Run\\*" }),
            &["HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Run\\*"],
        ),
        (
            "search_registry",
            json!({ "text": "ControlSet001\\Services", "in": "key_name" }),
            &["HKLM\\SYSTEM\\ControlSet001\\Services", "HKLM/SYSTEM/ControlSet001/Services"],
        ),
    ] {
        let found = asked(tool, &plain);
        assert!(!found.records.is_empty(), "{tool} {plain}: {:?}", found.notes);
        for other in others {
            let mut given = plain.clone();
            given[if tool == "records" { "name" } else { "text" }] = json!(other);
            assert_eq!(asked(tool, &given).records, found.records, "{other}");
        }
    }
    let deleted = asked("list_deleted", &json!({ "name": "stage.ps1" })).records;
    let path = deleted[0].fields["path"].value.to_text().into_owned();
    assert_eq!(asked("list_deleted", &json!({ "name": path })).records, deleted, "{path}");
    let task = asked("records", &json!({ "source": "scheduled_task", "name": "ScanToPdf Updater" }));
    assert!(!task.records.is_empty(), "{:?}", task.notes);
    let found = asked("find_files", &json!({ "name": "{nope.exe, svchost.exe}" }));
    assert_eq!(found.records, asked("find_files", &json!({ "name": "svchost.exe" })).records);
    let notes = asked("search_registry", &json!({ "text": "HKLM\\SECURITY\\Policy" })).notes;
    assert!(notes.iter().any(|note| note.contains("no hive of type SECURITY was found")), "{notes:?}");
}

#[test]
fn a_stream_and_a_key_are_found_in_every_usual_spelling() {
    let plain = asked("find_files", &json!({ "with_stream": "Zone.Identifier" }));
    assert!(!plain.records.is_empty());
    for name in [":Zone.Identifier", "zone.identifier:$DATA", ":Zone.*:$data"] {
        assert_eq!(asked("find_files", &json!({ "with_stream": name })).records, plain.records, "{name}");
    }
    let key = asked("parse_registry_key", &json!({ "key": "HKLM\\SYSTEM\\Select" }));
    assert!(!key.records.is_empty());
    for spelling in ["Computer\\HKLM\\SYSTEM\\Select", "My Computer\\HKEY_LOCAL_MACHINE\\SYSTEM\\Select"] {
        assert_eq!(asked("parse_registry_key", &json!({ "key": spelling })).records, key.records);
    }
}

/// Every argument that says where to search, over all tools: a nonexistent place is refused.
///
/// For two calls the answer itself is that what they name does not exist: the file of `stat_file`, and the key of `parse_registry_key`.
#[test]
fn no_argument_that_says_where_to_look_is_answered_as_if_something_had_been_looked_at() {
    let wrong = [
        ("under", "p1/no such folder"),
        ("path", "p1/no such file.evtx"),
        ("hive", "p1/no such hive"),
        ("key", "No Such Key\\At All"),
        ("evidence", "another"),
        ("volume", "p77"),
        ("region", "nowhere"),
        ("stream", "no such stream"),
        ("source", "no such source"),
        ("record", "no_such_record"),
        ("field", "no_such_field"),
        ("count_by", "no_such_field"),
        ("sum", "no_such_field"),
        ("where", "no_such_field = 1"),
    ];
    let (mut tried, mut answered) = (0, Vec::new());
    for spec in tools::catalogue() {
        let properties = spec.arguments["properties"].as_object().unwrap();
        for (argument, value) in wrong.iter().filter(|(argument, _)| properties.contains_key(*argument)) {
            if [("stat_file", "path"), ("parse_registry_key", "key")]
                .contains(&(spec.name.as_str(), *argument))
            {
                continue;
            }
            let mut arguments = usual(&spec.name);
            arguments[*argument] = json!(value);
            let returned = asked(&spec.name, &arguments);
            let is_answered =
                !returned.outcome.is_failure() && returned.completeness == Completeness::Complete;
            if is_answered {
                answered.push(format!("{} {arguments}: {:?}", spec.name, returned.outcome));
            }
            tried += 1;
        }
    }
    assert_eq!(answered, Vec::<String>::new());
    assert!(tried > 60, "{tried}");
}

/// Returns arguments with which a tool answers.
fn usual(tool: &str) -> Value {
    match tool {
        "records" => json!({ "source": "event_log" }),
        "parse_file" => json!({ "path": "p1/Windows/System32/winevt/Logs/Security.evtx" }),
        "parse_registry_key" => json!({ "hive": "p1/Windows/System32/config/SYSTEM", "key": "Select" }),
        "search_registry" => json!({ "text": "a" }),
        "search_text" => json!({ "text": "a" }),
        "query" => json!({ "sql": "SELECT * FROM logon" }),
        "sqlite_query" => {
            json!({ "path": "p1/Users/mara/AppData/Local/Microsoft/Edge/User Data/Default/History", "sql": "SELECT 1" })
        }
        "hash_file" | "stat_file" | "read_file" | "list_tables" | "mft_entry" | "carve_strings" => {
            json!({ "path": "p1/Windows/System32/winevt/Logs/Security.evtx" })
        }
        "read_stream" => {
            json!({ "path": "p1/Users/mara/Downloads/ScanToPdf-Setup.exe", "stream": "Zone.Identifier" })
        }
        "timeline_histogram" => json!({ "by": "day" }),
        _ => json!({}),
    }
}
