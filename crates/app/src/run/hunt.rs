//! The hunt: when the agents have ended, the records are compared with third-party rules, and code records the best matches.
//!
//! The matches are one event of the run. Recording them is a task like any other,
//! with its own calls, outputs and facts, which the same gateway judges.

use super::{Charge, RunError, Site};
use crate::borrowed::{fit_of_indicator, fit_of_rule, fits};
use crate::brought::{Brought, known_good};
use crate::made_tables::MadeTables;
use crate::names::told;
use crate::stored::StoredTask;
use crate::tables::{Compared, TablesError};
use crate::waiting::wait_for;
use crate::worker::Worker;
use detect::Level;
use ledger::brought::{HitOf, MatchedField, RuleFit, RuleHit, Unusable};
use ledger::event::{RunOpened, TaskAssigned};
use ledger::{
    AgentSpec, BroughtKind, Digest, HUNT, Record, RulesMatched, Surface, TaskId, ToolClass, canonical,
};
use llm::Playbook;
use llm::playbook::{HuntedRows, hunted};
use report::hunt::{Fit, Whose, hashes, is_of_file, shortened};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use tools::{Found, Indexes, KnownGood, Matched};

/// The most records of a rule and host that become facts.
const FACTS_OF_RULE: usize = 20;

/// The most records of a run that become facts through third-party rules.
const FACTS: usize = 400;

/// The most records of a rule and host whose hits are in the log.
const HITS_OF_RULE: usize = 100;

/// The most records whose hits are in the log.
const HITS: usize = 2000;

/// The most records of one rule that a worker returns.
const FOUND_OF_RULE: u64 = 500;

/// The most entries about files, rules and indicators that cannot be used.
const UNUSABLE: usize = 200;

/// The most matched fields that are kept with a hit.
const FIELDS: usize = 8;

/// To be incremented when a hunt makes other calls for the same hits.
const VERSION: &str = "hunt 1";

/// Compares the records of a run with the third-party rules.
///
/// If nothing could be compared, the event says so and the run continues.
///
/// # Errors
///
/// Fails if no worker starts, or the run was interrupted.
pub(super) async fn compared(
    folder: &Path,
    site: &Site,
    indexes: &Indexes,
    made: &Arc<MadeTables>,
) -> Result<RulesMatched, RunError> {
    let count = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let workers = (0..count).map(|_| Worker::start(&site.work.worker, &site.case, indexes));
    let workers = workers.collect::<Result<Vec<_>, _>>().map_err(RunError::Tools)?;
    let asker = Worker::of_tables(&site.work.worker, made.folder()).map_err(RunError::Tools)?;
    let cancellers = workers.iter().chain([&asker]).map(Worker::canceller).collect();
    let (brought, made) = (Arc::clone(&site.brought), Arc::clone(made));
    let labels: Vec<String> = site.case.entry.evidence.iter().map(|entry| entry.label.clone()).collect();
    let work = move || {
        let of = Compared { made: &made, labels: &labels, workers: &workers, asker: &asker };
        matched(&of, &brought)
    };
    let matched = wait_for(&site.work.interrupt, cancellers, work).await;
    if site.work.interrupt.is_interrupted() {
        return Err(RunError::Interrupted { folder: folder.to_owned() });
    }
    match matched.map_err(|_| RunError::Panicked { folder: folder.to_owned() })? {
        Ok(matched) => Ok(matched),
        Err(error) => Ok(RulesMatched { failed: Some(told(&*error)), ..RulesMatched::default() }),
    }
}

type AnyError = Box<dyn std::error::Error + Send + Sync>;

fn matched(of: &Compared<'_>, brought: &Brought) -> Result<RulesMatched, AnyError> {
    let matched: Matched = of
        .matched(&brought.rules, Level::Low, Some(FOUND_OF_RULE))
        .map_err(|error: TablesError| AnyError::from(error))?;
    let wanted: HashSet<String> = matched.found.iter().flat_map(|found| hashes(&found.record)).collect();
    let known = known_good(&brought.paths.known_good, &wanted)?;
    Ok(recorded(&matched, brought, &known))
}

