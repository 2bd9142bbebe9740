//! An audit of many runs, for people and for programs: names of agents, models, tools and codes, and numbers.

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

/// The runs that an audit is about.
#[derive(Debug, Default)]
pub struct Audit {
    /// Those that are sealed, in the order of their beginning: they count.
    pub sealed: Vec<Named>,
    /// Those that are not, in the same order: they are counted apart.
    pub unsealed: Vec<Named>,
    /// Those that cannot be read.
    pub unread: Vec<Unread>,
    /// Names of folders that hold a run that another folder holds, too.
    pub twice: Vec<String>,
    /// The answers of runs whose ground truth is known; none where no truth was given.
    pub sure: Vec<Sure>,
}

/// A run by the name of its folder.
#[derive(Debug, Clone)]
pub struct Named {
    /// The name of its folder.
    pub name: String,
    /// Its folder, as it was found.
    pub folder: PathBuf,
    /// What is counted of it.
    pub audited: AuditedRun,
}

/// A run that cannot be read.
#[derive(Debug, Clone)]
pub struct Unread {
    /// The name of its folder.
    pub name: String,
    /// Its folder, as it was found.
    pub folder: PathBuf,
    /// Why.
    pub because: String,
}

/// What is looked at in detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Agents.
    Agent,
    /// What decided their steps.
    Model,
    /// Tools.
    Tool,
    /// Codes of refusals.
    Code,
    /// Runs, one by one, and what of them is unlike others.
    Run,
    /// What the runs were made with.
    Version,
    /// What changes over runs.
    Trend,
}

impl Audit {
    /// Those that count.
    pub fn runs(&self) -> impl Iterator<Item = &AuditedRun> + Clone {
        self.sealed.iter().map(|named| &named.audited)
    }

    /// What these came to.
    pub(crate) fn all(&self) -> Group {
        total(self.runs())
    }

    /// What changes over them, as a whole or by agent or model.
    pub(crate) fn trends(&self, by: Option<By>) -> Vec<Trend> {
        trends(self.runs(), by)
    }

    /// What they were made with in several versions.
    pub(crate) fn drift(&self) -> Vec<Drift> {
        drift(self.runs())
    }

    /// What is unlike the runs of its kind.
    pub(crate) fn unlike(&self) -> Vec<Unlike> {
        unlike(&self.runs().collect::<Vec<_>>())
    }

    /// What those that are not sealed came to.
    pub(crate) fn apart(&self) -> Group {
        total(self.unsealed.iter().map(|named| &named.audited))
    }
}
