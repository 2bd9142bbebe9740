//! Counts records instead of returning them: how many have each combination of values, and the first and last times.
//!
//! A count is a record of its own.
//! It covers the whole of one file as far as it was read, or what lies between its `first` and its `last` instant.
//! No part of an argument is in it except the names of fields, which the record types have, too.

use super::dating::Dating;
use super::fields::{nearest, nearest_of};
use super::standout::LEVEL;
use crate::arguments::Arguments;
use crate::error::CallError;
use crate::intake::Flow;
use crate::spec;
use ledger::FieldType::{Flag, Integer, List, Name, Path, RegistryPath, Text};
use ledger::tool::FieldMeaning;
use ledger::{Field, FieldType, FieldValue, Locator, Record, RecordId, RecordType, Time};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

pub(crate) const KIND: &str = "record_count";

/// The type of the counts of a search that one of [`INEXPRESSIBLE`] narrowed.
pub(crate) const NARROWED: &str = "narrowed_count";

/// The fields that bound a count: no fact about a count may omit one.
const SCOPE: [&str; 11] = [
    "counted",
    "by",
    "values",
    "without",
    "first",
    "last",
    "undated",
    "bounded",
    "sum_of",
    "total",
    "incomplete",
];

/// The most different combinations of one call.
const MOST: usize = 200_000;

/// The key of a record of a hive, and the hive.
const KEY_PATH: &str = "key_path";
const HIVE: &str = "hive";

/// Arguments that choose records by something no field of a count can show.
const INEXPRESSIBLE: [&str; 4] = ["name", "text", "exclude", LEVEL];

/// Returns the types of counts.
pub(crate) fn record_types() -> [RecordType; 2] {
    let whole = record_type();
    let mut narrowed = RecordType {
        name: NARROWED.to_owned(),
        meaning: "how many records of one type with the same values of some fields a search met in one file that was narrowed by `name`, `text`, `exclude` or `level`, of which no record tells what they were: it shows where to look, and of what the search passed over it says nothing".to_owned(),
        ..whole.clone()
    };
    let meaning = "the arguments that the search was narrowed by".to_owned();
    narrowed.fields.insert(NARROWED_BY.to_owned(), FieldMeaning { types: vec![List], meaning });
    narrowed.scope.push(NARROWED_BY.to_owned());
    [whole, narrowed]
}

/// The field that lists which of [`INEXPRESSIBLE`] narrowed a search.
const NARROWED_BY: &str = "narrowed_by";

/// Returns the type of counts of all records of a file, or of all that share what they are counted by.
pub(crate) fn record_type() -> RecordType {
    let record = spec::record(
        KIND,
        "how many records of one type with the same values of some fields one file holds, as far as it could be read; between `first` and `last`, both included, there are so many and no more but for those that are `undated`, unless the record is `incomplete`",
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
            ("values", &[List], "their values, in the same order"),
            ("without", &[List], "fields that none of the counted records has"),
            ("count", &[Integer], "how many records"),
            ("first", &[FieldType::Time], "earliest time that dates one of the counted records"),
            ("last", &[FieldType::Time], "latest time that dates one of them"),
            (
                "undated",
                &[Integer],
                "how many of them have no such time, and lie anywhere or nowhere between these two",
            ),
            (
                "bounded",
                &[Flag],
                "true where a span was asked for: of what lies outside of it, or has no time, nothing was counted",
            ),
            ("sum_of", &[Name], "field that was added up"),
            ("total", &[Integer], "sum of that field over the counted records"),
            (
                "incomplete",
                &[Name],
                "why there may be more such records than were counted: `damage` that hides records, `gaps` that were not read, or both; absent where everything was read",
            ),
        ],
    );
    spec::scoped(&SCOPE, record)
}

/// The files that were not read completely, by their paths.
#[derive(Default)]
pub(crate) struct Unread {
    /// Files with damage that may hide records.
    pub(crate) damaged: BTreeSet<String>,
    /// Files with a part that was not examined.
    pub(crate) gaps: BTreeSet<String>,
}

impl Unread {
    pub(crate) fn is_empty(&self) -> bool {
        self.damaged.is_empty() && self.gaps.is_empty()
    }

