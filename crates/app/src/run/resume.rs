//! Use case: resume a run that broke off, from the end of its log.
//!
//! The same engine replays the log to its end: replies and outputs come from the recording, and nothing is asked or run again.
//! What the last process had begun but not recorded is repeated: a turn without a reply, or a call without an end.

use super::folder::refuse_runs_inside;
use super::recording::{Open, Tasks, finished, mismatches};
use super::{
    Charge, Finished, Models, NoModel, RunError, Site, Workplace, asked, carry_on, hunt, opened, sweep,
};
use crate::agents::Agent;
use crate::brought::{Brought, brought_again};
use crate::case_file::Case;
use crate::given::placed;
use crate::record::Recorder;
use crate::run_key::remove_key;
use crate::seal::{Sealing, read_manifest};
use crate::stored::{Stored, StoredTask};
use crate::worker::Worker;
use ledger::event::{RunOpened, TaskAssigned, TaskEnded};
use ledger::{Event, FORMAT, RulesMatched, RunId, Seed, Vocabulary};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{ResumeError, Writer};
use tools::TableGroup;

/// Which run to resume, and how.
pub struct ResumeRequest {
    /// Its folder.
    pub folder: PathBuf,
    /// The given present locations of its evidence (see [`crate::evidence_of`]); evidence that is not given is looked for where it was.
    pub evidence: Vec<PathBuf>,
    /// The agents that have a playbook here.
    pub agents: Vec<Agent>,
    /// Makers of the models that the log names.
    pub models: Box<ModelsByName>,
    /// Where and how to work; the log decides whether tools are confined.
    pub work: Workplace,
}

/// Makers of models for an assigned task, which names the model, its window and its prices.
pub type ModelsByName = dyn Fn(&TaskAssigned) -> Result<Box<Models>, NoModel> + Send + Sync;

/// An interrupted run that is being resumed.
pub(super) struct TakenUp {
    pub(super) open: Open,
    pub(super) site: Site,
    pub(super) hasher: Worker,
    pub(super) tasks: Tasks,
    /// Its tasks in the log.
    pub(super) stored: Vec<StoredTask>,
}

/// The state of a run that is to be resumed.
pub(super) enum Found {
    /// It broke off.
    Open(Box<TakenUp>),
    /// It is complete.
    Sealed(Box<Finished>),
}

/// Resumes a run that broke off, and seals it. If only the manifest is missing, this writes it; if nothing is missing, this does nothing.
///
/// A run is resumed with the tools, vocabulary and playbooks that it was begun with, and over the same evidence, or not at all.
///
/// # Errors
///
/// Fails if the run cannot be resumed, or cannot be finished.
pub async fn resume(request: ResumeRequest) -> Result<Finished, RunError> {
    match take_up(request).await? {
        Found::Sealed(finished) => Ok(*finished),
        Found::Open(taken) => {
            let TakenUp { open, site, hasher, tasks, stored: _ } = *taken;
            carry_on(open, site, hasher, tasks).await
        }
    }
}

