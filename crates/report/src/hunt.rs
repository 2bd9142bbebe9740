//! Records that stand out, as a hunter reads them: level, time, computer, rule, what it is about.

use crate::dating;
use detect::{Hit, Level, Trace, shipped, shipped_sequences};
use ledger::{Record, Time};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The fields that say most of a record, the most telling first.
const TELLING: [&str; 24] = [
    "command_line",
    "command",
    "arguments",
    "image_path",
    "image",
    "parent_image",
    "program",
    "path",
    "action",
    "data",
    "threat",
    "account",
    "group",
    "address",
    "share",
    "service_name",
    "task",
    "text",
    "target_image",
    "destination_address",
    "url",
    "query",
    "state",
    "exclusion",
];

/// Most of them that are told of a record, and most characters of each.
const SHOWN: (usize, usize) = (4, 160);

/// A record that fits a rule.
#[derive(Debug)]
pub struct Sighting<'r> {
    /// The record.
    pub record: &'r Record,
    /// The rules that it fits, the highest level first; at least one.
    pub hits: Vec<Hit<'static>>,
    /// The time that dates it best.
    pub time: Option<&'r Time>,
    /// The records of which it is the last, where several tell it together.
    pub together: Option<&'r Several>,
}

/// Records that make a sequence.
#[derive(Debug)]
pub struct Several {
    /// The name of the sequence.
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

impl Sighting<'_> {
    /// The level of its first rule.
    pub fn level(&self) -> Level {
        self.hits.first().map_or(Level::Ordinary, |hit| hit.level)
    }

    /// The computer that the record names, or nothing.
    pub fn computer(&self) -> String {
        text(self.record, "computer").unwrap_or_default()
    }

    /// What the record is about, in its most telling fields, as they are: whoever shows it writes out what is hidden.
    pub fn details(&self) -> String {
        let told = TELLING.iter().filter_map(|name| Some((*name, text(self.record, name)?)));
        let told = told.filter(|(_, text)| !text.is_empty()).take(SHOWN.0);
        let line = |(name, text): (&str, String)| {
            let short: String = text.chars().take(SHOWN.1).collect();
            let cut = if short.len() < text.len() { "…" } else { "" };
            format!("{name}={short}{cut}")
        };
        let own = told.map(line).collect::<Vec<_>>().join("; ");
        match self.together {
            Some(several) => format!("{}: {own}", several.told()),
            None => own,
        }
    }
}

impl Several {
    /// How many records there are, from when on, and what they share.
    fn told(&self) -> String {
        let from = time(&self.first).map(|time| format!(" from {}", time.to_text())).unwrap_or_default();
        let shared: Vec<String> = self
            .shared
            .iter()
            .map(|(field, value)| format!("{field}={}", value.chars().take(SHOWN.1).collect::<String>()))
            .collect();
        let records = if self.records == 1 { "record" } else { "records" };
        format!("{} {records}{from} of {}, the last", self.records, shared.join(", "))
    }
}

/// The records that fit a rule of this level or above, the highest level first, then by time.
pub fn sightings<'r>(records: &'r [Record], least: Level) -> Vec<Sighting<'r>> {
    let mut all: Vec<Sighting<'r>> = Vec::new();
    for record in records {
        let mut hits = shipped().hits(&Trace::of_record(record));
        hits.retain(|hit| hit.level >= least);
        if !hits.is_empty() {
            all.push(Sighting { record, hits, time: time(record), together: None });
        }
    }
    order(&mut all);
    all
}

/// The same of what several records tell together, each in the place of its last one.
pub fn together(found: &[Several], least: Level) -> Vec<Sighting<'_>> {
    let hit = |several: &Several| {
        let known = shipped_sequences().told().find(|(id, ..)| *id == several.sequence);
        let (rule, level, note, ids) = known.filter(|(_, level, ..)| *level >= least)?;
        let techniques = ids.iter().filter_map(|id| shipped().technique(id)).collect();
        Some(Hit { rule, note, level, techniques })
    };
    let sighting = |several: &'_ Several| hit(several).map(|hit| vec![hit]);
    let found = found.iter().filter_map(|several| Some((several, sighting(several)?)));
    found
        .map(|(several, hits)| Sighting {
            record: &several.last,
            hits,
            time: time(&several.last),
            together: Some(several),
        })
        .collect()
}

/// Puts the highest level first, then by time.
pub fn order(all: &mut [Sighting<'_>]) {
    let when = |it: &Sighting<'_>| it.time.and_then(|time| time.utc).map(|utc| utc.unix_nanoseconds());
    all.sort_by_key(|it| (Reverse(it.level()), when(it).is_none(), when(it)));
}

/// How many records fit each rule first of all, the highest level first.
pub fn by_rule(sightings: &[Sighting<'_>]) -> Vec<(&'static str, Level, &'static str, usize)> {
    let mut counted: BTreeMap<(Reverse<Level>, &'static str), (&'static str, usize)> = BTreeMap::new();
    for hit in sightings.iter().filter_map(|it| it.hits.first()) {
        counted.entry((Reverse(hit.level), hit.rule)).or_insert((hit.note, 0)).1 += 1;
    }
    counted.into_iter().map(|((level, rule), (note, number))| (rule, level.0, note, number)).collect()
}

fn time(record: &Record) -> Option<&Time> {
    let values = record.fields.iter().map(|(name, field)| (name.as_str(), &field.value));
    dating::best("recorded", &record.kind, values)
}

fn text(record: &Record, field: &str) -> Option<String> {
    record.fields.get(field).map(|field| field.value.to_text().into_owned())
}
