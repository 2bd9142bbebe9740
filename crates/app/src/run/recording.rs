//! A run that is being recorded, from its first event to its seal.

use super::folder::create_folder;
use super::{Charge, Finished, RunError, Site, Workplace, hunt, sweep, tell};
use crate::crew::{Crew, Hire};
use crate::interrupt::Interrupt;
use crate::judge::Bench;
use crate::made_tables::{MadeTables, MadeTablesOf};
use crate::memory::Learner;
use crate::names::Names;
use crate::open::{OpenRunError, load_run};
use crate::purse::Purse;
use crate::record::Recorder;
use crate::run_key::remove_key;
use crate::seal::{Manifest, Sealing, write_manifest};
use crate::shared::Shared;
use crate::siblings::Siblings;
use crate::stored::{StoredTask, begun_with, setting};
use crate::unchanged::Changed;
use crate::waiting::{Panicked, wait_for};
use crate::worker::Worker;
use graph::connections::digest;
use ledger::event::{
    ConnectionsMade, EvidenceHashed, NamesIndexed, RunOpened, RunResumed, RunSealed, TablesRead,
    TaskAssigned, TaskEnded, TaskHead,
};
use ledger::{Behaviour, Circumstance, Event, RulesMatched, RunId, Stream};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use store::{Entry, Reader};
use tools::{Indexes, TableGroup};

/// A run that is being recorded.
pub(super) struct Open {
    pub(super) folder: PathBuf,
    pub(super) id: RunId,
    pub(super) opened: RunOpened,
    pub(super) assigned: Vec<TaskAssigned>,
    pub(super) recorder: Recorder,
    /// The time in its log when it was opened; together with its name, it identifies the run.
    pub(super) begun: String,
    /// The name indexes that its log already has.
    pub(super) names: Vec<NamesIndexed>,
    /// The matches of third-party rules that its log already has.
    pub(super) matched: Option<RulesMatched>,
    /// The groups of case tables that calls of an earlier session may have read.
    pub(super) grouped: BTreeSet<TableGroup>,
}

/// The tasks of a run, and how agents are chosen for assigned tasks.
pub(super) struct Tasks {
    /// The tasks that the run began with.
    pub(super) begun: Vec<(Charge, StoredTask)>,
    /// The tasks that were assigned before.
    pub(super) dispatched: Vec<StoredTask>,
    /// The earlier tasks that record the matches of third-party rules.
    pub(super) hunted: Vec<(Charge, StoredTask)>,
    /// The earlier tasks that ask what the agents left open.
    pub(super) swept: Vec<(Charge, StoredTask)>,
    /// The tasks that record the answers to questions in words.
    pub(super) asked: Vec<(Charge, StoredTask)>,
    pub(super) hire: Box<Hire>,
}

impl Open {
    /// Makes the run's folder and records, in one append, that the run is opened and which tasks it has.
    pub(super) fn create(
        runs: &Path,
        site: &Site,
        opened: RunOpened,
        assigned: Vec<TaskAssigned>,
        confinement: Vec<String>,
    ) -> Result<Open, RunError> {
        let (folder, id, writer) =
            create_folder(runs, &opened.case.name, &*site.work.clock, site.work.recording)?;
        let recorder = Recorder::new(writer, Arc::clone(&site.work.clock));
        let (names, grouped) = (Vec::new(), BTreeSet::new());
        let begun = site.work.clock.now().to_string();
        let open = Open { folder, id, opened, assigned, recorder, begun, names, matched: None, grouped };
        let circumstance = Circumstance {
            at: open.begun.clone(),
            run: Some(open.id.clone()),
            stamps: site.before.as_ref().map(|before| before.digest(&site.case)),
            brought: site.brought.from(),
            ..open.circumstance(site, confinement)
        };
        let event = Event::RunOpened(Box::new(open.opened.clone()));
        let mut entries = vec![Entry { circumstance, ..open.recorder.run_entry(event) }];
        let assign = |assigned: &TaskAssigned| open.recorder.run_entry(Event::TaskAssigned(assigned.clone()));
        entries.extend(open.assigned.iter().map(assign));
        match open.append(entries) {
            Ok(()) => Ok(open),
            Err(error) => {
                let folder = open.folder.clone();
                // The run's file must be closed before it is removed.
                drop(open);
                store::discard(&folder);
                Err(error)
            }
        }
    }

