//! WebCache: history, cache, cookies and downloads of Internet Explorer 10 and 11 and Edge Legacy, and of programs that use WinINet.
//!
//! The table `Containers` says what each table `Container_<n>` contains.
//! Source: Joachim Metz, libesedb, "Extensible Storage Engine (ESE) Database File (EDB) format: WebCache".

use super::{Decoder, Head, Source, ese_database, parts};
use crate::intake::Flow;
use crate::spec;
use artifacts::Located;
use artifacts::ese::{self, Database};
use evidence::ReadError;
use ledger::FieldType::{Flag, Integer, Name, Path, Text, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const VISIT: &str = "web_cache_visit";
pub(super) const ENTRY: &str = "web_cache_entry";
const FILE: &str = "web_cache_file";
const DOWNLOAD: &str = "web_cache_download";

/// URL schemes of what a browser shows as a page.
const PAGES: [&str; 5] = ["about", "ftp", "http", "https", "res"];

/// The most containers of a database that are read.
const MOST: usize = 10_000;

pub(crate) const DECODER: Decoder = Decoder {
    name: "web_cache",
    about: "history, cache and downloads of Internet Explorer, Edge Legacy and programs that use their libraries",
    names: &["WebCacheV*.dat"],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    is_named(head.name) && ese_database::is_database(head)
}

/// Checks whether a file has the name of a WebCache.
pub(super) fn is_named(name: &str) -> bool {
    name.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("webcachev"))
}

/// Checks whether a database is a WebCache.
pub(super) fn holds(database: &Database<'_>) -> bool {
    database.table("Containers").is_some_and(|table| table.column("ContainerId").is_some())
}

fn records() -> Vec<RecordType> {
    vec![download_type(), entry_type(), file_type(), visit_type()]
}

fn record_type(name: &str, meaning: &str) -> RecordType {
    spec::record(
        name,
        meaning,
        "url",
        &[
            ("url", &[Text], "address, without what the container puts in front of it"),
            ("user", &[Name], "user named in front of the address"),
            ("time", &[Time], "AccessedTime: when it was last used"),
            ("created", &[Time], "CreationTime"),
            (
                "modified",
                &[Time],
                "ModifiedTime: of a page when it was last changed on its server, of history when it was last visited",
            ),
            ("expires", &[Time], "ExpiryTime"),
            ("access_count", &[Integer], "AccessCount: how often it was used"),
            ("file_name", &[Name], "name of the file of the cache with its content"),
            ("path", &[Path], "where a download was put, as its headers say"),
            (
                "container",
                &[Name],
                "name of the container it stands in, such as Content, History or MSHist01 and two dates",
            ),
            ("partition", &[Name], "partition of the container"),
            ("entry", &[Integer], "EntryId"),
            ("removed", &[Flag], "true where an entry of an index.dat stands in blocks that are free again"),
        ],
    )
}

fn download_type() -> RecordType {
    record_type(
        DOWNLOAD,
        "an entry of the list of downloads; not how the download ended, nor that the file was there or is",
    )
}

pub(super) fn entry_type() -> RecordType {
    record_type(
        ENTRY,
        "an entry of a cache, of cookies or of another container, or of the history for what is neither a page nor a file, such as a host: a program that uses WinINet asked for the address; not that a user did, nor that a page was shown",
    )
}

pub(super) fn file_type() -> RecordType {
    record_type(
        FILE,
        "an entry of the history with an address that begins with file: the shell, a browser or another program noted the file or folder; not that it was shown in a browser, that a user opened it, nor that it exists",
    )
}

pub(super) fn visit_type() -> RecordType {
    record_type(
        VISIT,
        "an entry of the history with the address of a page; `time` is that of the last visit only; not that a user saw it",
    )
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = ese_database::bytes(source)?;
    let Some(database) = ese_database::opened(source, &bytes) else { return Ok(ControlFlow::Continue(())) };
    if !holds(&database) {
        source.damage(None, "expected the table Containers, found none");
    }
    Ok(entries(source, &database))
}

/// A container: its name, partition, and kind of content.
struct Container {
    name: String,
    partition: Option<String>,
    holds: Holds,
}

/// The kind of entries in a container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    History,
    Downloads,
    Other,
}

/// Hands over the entries of all containers.
pub(super) fn entries(source: &mut Source<'_, '_>, database: &Database<'_>) -> Flow {
    let mut containers = Vec::new();
    let Some(list) = database.table("Containers") else { return ControlFlow::Continue(()) };
    ese_database::each_row(source, database, list, |source, mut row| {
        let (id, name, partition) = (row.integer("ContainerId"), row.text("Name"), row.text("PartitionId"));
        row.damage.iter().for_each(|damage| source.damage(Some(damage.offset as u64), damage.what));
        if let Some(id) = id
            && containers.len() < MOST
        {
            let name = name.map(|name| name.value).unwrap_or_default();
            let holds = holds_by(&name);
            let partition = partition.map(|name| name.value);
            containers.push((id.value, Container { name, partition, holds }));
        }
        ControlFlow::Continue(())
    })?;
    containers.sort_by_key(|(id, _)| *id);
    containers.dedup_by_key(|(id, _)| *id);
    for (id, container) in &containers {
        let Some(table) = database.table(&format!("Container_{id}")) else { continue };
        ese_database::each_row(source, database, table, |source, row| entry(source, container, row))?;
    }
    ControlFlow::Continue(())
}

fn holds_by(name: &str) -> Holds {
    let begins = |start: &str| name.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start));
    if begins("History") || begins("MSHist") {
        Holds::History
    } else if begins("iedownload") {
        Holds::Downloads
    } else {
        Holds::Other
    }
}

