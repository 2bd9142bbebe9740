//! Versions: what runs were made with, and what they came to with each.
//!
//! Numbers stand side by side. That they differ does not say that the version is the reason: cases, models and times differ, too.

use super::{AuditedRun, AuditedTask, Counts, Group};
use std::collections::BTreeMap;

/// Something that there are several versions of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// What.
    pub what: Versioned,
    /// Its versions, in the order in which the first run of each was begun.
    pub versions: Vec<Version>,
}

/// What has versions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Versioned {
    /// Locard.
    Program,
    /// How engine and gateway decide, by the highest number of the run.
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
    /// The data of a model of ours, such as an agent's playbook.
    ModelData {
        /// The agent.
        agent: String,
        /// The model.
        model: String,
    },
}

impl Versioned {
    /// The word in formats.
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
    /// When the first run with it was begun.
    pub first: String,
    /// When the last one was.
    pub last: String,
    /// What these runs came to, or the tasks of them that it is about.
    pub group: Group,
}

/// What the runs were made with in more than one version; runs in the order of their time.
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