/// Returns the log entry of the matches.
fn recorded(matched: &Matched, brought: &Brought, known: &KnownGood) -> RulesMatched {
    let check = &matched.sigma;
    let unmatched: BTreeSet<usize> = check.no_records.values().flatten().copied().collect();
    let mut unusable = unusable(matched, brought);
    let more_unusable = unusable.len().saturating_sub(UNUSABLE) as u64;
    unusable.truncate(UNUSABLE);
    let mut of_rules = rules_of(matched);
    let hits = hits(matched, &mut of_rules, known);
    RulesMatched {
        rules: check.rules.len() as u64,
        unmatched: unmatched.len() as u64,
        indicators: matched.indicators_read,
        records: matched.looked_at,
        unusable,
        more_unusable,
        gaps: matched.gaps.len() as u64,
        fits: of_rules.fits,
        hits,
        failed: None,
    }
}

fn unusable(matched: &Matched, brought: &Brought) -> Vec<Unusable> {
    let broken = brought.broken.iter().chain(&matched.sigma.broken);
    let broken =
        broken.map(|it| Unusable { file: it.file.clone(), line: it.line, reason: it.reason.clone() });
    let unreadable = brought.unreadable.iter().chain(&matched.unreadable);
    let unreadable =
        unreadable.map(|it| Unusable { file: it.file.clone(), line: it.line, reason: it.reason.clone() });
    let skipped = matched.skipped.iter().map(|it| Unusable {
        file: it.file.clone(),
        line: it.line,
        reason: format!("left out: {} ({} times)", it.what, it.times),
    });
    broken.chain(unreadable).chain(skipped).collect()
}

/// The rules that records match, and the index of each.
struct OfRules {
    fits: Vec<RuleFit>,
    places: BTreeMap<(BroughtKind, String), u32>,
}

/// Returns the rules and indicators with matches, the highest level first, then those with fewer matches.
fn rules_of(matched: &Matched) -> OfRules {
    let mut fits: BTreeMap<(BroughtKind, String), RuleFit> = BTreeMap::new();
    let rules = matched.sigma.rules.iter().zip(&matched.counts).filter(|(_, count)| **count > 0);
    let rules = rules.map(|(rule, count)| (fit_of_rule(rule), *count));
    let named = matched.indicators.iter();
    let named = named.map(|named| (fit_of_indicator(&named.indicator), named.records));
    for (fit, records) in rules.chain(named) {
        let known = fits.entry((kind(fit.whose), fit.rule.clone())).or_insert_with(|| RuleFit {
            kind: kind(fit.whose),
            rule: fit.rule.clone(),
            title: fit.note.clone(),
            level: fit.level.name().to_owned(),
            techniques: fit.techniques.clone(),
            tags: fit.tags.clone(),
            file: fit.file.clone().unwrap_or_default(),
            digest: fit.digest.clone(),
            records: 0,
        });
        known.records += records;
    }
    let mut fits: Vec<RuleFit> = fits.into_values().collect();
    fits.sort_by_key(|fit| (Reverse(Level::of_name(&fit.level)), fit.records, fit.kind, fit.rule.clone()));
    let places = (0..).zip(&fits).map(|(place, fit)| ((fit.kind, fit.rule.clone()), place)).collect();
    OfRules { fits, places }
}

const fn kind(whose: Whose) -> BroughtKind {
    match whose {
        Whose::Indicator => BroughtKind::Ioc,
        Whose::Ours | Whose::Sigma => BroughtKind::Sigma,
    }
}