/// Prepares a run that broke off for resuming; from here on, it is recorded again.
pub(super) async fn take_up(mut request: ResumeRequest) -> Result<Found, RunError> {
    let folder = request.folder.clone();
    let of = folder.clone();
    let writer = match Writer::resume_with(&folder, request.work.recording) {
        Ok(writer) => Some(writer),
        Err(ResumeError::Sealed { .. }) => None,
        Err(source) => return Err(RunError::Resume { folder, source: Box::new(source) }),
    };
    let (stored, _) = Stored::open(&folder).map_err(RunError::Log)?;
    let Some(opened) = stored.opened.clone() else { return Err(RunError::NothingRecorded { folder }) };
    let Some(id) = stored.name(&folder) else { return Err(RunError::NothingRecorded { folder }) };
    let Some(writer) = writer else {
        return with_manifest(folder, &id, &opened, &stored)
            .map(|finished| Found::Sealed(Box::new(finished)));
    };
    request.work.worker.unconfined = !opened.confined;
    request.work.worker = request.work.worker.as_recorded(&opened);
    let case = placed(&opened, &stored.begun, &request.evidence).map_err(RunError::Given)?;
    same_program(&folder, &case, &opened)?;
    let ResumeRequest { agents, models, .. } = request;
    let seed = opened.seed;
    let hire = move |assigned: &TaskAssigned| charge(&agents, &models, seed, assigned, &of);
    let tasks = stored.tasks.iter().cloned();
    let (swept, tasks): (Vec<_>, Vec<_>) = tasks.partition(|task| task.assigned.sweep);
    let (asked, tasks): (Vec<_>, Vec<_>) =
        tasks.into_iter().partition(|task| task.assigned.is_of_a_question());
    let (begun, dispatched): (Vec<_>, Vec<_>) =
        tasks.into_iter().partition(|task| task.assigned.is_of_the_beginning() || task.assigned.hunt);
    let matched = stored.of_run.iter().find_map(|event| match event {
        Event::RulesMatched(matched) => Some((**matched).clone()),
        _ => None,
    });
    let brought = match &matched {
        Some(_) => Brought::default(),
        None => brought_again(&opened.brought, &stored.begun.brought).map_err(RunError::Brought)?,
    };
    let (hunted, begun): (Vec<_>, Vec<_>) = begun.into_iter().partition(|task| task.assigned.hunt);
    let hunted = hunted.into_iter().map(|task| hunt::taken_up(&opened, matched.as_ref(), task, &folder));
    let hunted = hunted.collect::<Result<Vec<_>, _>>()?;
    let swept = swept.into_iter().map(|task| sweep::taken_up(&opened, task, &folder));
    let swept = swept.collect::<Result<Vec<_>, _>>()?;
    let asked = asked::taken_up(&opened, asked, &folder, &hire)?;
    let charges = begun.iter().map(|task| hire(&task.assigned)).collect::<Result<Vec<_>, _>>()?;
    let work = &request.work;
    for other in [Some(&folder), Some(&work.indexes), work.cache.as_ref()].into_iter().flatten() {
        refuse_runs_inside(other, &case.paths)?;
    }
    let (site, hasher) =
        Site { case, work: request.work, brought: Arc::new(brought), before: None }.enter().await?;
    same_evidence(&folder, &site, &stored)?;
    let open =
        taken_up(folder, id, opened, (&stored, matched), Recorder::new(writer, Arc::clone(&site.work.clock)));
    open.go_on(&site, hasher.confinement())?;
    let begun = charges.into_iter().zip(begun).collect();
    let tasks = Tasks { begun, dispatched, hunted, swept, asked, hire: Box::new(hire) };
    Ok(Found::Open(Box::new(TakenUp { open, site, hasher, tasks, stored: stored.tasks })))
}

/// Returns the groups of case tables that the calls of a task may have read.
fn groups(events: &[Event]) -> impl Iterator<Item = TableGroup> {
    events.iter().flat_map(|event| match event {
        Event::InvocationStarted(started) => tools::groups_of(&started.tool, &started.arguments),
        _ => Vec::new(),
    })
}

fn taken_up(
    folder: PathBuf,
    id: RunId,
    opened: RunOpened,
    (stored, matched): (&Stored, Option<RulesMatched>),
    recorder: Recorder,
) -> Open {
    let assigned: Vec<TaskAssigned> = stored.tasks.iter().map(|task| task.assigned.clone()).collect();
    let grouped = stored.tasks.iter().flat_map(|task| groups(&task.events)).collect();
    let named = stored.of_run.iter().filter_map(|event| match event {
        Event::NamesIndexed(index) => Some(index.clone()),
        _ => None,
    });
    let names = named.collect();
    let begun = stored.begun.at.clone();
    Open { folder, id, opened, assigned, recorder, begun, names, matched, grouped }
}

/// Writes the manifest of a run whose log is sealed, if it is missing; does nothing else.
///
/// # Errors
///
/// Fails if the log is not sealed, or the manifest cannot be written.
pub fn conclude(folder: &Path) -> Result<Finished, RunError> {
    let (stored, _) = Stored::open(folder).map_err(RunError::Log)?;
    let nothing = || RunError::NothingRecorded { folder: folder.to_owned() };
    let opened = stored.opened.as_ref().ok_or_else(nothing)?;
    let id = stored.name(folder).ok_or_else(nothing)?;
    if !matches!(stored.of_run.last(), Some(Event::RunSealed(_))) {
        return Err(RunError::NotSealed { folder: folder.to_owned() });
    }
    with_manifest(folder.to_owned(), &id, opened, &stored)
}

