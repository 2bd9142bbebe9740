//! Reads rules: each file separately, so that a broken one is reported and the others can be used.

use crate::mapping::Source;
use detect::Level;
use ledger::Digest;
use rsigma_parser::{
    CorrelationRule, Detection, DetectionItem, FilterRule, LogSource, SigmaRule, SigmaString, SigmaValue,
    parse_sigma_yaml,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The longest file of rules in bytes.
pub const LONGEST: usize = 512 << 10;

/// The most YAML aliases in a file, because each repeats what it refers to.
const MOST_ALIASES: usize = 64;

/// The most characters of a reported reason.
const REASON: usize = 400;

/// A file of rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// Its name for people.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A rule, or a file of them, that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broken {
    /// The file.
    pub file: String,
    /// The line, from 1, if it is known.
    pub line: Option<u64>,
    /// What is wrong with it.
    pub reason: String,
}

/// What a rule says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its id, mostly a UUID.
    pub id: Option<String>,
    /// Its title.
    pub title: String,
    /// Its level in our terms.
    pub level: Level,
    /// Its level in Sigma's terms, if it has one.
    pub sigma_level: Option<String>,
    /// Its tags, such as `attack.t1059.001`.
    pub tags: Vec<String>,
    /// The file that contains it.
    pub file: String,
    /// SHA-256 of that file.
    pub digest: Digest,
}

/// The content of all files.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) rules: Vec<(Rule, SigmaRule)>,
    pub(crate) correlations: Vec<(Rule, CorrelationRule)>,
    pub(crate) filters: Vec<(String, FilterRule)>,
    pub(crate) broken: Vec<Broken>,
}

/// Reads files of rules.
pub(crate) fn load(files: &[RuleFile]) -> Loaded {
    let mut loaded = Loaded::default();
    for file in files {
        if let Err(reason) = read(file, &mut loaded) {
            loaded.broken.push(broken(file, &reason));
        }
    }
    loaded
}

fn read(file: &RuleFile, loaded: &mut Loaded) -> Result<(), String> {
    if file.text.len() > LONGEST {
        return Err(format!("{} bytes; a file of rules has {LONGEST} at most", file.text.len()));
    }
    if aliases(&file.text) > MOST_ALIASES {
        return Err(format!("more than {MOST_ALIASES} aliases of YAML"));
    }
    let found = unless_it_panics(|| parse_sigma_yaml(&file.text).map_err(|error| error.to_string()))?;
    loaded.broken.extend(found.errors.iter().map(|reason| broken(file, reason)));
    if found.is_empty() && found.errors.is_empty() {
        return Err("there is no rule in it".to_owned());
    }
    let digest = Digest::of(file.text.as_bytes());
    let told = |id: Option<String>, title: &str, level: Option<rsigma_parser::Level>, tags: &[String]| Rule {
        id,
        title: title.to_owned(),
        level: of_sigma(level),
        sigma_level: level.map(|level| level.as_str().to_owned()),
        tags: tags.to_vec(),
        file: file.name.clone(),
        digest,
    };
    for mut rule in found.rules {
        own_settings(&mut rule.custom_attributes);
        rule.detection.named.values_mut().for_each(settle);
        loaded.rules.push((told(rule.id.clone(), &rule.title, rule.level, &rule.tags), rule));
    }
    for mut rule in found.correlations {
        own_settings(&mut rule.custom_attributes);
        loaded.correlations.push((told(rule.id.clone(), &rule.title, rule.level, &rule.tags), rule));
    }
    for mut filter in found.filters {
        filter.detection.named.values_mut().for_each(settle);
        loaded.filters.push((file.name.clone(), filter));
    }
    Ok(())
}

/// Calls the library on a rule; a panic becomes an ordinary error (decision 0013).
pub(crate) fn unless_it_panics<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|_| Err("it broke the library that reads it".to_owned()))
}

/// Removes attributes with which a rule would change settings of the library.
fn own_settings<V>(attributes: &mut std::collections::HashMap<String, V>) {
    attributes.retain(|name, _| !name.starts_with("rsigma."));
}

