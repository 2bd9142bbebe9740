//! `INFO2` of the Recycle Bin, from Windows 95 to XP and Server 2003: one index per user and drive.

use super::recycle_bin::{KIND, record_type, user};
use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use artifacts::info2::{self, Info2Entry};
use evidence::{NodeKind, ReadError};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

/// The longest file that is read: some 80,000 entries.
const LONGEST: u64 = 64 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "info2",
    about: "files and folders that were moved to the Recycle Bin up to Windows XP and Server 2003",
    names: &["INFO2", "INFO"],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    let size = info2::entry_size(head.bytes);
    let whole =
        size.is_some_and(|size| (head.size.saturating_sub(info2::HEADER as u64)).is_multiple_of(size as u64));
    whole || (size.is_some() && head.name.to_ascii_uppercase().starts_with("INFO"))
}

fn records() -> Vec<RecordType> {
    vec![record_type()]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let Some((entries, damage)) = info2::read(&bytes) else { return Ok(ControlFlow::Continue(())) };
    for one in damage {
        source.damage(Some(one.offset as u64), one.what);
    }
    for entry in entries {
        if push(source, &entry)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn push(source: &mut Source<'_, '_>, entry: &Info2Entry) -> Result<Flow, ReadError> {
    if entry.path.value.is_empty() {
        source.damage(Some(entry.offset as u64), "expected the former path, found none");
        return Ok(ControlFlow::Continue(()));
    }
    let path = source.node.path.clone();
    let letter = u8::try_from(entry.drive.value).ok().filter(|drive| *drive < 26);
    let letter = letter.map(|drive| char::from(b'A' + drive));
    let content = content(source, entry, letter)?;
    let row = source
        .row(KIND, Some(ByteSpan::new(entry.offset as u64, entry.length as u64)))
        .defects(parts::defects(source, 0, &entry.damage))
        .field("path", FieldValue::Path(path.as_str().to_owned()))
        .field("content_present", FieldValue::Flag(content.is_some()))
        .maybe("content_path", content.map(FieldValue::Path), None)
        .maybe("sid", path.parent().and_then(|folder| user(folder.name())), None)
        .field("emptied", FieldValue::Flag(entry.emptied))
        .maybe(
            "drive",
            letter.map(|letter| FieldValue::Name(format!("{letter}:"))),
            Some(parts::place(0, &entry.drive)),
        );
    let row = parts::part(row, "original_path", 0, Some(&entry.path), FieldValue::Path);
    let row = parts::number(row, "index", 0, Some(&entry.index));
    let row = parts::part(row, "size", 0, Some(&entry.size), |size| FieldValue::Size(size.into()));
    Ok(source.push(parts::time(row, "deleted", 0, entry.deleted.as_ref())))
}

/// Returns the path of the content: `D`, the drive letter, the number, and the extension of the former name.
fn content(
    source: &Source<'_, '_>,
    entry: &Info2Entry,
    letter: Option<char>,
) -> Result<Option<String>, ReadError> {
    let Some(letter) = letter else { return Ok(None) };
    let name = entry.path.value.rsplit(['\\', '/']).next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| format!(".{ending}")).unwrap_or_default();
    let stem = format!("D{}{}", letter.to_ascii_lowercase(), entry.index.value);
    for name in [format!("{stem}{ending}"), stem] {
        let path = source.node.path.parent().and_then(|folder| folder.child(&name).ok());
        let Some(path) = path else { continue };
        if let Some(node) = source.tree.node(&path)?.filter(|node| node.kind != NodeKind::Other) {
            return Ok(Some(node.path.as_str().to_owned()));
        }
    }
    Ok(None)
}
