//! The record of a directory entry.

use crate::row::Row;
use crate::spec;
use evidence::{MacbTimes, Node, NodeKind, NodeState, Tree};
use ledger::{Clock, FieldType, FieldValue, Record, RecordType, Time};

pub(crate) const KIND: &str = "dir_entry";

pub(crate) fn record_type() -> RecordType {
    spec::record(
        KIND,
        "one entry of a folder",
        "path",
        &[
            ("path", &[FieldType::Path], "path in the evidence"),
            ("name", &[FieldType::Name], "last part of the path"),
            ("kind", &[FieldType::Name], "file, directory, symlink or other"),
            ("size", &[FieldType::Size], "bytes of a file"),
            ("modified", &[FieldType::Time], "content last written"),
            (
                "accessed",
                &[FieldType::Time],
                "content last read; not given for a copied folder, where reading it changes it",
            ),
            (
                "changed",
                &[FieldType::Time],
                "metadata last changed; not given for a copied folder, where it is the copy's own",
            ),
            (
                "born",
                &[FieldType::Time],
                "created; not given for a copied folder, where it is the copy's own",
            ),
            ("state", &[FieldType::Name], "allocated, deleted, or renamed: only this name is gone"),
            (
                "target",
                &[FieldType::Path],
                "where a symbolic link points, as it is written; links are not followed",
            ),
            ("streams", &[FieldType::List], "names of the named (alternate) streams; read_stream reads them"),
            (
                "links",
                &[FieldType::Integer],
                "names that lead to the file (hard links), where there are several",
            ),
            (
                "name_modified",
                &[FieldType::Time],
                "time of $FILE_NAME, which programs cannot set by themselves, on NTFS; given by stat_file only: content last written when the name was made or moved",
            ),
            ("name_accessed", &[FieldType::Time], "the same: content last read"),
            ("name_changed", &[FieldType::Time], "the same: metadata last changed"),
            (
                "name_born",
                &[FieldType::Time],
                "the same: created, as the system knew it when it made or moved the name",
            ),
        ],
    )
}

/// Returns the times of an entry that its record shows.
pub(crate) fn times(node: &Node) -> MacbTimes {
    // Reading a copy changes its access time, and each copying sets the changed and born times anew.
    // A repeated call, and a call over an identical copy, must give the same records.
    let of_host = |time: Option<Time>| time.filter(|time| time.clock != Clock::CollectionCopy);
    let MacbTimes { modified, accessed, changed, born } = node.times.clone();
    MacbTimes { modified, accessed: of_host(accessed), changed: of_host(changed), born: of_host(born) }
}

pub(crate) fn record(tree: &dyn Tree, node: &Node) -> Record {
    row(tree, node).done()
}

/// Makes the record with the times of `$FILE_NAME`, which would be too much for every row of a listing.
pub(crate) fn record_with_name_times(tree: &dyn Tree, node: &Node) -> Record {
    let MacbTimes { modified, accessed, changed, born } = node.name_times.clone().unwrap_or_default();
    row(tree, node)
        .maybe("name_modified", modified.map(FieldValue::Time), None)
        .maybe("name_accessed", accessed.map(FieldValue::Time), None)
        .maybe("name_changed", changed.map(FieldValue::Time), None)
        .maybe("name_born", born.map(FieldValue::Time), None)
        .done()
}

fn row(tree: &dyn Tree, node: &Node) -> Row {
    let target = match &node.kind {
        NodeKind::Symlink { target } => Some(FieldValue::Path(target.clone())),
        NodeKind::File | NodeKind::Directory | NodeKind::Other => None,
    };
    // On some file systems the link count of a folder counts its entries.
    let links = node.links.filter(|links| *links > 1 && node.kind == NodeKind::File);
    with_shape(Row::new(KIND, tree, node, None), node)
        .field("path", FieldValue::Path(node.path.as_str().to_owned()))
        .field("state", FieldValue::Name(state(node).to_owned()))
        .maybe("target", target, None)
        .maybe("links", links.map(|links| FieldValue::Integer(links.into())), None)
}

/// Returns the name of its state.
pub(crate) const fn state(node: &Node) -> &'static str {
    match node.state {
        NodeState::Allocated => "allocated",
        NodeState::Deleted => "deleted",
        NodeState::Renamed => "renamed",
    }
}

/// Adds name, kind, size, times and streams.
pub(crate) fn with_shape(row: Row, node: &Node) -> Row {
    let (kind, size) = match &node.kind {
        NodeKind::File => ("file", Some(FieldValue::Size(node.size))),
        NodeKind::Directory => ("directory", None),
        NodeKind::Symlink { .. } => ("symlink", None),
        NodeKind::Other => ("other", None),
    };
    let times = times(node);
    let streams: Vec<_> = node.streams.iter().map(|stream| stream.name.clone()).collect();
    row.field("name", FieldValue::Name(node.name.clone()))
        .field("kind", FieldValue::Name(kind.to_owned()))
        .maybe("size", size, None)
        .maybe("modified", times.modified.map(FieldValue::Time), None)
        .maybe("accessed", times.accessed.map(FieldValue::Time), None)
        .maybe("changed", times.changed.map(FieldValue::Time), None)
        .maybe("born", times.born.map(FieldValue::Time), None)
        .maybe("streams", (!streams.is_empty()).then_some(FieldValue::List(streams)), None)
}
