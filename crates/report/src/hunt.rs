//! Records that stand out, as a hunter reads them: level, time, computer, rule, what it is about.

use detect::{Hit, Level, Trace, shipped, shipped_sequences};
use ledger::{Record, Time, Utc};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

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

/// Whose rule it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// One of this program.
    Ours,
    /// One in the language Sigma that somebody brought along.
    Sigma,
    /// An indicator that somebody brought along.
    Indicator,
}

impl Whose {
    /// Its name, as people and formats have it.
    pub const fn name(self) -> &'static str {
        match self {
            Whose::Ours => "locard",
            Whose::Sigma => "sigma",
            Whose::Indicator => "ioc",
        }
    }
}

/// A rule that a record fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// Whose rule it is.
    pub whose: Whose,
    /// Its name; of Sigma the id, or the title where it has none.
    pub rule: String,
    /// How much such a record stands out.
    pub level: Level,
    /// What such a record is, in the words of the rule.
    pub note: String,
    /// The ids of the techniques that it names, in their order.
    pub techniques: Vec<String>,
    /// Its other tags.
    pub tags: Vec<String>,
    /// The file that it was read from; of an indicator with the line.
    pub file: Option<String>,
    /// SHA-256 of the file of a rule.
    pub digest: Option<String>,
    /// What it looked at in the record, by its own names.
    pub fields: Vec<(String, String)>,
    /// What has to be known of it.
    pub remarks: Vec<String>,
}

/// A record that fits a rule.
#[derive(Debug)]
pub struct Sighting<'r> {
    /// The record.
    pub record: &'r Record,
    /// The rules that it fits, the highest level first; at least one.
    pub fits: Vec<Fit>,
    /// The time that dates it best.
    pub time: Option<&'r Time>,
    /// The list that knows the file that it is about to be good.
    pub known_good: Option<String>,
    /// The records of which it is the last, where several tell it together.
    pub together: Option<&'r Several>,
}

/// The types of records that are about a file alone: what a program that is known to be good was made to do is no better by that.
const OF_FILES: [&str; 8] = [
    "amcache_driver",
    "amcache_file",
    "code_policy",
    "copied_file",
    "file_created",
    "file_stream",
    "image_loaded",
    "skipped_file",
];

/// Whether a record is about a file alone.
pub fn is_of_file(record: &Record) -> bool {
    OF_FILES.contains(&record.kind.as_str())
}

/// The hashes of the file that a record is about, in lower case.
pub fn hashes(record: &Record) -> Vec<String> {
    let is_of_file = |field: &str| matches!(field, "md5" | "sha1" | "sha256");
    let hash = |(field, held): (&String, &ledger::Field)| match &held.value {
        ledger::FieldValue::Hash(hash) if is_of_file(field) => Some(hash.to_ascii_lowercase()),
        _ => None,
    };
    record.fields.iter().filter_map(hash).collect()
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
    /// The level of its first rule; low where it is about a file that is known to be good.
    pub fn level(&self) -> Level {
        let level = self.fits.first().map_or(Level::Ordinary, |fit| fit.level);
        let is_good = self.known_good.is_some() && is_of_file(self.record);
        if is_good { level.min(Level::Low) } else { level }
    }

    /// The computer that the record names, or nothing.
    pub fn computer(&self) -> String {
        text(self.record, "computer").unwrap_or_default()
    }

    /// The techniques that its rules name, in the order of their ids.
    pub fn techniques(&self) -> Vec<&str> {
        let all: BTreeSet<&str> =
            self.fits.iter().flat_map(|fit| &fit.techniques).map(String::as_str).collect();
        all.into_iter().collect()
    }

    /// What the record is about, in its most telling fields, as they are: whoever shows it writes out what is hidden.
    pub fn details(&self) -> String {
        let told = TELLING.iter().filter_map(|name| Some((*name, text(self.record, name)?)));
        let told = told.filter(|(_, text)| !text.is_empty()).take(SHOWN.0);
        let told = told.map(|(name, text)| format!("{name}={}", shortened(&text)));
        let own = told.collect::<Vec<_>>().join("; ");
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
        let shared: Vec<String> =
            self.shared.iter().map(|(field, value)| format!("{field}={}", shortened(value))).collect();
        let records = if self.records == 1 { "record" } else { "records" };
        format!("{} {records}{from} of {}, the last", self.records, shared.join(", "))
    }
}

/// A text of which no more is shown than fits a line.
pub fn shortened(text: &str) -> String {
    let short: String = text.chars().take(SHOWN.1).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    format!("{short}{cut}")
}

