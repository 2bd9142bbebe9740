//! Lists the runs of a folder without reading whole logs.

use crate::names::told;
use crate::open::newest_first;
use crate::seal::{MANIFEST, ManifestError, read_manifest};
use ledger::event::{CaseQuestion, TaskEnded};
use ledger::{AgentSpec, Event, Stream, TaskId};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use store::{OpenError, ReadError, Reader};
use thiserror::Error;

/// One run, as a list shows it.
///
/// Only a few rows of the log are read, and they are not checked; [`crate::verify`] checks them.
#[derive(Debug, Clone, Serialize)]
pub struct Listed {
    /// The name of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The state of the run.
    pub state: State,
    /// Why the run cannot be read, if so.
    pub because: Option<String>,
    /// The name of the case, if it can be read.
    pub case: Option<String>,
    /// When the run was begun, as recorded: UTC, RFC 3339.
    pub begun: Option<String>,
    /// The agents, in the order of their tasks.
    pub agents: Vec<String>,
    /// The number of recorded facts.
    pub facts: Option<u64>,
    /// The number of refused claims.
    pub refused: Option<u64>,
    /// The number of open questions of the case; `None` unless every task has ended.
    pub unmet: Option<u64>,
}

/// Whether a run ended properly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its log ends with a seal, and it has a manifest.
    Sealed,
    /// It is under way, was interrupted, or broke off.
    Unsealed,
    /// It cannot be read.
    Unreadable,
}

