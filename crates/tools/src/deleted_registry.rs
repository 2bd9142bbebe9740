//! `deleted_registry`: keys and values that remain in the free space of hives.
//!
//! Finding nothing shows no absence, because free space is reused.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::hive_file::{self, key_name, record_span, value_name};
use crate::hive_state::{self, Loaded, Logs};
use crate::hives::{HiveFile, HiveSearch, MAX_HIVES};
use crate::intake::Intake;
use crate::registry_records::Data;
use crate::returned::Return;
use crate::row::Row;
use crate::sink::{self, Sink};
use crate::{place, remains, spec};
use artifacts::registry::deleted::{DeletedKey, DeletedValue, Remnant, Standing, deleted};
use artifacts::registry::{Value, identify};
use evidence::NodeKind;
use ledger::{ByteSpan, FieldType, FieldValue, Gap, Record, RecordType, Time, ToolSpec};
use serde_json::json;
use std::ops::ControlFlow;

const KEY: &str = "deleted_key";
const VALUE: &str = "deleted_value";

/// The state of a remnant, as records name it.
const STATE: (&str, &[FieldType], &str) = (
    "state",
    &[FieldType::Name],
    "deleted where the hive has nothing of this path any more; live where it has: the record was moved or replaced, or made anew; unknown where the path does not reach the root",
);

const PATH_COMPLETE: (&str, &[FieldType], &str) = (
    "path_complete",
    &[FieldType::Flag],
    "whether the path begins at the root; false where a key above is not found any more",
);

pub(crate) fn spec() -> ToolSpec {
    let mut arguments = vec![
        ("hive", spec::text("path of the only hive to look in; all when left out")),
        ("evidence", spec::text("label of the evidence to search; all when left out")),
        hive_state::argument(),
    ];
    arguments.extend(sink::arguments());
    spec::tool(
        "deleted_registry",
        "Finds keys and values in the free space of registry hives: what is left of deleted ones, and older copies of records that were moved. \
         Finding nothing does not show that nothing was deleted, for free space is used again, and no time is that of a deletion.",
        arguments,
        &[],
        record_types(),
    )
}

fn record_types() -> Vec<RecordType> {
    sink::with_counts(vec![key_type(), value_type()])
}

fn key_type() -> RecordType {
    use FieldType::{Integer, Name, Path, RegistryPath};
    spec::record(
        KEY,
        "the record of a registry key in free space of its hive; not when, how or by whom it was deleted, and where its state is not deleted, not that the key was",
        "key_path",
        &[
            (
                "key_path",
                &[RegistryPath],
                "path by the parents that the record names, as far as they are found; where a parent's place is used again, another key's path",
            ),
            PATH_COMPLETE,
            ("name", &[Name], "name of the key"),
            STATE,
            ("last_written", &[FieldType::Time], "when the key was last changed, by this record"),
            ("subkeys", &[Integer], "number of subkeys, as stored; deleting them counts it down"),
            ("values", &[Integer], "number of values, as stored"),
            ("hive", &[Path], "path of the hive in the evidence"),
            hive_state::FIELD,
        ],
    )
}

