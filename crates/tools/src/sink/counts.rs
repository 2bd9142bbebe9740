//! Counting records instead of giving them: how many have each combination of values, first and last.
//!
//! A count is a record of its own. It stands for the whole of one file as far as it was read, or for what lies between its `first` and its `last` instant;
//! nothing of an argument is in it but the names of fields, which the record types have, too.

use super::filter::times;
use crate::arguments::Arguments;
use crate::error::CallError;
use crate::intake::Flow;
use crate::spec;
use ledger::FieldType::{Integer, List, Name, Path, RegistryPath, Text};
use ledger::{Clock, Field, FieldType, FieldValue, Locator, Record, RecordId, RecordType, Time};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

const KIND: &str = "record_count";

/// Most different combinations of one call.
const MOST: usize = 200_000;

/// The key of a record of a hive.
const KEY_PATH: &str = "key_path";

/// The time that dates a record which has several.
const TIME: &str = "time";

/// Arguments that choose records by what no field of a count can tell.
const INEXPRESSIBLE: [&str; 4] = ["name", "text", "user", "reason"];

/// Arguments that choose records by the value of a field.
const NARROWING: [(&str, &str); 4] =
    [("channel", "channel"), ("entry", "entry"), ("ids", "event_id"), ("provider", "provider")];

pub(crate) fn record_type() -> RecordType {
    let record = spec::record(
        KIND,
        "how many records of one type with the same values of some fields one file holds, as far as it could be read; between `first` and `last`, both included, there are so many and no more, unless the record is `incomplete`",
        "source",
        &[
            (
                "source",
                &[Path, RegistryPath],
                "path of the file whose records were counted; of a hive the deepest key below which all of them stand; the folder, where each file in it has one record at most",
            ),
            ("file", &[Path], "path of the file or folder in the evidence"),
            ("counted", &[Name], "record type that was counted"),
            ("by", &[List], "fields whose values the counted records share"),
            ("value", &[Text], "value of the first of these fields"),
            ("values", &[List], "their values, in the same order; empty where a record has no such field"),
            ("count", &[Integer], "how many records"),
            ("first", &[FieldType::Time], "earliest time of the counted records"),
            ("last", &[FieldType::Time], "latest time of the counted records"),
            ("sum_of", &[Name], "field that was added up"),
            ("total", &[Integer], "sum of that field over the counted records"),
            (
                "incomplete",
                &[Name],
                "why there may be more such records than were counted: `damage` that hides records, `gaps` that were not read, or both; absent where everything was read",
            ),
        ],
    );
    spec::scoped(&["counted", "by", "values", "first", "last", "sum_of", "incomplete"], record)
}

/// The files of which something was not read, by their paths.
#[derive(Default)]
pub(crate) struct Unread {
    /// Those with damage that may hide records.
    pub(crate) damaged: BTreeSet<String>,
    /// Those of which something was not examined.
    pub(crate) gaps: BTreeSet<String>,
}

impl Unread {
    pub(crate) fn is_empty(&self) -> bool {
        self.damaged.is_empty() && self.gaps.is_empty()
    }

    /// Why a file, or a folder with those in it, was not read whole; `None` where it was.
    fn of(&self, path: &str) -> Option<&'static str> {
        let below = format!("{path}/");
        let holds = |paths: &BTreeSet<String>| {
            let mut inside = paths.range(below.clone()..);
            paths.contains(path) || inside.next().is_some_and(|found| found.starts_with(&below))
        };
        match (holds(&self.damaged), holds(&self.gaps)) {
            (true, true) => Some("damage and gaps"),
            (true, false) => Some("damage"),
            (false, true) => Some("gaps"),
            (false, false) => None,
        }
    }
}

/// What was counted so far.
pub(crate) struct Counts {
    by: Vec<String>,
    sum: Option<String>,
    /// The fields with times of all types.
    times: Vec<String>,
    tallies: HashMap<Key, Tally>,
    refused: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    evidence: String,
    path: String,
    stream: Option<String>,
    kind: String,
    values: Vec<String>,
}

impl Key {
    /// The same of the folder in which the file is.
    fn folder(&self) -> Option<Key> {
        let (folder, _) = self.path.rsplit_once('/')?;
        Some(Key { path: folder.to_owned(), ..self.clone() })
    }
}

#[derive(Default, Clone)]
struct Tally {
    count: u64,
    /// The deepest key below which all counted records stand; `None` where one stands below none.
    key: Option<String>,
    first: Option<Time>,
    last: Option<Time>,
    total: i128,
}