/// Converts a level to our terms; Sigma's informational level, which is only for enrichment, becomes low.
fn of_sigma(level: Option<rsigma_parser::Level>) -> Level {
    match level {
        Some(rsigma_parser::Level::Critical) => Level::Critical,
        Some(rsigma_parser::Level::High) => Level::High,
        Some(rsigma_parser::Level::Medium) => Level::Medium,
        Some(rsigma_parser::Level::Low | rsigma_parser::Level::Informational) | None => Level::Low,
    }
}

pub(crate) fn broken(file: &RuleFile, reason: &str) -> Broken {
    /// The text that the library repeats for each level of a nested condition.
    const AGAIN: &str = "Condition parse error";
    let is_condition = reason.starts_with(AGAIN);
    let innermost =
        reason.rsplit_once(AGAIN).filter(|_| is_condition).map(|(_, inner)| format!("{AGAIN}{inner}"));
    let words: Vec<&str> = innermost.as_deref().unwrap_or(reason).split_whitespace().collect();
    let reason: String = words.join(" ").chars().filter(|it| !it.is_control()).take(REASON).collect();
    let line = line(&reason).or_else(|| {
        let place = file.text.lines().position(|line| line.trim_start().starts_with("condition:"))?;
        is_condition.then(|| place as u64 + 1)
    });
    Broken { file: file.name.clone(), line, reason }
}

/// Returns the line that a YAML message names.
fn line(reason: &str) -> Option<u64> {
    let (_, behind) = reason.split_once("at line ")?;
    behind.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok()
}

/// Counts the values that look like YAML aliases.
fn aliases(text: &str) -> usize {
    let starts = |before: u8| matches!(before, b' ' | b'[' | b',' | b':' | b'\n');
    let bytes = text.as_bytes();
    bytes
        .windows(3)
        .filter(|window| match window {
            [before, b'*', name] => starts(*before) && name.is_ascii_alphanumeric(),
            _ => false,
        })
        .count()
}

/// No record holds values that Windows leaves empty or writes as `-`, so a rule that asks for such a value asks for a missing field.
fn settle(detection: &mut Detection) {
    match detection {
        Detection::AllOf(items) => items.iter_mut().for_each(settle_item),
        Detection::AnyOf(all) => all.iter_mut().for_each(settle),
        Detection::Keywords(_) => {}
    }
}

fn settle_item(item: &mut DetectionItem) {
    if !item.field.modifiers.is_empty() || item.field.name.is_none() {
        return;
    }
    for value in &mut item.values {
        if let SigmaValue::String(SigmaString { original, .. }) = value
            && matches!(original.as_str(), "" | "-")
        {
            *value = SigmaValue::Null;
        }
    }
}

/// Returns the fields that a rule uses.
pub(crate) fn fields(rule: &SigmaRule) -> BTreeSet<&str> {
    let mut all = BTreeSet::new();
    rule.detection.named.values().for_each(|detection| add_fields(detection, &mut all));
    all
}

fn add_fields<'r>(detection: &'r Detection, all: &mut BTreeSet<&'r str>) {
    match detection {
        Detection::AllOf(items) => all.extend(items.iter().filter_map(|item| item.field.name.as_deref())),
        Detection::AnyOf(inner) => inner.iter().for_each(|detection| add_fields(detection, all)),
        Detection::Keywords(_) => {}
    }
}

/// Describes the log source in words.
pub(crate) fn in_words(logsource: &LogSource) -> String {
    let parts =
        [("product", &logsource.product), ("category", &logsource.category), ("service", &logsource.service)];
    let named =
        parts.iter().filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} {value}")));
    let words = named.collect::<Vec<_>>().join(", ");
    if words.is_empty() { "none".to_owned() } else { words }
}

/// Returns the sources that a log source refers to.
pub(crate) fn meant<'s>(sources: &'s [Source], logsource: &LogSource) -> Vec<(usize, &'s Source)> {
    sources.iter().enumerate().filter(|(_, source)| source.is_meant_by(logsource)).collect()
}
