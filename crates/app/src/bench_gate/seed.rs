//! True readings of a run's records, from which every seeded claim is made.

use super::draw::Draw;
use super::material::{Material, TaskMaterial};
use super::posed::Posed;
use super::scan::{Scan, Seen};
use super::told::LeftOut;
use super::world::Beside;
use ground::Verdict;
use ledger::vocabulary::Meaning;
use ledger::{
    ClaimedValue, Clock, FactEntry, FactId, FieldType, FieldValue, Predicate, Reading, Record, Vocabulary,
};
use std::collections::{BTreeMap, BTreeSet};

/// The longest text that is claimed, in bytes.
const LONGEST: usize = 1024;

/// The fewest characters of a distinctive text.
const TELLING: usize = 6;

/// A seeded claim.
#[derive(Debug, Clone)]
pub(super) struct Seeded {
    /// The index of the task whose shelf it is judged against.
    pub(super) task: usize,
    pub(super) posed: Posed,
    /// For a true reading: the index in the task's scan of the record that it was read from.
    pub(super) read_from: Option<u32>,
    /// For an omission: what it leaves out.
    pub(super) left_out: Option<LeftOut>,
}

impl Seeded {
    /// Makes a claim of a task that was read from no record.
    pub(super) fn of(task: usize, posed: Posed) -> Seeded {
        Seeded { task, posed, read_from: None, left_out: None }
    }

    /// Makes the claim an omission of `left_out`.
    pub(super) fn leaving_out(self, left_out: LeftOut) -> Seeded {
        Seeded { left_out: Some(left_out), ..self }
    }
}

/// A true reading, and the value that a kind changes.
#[derive(Debug, Clone)]
pub(super) struct Base<'m> {
    pub(super) task: usize,
    pub(super) place: u32,
    pub(super) seen: Seen<'m>,
    pub(super) reading: Reading,
    /// The index of that value in the reading.
    pub(super) main: usize,
}

/// The same field of records of the same type, in one task.
struct Group {
    task: usize,
    field: String,
    places: Vec<u32>,
}

/// The groups of fields, by the type of their values.
#[derive(Default)]
struct Groups {
    all: Vec<Group>,
    by_type: BTreeMap<FieldType, Vec<usize>>,
}

/// Draws claims from a run.
pub(super) struct Maker<'m> {
    pub(super) material: &'m Material,
    pub(super) scans: &'m [Scan<'m>],
    pub(super) draw: Draw,
    fields: &'m Fields,
}

/// The fields of a run that readings can be made of.
#[derive(Default)]
pub(super) struct Fields {
    /// Fields of records that prove more than a quotation.
    stated: Groups,
    /// Fields of records that words can be quoted from.
    quoted: Groups,
    /// The same, with those of the world of sentences: words taken out of their context there rarely keep their meaning.
    worded: Groups,
    /// Fields of records in other worlds, of types that prove something about the host.
    beside: BTreeMap<Beside, Groups>,
}

