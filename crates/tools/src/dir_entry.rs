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
            ("state", &[FieldType::Name], "allocated or deleted"),
            (
                "target",
                &[FieldType::Path],
                "where a symbolic link points, as it is written; links are not followed",
            ),
        ],
    )
}

/// The times of an entry that its record shows.
pub(crate) fn times(node: &Node) -> MacbTimes {
    // The access time of a copy is changed by this very reading, and the two others are made with each copy:
    // a call made again, and one over an equal copy, must give the same records.
    let of_host = |time: Option<Time>| time.filter(|time| time.clock == Clock::Host);
    let MacbTimes { modified, accessed, changed, born } = node.times.clone();
    MacbTimes { modified, accessed: of_host(accessed), changed: of_host(changed), born: of_host(born) }
}

pub(crate) fn record(tree: &dyn Tree, node: &Node) -> Record {
    let (kind, size, target) = match &node.kind {
        NodeKind::File => ("file", Some(FieldValue::Size(node.size)), None),
        NodeKind::Directory => ("directory", None, None),
        NodeKind::Symlink { target } => ("symlink", None, Some(FieldValue::Path(target.clone()))),
        NodeKind::Other => ("other", None, None),
    };
    let state = match node.state {
        NodeState::Allocated => "allocated",
        NodeState::Deleted => "deleted",
    };
    let times = times(node);
    Row::new(KIND, tree, node, None)
        .field("path", FieldValue::Path(node.path.as_str().to_owned()))
        .field("name", FieldValue::Name(node.name.clone()))
        .field("kind", FieldValue::Name(kind.to_owned()))
        .maybe("size", size, None)
        .maybe("modified", times.modified.map(FieldValue::Time), None)
        .maybe("accessed", times.accessed.map(FieldValue::Time), None)
        .maybe("changed", times.changed.map(FieldValue::Time), None)
        .maybe("born", times.born.map(FieldValue::Time), None)
        .field("state", FieldValue::Name(state.to_owned()))
        .maybe("target", target, None)
        .done()
}
