//! Use case: check the facts of a JSON report against their hashes, and the hashes against the run.
//!
//! The check covers the facts: their values, places and titles. No hash covers the rest of a report.

use crate::open::{OpenRunError, read_with_key};
use graph::{Disclosure, Run, fact_title, fact_title_as_told, fact_title_of_words};
use ledger::canonical::CanonicalError;
use ledger::commitment::{self, Opening};
use ledger::{Digest, FactEntry};
use redact::{is_redaction_of, marks_what_it_withholds};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a report cannot be checked.
#[derive(Debug, Error)]
pub enum CheckReportError {
    /// The file cannot be read.
    #[error("read the report {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The file is not a JSON report.
    #[error("read the report {}: expected the output of `locard report --format json`", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// Where, and what was expected.
        #[source]
        source: serde_json::Error,
    },
    /// The report has no commitments of the supported scheme.
    #[error("check the report {}: expected commitments of the scheme {}, found {found}", path.display(), commitment::SCHEME)]
    Scheme {
        /// The file.
        path: PathBuf,
        /// The scheme of the report, or `none`.
        found: String,
    },
    /// The run cannot be read.
    #[error(transparent)]
    Run(OpenRunError),
    /// The facts of the run have no canonical form.
    #[error("commit to the facts of the run")]
    Commit(#[source] CanonicalError),
}

/// The result of the check.
#[derive(Debug, Clone, Serialize)]
pub struct CheckedReport {
    /// The root over the hashes of the facts, according to the report.
    pub root: Digest,
    /// The number of facts in the report.
    pub facts: u64,
    /// The number of facts with a withheld member.
    pub redacted: u64,
    /// The number of members that are withheld, in whole or in part.
    pub withheld: u64,
    /// The redaction profile; `None` if the report was not redacted.
    pub profile: Option<String>,
    /// Whether the report was compared with a run.
    pub against_run: bool,
    /// What does not match: the id of a fact, `root` or `redaction`, and the problem.
    pub findings: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Report {
    #[serde(rename = "locard_report")]
    _version: u32,
    commitments: Option<Commitments>,
    redaction: Option<Redaction>,
    facts: Vec<Told>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Commitments {
    scheme: String,
    root: Digest,
    facts: u64,
}

#[derive(Deserialize)]
struct Redaction {
    profile: String,
}

/// A fact in a report; a duplicate member is refused.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    #[serde(rename = "task")]
    _task: IgnoredAny,
    title: String,
    #[serde(rename = "healing")]
    _healing: IgnoredAny,
    #[serde(rename = "writer")]
    _writer: IgnoredAny,
    fact: FactEntry,
    opening: Option<Opening>,
}

/// Checks the report in `file`, also against the run in `folder` if one is given.
///
/// Without the run: whether every fact has its hash, and whether the hashes produce the root.
/// With the run, also: whether the root is the run's, and whether the values next to redaction marks match the recorded ones.
///
/// # Errors
///
/// Fails if the report or the run cannot be read, or if the report has no commitments of the supported scheme.
pub fn check_report(file: &Path, folder: Option<&Path>) -> Result<CheckedReport, CheckReportError> {
    let failed = |source| CheckReportError::File { path: file.to_owned(), source };
    let bytes = std::fs::read(file).map_err(failed)?;
    let report: Report = serde_json::from_slice(&bytes)
        .map_err(|source| CheckReportError::Form { path: file.to_owned(), source })?;
    let scheme = |found: &str| CheckReportError::Scheme { path: file.to_owned(), found: found.to_owned() };
    let commitments = report.commitments.as_ref().ok_or_else(|| scheme("none"))?;
    if commitments.scheme != commitment::SCHEME {
        return Err(scheme(&commitments.scheme));
    }
    let mut findings = by_itself(&report, commitments);
    if let Some(folder) = folder {
        let (read, key) = read_with_key(folder).map_err(CheckReportError::Run)?;
        let fold = |source| OpenRunError::Fold { folder: folder.to_owned(), source };
        let run = graph::fold(read.events).map_err(|source| CheckReportError::Run(fold(source)))?;
        let recorded = Disclosure::whole(&run, &key).map_err(CheckReportError::Commit)?;
        findings.extend(against(&report, commitments, &run, &recorded));
    }
    let withheld =
        || report.facts.iter().filter_map(|told| told.opening.as_ref()).map(|it| it.withheld.len() as u64);
    Ok(CheckedReport {
        root: commitments.root,
        facts: report.facts.len() as u64,
        redacted: withheld().filter(|members| *members > 0).count() as u64,
        withheld: withheld().sum(),
        profile: report.redaction.as_ref().map(|it| it.profile.clone()),
        against_run: folder.is_some(),
        findings,
    })
}

/// Returns the contradictions within a report.
fn by_itself(report: &Report, commitments: &Commitments) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut hashes = Vec::with_capacity(report.facts.len());
    for told in &report.facts {
        let place = told.fact.id.to_string();
        let Some(opening) = &told.opening else {
            found.push((place, "nothing beside it allows it to be checked".to_owned()));
            continue;
        };
        hashes.push(opening.hash);
        if let Err(error) = opening.check(&told.fact) {
            found.push((place.clone(), error.to_string()));
        }
        if let Err(error) = marks_what_it_withholds(&told.fact, opening) {
            found.push((place.clone(), error.to_string()));
        }
        let titles = [fact_title, fact_title_as_told, fact_title_of_words].map(|title| title(&told.fact));
        if !titles.contains(&told.title) {
            found.push((place, "its title does not match its values".to_owned()));
        }
    }
    let root = commitment::root(&hashes);
    if root != commitments.root || commitments.facts != report.facts.len() as u64 {
        let told = format!(
            "the hashes of {} facts give {root}, and not {} of {} facts",
            report.facts.len(),
            commitments.root,
            commitments.facts
        );
        found.push(("root".to_owned(), told));
    }
    if report.redaction.is_none()
        && report.facts.iter().any(|told| told.opening.as_ref().is_some_and(|it| !it.withheld.is_empty()))
    {
        found.push((
            "redaction".to_owned(),
            "something is withheld, and the report does not say so".to_owned(),
        ));
    }
    found
}

/// Returns the contradictions between a report and the run.
fn against(
    report: &Report,
    commitments: &Commitments,
    run: &Run,
    recorded: &Disclosure,
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if commitments.root != recorded.root {
        let told = format!("the run has the root {}, and not {}", recorded.root, commitments.root);
        found.push(("root".to_owned(), told));
    }
    for told in &report.facts {
        let place = told.fact.id.to_string();
        let Some((fact, own)) = run.fact(told.fact.id).zip(recorded.openings.get(&told.fact.id)) else {
            found.push((place, "the run has no such fact".to_owned()));
            continue;
        };
        let Some(opening) = &told.opening else { continue };
        if opening.hash != own.hash {
            found.push((place, format!("in the run its hash is {}, and not {}", own.hash, opening.hash)));
        } else if let Err(error) = is_redaction_of(&told.fact, fact, opening) {
            found.push((place, error.to_string()));
        }
    }
    found
}