/// Returns the result of a run whose log is sealed; writes the manifest if it is missing.
fn with_manifest(
    folder: PathBuf,
    id: &RunId,
    opened: &RunOpened,
    stored: &Stored,
) -> Result<Finished, RunError> {
    let mut hashed = Vec::new();
    let mut payloads = 0;
    for event in &stored.of_run {
        match event {
            Event::EvidenceHashed(evidence) => hashed.push(evidence.clone()),
            Event::RunSealed(sealed) => payloads = sealed.payloads,
            _ => {}
        }
    }
    let tasks = stored.tasks.iter().filter_map(ended).collect();
    if let Some(manifest) =
        read_manifest(&folder).map_err(|source| RunError::Manifest { folder: folder.clone(), source })?
    {
        remove_key(&folder);
        let mismatches = mismatches(&hashed);
        return Ok(Finished { folder, manifest, tasks, mismatches });
    }
    let Some(head) = stored.head else { return Err(RunError::NothingRecorded { folder }) };
    let seal = Sealing { head, events: stored.count, payloads };
    let assigned: Vec<TaskAssigned> = stored.tasks.iter().map(|task| task.assigned.clone()).collect();
    finished(folder, id, opened, &assigned, seal, tasks, &hashed)
}

pub(super) fn ended(task: &StoredTask) -> Option<(String, TaskEnded)> {
    match task.events.last() {
        Some(Event::TaskEnded(ended)) => Some((task.assigned.agent.name.clone(), ended.clone())),
        _ => None,
    }
}

/// Refuses to resume a run that was begun with another format, vocabulary, tools or behaviour than this version has.
fn same_program(folder: &Path, case: &Case, begun: &RunOpened) -> Result<(), RunError> {
    let vocabulary = Vocabulary::shipped().map_err(RunError::Vocabulary)?;
    let roster = begun.roster.clone();
    let questions = begun.questions.clone();
    let ours = opened(case, begun.rules.clone(), begun.seed, vocabulary, roster, questions, begun.confined)?;
    let what = match () {
        () if begun.format != FORMAT => "format",
        () if ours.tools != begun.tools => "tools",
        () if ours.vocabulary != begun.vocabulary => "vocabulary",
        () if ours.writers != begun.writers => "tables of writers",
        () if ours.behaviour != begun.behaviour => "behaviour",
        () => return Ok(()),
    };
    let (folder, program) = (folder.to_owned(), begun.program.clone());
    Err(RunError::OtherProgram { folder, program, what })
}

fn same_evidence(folder: &Path, site: &Site, stored: &Stored) -> Result<(), RunError> {
    let now = site.before.as_ref().map(|before| before.digest(&site.case));
    match stored.begun.stamps.is_none() || stored.begun.stamps == now {
        true => Ok(()),
        false => Err(RunError::NotAsItWas { folder: folder.to_owned() }),
    }
}

/// Returns agent and model for continuing a task, as the log names them; a newly assigned task has no digest yet.
fn charge(
    agents: &[Agent],
    models: &ModelsByName,
    seed: Seed,
    assigned: &TaskAssigned,
    folder: &Path,
) -> Result<Charge, RunError> {
    let folder = || folder.to_owned();
    let made = models(assigned).map_err(|source| source.of(folder(), &assigned.model))?;
    let agent = agent_of(agents, assigned);
    let charge = Charge::new(&*made, &agent, assigned.task, seed);
    let is_new = assigned.dispatch.is_some() && assigned.model_digest.is_none();
    match is_new || charge.model.digest() == assigned.model_digest {
        true => Ok(charge),
        false => Err(RunError::OtherModel {
            folder: folder(),
            agent: agent.spec.name,
            model: assigned.model.clone(),
        }),
    }
}

/// Returns the agent in the log, with the playbook of its name, if there is one.
pub(crate) fn agent_of(agents: &[Agent], assigned: &TaskAssigned) -> Agent {
    let spec = assigned.agent.clone();
    match agents.iter().find(|agent| agent.spec.name == spec.name) {
        Some(agent) => Agent { spec, ..agent.clone() },
        None => Agent { spec, steps: Vec::new(), plan: None, digest: ledger::Digest::of(b"") },
    }
}