/// Returns the matching records, the most important first: by level, by how few
/// records match the rule, by how few hits say the same, by time.
fn hits(matched: &Matched, rules: &mut OfRules, known: &KnownGood) -> Vec<RuleHit> {
    let all: Vec<(RuleHit, Option<i128>)> = matched
        .found
        .iter()
        .filter_map(|found| Some((hit(found, matched, rules, known)?, when(&found.record))))
        .collect();
    highest(&mut rules.fits, &all);
    let said = |hit: &RuleHit| {
        hit.fits.first().map(|of| {
            (of.rule, hit.record.clone(), of.matched.iter().map(|it| it.value.clone()).collect::<Vec<_>>())
        })
    };
    let mut alike: BTreeMap<_, usize> = BTreeMap::new();
    for (hit, _) in &all {
        *alike.entry(said(hit)).or_default() += 1;
    }
    let few = |hit: &RuleHit| {
        let rule = hit.fits.first().and_then(|of| rules.fits.get(usize::try_from(of.rule).ok()?));
        rule.map_or(u64::MAX, |rule| rule.records)
    };
    let mut all: Vec<_> = all
        .into_iter()
        .map(|(hit, time)| {
            ((Reverse(level(&hit)), few(&hit), alike.get(&said(&hit)).copied(), time.is_none(), time), hit)
        })
        .collect();
    all.sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| a.locator.cmp(&b.locator)));
    let ordered = all.into_iter().map(|(_, hit)| hit);
    let mut each = Each::new(HITS_OF_RULE);
    ordered.filter(|hit| each.has_room(hit)).take(HITS).collect()
}

/// Lowers the level of each rule to the highest level of its hits. A hit has a
/// lower level than its rule if the record shows a state, not an action.
fn highest(fits: &mut [RuleFit], all: &[(RuleHit, Option<i128>)]) {
    let mut levels: BTreeMap<u32, Level> = BTreeMap::new();
    for of in all.iter().flat_map(|(hit, _)| &hit.fits) {
        let level = Level::of_name(&of.level).unwrap_or(Level::Low);
        levels.entry(of.rule).and_modify(|known| *known = (*known).max(level)).or_insert(level);
    }
    for (place, fit) in (0..).zip(fits) {
        if let Some(level) = levels.get(&place) {
            fit.level = level.name().to_owned();
        }
    }
}

fn level(hit: &RuleHit) -> Level {
    let level = hit.fits.iter().filter_map(|of| Level::of_name(&of.level)).max().unwrap_or(Level::Low);
    if hit.known_good.is_some() { level.min(Level::Low) } else { level }
}

fn hit(found: &Found, matched: &Matched, rules: &OfRules, known: &KnownGood) -> Option<RuleHit> {
    let record = &found.record;
    let list = hashes(record).iter().find_map(|hash| known.list_of(hash).map(str::to_owned));
    let (known_good, remark) = match is_of_file(record) {
        true => (list, None),
        false => {
            (None, list.map(|list| format!("its program is known to be good ({list}); not what it did")))
        }
    };
    let mut of: Vec<HitOf> = fits(found, matched)
        .into_iter()
        .filter_map(|fit| {
            let rule = *rules.places.get(&(kind(fit.whose), fit.rule.clone()))?;
            Some(hit_of(rule, &fit, remark.as_ref()))
        })
        .collect();
    of.sort_by_key(|of| (Reverse(Level::of_name(&of.level)), of.rule));
    of.dedup_by_key(|of| of.rule);
    let computer = record.fields.get("computer").map(|held| held.value.to_text().into_owned());
    (!of.is_empty()).then(|| RuleHit {
        record: record.kind.clone(),
        row: found.row,
        locator: record.locator.clone(),
        computer,
        fits: of,
        known_good,
    })
}

fn hit_of(rule: u32, fit: &Fit, remark: Option<&String>) -> HitOf {
    let matched = fit.fields.iter().take(FIELDS);
    HitOf {
        rule,
        level: fit.level.name().to_owned(),
        matched: matched
            .map(|(name, value)| MatchedField { name: name.clone(), value: shortened(value) })
            .collect(),
        remarks: fit.remarks.iter().chain(remark).cloned().collect(),
    }
}

