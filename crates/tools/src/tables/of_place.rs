//! The tables of what is below a place.

use super::error::TableError;
use super::group::TableGroup;
use super::pass::{TABLES_FILE, build_of};
use super::replay::Kept;
use crate::catalogue::Call;
use crate::decode::DECODERS;
use crate::error::CallError;
use crate::place::Place;
use crate::survey::Ground;
use evidence::{NodeKind, NodeState};
use std::rc::Rc;

/// Returns the tables of a group with everything below a folder; they may also have other rows.
/// `None` if the evidence has none of the group's sources.
///
/// Prepared tables are used if they exist; otherwise they are made here.
/// They are also made here for a single file, and for a folder that no walk reaches.
///
/// # Errors
///
/// If tables can be neither read nor made.
pub(crate) fn of_place(
    call: &Call<'_>,
    place: &Place<'_>,
    group: TableGroup,
) -> Result<Option<Rc<Kept>>, CallError> {
    match call.tables.files().get(group.name()) {
        Some(files) if is_walked(place) => match files.contains_key(place.tree.label()) {
            true => Ok(call.tables.kept(place.tree.label(), group)?),
            false => Ok(None),
        },
        Some(_) | None => Ok(Some(Rc::new(made(call, place, group)?))),
    }
}

/// Checks whether a walk from the root reaches a folder: deleted entries are below folders that no walk meets.
fn is_walked(place: &Place<'_>) -> bool {
    let is_there = match place.node.state {
        NodeState::Allocated => !place.node.path.components().any(|name| name.starts_with("$Deleted")),
        NodeState::Deleted | NodeState::Renamed => false,
    };
    is_there && place.node.kind == NodeKind::Directory
}

fn made(call: &Call<'_>, place: &Place<'_>, group: TableGroup) -> Result<Kept, CallError> {
    let label = place.tree.label();
    // Labels can contain characters that folder names cannot.
    let number = call.trees.iter().position(|tree| tree.label() == label).unwrap_or_default();
    let scratch = call.scratch.join(format!("{}-{number}", group.name()));
    std::fs::create_dir(&scratch).map_err(TableError::Finished)?;
    let ground = Ground {
        tree: place.tree,
        start: place.node.clone(),
        names: call.indexes,
        decoders: DECODERS.iter().collect(),
        scratch: &scratch,
    };
    build_of(ground, group, &[])?;
    Ok(Kept::open(&scratch.join(TABLES_FILE), label, group)?)
}
