//! Finds sequences in records, in whatever order they arrive.
//!
//! Only a few numbers are kept of each record; they are sorted by time and examined once.

use crate::sequence::{Form, MOST_FIELDS, Sequence, Sequences, Step};
use crate::trace::Trace;
use crate::{Level, TechniqueId};
use std::collections::{HashMap, VecDeque};

/// The most records that are kept.
const MOST: usize = 4_000_000;

/// The most values that a step looks back on at a time.
const LOOKED_BACK: usize = 1_000;

/// The most characters of a value that are compared.
const LONGEST: usize = 260;

/// Collects records, then finds the sequences that they form.
#[derive(Debug)]
pub struct Watch<'s> {
    sequences: &'s Sequences,
    texts: HashMap<Box<str>, u32>,
    names: Vec<Box<str>>,
    taken: Vec<Taken>,
    is_full: bool,
}

/// A record that forms a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Taken {
    sequence: u32,
    /// Nanoseconds since 1970.
    time: i128,
    row: u32,
    step: u32,
    key: [u32; MOST_FIELDS],
    distinct: u32,
}

/// Records that form a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made<'s> {
    /// Its name.
    pub sequence: &'s str,
    /// Its description.
    pub note: &'s str,
    /// How much it stands out.
    pub level: Level,
    /// The techniques that leave such traces.
    pub techniques: &'s [TechniqueId],
    /// The fields that its records share, with their values.
    pub shared: Vec<(&'s str, String)>,
    /// The number of its first record.
    pub first: u32,
    /// The number of its last record.
    pub last: u32,
    /// The number of its records.
    pub records: usize,
}

