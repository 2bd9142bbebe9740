//! Logs of what a collector copied.

use crate::fixture::{Fixture, fits, text, wide};
use ledger::{Clock, FieldValue, Outcome, Precision, Record};
use serde_json::json;
use testkit::windows_logs::{COPY_LOG, SKIP_LOG};
use tools::{Return, decode_bytes};

const LOG: &str = "2012-04-04T015840_CopyLog.csv";

fn decoded(decoder: &str, path: &str, bytes: &[u8]) -> Return {
    let scratch = tempfile::tempdir().unwrap();
    let returned = decode_bytes(decoder, path, bytes, scratch.path());
    fits(&returned, "parse_file");
    returned
}

fn copies(log: &str) -> Return {
    decoded("copy_log", LOG, log.as_bytes())
}

fn utf16(log: &str) -> Vec<u8> {
    [vec![0xFF, 0xFE], wide(log.trim_start_matches('\u{FEFF}'))].concat()
}

fn clock(record: &Record, field: &str) -> (Clock, Precision) {
    match &record.fields[field].value {
        FieldValue::Time(time) => (time.clock, time.precision),
        other => panic!("{field} is {other:?}"),
    }
}

#[test]
fn a_copied_file_has_the_times_and_the_hash_of_its_original() {
    let log = COPY_LOG.as_bytes();
    let found = copies(COPY_LOG);
    let first = &found.records[0];
    assert_eq!((first.kind.as_str(), found.records.len()), ("copied_file", 2));
    assert_eq!(text(first, "source"), "C:\\Users\\ann\\NTUSER.DAT");
    assert_eq!(text(first, "sha1"), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    assert_eq!((text(first, "size"), text(first, "deferred")), ("262144".into(), "true".into()));
    assert_eq!(text(first, "created"), "2011-12-07T09:03:44.5688762Z");
    assert_eq!(text(first, "accessed"), "2012-04-04T01:58:40.8392490Z");
    assert_eq!(clock(first, "modified"), (Clock::Host, Precision::Filetime));
    assert_eq!(clock(first, "copied"), (Clock::CollectionCopy, Precision::Filetime));
    let at = first.fields["created"].at.unwrap();
    assert_eq!(&log[at.offset as usize..at.end() as usize], b"2011-12-07 09:03:44.5688762");
    let second = &found.records[1];
    assert_eq!(text(second, "source"), "C:\\Users\\ann\\plan, new.txt");
    assert!(!second.fields.contains_key("created") && second.defects.is_empty());
}

#[test]
fn a_log_in_utf16_or_with_other_columns_first_tells_the_same() {
    let told = |record: &Record| -> Vec<_> {
        record.fields.iter().map(|(name, field)| (name.clone(), field.value.to_text().into_owned())).collect()
    };
    let plain = copies(COPY_LOG);
    let wide = decoded("copy_log", LOG, &utf16(COPY_LOG));
    let turned: String = COPY_LOG
        .trim_start_matches('\u{FEFF}')
        .lines()
        .map(|line| {
            let (first, rest) = line.split_once(',').unwrap();
            format!("{rest},{first}\n")
        })
        .collect();
    let turned = copies(&turned);
    for other in [wide, turned] {
        assert_eq!(other.defects, []);
        let pairs = plain.records.iter().zip(&other.records);
        assert_eq!(plain.records.len(), other.records.len());
        pairs.for_each(|(one, other)| assert_eq!(told(one), told(other)));
    }
}

#[test]
fn a_skipped_file_says_why() {
    let found = decoded("copy_log", "a_SkipLog.csv.csv", SKIP_LOG.as_bytes());
    let record = &found.records[0];
    assert_eq!((record.kind.as_str(), text(record, "reason")), ("skipped_file", "Deduped".into()));
}

/// Unreadable rows do not hide the others.
#[test]
fn damaged_rows_of_a_copy_log_are_told() {
    let head = COPY_LOG.lines().next().unwrap();
    let good = "2012-04-04 01:58:42.8392490,C:\\a,E:\\a,1,DA39A3EE5E6B4B0D3255BFEF95601890AFD80709,True,,,,";
    let lost: [&str; 4] =
        ["2012-04-04 01:58:42.8392490,C:\\a,E:\\", "a,b,c,d,e,f,g,h,i,j,k", ",\"C:\\a,,,,,,,,", ",,,,,,,,,"];
    for line in lost {
        let found = copies(&format!("{head}\r\n{line}\r\n{good}\r\n"));
        assert_eq!((found.records.len(), found.defects.len()), (1, 1), "{line}");
        assert_eq!(found.defects[0].offset, Some(head.len() as u64 + 2), "{line}");
    }
    let odd: [(&str, &str); 5] = [
        (
            "C:\\a,E:\\a,1,DA39A3EE5E6B4B0D3255BFEF95601890AFD80709",
            "C:\\a,E:\\a,one,DA39A3EE5E6B4B0D3255BFEF95601890AFD80709",
        ),
        ("DA39A3EE5E", "XA39A3EE5E"),
        ("2012-04-04 01:58:42.8392490", "04/04/2012 01:58"),
        ("True", "Perhaps"),
        ("C:\\a", "C:\\\0"),
    ];
    for (from, to) in odd {
        let found = copies(&format!("{head}\r\n{}\r\n", good.replacen(from, to, 1)));
        assert_eq!((found.records.len(), found.defects.len()), (1, 0), "{to:?}");
        assert_eq!(found.records[0].defects.len(), 1, "{to:?}");
    }
}

#[test]
fn a_time_that_is_not_set_is_no_field_and_an_unknown_column_is_a_gap() {
    let log = "SourceFile,SourceFileSha1,DestinationFile,CreatedOnUtc,Colour\nC:\\a,,E:\\a,1601-01-01 00:00:00.0000000,red\n";
    let found = copies(log);
    assert_eq!((found.outcome, found.records.len()), (Outcome::Ok, 1));
    assert!(!found.records[0].fields.contains_key("created") && found.records[0].defects.is_empty());
    assert!(found.gaps[0].reason.contains("\"Colour\""));
}

#[test]
fn the_words_of_a_log_of_copies_are_found() {
    let fixture = Fixture::new();
    let found = fixture
        .ok("parse_file", json!({ "path": format!("C/{LOG}"), "evidence": "files", "text": "plan, new" }));
    assert_eq!(found.records.len(), 1);
}
