//! Selects facts of a run: the filter of `locard facts`.

use detect::Level;
use graph::{Run, dated, levels};
use ledger::event::ClaimAccepted;
use ledger::pattern::fold;
use ledger::{FactEntry, TaskId, Utc};

/// Conditions that a fact must all meet; without conditions, every fact is selected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The fact has one of these ids; empty means any.
    pub ids: Vec<String>,
    /// The fact has one of these predicates; empty means any.
    pub predicates: Vec<String>,
    /// The text occurs in its subject or in one of its values, ignoring case.
    pub text: Option<String>,
    /// The fact is from one of these pieces of evidence, by label; empty means any.
    pub hosts: Vec<String>,
    /// The time that dates it may be at or after this instant.
    pub since: Option<Utc>,
    /// The time that dates it may be at or before this instant.
    pub until: Option<Utc>,
    /// Its level is at least this.
    pub level: Option<Level>,
}

impl Selection {
    /// Checks whether every fact is selected.
    pub fn is_everything(&self) -> bool {
        *self == Selection::default()
    }

    /// Checks whether facts without a time are left out.
    pub const fn is_bound_in_time(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// Returns the facts that meet the conditions, in the order of tasks and acceptance.
    pub(crate) fn facts<'r>(&self, run: &'r Run) -> Vec<(TaskId, &'r ClaimAccepted)> {
        let levels = self.level.map(|least| (least, levels(run)));
        let stands_out = |fact: &FactEntry| {
            levels.as_ref().is_none_or(|(least, all)| all.get(&fact.id).is_some_and(|level| level >= least))
        };
        run.facts().filter(|(_, it)| self.fits(&it.fact) && stands_out(&it.fact)).collect()
    }

    /// Checks all conditions except the level, which depends on the other facts of the run.
    fn fits(&self, fact: &FactEntry) -> bool {
        (self.ids.is_empty() || self.ids.contains(&fact.id.to_string()))
            && (self.predicates.is_empty() || self.predicates.contains(&fact.predicate.0))
            && (self.hosts.is_empty() || self.hosts.contains(&fact.locator.evidence))
            && self.text.as_deref().is_none_or(|text| says(fact, text))
            && (!self.is_bound_in_time() || self.is_in_time(fact))
    }

    /// Checks the time. A local time may be any instant that its zone allows; such a fact is included rather than missed.
    fn is_in_time(&self, fact: &FactEntry) -> bool {
        let Some((earliest, latest)) = dated(fact).and_then(ledger::Time::bounds) else { return false };
        self.since.is_none_or(|since| latest >= since) && self.until.is_none_or(|until| earliest <= until)
    }
}

fn says(fact: &FactEntry, text: &str) -> bool {
    let text = fold(text);
    fact.values.iter().chain([&fact.subject]).any(|bound| fold(&bound.value.to_text()).contains(&text))
}