/// Returns the record type of an entry with this address.
fn kind(holds: Holds, url: &str) -> &'static str {
    match holds {
        Holds::Downloads => DOWNLOAD,
        Holds::Other => ENTRY,
        Holds::History => of_history(url),
    }
}

/// Returns the record type of a history entry with this address.
pub(super) fn of_history(url: &str) -> &'static str {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    if scheme.eq_ignore_ascii_case("file") {
        FILE
    } else if PAGES.iter().any(|page| scheme.eq_ignore_ascii_case(page)) {
        VISIT
    } else {
        ENTRY
    }
}

fn entry(source: &mut Source<'_, '_>, container: &Container, mut from: ese::Row<'_, '_>) -> Flow {
    let mut address = from.text("Url");
    let (mut path, mut user) = (None, None);
    if container.holds == Holds::Downloads {
        let headers = from.bytes("ResponseHeaders");
        let texts = headers.as_ref().map(|headers| texts(&headers.value)).unwrap_or_default();
        path = texts.iter().rev().find(|text| is_path(text)).cloned();
        if let (Some(headers), Some(url)) =
            (&headers, texts.into_iter().rev().find(|text| text.contains("://")))
        {
            address = Some(Located { value: url, offset: headers.offset, length: headers.length });
        }
    } else if let Some(found) = &mut address {
        let (name, url) = split(&found.value);
        user = name.map(|name| FieldValue::Name(name.to_owned()));
        found.value = url.to_owned();
    }
    let Some(address) = address.filter(|address| !address.value.is_empty()) else {
        // Internal entries, such as those that mark a container as migrated, have no address.
        return ControlFlow::Continue(());
    };
    let mut row = parts::part(
        ese_database::located(source, kind(container.holds, &address.value), &from),
        "url",
        0,
        Some(&address),
        FieldValue::Text,
    )
    .maybe("user", user, None)
    .maybe("path", path.map(FieldValue::Path), None)
    .maybe(
        "container",
        Some(FieldValue::Name(container.name.clone())).filter(|_| !container.name.is_empty()),
        None,
    )
    .maybe("partition", container.partition.clone().map(FieldValue::Name), None);
    for (column, field) in [
        ("AccessedTime", "time"),
        ("CreationTime", "created"),
        ("ModifiedTime", "modified"),
        ("ExpiryTime", "expires"),
    ] {
        row = parts::time(row, field, 0, from.filetime(column).as_ref());
    }
    row = parts::number(row, "access_count", 0, from.integer("AccessCount").as_ref());
    row = parts::number(row, "entry", 0, from.integer("EntryId").as_ref());
    let file = from.text("Filename").filter(|name| !name.value.is_empty());
    row = parts::part(row, "file_name", 0, file.as_ref(), FieldValue::Name);
    let row = row.defects(parts::defects(source, 0, &from.damage));
    source.push(row)
}

/// Checks for the prefix of an address in a daily or weekly history: `:2024010120240102`.
fn is_span(head: &str) -> bool {
    head.len() == 17
        && head.starts_with(':')
        && head.get(1..).is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Checks whether the prefix of an address is that of the history.
pub(super) fn is_history(text: &str) -> bool {
    text.split_once(": ").is_some_and(|(head, _)| is_span(head) || head.eq_ignore_ascii_case("Visited"))
}

/// Splits off the user: `Visited: user@address`, `:2024010120240102: user@address`, or the address alone.
pub(super) fn split(text: &str) -> (Option<&str>, &str) {
    let rest = match text.split_once(": ") {
        Some((head, rest)) if is_history(text) || head.eq_ignore_ascii_case("Cookie") => rest,
        _ => match text.strip_prefix("Cookie:") {
            Some(rest) => rest,
            None => return (None, text),
        },
    };
    match rest.split_once('@') {
        Some((user, url)) if !user.contains('/') => (Some(user).filter(|user| !user.is_empty()), url),
        _ => (None, rest),
    }
}

/// Returns the UTF-16 texts in a structure: eight characters or more, followed by a NUL.
fn texts(bytes: &[u8]) -> Vec<String> {
    let units: Vec<u16> = bytes.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    let mut found = Vec::new();
    for part in units.split(|unit| *unit == 0) {
        let start = part.iter().rposition(|unit| *unit < 0x20).map_or(0, |place| place + 1);
        let text = String::from_utf16(part.get(start..).unwrap_or_default());
        found.extend(text.ok().filter(|text| text.chars().count() >= 8));
    }
    found
}

fn is_path(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && characters.as_str().starts_with(":\\")
}

#[cfg(test)]
mod tests {
    use super::{DOWNLOAD, ENTRY, FILE, Holds, VISIT, holds_by, kind, split};

    #[test]
    fn only_addresses_of_pages_are_visits() {
        let history = holds_by("MSHist012024010120240102");
        for (address, expected) in [
            ("Visited: ann@https://docs.example/Page", VISIT),
            ("Visited: ann@HTTP://docs.example/", VISIT),
            ("Visited: ann@file:///C:/Users/ann/plan.txt", FILE),
            (":2024010120240102: ann@FILE:///C:/", FILE),
            (":2024010120240102: ann@:Host: docs.example", ENTRY),
            ("Visited: ann@ms-settings:network", ENTRY),
            ("Visited: ann@https", ENTRY),
        ] {
            assert_eq!(kind(history, split(address).1), expected, "{address}");
        }
        assert_eq!(kind(holds_by("Content"), "https://docs.example/"), ENTRY);
        assert_eq!(kind(holds_by("iedownload"), "https://docs.example/a.exe"), DOWNLOAD);
        assert!(holds_by("Cookies") == Holds::Other);
    }
}