/// Why runs cannot be listed.
#[derive(Debug, Error)]
pub enum ListError {
    /// The folder cannot be read.
    #[error("list the runs under {}", runs.display())]
    Folder {
        /// The folder.
        runs: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
}

/// Returns the runs under `runs`, the most recently begun first; with a `pattern`, only those whose case name matches.
///
/// In a pattern, `*` matches any characters and `?` matches one.
/// A run that cannot be read is listed if the name of its folder matches.
///
/// # Errors
///
/// Fails if the folder cannot be read.
pub fn list_runs(runs: &Path, pattern: Option<&str>) -> Result<Vec<Listed>, ListError> {
    let folders = run_folders(runs)?;
    let fits = |listed: &Listed| match (pattern, &listed.case) {
        (None, _) => true,
        (Some(pattern), Some(case)) => fits(pattern.as_bytes(), case.as_bytes()),
        (Some(pattern), None) => {
            let rest = listed.name.split_once('-').map_or(listed.name.as_str(), |(_, rest)| rest);
            fits(pattern.as_bytes(), rest.as_bytes())
        }
    };
    Ok(folders.iter().map(|folder| list_run(folder)).filter(fits).collect())
}

/// Returns the folders under `runs` whose names begin like those of runs, the most recently begun first.
///
/// # Errors
///
/// Fails if the folder cannot be read.
pub fn run_folders(runs: &Path) -> Result<Vec<PathBuf>, ListError> {
    std::fs::read_dir(runs).map_err(|source| ListError::Folder { runs: runs.to_owned(), source })?;
    Ok(newest_first(runs))
}

#[derive(Debug, Error)]
enum Unreadable {
    #[error("open it")]
    Open(#[source] OpenError),
    #[error("read it")]
    Read(#[source] ReadError),
    #[error("read it")]
    Manifest(#[source] ManifestError),
    #[error("it has no first event")]
    Empty,
    #[error(
        "find one seal in {MANIFEST} and at the end of the log; `locard resume` finishes a run that was stopped while it was sealed"
    )]
    Seal,
}

/// Reads the run in `folder` for a list.
pub fn list_run(folder: &Path) -> Listed {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut listed = Listed {
        name,
        folder: folder.to_owned(),
        state: State::Unreadable,
        because: None,
        case: None,
        begun: None,
        agents: Vec::new(),
        facts: None,
        refused: None,
        unmet: None,
    };
    if let Err(error) = read(folder, &mut listed) {
        listed.state = State::Unreadable;
        listed.because = Some(told(&error));
    }
    listed
}

/// Returns the number of questions that no task has closed; if the run does not list its questions, counts those of the assigned tasks.
///
/// No facts are read here: a question that only another agent's fact answers counts as open.
fn open(
    questions: &[CaseQuestion],
    agents: &BTreeMap<TaskId, AgentSpec>,
    ends: &[(TaskId, TaskEnded)],
) -> u64 {
    let results = || {
        ends.iter().filter_map(|(task, ended)| Some((agents.get(task)?, ended))).flat_map(|(agent, ended)| {
            agent
                .objectives
                .iter()
                .zip(&ended.objectives)
                .map(|(objective, result)| (&agent.name, objective, result))
        })
    };
    if questions.is_empty() {
        return results().filter(|(.., result)| result.is_unmet()).count() as u64;
    }
    // An agent without questions of its own has borrowed those that it has.
    let borrows = |agent: &String| !questions.iter().any(|question| question.agent == *agent);
    let is_open = |question: &&CaseQuestion| {
        !results().any(|(agent, objective, result)| {
            let is_its = *agent == question.agent || borrows(agent);
            let is_same = objective.is_same_as(&question.objective);
            is_its && is_same && !result.is_unmet()
        })
    };
    questions.iter().filter(is_open).count() as u64
}

fn read(folder: &Path, listed: &mut Listed) -> Result<(), Unreadable> {
    let reader = Reader::open(folder).map_err(Unreadable::Open)?;
    let mut sealed = false;
    let mut ends: Vec<(TaskId, TaskEnded)> = Vec::new();
    let (mut questions, mut agents) = (Vec::new(), BTreeMap::new());
    for (stream, event, circumstance) in reader.glance().map_err(Unreadable::Read)? {
        match (stream, event) {
            (Stream::Run, Event::RunOpened(opened)) => {
                listed.case = Some(opened.case.name.clone());
                listed.begun = Some(circumstance.at);
                questions = opened.questions;
            }
            (Stream::Run, Event::TaskAssigned(assigned)) => {
                listed.agents.push(assigned.agent.name.clone());
                agents.insert(assigned.task, assigned.agent);
            }
            (Stream::Run, Event::RunSealed(_)) => sealed = true,
            (Stream::Task(task), Event::TaskEnded(ended)) => ends.push((task, ended)),
            // A list shows nothing of the other events.
            (Stream::Run | Stream::Task(_), _) => {}
        }
    }
    if listed.case.is_none() {
        return Err(Unreadable::Empty);
    }
    let all_ended = ends.len() == listed.agents.len();
    let sum = |of: fn(&TaskEnded) -> u64| ends.iter().map(|(_, ended)| of(ended)).sum::<u64>();
    if all_ended {
        listed.facts = Some(sum(|ended| ended.facts.into()));
        listed.refused = Some(sum(|ended| ended.rejections.into()));
        listed.unmet = Some(open(&questions, &agents, &ends));
    } else {
        listed.facts = Some(reader.count("claim_accepted").map_err(Unreadable::Read)?);
        listed.refused = Some(reader.count("claim_rejected").map_err(Unreadable::Read)?);
    }
    let manifest = read_manifest(folder).map_err(Unreadable::Manifest)?;
    match (sealed, manifest) {
        (true, Some(_)) => listed.state = State::Sealed,
        (false, None) => listed.state = State::Unsealed,
        // This includes a run whose process ended between the seal and the manifest.
        (true, None) | (false, Some(_)) => return Err(Unreadable::Seal),
    }
    Ok(())
}

/// Whether `text` matches `pattern`, in which `*` matches any bytes and `?` matches one.
pub(crate) fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(from) {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(wanted) if *wanted == b'?' || wanted == byte => {
                at += 1;
                from += 1;
            }
            _ => match star {
                // Let the last star match one more byte.
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    at = place + 1;
                    from = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|rest| *rest == b'*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_pattern_fits_whole_names() {
        let cases: [(&str, &str, bool); 10] = [
            ("demo", "demo", true),
            ("demo", "demo-2", false),
            ("demo*", "demo-2", true),
            ("*", "", true),
            ("*-2", "a-2-2", true),
            ("d?mo", "demo", true),
            ("d?mo", "dmo", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("", "x", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(fits(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
    }
}