    /// Records that the run is resumed.
    pub(super) fn go_on(&self, site: &Site, confinement: Vec<String>) -> Result<(), RunError> {
        let event = Event::RunResumed(RunResumed { program: env!("CARGO_PKG_VERSION").to_owned() });
        let circumstance = self.circumstance(site, confinement);
        self.append(vec![Entry { circumstance, ..self.recorder.run_entry(event) }])
    }

    fn circumstance(&self, site: &Site, confinement: Vec<String>) -> Circumstance {
        let labels = site.case.entry.evidence.iter().map(|entry| entry.label.clone());
        let paths = site.case.paths.iter().map(|path| path.display().to_string());
        let evidence = labels.zip(paths).collect();
        Circumstance { evidence, confinement, ..Circumstance::at(site.work.clock.now()) }
    }

    pub(super) fn append(&self, entries: Vec<Entry>) -> Result<(), RunError> {
        self.recorder
            .append_to_run(entries)
            .map_err(|source| RunError::Recording { folder: self.folder.clone(), source })
    }

    /// Returns its tasks as if none had begun.
    pub(super) fn unbegun(&self) -> Vec<StoredTask> {
        let unbegun = |assigned: &TaskAssigned| StoredTask { assigned: assigned.clone(), events: Vec::new() };
        self.assigned.iter().map(unbegun).collect()
    }

    /// Indexes the names of the evidence, and records that before any call can use an index.
    pub(super) async fn index_names(&self, site: &Site, worker: &Worker) -> Result<Names, RunError> {
        let cancellers = vec![worker.canceller()];
        let (worker, case) = (worker.clone(), site.case.clone());
        let (indexes, cache) = (site.work.indexes.clone(), site.work.cache.clone());
        let index = move || Names::index(&worker, &case, &indexes, cache.as_deref());
        let names = wait_for(&site.work.interrupt, cancellers, index).await;
        let mut names = names.map_err(|Panicked| RunError::Panicked { folder: self.folder.clone() })?;
        if site.work.interrupt.is_interrupted() {
            return Err(RunError::Interrupted { folder: self.folder.clone() });
        }
        tell(&site.work, &mut names);
        for indexed in &names.indexed {
            match self.names.iter().find(|known| known.evidence == indexed.evidence) {
                None => self.append(vec![self.recorder.run_entry(Event::NamesIndexed(indexed.clone()))])?,
                Some(known) if known == indexed => {}
                Some(_) => {
                    let (folder, label) = (self.folder.clone(), indexed.evidence.clone());
                    return Err(RunError::OtherEvidence { folder, label });
                }
            }
        }
        Ok(names)
    }

    /// Makes the case tables of this run; those that calls read are recorded when it is sealed.
    pub(super) fn tables(&self, site: &Site) -> MadeTables {
        let Workplace { indexes, cache, observe, .. } = &site.work;
        let labels = site.case.entry.evidence.iter().map(|entry| entry.label.clone()).collect();
        MadeTables::of(MadeTablesOf { labels, indexes, cache: cache.clone(), only: None, observe })
    }

