//! Rules prepared and matched against records.

use crate::correlate::{Correlated, Correlations};
use crate::guard::{Guards, guard};
use crate::load::{
    Broken, Loaded, Rule, RuleFile, broken as broken_of, fields, in_words, load, meant, unless_it_panics,
};
use crate::mapping::{Source, shipped};
use crate::view::{Names, Seen, View};
use detect::Level;
use ledger::Record;
use rsigma_eval::{CompiledRule, Engine, compile_rule, evaluate_rule};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most fields of a record in a hit.
const MOST_FIELDS: usize = 16;

/// The result of checking rules against our records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The usable rules in file order; rules over several events come after the others.
    pub rules: Vec<Rule>,
    /// What cannot be used, with the reason.
    pub broken: Vec<Broken>,
    /// Log sources that no record is from, with the rules that name each.
    pub no_records: BTreeMap<String, Vec<usize>>,
    /// Fields that no record of the rule's log source has: log source and field, with the rules that use them.
    pub no_field: BTreeMap<String, Vec<usize>>,
}

/// A match of a rule with a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hit {
    /// The number of the rule.
    pub rule: usize,
    /// How much the record stands out because of it: the rule's level, or lower if the record says less than the rule asks.
    pub level: Level,
    /// The fields that the rule uses, by its own names, with their values.
    pub fields: Vec<(String, String)>,
    /// Whether the record only says what exists, not that somebody did it.
    pub state: bool,
    /// The fields that the rule uses and such records do not have.
    pub lacks: Vec<String>,
}

/// Rules that records are compared with.
pub struct RuleSet {
    check: Check,
    names: Names,
    engine: Engine,
    /// For each rule, the fields that it uses.
    looked_at: Vec<Vec<String>>,
    buckets: Vec<Bucket>,
    correlations: Correlations,
}

/// The rules of one log source.
struct Bucket {
    source: &'static Source,
    guards: Guards,
    /// The fields that rules use and such records do not have.
    lacks: BTreeSet<String>,
}

impl RuleSet {
    /// Prepares the rules of files. [`RuleSet::check`] reports what cannot be used.
    pub fn of(files: &[RuleFile], names: Names) -> RuleSet {
        let Loaded { rules, correlations, filters, mut broken } = load(files);
        let mut check = Check::default();
        let mut compiled: Vec<CompiledRule> = Vec::new();
        let mut kept = Vec::new();
        for (told, rule) in rules {
            match unless_it_panics(|| compile_rule(&rule).map_err(|error| error.to_string())) {
                Ok(done) => {
                    compiled.push(done);
                    check.rules.push(told);
                    kept.push(rule);
                }
                Err(error) => {
                    broken.push(broken_of(&file_of(files, &told.file), &error));
                }
            }
        }
        let mut engine = Engine::new();
        engine.extend_compiled_rules(compiled);
        for (file, filter) in &filters {
            if let Err(error) = engine.apply_filter(filter) {
                broken.push(broken_of(&file_of(files, file), &error.to_string()));
            }
        }
        let mut by_source: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut looked_at = Vec::new();
        for (number, rule) in kept.iter().enumerate() {
            let sources = meant(shipped(), &rule.logsource);
            if sources.is_empty() {
                check.no_records.entry(in_words(&rule.logsource)).or_default().push(number);
            }
            for field in unknown(rule, &sources, names) {
                let place = format!("{}: {field}", in_words(&rule.logsource));
                check.no_field.entry(place).or_default().push(number);
            }
            for (source, _) in sources {
                by_source.entry(source).or_default().push(number);
            }
            looked_at.push(fields(rule).into_iter().map(str::to_owned).collect());
        }
        let buckets = by_source.into_iter().filter_map(|(source, rules)| {
            let source = shipped().get(source)?;
            let known = known(source, names);
            let mut lacks = BTreeSet::new();
            for rule in rules.iter().filter_map(|number| kept.get(*number)).filter(|_| !source.open) {
                lacks.extend(
                    fields(rule).into_iter().filter(|field| !known.contains(*field)).map(str::to_owned),
                );
            }
            let guarded = rules
                .iter()
                .map(|number| (*number, kept.get(*number).and_then(|rule| guard(&rule.detection))));
            Some(Bucket { source, guards: Guards::of(guarded), lacks })
        });
        let buckets = buckets.collect();
        let (correlations, failed) = Correlations::of(&kept, correlations, check.rules.len());
        broken.extend(failed.iter().map(|(told, reason)| broken_at(files, told, reason)));
        check.rules.extend(correlations.rules().cloned());
        check.broken = broken;
        RuleSet { check, names, engine, looked_at, buckets, correlations }
    }

    /// Returns the available rules, and what is wrong with others.
    pub const fn check(&self) -> &Check {
        &self.check
    }

    /// Returns the record types that a rule covers; `None` among them means every event of a log.
    pub fn records(&self) -> BTreeSet<Option<String>> {
        let of = |bucket: &Bucket| -> Vec<Option<String>> {
            match bucket.source.is_of_events() {
                true => vec![None],
                false => bucket.source.records.iter().cloned().map(Some).collect(),
            }
        };
        self.buckets.iter().flat_map(of).collect()
    }

