//! Which facts of a run are asked for: what `locard facts` was told to print.

use detect::Level;
use graph::{Run, dated, levels};
use ledger::event::ClaimAccepted;
use ledger::pattern::fold;
use ledger::{FactEntry, TaskId, Utc};

/// Conditions that a fact must meet, all of them; without any it is every fact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// One of these ids; none: any.
    pub ids: Vec<String>,
    /// One of these predicates; none: any.
    pub predicates: Vec<String>,
    /// Text in its subject or in one of its values, whichever case it has.
    pub text: Option<String>,
    /// One of these labels of evidence; none: any.
    pub hosts: Vec<String>,
    /// The time that dates it may lie at this instant or later.
    pub since: Option<Utc>,
    /// The time that dates it may lie at this instant or earlier.
    pub until: Option<Utc>,
    /// It stands out at least this much.
    pub level: Option<Level>,
}

impl Selection {
    /// Whether every fact is asked for.
    pub fn is_everything(&self) -> bool {
        *self == Selection::default()
    }

    /// Whether facts without a time are left out.
    pub const fn is_bound_in_time(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// The facts that meet it, in the order of tasks and acceptance.
    pub(crate) fn facts<'r>(&self, run: &'r Run) -> Vec<(TaskId, &'r ClaimAccepted)> {
        let levels = self.level.map(|least| (least, levels(run)));
        let stands_out = |fact: &FactEntry| {
            levels.as_ref().is_none_or(|(least, all)| all.get(&fact.id).is_some_and(|level| level >= least))
        };
        run.facts().filter(|(_, it)| self.fits(&it.fact) && stands_out(&it.fact)).collect()
    }

    /// Whether a fact meets all but the level, which is one among the facts of a run.
    fn fits(&self, fact: &FactEntry) -> bool {
        (self.ids.is_empty() || self.ids.contains(&fact.id.to_string()))
            && (self.predicates.is_empty() || self.predicates.contains(&fact.predicate.0))
            && (self.hosts.is_empty() || self.hosts.contains(&fact.locator.evidence))
            && self.text.as_deref().is_none_or(|text| says(fact, text))
            && (!self.is_bound_in_time() || self.is_in_time(fact))
    }

    /// A local time may be any instant that its zone allows, so that such a fact is given rather than missed.
    fn is_in_time(&self, fact: &FactEntry) -> bool {
        let Some((earliest, latest)) = dated(fact).and_then(ledger::Time::bounds) else { return false };
        self.since.is_none_or(|since| latest >= since) && self.until.is_none_or(|until| earliest <= until)
    }
}

fn says(fact: &FactEntry, text: &str) -> bool {
    let text = fold(text);
    fact.values.iter().chain([&fact.subject]).any(|bound| fold(&bound.value.to_text()).contains(&text))
}