    /// Returns the log entries of the case tables that calls have read, including those of an earlier session.
    pub(super) async fn tables_read(
        &self,
        site: &Site,
        indexes: &Indexes,
        tables: Arc<MadeTables>,
    ) -> Result<Vec<TablesRead>, RunError> {
        if !self.grouped.is_empty() {
            let worker = Worker::start(&site.work.worker, &site.case, indexes).map_err(RunError::Tools)?;
            let (again, groups) = (Arc::clone(&tables), self.grouped.clone());
            let cancellers = vec![worker.canceller()];
            wait_for(&site.work.interrupt, cancellers, move || again.again(&worker, &groups))
                .await
                .map_err(|_| RunError::Panicked { folder: self.folder.clone() })?;
            if site.work.interrupt.is_interrupted() {
                return Err(RunError::Interrupted { folder: self.folder.clone() });
            }
        }
        Ok(tables.read())
    }

    /// Drives the tasks that the run began with concurrently, each from where its log leaves off, with the tasks that they assign; then
    /// the hunt, the sweep and the questions.
    pub(super) async fn investigate(
        &mut self,
        site: &Site,
        indexes: &Indexes,
        made: &Arc<MadeTables>,
        tasks: Tasks,
    ) -> Result<Vec<(String, TaskEnded)>, RunError> {
        let Tasks { begun, dispatched, hunted, swept, asked, hire } = tasks;
        let logs = begun
            .iter()
            .chain(&hunted)
            .chain(&swept)
            .chain(&asked)
            .map(|(_, stored)| stored)
            .chain(&dispatched);
        let purse = Purse::of(&self.opened.rules.budgets, logs);
        let so_far = self.so_far(begun.iter().map(|(_, stored)| stored), &dispatched)?;
        let crew = self.crew(site, (indexes, made), hire, purse, so_far, dispatched);
        let mut done = crew.work(begun, &Interrupt::new()).await?;
        self.assigned.retain(TaskAssigned::is_of_the_beginning);
        self.assigned.extend(crew.siblings.all());
        let hunt = if hunted.is_empty() { self.begin_hunt(site, indexes, made).await? } else { hunted };
        self.assigned.extend(hunt.iter().map(|(_, stored)| stored.assigned.clone()));
        if !hunt.is_empty() {
            done.extend(crew.work(hunt, &Interrupt::new()).await?);
        }
        let sweep = if swept.is_empty() { self.begin_sweep()? } else { swept };
        self.assigned.extend(sweep.iter().map(|(_, stored)| stored.assigned.clone()));
        if !sweep.is_empty() {
            done.extend(crew.work(sweep, &Interrupt::new()).await?);
        }
        self.assigned.extend(asked.iter().map(|(_, stored)| stored.assigned.clone()));
        if !asked.is_empty() {
            done.extend(crew.work(asked, &Interrupt::new()).await?);
        }
        let mut ended: Vec<_> = done.into_iter().map(|(id, agent, done)| (id, agent, done.ended)).collect();
        ended.extend(crew.ended());
        ended.sort_by_key(|(id, ..)| *id);
        Ok(ended.into_iter().map(|(_, agent, ended)| (agent, ended)).collect())
    }

    /// Makes the crew that does its tasks.
    pub(super) fn crew(
        &self,
        site: &Site,
        (indexes, made): (&Indexes, &Arc<MadeTables>),
        hire: Box<Hire>,
        purse: Purse,
        (siblings, shared): (Siblings, Shared),
        dispatched: Vec<StoredTask>,
    ) -> Arc<Crew> {
        Arc::new(Crew {
            folder: self.folder.clone(),
            setting: setting(&self.opened, &begun_with(self.assigned.iter())),
            bench: Arc::new(Bench::new(&self.opened)),
            shared,
            purse,
            recorder: self.recorder.clone(),
            case: site.case.clone(),
            work: site.work.clone(),
            begun: self.assigned.iter().filter(|assigned| assigned.is_of_the_beginning()).cloned().collect(),
            indexes: indexes.clone(),
            made: Arc::clone(made),
            hire,
            stop: site.work.interrupt.of_one_run(),
            siblings,
            logged: dispatched.into_iter().map(|task| (task.assigned.task, task)).collect(),
            ended: Mutex::default(),
            learner: self.learner(site).map(Arc::new),
            opened: self.opened.clone(),
        })
    }

