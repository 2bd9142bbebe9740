//! Records runs with the real engine, gateway and store, where a script replaces models and tools.
//!
//! A recorded run verifies like any other; its evidence is never read.

use engine::{Command, Input, Invoke, Judgement, Setting, StepError, Task, ToolReturn};
use graph::connections::digest;
use ground::{Verdict, judge};
use ledger::event::{ConnectionsMade, EvidenceHashed, RunOpened, RunSealed, TaskAssigned, TaskHead};
use ledger::turn::{Reply, TurnRequest};
use ledger::vocabulary::VocabularyError;
use ledger::writer::WritersError;
use ledger::{
    Behaviour, CaseEntry, Circumstance, Digest, Event, EvidenceEntry, FORMAT, RecordType, Rules, RunId, Seed,
    Stream, TaskId, Vocabulary, Writers,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{
    CreateError, Durability, Entry, OpenError, Options, ReadError, Reader, SealError, Stopped, Writer,
};
use thiserror::Error;

/// The recording time of everything.
const AT: &str = "2026-01-01T00:00:00.000000000Z";

/// A script that provides models' replies and tools' results.
pub trait Script {
    /// Returns the reply for a turn.
    fn model(&mut self, task: TaskId, request: &TurnRequest) -> Reply;
    /// Returns the result of a tool.
    fn tool(&mut self, task: TaskId, call: &Invoke) -> ToolReturn;
    /// Receives a verdict of the gateway.
    fn judged(&mut self, task: TaskId, verdict: &Verdict);
}

/// The reason why a run cannot be recorded.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// A shipped table cannot be read: the vocabulary.
    #[error("read the vocabulary")]
    Vocabulary(#[from] VocabularyError),
    /// A shipped table cannot be read: the writers.
    #[error("read the tables of writers")]
    Writers(#[from] WritersError),
    /// The run folder cannot be created.
    #[error("create the run folder")]
    Create(#[from] CreateError),
    /// The store failed.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The engine failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Sealing failed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The recording so far cannot be opened.
    #[error("open what was recorded")]
    Open(#[from] OpenError),
    /// A recorded event cannot be read.
    #[error("read what was recorded")]
    Read(#[from] ReadError),
    /// The recorded events are not a valid log of a run.
    #[error(transparent)]
    Fold(#[from] graph::FoldError),
    /// The engine requested something that no script provides.
    #[error("follow a script: expected a turn, a call or a reading, found {found}")]
    Unscripted {
        /// What it requested.
        found: &'static str,
    },
}

/// Returns the first event of a run with this name over these pieces of evidence, with every tool of the engine and these further ones.
pub fn opened(
    name: &str,
    evidence: Vec<EvidenceEntry>,
    rules: Rules,
    others: Vec<ledger::ToolSpec>,
) -> Result<RunOpened, RecordingError> {
    let vocabulary = Vocabulary::shipped()?;
    let mut tools = others;
    tools.extend(engine::catalogue(&vocabulary));
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(RunOpened {
        format: FORMAT,
        program: name.to_owned(),
        seed: Seed(Digest::of(name.as_bytes())),
        case: CaseEntry { name: name.to_owned(), title: name.to_owned(), time_zone: "UTC".into(), evidence },
        rules,
        vocabulary,
        writers: Writers::shipped()?,
        tools,
        behaviour: Behaviour::ALL.into_iter().map(u16::from).collect(),
        roster: Vec::new(),
        questions: Vec::new(),
        brought: Vec::new(),
        remembered: Vec::new(),
        asked: Vec::new(),
        confined: true,
        parent: None,
    })
}

/// A run that is being recorded.
pub struct Recording {
    folder: PathBuf,
    writer: Writer,
    opened: RunOpened,
    setting: Arc<Setting>,
    types: BTreeMap<String, RecordType>,
    tasks: Vec<TaskAssigned>,
}

impl Recording {
    /// Begins a run with these tasks in a new folder.
    pub fn begin(
        folder: &Path,
        options: Options,
        opened: RunOpened,
        tasks: Vec<TaskAssigned>,
    ) -> Result<Recording, RecordingError> {
        let writer = Writer::create_with(folder, options)?;
        let run = folder.file_name().and_then(|name| RunId::new(&name.to_string_lossy()).ok());
        let mut first = vec![Entry {
            circumstance: Circumstance { at: AT.to_owned(), run, ..Circumstance::default() },
            ..entry(Stream::Run, Event::RunOpened(Box::new(opened.clone())), None)
        }];
        first.extend(tasks.iter().map(|task| entry(Stream::Run, Event::TaskAssigned(task.clone()), None)));
        writer.append(first, Durability::Durable)?;
        let types = opened.tools.iter().flat_map(|tool| &tool.records);
        let types = types.map(|kind| (kind.name.clone(), kind.clone())).collect();
        let numbers: Vec<TaskId> = tasks.iter().map(|task| task.task).collect();
        let setting = Setting::new(opened.rules.clone(), opened.seed, &opened.tools, &numbers)
            .with_writers(opened.writers.clone())
            .with_evidence(opened.case.evidence.clone())
            .with_roster(Vec::new(), opened.vocabulary.clone())
            .with_behaviours(|_| true);
        Ok(Recording { folder: folder.to_owned(), writer, opened, setting: Arc::new(setting), types, tasks })
    }

    /// Runs every task to its end, one after the other: it appends each event before acting on it, as `app` does.
    pub fn live(&self, script: &mut impl Script) -> Result<(), RecordingError> {
        self.tasks.iter().try_for_each(|assigned| self.live_one(assigned, script))
    }

    fn live_one(&self, assigned: &TaskAssigned, script: &mut impl Script) -> Result<(), RecordingError> {
        let id = assigned.task;
        let mut task = Task::new(assigned.clone(), Arc::clone(&self.setting));
        let mut input = Input::Begin;
        loop {
            let step = task.step(input)?;
            let accepted = step.append.iter().any(|append| matches!(append.event, Event::ClaimAccepted(_)));
            let durability = if accepted { Durability::Soon } else { Durability::Buffered };
            let entries = step.append.into_iter();
            let entries = entries.map(|append| entry(Stream::Task(id), append.event, append.payload));
            self.writer.append(entries.collect(), durability)?;
            input = match step.command {
                Command::AskModel(request) => Input::Replied(script.model(id, &request), None),
                Command::CallTool(call) => Input::Returned(script.tool(id, &call)),
                Command::Judge(judgement) => {
                    let verdict = self.judge(&judgement, &task)?;
                    script.judged(id, &verdict);
                    Input::Judged(Box::new(verdict))
                }
                Command::Find(_) => return Err(RecordingError::Unscripted { found: "a search" }),
                Command::Dispatch(_) => return Err(RecordingError::Unscripted { found: "tasks" }),
                Command::End => return Ok(()),
            };
        }
    }

    fn judge(&self, judgement: &Judgement, task: &Task) -> Result<Verdict, RecordingError> {
        let setting = ground::Setting {
            rules: &self.opened.rules.gate,
            vocabulary: &self.opened.vocabulary,
            types: &self.types,
            writers: &self.opened.writers,
            by_reference: self.opened.behaviour.contains(&ledger::Behaviour::ByReference.into()),
            dated: self.opened.behaviour.contains(&ledger::Behaviour::DatedFirst.into()),
        };
        match judgement {
            Judgement::Reading { fact, reading, .. } => Ok(judge(reading, *fact, task.shelf(), &setting)),
            Judgement::Absence { .. } => Err(RecordingError::Unscripted { found: "an absence" }),
        }
    }

    /// Seals the log; `app::conclude` is responsible for the manifest.
    pub fn seal(self, hashed: Vec<EvidenceHashed>) -> Result<(), RecordingError> {
        let connections = self.connections(&hashed)?;
        let tally = self.writer.tally()?;
        let heads = tally.streams.iter().filter_map(|(stream, events, head)| match stream {
            Stream::Run => None,
            Stream::Task(task) => Some(TaskHead { task: *task, events: *events, head: *head }),
        });
        let seal =
            Event::RunSealed(RunSealed { heads: heads.collect(), payloads: tally.payloads, connections });
        let events = hashed.into_iter().map(Event::EvidenceHashed).chain([seal]);
        self.writer.seal(events.map(|event| entry(Stream::Run, event, None)).collect())?;
        Ok(())
    }

    fn connections(&self, hashed: &[EvidenceHashed]) -> Result<Option<ConnectionsMade>, RecordingError> {
        let events = Reader::open(&self.folder)?
            .events()
            .map(|event| event.map(|(link, event, circumstance)| (link.stream, event, circumstance)))
            .collect::<Result<Vec<_>, _>>()?;
        let mut run = graph::fold(events)?;
        run.integrity = hashed.to_vec();
        Ok(Some(digest(run.connections())))
    }

    /// Closes the log as it is, without a seal.
    pub fn close(self) -> Result<(), RecordingError> {
        self.writer.seal(Vec::new())?;
        Ok(())
    }
}

fn entry(stream: Stream, event: Event, payload: Option<Arc<[u8]>>) -> Entry {
    Entry {
        stream,
        event,
        circumstance: Circumstance { at: AT.to_owned(), ..Circumstance::default() },
        payload,
    }
}
