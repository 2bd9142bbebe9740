//! The record of a replay: what applying a hive's transaction logs changed.

use crate::hive_state::{self, Replayed};
use crate::hives::HiveFile;
use crate::row::Row;
use crate::spec;
use artifacts::registry::{Difference, Hive, difference};
use ledger::{FieldType, FieldValue, Record, RecordType};

const KIND: &str = "hive_replay";

/// The field of a number, the function that determines it, and its meaning.
type Number = (&'static str, fn(&Replayed, &Difference) -> u64, &'static str);

const NUMBERS: [Number; 16] = [
    ("entries", |replayed, _| replayed.replay.applied.len() as u64, "entries of the logs that were applied"),
    (
        "pages",
        |replayed, _| replayed.replay.pages(),
        "pages that these entries wrote; in logs of the old format sectors of 512 bytes",
    ),
    (
        "first_sequence",
        |replayed, _| sequence(replayed.replay.applied.first()),
        "sequence number of the first entry applied",
    ),
    (
        "last_sequence",
        |replayed, _| sequence(replayed.replay.applied.last()),
        "sequence number of the last entry applied",
    ),
    ("keys_before", |_, found| found.before.keys, "keys in the file as it stands"),
    ("keys_after", |_, found| found.after.keys, "keys with the logs applied"),
    ("values_before", |_, found| found.before.values, "values in the file as it stands"),
    ("values_after", |_, found| found.after.values, "values with the logs applied"),
    ("keys_added", |_, found| found.keys_added, "keys, told apart by path, that only the logs bring"),
    ("keys_removed", |_, found| found.keys_removed, "keys of the file that are gone with the logs applied"),
    ("keys_rewritten", |_, found| found.keys_rewritten, "keys of both whose last-written time differs"),
    ("values_added", |_, found| found.values_added, "values that the logs bring to keys of both"),
    (
        "values_removed",
        |_, found| found.values_removed,
        "values of keys of both that are gone with the logs applied",
    ),
    ("values_changed", |_, found| found.values_changed, "values of both whose type or data differ"),
    (
        "differences",
        |_, found| found.total(),
        "keys and values added, removed and changed, and keys rewritten",
    ),
    (
        "structural_differences",
        |_, found| found.keys_added + found.keys_removed + found.values_added + found.values_removed,
        "keys and values added and removed, without what was only changed",
    ),
];

pub(crate) fn record_type() -> RecordType {
    let mut fields: Vec<(&str, &[FieldType], &str)> = vec![
        ("path", &[FieldType::Path], "path of the hive in the evidence"),
        ("logs", &[FieldType::List], "paths of the transaction logs beside it that are not empty"),
        ("left_out", &[FieldType::List], "what of the logs was not applied, and why"),
        (
            "base_block_from",
            &[FieldType::Path],
            "log whose copy of the base block stands for the hive's damaged one",
        ),
    ];
    fields.extend(NUMBERS.iter().map(|(name, _, meaning)| (*name, &[FieldType::Integer][..], *meaning)));
    spec::record(
        KIND,
        "what applying the transaction logs of one hive came to, computed over both states; not when or by whom the changes were made",
        "path",
        &fields,
    )
}

pub(crate) fn record(found: &HiveFile<'_>, replayed: &Replayed) -> Record {
    let differences =
        Hive::open(&replayed.base).map(|base| difference(&base, &found.hive)).unwrap_or_default();
    let list = |texts: Vec<String>| Some(texts).filter(|texts| !texts.is_empty()).map(FieldValue::List);
    let left_out = hive_state::left_out(&replayed.replay, &replayed.logs);
    let block = replayed.replay.base_block_from.and_then(|log| replayed.logs.get(log));
    let row = Row::new(KIND, found.tree, found.node, None)
        .field("path", FieldValue::Path(found.node.path.as_str().to_owned()))
        .maybe("logs", list(replayed.logs.clone()), None)
        .maybe("left_out", list(left_out), None)
        .maybe("base_block_from", block.cloned().map(FieldValue::Path), None);
    let number = |row: Row, (name, value, _): &Number| {
        row.field(name, FieldValue::Integer(value(replayed, &differences).into()))
    };
    NUMBERS.iter().fold(row, number).done()
}

fn sequence(entry: Option<&artifacts::registry::replay::Applied>) -> u64 {
    entry.map_or(0, |entry| u64::from(entry.sequence))
}
