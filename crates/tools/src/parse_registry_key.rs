//! `parse_registry_key`: a key of a hive with its values and subkeys.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::hive_state::{self, Loaded, Logs};
use crate::key_lookup::{Lookup, look_up};
use crate::registry_records::{self, Source};
use crate::returned::Return;
use crate::{hive_file, place, remains, spec};
use artifacts::registry::{self, Hive, Key, Value};
use ledger::{AbsenceForm, Defect, Record, ToolSpec};
use serde_json::json;

/// The most raw data of one call, in bytes: the values of a hostile hive can share one large piece of data.
pub(crate) const MAX_DATA: usize = 32 << 20;

pub(crate) fn spec() -> ToolSpec {
    ToolSpec {
        covers: vec![spec::covers(
            AbsenceForm::RegistryKey,
            &[("hive", "hive"), ("key", "key"), ("evidence", "evidence")],
            &[],
            &["depth", "limit", "logs"],
        )],
        ..described()
    }
}

fn described() -> ToolSpec {
    spec::tool(
        "parse_registry_key",
        "Reads one key of a registry hive: the key, its values and its direct subkeys; with `depth` also the values and subkeys of those, level by level.",
        vec![
            ("hive", spec::hive()),
            (
                "key",
                spec::text(
                    "path of the key from the root of the hive; empty for the root. HKLM\\SYSTEM and the like in front are understood where they fit the hive, CurrentControlSet too",
                ),
            ),
            ("evidence", spec::evidence()),
            hive_state::argument(),
            ("depth", spec::number("levels of subkeys of which the values are read, too", 0, 0, 3)),
            ("limit", spec::number("most records to return", 2000, 1, 10_000)),
        ],
        &["key"],
        vec![registry_records::key_type(), registry_records::value_type()],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let place = place::find(call.trees, arguments.optional_text("evidence"), arguments.text("hive")?)?;
    let place = remains::whole(place)?;
    let node = &place.node;
    let Loaded { bytes, state } = hive_state::load(place.tree, node, Logs::of(arguments))?;
    let hive = hive_file::open(node, &bytes)?;
    let Lookup { key, used, notes } = look_up(&hive, node, arguments.text("key")?)?;

    let source = Source { tree: place.tree, node, bytes: &bytes, state: &state };
    let (depth, limit) = (arguments.number("depth")?, arguments.count("limit")?);
    let mut reading = Reading {
        source,
        hive: &hive,
        limit,
        records: Vec::new(),
        defects: Vec::new(),
        data: 0,
        more: false,
    };
    if let Some(key) = key {
        reading.branch(&key, depth);
    }
    let normalised = arguments.normalised(&[
        ("evidence", json!(place.tree.label())),
        ("hive", json!(node.path.as_str())),
        ("key", json!(used)),
    ]);
    let Reading { records, defects, more, .. } = reading;
    let mut returned = Return::found(records, normalised);
    returned.notes = notes;
    returned.defects = hive_file::base_defects(&node.path, &hive);
    returned.defects.extend(state.defects());
    returned.defects.extend(defects.into_iter().map(|defect| state.defect(defect)));
    for gap in state.gaps() {
        returned.notes.push(format!("{}: {}", gap.path, gap.reason));
        returned.gaps.push(gap);
    }
    if more {
        let count = returned.records.len();
        let advice = "read a subkey, less depth, or raise \"limit\"";
        returned.truncate(format!("stopped after {count} records: {advice}"));
    }
    Ok(returned)
}

struct Reading<'a, 'h> {
    source: Source<'a>,
    hive: &'h Hive<'h>,
    limit: usize,
    records: Vec<Record>,
    defects: Vec<Defect>,
    /// How many bytes of raw data are in `records`.
    data: usize,
    more: bool,
}

impl<'h> Reading<'_, 'h> {
    /// Adds the key, its values and its subkeys; does the same for subkeys down to `depth`.
    fn branch(&mut self, key: &Key<'h>, depth: u64) {
        if !self.push(self.source.key(key)) {
            return;
        }
        let (values, mut defects) = self.hive.values(key);
        for value in &values {
            let (own, others) = defects.into_iter().partition(|defect| lies_in(defect, value));
            defects = others;
            let own = self.words(own);
            self.data = self.data.saturating_add(value.raw.len());
            if !self.push(self.source.value(key, value, own)) {
                return;
            }
        }
        let (children, more) = self.hive.children(key);
        defects.extend(more);
        let words = self.words(defects);
        self.defects.extend(words);
        for child in &children {
            match depth.checked_sub(1) {
                Some(depth) => self.branch(child, depth),
                None => {
                    self.push(self.source.key(child));
                }
            }
            if self.more {
                return;
            }
        }
    }

    fn push(&mut self, record: Record) -> bool {
        if self.records.len() >= self.limit || self.data > MAX_DATA {
            self.more = true;
            return false;
        }
        self.records.push(record);
        true
    }

    fn words(&self, defects: Vec<registry::Defect>) -> Vec<Defect> {
        let path = &self.source.node.path;
        defects.iter().map(|defect| hive_file::defect(path, defect)).collect()
    }
}

/// Checks whether damage is in the record or the data of a value.
pub(crate) fn lies_in(defect: &registry::Defect, value: &Value<'_>) -> bool {
    let Some(at) = defect.offset else { return false };
    // A record's name follows its 20 fixed bytes; a defect in the name is reported at its start.
    let record = value.offset..=value.offset.saturating_add(0x14);
    let in_data = |extent: &registry::Extent| {
        (extent.offset..extent.offset.saturating_add(extent.length.max(1))).contains(&at)
    };
    record.contains(&at) || value.data_extents.iter().any(in_data)
}
