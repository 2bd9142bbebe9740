//! Folds events into a run, one at a time.

mod check;
mod nodes;
mod task;

use crate::brought::Brought;
use crate::evidence::EvidenceGraph;
use crate::run::{Index, Run, TaskView};
use ledger::event::{RunOpened, TaskAssigned};
use ledger::{Circumstance, Event, Stream};
use phrases::Language;
use std::sync::OnceLock;
use thiserror::Error;

/// The reason why events are not the log of a run.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FoldError {
    /// The first event does not open a run.
    #[error("fold the log: position 0: expected run_opened, found {found}")]
    NotOpened {
        /// The name of the first event, or `nothing`.
        found: &'static str,
    },
    /// An event is not allowed at its position.
    #[error("fold the log: position {position}: {event} cannot stand in {stream} here: {because}")]
    OutOfPlace {
        /// Its position.
        position: u64,
        /// Its name.
        event: &'static str,
        /// Its stream.
        stream: Stream,
        /// What is wrong.
        because: &'static str,
    },
}

/// A description of what is wrong with an event.
type Because = &'static str;

/// Folds the events of a run, in order of position.
///
/// It refuses logs that no engine writes: duplicate ids, a second verdict on a claim, facts that are not based on an invocation
/// of their own task that can ground one, and totals at a task's end that do not match its events.
pub fn fold(events: impl IntoIterator<Item = (Stream, Event, Circumstance)>) -> Result<Run, FoldError> {
    folded(events, None)
}

/// Folds the events of `recorded` with values withheld.
///
/// It does not check whether facts meet the objectives that they are said to meet: that depends on values and was checked for `recorded`.
/// Confidence and ranking are those of `recorded`.
pub fn fold_redacted(
    events: impl IntoIterator<Item = (Stream, Event, Circumstance)>,
    recorded: Run,
) -> Result<Run, FoldError> {
    folded(events, Some(Box::new(recorded)))
}

fn folded(
    events: impl IntoIterator<Item = (Stream, Event, Circumstance)>,
    recorded: Option<Box<Run>>,
) -> Result<Run, FoldError> {
    let mut events = events.into_iter();
    let mut run = match events.next() {
        Some((Stream::Run, Event::RunOpened(opened), circumstance)) => open(*opened, circumstance, recorded),
        Some((_, event, _)) => return Err(FoldError::NotOpened { found: event.name() }),
        None => return Err(FoldError::NotOpened { found: "nothing" }),
    };
    for (position, (stream, event, circumstance)) in (1..).zip(events) {
        let name = event.name();
        apply(&mut run, stream, event, circumstance).map_err(|because| FoldError::OutOfPlace {
            position,
            event: name,
            stream,
            because,
        })?;
    }
    Ok(run)
}

fn open(opened: RunOpened, circumstance: Circumstance, recorded: Option<Box<Run>>) -> Run {
    let mut graph = EvidenceGraph::default();
    for evidence in &opened.case.evidence {
        graph.add_evidence(&evidence.label);
    }
    Run {
        opened,
        circumstance,
        resumed: Vec::new(),
        names: Vec::new(),
        timelines: Vec::new(),
        tables: Vec::new(),
        brought: None,
        integrity: Vec::new(),
        tasks: Default::default(),
        sealed: None,
        graph,
        disclosure: None,
        index: Index::default(),
        connections: OnceLock::new(),
        contradictions: OnceLock::new(),
        recorded,
        without_comments: false,
        language: Language::default(),
    }
}

fn apply(run: &mut Run, stream: Stream, event: Event, circumstance: Circumstance) -> Result<(), Because> {
    if run.sealed.is_some() {
        return Err("the run was sealed before");
    }
    match (stream, event) {
        (Stream::Run, Event::RunResumed(resumed)) => {
            run.resumed.push((resumed, circumstance));
            Ok(())
        }
        (Stream::Run, Event::NamesIndexed(indexed)) => {
            run.names.push(indexed);
            Ok(())
        }
        (Stream::Run, Event::TimelineIndexed(indexed)) => {
            run.timelines.push(indexed);
            Ok(())
        }
        (Stream::Run, Event::TablesRead(read)) => {
            run.tables.push(read);
            Ok(())
        }
        (Stream::Run, Event::RulesMatched(_)) if run.brought.is_some() => Err("rules were compared before"),
        (Stream::Run, Event::RulesMatched(matched)) => {
            run.brought = Brought::of(*matched).map(Some)?;
            Ok(())
        }
        (Stream::Run, Event::TaskAssigned(assigned)) => assign(run, assigned, circumstance.at),
        (Stream::Run, Event::EvidenceHashed(hashed)) => {
            run.integrity.push(hashed);
            Ok(())
        }
        (Stream::Run, Event::RunSealed(sealed)) => {
            run.sealed = Some(sealed);
            Ok(())
        }
        (Stream::Run, _) => Err("it belongs to a task"),
        (Stream::Task(task), event) => task::apply(run, task, event, circumstance),
    }
}

fn assign(run: &mut Run, assigned: TaskAssigned, at: String) -> Result<(), Because> {
    match run.tasks.insert(assigned.task, TaskView::new(assigned, at)) {
        None => Ok(()),
        Some(_) => Err("the task was assigned before"),
    }
}
