//! Looks up again, in the run's tables, who could have written a value.
//! The code is independent of the gateway's: paths are texts, and all limits are collected before the lowest counts.

use super::RecheckError;
use ledger::pattern::{fits, same_letter};
use ledger::writer::RecordWriters;
use ledger::{BoundValue, Record, Writer, Writers};

/// Checks that a stored value names the writer that the tables name.
pub(super) fn check(value: &BoundValue, record: &Record, writers: &Writers) -> Result<(), RecheckError> {
    let expected = expected(record, &value.field, writers);
    if value.writer == expected {
        return Ok(());
    }
    Err(RecheckError::Writer { field: value.field.clone(), expected, found: value.writer })
}

fn expected(record: &Record, field: &str, writers: &Writers) -> Option<Writer> {
    if writers.record.is_empty() {
        return None;
    }
    let Some(table) = writers.record.get(&record.kind) else { return Some(Writer::AnyUser) };
    let mut all = vec![*table.fields.get(field).unwrap_or(&table.writer)];
    if !table.medium {
        all.push(at_place(&record.locator.path, table, writers));
    }
    let text = |name: &str| record.fields.get(name).map(|field| field.value.to_text().into_owned());
    if let Some(counts) = &table.counts {
        all.push(text(counts).map_or(Writer::AnyUser, |kind| counted(&kind, writers)));
    }
    if let Some(of) = table.of.as_ref().filter(|_| !table.kept.contains(field)) {
        all.push(text(of).map_or(Writer::AnyUser, |path| at_place(&path, table, writers)));
    }
    if let Some((by, limit)) = table.by.as_ref().and_then(|by| Some((by, writers.limit.get(by)?)))
        && !table.kept.contains(field)
        && !limit.kept.contains(field)
    {
        let value = text(by);
        let path = below_drive(&record.locator.path, writers);
        let entry = value.and_then(|value| {
            limit.is.iter().find(|entry| {
                entry.values.iter().any(|pattern| fits(pattern, &value))
                    && (entry.paths.is_empty() || entry.paths.iter().any(|pattern| covers(pattern, &path)))
            })
        });
        all.push(entry.map_or(limit.other, |entry| entry.writer));
    }
    all.into_iter().min()
}

/// Returns the least trusted writer in a record type's table.
fn counted(kind: &str, writers: &Writers) -> Writer {
    let Some(table) = writers.record.get(kind) else { return Writer::AnyUser };
    let mut all: Vec<_> = table.fields.values().copied().collect();
    all.push(table.writer);
    if table.of.is_some() {
        all.push(Writer::AnyUser);
    }
    if let Some(limit) = table.by.as_ref().and_then(|by| writers.limit.get(by)) {
        all.push(limit.other);
        all.extend(limit.is.iter().map(|entry| entry.writer));
    }
    all.into_iter().min().unwrap_or(Writer::AnyUser)
}

fn at_place(path: &str, table: &RecordWriters, writers: &Writers) -> Writer {
    let path = below_drive(path, writers);
    for place in &writers.place {
        if place.paths.iter().any(|pattern| covers(pattern, &path)) {
            return if table.raw { place.raw.unwrap_or(place.writer) } else { place.writer };
        }
    }
    Writer::AnyUser
}

/// Returns the path below the root of its drive.
fn below_drive(path: &str, writers: &Writers) -> String {
    let path = path.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    for root in &writers.root {
        for (at, _) in path.match_indices('/') {
            let (before, after) = path.split_at(at);
            if matches(root, before) {
                return after.trim_start_matches('/').to_owned();
            }
        }
    }
    path
}

/// Checks whether the pattern, without a final `/**` if it has one, matches the path or a folder above it.
fn covers(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix("/**") {
        None => matches(pattern, path),
        Some(folder) => {
            matches(folder, path)
                || path.match_indices('/').any(|(at, _)| matches(folder, path.split_at(at).0))
        }
    }
}

/// Checks whether a pattern matches the whole text; `*` and `?` do not match `/`.
fn matches(pattern: &str, text: &str) -> bool {
    let (mut wanted, mut rest) = (pattern.chars(), text.chars());
    match (wanted.next(), rest.next()) {
        (None, None) => true,
        (Some('*'), letter) => {
            matches(wanted.as_str(), text)
                || letter.is_some_and(|letter| letter != '/' && matches(pattern, rest.as_str()))
        }
        (Some(one), Some(other)) => {
            (one == '?' && other != '/' || same_letter(one, other)) && matches(wanted.as_str(), rest.as_str())
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::expected;
    use ledger::{Field, FieldValue, Locator, Record, RecordId, Writers};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static WRITERS: LazyLock<Writers> = LazyLock::new(|| Writers::shipped().unwrap());

    fn path() -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec![
            "p1",
            "C",
            "C%3A",
            "uploads",
            "auto",
            "Windows",
            "WINNT",
            "Users",
            "x",
            "System32",
            "config",
            "SYSTEM",
            "SYSTEM.LOG1",
            "SOFTWARE",
            "winevt",
            "Logs",
            "Security.evtx",
            "$MFT",
            "$Extend",
            "Prefetch",
            "X.EXE-00000000.pf",
            "Temp",
            "system32",
            "Tasks",
            "",
            "Program Files",
            "AppCompat",
            "Programs",
        ]);
        prop::collection::vec(part, 0..7).prop_map(|parts| parts.join("/"))
    }

    fn value() -> impl Strategy<Value = String> {
        let one = prop::sample::select(vec![
            "Security",
            "System",
            "Application",
            "ControlSet001\\Enum\\USB\\x",
            "ControlSet001\\Services\\bam\\State",
            "Microsoft\\Tracing\\x",
            "Software\\x",
            "prefetch",
            "event",
            "mft_file_entry",
            "registry_value",
            "none",
        ]);
        prop_oneof![one.prop_map(str::to_owned), path()]
    }

    proptest! {
        #[test]
        fn the_gateway_and_the_recheck_name_the_same_writer(
            kind in any::<prop::sample::Index>(), path in path(), values in prop::collection::vec(value(), 5), has in 0u8..32
        ) {
            let writers = &*WRITERS;
            let kinds: Vec<_> = writers.record.iter().collect();
            let (kind, table) = *kind.get(&kinds);
            let names = ["channel", "key_path", "path", "original_path", "counted"];
            let fields = names.iter().zip(&values).enumerate().filter(|(index, _)| has >> index & 1 == 1);
            let fields = fields.map(|(_, (name, text))| {
                ((*name).to_owned(), Field { at: None, value: FieldValue::Text(text.clone()) })
            });
            let record = Record { placement: None,
                defects: vec![],
                fields: fields.collect(),
                id: RecordId(0),
                kind: kind.clone(),
                locator: Locator { evidence: "e".into(), path, stream: None, span: None },
            };
            for field in table.fields.keys().chain(&table.kept).map(String::as_str).chain(["time", "any"]) {
                let gateway = writers.written(&record).map(|written| written.by(field));
                prop_assert_eq!(gateway, expected(&record, field, writers), "{}.{}", kind, field);
            }
        }
    }
}
