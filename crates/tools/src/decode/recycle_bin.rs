//! The Recycle Bin: since Windows Vista a `$I` file for each file or folder that a user moved there.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::spec;
use artifacts::recycle_bin;
use evidence::ReadError;
use ledger::FieldType::{Name, Path, Size, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "recycled_file";

/// Longest file that is read: one with a path of 32,767 units has 64 KiB.
const LONGEST: u64 = 1 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "recycle_bin",
    about: "files and folders that were moved to the Recycle Bin, with their former path",
    names: &["$I*"],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    head.name.starts_with("$I") && recycle_bin::version(head.bytes).is_some()
}

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a file or folder that was moved to the Recycle Bin; not that its content is still there, nor that the bin was emptied",
        "original_path",
        &[
            ("original_path", &[Path], "where it stood before"),
            ("deleted", &[Time], "when it was moved to the Recycle Bin"),
            ("size", &[Size], "its bytes; of a folder those of all in it"),
            ("path", &[Path], "path of the $I file in the evidence"),
            (
                "content_path",
                &[Path],
                "path of the $R file or folder with the content, where it is still there",
            ),
            (
                "sid",
                &[ledger::FieldType::Sid, Name],
                "folder of the Recycle Bin it stands in: the SID of the user",
            ),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let Some(found) = recycle_bin::read(&bytes) else { return Ok(ControlFlow::Continue(())) };
    let path = source.node.path.clone();
    let row = source
        .row(KIND, Some(ledger::ByteSpan::new(0, bytes.len() as u64)))
        .defects(parts::defects(source, 0, &found.damage))
        .field("path", FieldValue::Path(path.as_str().to_owned()))
        .maybe("content_path", content(source)?, None)
        .maybe("sid", path.parent().map(|folder| user(folder.name())), None);
    let row = parts::part(row, "size", 0, found.size.as_ref(), FieldValue::Size);
    let row = parts::time(row, "deleted", 0, found.deleted.as_ref());
    if found.path.is_none() {
        source.damage(Some(24), "expected the former path, found none");
        return Ok(ControlFlow::Continue(()));
    }
    let row = parts::part(row, "original_path", 0, found.path.as_ref(), FieldValue::Path);
    Ok(source.push(row))
}

/// The path of the content: the same name with `$R`.
fn content(source: &Source<'_, '_>) -> Result<Option<FieldValue>, ReadError> {
    let Some(rest) = source.node.name.strip_prefix("$I") else { return Ok(None) };
    let Some(path) = source.node.path.parent().and_then(|folder| folder.child(&format!("$R{rest}")).ok())
    else {
        return Ok(None);
    };
    let node = source.tree.node(&path)?;
    Ok(node.map(|node| FieldValue::Path(node.path.as_str().to_owned())))
}

fn user(folder: &str) -> FieldValue {
    if folder.starts_with("S-1-") {
        FieldValue::Sid(folder.to_owned())
    } else {
        FieldValue::Name(folder.to_owned())
    }
}
