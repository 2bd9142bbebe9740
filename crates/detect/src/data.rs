//! Reads the data file and checks that it is consistent.

use crate::baseline::{Baseline, Difference};
use crate::error::AttackError;
use crate::mention::Mentions;
use crate::rule::{Asked, Kind, Ordinary, Rule};
use crate::{Attack, Level, Tactic, TacticId, Technique, TechniqueId};
use ledger::pattern::Patterns;
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AttackFile {
    version: String,
    source: String,
    /// The tactics in the order of the matrix: TOML keeps no order between tables.
    matrix: Vec<TacticId>,
    tactic: BTreeMap<TacticId, TacticEntry>,
    technique: BTreeMap<TechniqueId, TechniqueEntry>,
    /// Patterns that several rules share: `"@name"` refers to them.
    #[serde(default)]
    list: BTreeMap<String, Vec<String>>,
    rule: Vec<RuleEntry>,
    #[serde(default)]
    mention: Option<MentionEntry>,
    #[serde(default)]
    ordinary: Vec<OrdinaryEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TacticEntry {
    name: String,
    shortname: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TechniqueEntry {
    name: String,
    tactics: Vec<TacticId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleEntry {
    id: String,
    note: String,
    level: Level,
    techniques: Vec<TechniqueId>,
    record: Patterns,
    #[serde(default)]
    predicate: Option<Patterns>,
    #[serde(default)]
    when: BTreeMap<String, Patterns>,
    #[serde(default)]
    unless: BTreeMap<String, Patterns>,
    #[serde(default)]
    earlier: Option<[String; 2]>,
    /// Predicates of another fact about the same thing that raise the level to medium.
    #[serde(default)]
    raised_by: BTreeSet<String>,
    #[serde(default)]
    differs: Vec<Difference>,
    /// Whether lines that only mention something and are not run count, too.
    #[serde(default)]
    mentions: bool,
}

/// Which command lines only mention something and are not run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MentionEntry {
    record: Patterns,
    fields: Patterns,
    comment: Patterns,
    said: Patterns,
    runs: Patterns,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OrdinaryEntry {
    note: String,
    record: Patterns,
    #[serde(default)]
    when: BTreeMap<String, Patterns>,
    #[serde(default)]
    unless: BTreeMap<String, Patterns>,
}

/// The parts of an entry that describe its kind of trace.
pub(crate) struct KindEntry {
    pub(crate) record: Patterns,
    pub(crate) predicate: Option<Patterns>,
    pub(crate) when: BTreeMap<String, Patterns>,
    pub(crate) unless: BTreeMap<String, Patterns>,
    pub(crate) earlier: Option<[String; 2]>,
}

pub(crate) type Lists = BTreeMap<String, Vec<String>>;

/// Reads and checks the data of `text`.
pub(crate) fn read(text: &str) -> Result<Attack, AttackError> {
    let file: AttackFile = toml::from_str(text).map_err(AttackError::Read)?;
    let tactics = tactics(&file.matrix, file.tactic)?;
    let mut techniques = BTreeMap::new();
    for (id, entry) in file.technique {
        techniques.insert(id.clone(), technique(id, entry, &tactics)?);
    }
    once("the rules", file.rule.iter().map(|rule| &rule.id))?;
    once("the rules", file.rule.iter().map(|rule| &rule.note))?;
    let rules = file.rule.into_iter().map(|entry| rule(entry, &techniques, &file.list));
    let mut rules = rules.collect::<Result<Vec<_>, _>>()?;
    rules.sort_by_key(|rule| Reverse(rule.level));
    let mut by_record: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, rule) in rules.iter().enumerate() {
        for record in &rule.kind.records {
            by_record.entry(record.clone()).or_default().push(number);
        }
    }
    once("what is ordinary", file.ordinary.iter().map(|entry| &entry.note))?;
    let entries = file.ordinary.into_iter().map(|entry| self::ordinary(entry, &file.list));
    let ordinary = entries.collect::<Result<_, _>>()?;
    let mentions = file.mention.map(|entry| mentions(entry, &file.list)).transpose()?;
    let (version, source) = (file.version, file.source);
    let (windows, retired) = (Baseline::default(), Vec::new());
    Ok(Attack {
        version,
        source,
        tactics,
        techniques,
        rules,
        by_record,
        ordinary,
        windows,
        mentions,
        retired,
    })
}

fn tactics(
    matrix: &[TacticId],
    mut entries: BTreeMap<TacticId, TacticEntry>,
) -> Result<Vec<Tactic>, AttackError> {
    let mut tactics = Vec::new();
    for id in matrix {
        // A tactic that is in the matrix twice is already removed here.
        let Some(TacticEntry { name, shortname }) = entries.remove(id) else {
            return Err(AttackError::Matrix { tactic: id.clone() });
        };
        tactics.push(Tactic { id: id.clone(), name, shortname });
    }
    if let Some(tactic) = entries.into_keys().next() {
        return Err(AttackError::Matrix { tactic });
    }
    once("the short names", tactics.iter().map(|tactic| &tactic.shortname))?;
    Ok(tactics)
}

fn technique(id: TechniqueId, entry: TechniqueEntry, tactics: &[Tactic]) -> Result<Technique, AttackError> {
    let TechniqueEntry { name, tactics: named } = entry;
    once(id.as_str(), &named)?;
    if let Some(unknown) = named.iter().find(|named| !tactics.iter().any(|tactic| tactic.id == **named)) {
        return Err(AttackError::UnknownTactic { technique: id, tactic: unknown.to_string() });
    }
    let ordered = tactics.iter().map(|tactic| &tactic.id).filter(|id| named.contains(id));
    let tactics = ordered.cloned().collect();
    Ok(Technique { id, name, tactics })
}

fn rule(
    entry: RuleEntry,
    techniques: &BTreeMap<TechniqueId, Technique>,
    lists: &Lists,
) -> Result<Rule, AttackError> {
    let RuleEntry {
        id,
        note,
        level,
        techniques: named,
        record,
        predicate,
        when,
        unless,
        earlier,
        raised_by,
        differs,
        mentions,
    } = entry;
    once(&note, &named)?;
    if let Some(unknown) = named.iter().find(|id| !techniques.contains_key(*id)) {
        return Err(AttackError::UnknownTechnique { rule: note, technique: unknown.clone() });
    }
    for (lacks, is_empty) in
        [("id", id.is_empty()), ("note", note.is_empty()), ("technique", named.is_empty())]
    {
        if is_empty {
            return Err(AttackError::EmptyRule { rule: note, lacks });
        }
    }
    let kind = kind(&note, KindEntry { record, predicate, when, unless, earlier }, lists)?;
    Ok(Rule { id, note, level, techniques: named.into_iter().collect(), mentions, kind, raised_by, differs })
}

fn mentions(entry: MentionEntry, lists: &Lists) -> Result<Mentions, AttackError> {
    let of = |patterns: &Patterns| expanded("mention", patterns, lists);
    Ok(Mentions {
        records: of(&entry.record)?.into_iter().collect(),
        fields: Patterns::Any(of(&entry.fields)?),
        comments: Patterns::Any(of(&entry.comment)?),
        said: Patterns::Any(of(&entry.said)?),
        runs: Patterns::Any(of(&entry.runs)?),
    })
}

fn ordinary(entry: OrdinaryEntry, lists: &Lists) -> Result<Ordinary, AttackError> {
    let OrdinaryEntry { note, record, when, unless } = entry;
    let kind = kind(&note, KindEntry { record, predicate: None, when, unless, earlier: None }, lists)?;
    Ok(Ordinary { note, kind })
}

pub(crate) fn kind(note: &str, entry: KindEntry, lists: &Lists) -> Result<Kind, AttackError> {
    let records: BTreeSet<String> = expanded(note, &entry.record, lists)?.into_iter().collect();
    if records.is_empty() {
        return Err(AttackError::EmptyRule { rule: note.to_owned(), lacks: "record" });
    }
    let predicates = match &entry.predicate {
        Some(predicates) => expanded(note, predicates, lists)?.into_iter().collect(),
        None => BTreeSet::new(),
    };
    let asked = |entries: BTreeMap<String, Patterns>| {
        let one = |(fields, texts): (String, Patterns)| {
            let fields = Patterns::Any(expanded(note, &Patterns::One(fields), lists)?);
            let texts = Patterns::Any(expanded(note, &texts, lists)?);
            Ok::<_, AttackError>(Asked { fields, texts })
        };
        entries.into_iter().map(one).collect::<Result<Vec<_>, AttackError>>()
    };
    let (when, unless) = (asked(entry.when)?, asked(entry.unless)?);
    Ok(Kind { records, predicates, when, unless, earlier: entry.earlier })
}

/// Returns the patterns, with list names replaced by the lists' items.
fn expanded(rule: &str, patterns: &Patterns, lists: &Lists) -> Result<Vec<String>, AttackError> {
    let named: &[String] = match patterns {
        Patterns::One(pattern) => std::slice::from_ref(pattern),
        Patterns::Any(patterns) => patterns,
    };
    let mut all = Vec::new();
    for pattern in named {
        match pattern.strip_prefix('@') {
            None => all.push(pattern.clone()),
            Some(list) => match lists.get(list) {
                Some(items) => all.extend(items.iter().cloned()),
                None => {
                    return Err(AttackError::UnknownList { rule: rule.to_owned(), list: list.to_owned() });
                }
            },
        }
    }
    Ok(all)
}

/// Checks that nothing occurs twice.
pub(crate) fn once<T: Ord + ToString>(of: &str, all: impl IntoIterator<Item = T>) -> Result<(), AttackError> {
    let mut met = BTreeSet::new();
    for one in all {
        let text = one.to_string();
        if !met.insert(one) {
            return Err(AttackError::Twice { of: of.to_owned(), twice: text });
        }
    }
    Ok(())
}
