//! Rules that teams supply, matched against the rows of case tables.
//!
//! They are read here, in a worker, because a file of rules is not trusted.
//! A matching rule shows what its author thought of such a record. It proves nothing, and no record states it.

use crate::events;
use crate::tables::{Kept, Stored, Table, TableError, TableFiles, TableGroup, tables};
use detect::Level;
use indicators::{Hit as IndicatorHit, Indicator, IndicatorFile, Matcher, Read, Skipped, Unreadable};
use ledger::{Dates, FieldValue, Gap, Record, Time, dates, is_of_container};
use serde::{Deserialize, Serialize};
use sigma::{Check, Hit, Names, Noted, RuleFile, RuleSet};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The most records that are returned.
const MOST: usize = 10_000;

/// The most events that are given to rules over several events.
const MOST_NOTED: usize = 2_000_000;

/// The most gaps that are reported.
const MOST_GAPS: usize = 10_000;

/// Nanoseconds in a second.
const SECOND: i128 = 1_000_000_000;

/// Rules that others wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Borrowed {
    /// Files of rules in Sigma.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sigma: Vec<RuleFile>,
    /// Files of indicators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indicators: Vec<IndicatorFile>,
}

/// Rules, and the tables to match them against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedRules {
    /// The table files to match against, by group and evidence.
    pub files: TableFiles,
    /// The rules.
    pub rules: Borrowed,
    /// The lowest level of the rules whose records are returned; records of all levels are counted.
    pub least: Level,
    /// The most records returned for one rule; `None`: all.
    #[serde(default)]
    pub each: Option<u64>,
}

/// What was read from rules, before any matching.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckedRules {
    /// The result of reading the Sigma rules.
    pub sigma: Check,
    /// The types of records that the rules apply to.
    pub records: BTreeSet<String>,
}

/// The result of matching rules against records.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matched {
    /// The result of reading the Sigma rules.
    pub sigma: Check,
    /// How many records match each Sigma rule; for a rule over several events, how often it matched.
    pub counts: Vec<u64>,
    /// The indicators that occur in records, in the order of their numbers.
    pub indicators: Vec<NamedIndicator>,
    /// How many indicators there are.
    pub indicators_read: u64,
    /// Files of indicators that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// What was skipped in files of indicators.
    pub skipped: Vec<Skipped>,
    /// How many records were examined.
    pub looked_at: u64,
    /// The records that match a rule of the asked level or above, the highest level first.
    pub found: Vec<Found>,
    /// Whether there are more such records.
    pub more: bool,
    /// What was not examined.
    pub gaps: Vec<Gap>,
    /// Further notes.
    pub notes: Vec<String>,
}

/// An indicator that occurs in records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedIndicator {
    /// Its number.
    pub number: usize,
    /// The indicator.
    pub indicator: Indicator,
    /// How many records contain it.
    pub records: u64,
}

/// A record that matches rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// The record.
    pub record: Record,
    /// The number of its row in its table.
    #[serde(default)]
    pub row: i64,
    /// The Sigma rules that it matches, in the order of their numbers.
    pub sigma: Vec<Hit>,
    /// The indicators that it contains.
    #[serde(default)]
    pub indicators: Vec<IndicatorHit>,
}

fn names() -> Names {
    Names { of_record: events::of_record, of_channel: events::of_channel }
}

/// Builds the set of Sigma rules, over the records of this crate.
pub fn rule_set(files: &[RuleFile]) -> RuleSet {
    RuleSet::of(files, names())
}

/// Reads the rules and returns which records they apply to.
pub(crate) fn check(rules: &Borrowed) -> CheckedRules {
    let set = rule_set(&rules.sigma);
    let records = wanted(&set, !rules.indicators.is_empty());
    CheckedRules { records, sigma: set.check().clone() }
}

/// Returns the types of records that the rules apply to; all types if `any` is set, because indicators are looked for in every record.
fn wanted(set: &RuleSet, any: bool) -> BTreeSet<String> {
    match any {
        true => tables().iter().map(|table| table.name.clone()).collect(),
        false => records(set),
    }
}

fn records(set: &RuleSet) -> BTreeSet<String> {
    let events = || events::record_types().into_iter().map(|record| record.name);
    let of = |kind: Option<String>| match kind {
        Some(kind) => vec![kind],
        None => events().collect(),
    };
    set.records().into_iter().flat_map(of).collect()
}

/// The row of a record that matches rules.
#[derive(Debug, Clone, Copy)]
struct Place {
    level: Level,
    /// The number of its file.
    file: usize,
    /// The number of its table in that file.
    table: usize,
    row: i64,
}

