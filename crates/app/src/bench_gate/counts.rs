//! Counts: without their conditions, with the conditions of another count, and added although they share records.
//!
//! The counts are computed from the records of the run's outputs, so it is known which records each one covers.
//! A sum of two counts that share a record counts nothing real, and a count with a condition is not the count of the whole.

use super::cite::somewhere;
use super::draw::Draw;
use super::material::TaskMaterial;
use super::posed::Posed;
use super::seed::{Base, Maker, Seeded};
use super::told::LeftOut;
use super::world::{Beside, World};
use ground::{Held, Search, Shelf};
use ledger::{
    ClaimedValue, Clock, Completeness, Derivation, Digest, FactEntry, Field, FieldType, FieldValue,
    InvocationId, Locator, Outcome, Output, Placement, Reading, Record, RecordId, RecordType, Term, Time,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The record type of counts, and the predicate that they prove.
const KIND: &str = "record_count";
const COUNTED: &str = "counted";

/// The number of the first made-up call of a task; no task of a run makes that many.
const FIRST_CALL: u32 = 8_000;

/// The most groups of records of a task, fields of a group, and values of a field that are counted.
const MOST_GROUPS: usize = 60;
const MOST_FIELDS: usize = 6;
const MOST_VALUES: usize = 40;

/// The field types by whose values records are counted.
const COUNTABLE: [FieldType; 7] = [
    FieldType::Name,
    FieldType::Text,
    FieldType::Path,
    FieldType::Sid,
    FieldType::Integer,
    FieldType::Size,
    FieldType::Flag,
];

/// The counts, with indexes to find them.
#[derive(Default)]
pub(super) struct Counts {
    tallies: Vec<Tally>,
    /// Indexes of the narrowed counts, and the counts of each group.
    narrowed: Vec<usize>,
    groups: Vec<Vec<usize>>,
    /// The index of the count of each record.
    places: BTreeMap<(usize, InvocationId, RecordId), usize>,
}

/// A count with the records that it covers.
struct Tally {
    task: usize,
    /// The position of its record in the task's scan.
    place: u32,
    group: usize,
    invocation: InvocationId,
    record: RecordId,
    members: BTreeSet<u32>,
    /// The number of records in the group.
    whole: usize,
    /// Its conditions: the fields of its record that say what was counted.
    bounds: Vec<(String, FieldValue)>,
}

/// The records of one type in one file, within one output.
struct Group<'o> {
    kind: &'o str,
    file: &'o Locator,
    placement: Option<Placement>,
    records: Vec<&'o Record>,
}

/// A count without a position.
struct Made {
    record: Record,
    members: BTreeSet<u32>,
    bounds: Vec<(String, FieldValue)>,
}

/// Returns a world whose outputs count the records of the run's outputs, with the counts; both are empty if the run's tools cannot count.
pub(super) fn world(
    tasks: &[TaskMaterial],
    setting: &engine::Setting,
    types: &BTreeMap<String, RecordType>,
) -> (World, Counts) {
    let mut counts = Counts::default();
    let mut counted = Vec::new();
    for (place, task) in tasks.iter().enumerate() {
        let mut shelf = Shelf::default();
        let (mut number, mut of_task) = (FIRST_CALL, 0);
        let groups = if types.contains_key(KIND) { groups(task) } else { Vec::new() };
        for group in groups {
            let of_group = counts.groups.len();
            counts.groups.push(Vec::new());
            for made in calls(&group) {
                let Ok(invocation) = InvocationId::assign(&setting.ids, task.task, number) else { continue };
                number += 1;
                let records = made
                    .iter()
                    .zip(0..)
                    .map(|(made, number)| Record { id: RecordId(number), ..made.record.clone() });
                let Ok(output) = Output::new(records.collect()) else { continue };
                for (made, number) in made.into_iter().zip(0..) {
                    counts.add(Tally {
                        task: tasks.len() * (1 + Beside::OF_RECORDS.len()) + place,
                        place: of_task,
                        group: of_group,
                        invocation,
                        record: RecordId(number),
                        members: made.members,
                        whole: group.records.len(),
                        bounds: made.bounds,
                    });
                    of_task += 1;
                }
                shelf.push(held(invocation, output));
            }
        }
        counted.push(TaskMaterial::of_shelf(task.task, shelf));
    }
    (World { beside: Beside::Counted, tasks: counted }, counts)
}

impl Counts {
    fn add(&mut self, tally: Tally) {
        let place = self.tallies.len();
        if tally.members.len() < tally.whole {
            self.narrowed.push(place);
        }
        if let Some(group) = self.groups.get_mut(tally.group) {
            group.push(place);
        }
        self.places.insert((tally.task, tally.invocation, tally.record), place);
        self.tallies.push(tally);
    }

    /// Returns the conditions of the count that a fact of a task is about; `None` if it is about none of these counts.
    pub(super) fn bounds(&self, task: usize, fact: &FactEntry) -> Option<&[(String, FieldValue)]> {
        let place = self.places.get(&(task, fact.invocation, fact.record))?;
        self.tallies.get(*place).map(|tally| tally.bounds.as_slice())
    }

