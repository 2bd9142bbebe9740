//! The Recycle Bin since Windows Vista: one `$I` file for each file or folder that a user moved there.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use artifacts::recycle_bin;
use evidence::{Node, NodeKind, ReadError, Tree};
use ledger::FieldType::{Flag, Integer, Name, Path, Size, Time};
use ledger::{FieldValue, Record, RecordType};
use std::ops::ControlFlow;

pub(crate) const KIND: &str = "recycled_file";
const ORPHAN: &str = "recycled_content";

/// The longest file that is read: a path of 32,767 UTF-16 units makes one of 64 KiB.
const LONGEST: u64 = 1 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "recycle_bin",
    about: "files and folders that were moved to the Recycle Bin, with their former path",
    names: &["$I*"],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    head.name.starts_with("$I") && recycle_bin::version(head.bytes).is_some()
}

fn records() -> Vec<RecordType> {
    vec![record_type(), orphan_type()]
}

/// Returns the record type of an entry of the Recycle Bin, in either kind of index.
pub(crate) fn record_type() -> RecordType {
    spec::record(
        KIND,
        "a file or folder that was moved to the Recycle Bin; not that its content is still there, nor that the bin was emptied",
        "original_path",
        &[
            ("original_path", &[Path], "where it stood before"),
            ("deleted", &[Time], "when it was moved to the Recycle Bin"),
            ("size", &[Size], "its bytes; of a folder those of all in it"),
            ("path", &[Path], "path of the $I file, or of the INFO2, in the evidence"),
            (
                "content_path",
                &[Path],
                "path of the file or folder with the content, $R and the like, where it is still there",
            ),
            ("content_present", &[Flag], "whether that file or folder is in this evidence"),
            (
                "sid",
                &[ledger::FieldType::Sid, Name],
                "folder of the Recycle Bin it stands in: the SID of the user",
            ),
            ("drive", &[Name], "INFO2: drive that it stood on"),
            ("index", &[Integer], "INFO2: its number, which is in the name of its content"),
            (
                "emptied",
                &[Flag],
                "INFO2: whether the entry is marked as one that is no more: it was restored, or deleted from the Recycle Bin",
            ),
        ],
    )
}

/// Returns the record type of content whose `$I` file, which says where it came from, is missing.
fn orphan_type() -> RecordType {
    spec::record(
        ORPHAN,
        "a $R file or folder of the Recycle Bin without its $I file: where it stood, and when it was moved there, is not told",
        "path",
        &[
            ("path", &[Path], "path of the $R file or folder in the evidence"),
            ("size", &[Size], "bytes of the file"),
            ("directory", &[Flag], "whether it is a folder"),
            (
                "sid",
                &[ledger::FieldType::Sid, Name],
                "folder of the Recycle Bin it stands in: the SID of the user",
            ),
        ],
    )
}

/// Makes a record for a `$R` file or folder whose `$I` file is missing.
pub(crate) fn orphan(tree: &dyn Tree, node: &Node) -> Result<Option<Record>, ReadError> {
    let Some(rest) = node.name.strip_prefix("$R") else { return Ok(None) };
    let Some(folder) = node.path.parent() else { return Ok(None) };
    // `$RECYCLE.BIN` itself is not in a user's folder.
    let index = folder.child(&format!("$I{rest}")).ok();
    if !folder.name().starts_with("S-1-")
        || index.map(|path| tree.node(&path)).transpose()?.flatten().is_some()
    {
        return Ok(None);
    }
    let is_file = node.kind == NodeKind::File;
    let row = Row::new(ORPHAN, tree, node, None)
        .field("path", FieldValue::Path(node.path.as_str().to_owned()))
        .field("directory", FieldValue::Flag(node.kind == NodeKind::Directory))
        .maybe("size", is_file.then_some(FieldValue::Size(node.size)), None)
        .maybe("sid", user(folder.name()), None);
    Ok(Some(row.done()))
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let Some(found) = recycle_bin::read(&bytes) else { return Ok(ControlFlow::Continue(())) };
    let (path, content) = (source.node.path.clone(), content(source)?);
    let row = source
        .row(KIND, Some(ledger::ByteSpan::new(0, bytes.len() as u64)))
        .defects(parts::defects(source, 0, &found.damage))
        .field("path", FieldValue::Path(path.as_str().to_owned()))
        .field("content_present", FieldValue::Flag(content.is_some()))
        .maybe("content_path", content, None)
        .maybe("sid", path.parent().and_then(|folder| user(folder.name())), None);
    let row = parts::part(row, "size", 0, found.size.as_ref(), FieldValue::Size);
    let row = parts::time(row, "deleted", 0, found.deleted.as_ref());
    if found.path.is_none() {
        source.damage(Some(24), "expected the former path, found none");
        return Ok(ControlFlow::Continue(()));
    }
    let row = parts::part(row, "original_path", 0, found.path.as_ref(), FieldValue::Path);
    Ok(source.push(row))
}

/// Returns the path of the content: the same name with `$R`.
fn content(source: &Source<'_, '_>) -> Result<Option<FieldValue>, ReadError> {
    let Some(rest) = source.node.name.strip_prefix("$I") else { return Ok(None) };
    let Some(path) = source.node.path.parent().and_then(|folder| folder.child(&format!("$R{rest}")).ok())
    else {
        return Ok(None);
    };
    let node = source.tree.node(&path)?;
    Ok(node.map(|node| FieldValue::Path(node.path.as_str().to_owned())))
}

/// Returns the owner of the folder; `None` if the Recycle Bin has no folder per user.
pub(crate) fn user(folder: &str) -> Option<FieldValue> {
    match folder {
        "" => None,
        sid if sid.starts_with("S-1-") => Some(FieldValue::Sid(sid.to_owned())),
        name => Some(FieldValue::Name(name.to_owned())),
    }
}
