//! Use case: walk through the turns of recorded tasks: what an agent saw, did and claimed, and what it was told.
//!
//! What the agent saw is not stored: it is reconstructed from the log in the same way
//! as by [`crate::replay()`], and rendered as a language model reads it.
//! The results of its calls are shown as the log has them.

use crate::course::{Recording, Returns, live};
use crate::judge::Bench;
use crate::replay::{ReplayError, ReplayRequest, chosen};
use crate::siblings::Siblings;
use crate::stored::Stored;
use engine::{Left, Task};
use ledger::Event;
use ledger::event::{Phase, RunOpened};
use ledger::turn::{Message, Reply, ReplyBlock, ToolCall, TurnRequest, UserBlock};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Which part of a run to walk through.
#[derive(Debug, Clone)]
pub struct WalkRequest {
    /// Which tasks.
    pub of: ReplayRequest,
    /// Only this turn.
    pub turn: Option<u32>,
    /// The most lines to keep of each text that the agent saw.
    pub lines: usize,
}

/// A task, turn by turn.
#[derive(Debug, Clone, Serialize)]
pub struct WalkedTask {
    /// The task.
    pub task: String,
    /// Its agent.
    pub agent: String,
    /// Its model.
    pub model: String,
    /// The description of its role: the system prompt.
    pub system: Shown,
    /// Its turns.
    pub turns: Vec<WalkedTurn>,
    /// The first turn from which this version would tell the agent something
    /// different from the log; what it saw from there on is this version's.
    pub otherwise_from: Option<u32>,
}

/// One turn.
#[derive(Debug, Clone, Serialize)]
pub struct WalkedTurn {
    /// Its number in the task, from 1.
    pub turn: u32,
    /// The phase.
    pub phase: Phase,
    /// Turns left in the phase after this one.
    pub turns_left: u32,
    /// The number of refused claims that it may still make.
    pub rejected_claims_left: u32,
    /// The number of facts that it may still record.
    pub accepted_facts_left: u32,
    /// What it was shown since its last reply.
    pub saw: Vec<Seen>,
    /// Its reply; `None` if the log has none.
    pub did: Option<Vec<ReplyBlock>>,
    /// The resulting events of the log, in order.
    pub told: Vec<Event>,
}

/// Something that an agent was shown.
#[derive(Debug, Clone, Serialize)]
pub struct Seen {
    /// The call that it answers; `None` for an instruction.
    pub answers: Option<ToolCall>,
    /// The text, as a language model reads it.
    #[serde(flatten)]
    pub text: Shown,
}

/// The beginning of a text.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Shown {
    /// Its first lines.
    pub text: String,
    /// The number of lines of the whole text.
    pub lines: usize,
    /// The number of bytes of the whole text.
    pub bytes: usize,
}

impl Shown {
    fn of(text: &str, lines: usize) -> Shown {
        let kept: Vec<&str> = text.lines().take(lines).collect();
        Shown { text: kept.join("\n"), lines: text.lines().count(), bytes: text.len() }
    }
}

/// Returns the turns of the requested tasks.
///
/// # Errors
///
/// Fails if the log cannot be read or has no such task.
pub fn walk(folder: &Path, request: &WalkRequest) -> Result<Vec<WalkedTask>, ReplayError> {
    let (log, reader) = Stored::open(folder).map_err(ReplayError::Run)?;
    let Some(opened) = &log.opened else {
        return Err(ReplayError::NotOpened { folder: folder.to_owned() });
    };
    let (returns, siblings) = (Returns::of(&log), Siblings::of(&log.tasks, &reader));
    let tasks = chosen(&log, &request.of)?.into_iter();
    let recording = |task| Recording::of(task, &reader, &returns, &siblings);
    Ok(tasks.map(|task| one(&log, &recording(task), opened, request)).collect())
}

