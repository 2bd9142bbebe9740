//! What is read by the path of a deleted entry and may be another file's.
//!
//! Of such an entry the file system only says where its bytes stood.
//! Whoever reads them must say so, or the words of the file that took the clusters over would be told of the one that was deleted.

use crate::error::CallError;
use crate::place::Place;
use crate::returned::Return;
use evidence::{DeletedStep, NodeState, Recovery};
use ledger::{Field, FieldType, FieldValue, Gap, RecordType};

/// The field of records of what is not sure to be the entry's own.
pub(crate) const RECOVERY: &str = "recovery";

/// Its description.
pub(crate) const FIELD: (&str, &[FieldType], &str) = (
    RECOVERY,
    &[FieldType::Name],
    "of a deleted entry whose bytes are not sure to be its own: partial, lost or assumed, as list_deleted says, or unknown; left out where they are",
);

/// The fields that a reading of content must state where a record has them.
pub(crate) const QUALIFIERS: [&str; 2] = ["stream", RECOVERY];

/// Adds [`FIELD`] to every record, where the content at `place` is not sure to be that of the entry.
pub(crate) fn mark(mut returned: Return, place: &Place<'_>) -> Return {
    if let Some(recovery) = doubt(place) {
        for record in &mut returned.records {
            let value = FieldValue::Name(recovery.to_owned());
            record.fields.insert(RECOVERY.to_owned(), Field { at: None, value });
        }
        // That nothing was found in it says nothing of what it held.
        let reason =
            format!("the recovery of this deleted entry is {recovery}: its bytes may be another file's");
        returned.gaps.push(Gap { path: place.node.path.as_str().to_owned(), reason });
    }
    returned
}

/// Refuses what is taken apart as a whole where some of it may be another file's.
pub(crate) fn whole<'a>(place: Place<'a>) -> Result<Place<'a>, CallError> {
    match doubt(&place) {
        Some(recovery) => Err(CallError::NotWhole { path: place.node.path, recovery }),
        None => Ok(place),
    }
}

/// The record type with [`QUALIFIERS`].
pub(crate) fn qualified(record: RecordType) -> RecordType {
    crate::spec::qualified(&QUALIFIERS, record)
}

/// Why the bytes at `place` may be another's; `None` where they are the entry's own.
fn doubt(place: &Place<'_>) -> Option<&'static str> {
    let node = &place.node;
    if node.state == NodeState::Allocated {
        return None;
    }
    let volume = node.path.components().next().and_then(|name| evidence::EvidencePath::parse(name).ok());
    let steps = volume.and_then(|volume| place.tree.deleted(&volume).ok());
    let recovery = steps.into_iter().flatten().find_map(|step| match step {
        DeletedStep::Entry(entry) if entry.node.path == node.path => Some(entry.recovery),
        DeletedStep::Entry(_) | DeletedStep::Defect(_) | DeletedStep::Gap(_) => None,
    });
    match recovery {
        Some(Recovery::Whole | Recovery::Nothing) => None,
        Some(Recovery::Partial { .. }) => Some("partial"),
        Some(Recovery::Lost) => Some("lost"),
        Some(Recovery::Assumed) => Some("assumed"),
        None => Some("unknown"),
    }
}
