//! Events exported from logs give the same records as the log itself, located in the text.

use crate::fixture::text;
use ledger::{FieldValue, Outcome, Record};
use std::io::Write;
use testkit::event_text::{Shape, exported};
use testkit::evtx::{self, Event};
use tools::{Return, decode_bytes};

const SECURITY: Option<&str> = Some("{54849625-5478-4994-a5ba-3e3b0328c30d}");

/// All formats write times of whole milliseconds exactly.
const TICKS: u64 = 129_779_783_208_390_000;

fn event<'a>(record_id: u64, event_id: u16, data: &'a [(&'a str, &'a str)]) -> Event<'a> {
    Event {
        record_id,
        time: TICKS + record_id * 10_000_000,
        provider: "Microsoft-Windows-Security-Auditing",
        guid: SECURITY,
        event_id,
        level: 0,
        channel: "Security",
        computer: "PC-1.corp.example",
        user_sid: None,
        user_data: None,
        data,
    }
}

const LOGON: &[(&str, &str)] = &[
    ("TargetUserSid", "S-1-5-21-1-2-3-1001"),
    ("TargetUserName", "änn & \"bob\" <x>"),
    ("TargetLogonId", "0x1a2b"),
    ("LogonType", "10"),
    ("IpAddress", "203.0.113.7"),
];
const PROCESS: &[(&str, &str)] = &[
    ("SubjectUserName", "ann"),
    ("NewProcessId", "0x1f0"),
    ("NewProcessName", "C:\\Windows\\System32\\cmd.exe"),
    ("CommandLine", "cmd.exe /c \"echo 😀 > C:\\x.txt\"\tand\n more"),
    ("ParentProcessName", "C:\\Windows\\explorer.exe"),
];
const SYSMON: &[(&str, &str)] = &[
    ("Image", "C:\\Users\\Public\\a.exe"),
    ("CommandLine", "a.exe -x"),
    ("Hashes", "SHA1=A9993E364706816ABA3E25717850C26C9CD0D89D,MD5=900150983CD24FB0D6963F7D28E17F72"),
];
const SERVICE: &[(&str, &str)] = &[("ServiceName", "updater"), ("ImagePath", "C:\\ProgramData\\u.exe -k")];
const CLEARED: &[(&str, &str)] = &[("SubjectUserName", "ann"), ("SubjectDomainName", "CORP")];

fn events() -> Vec<Event<'static>> {
    vec![
        event(1, 4624, LOGON),
        event(2, 4688, PROCESS),
        Event {
            provider: "Microsoft-Windows-Sysmon",
            guid: Some("{5770385F-C22A-43E0-BF4C-06F5698FFBD9}"),
            channel: "Microsoft-Windows-Sysmon/Operational",
            user_sid: Some("S-1-5-18"),
            ..event(3, 1, SYSMON)
        },
        // Without its provider's GUID the event only imitates that provider.
        Event {
            provider: "Service Control Manager",
            guid: None,
            channel: "System",
            ..event(4, 7045, SERVICE)
        },
        Event {
            provider: "Microsoft-Windows-Eventlog",
            guid: Some("{fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148}"),
            user_data: Some("LogFileCleared"),
            ..event(5, 1102, CLEARED)
        },
    ]
}

fn decoded(bytes: &[u8]) -> Return {
    let scratch = tempfile::tempdir().unwrap();
    decode_bytes("event_log", "Exports/a.json", bytes, scratch.path())
}

/// Returns type, time and the fields that every format keeps; a general event has further ones that depend on the format.
fn told(record: &Record) -> Vec<(String, String)> {
    const LOST: [&str; 5] = ["level", "sid", "activity", "process_id", "time"];
    let mut told = vec![("type".to_owned(), record.kind.clone())];
    if let FieldValue::Time(time) = &record.fields["time"].value {
        told.push(("time".to_owned(), time.utc.unwrap().to_string()));
        assert_eq!(time.zone, None);
    }
    let fields = record.fields.iter().filter(|(name, _)| !LOST.contains(&name.as_str()));
    told.extend(fields.map(|(name, field)| {
        let mut value = field.value.to_text().into_owned();
        if let FieldValue::List(items) = &field.value {
            let mut items = items.clone();
            items.sort();
            value = items.join("\n");
        }
        // The order of the members depends on the format.
        if name == "message_data" {
            let mut lines: Vec<&str> = value.lines().collect();
            lines.sort_unstable();
            value = lines.join("\n");
        }
        (name.clone(), value.to_lowercase())
    }));
    told
}

