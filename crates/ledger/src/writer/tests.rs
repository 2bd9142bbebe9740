//! Tests the shipped tables with places, channels, keys and counts.

use super::*;
use crate::{Field, FieldValue, Locator, RecordId};

fn record(kind: &str, path: &str, fields: &[(&str, &str)]) -> Record {
    let field = |(name, text): &(&str, &str)| {
        ((*name).to_owned(), Field { at: None, value: FieldValue::Text((*text).into()) })
    };
    Record {
        placement: None,
        defects: vec![],
        fields: fields.iter().map(field).collect(),
        id: RecordId(0),
        kind: kind.into(),
        locator: Locator { evidence: "e".into(), path: path.into(), stream: None, span: None },
    }
}

fn who(kind: &str, path: &str, fields: &[(&str, &str)], of: &str) -> Writer {
    let writers = Writers::shipped().unwrap();
    let record = record(kind, path, fields);
    writers.written(&record).unwrap().by(of)
}

#[test]
fn the_place_of_a_file_decides_who_writes_it() {
    for (path, expected) in [
        ("p1/Users/mara/x.txt", Writer::AnyUser),
        ("p1/Windows/notepad.exe", Writer::Administrator),
        ("C/WINDOWS/notepad.exe", Writer::Administrator),
        ("Windows/notepad.exe", Writer::Administrator),
        ("uploads/auto/C%3A/Windows/notepad.exe", Writer::Administrator),
        ("tout/HOST/C/Program Files/x/y.dll", Writer::Administrator),
        ("p1/ProgramData/x/y.dll", Writer::AnyUser),
        ("p1/Windows/Temp/x.exe", Writer::AnyUser),
        ("p1/Windows/System32/Tasks/x", Writer::AnyUser),
        ("p1/Windows/Prefetch/X.EXE-12345678.pf", Writer::System),
        // Anyone can create folders with these names below the top level of a drive.
        ("p1/Users/mara/Windows/notepad.exe", Writer::AnyUser),
        ("p1/x/Windows/notepad.exe", Writer::AnyUser),
        ("p1/Windows2/notepad.exe", Writer::AnyUser),
        ("p1/$Deleted/29-2/stage.ps1", Writer::AnyUser),
        ("p1", Writer::AnyUser),
        ("", Writer::AnyUser),
    ] {
        assert_eq!(who("dir_entry", path, &[("path", path)], "born"), expected, "{path}");
    }
}

#[test]
fn bytes_of_a_log_of_the_system_hold_words_of_anybody() {
    let log = "p1/Windows/System32/winevt/Logs/Application.evtx";
    assert_eq!(who("text_line", log, &[], "text"), Writer::AnyUser);
    assert_eq!(who("file_hash", log, &[], "sha256"), Writer::AnyUser);
    assert_eq!(who("text_line", "p1/Windows/win.ini", &[], "text"), Writer::Administrator);
}

#[test]
fn a_channel_decides_about_what_an_event_says_but_not_about_what_the_log_notes() {
    let logs = "p1/Windows/System32/winevt/Logs";
    for (channel, provider, text) in [
        ("Security", Writer::System, Writer::AnyUser),
        ("System", Writer::Administrator, Writer::AnyUser),
        ("Application", Writer::AnyUser, Writer::AnyUser),
    ] {
        let path = format!("{logs}/{channel}.evtx");
        let of = |field| who("event", &path, &[("channel", channel)], field);
        assert_eq!((of("provider"), of("message_data")), (provider, text), "{channel}");
        assert_eq!((of("time"), of("record_id")), (Writer::System, Writer::System), "{channel}");
    }
    // A log that a user made proves nothing, and neither does a log that names another's channel.
    for path in ["p1/Users/mara/Security.evtx", "p1/Windows/System32/winevt/Logs/ForwardedEvents.evtx"] {
        for field in ["time", "account", "channel"] {
            assert_eq!(
                who("logon", path, &[("channel", "Security")], field),
                Writer::AnyUser,
                "{path} {field}"
            );
        }
    }
    let security = format!("{logs}/Security.evtx");
    assert_eq!(who("logon_failed", &security, &[("channel", "Security")], "account"), Writer::AnyUser);
    assert_eq!(who("logon_failed", &security, &[("channel", "Security")], "status"), Writer::System);
    assert_eq!(who("logon", &security, &[], "account"), Writer::AnyUser, "no channel");
}