/// The records that fit a rule of ours of this level or above, or one of somebody else; [`order`] puts them into the order in which they are read.
///
/// `others` are those that fit a rule of somebody else, each with these; a record that stands in both is one.
/// `known` gives the list that knows a hash to be good: such a file is lower, and not left out.
pub fn sightings<'r>(
    records: &'r [Record],
    others: &'r [(Record, Vec<Fit>)],
    known: &dyn Fn(&str) -> Option<String>,
    least: Level,
) -> Vec<Sighting<'r>> {
    let mut all: BTreeMap<(&str, String), Sighting<'r>> = BTreeMap::new();
    let both = records.iter().map(|record| (record, &[][..]));
    let both = both.chain(others.iter().map(|(record, fits)| (record, fits.as_slice())));
    for (record, theirs) in both {
        let place = (record.kind.as_str(), record.locator.to_string());
        let sighting = all.entry(place).or_insert_with(|| Sighting {
            record,
            fits: ours(record),
            time: time(record),
            known_good: hashes(record).iter().find_map(|hash| known(hash)),
            together: None,
        });
        sighting.fits.extend(theirs.iter().cloned());
    }
    let mut all: Vec<Sighting<'r>> = all.into_values().collect();
    for it in &mut all {
        it.fits.retain(|fit| fit.level >= least);
        it.fits.sort_by_key(|fit| (Reverse(fit.level), fit.whose));
    }
    all.retain(|it| !it.fits.is_empty());
    all
}

/// The same of what several records tell together, each in the place of its last one.
pub fn together(found: &[Several], least: Level) -> Vec<Sighting<'_>> {
    let fit = |several: &Several| {
        let known = shipped_sequences().told().find(|(id, ..)| *id == several.sequence);
        let (rule, level, note, ids) = known.filter(|(_, level, ..)| *level >= least)?;
        let techniques = ids.iter().filter_map(|id| shipped().technique(id)).collect();
        Some(of_hit(Hit { rule, note, level, techniques }))
    };
    let found = found.iter().filter_map(|several| Some((several, fit(several)?)));
    found
        .map(|(several, fit)| Sighting {
            record: &several.last,
            fits: vec![fit],
            time: time(&several.last),
            known_good: None,
            together: Some(several),
        })
        .collect()
}

/// The times that are asked for, both ends included; an end that was not given is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Between {
    /// The first instant.
    pub from: Option<Utc>,
    /// The last one.
    pub to: Option<Utc>,
}

impl Between {
    /// Whether any time is asked for.
    pub const fn is_open(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }

    /// Whether a time of a record can lie there, or a time of the first one where several tell it together; what has no time is in no span.
    pub fn holds(&self, it: &Sighting<'_>) -> bool {
        let first = it.together.map(|several| &several.first);
        self.is_open() || std::iter::once(it.record).chain(first).any(|record| self.holds_any_of(record))
    }

    fn holds_any_of(&self, record: &Record) -> bool {
        let mut times = record.fields.values().filter_map(|held| match &held.value {
            ledger::FieldValue::Time(time) => time.bounds(),
            _ => None,
        });
        let (from, to) = (self.from, self.to);
        times.any(|(earliest, latest)| {
            from.is_none_or(|from| from <= latest) && to.is_none_or(|to| earliest <= to)
        })
    }

    /// In words, where any time is asked for.
    pub fn told(&self) -> Option<String> {
        let from = self.from.map(|from| format!("from {from}"));
        let to = self.to.map(|to| format!("to {to}"));
        let told: Vec<String> = from.into_iter().chain(to).collect();
        (!told.is_empty()).then(|| format!("what has a time {}", told.join(" ")))
    }
}

/// Puts the highest level first, then by time.
pub fn order(all: &mut [Sighting<'_>]) {
    let when = |it: &Sighting<'_>| it.time.and_then(|time| time.utc).map(|utc| utc.unix_nanoseconds());
    all.sort_by_key(|it| (Reverse(it.level()), when(it).is_none(), when(it)));
}

/// The rules of ours that a record fits.
fn ours(record: &Record) -> Vec<Fit> {
    shipped().hits(&Trace::of_record(record)).into_iter().map(of_hit).collect()
}

fn of_hit(hit: Hit<'_>) -> Fit {
    Fit {
        whose: Whose::Ours,
        rule: hit.rule.to_owned(),
        level: hit.level,
        note: hit.note.to_owned(),
        techniques: hit.techniques.iter().map(|technique| technique.id.to_string()).collect(),
        tags: Vec::new(),
        file: None,
        digest: None,
        fields: Vec::new(),
        remarks: Vec::new(),
    }
}

/// A rule, and how many records it is the first that they fit, or, of a rule of somebody else, that they fit at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Total<'s> {
    /// One of its hits.
    pub fit: &'s Fit,
    /// The number.
    pub records: usize,
}

