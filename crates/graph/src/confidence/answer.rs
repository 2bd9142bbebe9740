//! The confidence in the answers of a run, using everything the run knows about the same things and what contradicts them.

use super::source::SourceKind;
use super::thing::Things;
use super::{Confidence, best};
use crate::run::Run;
use ledger::pattern::fold;
use ledger::placement::tells_of_host;
use ledger::{FactEntry, FactId, FieldType, TaskId, Writer};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the confidence in each answer of a run, by task and objective; objectives without an answer are left out.
pub fn objective_confidences(run: &Run) -> BTreeMap<(TaskId, &str), Confidence> {
    let results = || {
        let ended = run.tasks.iter().filter_map(|(task, view)| Some((task, view.ended.as_ref()?)));
        ended.flat_map(|(task, ended)| ended.objectives.iter().map(|result| (*task, result)))
    };
    let sure = answer_confidences(run, results().map(|(_, result)| result.facts.as_slice()));
    let named = results().zip(sure).map(|((task, result), sure)| ((task, result.id.as_str()), sure));
    named.filter_map(|(name, sure)| Some((name, sure?))).collect()
}

/// Returns the confidence in the answers based on these facts, in order; `None` for an answer without facts.
pub fn answer_confidences<'f>(
    run: &Run,
    answers: impl IntoIterator<Item = &'f [FactId]>,
) -> Vec<Option<Confidence>> {
    let known = Known::of(run.as_recorded());
    answers.into_iter().map(|facts| known.answer(facts)).collect()
}

/// The key of a setting: record type, predicate, subject and evidence.
type Setting<'r> = (&'r str, &'r str, String, &'r str);

/// The knowledge about a run that confidences use.
struct Known<'r> {
    run: &'r Run,
    things: Things<'r>,
    settings: BTreeMap<Setting<'r>, Vec<&'r FactEntry>>,
    /// The files named by `timestomp_indicator` records.
    doubtful_times: BTreeSet<String>,
    /// The number of other facts that exclude each fact.
    contradicted: BTreeMap<FactId, usize>,
}

impl<'r> Known<'r> {
    fn of(run: &'r Run) -> Known<'r> {
        let facts = || run.facts().map(|(_, accepted)| &accepted.fact);
        let mut settings: BTreeMap<Setting<'r>, Vec<&'r FactEntry>> = BTreeMap::new();
        for fact in facts().filter(|fact| is_setting(fact)) {
            settings.entry(setting(fact)).or_default().push(fact);
        }
        let indicators = facts().filter(|fact| fact.kind == TIMESTOMP);
        let doubtful_times = indicators.map(|fact| fold(&fact.subject.value.to_text())).collect();
        // A copy supports nothing: whoever put it there may have copied the original file.
        let own = facts().filter(|fact| tells_of_host(fact.placement));
        let mut contradicted: BTreeMap<FactId, usize> = BTreeMap::new();
        let excluding = run.contradictions().iter().filter(|it| it.kind.excludes());
        for id in excluding.flat_map(|it| [it.one.fact, it.other.fact]) {
            *contradicted.entry(id).or_default() += 1;
        }
        Known { run, things: Things::of(own), settings, doubtful_times, contradicted }
    }

    fn answer(&self, facts: &[FactId]) -> Option<Confidence> {
        let answering: Vec<&FactEntry> = facts.iter().filter_map(|id| self.run.fact(*id)).collect();
        (!answering.is_empty()).then(|| best(&self.things, &answering, |fact| self.against(fact)))
    }

    /// Counts what contradicts a fact. Only what code found counts, because relations that an agent adds are interpretation.
    fn against(&self, fact: &FactEntry) -> usize {
        let contradicting = self.contradicted.get(&fact.id).copied().unwrap_or(0);
        usize::from(self.has_doubtful_time(fact)) + self.other_values(fact) + contradicting
    }

    /// Checks whether it is a file system time of an entry with inconsistent times.
    fn has_doubtful_time(&self, fact: &FactEntry) -> bool {
        let of_entry = SourceKind::of(&fact.kind) == SourceKind::FileSystem && fact.kind != TIMESTOMP;
        of_entry
            && ["created", "modified"].contains(&fact.predicate.0.as_str())
            && self.doubtful_times.contains(&fold(&fact.subject.value.to_text()))
    }

    /// Counts the other files in which the same setting has another value.
    fn other_values(&self, fact: &FactEntry) -> usize {
        if !is_setting(fact) {
            return 0;
        }
        let others = self.settings.get(&setting(fact)).into_iter().flatten();
        let other = others.filter(|other| other.locator.path != fact.locator.path && differ(fact, other));
        other.map(|other| &other.locator.path).collect::<BTreeSet<_>>().len()
    }
}

/// The record type of entries with inconsistent times.
const TIMESTOMP: &str = "timestomp_indicator";

/// Checks whether it states a setting of the computer, which has one value at a time. User hives each have their own,
/// and a dated value can change.
fn is_setting(fact: &FactEntry) -> bool {
    let dated = fact.values.iter().any(|bound| bound.value.field_type() == FieldType::Time);
    let of_computer = fact.writer().is_some_and(|writer| writer > Writer::AnyUser);
    SourceKind::of(&fact.kind) == SourceKind::Registry && of_computer && !dated
}

fn setting(fact: &FactEntry) -> Setting<'_> {
    let subject = fold(&fact.subject.value.to_text());
    (&fact.kind, &fact.predicate.0, subject, &fact.locator.evidence)
}

fn differ(one: &FactEntry, other: &FactEntry) -> bool {
    one.values.iter().any(|bound| {
        let same_field = other.values.iter().filter(|its| its.field == bound.field);
        same_field.into_iter().any(|its| fold(&its.value.to_text()) != fold(&bound.value.to_text()))
    })
}