    /// Returns the learner that writes lessons of its tasks into the memory across runs.
    fn learner(&self, site: &Site) -> Option<Learner> {
        Learner::of(&site.work, site.key(), (&self.id, &self.begun), &self.opened)
    }

    /// Writes to the memory that tasks without an end broke off, so that nothing is concluded from them.
    pub(super) async fn leave_unfinished(&self, site: &Site) {
        let Some(learner) = self.learner(site) else { return };
        let folder = self.folder.clone();
        // The run keeps the error that it ends with.
        drop(tokio::task::spawn_blocking(move || learner.unfinished(&folder)).await);
    }

    /// Compares the records with the third-party rules, and assigns code a task to
    /// record the matches; no task if there are no rules or no matches.
    async fn begin_hunt(
        &self,
        site: &Site,
        indexes: &Indexes,
        made: &Arc<MadeTables>,
    ) -> Result<Vec<(Charge, StoredTask)>, RunError> {
        if self.opened.brought.is_empty() {
            return Ok(Vec::new());
        }
        let (matched, is_new) = match &self.matched {
            Some(matched) => (matched.clone(), false),
            None => (hunt::compared(&self.folder, site, indexes, made).await?, true),
        };
        let task = sweep::next(&self.assigned).next().filter(|_| hunt::records_any(&self.opened, &matched));
        let assigned = task.map(|task| hunt::assigned(&self.opened, task, &matched)).transpose()?;
        let event = is_new.then(|| Event::RulesMatched(Box::new(matched.clone())));
        let events = event.into_iter().chain(assigned.iter().cloned().map(Event::TaskAssigned));
        let entries: Vec<Entry> = events.map(|event| self.recorder.run_entry(event)).collect();
        if !entries.is_empty() {
            self.append(entries)?;
        }
        let begun = |assigned: TaskAssigned| -> Result<_, RunError> {
            Ok((hunt::charge(&self.opened, &matched)?, StoredTask { assigned, events: Vec::new() }))
        };
        assigned.into_iter().map(begun).collect()
    }

    /// Assigns code what the agents have left open, in one append; no task if nothing is open, or the run has no sweep.
    fn begin_sweep(&self) -> Result<Vec<(Charge, StoredTask)>, RunError> {
        if !sweep::is_swept(&self.opened) {
            return Ok(Vec::new());
        }
        let run = load_run(&self.folder).map_err(RunError::Log)?;
        let (mut tasks, mut entries) = (Vec::new(), Vec::new());
        for (objectives, task) in sweep::left_open(&run).into_iter().zip(sweep::next(&self.assigned)) {
            let assigned = sweep::assigned(&self.opened, task, objectives)?;
            entries.push(self.recorder.run_entry(Event::TaskAssigned(assigned.clone())));
            tasks
                .push((sweep::charge(&self.opened, &assigned)?, StoredTask { assigned, events: Vec::new() }));
        }
        if !entries.is_empty() {
            self.append(entries)?;
        }
        Ok(tasks)
    }

