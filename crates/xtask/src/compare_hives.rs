//! `cargo xtask compare-hives`: compares how we and reglookup read registry hives.
//!
//! It needs `reglookup`, which reads a hive as it stands, so its transaction logs are not applied here either.
//! It compares the path and the last-written time (to the second) of every key, and the path, type and data of every value; for lists of texts
//! only the type, since reglookup writes them in several ways.
//! It prints each difference on one line, and fails if there is any.

use artifacts::registry::{Hive, Value, ValueKind};
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

/// The maximum number of differences printed for a hive.
const SHOWN: usize = 30;

/// The number of FILETIME ticks in a second.
const SECOND: u64 = 10_000_000;

/// The data of a key or value that both readers return.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Entry {
    /// The time in seconds since 1601, if there is one.
    Key(Option<u64>),
    /// Its type, its data as far as both return it, and the stored data, which reglookup prints for a text that it cannot convert.
    Value(String, Vec<u8>, Vec<u8>),
}

/// Entries by path; a key and a value can have the same path.
type Entries = BTreeMap<(String, bool), Vec<Entry>>;

/// Compares one hive; returns the number of differences.
pub(crate) fn compare(hive: &Path, say: &mut dyn FnMut(String)) -> io::Result<usize> {
    let (theirs, bytes) = (theirs(hive)?, std::fs::read(hive)?);
    let (ours, damage) = ours(&bytes)?;
    let mut different = Vec::new();
    for place in ours.keys().chain(theirs.keys().filter(|place| !ours.contains_key(*place))) {
        let sorted = |entries: &Entries| {
            let mut found = entries.get(place).cloned().unwrap_or_default();
            found.sort();
            found
        };
        let (we, they) = (sorted(&ours), sorted(&theirs));
        if we.len() != they.len() || !we.iter().zip(&they).all(|(we, they)| same(we, they)) {
            let [we, they] = [we, they].map(|found| found.iter().map(brief).collect::<Vec<_>>().join("; "));
            different.push(format!("  {}: ours {we}, reglookup {they}", place.0));
        }
    }
    let count = |entries: &Entries, key: bool| {
        entries.iter().filter(|(place, _)| place.1 == key).map(|(_, found)| found.len()).sum::<usize>()
    };
    say(format!(
        "{}: {} keys and {} values, reglookup {} and {}; {} differ; {damage} damaged places",
        hive.display(),
        count(&ours, true),
        count(&ours, false),
        count(&theirs, true),
        count(&theirs, false),
        different.len()
    ));
    let total = different.len();
    different.into_iter().take(SHOWN).for_each(say);
    Ok(total)
}

fn same(ours: &Entry, theirs: &Entry) -> bool {
    match (ours, theirs) {
        (Entry::Key(ours), Entry::Key(theirs)) => ours == theirs,
        (Entry::Value(kind, data, raw), Entry::Value(their_kind, their_data, their_raw)) => {
            kind == their_kind && (data == their_data || raw == their_raw)
        }
        (Entry::Key(_), Entry::Value(..)) | (Entry::Value(..), Entry::Key(_)) => false,
    }
}

fn brief(entry: &Entry) -> String {
    match entry {
        Entry::Key(time) => format!("a key of {}", time.unwrap_or_default()),
        Entry::Value(kind, data, raw) => {
            let begin: Vec<u8> = data.iter().take(40).copied().collect();
            format!("{kind} of {} bytes, {:?}", raw.len(), String::from_utf8_lossy(&begin))
        }
    }
}

fn ours(bytes: &[u8]) -> io::Result<(Entries, usize)> {
    let hive = Hive::open(bytes).map_err(io::Error::other)?;
    let (mut entries, mut damage) = (Entries::new(), 0);
    hive.walk(|visit| {
        damage += visit.defects.len();
        let path = format!("/{}", visit.key.path.replace('\\', "/"));
        let time = Some(visit.key.last_written.0 / SECOND).filter(|seconds| *seconds != 0);
        for value in &visit.values {
            let place = format!("{}/{}", path.trim_end_matches('/'), value.name);
            entries.entry((place, false)).or_default().push(of_value(value));
        }
        entries.entry((path, true)).or_default().push(Entry::Key(time));
        ControlFlow::Continue(())
    });
    Ok((entries, damage))
}