/// Matches the rows of tables against rules.
///
/// # Errors
///
/// If a file was not written by the pass, or is damaged.
pub(crate) fn matched(asked: &AskedRules) -> Result<Matched, TableError> {
    let set = rule_set(&asked.rules.sigma);
    let read = indicators::read(&asked.rules.indicators);
    let sought = Sought { matcher: Matcher::of(&read.indicators), read };
    let stored = Stored::new(&asked.files);
    let files = opened(&stored, &asked.files)?;
    let mut pass = Pass::of(&set, &sought, asked);
    for (number, kept) in files.iter().enumerate() {
        pass.file(number, kept)?;
    }
    pass.end(&files)
}

fn opened(stored: &Stored<'_>, files: &TableFiles) -> Result<Vec<Rc<Kept>>, TableError> {
    let mut all = Vec::new();
    for (group, labels) in files {
        let Some(group) = TableGroup::named(group) else { continue };
        for label in labels.keys() {
            all.extend(stored.kept(label, group)?);
        }
    }
    Ok(all)
}

/// The indicators to look for.
struct Sought {
    matcher: Matcher,
    read: Read,
}

/// The level of a record that contains an indicator.
const INDICATED: Level = Level::High;

impl Sought {
    fn hits(&self, record: &Record) -> Vec<IndicatorHit> {
        if self.read.indicators.is_empty() {
            return Vec::new();
        }
        let text = |field: &str| record.fields.get(field).and_then(|held| held.value.as_text());
        let path = text("value_path").or_else(|| text("key_path"));
        // A registry key is compared in the form in which people write keys.
        let key = text("hive").zip(path).map(|(hive, path)| ("key", sigma::hive_key(hive, path)));
        self.matcher.hits(record, key.as_slice())
    }
}

/// The state of the pass over the tables.
struct Pass<'s> {
    set: &'s RuleSet,
    sought: &'s Sought,
    indicators: BTreeMap<usize, u64>,
    least: Level,
    each: Option<u64>,
    records: BTreeSet<String>,
    counts: Vec<u64>,
    looked_at: u64,
    places: Vec<Place>,
    noted: Vec<Noted>,
    /// The rows of the noted records, by their numbers in `noted`.
    noted_at: Vec<Place>,
    is_cut: bool,
    gaps: Vec<Gap>,
}

