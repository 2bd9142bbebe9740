//! `list_hives`: registry hives, found by their content.

mod replay_record;

use crate::catalogue::Call;
use crate::error::CallError;
use crate::hive_file::{self, BASE_BLOCK};
use crate::hive_state::State;
use crate::hives::{HiveFile, HiveSearch, MAX_HIVES};
use crate::returned::Return;
use crate::row::Row;
use crate::{place, spec};
use artifacts::registry::{Hive, identify};
use evidence::{EvidencePath, ReadError};
use ledger::{ByteSpan, FieldType, FieldValue, Record, RecordType, Time, ToolSpec};
use serde_json::json;

const KIND: &str = "hive";

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "list_hives",
        "Finds the registry hives of the evidence by their content, whatever their names are, and tells what each is. \
         A hive that is not clean has changes in transaction logs: what applying them came to is told beside it, and other tools read it with them.",
        vec![
            ("path", spec::text_or("folder in which to search; empty for everything", "")),
            ("evidence", spec::text("label of the evidence to search; all when left out")),
        ],
        &[],
        vec![record_type(), replay_record::record_type()],
    )
}

fn record_type() -> RecordType {
    spec::record(
        KIND,
        "one registry hive (primary file)",
        "path",
        &[
            ("path", &[FieldType::Path], "path of the hive in the evidence"),
            (
                "hive_type",
                &[FieldType::Name],
                "by content: SYSTEM, SOFTWARE, SAM, SECURITY, NTUSER, USRCLASS, AMCACHE, BCD, DRIVERS, COMPONENTS or OTHER",
            ),
            ("root_name", &[FieldType::Name], "name of the root key; no part of key paths"),
            ("embedded_name", &[FieldType::Path], "end of the path under which Windows loaded the hive"),
            ("last_written", &[FieldType::Time], "when the hive was last written, by its base block"),
            ("version", &[FieldType::Name], "version of the format, such as 1.5"),
            ("clean", &[FieldType::Flag], "whether the file holds everything that was written to the hive"),
            ("primary_sequence", &[FieldType::Integer], "number of the write that was last begun"),
            ("secondary_sequence", &[FieldType::Integer], "number of the write that was last ended"),
            ("size", &[FieldType::Size], "bytes of the file"),
            ("logs", &[FieldType::List], "paths of the transaction logs beside it that are not empty"),
        ],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let (label, path) = (arguments.optional_text("evidence"), arguments.text("path")?);
    let wanted = place::read(path)?;
    let mut records = Vec::new();
    let mut search = HiveSearch::default();
    let mut normalised = Vec::new();
    let mut list = |found: &HiveFile<'_>, search: &mut HiveSearch| {
        records.push(record(found)?);
        if let State::Replayed(replayed) = found.state {
            records.push(replay_record::record(found, replayed));
        }
        search.gaps.extend(found.state.gaps());
        search.defects.extend(found.state.defects());
        search.gaps.extend(hive_file::unreadable(found.node, &found.hive));
        Ok(())
    };
    if wanted.is_root() {
        for tree in place::scope(call.trees, label)? {
            let root = tree.node(&EvidencePath::root())?;
            let root = root.ok_or_else(|| ReadError::Absent { path: wanted.clone() })?;
            search.run(tree, &root, call.indexes, &mut list)?;
        }
        normalised.push(("path", json!("")));
    } else {
        let place = place::find(call.trees, label, path)?;
        search.run(place.tree, &place.node, call.indexes, &mut list)?;
        normalised.push(("path", json!(place.node.path.as_str())));
        normalised.push(("evidence", json!(place.tree.label())));
    }
    let mut returned = Return::found(records, arguments.normalised(&normalised));
    (returned.defects, returned.gaps) = (search.defects, search.gaps);
    if search.more {
        returned.truncate(format!("stopped after {MAX_HIVES} hives: search a folder with \"path\""));
    }
    Ok(returned)
}

fn record(found: &HiveFile<'_>) -> Result<Record, ReadError> {
    let (tree, node) = (found.tree, found.node);
    // The fields and their places are those of the file alone; only the type is decided with the logs applied.
    let base = match found.state {
        State::Replayed(replayed) => Hive::open(&replayed.base).ok().map(|hive| (&*replayed.base, hive)),
        State::Clean | State::Base(_) => None,
    };
    let (bytes, hive) = base.as_ref().map_or((found.bytes, &found.hive), |(bytes, hive)| (*bytes, hive));
    let header = hive.header();
    let at = |offset, length| Some(ByteSpan::new(offset, length));
    let root = hive.root().ok();
    let root_at = root.as_ref().and_then(|root| hive_file::key_name(bytes, root.offset));
    let logs = hive_file::logs(tree, node)?;
    let logs: Vec<_> = logs.iter().map(|path| path.as_str().to_owned()).collect();
    let embedded = Some(&header.file_name).filter(|name| !name.is_empty());
    Ok(Row::new(KIND, tree, node, at(0, BASE_BLOCK))
        .field("path", FieldValue::Path(node.path.as_str().to_owned()))
        .field("hive_type", FieldValue::Name(hive_file::type_name(identify(&found.hive)).to_owned()))
        .maybe("root_name", root.map(|root| FieldValue::Name(root.name)), root_at)
        .maybe("embedded_name", embedded.map(|name| FieldValue::Path(name.clone())), at(0x30, 64))
        .field_at("last_written", FieldValue::Time(Time::from_filetime(header.last_written.0)), at(0x0C, 8))
        .field_at("version", FieldValue::Name(format!("{}.{}", header.major, header.minor)), at(0x14, 8))
        .field_at("clean", FieldValue::Flag(header.clean), at(0x04, 8))
        .field_at("primary_sequence", FieldValue::Integer(header.primary_sequence.into()), at(0x04, 4))
        .field_at("secondary_sequence", FieldValue::Integer(header.secondary_sequence.into()), at(0x08, 4))
        .field("size", FieldValue::Size(bytes.len() as u64))
        .maybe("logs", Some(logs).filter(|logs| !logs.is_empty()).map(FieldValue::List), None)
        .defects(hive_file::base_defects(&node.path, hive))
        .done())
}