fn value_type() -> RecordType {
    use FieldType::{Bytes, Flag, Integer, List, Name, Path, RegistryPath, Size, Text};
    spec::record(
        VALUE,
        "the record of a registry value in free space of its hive; not when, how or by whom it was deleted, and where its state is not deleted, not that the value was",
        "name",
        &[
            ("name", &[Name], "name of the value; (default) for the unnamed one"),
            (
                "key_path",
                &[RegistryPath],
                "path of the deleted key whose list names the value, where there is one",
            ),
            PATH_COMPLETE,
            STATE,
            ("value_type", &[Name], "type, such as REG_SZ"),
            (
                "data",
                &[Text, List, Integer, Bytes],
                "what stands where the data stood, by its type, where that place is still free; it may have been written over since",
            ),
            ("data_length", &[Size], "bytes of the data, as stored"),
            ("truncated", &[Flag], "true where only the first 4096 bytes of the data are given"),
            ("hive", &[Path], "path of the hive in the evidence"),
            hive_state::FIELD,
        ],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let mut sink = Sink::new(arguments, record_types())?;
    let (logs, label) = (Logs::of(arguments), arguments.optional_text("evidence"));
    let mut search = HiveSearch::of(logs);
    let mut normalised = Vec::new();
    if let Some(path) = arguments.optional_text("hive") {
        let place = remains::whole(place::find(call.trees, label, path)?)?;
        normalised.push(("hive", json!(place.node.path.as_str())));
        normalised.push(("evidence", json!(place.tree.label())));
        let Loaded { bytes, state } = hive_state::load(place.tree, &place.node, logs)?;
        let hive = hive_file::open(&place.node, &bytes)?;
        read(
            &HiveFile { tree: place.tree, node: &place.node, bytes: &bytes, hive, state: &state },
            &mut sink,
        );
    } else {
        for place in place::under(call.trees, label, "")?.places {
            if place.node.kind == NodeKind::Directory {
                search.run(place.tree, &place.node, call.indexes, &mut |file, _| {
                    read(file, &mut sink);
                    Ok(())
                })?;
            }
        }
    }
    let mut returned = Return::found(Vec::new(), arguments.normalised(&normalised));
    search.met(&mut sink);
    if search.more {
        returned.truncate(format!("stopped after {MAX_HIVES} hives: name one with \"hive\""));
    }
    sink.fill(&mut returned);
    Ok(returned)
}

fn read(file: &HiveFile<'_>, sink: &mut Sink) {
    if sink.is_full() {
        return;
    }
    let path = file.node.path.as_str();
    sink.begin(format!("{path} of {} ({})", file.tree.label(), hive_file::type_name(identify(&file.hive))));
    for defect in hive_file::base_defects(&file.node.path, &file.hive).into_iter().chain(file.state.defects())
    {
        sink.defect(defect);
    }
    for gap in file.state.gaps() {
        sink.gap(gap);
    }
    let mut flow = ControlFlow::Continue(());
    let complete = deleted(&file.hive, |remnant| {
        let record = match remnant {
            Remnant::Key(found) => key(file, &found),
            Remnant::Value(found) => value(file, found),
        };
        flow = sink.push(file.state.record(record));
        flow
    });
    if !complete && flow.is_continue() {
        let reason = "not everything in its free space was read, or not every key that is in use".to_owned();
        sink.gap(Gap { path: path.to_owned(), reason });
    }
}

fn key(file: &HiveFile<'_>, found: &DeletedKey) -> Record {
    let name_at = key_name(file.bytes, found.offset);
    let at = |field: u64, length| Some(ByteSpan::new(found.offset.saturating_add(field), length));
    let count = |count: u32| FieldValue::Integer(count.into());
    Row::new(KEY, file.tree, file.node, Some(record_span(found.offset, name_at, 0x4C)))
        .field("key_path", FieldValue::RegistryPath(found.path.clone()))
        .field("path_complete", FieldValue::Flag(found.path_complete))
        .field_at("name", FieldValue::Name(found.name.clone()), name_at)
        .field("state", FieldValue::Name(standing(found.standing).to_owned()))
        .field_at("last_written", FieldValue::Time(Time::from_filetime(found.last_written.0)), at(4, 8))
        .field_at("subkeys", count(found.subkey_count), at(0x14, 4))
        .field_at("values", count(found.value_count), at(0x24, 4))
        .field("hive", FieldValue::Path(file.node.path.as_str().to_owned()))
        .done()
}

fn value(file: &HiveFile<'_>, found: DeletedValue<'_>) -> Record {
    let name_at = value_name(file.bytes, found.offset);
    let at = |field: u64, length| Some(ByteSpan::new(found.offset.saturating_add(field), length));
    let DeletedValue { name, key, standing: state, kind, data, raw, size, offset, data_extents } = found;
    let value = Value { name, kind, data, raw, trailing: false, offset, data_extents };
    let data = Data::of(&value);
    let name = if value.name.is_empty() { "(default)" } else { &value.name };
    let complete = key.as_ref().map(|(_, complete)| FieldValue::Flag(*complete));
    Row::new(VALUE, file.tree, file.node, Some(record_span(offset, name_at, 0x14)))
        .field_at("name", FieldValue::Name(name.to_owned()), name_at)
        .maybe("key_path", key.map(|(path, _)| FieldValue::RegistryPath(path)), None)
        .maybe("path_complete", complete, None)
        .field("state", FieldValue::Name(standing(state).to_owned()))
        .field_at("value_type", FieldValue::Name(kind.to_string()), at(0x0C, 4))
        .maybe("data", data.value, data.at)
        .field_at("data_length", FieldValue::Size(size.into()), at(4, 4))
        .maybe("truncated", data.truncated.then_some(FieldValue::Flag(true)), None)
        .field("hive", FieldValue::Path(file.node.path.as_str().to_owned()))
        .done()
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Gone => "deleted",
        Standing::Live => "live",
        Standing::Unknown => "unknown",
    }
}