    /// Returns why a file, or a folder with its files, was not read completely; `None` if it was.
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

/// The counts so far.
pub(crate) struct Counts {
    by: Vec<String>,
    sum: Option<String>,
    dating: Dating,
    /// Whether only records in a time span are counted.
    bounded: bool,
    /// The arguments that choose records by something no count shows.
    narrowed: Vec<&'static str>,
    tallies: HashMap<Key, Tally>,
    refused: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    evidence: String,
    path: String,
    stream: Option<String>,
    kind: String,
    /// `None` if the record has no such field.
    values: Vec<Option<String>>,
}

impl Key {
    /// Returns the same key for the folder that contains the file.
    fn folder(&self) -> Option<Key> {
        let (folder, _) = self.path.rsplit_once('/')?;
        Some(Key { path: folder.to_owned(), ..self.clone() })
    }
}

#[derive(Default, Clone)]
struct Tally {
    count: u64,
    /// The deepest key below which all counted records are; `None` if one is below none.
    key: Option<String>,
    first: Option<Time>,
    last: Option<Time>,
    undated: u64,
    total: i128,
}

impl Counts {
    /// Reads the arguments `count_by` and `sum`; `None` if nothing is to be counted.
    pub(crate) fn read(arguments: &Arguments, records: &[RecordType]) -> Result<Option<Counts>, CallError> {
        let sum = arguments.optional_text("sum").map(str::trim).map(str::to_owned);
        let Some(by) = arguments.optional_text("count_by") else {
            return match sum {
                Some(_) => Err(CallError::MissingArgument { argument: "count_by".to_owned() }),
                None => Ok(None),
            };
        };
        let records = &given_types(records);
        let mut fields: Vec<String> = Vec::new();
        for name in by.split(',').map(|name| name.trim().to_owned()) {
            if !name.is_empty() && name != "record" && !fields.contains(&name) {
                fields.push(name);
            }
        }
        for field in &fields {
            if records.iter().all(|record| !record.fields.contains_key(field)) {
                return Err(no_field("count_by", field, nearest(field, records)));
            }
        }
        if let Some(found) = sum.clone().filter(|field| !records.iter().any(|record| adds_up(record, field)))
        {
            let nearest = nearest_of(&found, records, &[Integer, FieldType::Size]);
            return Err(no_field("sum", &found, nearest));
        }
        let bounded = ["from", "to"].iter().any(|name| arguments.optional_text(name).is_some());
        let is_given = |argument: &&str| arguments.optional_text(argument).is_some();
        let narrowed = INEXPRESSIBLE.into_iter().filter(is_given).collect();
        Ok(Some(Counts { sum, narrowed, ..Counts::by(fields, Dating::of(records), bounded) }))
    }

    /// Also counts by the values of these fields, so that what narrows the search is stated.
    /// Otherwise the count would be taken for one of all records.
    pub(super) fn narrowed_by(mut self, fields: &[&str]) -> Counts {
        for field in fields {
            if !self.by.iter().any(|name| name == field) {
                self.by.push((*field).to_owned());
            }
        }
        self
    }

    /// Makes counts by the values of these fields.
    pub(crate) fn by(by: Vec<String>, dating: Dating, bounded: bool) -> Counts {
        let (narrowed, tallies) = (Vec::new(), HashMap::new());
        Counts { by, sum: None, dating, bounded, narrowed, tallies, refused: None }
    }

    /// Returns what dates the records.
    pub(crate) fn dating(&self) -> &Dating {
        &self.dating
    }

    /// Counts a record; stops if there are too many combinations to be useful.
    pub(crate) fn add(&mut self, record: &Record) -> Flow {
        let text = |field: &String| record.fields.get(field).map(|field| field.value.to_text().into_owned());
        let values = self.by.iter().map(text).collect();
        let Locator { evidence, path, stream, .. } = record.locator.clone();
        // What is in the transaction log of a hive counts as the hive's.
        let path = match record.fields.get(HIVE).map(|field| &field.value) {
            Some(FieldValue::Path(hive)) => hive.clone(),
            _ => path,
        };
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
        match self.sum.as_ref().and_then(|sum| record.fields.get(sum)).map(|field| &field.value) {
            Some(FieldValue::Integer(number)) => tally.total = tally.total.saturating_add(*number),
            Some(FieldValue::Size(number)) => tally.total = tally.total.saturating_add(i128::from(*number)),
            Some(_) | None => {}
        }
        if i64::try_from(tally.total).is_err() && u64::try_from(tally.total).is_err() {
            self.refused = Some("a sum is too large to be told: leave out sum, or count fewer records");
            return ControlFlow::Break(());
        }
        match self.dating.time(record) {
            Some(time) => tally.date(time),
            None if self.dating.has(&record.kind) => tally.undated += 1,
            None => {}
        }
        ControlFlow::Continue(())
    }

    /// Cancels the counting: a record in the span that was asked for has no time that dates it.
    pub(crate) fn refuse(&mut self) -> Flow {
        self.refused =
            Some("records that have several times, or none, are not counted by time: leave out from and to");
        ControlFlow::Break(())
    }

    /// Returns why nothing was counted.
    pub(crate) fn refused(&self) -> Option<&'static str> {
        self.refused
    }

