//! The log of a run: the events of each task, and the recorded answers.

use crate::fetched::{Fetched, beside};
use crate::open::OpenRunError;
use crate::run::sweep::is_swept;
use engine::{Input, Setting, ToolReturn};
use ledger::event::{InvocationEnded, RunOpened, TaskAssigned};
use ledger::turn::Reply;
use ledger::{Behaviour, Circumstance, Digest, Event, Output, OutputError, RunId, Stream, TaskId};
use std::path::Path;
use std::sync::Arc;
use store::{ReadError, Reader};
use thiserror::Error;

/// The events of a run, by task.
#[derive(Debug)]
pub(crate) struct Stored {
    /// The first event; `None` if the log is empty or begins with another event.
    pub(crate) opened: Option<RunOpened>,
    /// The circumstance of the first event.
    pub(crate) begun: Circumstance,
    /// The events of the run's own stream, except the first one and the assignments.
    pub(crate) of_run: Vec<Event>,
    /// The tasks, in the order of their assignment.
    pub(crate) tasks: Vec<StoredTask>,
    /// The last link of the chain; `None` if the log is empty.
    pub(crate) head: Option<Digest>,
    /// The number of events in the log.
    pub(crate) count: u64,
}

/// A task in the log.
#[derive(Debug, Clone)]
pub(crate) struct StoredTask {
    pub(crate) assigned: TaskAssigned,
    pub(crate) events: Vec<Event>,
}

impl StoredTask {
    /// Whether the log contains the task's end.
    pub(crate) fn has_end(&self) -> bool {
        matches!(self.events.last(), Some(Event::TaskEnded(_)))
    }
}

impl Stored {
    /// Reads the run in `folder` and checks its chain.
    pub(crate) fn open(folder: &Path) -> Result<(Stored, Reader), OpenRunError> {
        let reader = open(folder)?;
        let stored = Stored::known(folder, Stored::read(&reader, |_| ()))?;
        Ok((stored, reader))
    }

    /// Works like [`Stored::open`], and also reads everything that the events name.
    pub(crate) fn open_whole(folder: &Path) -> Result<(Stored, Fetched), OpenRunError> {
        let (log, payloads) = (open(folder)?, open(folder)?);
        let (stored, fetched) = beside(payloads, |wanted| Stored::read(&log, |event| wanted.of(event)));
        Ok((Stored::known(folder, stored)?, fetched))
    }

    /// Checks that the log could be read and that this version has the run's behaviours.
    fn known(folder: &Path, stored: Result<Stored, ReadError>) -> Result<Stored, OpenRunError> {
        let read = |source| OpenRunError::Read { folder: folder.to_owned(), source: Box::new(source) };
        let stored = stored.map_err(read)?;
        if let Some(opened) = &stored.opened {
            let unknown = |source| OpenRunError::Behaviour { folder: folder.to_owned(), source };
            Behaviour::of(opened).map_err(unknown)?;
        }
        Ok(stored)
    }

    fn read(reader: &Reader, met: impl Fn(&Event)) -> Result<Stored, ReadError> {
        let (begun, of_run, tasks) = (Circumstance::default(), Vec::new(), Vec::new());
        let mut stored = Stored { opened: None, begun, of_run, tasks, head: None, count: 0 };
        let mut events = reader.events();
        for event in events.by_ref() {
            let event = event?;
            met(&event.1);
            match event {
                (_, Event::RunOpened(opened), circumstance) => {
                    (stored.opened, stored.begun) = (Some(*opened), circumstance);
                }
                (_, Event::TaskAssigned(assigned), _) => {
                    stored.tasks.push(StoredTask { assigned, events: Vec::new() });
                }
                (link, event, _) => stored.place(link.stream, event),
            }
        }
        (stored.head, stored.count) = (events.so_far().head(), events.so_far().len());
        Ok(stored)
    }

    /// Returns the name of the run from its log, otherwise from its folder.
    pub(crate) fn name(&self, folder: &Path) -> Option<RunId> {
        let by_folder = || folder.file_name().and_then(|name| RunId::new(name.to_str()?).ok());
        self.begun.run.clone().or_else(by_folder)
    }

    fn place(&mut self, stream: Stream, event: Event) {
        match stream {
            Stream::Run => self.of_run.push(event),
            Stream::Task(id) => {
                if let Some(task) = self.tasks.iter_mut().find(|task| task.assigned.task == id) {
                    task.events.push(event);
                }
            }
        }
    }

    /// Returns the settings that stay the same while the tasks of the run `opened` run.
    pub(crate) fn setting(&self, opened: &RunOpened) -> Arc<Setting> {
        setting(opened, &self.begun_with())
    }

    /// Returns the tasks that the run began with.
    pub(crate) fn begun_with(&self) -> Vec<TaskId> {
        begun_with(self.tasks.iter().map(|task| &task.assigned))
    }
}

fn open(folder: &Path) -> Result<Reader, OpenRunError> {
    let open = |source| OpenRunError::Open { folder: folder.to_owned(), source: Box::new(source) };
    Reader::open(folder).map_err(open)
}

