//! Sequences of log records that are significant together (`detect::Watch`), with the first and the last record of each.
//!
//! The logs are read twice: once for numbers alone, and once for the wanted records.

use crate::catalogue::Indexes;
use crate::decode::{self, DECODERS};
use crate::error::CallError;
use crate::intake::{Flow, Intake};
use crate::place;
use crate::returned::chain;
use crate::source_files::{self, Files};
use crate::units::{self, Origin};
use detect::{Trace, Watch, shipped_sequences};
use evidence::Tree;
use ledger::{Defect, FieldValue, Gap, Record};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

/// The most sequences that are returned, of the highest levels.
const MOST: usize = 2_000;

/// The reply to [`Request::Sequences`](crate::Request::Sequences).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "sequences", rename_all = "snake_case", deny_unknown_fields)]
pub enum SequencesReply {
    /// The logs were searched.
    Looked {
        /// The sequences found, the highest level first.
        found: Vec<FoundSequence>,
        /// Whether there are more, or more records than are kept.
        truncated: bool,
        /// What was not examined.
        gaps: Vec<Gap>,
        /// Damage.
        defects: Vec<Defect>,
    },
    /// The search failed.
    Failed {
        /// Why.
        reason: String,
    },
}

/// Records that form a sequence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundSequence {
    /// Its name.
    pub sequence: String,
    /// The fields that its records share, and their values.
    pub shared: Vec<(String, String)>,
    /// How many records there are.
    pub records: u64,
    /// The first one.
    pub first: Record,
    /// The last one.
    pub last: Record,
}

/// Searches all logs of the evidence for sequences.
pub(crate) fn look(trees: &[Box<dyn Tree>], scratch: &Path) -> SequencesReply {
    match looked(trees, scratch) {
        Ok(reply) => reply,
        Err(error) => SequencesReply::Failed { reason: chain(&error) },
    }
}

fn looked(trees: &[Box<dyn Tree>], scratch: &Path) -> Result<SequencesReply, CallError> {
    let types = shipped_sequences().record_types();
    let gives = |decoder: &&decode::Decoder| {
        decode::gathered(decoder).iter().any(|record| types.contains(record.name.as_str()))
    };
    let decoders: Vec<_> = DECODERS.iter().filter(gives).collect();
    let scope = place::under(trees, None, "")?;
    let files = source_files::find(&scope, &Indexes::new(), &decoders)?;
    let mut watching =
        Watching { watch: Watch::new(shipped_sequences()), types: &types, row: 0, met: Met::default() };
    files.met(&mut watching);
    read(&files, scratch, &mut watching);
    let Watching { watch, met, .. } = watching;
    let is_full = watch.is_full();
    let mut made = watch.made();
    made.sort_by_key(|one| std::cmp::Reverse(one.level));
    let truncated = is_full || made.len() > MOST;
    made.truncate(MOST);
    let wanted: BTreeSet<u32> = made.iter().flat_map(|one| [one.first, one.last]).collect();
    let mut fetching = Fetching { wanted, types: &types, row: 0, records: BTreeMap::new() };
    if !made.is_empty() {
        read(&files, scratch, &mut fetching);
    }
    let records = fetching.records;
    let found = made.into_iter().filter_map(|one| {
        Some(FoundSequence {
            sequence: one.sequence.to_owned(),
            shared: one.shared.into_iter().map(|(field, value)| (field.to_owned(), value)).collect(),
            records: one.records as u64,
            first: records.get(&one.first)?.clone(),
            last: records.get(&one.last)?.clone(),
        })
    });
    let found = found.collect();
    Ok(SequencesReply::Looked { found, truncated, gaps: met.gaps, defects: met.defects })
}

/// Reads all files, or as many of them as are wanted.
fn read(files: &Files<'_>, scratch: &Path, out: &mut dyn Intake) {
    for file in &files.files {
        let (origin, stream) = (Origin::Decoder(file.decoder), file.stream.as_deref());
        match units::read(origin, file.tree, &file.node, stream, scratch, out) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => return,
            Err(error) => {
                let path = file.node.path.as_str().to_owned();
                out.gap(Gap { path, reason: chain(&error) });
            }
        }
    }
}

/// What a search met.
#[derive(Default)]
struct Met {
    gaps: Vec<Gap>,
    defects: Vec<Defect>,
}

/// An intake that hands the records of the wanted types to a watch.
struct Watching<'w> {
    watch: Watch<'w>,
    types: &'w BTreeSet<&'w str>,
    row: u32,
    met: Met,
}

impl Intake for Watching<'_> {
    fn begin(&mut self, _: String) {}

    fn push(&mut self, record: Record) -> Flow {
        if self.types.contains(record.kind.as_str()) {
            let time = match record.fields.get("time").map(|field| &field.value) {
                Some(FieldValue::Time(time)) => time.utc,
                _ => None,
            };
            if let Some(time) = time {
                self.watch.take(&Trace::of_record(&record), time.unix_nanoseconds(), self.row);
            }
            self.row = self.row.saturating_add(1);
        }
        ControlFlow::Continue(())
    }

    fn defect(&mut self, defect: Defect) {
        self.met.defects.push(defect);
    }

    fn hidden(&mut self, defect: Defect) {
        self.met.defects.push(defect);
    }

    fn gap(&mut self, gap: Gap) {
        self.met.gaps.push(gap);
    }

    fn note(&mut self, _: String) {}
}

/// An intake that keeps the records of some rows.
struct Fetching<'w> {
    wanted: BTreeSet<u32>,
    types: &'w BTreeSet<&'w str>,
    row: u32,
    records: BTreeMap<u32, Record>,
}

impl Intake for Fetching<'_> {
    fn begin(&mut self, _: String) {}

    fn push(&mut self, record: Record) -> Flow {
        if self.types.contains(record.kind.as_str()) {
            if self.wanted.contains(&self.row) {
                self.records.insert(self.row, record);
            }
            self.row = self.row.saturating_add(1);
        }
        match self.records.len() < self.wanted.len() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn defect(&mut self, _: Defect) {}

    fn hidden(&mut self, _: Defect) {}

    fn gap(&mut self, _: Gap) {}

    fn note(&mut self, _: String) {}
}