impl Fields {
    pub(super) fn new(material: &Material, scans: &[Scan<'_>]) -> Fields {
        let mut known = Fields::default();
        let vocabulary = material.bench.vocabulary();
        for (task, scan) in scans.iter().enumerate() {
            let mut found: BTreeMap<(&str, &str, FieldType), Vec<u32>> = BTreeMap::new();
            for place in 0..scan.len() as u32 {
                let Some(seen) = scan.get(place) else { continue };
                for (name, field) in &seen.record.fields {
                    let key = (seen.record.kind.as_str(), name.as_str(), field.value.field_type());
                    found.entry(key).or_default().push(place);
                }
            }
            for ((kind, field, of_type), places) in found {
                let group = || Group { task, field: field.to_owned(), places: places.clone() };
                let beside = material.world(task).map(|world| world.beside);
                let has_words = matches!(of_type, FieldType::Text | FieldType::List);
                if matches!(beside, None | Some(Beside::Worded))
                    && has_words
                    && vocabulary.proved_by(kind).any(Predicate::is_quoted)
                {
                    known.worded.add(of_type, group());
                    if beside.is_none() {
                        known.quoted.add(of_type, group());
                    }
                }
                if let Some(beside) = beside {
                    if vocabulary.proved_by(kind).any(|predicate| is_of_host(vocabulary, predicate)) {
                        known.beside.entry(beside).or_default().add(of_type, group());
                    }
                    continue;
                }
                if vocabulary.proved_by(kind).any(|predicate| !predicate.is_quoted()) {
                    known.stated.add(of_type, group());
                }
            }
        }
        known
    }
}

impl Groups {
    fn add(&mut self, of_type: FieldType, group: Group) {
        self.by_type.entry(of_type).or_default().push(self.all.len());
        self.all.push(group);
    }
}

impl<'m> Maker<'m> {
    pub(super) fn new(
        material: &'m Material,
        scans: &'m [Scan<'m>],
        fields: &'m Fields,
        draw: Draw,
    ) -> Maker<'m> {
        Maker { material, scans, draw, fields }
    }

    pub(super) fn task(&self, base: usize) -> Option<&'m TaskMaterial> {
        self.material.task(base)
    }

    /// Draws a true reading with a value of one of these types.
    pub(super) fn base(&mut self, types: &[FieldType]) -> Option<Base<'m>> {
        let (task, place, field) = self.slot(&self.fields.stated, types)?;
        self.base_at(task, place, &field)
    }

    /// Returns a true reading whose main value is that of `field` of the record at `place`.
    pub(super) fn base_at(&mut self, task: usize, place: u32, field: &str) -> Option<Base<'m>> {
        let seen = self.scans.get(task)?.get(place)?;
        if is_copied(&seen.record.fields.get(field)?.value) {
            return None;
        }
        self.reading_of(task, place, field, false)
    }

    /// Draws a reading that would be true of the host if its file were in its proper place and named no other computer.
    pub(super) fn of_other_files(&mut self, beside: Beside, types: &[FieldType]) -> Option<Base<'m>> {
        let (task, place, field) = self.slot_beside(beside, types)?;
        self.reading_of(task, place, &field, true)
    }

    /// Draws a field of a record in another world: the task, the record's index and the field's name.
    pub(super) fn slot_beside(
        &mut self,
        beside: Beside,
        types: &[FieldType],
    ) -> Option<(usize, u32, String)> {
        self.slot(self.fields.beside.get(&beside)?, types)
    }

    /// Draws a reading whose main value is a time of a copy, and which therefore proves nothing.
    pub(super) fn copied_time(&mut self) -> Option<Base<'m>> {
        let (task, place, field) = match self.draw.once_in(1, 4) {
            true => self.slot(&self.fields.stated, &[FieldType::Time])?,
            false => self.slot_beside(Beside::Copied, &[FieldType::Time])?,
        };
        let seen = self.scans.get(task)?.get(place)?;
        is_copied(&seen.record.fields.get(&field)?.value).then_some(())?;
        self.reading_of(task, place, &field, false)
    }

    /// Draws a text to quote from: the text, and a reading of its record whose main value is to be replaced.
    pub(super) fn quotable(&mut self) -> Option<(Base<'m>, &'m str)> {
        let slot = self.slot(&self.fields.quoted, &[FieldType::Text])?;
        self.quotable_at(slot)
    }

    /// Does the same for texts and list items, including those of the world of sentences.
    pub(super) fn worded(&mut self) -> Option<(Base<'m>, &'m str)> {
        let slot = self.slot(&self.fields.worded, &[FieldType::Text, FieldType::List])?;
        self.quotable_at(slot)
    }

    fn quotable_at(&mut self, slot: (usize, u32, String)) -> Option<(Base<'m>, &'m str)> {
        let (task, place, field) = slot;
        let seen = self.scans.get(task)?.get(place)?;
        let text = match &seen.record.fields.get(&field)?.value {
            FieldValue::Text(text) => text,
            FieldValue::List(items) => self.draw.pick(items)?,
            _ => return None,
        };
        let mut names = self.qualifiers(&seen);
        names.retain(|name| *name != field);
        names.insert(0, field);
        let reading = self.stated(&seen, "quoted", &names)?;
        let subject = seen.subject.and_then(|value| self.claimable(value))?;
        Some((Base { task, place, seen, reading: Reading { subject, ..reading }, main: 0 }, text))
    }

    /// Returns the indexes of records of the same type with the same field.
    pub(super) fn alike(&self, base: &Base<'_>) -> &'m [u32] {
        let field = base.field();
        let groups = self.fields.stated.all.iter();
        let same = |group: &&Group| {
            group.task == base.task && group.field == field && group.places.binary_search(&base.place).is_ok()
        };
        groups.filter(same).map(|group| group.places.as_slice()).next().unwrap_or_default()
    }

    fn slot(&mut self, groups: &'m Groups, types: &[FieldType]) -> Option<(usize, u32, String)> {
        let fitting = types.iter().filter_map(|of_type| groups.by_type.get(of_type));
        let count: usize = fitting.clone().map(Vec::len).sum();
        let chosen = *fitting.flatten().nth(self.draw.below(count))?;
        let group = groups.all.get(chosen)?;
        let place = *self.draw.pick(&group.places)?;
        Some((group.task, place, group.field.clone()))
    }

    fn reading_of(&mut self, task: usize, place: u32, field: &str, of_host: bool) -> Option<Base<'m>> {
        let seen = self.scans.get(task)?.get(place)?;
        let (predicate, states) = self.predicate(&seen, of_host)?;
        self.reading_with(task, place, field, predicate, states)
    }

    /// Returns a reading with this predicate whose main value is that of `field`, and which also states the field `states`.
    pub(super) fn reading_with(
        &mut self,
        task: usize,
        place: u32,
        field: &str,
        predicate: String,
        states: Option<String>,
    ) -> Option<Base<'m>> {
        let seen = self.scans.get(task)?.get(place)?;
        let mut names = vec![field.to_owned()];
        names.extend(states);
        names.extend(self.qualifiers(&seen));
        for _ in 0..self.draw.below(3) {
            let others: Vec<&String> = seen.record.fields.keys().collect();
            let other = self.draw.pick(&others).map(|name| (*name).clone());
            names.extend(other.filter(|name| self.may_state(&seen, name)));
        }
        let mut known = BTreeSet::new();
        names.retain(|name| known.insert(name.clone()));
        let mut reading = self.stated(&seen, &predicate, &names)?;
        let tells = reading.values.iter().any(|value| is_telling(&value.value));
        let subject = seen.subject.and_then(|value| self.claimable(value)).unwrap_or_default();
        if !tells || self.draw.once_in(3, 4) {
            reading.subject = subject;
        }
        if !tells || self.draw.once_in(1, 2) {
            reading.record = Some(seen.record.id.to_string());
        }
        Some(Base { task, place, seen, reading, main: 0 })
    }

    fn stated(&mut self, seen: &Seen<'_>, predicate: &str, names: &[String]) -> Option<Reading> {
        let mut values = Vec::new();
        for name in names {
            let value = self.claimable(&seen.record.fields.get(name)?.value)?;
            values.push(ClaimedValue { field: Some(name.clone()), value });
        }
        Some(Reading {
            fields: Vec::new(),
            predicate: predicate.to_owned(),
            subject: String::new(),
            values,
            invocation: seen.invocation.to_string(),
            record: None,
        })
    }

    /// Draws a predicate that the record proves, and the field that must be stated with it; with `of_host`, one that the record would
    /// prove only in its proper place.
    fn predicate(&mut self, seen: &Seen<'_>, of_host: bool) -> Option<(String, Option<String>)> {
        let vocabulary = self.material.bench.vocabulary();
        let kind = &seen.record.kind;
        let mut proved = Vec::new();
        for predicate in vocabulary.proved_by(kind).filter(|predicate| !predicate.is_quoted()) {
            let Some(meaning) = vocabulary.meaning(predicate) else { continue };
            let is_meant =
                if of_host { !meaning.anywhere } else { meaning.is_proved_at(seen.record.placement) };
            if !is_meant {
                continue;
            }
            let states = meaning.states.get(kind);
            let stateable =
                states.is_none_or(|name| self.may_state(seen, name)) && !denies(meaning, seen.record);
            if stateable {
                proved.push((predicate.0.clone(), states.cloned()));
            }
        }
        self.draw.pick(&proved).cloned()
    }

    fn qualifiers(&self, seen: &Seen<'_>) -> Vec<String> {
        let kind = self.material.bench.types().get(&seen.record.kind);
        let names = kind.into_iter().flat_map(|kind| &kind.qualifiers);
        names.filter(|name| seen.record.fields.contains_key(*name)).cloned().collect()
    }

    fn may_state(&self, seen: &Seen<'_>, name: &str) -> bool {
        seen.record.fields.get(name).is_some_and(|field| says_something(&field.value))
    }

    /// Returns the fact that the gateway makes from a reading; `number` distinguishes the facts of one claim.
    pub(super) fn fact(&self, task: usize, number: u32, reading: &Reading) -> Option<FactEntry> {
        let own = self.task(task)?;
        let id = FactId::assign(&self.material.setting.ids, own.task, number).ok()?;
        match self.material.bench.judge(reading, id, &own.shelf) {
            Verdict::Grounded { fact, healing: None } => Some(fact.into_entry()),
            Verdict::Grounded { .. } | Verdict::Refused(_) => None,
        }
    }

    /// Returns the text that a claim states for a value; `None` if it is blank or too long.
    pub(super) fn claimable(&mut self, value: &FieldValue) -> Option<String> {
        let text = match value {
            FieldValue::List(items) => self.draw.pick(items)?.clone(),
            _ => value.to_text().into_owned(),
        };
        (!text.trim().is_empty() && text.len() <= LONGEST).then_some(text)
    }
}