    /// Draws a narrowed count.
    fn narrow(&self, draw: &mut Draw) -> Option<&Tally> {
        self.tallies.get(*draw.pick(&self.narrowed)?)
    }

    /// Draws two counts of one group.
    fn pair(&self, draw: &mut Draw) -> Option<[&Tally; 2]> {
        let group = draw.pick(&self.groups)?;
        let [one, other] = [*draw.pick(group)?, *draw.pick(group)?];
        (one != other).then_some([self.tallies.get(one)?, self.tallies.get(other)?])
    }
}

fn held(invocation: InvocationId, output: Output) -> Held {
    let search = Search {
        tool: "records".into(),
        arguments: None,
        completeness: Completeness::Complete,
        whole: true,
        logs: None,
        near: Vec::new(),
    };
    let (outcome, shown) = (Outcome::Ok, Vec::new());
    Held { invocation, summary: String::new(), search, outcome, output: Some(Arc::new(output)), shown }
}

/// Returns the largest groups of a task's records.
fn groups(task: &TaskMaterial) -> Vec<Group<'_>> {
    let (mut known, mut all) = (BTreeSet::<Digest>::new(), Vec::new());
    for held in task.shelf.held().iter().filter(|held| held.outcome.grounds()) {
        let Some(output) = held.output.as_deref().filter(|output| known.insert(output.digest())) else {
            continue;
        };
        let mut found: BTreeMap<(&str, &str, &str), Group<'_>> = BTreeMap::new();
        for record in output.records().iter().filter(|record| record.kind != KIND) {
            let (file, placement) = (&record.locator, record.placement);
            let key = (record.kind.as_str(), file.evidence.as_str(), file.path.as_str());
            let empty = || Group { kind: &record.kind, file, placement, records: Vec::new() };
            found.entry(key).or_insert_with(empty).records.push(record);
        }
        all.extend(found.into_values().filter(|group| group.records.len() > 2));
    }
    all.sort_by_key(|group| std::cmp::Reverse(group.records.len()));
    all.truncate(MOST_GROUPS);
    all
}

/// Returns calls that count a group: as a whole, by each of some fields, by one value of such a field, and up to an instant.
fn calls(group: &Group<'_>) -> Vec<Vec<Made>> {
    let all: BTreeSet<u32> = (0..).zip(&group.records).map(|(place, _)| place).collect();
    let mut calls = vec![vec![group.made(all, Vec::new())]];
    for (field, values) in group.by_field() {
        let made = |(value, members): (&String, &BTreeSet<u32>)| {
            let list = |text: &str| FieldValue::List(vec![text.to_owned()]);
            let bounds = vec![("by".to_owned(), list(&field)), ("values".to_owned(), list(value))];
            group.made(members.clone(), bounds)
        };
        calls.extend(values.iter().take(3).map(|value| vec![made(value)]));
        calls.push(values.iter().map(made).collect());
    }
    calls.extend(group.up_to_an_instant().map(|made| vec![made]));
    calls
}

impl Group<'_> {
    /// Groups the records by the values of fields that have several distinct values, but not too many.
    fn by_field(&self) -> Vec<(String, BTreeMap<String, BTreeSet<u32>>)> {
        let mut found: BTreeMap<&str, BTreeMap<String, BTreeSet<u32>>> = BTreeMap::new();
        for (place, record) in (0..).zip(&self.records) {
            for (name, field) in &record.fields {
                if COUNTABLE.contains(&field.value.field_type()) {
                    let value = field.value.to_text().into_owned();
                    found.entry(name).or_default().entry(value).or_default().insert(place);
                }
            }
        }
        let tells = |values: &BTreeMap<String, BTreeSet<u32>>| (2..=MOST_VALUES).contains(&values.len());
        let fields = found.into_iter().filter(|(_, values)| tells(values));
        fields.take(MOST_FIELDS).map(|(field, values)| (field.to_owned(), values)).collect()
    }

    /// Counts the earlier half of the records, by the first field in which all records have an instant of the host's clock.
    fn up_to_an_instant(&self) -> Option<Made> {
        let instants = |field: &str| {
            let of = |record: &&Record| match &record.fields.get(field)?.value {
                FieldValue::Time(time) if time.clock == Clock::Host && time.zone.is_none() => {
                    Some((time.utc?, time.clone()))
                }
                _ => None,
            };
            self.records.iter().map(of).collect::<Option<Vec<(_, Time)>>>()
        };
        let all = self.records.first()?.fields.keys().find_map(|field| instants(field))?;
        let mut sorted = all.clone();
        sorted.sort_by_key(|(utc, _)| *utc);
        let (first, last) = (sorted.first()?, sorted.get(sorted.len() / 2)?);
        let members = (0..).zip(&all).filter(|(_, (utc, _))| *utc <= last.0).map(|(place, _)| place);
        let bounds = vec![
            ("bounded".to_owned(), FieldValue::Flag(true)),
            ("first".to_owned(), FieldValue::Time(first.1.clone())),
            ("last".to_owned(), FieldValue::Time(last.1.clone())),
        ];
        Some(self.made(members.collect(), bounds))
    }

    /// Makes a count in the form of the tools.
    fn made(&self, members: BTreeSet<u32>, bounds: Vec<(String, FieldValue)>) -> Made {
        let path = FieldValue::Path(self.file.path.clone());
        let first = bounds.iter().find_map(|(name, value)| match value {
            FieldValue::List(items) if name == "values" => items.first().cloned(),
            _ => None,
        });
        let own = [
            ("source".to_owned(), path.clone()),
            ("file".to_owned(), path),
            ("counted".to_owned(), FieldValue::Name(self.kind.to_owned())),
            ("count".to_owned(), FieldValue::Integer(members.len() as i128)),
        ];
        let value = first.map(|first| ("value".to_owned(), FieldValue::Text(first)));
        let fields = own.into_iter().chain(value).chain(bounds.iter().cloned());
        let record = Record {
            placement: self.placement,
            id: RecordId(0),
            kind: KIND.into(),
            locator: Locator { span: None, ..self.file.clone() },
            fields: fields.map(|(name, value)| (name, Field { at: None, value })).collect(),
            defects: Vec::new(),
        };
        Made { record, members, bounds }
    }
}