#[test]
fn each_shape_gives_the_records_of_the_log_itself() {
    let log = decoded(&evtx::log(&events()));
    let kinds: Vec<&str> = log.records.iter().map(|record| record.kind.as_str()).collect();
    assert_eq!(kinds, ["logon", "process_created", "process_created", "event", "log_cleared"]);
    let expected: Vec<_> = log.records.iter().map(told).collect();
    for shape in Shape::ALL {
        let returned = decoded(&exported(&events(), shape));
        assert!(returned.defects.is_empty(), "{shape:?}: {:?}", returned.defects);
        if shape == Shape::PowerShell {
            continue;
        }
        let found: Vec<_> = returned.records.iter().map(told).collect();
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{shape:?}");
        }
        assert_eq!(found.len(), expected.len(), "{shape:?}");
    }
}

#[test]
fn values_without_names_are_kept_in_their_order() {
    let returned = decoded(&exported(&events(), Shape::PowerShell));
    let [logon, ..] = returned.records.as_slice() else { panic!("{:?}", returned.defects) };
    assert_eq!((logon.kind.as_str(), text(logon, "event_id")), ("event", "4624".to_owned()));
    assert_eq!(text(logon, "time"), "2012-04-04T01:58:41.839Z");
    assert_eq!(text(logon, "provider"), "Microsoft-Windows-Security-Auditing");
    assert!(text(logon, "data").contains("data4=203.0.113.7"), "{}", text(logon, "data"));
}

#[test]
fn every_value_stands_where_its_place_says() {
    for shape in Shape::ALL {
        let bytes = exported(&events(), shape);
        let mut seen = 0;
        for record in decoded(&bytes).records {
            let span = record.locator.span.unwrap();
            for (name, field) in &record.fields {
                let Some(at) = field.at else { continue };
                let raw = &bytes[at.offset as usize..(at.offset + at.length) as usize];
                assert!(at.offset >= span.offset && at.offset + at.length <= span.offset + span.length);
                let raw = match shape {
                    Shape::ToXml => {
                        let units: Vec<u16> =
                            raw.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
                        String::from_utf16(&units).unwrap()
                    }
                    _ => String::from_utf8(raw.to_vec()).unwrap(),
                };
                let value = field.value.to_text().into_owned();
                let plain = |text: &str| {
                    let text = text.replace("\\\\", "\\").replace("\\\"", "\"").replace("\\n", "\n");
                    let text = text.replace("\\t", "\t").replace("&quot;", "\"").replace("&lt;", "<");
                    let text = text.replace("&gt;", ">").replace("&apos;", "'").replace("&amp;", "&");
                    text.to_lowercase()
                };
                if !matches!(field.value, FieldValue::Time(_) | FieldValue::Integer(_))
                    && shape != Shape::ToXml
                {
                    assert_eq!(plain(&raw), value.to_lowercase(), "{shape:?} {name}");
                }
                seen += 1;
            }
        }
        let least = if shape == Shape::PowerShell { 10 } else { 25 };
        assert!(seen > least, "{shape:?}: {seen}");
    }
}

#[test]
fn a_compressed_export_gives_the_same_without_places() {
    let plain = exported(&events(), Shape::DumpLines);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&plain).unwrap();
    let packed = packed.finish().unwrap();
    let (whole, expanded) = (decoded(&plain), decoded(&packed));
    let told = |returned: &Return| returned.records.iter().map(told).collect::<Vec<_>>();
    assert_eq!(told(&expanded), told(&whole));
    for record in &expanded.records {
        assert!(record.locator.span.is_none() && record.fields.values().all(|field| field.at.is_none()));
    }
    let cut = decoded(&packed[..packed.len() - 40]);
    assert!(!cut.defects.is_empty());
}

