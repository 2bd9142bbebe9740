//! Jump lists: what each program was last used with, and what it offers in its menu.

use super::lnk::{described, details, droid, fill};
use super::parts::Base;
use super::{Decoder, Head, Source};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use artifacts::jump_list::{self, Automatic, Category, DestEntry, application};
use artifacts::lnk::Shortcut;
use evidence::ReadError;
use ledger::FieldType::{self, Flag, Integer, Name, Path, Time};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

const ENTRY: &str = "jump_list_entry";
const CUSTOM: &str = "custom_jump_list_entry";

/// The longest file that is read.
const LONGEST: u64 = 64 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "jump_list",
    about: "files and folders that a user opened with each program, with the last time, and entries of the menus of programs",
    names: &["*.automaticDestinations-ms", "*.customDestinations-ms"],
    common_names: &[],
    fits,
    records,
    read,
};

/// Checks for either kind of jump list. Other files are compound files, too: for these the name decides.
fn fits(head: &Head<'_>) -> bool {
    let named = |end: &str| head.name.to_lowercase().ends_with(end);
    jump_list::is_compound(head.bytes) && named(".automaticdestinations-ms")
        || jump_list::is_custom(head.bytes, head.size)
}

fn records() -> Vec<RecordType> {
    let common: [(&str, &[FieldType], &str); 3] = [
        ("application_id", &[Name], "identifier of the program, from the name of the file"),
        ("application", &[Name], "the program, where its identifier is a common one"),
        ("path", &[Path], "path of the jump list in the evidence"),
    ];
    let dated: [(&str, &[FieldType], &str); 6] = [
        ("last_opened", &[Time], "when the target was last opened with the program"),
        ("access_count", &[Integer], "how often it was, as Windows reckons it"),
        ("pinned", &[Flag], "whether a user pinned the entry"),
        ("pin_position", &[Integer], "its place among the pinned ones, from 0"),
        ("host", &[Name], "NetBIOS name of the host, by the list"),
        ("entry_number", &[Integer], "number of the entry: higher ones are newer"),
    ];
    let listed: [(&str, &[FieldType], &str); 2] = [
        (
            "category",
            &[Name],
            "the category of the menu, as the program named it; tasks are what the program offers to do",
        ),
        ("category_kind", &[Name], "named or tasks"),
    ];
    let automatic: Vec<_> = described().into_iter().chain(common).chain(dated).collect();
    let custom: Vec<_> = described().into_iter().chain(common).chain(listed).collect();
    vec![
        spec::record(
            CUSTOM,
            "an entry that a program put into its menu itself; not that a user ever opened it",
            "target",
            &custom,
        ),
        spec::record(
            ENTRY,
            "a file, folder or address that a user opened or saved with a program, as Windows lists it; times of the target are those it had then",
            "target",
            &automatic,
        ),
    ]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    if !jump_list::is_compound(&bytes) {
        return Ok(custom(source, &bytes));
    }
    match jump_list::automatic(&bytes) {
        Ok(found) => Ok(automatic(source, &found, bytes.len() as u64)),
        Err(error) => {
            source.damage(Some(0), crate::returned::chain(&error));
            Ok(ControlFlow::Continue(()))
        }
    }
}

/// Streams are scattered over the file, so the entries have no offsets of their own: each record is located at the whole file.
fn automatic(source: &mut Source<'_, '_>, found: &Automatic, length: u64) -> Flow {
    for damage in &found.list.damage {
        source.damage(None, format!("at {} of DestList: {}", damage.offset, damage.what));
    }
    for name in &found.unread {
        source.damage(None, format!("expected a shell link in the stream {name}, found none"));
    }
    let whole = Some(ByteSpan::new(0, length));
    for (entry, link) in found.list.entries.iter().zip(&found.links) {
        let row = common(source.row(ENTRY, whole), source);
        let row = listed(row, entry);
        if let Some(row) = linked(row, source, link.as_ref(), Some(entry)) {
            source.push(row)?;
        }
    }
    for (name, link) in &found.others {
        let number = u64::from_str_radix(name, 16).ok().map(|number| FieldValue::Integer(number.into()));
        let row = common(source.row(ENTRY, whole), source).maybe("entry_number", number, None);
        if let Some(row) = linked(row, source, Some(link), None) {
            source.push(row)?;
        }
    }
    ControlFlow::Continue(())
}

fn listed(row: Row, entry: &DestEntry) -> Row {
    let base = Base(None);
    let row = base.time(row, "last_opened", entry.used.as_ref());
    let row = base.number(row, "access_count", entry.count.as_ref());
    let row = base.number(row, "pin_position", entry.pinned.as_ref());
    let row = base.number(row, "entry_number", Some(&entry.number));
    let row = base.part(row, "host", entry.host.as_ref(), FieldValue::Name);
    row.field("pinned", FieldValue::Flag(entry.pinned.is_some()))
}

/// Adds the target: the path in the list, which is never cut, or else that of the link. `None` for an entry that has neither.
fn linked(
    row: Row,
    source: &mut Source<'_, '_>,
    link: Option<&Shortcut>,
    entry: Option<&DestEntry>,
) -> Option<Row> {
    let base = Base(None);
    let row = match entry.and_then(|entry| entry.droid.as_ref()) {
        Some(found) => droid(row, base, found),
        None => row,
    };
    let row = match link {
        Some(link) => details(row.defects(base.defects(source, &link.damage)), base, link),
        None => row,
    };
    let path = entry.map(|entry| &entry.path).filter(|path| !path.value.is_empty());
    let target = link.and_then(Shortcut::target);
    let named = match (path, &target) {
        // The list writes shell folders as identifiers; the link may have the path.
        (Some(path), Some(target))
            if path.value.starts_with("knownfolder:") || path.value.starts_with("::{") =>
        {
            Some(target)
        }
        (Some(path), _) => Some(path),
        (None, target) => target.as_ref(),
    };
    match named {
        Some(named) => Some(base.part(row, "target", Some(named), FieldValue::Path)),
        None => {
            source.damage(None, "expected the path of a target in an entry, found none");
            None
        }
    }
}

fn custom(source: &mut Source<'_, '_>, bytes: &[u8]) -> Flow {
    let found = jump_list::custom(bytes);
    for damage in &found.damage {
        source.damage(Some(damage.offset as u64), damage.what);
    }
    for entry in &found.entries {
        let (start, base) = (entry.offset as u64, Base(Some(entry.offset as u64)));
        let row = source.row(CUSTOM, Some(ByteSpan::new(start, entry.link.end as u64)));
        let row = common(row, source).defects(base.defects(source, &entry.link.damage));
        let row = match &entry.category {
            Some(Category::Named(name)) => Base(Some(0))
                .part(row, "category", Some(name), FieldValue::Name)
                .field("category_kind", FieldValue::Name("named".to_owned())),
            Some(Category::Tasks) => row.field("category_kind", FieldValue::Name("tasks".to_owned())),
            None => row,
        };
        match fill(row, base, &entry.link) {
            Some(row) => source.push(row)?,
            None => source.damage(Some(start), "expected the path of a target in an entry, found none"),
        }
    }
    ControlFlow::Continue(())
}

fn common(row: Row, source: &Source<'_, '_>) -> Row {
    let id = source.node.name.split('.').next().unwrap_or_default();
    let name = application(id).map(|name| FieldValue::Name(name.to_owned()));
    row.field("application_id", FieldValue::Name(id.to_owned()))
        .maybe("application", name, None)
        .field("path", FieldValue::Path(source.node.path.as_str().to_owned()))
}
