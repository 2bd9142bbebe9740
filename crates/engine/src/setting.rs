//! What does not change while a task runs.

use ledger::{
    EvidenceEntry, Fence, IdSpace, InvocationId, Rules, Seed, Surface, TaskId, ToolClass, ToolSpec, Writers,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The part of a run that every task shares: folded from the run's first event.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The rules.
    pub rules: Rules,
    /// The run's ids.
    pub ids: IdSpace,
    seed: Seed,
    /// Who could have written the fields of records.
    writers: Arc<Writers>,
    /// Every tool that the rules leave, by name.
    tools: BTreeMap<String, ToolSpec>,
    /// The tasks of the run.
    tasks: Vec<TaskId>,
    /// The evidence, as the first message names it.
    pub(crate) evidence: Vec<EvidenceEntry>,
}

impl Setting {
    /// The setting of a run with these rules, seed, tools and tasks.
    pub fn new(rules: Rules, seed: Seed, tools: &[ToolSpec], tasks: &[TaskId]) -> Setting {
        let is_there =
            |tool: &&ToolSpec| rules.surfaces.tools.as_ref().is_none_or(|names| names.contains(&tool.name));
        let tools = tools.iter().filter(is_there).map(|tool| (tool.name.clone(), tool.clone())).collect();
        let (ids, writers) = (IdSpace::new(seed), Arc::default());
        Setting { rules, ids, seed, writers, tools, tasks: tasks.to_vec(), evidence: Vec::new() }
    }

    /// The same in a run that knows who could have written the fields of records.
    #[must_use]
    pub fn with_writers(mut self, writers: Writers) -> Setting {
        self.writers = Arc::new(writers);
        self
    }

    /// The same in a run whose first message names the evidence.
    #[must_use]
    pub fn with_evidence(mut self, evidence: Vec<EvidenceEntry>) -> Setting {
        self.evidence = evidence;
        self
    }

    /// What encloses text of the evidence in what a language model reads.
    pub(crate) fn fence(&self, task: TaskId) -> Fence {
        Fence::new(self.seed, task, Arc::clone(&self.writers))
    }

    /// Whether an id is, by its digits, one that another task of the run assigns.
    ///
    /// Its place decides, not whether it was assigned yet: that would depend on how fast the other task is.
    pub(crate) fn is_foreign(&self, id: InvocationId, own: TaskId) -> bool {
        let (task, ordinal) = id.place(&self.ids);
        task != own && self.tasks.contains(&task) && ordinal < LIKELY_ORDINALS
    }

    /// The class of a tool; `None` where there is no such tool.
    pub fn class(&self, tool: &str) -> Option<ToolClass> {
        self.tools.get(tool).map(|spec| spec.class)
    }

    /// The tools on a surface, sorted by name.
    pub fn offered(&self, surface: &Surface) -> Arc<[ToolSpec]> {
        self.tools.values().filter(|spec| surface.contains(&spec.class)).cloned().collect()
    }
}

/// Ordinals that a task may come to; an invented id is unlikely to have one so small.
const LIKELY_ORDINALS: u32 = 1 << 14;