#[test]
fn damage_is_told_with_its_place_and_the_other_events_are_read() {
    let lines = String::from_utf8(exported(&events(), Shape::DumpLines)).unwrap();
    let all: Vec<&str> = lines.lines().collect();
    let cut = &all[1][..all[1].len() / 2];
    let table: [(&str, String, usize); 6] = [
        ("a line that ends early", format!("{}\n{cut}\n{}\n", all[0], all[2]), 2),
        ("the end is missing", format!("{}\n{}", all[0], &all[1][..40]), 1),
        ("no JSON", format!("{}\n{{\"Event\": nonsense}}\n{}\n", all[0], all[2]), 2),
        ("something between", format!("{}\nwords\n{}\n", all[0], all[2]), 2),
        ("a name twice", format!("{}\n{}\n", all[0], all[2].replacen('{', "{\"Event\":{},", 1)), 1),
        ("nested too deep", format!("{}\n{{\"a\":{}\n{}\n", all[0], "[".repeat(100), all[2]), 2),
    ];
    for (what, text, events) in table {
        let returned = decoded(text.as_bytes());
        assert_eq!(returned.records.len(), events, "{what}: {:?}", returned.defects);
        assert!(!returned.defects.is_empty(), "{what}");
        assert!(returned.defects.iter().all(|it| it.offset.is_some_and(|at| at >= 40)), "{what}");
    }
}

#[test]
fn elements_that_break_off_cost_one_event_and_nothing_is_expanded() {
    let xml = String::from_utf8(exported(&events(), Shape::Wevtutil)).unwrap();
    let events: Vec<&str> = xml.lines().filter(|line| line.starts_with("<Event ")).collect();
    let broken = format!("<Events>{}\n{}\n{}</Events>", events[0], &events[1][..200], events[2]);
    let returned = decoded(broken.as_bytes());
    assert_eq!((returned.records.len(), returned.defects.len()), (2, 1), "{:?}", returned.defects);
    let bomb = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE Events [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\"><!ENTITY f SYSTEM \"file:///etc/passwd\">]><Events>{}</Events>",
        events[0].replace("203.0.113.7", "&b;&f;")
    );
    let returned = decoded(bomb.as_bytes());
    assert_eq!(text(&returned.records[0], "address"), "&b;&f;");
    let deep = format!("<Events>{}{}{}</Events>", "<Event xmlns='x'>", "<a>".repeat(200), events[0]);
    let returned = decoded(deep.as_bytes());
    assert_eq!(returned.records.len(), 1, "{:?}", returned.defects);
}

#[test]
fn an_event_that_is_too_long_is_passed_over_with_little_memory() {
    let lines = String::from_utf8(exported(&events(), Shape::DumpLines)).unwrap();
    let all: Vec<&str> = lines.lines().collect();
    let long = all[1].replace("cmd.exe /c", &"x".repeat(5 << 20));
    let returned = decoded(format!("{}\n{long}\n{}\n", all[0], all[2]).as_bytes());
    assert_eq!(returned.records.len(), 2);
    assert!(returned.defects[0].what.contains("more than"), "{:?}", returned.defects);
}

#[test]
fn an_export_says_that_it_shows_no_absence_and_bytes_that_are_no_text_are_told() {
    let mut bytes = exported(&events(), Shape::DumpLines);
    let at = bytes.windows(4).position(|four| four == b"PC-1").unwrap();
    bytes[at] = 0xFF;
    let returned = decoded(&bytes);
    assert_eq!((returned.outcome, returned.records.len()), (Outcome::Ok, 5));
    assert!(returned.defects[0].what.contains("no text of the encoding"), "{:?}", returned.defects);
    assert!(returned.records[0].fields.values().all(|field| field.at.is_none()));
    assert!(returned.gaps[0].reason.starts_with("an exported log"));
}