fn of_value(value: &Value<'_>) -> Entry {
    let (name, raw) = (type_name(value.kind), &*value.raw);
    let data = match value.kind {
        ValueKind::MultiSz => Vec::new(),
        ValueKind::Sz | ValueKind::ExpandSz | ValueKind::Link => text(raw),
        ValueKind::Dword | ValueKind::Qword => raw.iter().rev().copied().collect(),
        ValueKind::DwordBigEndian => raw.to_vec(),
        _ => raw.to_vec(),
    };
    Entry::Value(name, data, raw.to_vec())
}

/// Returns a text up to its terminator, in UTF-8.
fn text(raw: &[u8]) -> Vec<u8> {
    let units = raw.chunks(2).map(|pair| match pair {
        [low, high] => u16::from_le_bytes([*low, *high]),
        _ => 0,
    });
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    String::from_utf16_lossy(&units).into_bytes()
}

/// Returns reglookup's word for a type.
fn type_name(kind: ValueKind) -> String {
    let word = match kind {
        ValueKind::None => "NONE",
        ValueKind::Sz => "SZ",
        ValueKind::ExpandSz => "EXPAND_SZ",
        ValueKind::Binary => "BINARY",
        ValueKind::Dword => "DWORD",
        ValueKind::DwordBigEndian => "DWORD_BE",
        ValueKind::Link => "LINK",
        ValueKind::MultiSz => "MULTI_SZ",
        ValueKind::ResourceList => "RSRC_LIST",
        ValueKind::FullResourceDescriptor => "RSRC_DESC",
        ValueKind::ResourceRequirementsList => "RSRC_REQ_LIST",
        ValueKind::Qword => "QWORD",
        ValueKind::Other(number) => return format!("0x{number:08X}"),
    };
    word.to_owned()
}

#[expect(clippy::disallowed_methods, reason = "the chore compares with another program")]
fn theirs(hive: &Path) -> io::Result<Entries> {
    let output = std::process::Command::new("reglookup").arg("-H").arg(hive).output()?;
    Ok(read(&String::from_utf8_lossy(&output.stdout)))
}

/// Parses the output of `reglookup -H`: path, type, data and time, with ambiguous characters written as `%` and two hex digits.
fn read(text: &str) -> Entries {
    let mut entries = Entries::new();
    for line in text.lines() {
        let mut parts = line.split(',');
        let (Some(path), Some(kind), Some(data), time) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let path = String::from_utf8_lossy(&unquote(path)).into_owned();
        // This is its word for empty data.
        let data = if data == "(null)" { "" } else { data };
        let raw = unquote(data);
        let told = match kind {
            "MULTI_SZ" => Vec::new(),
            "DWORD" | "DWORD_BE" | "QWORD" => digits(data),
            "SZ" | "EXPAND_SZ" | "LINK" => raw.iter().copied().take_while(|byte| *byte != 0).collect(),
            _ => raw.clone(),
        };
        let entry = match kind {
            "KEY" => Entry::Key(time.and_then(seconds)),
            _ => Entry::Value(kind.to_owned(), told, raw),
        };
        entries.entry((path, kind == "KEY")).or_default().push(entry);
    }
    entries
}

/// Parses `2022-03-05 13:11:08` as seconds since 1601.
fn seconds(text: &str) -> Option<u64> {
    let time = artifacts::evtx::filetime(&format!("{}Z", text.replace(' ', "T")))?;
    Some(time / SECOND).filter(|seconds| *seconds != 0)
}

fn unquote(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    bytes
}

/// Parses `0x0000001F` as bytes, highest first.
fn digits(text: &str) -> Vec<u8> {
    let Some(hex) = text.strip_prefix("0x") else { return Vec::new() };
    let pairs = hex.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Entry, read};

    #[test]
    fn what_reglookup_prints_is_read() {
        let entries = read("/a%2Cb,KEY,,1601-01-01 00:00:02\n/a%2Cb/n,BINARY,%00x,\n/d,DWORD,0x0000001F,\n");
        assert_eq!(entries[&("/a,b".into(), true)], [Entry::Key(Some(2))]);
        assert_eq!(
            entries[&("/a,b/n".into(), false)],
            [Entry::Value("BINARY".into(), vec![0, b'x'], vec![0, b'x'])]
        );
        assert!(
            matches!(&entries[&("/d".into(), false)][..], [Entry::Value(_, data, _)] if *data == [0, 0, 0, 0x1F])
        );
    }
}
