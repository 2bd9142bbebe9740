//! The records of an `$MFT`.

use crate::spec;
use ledger::{FieldType, RecordType};

pub(super) const ENTRY: &str = "mft_file_entry";
pub(super) const SUMMARY: &str = "mft_summary";

const TIME: &[FieldType] = &[FieldType::Time];
const NUMBER: &[FieldType] = &[FieldType::Integer];
const FLAG: &[FieldType] = &[FieldType::Flag];
const TEXT: &[FieldType] = &[FieldType::Name];
const PATH: &[FieldType] = &[FieldType::Path];
const LIST: &[FieldType] = &[FieldType::List];

pub(super) fn records() -> Vec<RecordType> {
    vec![entry(), summary()]
}

fn entry() -> RecordType {
    spec::record(
        ENTRY,
        "a file or folder as the master file table of its volume tells of it; not that its content is still there, nor who made it; programs can set the times of $STANDARD_INFORMATION (si_), those of $FILE_NAME (fn_) are written by the file system when the name is made or moved",
        "path",
        &[
            (
                "path",
                PATH,
                "its path below the folder that holds the $MFT; $Orphan and the name where its folder is gone or another's by now",
            ),
            ("folder", PATH, "path of its folder, where that is known; left out at the root"),
            ("folder_known", FLAG, "whether every folder above it is known"),
            ("name", TEXT, "its name"),
            ("extension", TEXT, "ending of a file's name, in lower case, without the dot"),
            ("entry", NUMBER, "number of the entry"),
            ("sequence", NUMBER, "how often the entry was given to a new file"),
            ("parent_entry", NUMBER, "number of its folder's entry"),
            ("parent_sequence", NUMBER, "sequence number of its folder's entry"),
            ("in_use", FLAG, "whether the file system counts it in; false: it was deleted"),
            ("directory", FLAG, "whether it is a folder"),
            ("links", NUMBER, "names that the entry says it has, short names among them"),
            ("other_paths", LIST, "its other paths (hard links)"),
            ("size", &[FieldType::Size], "bytes of its content"),
            ("resident", FLAG, "whether the content stands in the entry itself"),
            ("streams", LIST, "names of its alternate streams"),
            ("stream_sizes", LIST, "bytes of these streams, in the same order"),
            ("attributes", TEXT, "DOS attributes of $STANDARD_INFORMATION"),
            ("reparse", TEXT, "tag of its reparse point"),
            ("target", PATH, "where a link or mount point leads"),
            ("si_created", TIME, "$STANDARD_INFORMATION: created"),
            ("si_modified", TIME, "$STANDARD_INFORMATION: content last written"),
            ("si_changed", TIME, "$STANDARD_INFORMATION: entry last changed"),
            ("si_accessed", TIME, "$STANDARD_INFORMATION: content last read"),
            ("fn_created", TIME, "$FILE_NAME: created"),
            ("fn_modified", TIME, "$FILE_NAME: content last written"),
            ("fn_changed", TIME, "$FILE_NAME: entry last changed"),
            ("fn_accessed", TIME, "$FILE_NAME: content last read"),
            (
                "si_before_fn",
                FLAG,
                "whether si_created is earlier than fn_created: files that were unpacked, installed or copied with their times are so, and files whose times were set back",
            ),
            (
                "created_precision_zero",
                FLAG,
                "whether si_created is a whole second: the file system writes parts of a second, archives and most programs that set times do not",
            ),
        ],
    )
}

fn summary() -> RecordType {
    spec::record(
        SUMMARY,
        "what one master file table holds altogether",
        "path",
        &[
            ("path", PATH, "path of the $MFT in the evidence"),
            ("records", NUMBER, "records that have the signature of one (FILE, or BAAD)"),
            ("in_use", NUMBER, "records in use, extensions among them"),
            (
                "not_in_use",
                NUMBER,
                "records that are not in use: of deleted files, of their extensions, and those that never were a file",
            ),
            ("directories_in_use", NUMBER, "folders in use"),
            ("extensions", NUMBER, "records that extend another one"),
            ("nameless", NUMBER, "base records without a $FILE_NAME: kept for the file system, or wiped"),
            (
                "named_streams",
                NUMBER,
                "named $DATA streams, but for those of the file system's own files (entries below 24, and files of $Extend)",
            ),
            ("unused", NUMBER, "places of a record that hold zeros only"),
            ("unread", NUMBER, "places of a record that hold something else than a sound one"),
            ("record_size", &[FieldType::Size], "bytes of a record"),
            ("first", TIME, "earliest time of $STANDARD_INFORMATION in a record with a name"),
            ("last", TIME, "latest time of $STANDARD_INFORMATION in a record with a name"),
        ],
    )
}