/// Returns those of the tasks that a run began with.
pub(crate) fn begun_with<'a>(assigned: impl Iterator<Item = &'a TaskAssigned>) -> Vec<TaskId> {
    assigned.filter(|assigned| assigned.is_of_the_beginning()).map(|assigned| assigned.task).collect()
}

/// Returns the settings that stay the same while the tasks of a run run; `tasks` are those that the run began with.
pub(crate) fn setting(opened: &RunOpened, tasks: &[TaskId]) -> Arc<Setting> {
    let setting = Setting::new(opened.rules.clone(), opened.seed, &opened.tools, tasks);
    let has = |behaviour: Behaviour| opened.behaviour.contains(&behaviour.into());
    let evidence = if has(Behaviour::EvidenceNamed) { opened.case.evidence.clone() } else { Vec::new() };
    let setting = setting.with_writers(opened.writers.clone()).with_evidence(evidence);
    let setting = setting.with_roster(opened.roster.clone(), opened.vocabulary.clone());
    // A run without the sweep need not close its open questions.
    let held_to = if is_swept(opened) { opened.questions.clone() } else { Vec::new() };
    let setting = setting.with_case_questions(held_to);
    let remembered = if has(Behaviour::Remembers) { opened.remembered.clone() } else { Vec::new() };
    let setting = setting.with_remembered(remembered);
    Arc::new(setting.with_behaviours(has))
}

/// Why the recording lacks the answer that an event names.
#[derive(Debug, Error)]
pub(crate) enum AnswerError {
    /// Nothing is stored under the digest.
    #[error("{what}: {digest} is missing")]
    Missing {
        /// The kind of answer.
        what: &'static str,
        /// Its digest.
        digest: Digest,
    },
    /// The stored bytes cannot be read.
    #[error("{what}")]
    Unreadable {
        /// The kind of answer.
        what: &'static str,
        /// The cause.
        #[source]
        source: Arc<ReadError>,
    },
    /// The stored bytes are not a valid reply.
    #[error("the stored reply")]
    Reply(#[source] Arc<serde_json::Error>),
    /// The stored bytes are not a valid output.
    #[error("the stored output")]
    Output(#[source] Arc<OutputError>),
}

/// Provides the recorded answers of models and tools.
pub(crate) trait Recording {
    /// Returns the recorded reply of a model.
    fn reply(&self, digest: &Digest) -> Result<Reply, AnswerError>;

    /// Returns the recorded output of a tool.
    fn output(&self, digest: &Digest) -> Result<Arc<Output>, AnswerError>;
}

impl Recording for Reader {
    fn reply(&self, digest: &Digest) -> Result<Reply, AnswerError> {
        let bytes = payload(self, digest, "the stored reply")?;
        serde_json::from_slice(&bytes).map_err(|error| AnswerError::Reply(Arc::new(error)))
    }

    fn output(&self, digest: &Digest) -> Result<Arc<Output>, AnswerError> {
        let bytes = payload(self, digest, "the stored output")?;
        let output = Output::decode_digested(bytes, *digest);
        output.map(Arc::new).map_err(|error| AnswerError::Output(Arc::new(error)))
    }
}

/// Returns the recorded outcome of asking a model; `None` if the event does not end a turn.
pub(crate) fn came(recording: &dyn Recording, event: &Event) -> Result<Option<Input>, AnswerError> {
    Ok(match event {
        Event::TurnReplied(replied) => {
            Some(Input::Replied(recording.reply(&replied.reply)?, replied.exchange.clone()))
        }
        Event::TurnFailed(failed) => Some(Input::ModelFailed(failed.reason.clone(), failed.exchange.clone())),
        Event::RequestTooLong(refused) => {
            Some(Input::TooLong(refused.reason.clone(), refused.exchange.clone()))
        }
        Event::TimeSpent => Some(Input::TimeSpent),
        Event::Cancelled => Some(Input::Cancelled),
        Event::PurseSpent(spent) => Some(Input::PurseSpent(*spent)),
        _ => None,
    })
}

/// Returns the recorded result of a tool.
pub(crate) fn returned(
    recording: &dyn Recording,
    ended: &InvocationEnded,
) -> Result<ToolReturn, AnswerError> {
    let output = ended.output.map(|digest| recording.output(&digest)).transpose()?;
    Ok(ToolReturn {
        outcome: ended.outcome,
        completeness: ended.completeness,
        normalised: ended.normalised.clone(),
        output,
        defects: ended.defects.clone(),
        gaps: ended.gaps.clone(),
        notes: ended.notes.clone(),
    })
}

fn payload(reader: &Reader, digest: &Digest, what: &'static str) -> Result<Vec<u8>, AnswerError> {
    match reader.payload(digest) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(AnswerError::Missing { what, digest: *digest }),
        Err(source) => Err(AnswerError::Unreadable { what, source: Arc::new(source) }),
    }
}
