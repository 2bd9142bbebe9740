//! The material of a sealed run for seeded claims: the shelves of its tasks, their facts, and texts that are not evidence.

use super::counts::{self, Counts};
use super::world::{Beside, World};
use crate::judge::Bench;
use crate::open::{OpenRunError, load_run};
use graph::{Judged, Run, TaskView};
use ground::Shelf;
use ledger::event::InvocationEnded;
use ledger::{Claim, Digest, FactEntry, InvocationId, Output, Reading, TaskId};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{ReadError, Reader};
use thiserror::Error;

/// Why no claims can be seeded into a run.
#[derive(Debug, Error)]
pub enum MaterialError {
    /// The run cannot be opened.
    #[error(transparent)]
    Open(OpenRunError),
    /// The run is not sealed, so its end might be missing.
    #[error("read the run {}: it is not sealed", folder.display())]
    Unsealed {
        /// The run folder.
        folder: PathBuf,
    },
    /// A stored output cannot be read.
    #[error("read the output {digest} of the run {}", folder.display())]
    Read {
        /// The run folder.
        folder: PathBuf,
        /// The output.
        digest: Digest,
        /// The error of the store.
        #[source]
        source: Box<ReadError>,
    },
    /// A stored output is missing or invalid.
    #[error("read the output {digest} of the run {}: it is missing or no output", folder.display())]
    Output {
        /// The run folder.
        folder: PathBuf,
        /// The output.
        digest: Digest,
    },
    /// No claim can be made from its outputs.
    #[error("seed claims into the run {}: its outputs hold no record that proves anything", folder.display())]
    Nothing {
        /// The run folder.
        folder: PathBuf,
    },
}

/// A run to seed claims into.
pub(super) struct Material {
    /// The name of the run.
    pub(super) run: String,
    /// What every judgement needs.
    pub(super) bench: Bench,
    /// Identifies the ids of other tasks.
    pub(super) setting: engine::Setting,
    /// The tasks, in the order of their numbers.
    pub(super) tasks: Vec<TaskMaterial>,
    /// The same tasks in other worlds.
    pub(super) worlds: Vec<World>,
    /// The counts of the world of counts.
    pub(super) counts: Counts,
}

/// What one task has seen and recorded, and the texts that are not evidence.
pub(super) struct TaskMaterial {
    pub(super) task: TaskId,
    pub(super) shelf: Shelf,
    /// Readings that became facts, each citing the invocation of its fact.
    pub(super) recorded: Vec<(Reading, FactEntry)>,
    /// Texts in arguments, each with its invocation.
    pub(super) arguments: Vec<(InvocationId, String)>,
    /// Texts in notes, gaps and defects, each with its invocation.
    pub(super) remarks: Vec<(InvocationId, String)>,
}

impl Material {
    /// Reads a sealed run with all its outputs.
    pub(super) fn load(folder: &Path) -> Result<Material, MaterialError> {
        let run = load_run(folder).map_err(MaterialError::Open)?;
        if run.sealed.is_none() {
            return Err(MaterialError::Unsealed { folder: folder.to_owned() });
        }
        let outputs = outputs(folder, &run)?;
        let tasks: Vec<TaskId> = run.tasks.keys().copied().collect();
        let opened = &run.opened;
        let bench = Bench::new(opened);
        let setting = engine::Setting::new(opened.rules.clone(), opened.seed, &opened.tools, &tasks);
        let tasks: Vec<_> = run.tasks.iter().map(|(task, view)| of_task(*task, view, &outputs)).collect();
        let mut worlds: Vec<World> =
            Beside::OF_RECORDS.iter().map(|beside| World::of_records(*beside, &tasks)).collect();
        let (counted, counts) = counts::world(&tasks, &setting, bench.types());
        worlds.push(counted);
        Ok(Material { run: run.name().to_owned(), bench, setting, tasks, worlds, counts })
    }

    /// Returns every task: those of the run, then those of each world.
    pub(super) fn all(&self) -> impl Iterator<Item = &TaskMaterial> {
        self.tasks.iter().chain(self.worlds.iter().flat_map(|world| &world.tasks))
    }