fn when(record: &Record) -> Option<i128> {
    report::hunt::time(record).and_then(|time| time.utc).map(|utc| utc.unix_nanoseconds())
}

/// Counts the hits of each rule on each host.
struct Each {
    most: usize,
    counts: BTreeMap<(u32, String), usize>,
}

impl Each {
    const fn new(most: usize) -> Each {
        Each { most, counts: BTreeMap::new() }
    }

    fn has_room(&mut self, hit: &RuleHit) -> bool {
        let Some(first) = hit.fits.first() else { return false };
        let host = hit.computer.clone().unwrap_or_else(|| hit.locator.evidence.clone());
        let count = self.counts.entry((first.rule, host)).or_default();
        *count += 1;
        *count <= self.most
    }
}

/// Returns the rows that become facts, grouped by the first rule that they match.
fn chosen(opened: &RunOpened, matched: &RulesMatched) -> Vec<HuntedRows> {
    let budget = usize::try_from(opened.rules.budgets.accepted_facts).unwrap_or(usize::MAX);
    let mut each = Each::new(FACTS_OF_RULE);
    let best = matched.hits.iter().filter(|hit| each.has_room(hit)).take(FACTS.min(budget));
    let mut all: BTreeMap<(u32, &str, &str), HuntedRows> = BTreeMap::new();
    for hit in best {
        let Some(first) = hit.fits.first() else { continue };
        let fit = usize::try_from(first.rule).ok().and_then(|place| matched.fits.get(place));
        let rows =
            all.entry((first.rule, &hit.record, &hit.locator.evidence)).or_insert_with(|| HuntedRows {
                note: fit.map(graph::brought_in_words).unwrap_or_default(),
                record: hit.record.clone(),
                evidence: hit.locator.evidence.clone(),
                rows: Vec::new(),
            });
        rows.rows.push(hit.row);
    }
    all.into_values().collect()
}

/// Whether any match is recorded.
pub(crate) fn records_any(opened: &RunOpened, matched: &RulesMatched) -> bool {
    !chosen(opened, matched).is_empty()
}

/// Returns the task with this number that records the matches.
pub(crate) fn assigned(
    opened: &RunOpened,
    task: TaskId,
    matched: &RulesMatched,
) -> Result<TaskAssigned, RunError> {
    let agent = AgentSpec {
        name: HUNT.to_owned(),
        prompt: String::new(),
        surface: Surface::from([ToolClass::Investigate, ToolClass::Record, ToolClass::GraphRead]),
        tools: None,
        objectives: Vec::new(),
    };
    let unnamed = TaskAssigned { hunt: true, ..TaskAssigned::new(task, agent, HUNT) };
    Ok(charge(opened, matched)?.assigned(unnamed))
}

/// Returns the charge that records the matches: code, with the steps derived from them.
pub(crate) fn charge(opened: &RunOpened, matched: &RulesMatched) -> Result<Charge, RunError> {
    let of = canonical::to_vec(matched).map_err(RunError::Canonical)?;
    let digest = Digest::of_parts(&[VERSION.as_bytes(), &of]);
    let steps = hunted(&chosen(opened, matched), &opened.vocabulary, &opened.tools);
    Ok(Charge { agent: HUNT.to_owned(), model: Box::new(Playbook::hunting(steps, digest)) })
}

/// Returns a task that was begun before, with its charge.
///
/// # Errors
///
/// Fails if this version would do the task differently.
pub(super) fn taken_up(
    opened: &RunOpened,
    matched: Option<&RulesMatched>,
    task: StoredTask,
    folder: &Path,
) -> Result<(Charge, StoredTask), RunError> {
    let charge = charge(opened, matched.unwrap_or(&RulesMatched::default()))?;
    match charge.model.digest() == task.assigned.model_digest {
        true => Ok((charge, task)),
        false => Err(RunError::OtherModel {
            folder: folder.to_owned(),
            agent: task.assigned.agent.name,
            model: task.assigned.model,
        }),
    }
}
