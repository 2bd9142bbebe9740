//! Which traces stand out, and which techniques of MITRE ATT&CK leave such ones.
//!
//! Rules, their levels, what is ordinary, and the names of techniques are data (`data/`); a newer bundle of MITRE's can take the place of its names.
//!
//! **Invariant:** a rule that fits says what such a trace is, and no more: ordinary software leaves many of them, too.
//! Nothing is taken from an agent's own words. Pure: the same trace gets the same answer.

mod baseline;
mod bundle;
mod data;
mod error;
mod id;
mod level;
mod mention;
mod rule;
mod sequence;
mod trace;
mod watch;

pub use baseline::{Baseline, BaselineError, Difference, Edition, Entry, Generation, Kind, Windows};
pub use bundle::{Retired, RetiredBecause};
pub use error::AttackError;
pub use id::{TacticId, TechniqueId, UnknownId};
pub use level::Level;
pub use sequence::{Sequences, shipped_sequences};
pub use trace::Trace;
pub use watch::{Made, Watch};

use baseline::Standing;
use mention::Mentions;
use rule::{Ordinary, Rule};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The data of this version of the program, in the order in which it is read as one text.
const DATA: [&str; 9] = [
    include_str!("../data/attack.toml"),
    include_str!("../data/lists.toml"),
    include_str!("../data/traces.toml"),
    include_str!("../data/commands.toml"),
    include_str!("../data/behaviour.toml"),
    include_str!("../data/settings.toml"),
    include_str!("../data/network.toml"),
    include_str!("../data/baseline.toml"),
    include_str!("../data/ordinary.toml"),
];

/// What Windows brings along, and updaters of known makers.
const BASELINE: [&str; 6] = [
    include_str!("../data/baseline/services.toml"),
    include_str!("../data/baseline/drivers.toml"),
    include_str!("../data/baseline/tasks.toml"),
    include_str!("../data/baseline/autostarts.toml"),
    include_str!("../data/baseline/processes.toml"),
    include_str!("../data/baseline/makers.toml"),
];

/// The rules, what techniques there are, and what is ordinary.
#[derive(Debug, Clone, Default)]
pub struct Attack {
    version: String,
    source: String,
    /// In the order of the matrix.
    tactics: Vec<Tactic>,
    techniques: BTreeMap<TechniqueId, Technique>,
    /// The highest level first, then as they stand in the data.
    rules: Vec<Rule>,
    /// For each type of record the numbers of the rules over it, in their order.
    by_record: BTreeMap<String, Vec<usize>>,
    ordinary: Vec<Ordinary>,
    windows: Baseline,
    mentions: Option<Mentions>,
    retired: Vec<Retired>,
}

/// A rule that a trace fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit<'a> {
    /// The rule's name.
    pub rule: &'a str,
    /// What such a trace is, in words.
    pub note: &'a str,
    /// How much it stands out.
    pub level: Level,
    /// The techniques that leave such ones, in the order of their ids.
    pub techniques: Vec<&'a Technique>,
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

impl Attack {
    /// The data of this version of the program (`data/`).
    pub fn shipped() -> Result<Attack, AttackError> {
        let windows = Baseline::from_toml(&BASELINE)?;
        Ok(Attack { windows, ..Attack::from_toml(&DATA.concat())? })
    }

    /// Reads the data from TOML: docs/attack.md says in what form.
    ///
    /// Every technique that a rule names, every tactic that a technique names and every list that a pattern names must be there. Without a baseline, nothing differs from one.
    pub fn from_toml(text: &str) -> Result<Attack, AttackError> {
        data::read(text)
    }

