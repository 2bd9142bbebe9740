//! The state in which a hive is read: its file alone, or with its transaction logs applied.
//!
//! Bytes changed by logs are not in the hive file. A record then names the log that has them; bytes in no single file have no place.

use crate::arguments::Arguments;
use crate::hive_file;
use crate::returned::chain;
use artifacts::registry::replay::{LeftOut, Place, Replay, is_dirty, replay};
use evidence::{EvidencePath, Node, ReadError, Tree};
use ledger::absence::{LOGS_NOT_APPLIED, NO_LOGS};
use ledger::{ByteSpan, Defect, Field, FieldType, FieldValue, Gap, Record};
use serde_json::{Value, json};
use std::rc::Rc;

/// The field in records of a hive that is not clean.
pub(crate) const STATE: &str = "hive_state";

/// The field's description.
pub(crate) const FIELD: (&str, &[FieldType], &str) = (
    STATE,
    &[FieldType::Name],
    "of a hive that is not clean: replayed where its transaction logs were applied, base where the file was read as it stands; left out where the hive is clean",
);

/// Whether the transaction logs of a hive are applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Logs {
    /// Applied, as Windows does when it loads the hive.
    #[default]
    Applied,
    /// Ignored: the file is read as it is.
    Ignored,
}

impl Logs {
    /// Reads what a call asks for; tools without [`argument`] apply them.
    pub(crate) fn of(arguments: &Arguments) -> Logs {
        if arguments.optional_text("logs") == Some("ignored") { Logs::Ignored } else { Logs::Applied }
    }
}

/// Returns the argument of tools that read hives.
pub(crate) fn argument() -> (&'static str, Value) {
    let schema = json!({
        "type": "string",
        "description": "applied reads a hive that is not clean with the changes of its transaction logs, as Windows does; ignored reads its file as it stands",
        "enum": ["applied", "ignored"],
        "default": "applied",
    });
    ("logs", schema)
}

/// A hive in memory.
pub(crate) struct Loaded {
    pub(crate) bytes: Rc<Vec<u8>>,
    pub(crate) state: State,
}

/// How the bytes of a hive were obtained.
#[derive(Default)]
pub(crate) enum State {
    /// From a clean hive.
    #[default]
    Clean,
    /// From the file of a hive that is not clean, and why its logs were not applied.
    Base(Box<Unapplied>),
    /// From the file with its logs applied.
    Replayed(Box<Replayed>),
}

/// Why the logs of a hive were not applied.
pub(crate) struct Unapplied {
    hive: String,
    reason: String,
    defects: Vec<Defect>,
}

/// A hive and the logs that were applied to it.
pub(crate) struct Replayed {
    hive: String,
    /// The bytes of the file.
    pub(crate) base: Vec<u8>,
    bytes: Rc<Vec<u8>>,
    /// The paths of all logs beside it.
    pub(crate) logs: Vec<String>,
    /// The result of applying the logs, without its bytes: they have been moved out.
    pub(crate) replay: Replay,
    gaps: Vec<Gap>,
}

/// Why a missing log is a gap.
const LOG_LOST: &str = "this transaction log of the hive is not in the evidence, and Windows keeps two: what it holds was not applied";

/// Reads a hive, and its logs if it needs them.
pub(crate) fn load(tree: &dyn Tree, node: &Node, logs: Logs) -> Result<Loaded, ReadError> {
    let bytes = hive_file::bytes(tree, node)?;
    if !is_dirty(&bytes) {
        return Ok(Loaded { bytes: Rc::new(bytes), state: State::Clean });
    }
    let hive = node.path.as_str().to_owned();
    let unequal = bytes.get(4..8) != bytes.get(8..12);
    let base = |reason: String, defects| {
        let state = State::Base(Box::new(Unapplied { hive: hive.clone(), reason, defects }));
        // A wrong checksum alone does not mean that changes are missing.
        if unequal { state } else { State::Clean }
    };
    let paths = hive_file::logs(tree, node)?;
    if paths.is_empty() {
        let state = base(NO_LOGS.to_owned(), Vec::new());
        return Ok(Loaded { bytes: Rc::new(bytes), state });
    }
    if logs == Logs::Ignored {
        let state = base(LOGS_NOT_APPLIED.to_owned(), Vec::new());
        return Ok(Loaded { bytes: Rc::new(bytes), state });
    }
    let (contents, mut gaps) = contents(tree, &paths);
    let contents: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
    let mut replay = replay(&bytes, &contents);
    let logs: Vec<_> = paths.iter().map(|path| path.as_str().to_owned()).collect();
    let Some(replayed) = replay.bytes.take() else {
        let state = base(unapplied(&replay, &logs, &gaps), damage(&replay, &logs));
        return Ok(Loaded { bytes: Rc::new(bytes), state });
    };
    if let Some(path) = hive_file::missing_log(tree, node)? {
        gaps.push(Gap { path, reason: LOG_LOST.to_owned() });
    }
    let replayed = Rc::new(replayed);
    let held = Replayed { hive, base: bytes, bytes: replayed.clone(), logs, replay, gaps };
    Ok(Loaded { bytes: replayed, state: State::Replayed(Box::new(held)) })
}

