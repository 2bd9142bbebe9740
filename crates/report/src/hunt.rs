//! Records that stand out, in the form of a hunt: level, time, computer, rule, and what the record is about.

use detect::{Hit, Level, Trace, shipped, shipped_sequences};
use ledger::{Record, Time, Utc};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The fields that say the most about a record, most significant first.
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

/// The maximum number of these fields shown for a record, and the maximum length of each in characters.
const SHOWN: (usize, usize) = (4, 160);

/// The owner of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// This program.
    Ours,
    /// The team: a supplied rule in the Sigma language.
    Sigma,
    /// The team: a supplied indicator.
    Indicator,
}

impl Whose {
    /// Returns its name in output and formats.
    pub const fn name(self) -> &'static str {
        match self {
            Whose::Ours => "locard",
            Whose::Sigma => "sigma",
            Whose::Indicator => "ioc",
        }
    }
}

/// A rule that a record matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// The owner of the rule.
    pub whose: Whose,
    /// Its name; for Sigma the id, or the title if it has none.
    pub rule: String,
    /// How much such a record stands out.
    pub level: Level,
    /// A description of such a record, in the words of the rule.
    pub note: String,
    /// The ids of the techniques that it names, in order.
    pub techniques: Vec<String>,
    /// Its other tags.
    pub tags: Vec<String>,
    /// The file that it was read from; for an indicator, with the line.
    pub file: Option<String>,
    /// The SHA-256 of a rule's file.
    pub digest: Option<String>,
    /// The fields of the record that it checked, under the rule's own names.
    pub fields: Vec<(String, String)>,
    /// Remarks that a reader needs to know.
    pub remarks: Vec<String>,
}

/// A record that matches a rule.
#[derive(Debug)]
pub struct Sighting<'r> {
    /// The record.
    pub record: &'r Record,
    /// The rules that it matches, highest level first; at least one.
    pub fits: Vec<Fit>,
    /// The time that dates it best.
    pub time: Option<&'r Time>,
    /// The list that knows the record's file as good.
    pub known_good: Option<String>,
    /// For the last record of a sequence: the sequence.
    pub together: Option<&'r Several>,
}

/// Record types that are about a file alone. What a known-good program was made to do is not harmless just because its file is known good.
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

/// Checks whether a record is about a file alone.
pub fn is_of_file(record: &Record) -> bool {
    OF_FILES.contains(&record.kind.as_str())
}

/// Returns the hashes of the file that a record is about, in lower case.
pub fn hashes(record: &Record) -> Vec<String> {
    let is_of_file = |field: &str| matches!(field, "md5" | "sha1" | "sha256");
    let hash = |(field, held): (&String, &ledger::Field)| match &held.value {
        ledger::FieldValue::Hash(hash) if is_of_file(field) => Some(hash.to_ascii_lowercase()),
        _ => None,
    };
    record.fields.iter().filter_map(hash).collect()
}

/// Records that form a sequence.
#[derive(Debug)]
pub struct Several {
    /// The name of the sequence.
    pub sequence: String,
    /// The fields that its records share, with their values.
    pub shared: Vec<(String, String)>,
    /// The number of records.
    pub records: u64,
    /// The first one.
    pub first: Record,
    /// The last one.
    pub last: Record,
}

impl Sighting<'_> {
    /// Returns the level of its first rule, or low if it is about a file that is known to be good.
    pub fn level(&self) -> Level {
        let level = self.fits.first().map_or(Level::Ordinary, |fit| fit.level);
        let is_good = self.known_good.is_some() && is_of_file(self.record);
        if is_good { level.min(Level::Low) } else { level }
    }

    /// Returns the computer that the record names; empty if it names none.
    pub fn computer(&self) -> String {
        text(self.record, "computer").unwrap_or_default()
    }

    /// Returns the techniques that its rules name, ordered by id.
    pub fn techniques(&self) -> Vec<&str> {
        let all: BTreeSet<&str> =
            self.fits.iter().flat_map(|fit| &fit.techniques).map(String::as_str).collect();
        all.into_iter().collect()
    }

    /// Describes the record by its most significant fields, unescaped: the caller must escape hidden characters.
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
    /// Describes how many records there are, when they start, and what they share.
    fn told(&self) -> String {
        let from = time(&self.first).map(|time| format!(" from {}", time.to_text())).unwrap_or_default();
        let shared: Vec<String> =
            self.shared.iter().map(|(field, value)| format!("{field}={}", shortened(value))).collect();
        let records = if self.records == 1 { "record" } else { "records" };
        format!("{} {records}{from} of {}, the last", self.records, shared.join(", "))
    }
}

/// Shortens a text to fit on a line.
pub fn shortened(text: &str) -> String {
    let short: String = text.chars().take(SHOWN.1).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    format!("{short}{cut}")
}

/// Returns the records that match a rule, ours or somebody else's, of at least this level; [`order`] sorts them for display.
///
/// `others` are records that match somebody else's rules, with those rules. A record in both lists appears once.
/// `known` returns the list that knows a hash as good: such a file gets a lower level but is not left out.
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

/// Returns the sequences as sightings, each at the position of its last record.
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

/// The requested time range, inclusive; an end that is not given is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Between {
    /// The first instant.
    pub from: Option<Utc>,
    /// The last instant.
    pub to: Option<Utc>,
}

impl Between {
    /// Checks whether both ends are open.
    pub const fn is_open(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }

    /// Checks whether the time of a record, or of the first record of a sequence, can be in the range.
    /// A record without a time is in no bounded range.
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

    /// Describes the range, unless it is open.
    pub fn told(&self) -> Option<String> {
        let from = self.from.map(|from| format!("from {from}"));
        let to = self.to.map(|to| format!("to {to}"));
        let told: Vec<String> = from.into_iter().chain(to).collect();
        (!told.is_empty()).then(|| format!("what has a time {}", told.join(" ")))
    }
}

/// Sorts by level, highest first, then by time.
pub fn order(all: &mut [Sighting<'_>]) {
    let when = |it: &Sighting<'_>| it.time.and_then(|time| time.utc).map(|utc| utc.unix_nanoseconds());
    all.sort_by_key(|it| (Reverse(it.level()), when(it).is_none(), when(it)));
}

/// Returns our rules that a record matches.
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

/// A rule and its number of records. For our own rules, a record counts only for its first match; for other rules, every match counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Total<'s> {
    /// One of its matches.
    pub fit: &'s Fit,
    /// The number of records.
    pub records: usize,
}

/// Counts the records that match each rule, highest level first.
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

/// Returns the time that best dates a record.
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