    /// Returns the results of assigned tasks so far, and the answers of tools.
    pub(super) fn so_far<'t>(
        &self,
        begun: impl Iterator<Item = &'t StoredTask>,
        dispatched: &'t [StoredTask],
    ) -> Result<(Siblings, Shared), RunError> {
        let reader = Reader::open(&self.folder).map_err(|source| {
            let folder = self.folder.clone();
            RunError::Log(OpenRunError::Open { folder, source: Box::new(source) })
        })?;
        let logs = begun.chain(dispatched);
        Ok((Siblings::of(dispatched, &reader), Shared::of(logs, &reader)))
    }

    /// Returns an error if the evidence has changed.
    pub(super) async fn change(&self, site: &Site) -> Result<Option<RunError>, RunError> {
        let Some(before) = site.before.clone() else { return Ok(None) };
        let (case, folder) = (site.case.clone(), self.folder.clone());
        let change = tokio::task::spawn_blocking(move || before.difference(&case));
        let error = |Changed { label, path, change }| RunError::Changed { folder, label, path, change };
        Ok(change.await.map_err(|_| RunError::ThreadPanicked)?.map(error))
    }

    /// Returns the cause of a failure: if `error` may be the result of changed evidence, such as missing evidence, the change.
    pub(super) async fn because_of_change(&self, site: &Site, error: RunError) -> RunError {
        if !matches!(error, RunError::Tools(_) | RunError::Hash { .. }) {
            return error;
        }
        self.change(site).await.ok().flatten().unwrap_or(error)
    }

    /// Records the hashes and the seal in one append, and closes the run.
    pub(super) async fn seal(
        self,
        tasks: Vec<(String, TaskEnded)>,
        tables: Vec<TablesRead>,
        hashed: Vec<EvidenceHashed>,
    ) -> Result<Finished, RunError> {
        let recording = |source| RunError::Recording { folder: self.folder.clone(), source };
        let connections = self.connections(&hashed)?;
        let tally = self.recorder.writer().tally().map_err(recording)?;
        let heads = tally.streams.iter().filter_map(|(stream, events, head)| match stream {
            Stream::Run => None,
            Stream::Task(task) => Some(TaskHead { task: *task, events: *events, head: *head }),
        });
        let seal =
            Event::RunSealed(RunSealed { heads: heads.collect(), payloads: tally.payloads, connections });
        let hashes = hashed.iter().cloned().map(Event::EvidenceHashed);
        let events = tables.into_iter().map(Event::TablesRead).chain(hashes).chain([seal]);
        let entries = events.map(|event| self.recorder.run_entry(event)).collect();
        let sealed = self.recorder.writer().seal(entries);
        let sealed = sealed.map_err(|source| RunError::Seal { folder: self.folder.clone(), source })?;
        let seal = Sealing { head: sealed.head, events: sealed.events, payloads: sealed.payloads };
        finished(self.folder, &self.id, &self.opened, &self.assigned, seal, tasks, &hashed)
    }

    /// Returns the seal's digest of the entities and relations that the facts produce; `None` for a run that predates this digest.
    fn connections(&self, hashed: &[EvidenceHashed]) -> Result<Option<ConnectionsMade>, RunError> {
        if !self.opened.behaviour.contains(&Behaviour::Connects.into()) {
            return Ok(None);
        }
        let mut run = load_run(&self.folder).map_err(RunError::Log)?;
        // Hashes help to decide which pieces of evidence are from the same host.
        run.integrity = hashed.to_vec();
        Ok(Some(digest(run.connections())))
    }
}

/// Writes the manifest of a run whose log is sealed.
pub(super) fn finished(
    folder: PathBuf,
    id: &RunId,
    opened: &RunOpened,
    assigned: &[TaskAssigned],
    seal: Sealing,
    tasks: Vec<(String, TaskEnded)>,
    hashed: &[EvidenceHashed],
) -> Result<Finished, RunError> {
    let manifest = Manifest::of(id, opened, assigned, seal).map_err(RunError::Canonical)?;
    write_manifest(&folder, &manifest)
        .map_err(|source| RunError::Manifest { folder: folder.clone(), source })?;
    remove_key(&folder);
    Ok(Finished { folder, manifest, tasks, mismatches: mismatches(hashed) })
}

/// Returns the labels of evidence whose hash is not the one that the case gives.
pub(super) fn mismatches(hashed: &[EvidenceHashed]) -> Vec<String> {
    let differ = hashed.iter().filter(|hashed| hashed.as_expected == Some(false));
    differ.map(|hashed| hashed.evidence.clone()).collect()
}
