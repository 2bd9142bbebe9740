//! NTFS entries whose two sets of times are inconsistent.

use crate::catalogue::Indexes;
use crate::dir_entry;
use crate::error::CallError;
use crate::intake::{Flow, Intake};
use crate::links::Beside;
use crate::name_index::NameIndex;
use crate::place::{Place, Scope};
use crate::row::Row;
use crate::sink::Sink;
use crate::spec;
use crate::ticks::{SECOND, ticks};
use evidence::{Node, NodeKind, Step, Tree, walk};
use ledger::FieldType::{Flag, Name, Path, Time as TimeType};
use ledger::{FieldValue, RecordType, Time};
use std::ops::ControlFlow;

const KIND: &str = "timestomp_indicator";

pub(super) fn record_type() -> RecordType {
    spec::record(
        KIND,
        "a file or folder whose time of creation in $STANDARD_INFORMATION, which programs can set, lies before that in $FILE_NAME, which the system sets, or has no part of a second while that has one: installers, archives, copies and restored backups do the same; not that anybody set it to deceive",
        "path",
        &[
            ("path", &[Path], "path in the evidence"),
            ("kind", &[Name], "file, directory, symlink or other"),
            ("born", &[TimeType], "created, by $STANDARD_INFORMATION"),
            ("modified", &[TimeType], "content last written, by $STANDARD_INFORMATION"),
            ("changed", &[TimeType], "metadata last changed, by $STANDARD_INFORMATION"),
            ("name_born", &[TimeType], "created, by $FILE_NAME"),
            ("earlier", &[Flag], "true where the first creation lies before the second"),
            (
                "whole_seconds",
                &[Flag],
                "true where the first creation has no part of a second, and the second has one",
            ),
        ],
    )
}

/// Checks all entries in scope.
pub(super) fn read(scope: &Scope<'_>, indexes: &Indexes, sink: &mut Sink) -> Result<Flow, CallError> {
    for place in &scope.places {
        if place.node.kind == NodeKind::Directory {
            // A start that cannot be read fails the call; inside the walk it would only be a gap.
            place.tree.children(&place.node)?;
        } else if entry(place.tree, &place.node, sink).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        sink.begin(format!("the entries of {} below {:?}", place.tree.label(), place.node.path.as_str()));
        if place.tree.layout().is_none() && met(place, indexes, sink)? {
            continue;
        }
        for step in walk(place.tree, &place.node) {
            match step {
                Step::Node(node) => {
                    if entry(place.tree, &node, sink).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Step::Defect(defect) => sink.hidden(defect),
                Step::Gap(gap) => sink.gap(gap),
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Reports what a walk meets besides entries, when none of these has two sets of times; `false` if no index has it.
fn met(place: &Place<'_>, indexes: &Indexes, sink: &mut Sink) -> Result<bool, CallError> {
    let Some(path) = indexes.get(place.tree.label()) else { return Ok(false) };
    let mut index = NameIndex::open(path)?;
    let Some(below) = index.below(&place.node.path)? else { return Ok(false) };
    let (mut defects, mut gaps) = (Vec::new(), Vec::new());
    let beside = Beside::of(place.tree, &place.node.path, &mut index, &below)?;
    beside.tell_rest(&mut index, &mut defects, &mut gaps)?;
    defects.into_iter().for_each(|defect| sink.hidden(defect));
    gaps.into_iter().for_each(|gap| sink.gap(gap));
    Ok(true)
}

fn entry(tree: &dyn Tree, node: &Node, sink: &mut Sink) -> Flow {
    let names = node.name_times.as_ref();
    let (Some(born), Some(name_born)) = (&node.times.born, names.and_then(|names| names.born.as_ref()))
    else {
        return ControlFlow::Continue(());
    };
    let (Some(at), Some(name_at)) = (born.utc.map(ticks), name_born.utc.map(ticks)) else {
        return ControlFlow::Continue(());
    };
    let whole = |at: i64| at.rem_euclid(SECOND) == 0;
    let (earlier, whole_seconds) = (at < name_at, whole(at) && !whole(name_at));
    if !earlier && !whole_seconds {
        return ControlFlow::Continue(());
    }
    let kind = match node.kind {
        NodeKind::File => "file",
        NodeKind::Directory => "directory",
        NodeKind::Symlink { .. } => "symlink",
        NodeKind::Other => "other",
    };
    let time = |time: &Option<Time>| time.clone().map(FieldValue::Time);
    let times = dir_entry::times(node);
    let row = Row::new(KIND, tree, node, None)
        .field("path", FieldValue::Path(node.path.as_str().to_owned()))
        .field("kind", FieldValue::Name(kind.to_owned()))
        .field("born", FieldValue::Time(born.clone()))
        .maybe("modified", time(&times.modified), None)
        .maybe("changed", time(&times.changed), None)
        .field("name_born", FieldValue::Time(name_born.clone()))
        .field("earlier", FieldValue::Flag(earlier))
        .field("whole_seconds", FieldValue::Flag(whole_seconds));
    sink.push(row.done())
}