impl<'s> Pass<'s> {
    fn of(set: &'s RuleSet, sought: &'s Sought, asked: &AskedRules) -> Pass<'s> {
        Pass {
            set,
            sought,
            indicators: BTreeMap::new(),
            least: asked.least,
            each: asked.each,
            records: wanted(set, !sought.read.indicators.is_empty()),
            counts: vec![0; set.check().rules.len()],
            looked_at: 0,
            places: Vec::new(),
            noted: Vec::new(),
            noted_at: Vec::new(),
            is_cut: false,
            gaps: Vec::new(),
        }
    }

    fn file(&mut self, file: usize, kept: &Kept) -> Result<(), TableError> {
        let room = MOST_GAPS.saturating_sub(self.gaps.len());
        self.gaps.extend(kept.gaps()?.into_iter().take(room));
        for (number, table) in kept.tables().iter().enumerate() {
            if self.records.contains(&table.name) {
                kept.each(table, &mut |row, record| {
                    self.record(&record, Place { level: Level::Ordinary, file, table: number, row });
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    fn level(&self, rule: usize) -> Level {
        self.set.check().rules.get(rule).map_or(Level::Ordinary, |rule| rule.level)
    }

    fn count(&mut self, rule: usize) {
        if let Some(count) = self.counts.get_mut(rule) {
            *count += 1;
        }
    }

    fn record(&mut self, record: &Record, at: Place) {
        self.looked_at += 1;
        let hits = self.set.hits(record);
        let mut highest = Level::Ordinary;
        for hit in &hits {
            self.count(hit.rule);
            highest = highest.max(hit.level);
            if self.set.is_correlated(hit.rule) {
                self.note(record, hit.rule, at);
            }
        }
        let named = self.sought.hits(record);
        for hit in &named {
            *self.indicators.entry(hit.indicator).or_default() += 1;
            highest = highest.max(INDICATED);
        }
        // Enough records are known of every rule and indicator that this one matches, and it does not rank above them.
        let is_full = |count: Option<&u64>| self.each.zip(count).is_some_and(|(each, count)| *count > each);
        let is_enough = hits.iter().all(|hit| is_full(self.counts.get(hit.rule)))
            && named.iter().all(|hit| is_full(self.indicators.get(&hit.indicator)));
        if !is_enough && highest >= self.least {
            self.places.push(Place { level: highest, ..at });
        }
    }

    fn note(&mut self, record: &Record, rule: usize, at: Place) {
        let Some(seconds) = second(record) else { return };
        if self.noted.len() == MOST_NOTED {
            self.is_cut = true;
            return;
        }
        self.noted.push(self.set.noted(record, rule, seconds, self.noted_at.len()));
        self.noted_at.push(at);
    }

    fn end(mut self, files: &[Rc<Kept>]) -> Result<Matched, TableError> {
        let mut together: HashMap<(usize, usize, i64), Vec<Hit>> = HashMap::new();
        for found in self.set.correlated(std::mem::take(&mut self.noted)) {
            self.count(found.rule);
            let Some(last) = found.ordinals.last().and_then(|ordinal| self.noted_at.get(*ordinal)).copied()
            else {
                continue;
            };
            let mut fields = found.group;
            fields.push((found.counted, format!("within {} s", found.seconds)));
            let level = self.level(found.rule);
            let hit = Hit { rule: found.rule, level, fields, state: false, lacks: Vec::new() };
            if level >= self.least {
                self.places.push(Place { level, ..last });
            }
            together.entry((last.file, last.table, last.row)).or_default().push(hit);
        }
        let (places, more) = foremost(std::mem::take(&mut self.places));
        let mut found = Vec::new();
        for place in places {
            let Some(kept) = files.get(place.file) else { continue };
            let record = kept.record_of(place.table, place.row)?;
            let mut sigma = self.set.hits(&record);
            sigma.extend(together.remove(&(place.file, place.table, place.row)).unwrap_or_default());
            sigma.retain(|hit| hit.level >= self.least);
            let indicators = if INDICATED >= self.least { self.sought.hits(&record) } else { Vec::new() };
            found.push(Found { record, row: place.row, sigma, indicators });
        }
        let notes = self
            .is_cut
            .then(|| format!("rules over several events were given the first {MOST_NOTED} events alone"));
        let read = &self.sought.read;
        let named = |(number, records): (usize, u64)| {
            let indicator = read.indicators.get(number)?.clone();
            Some(NamedIndicator { number, indicator, records })
        };
        Ok(Matched {
            sigma: self.set.check().clone(),
            counts: self.counts,
            indicators: self.indicators.into_iter().filter_map(named).collect(),
            indicators_read: read.indicators.len() as u64,
            unreadable: read.unreadable.clone(),
            skipped: read.skipped.clone(),
            looked_at: self.looked_at,
            found,
            more,
            gaps: self.gaps,
            notes: notes.into_iter().collect(),
        })
    }
}

/// Returns the places of the highest level, each once, and whether there are more.
fn foremost(places: Vec<Place>) -> (Vec<Place>, bool) {
    let mut highest: BTreeMap<(usize, usize, i64), Level> = BTreeMap::new();
    for place in places {
        let level = highest.entry((place.file, place.table, place.row)).or_insert(place.level);
        *level = (*level).max(place.level);
    }
    let mut all: Vec<Place> =
        highest.into_iter().map(|((file, table, row), level)| Place { level, file, table, row }).collect();
    all.sort_by_key(|place| (Reverse(place.level), place.file, place.table, place.row));
    let more = all.len() > MOST;
    all.truncate(MOST);
    (all, more)
}

/// Returns the second since 1970 at which, according to the record, something happened.
fn second(record: &Record) -> Option<i64> {
    let times = record.fields.iter().filter_map(|(field, held)| match &held.value {
        FieldValue::Time(time) => {
            Some((dates("recorded", &record.kind, field), is_of_container(field), time))
        }
        _ => None,
    });
    let times = times.filter(|(dates, ..)| *dates != Dates::Nothing);
    let best: Option<&Time> = times.min_by_key(|(dates, held, _)| (*dates, *held)).map(|(.., time)| time);
    let nanoseconds = best?.utc?.unix_nanoseconds();
    i64::try_from(nanoseconds.div_euclid(SECOND)).ok()
}

/// Returns the groups of the tables that contain these types of records.
pub fn groups_of_records(records: &BTreeSet<String>) -> BTreeSet<TableGroup> {
    let own = tables().iter().filter(|table: &&Table| records.contains(&table.name));
    own.filter_map(|table| TableGroup::of_table(&table.name)).collect()
}
