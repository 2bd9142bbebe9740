//! An audit of many runs, for people and for programs: numbers and the names of agents, models, tools and codes.

pub(crate) mod columns;
mod json;
mod text;
pub(crate) mod told;
pub(crate) mod truth;

pub use json::json;
pub(crate) use text::{about, each, minute, sureness};
pub use text::{detail, overview};
pub use truth::Sure;

use graph::audit::{AuditedRun, By, Drift, Group, Trend, Unlike, drift, total, trends, unlike};
use std::path::PathBuf;

/// The runs of an audit.
#[derive(Debug, Default)]
pub struct Audit {
    /// Sealed runs, in chronological order: these count.
    pub sealed: Vec<Named>,
    /// Unsealed runs, in the same order: these are counted separately.
    pub unsealed: Vec<Named>,
    /// Runs that cannot be read.
    pub unread: Vec<Unread>,
    /// Names of folders whose run is also in another folder.
    pub twice: Vec<String>,
    /// The answers of runs whose ground truth is known; empty if no truth was given.
    pub sure: Vec<Sure>,
}

/// A run and the name of its folder.
#[derive(Debug, Clone)]
pub struct Named {
    /// The name of its folder.
    pub name: String,
    /// The path of its folder, as it was found.
    pub folder: PathBuf,
    /// The run in the form that an audit counts.
    pub audited: AuditedRun,
}

/// A run that cannot be read.
#[derive(Debug, Clone)]
pub struct Unread {
    /// The name of its folder.
    pub name: String,
    /// The path of its folder, as it was found.
    pub folder: PathBuf,
    /// The reason.
    pub because: String,
}

/// The detail that was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Agents.
    Agent,
    /// What decided the agents' steps.
    Model,
    /// Tools.
    Tool,
    /// Codes of refusals.
    Code,
    /// Runs one by one, with the figures in which they are unlike others.
    Run,
    /// The versions that the runs were made with.
    Version,
    /// Changes over runs.
    Trend,
}

impl Audit {
    /// Returns the runs that count.
    pub fn runs(&self) -> impl Iterator<Item = &AuditedRun> + Clone {
        self.sealed.iter().map(|named| &named.audited)
    }

    /// Returns the totals of the runs that count.
    pub(crate) fn all(&self) -> Group {
        total(self.runs())
    }

    /// Returns the trends of the runs that count, as a whole or by agent or model.
    pub(crate) fn trends(&self, by: Option<By>) -> Vec<Trend> {
        trends(self.runs(), by)
    }

    /// Returns the things that these runs used in several versions.
    pub(crate) fn drift(&self) -> Vec<Drift> {
        drift(self.runs())
    }

    /// Returns the figures in which these runs are unlike others of their kind.
    pub(crate) fn unlike(&self) -> Vec<Unlike> {
        unlike(&self.runs().collect::<Vec<_>>())
    }

    /// Returns the totals of the unsealed runs.
    pub(crate) fn apart(&self) -> Group {
        total(self.unsealed.iter().map(|named| &named.audited))
    }
}