/// How many records fit each rule, the highest level first.
pub fn by_rule<'s>(sightings: &'s [Sighting<'_>]) -> Vec<Total<'s>> {
    let mut counted: BTreeMap<(Reverse<Level>, Whose, &str), Total<'s>> = BTreeMap::new();
    for it in sightings {
        for (place, fit) in it.fits.iter().enumerate() {
            if fit.whose == Whose::Ours
                && it.fits.iter().position(|fit| fit.whose == Whose::Ours) != Some(place)
            {
                continue;
            }
            let key = (Reverse(fit.level), fit.whose, fit.rule.as_str());
            counted.entry(key).or_insert(Total { fit, records: 0 }).records += 1;
        }
    }
    counted.into_values().collect()
}

/// The time that dates a record best.
pub fn time(record: &Record) -> Option<&Time> {
    let values = record.fields.iter().map(|(name, field)| (name.as_str(), &field.value));
    graph::best_time("recorded", &record.kind, values)
}

fn text(record: &Record, field: &str) -> Option<String> {
    record.fields.get(field).map(|field| field.value.to_text().into_owned())
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use ledger::{Field, FieldValue, Locator, RecordId};

    const GOOD: &str = "00112233445566778899aabbccddeeff00112233";

    fn record(kind: &str) -> Record {
        Record {
            placement: None,
            defects: Vec::new(),
            fields: [("sha1".to_owned(), Field { at: None, value: FieldValue::Hash(GOOD.to_uppercase()) })]
                .into(),
            id: RecordId(0),
            kind: kind.to_owned(),
            locator: Locator { evidence: "e".to_owned(), path: kind.to_owned(), stream: None, span: None },
        }
    }

    fn fit(level: Level) -> Fit {
        Fit {
            whose: Whose::Indicator,
            rule: "bad".to_owned(),
            level,
            note: String::new(),
            techniques: Vec::new(),
            tags: Vec::new(),
            file: None,
            digest: None,
            fields: Vec::new(),
            remarks: Vec::new(),
        }
    }

    #[test]
    fn a_file_that_is_known_to_be_good_is_low_and_stays_and_a_process_is_what_it_did() {
        let others = [
            (record("amcache_file"), vec![fit(Level::High)]),
            (record("process_created"), vec![fit(Level::High)]),
        ];
        let known = |hash: &str| (hash == GOOD).then(|| "list".to_owned());
        let mut all = sightings(&[], &others, &known, Level::Medium);
        order(&mut all);
        let levels: Vec<_> = all.iter().map(|it| (it.record.kind.as_str(), it.level())).collect();
        assert_eq!(levels, [("process_created", Level::High), ("amcache_file", Level::Low)]);
        assert!(all.iter().all(|it| it.known_good.as_deref() == Some("list")));
        let none = |_: &str| None;
        let all = sightings(&[], &others, &none, Level::Medium);
        assert!(all.iter().all(|it| it.level() == Level::High && it.known_good.is_none()));
    }

    #[test]
    fn a_record_that_fits_rules_of_several_is_one() {
        let others = [(record("a"), vec![fit(Level::Low), fit(Level::Critical)])];
        let none = |_: &str| None;
        let records = [record("a")];
        let all = sightings(&records, &others, &none, Level::Medium);
        assert_eq!((all.len(), all[0].fits.len(), all[0].level()), (1, 1, Level::Critical));
        assert_eq!(by_rule(&all)[0].records, 1);
    }

    #[test]
    fn only_what_has_a_time_in_a_span_is_in_it_and_both_ends_are() {
        let at = |text: &str| Some(text.parse::<Utc>().unwrap());
        // 2012-04-04T01:58:40Z.
        let time = Time::from_filetime(129_779_783_200_000_000);
        let mut timed = record("a");
        timed.fields.insert("time".to_owned(), Field { at: None, value: FieldValue::Time(time) });
        let others = [(timed, vec![fit(Level::High)]), (record("b"), vec![fit(Level::High)])];
        let all = sightings(&[], &others, &|_| None, Level::Medium);
        let within = |from, to| {
            let between = Between { from, to };
            all.iter().filter(|it| between.holds(it)).map(|it| it.record.kind.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(within(None, None), ["a", "b"]);
        assert_eq!(within(at("2012-04-04T01:58:40Z"), at("2012-04-04T01:58:40Z")), ["a"]);
        assert!(within(at("2012-04-04T01:58:41Z"), None).is_empty());
        assert!(within(None, at("2012-04-04T01:58:39Z")).is_empty());
    }
}
