//! Summarises a task from its record: the summary replaces turns that are no longer shown.

use crate::conversation::Distil;
use crate::notebook::{Notebook, invocation};
use crate::shelf::bounded;
use ground::Shelf;
use ledger::turn::{Distilled, Listed, NodeView};
use ledger::{AgentSpec, FactEntry, NodeId};

/// Tenths of the available space for what was recorded and for the calls; the rest is for refused claims.
const RECORDED_TENTHS: u64 = 5;
const INVOCATIONS_TENTHS: u64 = 4;
/// Bytes of a list item besides its text.
const AROUND: u64 = 60;
/// The most calls and refusals that are worth repeating.
const MOST_LISTED: usize = 200;

/// The parts of a task's record from which the summary is made.
pub(crate) struct Record<'t> {
    pub(crate) agent: &'t AgentSpec,
    pub(crate) facts: &'t [FactEntry],
    pub(crate) notebook: &'t Notebook,
    pub(crate) shelf: &'t Shelf,
    /// Code and reason of each refused claim.
    pub(crate) refused: &'t [String],
}

impl Distil for Record<'_> {
    fn distil(&self, turns: u32, bytes: u64) -> Distilled {
        let part = |tenths: u64| bytes / 10 * tenths;
        let rest = part(10 - RECORDED_TENTHS - INVOCATIONS_TENTHS);
        let held = self.shelf.held();
        // Invocations are listed separately. Phenomena are left out: their titles repeat facts, and the facts have the ids to refer to.
        let nodes =
            self.notebook.views(self.facts, &[]).filter(|node| !matches!(node.id, NodeId::Phenomenon(_)));
        let (met, open) = self.objectives();
        Distilled {
            turns,
            met,
            open,
            recorded: latest(nodes.collect(), part(RECORDED_TENTHS), weight),
            invocations: latest(held.iter().map(invocation).collect(), part(INVOCATIONS_TENTHS), weight),
            rejections: latest(self.refused.to_vec(), rest, |refused| refused.len() as u64),
        }
    }
}

impl Record<'_> {
    /// Returns the objectives that facts meet, and the open questions.
    fn objectives(&self) -> (Vec<String>, Vec<String>) {
        let (met, open): (Vec<_>, Vec<_>) = self
            .agent
            .objectives
            .iter()
            .partition(|objective| self.facts.iter().any(|fact| objective.is_answered_by(fact)));
        let met = met.into_iter().map(|objective| objective.id.clone());
        let open = open.into_iter().map(|objective| format!("{}: {}", objective.id, objective.question));
        (met.collect(), open.collect())
    }
}

fn weight(node: &NodeView) -> u64 {
    let ids: usize = node.nodes.iter().map(|id| id.to_string().len() + 3).sum();
    (node.title.len() + node.words.len() + ids) as u64
}

/// Returns the latest entries that fit.
fn latest<T>(mut all: Vec<T>, bytes: u64, weight: impl Fn(&T) -> u64) -> Listed<T> {
    let mut left = Some(bytes);
    let fitting = all.iter().rev().take(MOST_LISTED).take_while(|item| {
        left = left.and_then(|left| left.checked_sub(weight(item) + AROUND));
        left.is_some()
    });
    let left_out = all.len() - fitting.count();
    Listed { shown: all.split_off(left_out), left_out: left_out as u32 }
}

/// Describes a refused claim in one line.
pub(crate) fn refused(code: impl std::fmt::Display, reason: &str) -> String {
    bounded(&format!("{code}: {reason}"))
}