impl<'s> Watch<'s> {
    /// Makes a watch for these sequences.
    pub fn new(sequences: &'s Sequences) -> Watch<'s> {
        Watch { sequences, texts: HashMap::new(), names: Vec::new(), taken: Vec::new(), is_full: false }
    }

    /// Adds a record with a number and a time in nanoseconds since 1970; returns whether it forms a step of any sequence.
    pub fn take(&mut self, trace: &Trace<'_>, time: i128, row: u32) -> bool {
        let mut is_taken = false;
        let sequences = self.sequences;
        for number in sequences.by_record.get(trace.kind()).into_iter().flatten() {
            let Some(sequence) = sequences.all.get(*number) else { continue };
            for (step, asked) in sequence.steps().enumerate() {
                if !asked.kind.fits(trace) {
                    continue;
                }
                if self.taken.len() >= MOST {
                    self.is_full = true;
                    continue;
                }
                let Some((key, distinct)) = self.joined(sequence, asked, trace) else { continue };
                let sequence = u32::try_from(*number).unwrap_or(u32::MAX);
                let step = u32::try_from(step).unwrap_or(u32::MAX);
                self.taken.push(Taken { sequence, time, row, step, key, distinct });
                is_taken = true;
            }
        }
        is_taken
    }

    /// Checks whether there were more records than are kept.
    pub const fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the values that join a record with others, and the value to count; `None` if the record lacks one.
    fn joined(
        &mut self,
        sequence: &Sequence,
        step: &Step,
        trace: &Trace<'_>,
    ) -> Option<([u32; MOST_FIELDS], u32)> {
        let mut key = [u32::MAX; MOST_FIELDS];
        for (slot, name) in key.iter_mut().zip(&sequence.by) {
            *slot = self.text(&value(trace, step.called(name))?);
        }
        let mut all = Vec::new();
        for name in &step.distinct {
            all.push(value(trace, name)?);
        }
        let distinct = if all.is_empty() { u32::MAX } else { self.text(&all.join("\n")) };
        Some((key, distinct))
    }

    fn text(&mut self, text: &str) -> u32 {
        if let Some(known) = self.texts.get(text) {
            return *known;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.texts.insert(text.into(), number);
        self.names.push(text.into());
        number
    }

    /// Returns the sequences that the records form, in the order of the data and of their last records' times.
    pub fn made(mut self) -> Vec<Made<'s>> {
        let mut taken = std::mem::take(&mut self.taken);
        taken.sort_unstable();
        let mut made = Vec::new();
        for of_one in taken.chunk_by(|one, other| one.sequence == other.sequence) {
            let number = of_one.first().map_or(0, |one| one.sequence as usize);
            let Some(sequence) = self.sequences.all.get(number) else { continue };
            match &sequence.form {
                Form::Steps { within, steps } => self.steps(sequence, *within, steps, of_one, &mut made),
                Form::Rare { least, .. } => self.rare(sequence, *least, of_one, &mut made),
            }
        }
        made
    }

    fn steps(
        &self,
        sequence: &'s Sequence,
        within: i128,
        steps: &[Step],
        taken: &[Taken],
        made: &mut Vec<Made<'s>>,
    ) {
        let mut open: HashMap<[u32; MOST_FIELDS], Course> = HashMap::new();
        for one in taken {
            let course = open.entry(one.key).or_default();
            if let Some(run) = course.take(one, within, steps) {
                match run {
                    Ran::On(at) => {
                        if let Some(made) = made.get_mut(at) {
                            made.last = one.row;
                            made.records += 1;
                        }
                    }
                    Ran::Through { first, records } => {
                        course.told = Some((made.len(), one.time));
                        made.push(self.told(sequence, one, first, records));
                    }
                }
            }
        }
    }

    /// Finds values that only one record has, among many records that share its key.
    fn rare(&self, sequence: &'s Sequence, least: usize, taken: &[Taken], made: &mut Vec<Made<'s>>) {
        let mut counted: HashMap<[u32; MOST_FIELDS], usize> = HashMap::new();
        let mut alone: HashMap<([u32; MOST_FIELDS], u32), usize> = HashMap::new();
        for one in taken {
            *counted.entry(one.key).or_default() += 1;
            *alone.entry((one.key, one.distinct)).or_default() += 1;
        }
        for one in taken {
            let is_rare = alone.get(&(one.key, one.distinct)) == Some(&1);
            if is_rare && counted.get(&one.key).is_some_and(|number| *number >= least) {
                made.push(self.told(sequence, one, one.row, 1));
            }
        }
    }

    fn told(&self, sequence: &'s Sequence, last: &Taken, first: u32, records: usize) -> Made<'s> {
        let name = |number: u32| self.names.get(number as usize).map_or("", AsRef::as_ref).to_owned();
        let shared = sequence.by.iter().zip(last.key);
        Made {
            sequence: &sequence.id,
            note: &sequence.note,
            level: sequence.level,
            techniques: &sequence.techniques,
            shared: shared.map(|(field, number)| (field.as_str(), name(number))).collect(),
            first,
            last: last.row,
            records,
        }
    }
}

/// Returns the value of a field for comparison; `None` if it is not stated or says nothing.
fn value(trace: &Trace<'_>, field: &str) -> Option<String> {
    let stated = trace.stated().iter().find(|stated| stated.field == field)?;
    let text: String = stated.value.to_text().trim().chars().take(LONGEST).collect::<String>().to_lowercase();
    (!matches!(text.as_str(), "" | "-")).then_some(text)
}

/// The progress of records with one key.
#[derive(Debug, Default)]
struct Course {
    /// The number of completed steps.
    stage: usize,
    /// Time and row of the first record.
    began: Option<(i128, u32)>,
    /// The number of records in the steps so far.
    records: usize,
    /// The records that the first step looks back on, and those of the next step.
    first: Window,
    next: Window,
    /// The last reported sequence, and the time of its last record: more of a burst belongs to it.
    told: Option<(usize, i128)>,
}

/// The effect of a record.
enum Ran {
    /// It belongs to a burst that was reported.
    On(usize),
    /// All steps are complete.
    Through { first: u32, records: usize },
}

impl Course {
    fn take(&mut self, one: &Taken, within: i128, steps: &[Step]) -> Option<Ran> {
        let step = one.step as usize;
        let asked = steps.get(step)?;
        if let Some((at, last)) = self.told.filter(|_| steps.len() == 1) {
            if one.time - last <= within {
                self.told = Some((at, one.time));
                return Some(Ran::On(at));
            }
            self.told = None;
        }
        if self.began.is_some_and(|(began, _)| one.time - began > within) && self.stage > 0 {
            self.begin_again(one.time, within, steps);
        }
        if step == 0 {
            self.first.push(one, within);
            if self.first.is_enough(asked) {
                let fresh = self.stage == 0;
                self.began = self.first.front();
                if self.stage <= 1 {
                    self.records = self.first.len();
                }
                if fresh {
                    self.stage = 1;
                    self.next = Window::default();
                }
            }
        } else if step == self.stage {
            self.next.push(one, within);
            if self.next.is_enough(asked) {
                self.stage += 1;
                self.records += self.next.len();
                self.next = Window::default();
            }
        }
        if self.stage < steps.len() {
            return None;
        }
        let (_, first) = self.began?;
        let records = self.records;
        *self = Course::default();
        Some(Ran::Through { first, records })
    }

    /// Drops steps whose first record is too old; the records that the first step looks back on may still be enough.
    fn begin_again(&mut self, now: i128, within: i128, steps: &[Step]) {
        self.first.drop_before(now - within);
        let is_enough = steps.first().is_some_and(|step| self.first.is_enough(step));
        (self.stage, self.records, self.next) = (usize::from(is_enough), self.first.len(), Window::default());
        self.began = self.first.front().filter(|_| is_enough);
    }
}

/// The last records of a step: time, row and counted value of each.
#[derive(Debug, Default)]
struct Window {
    records: VecDeque<(i128, u32, u32)>,
    /// The number of records with each value.
    counted: HashMap<u32, u32>,
}

impl Window {
    fn push(&mut self, one: &Taken, within: i128) {
        self.drop_before(one.time - within);
        if self.records.len() >= LOOKED_BACK {
            self.drop_first();
        }
        self.records.push_back((one.time, one.row, one.distinct));
        *self.counted.entry(one.distinct).or_default() += 1;
    }

    fn drop_before(&mut self, time: i128) {
        while self.records.front().is_some_and(|(at, ..)| *at < time) {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        let Some((_, _, value)) = self.records.pop_front() else { return };
        if let Some(number) = self.counted.get_mut(&value) {
            *number -= 1;
            if *number == 0 {
                self.counted.remove(&value);
            }
        }
    }

    fn is_enough(&self, step: &Step) -> bool {
        let number = if step.distinct.is_empty() { self.records.len() } else { self.counted.len() };
        number >= step.least
    }

    fn front(&self) -> Option<(i128, u32)> {
        self.records.front().map(|(time, row, _)| (*time, *row))
    }

    fn len(&self) -> usize {
        self.records.len()
    }
}
