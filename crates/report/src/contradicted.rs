//! Sentences of the narrative that deny an act although the sweep found that it happened.

use graph::{Placed, Run};
use ground::{Citable, Known, is_contradicted};
use ledger::{FactEntry, FactId, TaskId};

/// The facts that the sweep of a run recorded, and what is needed to read its sentences.
pub struct Contradictions<'r> {
    known: Known<'r>,
    swept: Vec<&'r FactEntry>,
}

impl<'r> Contradictions<'r> {
    /// Collects the facts of a run's sweep.
    pub fn of(run: &'r Run) -> Contradictions<'r> {
        let is_swept = |task: TaskId| run.tasks.get(&task).is_some_and(|view| view.assigned.sweep);
        let facts = || run.facts().map(|(task, accepted)| (task, &accepted.fact));
        let swept: Vec<_> = facts().filter(|(task, _)| is_swept(*task)).map(|(_, fact)| fact).collect();
        if swept.is_empty() {
            return Contradictions { known: Known::default(), swept };
        }
        let absences = run.absences().map(|(_, accepted)| Citable::Absence(&accepted.absence));
        let derivations = run.derivations().map(|(_, accepted)| Citable::Derivation(&accepted.derivation));
        let known = facts().map(|(_, fact)| Citable::Fact(fact)).chain(absences).chain(derivations).collect();
        Contradictions { known, swept }
    }

    /// Returns the facts of the sweep that say what a sentence denies.
    pub fn to(&self, placed: &Placed<'_>) -> Vec<FactId> {
        let says = |fact: &&&FactEntry| is_contradicted(placed.sentence, fact, &self.known);
        self.swept.iter().filter(says).map(|fact| fact.id).collect()
    }

    /// Describes these facts; `None` if there are none.
    pub fn remark(&self, placed: &Placed<'_>) -> Option<String> {
        let facts: Vec<String> = self.to(placed).iter().map(ToString::to_string).collect();
        (!facts.is_empty()).then(|| format!("the sweep contradicts this: {}", facts.join(", ")))
    }
}