fn one(log: &Stored, recording: &Recording<'_>, opened: &RunOpened, request: &WalkRequest) -> WalkedTask {
    let assigned = &recording.task.assigned;
    let mut walked = WalkedTask {
        task: assigned.task.to_string(),
        agent: assigned.agent.name.clone(),
        model: assigned.model.clone(),
        system: Shown::default(),
        turns: Vec::new(),
        otherwise_from: None,
    };
    let mut told = by_turn(&recording.task.events);
    let task =
        Task::new(assigned.clone(), log.setting(opened)).with_handed(recording.siblings.before(assigned));
    let course = live(task, recording, &Bench::new(opened), |asked, phase, left| {
        if asked.turn == 1 {
            walked.system = Shown::of(&asked.system, request.lines);
        }
        if request.turn.is_none_or(|turn| turn == asked.turn) {
            let told = told.remove(&asked.turn).unwrap_or_default();
            walked.turns.push(turn(asked, phase, left, told, request.lines));
        }
    });
    for turn in &mut walked.turns {
        turn.did = recording.reply(turn.turn).map(|reply: Reply| reply.blocks);
    }
    walked.otherwise_from = otherwise_from(&recording.task.events, &course.events);
    walked
}

fn turn(asked: &TurnRequest, phase: Phase, left: Left, told: Vec<Event>, lines: usize) -> WalkedTurn {
    WalkedTurn {
        turn: asked.turn,
        phase,
        turns_left: left.turns,
        rejected_claims_left: left.rejected_claims,
        accepted_facts_left: left.accepted_facts,
        saw: saw(asked, lines),
        did: None,
        told,
    }
}

/// Returns the contents of the last message of a request; the earlier messages were shown in earlier turns.
fn saw(asked: &TurnRequest, lines: usize) -> Vec<Seen> {
    let mut last = asked.messages.iter().rev();
    let Some(Message::User(blocks)) = last.next().map(AsRef::as_ref) else { return Vec::new() };
    let calls: Vec<&ToolCall> = match last.next().map(AsRef::as_ref) {
        Some(Message::Assistant(blocks)) => blocks.iter().filter_map(call).collect(),
        _ => Vec::new(),
    };
    let seen = |block: &UserBlock| match block {
        UserBlock::Text { text } => Seen { answers: None, text: Shown::of(text, lines) },
        UserBlock::Recovery(advice) => {
            let rendered =
                llm::render::advice(advice, &asked.fence).unwrap_or_else(|error| error.to_string());
            Seen { answers: None, text: Shown::of(&rendered, lines) }
        }
        UserBlock::Distilled(distilled) => {
            let rendered =
                llm::render::distilled(distilled, &asked.fence).unwrap_or_else(|error| error.to_string());
            Seen { answers: None, text: Shown::of(&rendered, lines) }
        }
        UserBlock::Answer { call, answer } => {
            let rendered =
                llm::render::answer(answer, &asked.fence).unwrap_or_else(|error| error.to_string());
            let answers = calls.iter().find(|made| made.call == *call).map(|made| (*made).clone());
            Seen { answers, text: Shown::of(&rendered, lines) }
        }
    };
    blocks.iter().map(seen).collect()
}

fn call(block: &ReplyBlock) -> Option<&ToolCall> {
    match block {
        ReplyBlock::Call(call) => Some(call),
        ReplyBlock::Text { .. } | ReplyBlock::Verbatim { .. } => None,
    }
}

/// Returns the events of each turn after its request, except replies.
fn by_turn(events: &[Event]) -> BTreeMap<u32, Vec<Event>> {
    let mut turns: BTreeMap<u32, Vec<Event>> = BTreeMap::new();
    let mut turn = 0;
    for event in events {
        match event {
            Event::TurnRequested(requested) => turn = requested.turn,
            Event::TurnReplied(_) => {}
            event => turns.entry(turn).or_default().push(event.clone()),
        }
    }
    turns
}

/// Returns the first turn that follows an event which this version computes differently; digests of requests are not compared.
fn otherwise_from(stored: &[Event], made: &[Event]) -> Option<u32> {
    let mut turn = 0;
    for (stored, made) in stored.iter().zip(made) {
        match (stored, made) {
            (Event::TurnRequested(stored), Event::TurnRequested(made)) if stored.turn == made.turn => {
                turn = made.turn;
            }
            (stored, made) if stored == made => {}
            _ => return Some(turn + 1),
        }
    }
    None
}
