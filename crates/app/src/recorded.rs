//! A recorded run as the model of another run: its replies replace those of the original models.

use crate::agents::Agent;
use crate::judge::Bench;
use crate::names::told;
use crate::open::OpenRunError;
use crate::replay::{Divergence, Played, play};
use crate::run::Models;
use crate::siblings::Siblings;
use crate::stored::{Recording, Stored, StoredTask};
use engine::Setting;
use ledger::turn::TurnRequest;
use ledger::{Event, Remembered, RunId, Seed, TaskId};
use llm::{Came, Model, Recorded, RecordedTurn};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// Why a run cannot act as a model.
#[derive(Debug, Error)]
pub enum RecordedError {
    /// Its log cannot be read.
    #[error(transparent)]
    Run(OpenRunError),
    /// Its first event does not open a run.
    #[error("read the run {}: its first event does not open a run", folder.display())]
    NotOpened {
        /// The run folder.
        folder: PathBuf,
    },
    /// The requests to its models cannot be reconstructed, because this version computes other steps.
    #[error(
        "read the run {}: event {} of {task} does not come out as it stands in the log: `locard replay` shows it",
        folder.display(), divergence.event
    )]
    Diverged {
        /// The run folder.
        folder: PathBuf,
        /// The task.
        task: TaskId,
        /// The first difference.
        divergence: Box<Divergence>,
    },
}

/// The requests to the agents of a run, and their replies.
#[derive(Debug)]
pub struct RecordedRun {
    /// The name of the model: `recorded:` and the name of the run.
    pub name: String,
    /// The seed of the run, which determines the ids in the conversations.
    pub seed: Seed,
    /// What its agents were told about earlier runs: a part of the requests to its models.
    pub remembered: Vec<Remembered>,
    tasks: BTreeMap<TaskId, (String, Recorded)>,
}

/// Reads the replies of a run. Every step of the run is repeated, because requests are recorded only by their digests.
///
/// # Errors
///
/// Fails if the log cannot be read, does not open a run, or diverges in this version.
pub fn recorded(folder: &Path) -> Result<RecordedRun, RecordedError> {
    let (log, recording) = Stored::open_whole(folder).map_err(RecordedError::Run)?;
    let not_opened = || RecordedError::NotOpened { folder: folder.to_owned() };
    let (Some(opened), Some(run)) = (&log.opened, log.name(folder)) else { return Err(not_opened()) };
    let (setting, bench) = (log.setting(opened), Bench::new(opened));
    let siblings = Siblings::of(&log.tasks, &recording);
    let mut tasks = BTreeMap::new();
    for task in &log.tasks {
        let turns = turns(task, &recording, &siblings, &setting, &bench).map_err(|divergence| {
            RecordedError::Diverged { folder: folder.to_owned(), task: task.assigned.task, divergence }
        })?;
        let model = Recorded::new(name(&run), turns, task.assigned.window);
        tasks.insert(task.assigned.task, (task.assigned.agent.name.clone(), model));
    }
    Ok(RecordedRun { name: name(&run), seed: opened.seed, remembered: opened.remembered.clone(), tasks })
}

impl RecordedRun {
    /// Makes models from it. A task gets the model of the recorded task with its number if that has the same agent, otherwise that of the
    /// agent's first task; if there is none, the model has no replies.
    pub fn models(self: &Arc<RecordedRun>) -> Box<Models> {
        let run = Arc::clone(self);
        Box::new(move |agent: &Agent, task: TaskId, _: Seed| -> Box<dyn Model> {
            let unknown = || Recorded::new(run.name.clone(), Vec::new(), None);
            let is_of = |(name, _): &&(String, Recorded)| *name == agent.spec.name;
            let same = run.tasks.get(&task).filter(is_of);
            let known = same.or_else(|| run.tasks.values().find(is_of));
            Box::new(known.map_or_else(unknown, |(_, model)| model.clone()))
        })
    }
}

fn name(run: &RunId) -> String {
    format!("recorded:{run}")
}

fn turns(
    task: &StoredTask,
    recording: &dyn Recording,
    siblings: &Siblings,
    setting: &Arc<Setting>,
    bench: &Bench,
) -> Result<Vec<RecordedTurn>, Box<Divergence>> {
    let mut turns = Vec::new();
    let asked = |request: &TurnRequest, event: &Event| {
        let sent = event.exchange().and_then(|exchange| exchange.sent);
        turns.extend(came(event, recording).map(|came| RecordedTurn {
            request: request.clone(),
            came,
            sent,
        }));
    };
    match play(task, recording, siblings, setting, bench, asked).2 {
        Played::LogEnds(_) | Played::Ended(_) => Ok(turns),
        Played::Diverged(divergence) => Err(divergence),
    }
}

/// Returns the recorded outcome of a request from its event.
fn came(event: &Event, recording: &dyn Recording) -> Option<Came> {
    let spent = |what: &str| Came::Failed(format!("the recorded task ends here: {what} was spent then"));
    match event {
        Event::TurnReplied(replied) => Some(match recording.reply(&replied.reply) {
            Ok(reply) => Came::Replied(reply),
            Err(error) => Came::Failed(told(&error)),
        }),
        Event::TurnFailed(failed) => Some(Came::Failed(failed.reason.clone())),
        Event::RequestTooLong(refused) => Some(Came::TooLong(refused.reason.clone())),
        Event::TimeSpent => Some(spent("its time")),
        Event::Cancelled => {
            Some(Came::Failed("the recorded task ends here: nobody waited for it any longer then".to_owned()))
        }
        // The recorded run was paid for; this one costs nothing, so its own budget cannot run out.
        Event::PurseSpent(_) => Some(spent("what its run might spend")),
        _ => None,
    }
}