impl Counts {
    /// What the arguments `count_by` and `sum` ask for; `None` where nothing is to be counted.
    pub(crate) fn read(arguments: &Arguments, records: &[RecordType]) -> Result<Option<Counts>, CallError> {
        let sum = arguments.optional_text("sum").map(str::trim).map(str::to_owned);
        let Some(by) = arguments.optional_text("count_by") else {
            return match sum {
                Some(_) => Err(CallError::MissingArgument { argument: "count_by".to_owned() }),
                None => Ok(None),
            };
        };
        for argument in INEXPRESSIBLE {
            if let Some(found) = arguments.optional_text(argument) {
                let expected =
                    "nothing beside \"count_by\": a count tells what it counts by the values of fields";
                return Err(CallError::Argument { argument, expected, found: found.to_owned() });
            }
        }
        let by: Vec<_> =
            by.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
        let mut by: Vec<_> = by.into_iter().filter(|name| name != "record").collect();
        for field in by.iter().chain(&sum) {
            if records.iter().all(|record| !record.fields.contains_key(field)) {
                let (expected, found) = ("fields of the tool's records, separated by commas", field.clone());
                return Err(CallError::Argument { argument: "count_by", expected, found });
            }
        }
        // What narrows the search is told, too, or the count would be taken for one of all records.
        for (argument, field) in NARROWING {
            let given =
                arguments.optional_text(argument).is_some() || arguments.optional_number(argument).is_some();
            if given && !by.iter().any(|name| name == field) {
                by.push(field.to_owned());
            }
        }
        let fields = records.iter().flat_map(|record| &record.fields);
        let times = fields.filter(|(_, field)| field.types.contains(&FieldType::Time));
        let times = times.map(|(name, _)| name.clone()).collect();
        Ok(Some(Counts { sum, times, ..Counts::by(by) }))
    }

    /// Counts by the values of these fields.
    pub(crate) fn by(by: Vec<String>) -> Counts {
        Counts { by, sum: None, times: Vec::new(), tallies: HashMap::new(), refused: None }
    }

    /// Counts a record; stops where there are too many combinations to be of use.
    pub(crate) fn add(&mut self, record: &Record) -> Flow {
        let text = |field: &String| record.fields.get(field).map(|field| field.value.to_text().into_owned());
        let values = self.by.iter().map(|field| text(field).unwrap_or_default()).collect();
        let Locator { evidence, path, stream, .. } = record.locator.clone();
        let key = Key { evidence, path, stream, kind: record.kind.clone(), values };
        if self.tallies.len() >= MOST && !self.tallies.contains_key(&key) {
            self.refused = Some("too many different values to count: ask for fewer fields or a shorter span");
            return ControlFlow::Break(());
        }
        let own_key = registry_key(record);
        let tally = self.tallies.entry(key).or_default();
        tally.key = match (tally.count, tally.key.take(), own_key) {
            (0, _, own) => own.map(str::to_owned),
            (_, Some(known), Some(own)) => Some(shared_key(&known, own)),
            (_, _, _) => None,
        };
        tally.count += 1;
        if let Some(FieldValue::Integer(number)) =
            self.sum.as_ref().and_then(|sum| record.fields.get(sum)).map(|field| &field.value)
        {
            tally.total = tally.total.saturating_add(*number);
        }
        if let Some(time) = dated(record) {
            tally.date(time);
        }
        ControlFlow::Continue(())
    }

    /// Counts nothing: a record in the span that was asked for has no time that dates it.
    pub(crate) fn refuse(&mut self) -> Flow {
        self.refused =
            Some("records that have several times, or none, are not counted by time: leave out from and to");
        ControlFlow::Break(())
    }

    /// Why nothing was counted.
    pub(crate) fn refused(&self) -> Option<&'static str> {
        self.refused
    }

    /// The fields that a count looks at.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let own = self.by.iter().chain(&self.sum).chain(&self.times).map(String::as_str);
        own.chain([KEY_PATH]).collect()
    }

    /// The counts, the largest first; none where there were too many to count.
    pub(crate) fn records(self, unread: &Unread) -> impl Iterator<Item = Record> {
        let Counts { by, sum, tallies, refused, .. } = self;
        let folders = of_folders(&tallies);
        // A file that a folder's count has counted is not told once more beside it.
        let of_folder = |key: &Key| key.folder().is_some_and(|folder| folders.contains_key(&folder));
        let files: Vec<_> = tallies.into_iter().filter(|(key, _)| !of_folder(key)).collect();
        let mut tallies: Vec<_> = files.into_iter().chain(folders).filter(|_| refused.is_none()).collect();
        tallies.sort_by(|(a, x), (b, y)| (Reverse(x.count), a).cmp(&(Reverse(y.count), b)));
        tallies.into_iter().map(move |(key, tally)| {
            let incomplete = unread.of(&key.path);
            let mut record = record(&by, sum.as_deref(), key, tally);
            if let Some(why) = incomplete {
                let field = Field { at: None, value: FieldValue::Name(why.to_owned()) };
                record.fields.insert("incomplete".to_owned(), field);
            }
            record
        })
    }
}

