//! Which techniques of MITRE ATT&CK the facts of a run fit.
//!
//! Version, tactics, techniques and rules are data (`data/attack.toml`): none of their names stands in code, and a newer bundle of MITRE's can take their place.
//!
//! **Invariant:** a technique that fits a fact is no more than that: such a trace is what the technique leaves, and ordinary software leaves many of them, too.
//! Nothing is taken from an agent's own words.

mod bundle;
mod data;
mod error;
mod id;
mod rule;

pub use bundle::{Retired, RetiredBecause};
pub use error::AttackError;
pub use id::{TacticId, TechniqueId, UnknownId};

use crate::run::{PhenomenonView, Run};
use ledger::{FactEntry, FactId, PhenomenonId};
use rule::Rule;
use std::collections::{BTreeMap, BTreeSet};

/// What techniques there are, and which facts fit them.
#[derive(Debug, Clone)]
pub struct Attack {
    version: String,
    source: String,
    /// In the order of the matrix.
    tactics: Vec<Tactic>,
    techniques: BTreeMap<TechniqueId, Technique>,
    rules: Vec<Rule>,
    retired: Vec<Retired>,
}

/// A goal of an adversary: a column of the matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tactic {
    /// Its id, such as `TA0003`.
    pub id: TacticId,
    /// Its name, as people read it.
    pub name: String,
    /// Its name in bundles and layers, such as `lateral-movement`.
    pub shortname: String,
}

/// A way to reach such a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Technique {
    /// Its id, such as `T1547.001`.
    pub id: TechniqueId,
    /// Its name; of a sub-technique without that of its technique.
    pub name: String,
    /// The tactics that it serves, in the order of the matrix; looked up with [`Attack::tactics_of`].
    pub tactics: Vec<TacticId>,
}

/// A technique that something in a run fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit<'a> {
    /// The technique.
    pub technique: &'a Technique,
    /// The phenomena that carry one of the facts, task by task in the order of their recording.
    pub phenomena: Vec<PhenomenonId>,
    /// The facts that fit it, task by task in the order of their acceptance.
    pub facts: Vec<FactId>,
}

impl Attack {
    /// The data of this version of the program (`data/attack.toml`).
    pub fn shipped() -> Result<Attack, AttackError> {
        Attack::from_toml(include_str!("../data/attack.toml"))
    }

    /// Reads the data from TOML: docs/attack.md says in what form.
    ///
    /// Every technique that a rule names, every tactic that a technique names and every list that a pattern names must be there.
    pub fn from_toml(text: &str) -> Result<Attack, AttackError> {
        data::read(text)
    }

    /// The data of `text` with version, tactics and names of a bundle of MITRE's (STIX 2.1, `enterprise-attack.json`).
    ///
    /// Where the bundle revokes a technique in favour of another, that one takes its place; what it deprecates or lacks fits nothing any more.
    /// Both are told by [`Attack::retired`].
    pub fn read(text: &str, stix_bundle: &str) -> Result<Attack, AttackError> {
        bundle::renewed(data::read(text)?, stix_bundle)
    }

    /// The shipped data with version, tactics and names of such a bundle: see [`Attack::read`].
    pub fn shipped_with(stix_bundle: &str) -> Result<Attack, AttackError> {
        bundle::renewed(Attack::shipped()?, stix_bundle)
    }

    /// The version of ATT&CK, such as `19.2`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Where names and tactics are from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The techniques of the rules that the bundle does not have any more; empty for the shipped data.
    pub fn retired(&self) -> &[Retired] {
        &self.retired
    }

    /// All tactics in the order of the matrix.
    pub fn tactics(&self) -> &[Tactic] {
        &self.tactics
    }

    /// The tactics of a technique, in the order of the matrix.
    pub fn tactics_of<'a>(&'a self, technique: &'a Technique) -> impl Iterator<Item = &'a Tactic> {
        self.tactics.iter().filter(|tactic| technique.tactics.contains(&tactic.id))
    }

    /// All techniques that something can fit, in the order of their ids.
    pub fn all_techniques(&self) -> impl Iterator<Item = &Technique> {
        self.techniques.values()
    }

    /// The technique with this id; `None` where no rule names it.
    pub fn technique(&self, id: &TechniqueId) -> Option<&Technique> {
        self.techniques.get(id)
    }

    /// The techniques that a fact fits, in the order of their ids; every rule that fits counts.
    pub fn techniques(&self, fact: &FactEntry) -> Vec<&Technique> {
        self.named(&self.ids(fact))
    }

    /// The techniques that the facts of a phenomenon fit, in the order of their ids.
    pub fn of_phenomenon(&self, run: &Run, phenomenon: &PhenomenonView) -> Vec<&Technique> {
        let facts = phenomenon.facts.iter().filter_map(|fact| run.fact(*fact));
        self.named(&facts.flat_map(|fact| self.ids(fact)).collect())
    }

    /// The techniques that something in a run fits, in the order of their ids.
    pub fn of_run(&self, run: &Run) -> Vec<Fit<'_>> {
        let mut found: BTreeMap<&TechniqueId, Fit<'_>> = BTreeMap::new();
        for (_, accepted) in run.facts() {
            for technique in self.techniques(&accepted.fact) {
                let fit = found.entry(&technique.id).or_insert_with(|| Fit::of(technique));
                fit.facts.push(accepted.fact.id);
            }
        }
        for phenomenon in run.tasks.values().flat_map(|task| &task.phenomena) {
            for technique in self.of_phenomenon(run, phenomenon) {
                let fit = found.entry(&technique.id).or_insert_with(|| Fit::of(technique));
                fit.phenomena.push(phenomenon.id);
            }
        }
        found.into_values().collect()
    }

    /// Why a fact fits, rule by rule: what the rule says of such traces, and its techniques.
    pub fn reasons(&self, fact: &FactEntry) -> Vec<(&str, Vec<&Technique>)> {
        let named = |rule: &'_ Rule| self.named(&rule.techniques.iter().collect());
        let fitting = self.rules.iter().filter(|rule| rule.fits(fact));
        fitting.map(|rule| (rule.note.as_str(), named(rule))).collect()
    }

    fn ids(&self, fact: &FactEntry) -> BTreeSet<&TechniqueId> {
        self.rules.iter().filter(|rule| rule.fits(fact)).flat_map(|rule| &rule.techniques).collect()
    }

    fn named(&self, ids: &BTreeSet<&TechniqueId>) -> Vec<&Technique> {
        ids.iter().filter_map(|id| self.techniques.get(*id)).collect()
    }
}

impl Fit<'_> {
    const fn of(technique: &Technique) -> Fit<'_> {
        Fit { technique, phenomena: Vec::new(), facts: Vec::new() }
    }
}