    /// Returns the rules that a record matches.
    pub fn hits(&self, record: &Record) -> Vec<Hit> {
        let view = View::of(record, &self.names);
        let mut hits: Vec<Hit> = Vec::new();
        for bucket in &self.buckets {
            let Some(seen) = Seen::of(&view, bucket.source) else { continue };
            for number in bucket.guards.let_through(&seen) {
                let fits =
                    self.engine.rules().get(number).is_some_and(|rule| evaluate_rule(rule, &seen).is_some());
                if fits && !hits.iter().any(|hit| hit.rule == number) {
                    hits.push(self.hit(number, bucket, &seen));
                }
            }
        }
        hits
    }

    fn hit(&self, number: usize, bucket: &Bucket, seen: &Seen<'_, '_>) -> Hit {
        let looked_at = || self.looked_at.get(number).into_iter().flatten();
        let told = looked_at().filter_map(|field| Some((field.clone(), seen.told(field)?)));
        let level = self.check.rules.get(number).map_or(Level::Low, |rule| rule.level);
        let level = match (bucket.source.state, seen.is_name_alone()) {
            (_, true) => Level::Low,
            (true, false) => lowered(level),
            (false, false) => level,
        };
        Hit {
            rule: number,
            level,
            fields: told.take(MOST_FIELDS).collect(),
            state: bucket.source.state,
            lacks: looked_at().filter(|field| bucket.lacks.contains(*field)).cloned().collect(),
        }
    }

    /// Checks whether rules over several events use the matches of a rule.
    pub fn is_correlated(&self, rule: usize) -> bool {
        self.correlations.look_at(rule)
    }

    /// Returns what rules over several events need from a record that matches a rule, at this second since 1970.
    pub fn noted(&self, record: &Record, rule: usize, seconds: i64, ordinal: usize) -> Noted {
        let view = View::of(record, &self.names);
        let buckets = self.buckets.iter();
        let seen = buckets.filter_map(|bucket| Seen::of(&view, bucket.source)).next();
        let wanted = self.correlations.fields();
        let fields = wanted.filter_map(|field| Some((field.to_owned(), seen.as_ref()?.one(field)?)));
        Noted { seconds, ordinal, rule, fields: fields.collect() }
    }

    /// Returns what rules over several events find in everything that was noted.
    pub fn correlated(&self, noted: Vec<Noted>) -> Vec<Correlated> {
        self.correlations.find(noted)
    }
}

/// What a rule over several events needs from one of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Noted {
    pub(crate) seconds: i64,
    /// The caller's number for its record.
    pub(crate) ordinal: usize,
    pub(crate) rule: usize,
    pub(crate) fields: BTreeMap<String, String>,
}

/// Returns the next lower level: the existence of a setting says less than that somebody just set it.
const fn lowered(level: Level) -> Level {
    match level {
        Level::Critical => Level::High,
        Level::High => Level::Medium,
        Level::Medium | Level::Low | Level::Ordinary => Level::Low,
    }
}

fn file_of(files: &[RuleFile], name: &str) -> RuleFile {
    let found = files.iter().find(|file| file.name == name);
    found.cloned().unwrap_or_else(|| RuleFile { name: name.to_owned(), text: String::new() })
}

fn broken_at(files: &[RuleFile], told: &Rule, reason: &str) -> Broken {
    broken_of(&file_of(files, &told.file), reason)
}

/// Returns the fields that records of a source are known to have.
fn known(source: &Source, names: Names) -> BTreeSet<String> {
    const OF_EVENTS: [&str; 10] = [
        "EventID",
        "Provider_Name",
        "Channel",
        "Computer",
        "ComputerName",
        "EventRecordID",
        "Level",
        "md5",
        "sha1",
        "sha256",
    ];
    let mut known: BTreeSet<String> = source.fields.keys().cloned().collect();
    known.extend(source.has.iter().cloned());
    if source.is_of_events() {
        known.extend(OF_EVENTS.iter().map(|name| (*name).to_owned()));
        for (channel, id) in source.events() {
            known.extend((names.of_channel)(channel, id).into_iter().map(str::to_owned));
        }
    }
    known
}

/// Returns the fields of a rule that no record of its log source has.
fn unknown<'r>(
    rule: &'r rsigma_parser::SigmaRule,
    sources: &[(usize, &Source)],
    names: Names,
) -> Vec<&'r str> {
    if sources.is_empty() || sources.iter().any(|(_, source)| source.open) {
        return Vec::new();
    }
    let known: BTreeSet<String> = sources.iter().flat_map(|(_, source)| known(source, names)).collect();
    fields(rule).into_iter().filter(|field| !known.contains(*field)).collect()
}

/// Returns the rules that a record matches, by trying each.
#[cfg(test)]
pub(crate) fn fits_without_guards(set: &RuleSet, record: &Record) -> Vec<usize> {
    let view = View::of(record, &set.names);
    let mut fitting = BTreeSet::new();
    for bucket in &set.buckets {
        let Some(seen) = Seen::of(&view, bucket.source) else { continue };
        let rules = set.engine.rules().iter().enumerate();
        fitting
            .extend(rules.filter(|(_, rule)| evaluate_rule(rule, &seen).is_some()).map(|(number, _)| number));
    }
    fitting.into_iter().collect()
}