/// The key in which a record of a hive stands.
fn registry_key(record: &Record) -> Option<&str> {
    match record.fields.get(KEY_PATH).map(|field| &field.value) {
        Some(FieldValue::RegistryPath(path)) => Some(path),
        _ => None,
    }
}

/// The deepest key that both stand in or below.
fn shared_key(one: &str, other: &str) -> String {
    let same = one.split('\\').zip(other.split('\\')).take_while(|(a, b)| a == b).map(|(a, _)| a);
    same.collect::<Vec<_>>().join("\\")
}

/// The counts of folders in which each of several files has one record of a type: a folder of prefetch files is counted as one thing.
fn of_folders(tallies: &HashMap<Key, Tally>) -> BTreeMap<Key, Tally> {
    let mut folders: BTreeMap<Key, (Tally, u64, bool)> = BTreeMap::new();
    for (key, tally) in tallies {
        let Some(of) = key.folder() else { continue };
        let (sum, files, single) = folders.entry(of).or_insert((Tally::default(), 0, true));
        *files += 1;
        *single &= tally.count == 1 && tally.key.is_none();
        sum.add(tally);
    }
    let whole = |(_, files, single): &(Tally, u64, bool)| *single && *files > 1;
    folders.into_iter().filter(|(_, it)| whole(it)).map(|(key, (tally, ..))| (key, tally)).collect()
}

impl Tally {
    /// Adds what another one counts.
    fn add(&mut self, other: &Tally) {
        self.count += other.count;
        self.total = self.total.saturating_add(other.total);
        for time in other.first.iter().chain(&other.last) {
            self.date(time);
        }
    }

    /// Widens the span to this time.
    fn date(&mut self, time: &Time) {
        if self.first.as_ref().is_none_or(|first| time.utc < first.utc) {
            self.first = Some(time.clone());
        }
        if self.last.as_ref().is_none_or(|last| time.utc > last.utc) {
            self.last = Some(time.clone());
        }
    }
}

/// The time that dates a record: the one called `time`, or the only one.
pub(crate) fn dated(record: &Record) -> Option<&Time> {
    if let Some(FieldValue::Time(time)) = record.fields.get(TIME).map(|field| &field.value) {
        return Some(time).filter(|time| time.clock == Clock::Host && time.utc.is_some());
    }
    let mut all = times(record);
    all.next().filter(|_| all.next().is_none())
}

fn record(by: &[String], sum: Option<&str>, key: Key, tally: Tally) -> Record {
    let mut fields = BTreeMap::new();
    let mut set = |name: &str, value: FieldValue| {
        fields.insert(name.to_owned(), Field { at: None, value });
    };
    let source = match tally.key.filter(|key| !key.is_empty()) {
        Some(key) => FieldValue::RegistryPath(key),
        None => FieldValue::Path(key.path.clone()),
    };
    set("source", source);
    set("file", FieldValue::Path(key.path.clone()));
    set("counted", FieldValue::Name(key.kind));
    set("count", FieldValue::Integer(tally.count.into()));
    if !by.is_empty() {
        set("by", FieldValue::List(by.to_vec()));
        set("value", FieldValue::Text(key.values.first().cloned().unwrap_or_default()));
        set("values", FieldValue::List(key.values));
    }
    for (name, time) in [("first", tally.first), ("last", tally.last)] {
        if let Some(time) = time {
            set(name, FieldValue::Time(time));
        }
    }
    if let Some(sum) = sum {
        set("sum_of", FieldValue::Name(sum.to_owned()));
        set("total", FieldValue::Integer(tally.total));
    }
    Record {
        defects: Vec::new(),
        fields,
        id: RecordId(0),
        kind: KIND.to_owned(),
        locator: Locator { evidence: key.evidence, path: key.path, stream: key.stream, span: None },
    }
}
