//! The record types of a change journal.

use super::HISTORY;
use super::kind::Kind;
use crate::spec;
use ledger::{FieldType, RecordType};

pub(super) const SUMMARY: &str = "usn_summary";

const TIME: &[FieldType] = &[FieldType::Time];
const NUMBER: &[FieldType] = &[FieldType::Integer];
const TEXT: &[FieldType] = &[FieldType::Name];
const PATH: &[FieldType] = &[FieldType::Path];
const LIST: &[FieldType] = &[FieldType::List];

/// The fields of each record, whatever it is about.
const FIELDS: [(&str, &[FieldType], &str); 12] = [
    ("name", TEXT, "name of the file or folder then"),
    ("time", TIME, "when the journal got the record"),
    ("usn", NUMBER, "update sequence number of the record"),
    (
        "path",
        PATH,
        "its path by the $MFT of the same volume, where that is there: the folders carry the names of today",
    ),
    ("entry", NUMBER, "number of its $MFT entry"),
    ("sequence", NUMBER, "sequence number of its $MFT entry"),
    ("parent_entry", NUMBER, "number of its folder's $MFT entry"),
    ("parent_sequence", NUMBER, "sequence number of its folder's $MFT entry"),
    (
        "reasons",
        LIST,
        "all that was done since the file was opened, this record's own among it, as USN_REASON_ names it",
    ),
    ("source_info", LIST, "what the change was made for, where its program says so (USN_SOURCE_)"),
    ("attributes", TEXT, "DOS attributes then"),
    ("former_name", TEXT, "renamed: the name before, by the record before"),
];

/// Returns all types but [`history`].
pub(crate) fn all() -> Vec<RecordType> {
    let kinds = [Kind::Created, Kind::Deleted, Kind::Renamed, Kind::Changed, Kind::Closed];
    kinds.into_iter().map(one).chain([summary()]).collect()
}

fn one(kind: Kind) -> RecordType {
    let meaning = match kind {
        Kind::Created => {
            "the change journal tells that a file or folder was made; where the journal begins later than that, the first record of it; not by whom, nor that it is still there"
        }
        Kind::Deleted => "the change journal tells that a file or folder was deleted; not by whom",
        Kind::Renamed => {
            "the change journal tells a name that a file or folder lost (RENAME_OLD_NAME) or got (RENAME_NEW_NAME); moving to another folder is told so, too; not by whom"
        }
        Kind::Changed => {
            "the change journal tells that content or metadata of a file or folder changed, in which way its reasons say; not by whom, and later changes may follow"
        }
        Kind::Closed => {
            "the change journal tells that a file was closed; what was done before has records of its own"
        }
    };
    let fields: Vec<_> =
        FIELDS.into_iter().filter(|(name, _, _)| *name != "former_name" || kind == Kind::Renamed).collect();
    spec::record(kind.name(), meaning, "name", &fields)
}

fn summary() -> RecordType {
    spec::record(
        SUMMARY,
        "what one change journal holds altogether; what was done before its first record is not told",
        "path",
        &[
            ("path", PATH, "path of the file of the journal in the evidence"),
            ("records", NUMBER, "records of versions 2 and 3"),
            (
                "range_records",
                NUMBER,
                "records of version 4, which tell changed ranges only and are not given",
            ),
            ("unread_bytes", &[FieldType::Size], "bytes that are neither records nor zeros"),
            ("first_usn", NUMBER, "update sequence number of the first record"),
            ("first_time", TIME, "time of the first record"),
            ("first_name", TEXT, "name in the first record"),
            ("last_usn", NUMBER, "update sequence number of the last record"),
            ("last_time", TIME, "time of the last record"),
            ("last_name", TEXT, "name in the last record"),
        ],
    )
}

/// Returns the type for the history of one name.
pub(crate) fn history() -> RecordType {
    spec::record(
        HISTORY,
        "all that one change journal tells of files and folders of one name, whatever folder they were in; what was done before its first record or by other names is not in it",
        "name",
        &[
            ("name", TEXT, "the name, as it is spelled"),
            ("records", NUMBER, "records with this name"),
            (
                "creations",
                NUMBER,
                "files and folders that were made with this name, or made and given it before they were closed",
            ),
            (
                "create_records",
                NUMBER,
                "records with FILE_CREATE but for those of closing: one creation gives several while the file is open",
            ),
            ("deletions", NUMBER, "how many of this name were deleted"),
            ("renamed_from", NUMBER, "how many lost this name for another one or another folder"),
            ("renamed_to", NUMBER, "how many got this name for another one, or came from another folder"),
            ("first_created", TIME, "first record with FILE_CREATE"),
            ("first_entry", NUMBER, "number of the $MFT entry in that record"),
            ("last_created", TIME, "last record with FILE_CREATE"),
            ("first_deleted", TIME, "first deletion"),
            ("deleted_entry", NUMBER, "number of the $MFT entry that was deleted first"),
            ("last_deleted", TIME, "last deletion"),
            ("first_seen", TIME, "first record"),
            ("last_seen", TIME, "last record"),
        ],
    )
}