    /// Returns the fields that a count uses.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let own = self.by.iter().chain(&self.sum).map(String::as_str);
        own.chain(self.dating.fields()).chain([KEY_PATH, HIVE]).collect()
    }

    /// Returns the counts, the largest first; none if there were too many to count.
    pub(crate) fn records(self, unread: &Unread) -> impl Iterator<Item = Record> {
        let Counts { by, sum, bounded, narrowed, tallies, refused, .. } = self;
        let folders = of_folders(&tallies);
        // A file that is included in a folder's count is not reported separately.
        let of_folder = |key: &Key| key.folder().is_some_and(|folder| folders.contains_key(&folder));
        let files: Vec<_> = tallies.into_iter().filter(|(key, _)| !of_folder(key)).collect();
        let mut tallies: Vec<_> = files.into_iter().chain(folders).filter(|_| refused.is_none()).collect();
        tallies.sort_by(|(a, x), (b, y)| (Reverse(x.count), a).cmp(&(Reverse(y.count), b)));
        tallies.into_iter().map(move |(key, tally)| {
            let incomplete = unread.of(&key.path);
            let told = Told { by: &by, sum: sum.as_deref(), bounded, narrowed: &narrowed };
            record(&told, incomplete, key, tally)
        })
    }
}

/// Returns the key in which a record of a hive is.
fn registry_key(record: &Record) -> Option<&str> {
    match record.fields.get(KEY_PATH).map(|field| &field.value) {
        Some(FieldValue::RegistryPath(path)) => Some(path),
        _ => None,
    }
}

/// Returns the deepest key that contains both.
fn shared_key(one: &str, other: &str) -> String {
    let same = one.split('\\').zip(other.split('\\')).take_while(|(a, b)| a == b).map(|(a, _)| a);
    same.collect::<Vec<_>>().join("\\")
}

/// Returns the counts of folders in which each of several files has one record of a type: a folder of prefetch files is counted as a whole.
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
    /// Adds another tally.
    fn add(&mut self, other: &Tally) {
        self.count += other.count;
        self.undated += other.undated;
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

/// Checks whether a field of records of this type has numbers that can be added up.
fn adds_up(record: &RecordType, field: &str) -> bool {
    let is_number = |kind: &FieldType| matches!(kind, Integer | FieldType::Size);
    record.fields.get(field).is_some_and(|field| field.types.iter().any(is_number))
}

/// Returns the types of what is counted, without those of counts.
fn given_types(records: &[RecordType]) -> Vec<RecordType> {
    records.iter().filter(|record| !is_count(&record.name)).cloned().collect()
}

/// Checks whether a record type is one of counts.
pub(super) fn is_count(kind: &str) -> bool {
    [KIND, NARROWED].contains(&kind)
}

fn no_field(argument: &'static str, field: &str, nearest: Vec<String>) -> CallError {
    CallError::NoField { argument, field: field.to_owned(), nearest }
}

/// What all counts of a call state.
struct Told<'c> {
    by: &'c [String],
    sum: Option<&'c str>,
    bounded: bool,
    narrowed: &'c [&'static str],
}

fn record(told: &Told<'_>, incomplete: Option<&str>, key: Key, tally: Tally) -> Record {
    let Told { by, sum, bounded, narrowed } = told;
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
    let (with, without): (Vec<_>, Vec<_>) = by.iter().zip(key.values).partition(|(_, value)| value.is_some());
    if let Some((_, Some(value))) = with.first() {
        set("value", FieldValue::Text(value.clone()));
        set("by", FieldValue::List(with.iter().map(|(field, _)| (*field).clone()).collect()));
        set("values", FieldValue::List(with.into_iter().filter_map(|(_, value)| value).collect()));
    }
    if !without.is_empty() {
        set("without", FieldValue::List(without.into_iter().map(|(field, _)| field.clone()).collect()));
    }
    if *bounded {
        set("bounded", FieldValue::Flag(true));
    }
    if !narrowed.is_empty() {
        set(NARROWED_BY, FieldValue::List(narrowed.iter().map(|name| (*name).to_owned()).collect()));
    }
    if let Some(why) = incomplete {
        set("incomplete", FieldValue::Name(why.to_owned()));
    }
    if tally.undated > 0 {
        set("undated", FieldValue::Integer(tally.undated.into()));
    }
    for (name, time) in [("first", tally.first), ("last", tally.last)] {
        if let Some(time) = time {
            set(name, FieldValue::Time(time));
        }
    }
    if let Some(sum) = sum {
        set("sum_of", FieldValue::Name((*sum).to_owned()));
        set("total", FieldValue::Integer(tally.total));
    }
    Record {
        placement: None,
        defects: Vec::new(),
        fields,
        id: RecordId(0),
        kind: if narrowed.is_empty() { KIND } else { NARROWED }.to_owned(),
        locator: Locator { evidence: key.evidence, path: key.path, stream: key.stream, span: None },
    }
}