/// Returns a reading of a count: the number, perhaps the counted type, and none of the conditions.
fn reading<'m>(maker: &mut Maker<'m>, tally: &Tally) -> Option<Base<'m>> {
    let (place, seen) = (tally.place, maker.scans.get(tally.task)?.get(tally.place)?);
    let mut names = vec!["count"];
    names.extend(maker.draw.once_in(1, 2).then_some("counted"));
    let stated = |name: &str| {
        let value = seen.record.fields.get(name)?.value.to_text().into_owned();
        Some(ClaimedValue { field: Some(name.to_owned()), value })
    };
    let reading = Reading {
        fields: Vec::new(),
        predicate: COUNTED.into(),
        subject: seen.record.locator.path.clone(),
        values: names.into_iter().map(stated).collect::<Option<_>>()?,
        invocation: tally.invocation.to_string(),
        record: maker.draw.once_in(1, 2).then(|| tally.record.to_string()),
    };
    Some(Base { task: tally.task, place, seen, reading, main: 0 })
}

/// Makes a claim of a narrowed count without its conditions.
pub(super) fn narrowed(maker: &mut Maker<'_>) -> Option<Seeded> {
    let tally = maker.material.counts.narrow(&mut maker.draw)?;
    let base = reading(maker, tally)?;
    Some(somewhere(maker, base).leaving_out(LeftOut::Bounds(tally.bounds.clone())))
}

/// Makes a claim of one count with the conditions of another.
pub(super) fn of_other(maker: &mut Maker<'_>) -> Option<Seeded> {
    let [tally, other] = maker.material.counts.pair(&mut maker.draw)?;
    if tally.members.len() == other.members.len() {
        return None;
    }
    let mut base = reading(maker, tally)?;
    for (field, value) in &other.bounds {
        let value = maker.claimable(value)?;
        base.reading.values.push(ClaimedValue { field: Some(field.clone()), value });
    }
    // The count of the whole group has no conditions to claim.
    if other.bounds.is_empty() {
        return None;
    }
    if maker.draw.once_in(1, 2) {
        base.reading.invocation = other.invocation.to_string();
        base.reading.record = base.reading.record.map(|_| other.record.to_string());
    }
    Some(somewhere(maker, base))
}

/// Makes a claim of a sum of counts that share records.
pub(super) fn sum_of_shared(maker: &mut Maker<'_>) -> Option<Seeded> {
    sum(maker, |one, other| one.members.intersection(&other.members).next().is_some())
}

/// Makes a claim of a sum of counts by the same field with different values, which share no records.
pub(super) fn sum_of_apart(maker: &mut Maker<'_>) -> Option<Seeded> {
    let by = |tally: &Tally| tally.bounds.first().filter(|(name, _)| name == "by").cloned();
    sum(maker, |one, other| {
        by(one).is_some() && by(one) == by(other) && one.members.is_disjoint(&other.members)
    })
}

fn sum(maker: &mut Maker<'_>, is_meant: impl Fn(&Tally, &Tally) -> bool) -> Option<Seeded> {
    let [one, other] = maker.material.counts.pair(&mut maker.draw)?;
    if !is_meant(one, other) {
        return None;
    }
    let facts: Vec<FactEntry> = (0..)
        .zip([one, other])
        .map(|(number, tally)| {
            let mut base = reading(maker, tally)?;
            base.reading.record = Some(tally.record.to_string());
            maker.fact(tally.task, number, &base.reading)
        })
        .collect::<Option<_>>()?;
    let total = i64::try_from(one.members.len() + other.members.len()).ok()?;
    let terms = facts.iter().map(|fact| Term { fact: fact.id, field: "count".into() }).collect();
    let derivation = Derivation::Sum { terms, total };
    Some(Seeded::of(one.task, Posed::Derivation { derivation, facts, clocks: Vec::new() }))
}
