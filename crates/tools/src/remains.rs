//! Bytes read by the path of a deleted entry, which may belong to another file.
//!
//! For such an entry, the file system only says where its bytes were.
//! A record of them must say so; otherwise text of the file that reused the clusters would be reported as the deleted file's.

use crate::error::CallError;
use crate::place::Place;
use crate::returned::Return;
use evidence::{DeletedStep, Node, NodeState, Recovery};
use ledger::{Field, FieldType, FieldValue, Gap, RecordType};

/// The field in records of bytes that may not be the entry's own.
pub(crate) const RECOVERY: &str = "recovery";

/// The field's description.
pub(crate) const FIELD: (&str, &[FieldType], &str) = (
    RECOVERY,
    &[FieldType::Name],
    "of a deleted entry whose bytes are not sure to be its own: partial, lost or assumed, as list_deleted says, or unknown; left out where they are",
);

/// The fields that a reading of content must state if its record has them.
pub(crate) const QUALIFIERS: [&str; 2] = ["stream", RECOVERY];

/// Adds [`FIELD`] to every record, if the content at `place` may not be the entry's own.
pub(crate) fn mark(mut returned: Return, place: &Place<'_>) -> Return {
    if let Some(Doubt { recovery, meaning }) = doubt(place) {
        for record in &mut returned.records {
            let value = FieldValue::Name(recovery.to_owned());
            record.fields.insert(RECOVERY.to_owned(), Field { at: None, value });
        }
        // Finding nothing in it does not show what the file contained.
        let reason =
            format!("the recovery of this deleted entry is {recovery}: its bytes may be another file's");
        returned.gaps.push(Gap { path: place.node.path.as_str().to_owned(), reason });
        returned
            .notes
            .push(format!("{} was deleted, and its recovery is {recovery}: {meaning}", place.node.path));
    }
    returned
}

/// Refuses a file that must be decoded as a whole, if some of it may belong to another file.
pub(crate) fn whole<'a>(place: Place<'a>) -> Result<Place<'a>, CallError> {
    match doubt(&place) {
        Some(Doubt { recovery, .. }) => Err(CallError::NotWhole { path: place.node.path, recovery }),
        None => Ok(place),
    }
}

/// Adds [`QUALIFIERS`] to the record type.
pub(crate) fn qualified(record: RecordType) -> RecordType {
    crate::spec::qualified(&QUALIFIERS, record)
}

/// The doubt whether the bytes at `place` are the entry's own.
struct Doubt {
    recovery: &'static str,
    /// What `recovery` means for the reader.
    meaning: String,
}

/// Returns why the bytes at `place` may belong to another file; `None` if they are the entry's own.
fn doubt(place: &Place<'_>) -> Option<Doubt> {
    let node = &place.node;
    if node.state == NodeState::Allocated {
        return None;
    }
    let volume = node.path.components().next().and_then(|name| evidence::EvidencePath::parse(name).ok());
    let steps = volume.and_then(|volume| place.tree.deleted(&volume).ok());
    // The number identifies the entry; with hard links, its name is one of several.
    let same = |found: &Node| {
        found.path == node.path || (node.reference.is_some() && found.reference == node.reference)
    };
    let recovery = steps.into_iter().flatten().find_map(|step| match step {
        DeletedStep::Entry(entry) if same(&entry.node) => Some(entry.recovery),
        DeletedStep::Entry(_) | DeletedStep::Defect(_) | DeletedStep::Gap(_) => None,
    });
    let (recovery, meaning) = match recovery {
        Some(Recovery::Whole | Recovery::Nothing) => return None,
        Some(Recovery::Partial { reused, clusters }) => (
            "partial",
            format!(
                "{reused} of {clusters} clusters are in use by others: this is not the file's content throughout"
            ),
        ),
        Some(Recovery::Lost) => (
            "lost",
            "every cluster is in use by others, or none is known: this is not the file's content".to_owned(),
        ),
        Some(Recovery::Assumed) => (
            "assumed",
            "only where the content began is known: this is the file's content if it went on without a break"
                .to_owned(),
        ),
        None => ("unknown", "this may not be the file's content".to_owned()),
    };
    Some(Doubt { recovery, meaning })
}