impl<'m> Base<'m> {
    /// Returns the field of the main value.
    pub(super) fn field(&self) -> &str {
        self.reading.values.get(self.main).and_then(|value| value.field.as_deref()).unwrap_or_default()
    }

    /// Returns the main value in the record.
    pub(super) fn value(&self) -> Option<&'m FieldValue> {
        self.seen.record.fields.get(self.field()).map(|field| &field.value)
    }

    /// Returns the main value as claimed.
    pub(super) fn text(&self) -> &str {
        self.reading.values.get(self.main).map(|value| value.value.as_str()).unwrap_or_default()
    }

    /// Replaces the text of the main value.
    pub(super) fn with(mut self, text: String) -> Base<'m> {
        if let Some(value) = self.reading.values.get_mut(self.main) {
            value.value = text;
        }
        self
    }

    /// Makes a true claim.
    pub(super) fn truth(self) -> Seeded {
        Seeded { read_from: Some(self.place), ..self.falsehood() }
    }

    /// Makes a false claim.
    pub(super) fn falsehood(self) -> Seeded {
        Seeded::of(self.task, Posed::Reading(self.reading))
    }
}

/// Whether a predicate is about the host, not about the contents of some file.
fn is_of_host(vocabulary: &Vocabulary, predicate: &Predicate) -> bool {
    vocabulary.meaning(predicate).is_some_and(|meaning| !meaning.anywhere)
}