/// Returns the bytes of the logs; one that cannot be read is a gap, and empty.
fn contents(tree: &dyn Tree, paths: &[EvidencePath]) -> (Vec<Vec<u8>>, Vec<Gap>) {
    let (mut contents, mut gaps) = (Vec::new(), Vec::new());
    for path in paths {
        let read = tree.node(path).and_then(|node| match node {
            Some(node) => hive_file::bytes(tree, &node),
            None => Err(ReadError::Absent { path: path.clone() }),
        });
        contents.push(read.unwrap_or_else(|error| {
            gaps.push(Gap { path: path.as_str().to_owned(), reason: chain(&error) });
            Vec::new()
        }));
    }
    (contents, gaps)
}

fn unapplied(replay: &Replay, logs: &[String], gaps: &[Gap]) -> String {
    let unread = gaps.iter().map(|gap| format!("{}: {}", gap.path, gap.reason));
    let reasons: Vec<_> = left_out(replay, logs).into_iter().chain(unread).collect();
    match reasons.is_empty() {
        true => format!("{LOGS_NOT_APPLIED}: they hold no entries"),
        false => format!("{LOGS_NOT_APPLIED}: {}", reasons.join("; ")),
    }
}

/// Says in words what was not applied.
pub(crate) fn left_out(replay: &Replay, logs: &[String]) -> Vec<String> {
    let words = |left: &LeftOut| format!("{}: {}", logs.get(left.log).map_or("", String::as_str), left.why);
    replay.left_out.iter().map(words).collect()
}

/// Returns the damage of the logs.
fn damage(replay: &Replay, logs: &[String]) -> Vec<Defect> {
    let damaged = replay.left_out.iter().filter(|left| left.why.is_damage());
    let words = |left: &LeftOut| Defect {
        path: logs.get(left.log).cloned().unwrap_or_default(),
        offset: Some(left.offset),
        what: format!("not applied from here on: {}", left.why),
    };
    damaged.map(words).collect()
}

impl State {
    /// Returns what was not examined in the hive because of its logs.
    pub(crate) fn gaps(&self) -> Vec<Gap> {
        match self {
            State::Clean => Vec::new(),
            State::Base(base) => vec![Gap { path: base.hive.clone(), reason: base.reason.clone() }],
            State::Replayed(replayed) => replayed.gaps.clone(),
        }
    }

    /// Returns the damage of its logs.
    pub(crate) fn defects(&self) -> Vec<Defect> {
        match self {
            State::Clean => Vec::new(),
            State::Base(base) => base.defects.clone(),
            State::Replayed(replayed) => damage(&replayed.replay, &replayed.logs),
        }
    }

    /// Returns the state's name in records; `None` for a clean hive.
    pub(crate) fn name(&self) -> Option<&'static str> {
        match self {
            State::Clean => None,
            State::Base(_) => Some("base"),
            State::Replayed(_) => Some("replayed"),
        }
    }

    /// Adds the state to the record, and corrects the places to where its bytes really are.
    pub(crate) fn record(&self, mut record: Record) -> Record {
        let Some(name) = self.name() else { return record };
        let value = FieldValue::Name(name.to_owned());
        record.fields.insert(STATE.to_owned(), Field { at: None, value });
        if let State::Replayed(replayed) = self {
            replayed.relocate(&mut record);
        }
        record.defects = record.defects.into_iter().map(|defect| self.defect(defect)).collect();
        record
    }

    /// Corrects the place of damage to where it really is.
    pub(crate) fn defect(&self, defect: Defect) -> Defect {
        let (State::Replayed(replayed), Some(offset)) = (self, defect.offset) else { return defect };
        if defect.path != replayed.hive {
            return defect;
        }
        match replayed.place(ByteSpan::new(offset, 4)) {
            Place::Hive => defect,
            Place::Log { log, offset } => {
                Defect { path: replayed.log(log), offset: Some(offset), what: defect.what }
            }
            Place::Nowhere => Defect { offset: None, ..defect },
        }
    }
}

impl Replayed {
    fn place(&self, span: ByteSpan) -> Place {
        self.replay.place(&self.base, &self.bytes, span.offset, span.length)
    }

    fn log(&self, number: usize) -> String {
        self.logs.get(number).cloned().unwrap_or_default()
    }

    /// Moves a record to the file that has its bytes; fields whose bytes are in another file lose their places.
    fn relocate(&self, record: &mut Record) {
        let place = record.locator.span.map(|span| self.place(span));
        let own = match place {
            Some(Place::Log { log, .. }) => Some(log),
            Some(Place::Hive | Place::Nowhere) | None => None,
        };
        if let Some(log) = own {
            record.locator.path = self.log(log);
        }
        let moved = |span: ByteSpan| match (self.place(span), own) {
            (Place::Hive, None) => Some(span),
            (Place::Log { log, offset }, Some(own)) if log == own => Some(ByteSpan::new(offset, span.length)),
            (Place::Hive | Place::Log { .. } | Place::Nowhere, _) => None,
        };
        record.locator.span = record.locator.span.and_then(moved);
        for field in record.fields.values_mut() {
            field.at = field.at.and_then(moved);
        }
    }
}
