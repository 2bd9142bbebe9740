//! The record types of an entry of the `$MFT`.

use crate::spec;
use ledger::{FieldType, RecordType};

pub(super) const ENTRY: &str = "mft_entry";
pub(super) const NAME: &str = "file_name";
pub(super) const ATTRIBUTE: &str = "mft_attribute";

const REFERENCE: (&str, &[FieldType], &str) =
    ("reference", &[FieldType::Name], "volume, number of the entry and its sequence number");
const PATH: (&str, &[FieldType], &str) =
    ("path", &[FieldType::Path], "path of the entry in the evidence, where it is known");
const TIME: &[FieldType] = &[FieldType::Time];
const NUMBER: &[FieldType] = &[FieldType::Integer];
const FLAG: &[FieldType] = &[FieldType::Flag];
const TEXT: &[FieldType] = &[FieldType::Name];

pub(super) fn all() -> Vec<RecordType> {
    vec![entry(), name(), attribute()]
}

fn entry() -> RecordType {
    spec::record(
        ENTRY,
        "one entry of the master file table of an NTFS volume",
        "reference",
        &[
            REFERENCE,
            PATH,
            ("entry", NUMBER, "number of the entry"),
            ("sequence", NUMBER, "how often the entry was given to a new file"),
            (
                "in_use",
                FLAG,
                "whether the file system counts it in; false: it was deleted; left out of a free entry that has no name or extends another one",
            ),
            ("directory", FLAG, "whether it is a folder"),
            ("links", NUMBER, "names that the entry says it has, short names among them"),
            ("log_sequence", NUMBER, "$LogFile sequence number of its last change"),
            ("base", TEXT, "the entry that this one extends"),
            ("attributes", TEXT, "DOS attributes of $STANDARD_INFORMATION"),
            ("security", NUMBER, "number of its security descriptor in $Secure"),
            ("usn", NUMBER, "update sequence number in the change journal; 0 for none"),
            ("modified", TIME, "$STANDARD_INFORMATION: content last written; programs can set it"),
            ("accessed", TIME, "$STANDARD_INFORMATION: content last read; programs can set it"),
            ("changed", TIME, "$STANDARD_INFORMATION: entry last changed; programs can set it"),
            ("born", TIME, "$STANDARD_INFORMATION: created; programs can set it"),
            (
                "place",
                &[FieldType::List],
                "where the entry stands in the files of the image: file@offset+bytes",
            ),
        ],
    )
}

fn name() -> RecordType {
    spec::record(
        NAME,
        "one $FILE_NAME attribute of an entry: its times were those of the file when the name was made or moved",
        "reference",
        &[
            REFERENCE,
            PATH,
            ("name", TEXT, "the name"),
            ("namespace", TEXT, "posix, win32, dos or win32_and_dos"),
            ("parent", TEXT, "entry and sequence of the folder that held the name"),
            ("name_modified", TIME, "$FILE_NAME: content last written"),
            ("name_accessed", TIME, "$FILE_NAME: content last read"),
            ("name_changed", TIME, "$FILE_NAME: entry last changed"),
            ("name_born", TIME, "$FILE_NAME: created"),
        ],
    )
}

fn attribute() -> RecordType {
    spec::record(
        ATTRIBUTE,
        "one attribute of an entry",
        "reference",
        &[
            REFERENCE,
            PATH,
            ("code", TEXT, "type of the attribute in hex"),
            ("kind", TEXT, "name of the type, such as $DATA"),
            ("name", TEXT, "the attribute's own name, such as that of a stream"),
            ("resident", FLAG, "whether its value stands in the entry"),
            ("size", &[FieldType::Size], "bytes of its value"),
            ("allocated", &[FieldType::Size], "bytes that are allocated to it"),
            ("flags", &[FieldType::List], "compressed, encrypted, sparse"),
            ("runs", NUMBER, "runs of clusters, at most the first 1000"),
            ("first_cluster", NUMBER, "its first cluster; left out for a hole"),
        ],
    )
}