#[test]
fn a_hive_of_a_user_is_the_users_and_one_of_the_system_an_administrators() {
    let run = [("key_path", "Microsoft\\Windows\\CurrentVersion\\Run")];
    let of = |path, key: &[(&str, &str)]| who("registry_value", path, key, "data");
    assert_eq!(of("p1/Users/mara/NTUSER.DAT", &run), Writer::AnyUser);
    assert_eq!(of("C/Documents and Settings/mara/NTUSER.DAT", &run), Writer::AnyUser);
    assert_eq!(of("p1/Windows/System32/config/SOFTWARE", &run), Writer::Administrator);
    assert_eq!(of("C/WINDOWS/system32/config/software", &run), Writer::Administrator);
    assert_eq!(of("p1/Users/mara/Desktop/SOFTWARE", &run), Writer::AnyUser);
    let bam = [("key_path", "ControlSet001\\Services\\bam\\State\\UserSettings\\S-1-5-18")];
    assert_eq!(of("p1/Windows/System32/config/SYSTEM", &bam), Writer::System);
    assert_eq!(of("p1/Windows/System32/config/SOFTWARE", &bam), Writer::Administrator, "a key of that name");
    let usb = [("key_path", "ControlSet001\\Enum\\USBSTOR\\Disk")];
    assert_eq!(of("p1/Windows/System32/config/SYSTEM", &usb), Writer::AnyUser);
}

#[test]
fn an_entry_of_the_file_table_is_as_good_as_the_place_of_its_file() {
    let of = |path: &str, field| who("mft_file_entry", "p1/$MFT", &[("path", path)], field);
    for field in ["si_created", "fn_created", "size", "name"] {
        assert_eq!(of("p1/Users/mara/x.exe", field), Writer::AnyUser, "{field}");
        assert_eq!(of("p1/Windows/x.exe", field), Writer::Administrator, "{field}");
    }
    assert_eq!(of("p1/Users/mara/x.exe", "in_use"), Writer::System);
    assert_eq!(who("mft_file_entry", "p1/$MFT", &[], "size"), Writer::AnyUser, "no path is known");
    assert_eq!(
        who("mft_file_entry", "p1/Users/mara/$MFT", &[("path", "Windows/x")], "entry"),
        Writer::AnyUser
    );
    let deleted = "p1/$Deleted/29-2/x.exe";
    assert_eq!(who("deleted_entry", deleted, &[], "state"), Writer::System);
    assert_eq!(who("deleted_entry", deleted, &[], "born"), Writer::AnyUser);
    let stood = [("original_path", "p1/Windows/x.exe")];
    assert_eq!(who("deleted_entry", deleted, &stood, "born"), Writer::Administrator);
    assert_eq!(who("deleted_entry", deleted, &[], "path"), Writer::AnyUser);
}

#[test]
fn a_count_is_as_good_as_the_least_of_what_it_counts() {
    let of = |kind: &str, path| who("record_count", path, &[("counted", kind)], "count");
    assert_eq!(of("prefetch", "p1/Windows/Prefetch/X.pf"), Writer::System);
    assert_eq!(of("event", "p1/Windows/System32/winevt/Logs/Security.evtx"), Writer::AnyUser);
    assert_eq!(of("prefetch", "p1/Users/mara/X.pf"), Writer::AnyUser);
    assert_eq!(of("no such type", "p1/Windows/Prefetch/X.pf"), Writer::AnyUser);
    assert_eq!(who("record_count", "p1/Windows/Prefetch/X.pf", &[], "count"), Writer::AnyUser);
}

#[test]
fn what_is_not_known_is_any_users_and_without_tables_nothing_is_said() {
    assert_eq!(who("no_such_type", "p1/Windows/x", &[], "path"), Writer::AnyUser);
    assert_eq!(who("image", "", &[], "examiner"), Writer::Acquisition);
    let record = record("image", "", &[]);
    assert!(Writers::default().written(&record).is_none());
}

#[test]
fn no_field_is_more_trusted_for_standing_at_a_lesser_place() {
    let writers = Writers::shipped().unwrap();
    for (kind, table) in writers.record.iter().filter(|(_, table)| !table.medium) {
        for field in table.fields.keys().chain(&table.kept).map(String::as_str).chain(["any"]) {
            assert_eq!(who(kind, "p1/Users/mara/x", &[], field), Writer::AnyUser, "{kind}.{field}");
        }
    }
}

#[test]
fn tables_survive_being_stored_and_a_misspelt_member_is_refused() {
    let writers = Writers::shipped().unwrap();
    let text = serde_json::to_string(&writers).unwrap();
    assert_eq!(serde_json::from_str::<Writers>(&text).unwrap(), writers);
    assert!(Writers::from_toml("[record.a]\nwriter = \"any_user\"\nfield = {}").is_err());
    let unknown = Writers::from_toml("[record.a]\nwriter = \"any_user\"\nby = \"b\"");
    assert!(matches!(unknown, Err(WritersError::UnknownLimit { .. })));
}
