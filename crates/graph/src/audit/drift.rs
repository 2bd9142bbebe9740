//! Versions: what runs were made with, and the results with each version.
//!
//! The numbers are only shown side by side. A difference does not mean that the version caused it: cases, models and times differ, too.

use super::{AuditedRun, AuditedTask, Counts, Group};
use std::collections::BTreeMap;

/// Something of which there are several versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// The thing that has versions.
    pub what: Versioned,
    /// Its versions, in the order in which the first run of each was begun.
    pub versions: Vec<Version>,
}

/// A thing that has versions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Versioned {
    /// Locard.
    Program,
    /// The decision logic of engine and gateway, by the run's highest behaviour number.
    Behaviour,
    /// The rules of the run.
    Rules,
    /// What decides the agents' steps.
    Model,
    /// The prompt of an agent.
    Prompt {
        /// The agent.
        agent: String,
    },
    /// The data of one of our own models, such as an agent's playbook.
    ModelData {
        /// The agent.
        agent: String,
        /// The model.
        model: String,
    },
}

impl Versioned {
    /// Returns its name in formats.
    pub const fn name(&self) -> &'static str {
        match self {
            Versioned::Program => "program",
            Versioned::Behaviour => "behaviour",
            Versioned::Rules => "rules",
            Versioned::Model => "model",
            Versioned::Prompt { .. } => "prompt",
            Versioned::ModelData { .. } => "model_data",
        }
    }
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its number, its name, or its digest.
    pub version: String,
    /// When the first run with it began.
    pub first: String,
    /// When the last run with it began.
    pub last: String,
    /// The results of these runs, or of the tasks in them that it concerns.
    pub group: Group,
}

/// Returns everything that the runs used in more than one version. The runs must be in chronological order.
pub fn drift<'a>(runs: impl IntoIterator<Item = &'a AuditedRun>) -> Vec<Drift> {
    let mut found: BTreeMap<Versioned, Vec<Version>> = BTreeMap::new();
    for run in runs {
        let made = &run.made;
        let rules = made.rules.map_or_else(String::new, |rules| rules.to_string());
        let whole = run.counts();
        let of_run = [
            (Versioned::Program, made.program.clone()),
            (Versioned::Behaviour, made.behaviour.to_string()),
            (Versioned::Rules, rules),
        ];
        let mut seen: BTreeMap<(Versioned, String), Counts> =
            of_run.into_iter().map(|key| (key, whole.clone())).collect();
        for task in &run.tasks {
            for key in of_task(task) {
                seen.entry(key).or_default().add(&task.counts);
            }
        }
        for ((what, version), counts) in seen {
            count(found.entry(what).or_default(), version, &run.begun, &counts);
        }
    }
    let several = found.into_iter().filter(|(_, versions)| versions.len() > 1);
    several.map(|(what, versions)| Drift { what, versions }).collect()
}

fn of_task(task: &AuditedTask) -> Vec<(Versioned, String)> {
    let (agent, model) = (task.agent.clone(), task.model.clone());
    let mut of = vec![
        (Versioned::Model, model.clone()),
        (Versioned::Prompt { agent: agent.clone() }, task.prompt.to_string()),
    ];
    of.extend(task.model_data.map(|data| (Versioned::ModelData { agent, model }, data.to_string())));
    of
}

fn count(versions: &mut Vec<Version>, version: String, begun: &str, counts: &Counts) {
    let place = versions.iter().position(|known| known.version == version);
    let place = place.unwrap_or_else(|| {
        let (first, last) = (begun.to_owned(), begun.to_owned());
        versions.push(Version { version, first, last, group: Group::default() });
        versions.len() - 1
    });
    if let Some(known) = versions.get_mut(place) {
        known.last = begun.to_owned();
        known.group.runs += 1;
        known.group.counts.add(counts);
    }
}
