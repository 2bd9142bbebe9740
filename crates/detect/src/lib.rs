//! Which traces stand out, and which techniques of MITRE ATT&CK leave such traces.
//!
//! Rules, their levels, what is ordinary, and the names of techniques are data (`data/`); a newer MITRE bundle can replace the names.
//!
//! **Invariant:** a matching rule only says what such a trace is: ordinary software leaves many of them, too.
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

/// The data of this version of the program, in the order in which it is concatenated and read.
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

/// What Windows includes, and updaters of known makers.
const BASELINE: [&str; 6] = [
    include_str!("../data/baseline/services.toml"),
    include_str!("../data/baseline/drivers.toml"),
    include_str!("../data/baseline/tasks.toml"),
    include_str!("../data/baseline/autostarts.toml"),
    include_str!("../data/baseline/processes.toml"),
    include_str!("../data/baseline/makers.toml"),
];

/// The rules, the techniques, and what is ordinary.
#[derive(Debug, Clone, Default)]
pub struct Attack {
    version: String,
    source: String,
    /// In the order of the matrix.
    tactics: Vec<Tactic>,
    techniques: BTreeMap<TechniqueId, Technique>,
    /// Highest level first, then in the order of the data.
    rules: Vec<Rule>,
    /// For each record type, the numbers of its rules, in order.
    by_record: BTreeMap<String, Vec<usize>>,
    ordinary: Vec<Ordinary>,
    windows: Baseline,
    mentions: Option<Mentions>,
    retired: Vec<Retired>,
}

/// A rule that a trace matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit<'a> {
    /// The rule's name.
    pub rule: &'a str,
    /// A description of such a trace.
    pub note: &'a str,
    /// How much it stands out.
    pub level: Level,
    /// The techniques that leave such traces, in the order of their ids.
    pub techniques: Vec<&'a Technique>,
}

/// A goal of an adversary: a column of the matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tactic {
    /// Its id, such as `TA0003`.
    pub id: TacticId,
    /// Its name, for people.
    pub name: String,
    /// Its name in bundles and layers, such as `lateral-movement`.
    pub shortname: String,
}

/// A way to reach such a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Technique {
    /// Its id, such as `T1547.001`.
    pub id: TechniqueId,
    /// Its name; for a sub-technique, without its technique's name.
    pub name: String,
    /// The tactics that it serves, in the order of the matrix; see [`Attack::tactics_of`].
    pub tactics: Vec<TacticId>,
}

impl Attack {
    /// Reads the data of this version of the program (`data/`).
    pub fn shipped() -> Result<Attack, AttackError> {
        let windows = Baseline::from_toml(&BASELINE)?;
        Ok(Attack { windows, ..Attack::from_toml(&DATA.concat())? })
    }

    /// Reads the data from TOML: docs/attack.md describes the form.
    ///
    /// Every technique that a rule names, every tactic that a technique names and every list that a pattern names must exist.
    /// Without a baseline, nothing differs from it.
    pub fn from_toml(text: &str) -> Result<Attack, AttackError> {
        data::read(text)
    }

    /// Reads the data of `text` with version, tactics and names from a MITRE bundle (STIX 2.1, `enterprise-attack.json`).
    ///
    /// If the bundle revokes a technique in favour of another, the other replaces it;
    /// a technique that it deprecates or lacks matches nothing any more.
    /// [`Attack::retired`] lists both.
    pub fn read(text: &str, stix_bundle: &str) -> Result<Attack, AttackError> {
        bundle::renewed(Attack::from_toml(text)?, stix_bundle)
    }

    /// Returns the shipped data with version, tactics and names from such a bundle: see [`Attack::read`].
    pub fn shipped_with(stix_bundle: &str) -> Result<Attack, AttackError> {
        bundle::renewed(Attack::shipped()?, stix_bundle)
    }

    /// Returns the version of ATT&CK, such as `19.2`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the source of names and tactics.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the techniques of the rules that the bundle no longer has; empty for the shipped data.
    pub fn retired(&self) -> &[Retired] {
        &self.retired
    }

    /// Returns all tactics in the order of the matrix.
    pub fn tactics(&self) -> &[Tactic] {
        &self.tactics
    }

    /// Returns the tactics of a technique, in the order of the matrix.
    pub fn tactics_of<'a>(&'a self, technique: &'a Technique) -> impl Iterator<Item = &'a Tactic> {
        self.tactics.iter().filter(|tactic| technique.tactics.contains(&tactic.id))
    }

    /// Returns all techniques that a trace can match, in the order of their ids.
    pub fn all_techniques(&self) -> impl Iterator<Item = &Technique> {
        self.techniques.values()
    }

    /// Returns the technique with this id; `None` if no rule names it.
    pub fn technique(&self, id: &TechniqueId) -> Option<&Technique> {
        self.techniques.get(id)
    }

    /// Returns the rules that a trace matches, highest level first, then in the order of the data.
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

    /// Returns the highest level of the rules that a trace matches; `None` if it matches none.
    ///
    /// For many records this is cheaper than [`Attack::hits`].
    pub fn level(&self, trace: &Trace<'_>) -> Option<Level> {
        self.fitting(trace).next().map(|rule| rule.level)
    }

    /// Returns the record types that rules of this level or above cover.
    pub fn record_types(&self, least: Level) -> BTreeSet<&str> {
        let rules = self.rules.iter().filter(|rule| rule.level >= least);
        rules.flat_map(|rule| &rule.kind.records).map(String::as_str).collect()
    }

    /// Returns why a trace is ordinary on any computer, if the data says so.
    pub fn ordinary(&self, trace: &Trace<'_>) -> Option<&str> {
        match self.windows.standing(trace) {
            Standing::Same(reason) => return Some(reason),
            Standing::Near | Standing::Differs(_) => return None,
            Standing::Unknown => {}
        }
        self.ordinary.iter().find(|ordinary| ordinary.kind.fits(trace)).map(|it| it.note.as_str())
    }

    /// Returns what Windows and known makers include.
    pub const fn windows(&self) -> &Baseline {
        &self.windows
    }

    /// Returns the techniques that leave such a trace, in the order of their ids; every matching rule counts.
    pub fn techniques(&self, trace: &Trace<'_>) -> Vec<&Technique> {
        self.named(&self.fitting(trace).flat_map(|rule| &rule.techniques).cloned().collect())
    }

    /// Returns the predicates of another fact about the same thing that raise a trace of this rule to medium; empty for most rules.
    pub fn raised_by(&self, rule: &str) -> impl Iterator<Item = &str> {
        let rule = self.rules.iter().find(|it| it.id == rule);
        rule.into_iter().flat_map(|it| &it.raised_by).map(String::as_str)
    }

    /// Returns the rules, each with its name, its level and its description of the trace.
    pub fn rules(&self) -> impl Iterator<Item = (&str, Level, &str)> {
        self.rules.iter().map(|rule| (rule.id.as_str(), rule.level, rule.note.as_str()))
    }

    fn named(&self, ids: &BTreeSet<TechniqueId>) -> Vec<&Technique> {
        ids.iter().filter_map(|id| self.techniques.get(id)).collect()
    }
}

/// Returns the shipped data; a test checks that it can be read.
pub fn shipped() -> &'static Attack {
    static SHIPPED: LazyLock<Attack> = LazyLock::new(|| Attack::shipped().unwrap_or_default());
    &SHIPPED
}

/// Returns the names of all entries in the shipped baseline, with forms for parts that differ from computer to computer.
pub fn baseline_names() -> impl Iterator<Item = &'static str> {
    shipped().windows.entries().iter().map(|entry| entry.name.as_str())
}