    /// The data of `text` with version, tactics and names of a bundle of MITRE's (STIX 2.1, `enterprise-attack.json`).
    ///
    /// Where the bundle revokes a technique in favour of another, that one takes its place; what it deprecates or lacks fits nothing any more.
    /// Both are told by [`Attack::retired`].
    pub fn read(text: &str, stix_bundle: &str) -> Result<Attack, AttackError> {
        bundle::renewed(Attack::from_toml(text)?, stix_bundle)
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

    /// The rules that a trace fits, the highest level first, then as they stand in the data.
    pub fn hits(&self, trace: &Trace<'_>) -> Vec<Hit<'_>> {
        self.fitting(trace).map(|rule| self.hit(rule)).collect()
    }

    fn hit<'a>(&'a self, rule: &'a Rule) -> Hit<'a> {
        let techniques = self.named(&rule.techniques);
        Hit { rule: &rule.id, note: &rule.note, level: rule.level, techniques }
    }

    fn fitting(&self, trace: &Trace<'_>) -> impl Iterator<Item = &Rule> {
        let standing = LazyCell::new(|| self.windows.standing(trace));
        let differs = move |rule: &&Rule| {
            rule.differs.is_empty()
                || matches!(&*standing, Standing::Differs(difference) if rule.differs.contains(difference))
        };
        let rules = self.by_record.get(trace.kind()).into_iter().flatten();
        let cut = self.mentions.as_ref().map(|mentions| mentions.cut(trace)).unwrap_or_default();
        let rules = rules.filter_map(|number| self.rules.get(*number));
        rules
            .filter(move |rule| rule.kind.fits_without(trace, if rule.mentions { &[] } else { &cut }))
            .filter(differs)
    }

    /// The highest level of the rules that a trace fits; `None` where it fits none.
    ///
    /// Over many records this is cheaper than [`Attack::hits`].
    pub fn level(&self, trace: &Trace<'_>) -> Option<Level> {
        self.fitting(trace).next().map(|rule| rule.level)
    }

    /// The types of records that a rule of this level or above is over.
    pub fn record_types(&self, least: Level) -> BTreeSet<&str> {
        let rules = self.rules.iter().filter(|rule| rule.level >= least);
        rules.flat_map(|rule| &rule.kind.records).map(String::as_str).collect()
    }

    /// Why a trace belongs to any computer, where the data says so.
    pub fn ordinary(&self, trace: &Trace<'_>) -> Option<&str> {
        match self.windows.standing(trace) {
            Standing::Same(reason) => return Some(reason),
            Standing::Near | Standing::Differs(_) => return None,
            Standing::Unknown => {}
        }
        self.ordinary.iter().find(|ordinary| ordinary.kind.fits(trace)).map(|it| it.note.as_str())
    }

    /// What Windows and known makers bring along.
    pub const fn windows(&self) -> &Baseline {
        &self.windows
    }

    /// The techniques that leave such a trace, in the order of their ids; every rule that fits counts.
    pub fn techniques(&self, trace: &Trace<'_>) -> Vec<&Technique> {
        self.named(&self.fitting(trace).flat_map(|rule| &rule.techniques).cloned().collect())
    }

    /// What another fact says of the same thing (predicates) that makes a trace of this rule medium; empty for most.
    pub fn raised_by(&self, rule: &str) -> impl Iterator<Item = &str> {
        let rule = self.rules.iter().find(|it| it.id == rule);
        rule.into_iter().flat_map(|it| &it.raised_by).map(String::as_str)
    }

    /// The rules, each with its name, its level and what such a trace is.
    pub fn rules(&self) -> impl Iterator<Item = (&str, Level, &str)> {
        self.rules.iter().map(|rule| (rule.id.as_str(), rule.level, rule.note.as_str()))
    }

    fn named(&self, ids: &BTreeSet<TechniqueId>) -> Vec<&Technique> {
        ids.iter().filter_map(|id| self.techniques.get(id)).collect()
    }
}

/// The shipped data; a test holds that it reads.
pub fn shipped() -> &'static Attack {
    static SHIPPED: LazyLock<Attack> = LazyLock::new(|| Attack::shipped().unwrap_or_default());
    &SHIPPED
}

/// The names of everything that the shipped baseline knows of Windows, with forms for what differs from computer to computer.
pub fn baseline_names() -> impl Iterator<Item = &'static str> {
    shipped().windows.entries().iter().map(|entry| entry.name.as_str())
}