    /// Returns the task at an index among all tasks.
    pub(super) fn task(&self, place: usize) -> Option<&TaskMaterial> {
        match place.checked_sub(self.tasks.len()) {
            None => self.tasks.get(place),
            Some(_) => self.world(place)?.tasks.get(place % self.tasks.len().max(1)),
        }
    }

    /// Returns the world of the task at an index; `None` for a task of the run itself.
    pub(super) fn world(&self, place: usize) -> Option<&World> {
        self.worlds.get((place / self.tasks.len().max(1)).checked_sub(1)?)
    }
}

impl TaskMaterial {
    /// Makes a task of which only the shelf is known.
    pub(super) fn of_shelf(task: TaskId, shelf: Shelf) -> TaskMaterial {
        let (recorded, arguments, remarks) = (Vec::new(), Vec::new(), Vec::new());
        TaskMaterial { task, shelf, recorded, arguments, remarks }
    }
}

type Outputs = BTreeMap<Digest, Arc<Output>>;

fn outputs(folder: &Path, run: &Run) -> Result<Outputs, MaterialError> {
    let folder = folder.to_owned();
    let reader = Reader::open(&folder).map_err(|source| {
        MaterialError::Open(OpenRunError::Open { folder: folder.clone(), source: Box::new(source) })
    })?;
    let mut outputs = Outputs::new();
    let ended = run.tasks.values().flat_map(|task| &task.invocations).filter_map(|it| it.ended.as_ref());
    for digest in ended.filter_map(|ended| ended.output) {
        if outputs.contains_key(&digest) {
            continue;
        }
        let bytes = reader.payload(&digest).map_err(|source| MaterialError::Read {
            folder: folder.clone(),
            digest,
            source: Box::new(source),
        })?;
        let output = bytes.and_then(|bytes| Output::decode(&bytes).ok());
        let output = output.ok_or_else(|| MaterialError::Output { folder: folder.clone(), digest })?;
        outputs.insert(digest, Arc::new(output));
    }
    Ok(outputs)
}

fn of_task(task: TaskId, view: &TaskView, outputs: &Outputs) -> TaskMaterial {
    let mut shelf = Shelf::default();
    let (mut arguments, mut remarks) = (Vec::new(), Vec::new());
    for invocation in &view.invocations {
        let Some(ended) = &invocation.ended else { continue };
        let output = ended.output.and_then(|digest| outputs.get(&digest).cloned());
        engine::hold(&mut shelf, &invocation.started, ended, output);
        let mut leaves = Vec::new();
        texts_of(&invocation.started.arguments, &mut leaves);
        arguments.extend(leaves.into_iter().map(|text| (ended.invocation, text)));
        remarks.extend(remarks_of(ended).map(|text| (ended.invocation, text)));
    }
    TaskMaterial { task, shelf, recorded: recorded(view), arguments, remarks }
}

/// Collects the texts in arguments, including numbers.
fn texts_of(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, found)),
        Value::Object(members) => members.values().for_each(|member| texts_of(member, found)),
        Value::Null | Value::Bool(_) => {}
    }
}

fn remarks_of(ended: &InvocationEnded) -> impl Iterator<Item = String> {
    let gaps = ended.gaps.iter().flat_map(|gap| [&gap.path, &gap.reason]);
    let defects = ended.defects.iter().flat_map(|defect| [&defect.path, &defect.what]);
    ended.notes.iter().chain(gaps).chain(defects).cloned()
}

fn recorded(view: &TaskView) -> Vec<(Reading, FactEntry)> {
    let accepted = |judged: &Judged| match judged {
        Judged::Accepted(accepted) => Some(accepted.fact.clone()),
        Judged::Repeated(_)
        | Judged::Covered(_)
        | Judged::Derived(_)
        | Judged::Told(_)
        | Judged::Stated(_)
        | Judged::Rejected(_) => None,
    };
    let claims = view.claims.iter().filter_map(|claim| match &claim.submitted.stated {
        Claim::Reading(reading) => Some((reading.clone(), accepted(claim.judged.as_ref()?)?)),
        Claim::Absence(_) | Claim::Derivation(_) | Claim::Sentence(_) | Claim::Statement(_) => None,
    });
    claims
        .map(|(reading, fact)| (Reading { invocation: fact.invocation.to_string(), ..reading }, fact))
        .collect()
}