/// Whether the record says the opposite of a predicate in a field that a reading must state. Examples are a disabled service that is said
/// to start, and a change whose two names are equal.
pub(super) fn denies(meaning: &Meaning, record: &Record) -> bool {
    if meaning.denied_by(record).is_some() {
        return true;
    }
    let text = |name: &String| record.fields.get(name).map(|field| field.value.to_text());
    let Some(stated) = meaning.states.get(&record.kind).and_then(text) else { return false };
    meaning.unless.get(&record.kind).is_some_and(|no| no.contains(stated.as_ref()))
        || meaning.unlike.get(&record.kind).and_then(text).is_some_and(|other| other == stated)
}

/// Whether a text distinguishes its record from most others.
pub(super) fn is_telling(text: &str) -> bool {
    let text = text.trim();
    let flag = ["true", "false"].contains(&text);
    let long = text.chars().nth(TELLING - 1).is_some();
    long && !flag
}

fn is_copied(value: &FieldValue) -> bool {
    matches!(value, FieldValue::Time(time) if time.clock == Clock::CollectionCopy)
}

/// Whether a reading may state the value: a time must be an instant of the host's clock.
fn says_something(value: &FieldValue) -> bool {
    match value {
        FieldValue::Time(time) => time.utc.is_some() && time.clock == Clock::Host,
        _ => true,
    }
}
