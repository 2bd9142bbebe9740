//! Events as lines of a log for people.

use crate::text::count;
use app::{Followed, Happened};
use graph::fact_title;
use ledger::event::{ClaimSubmitted, InvocationEnded, TaskStatus};
use ledger::{Claim, Event, Outcome, Stream};
use report::terminal as inert;
use serde_json::{Value, json};

/// The kind of a line, which determines its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Something began or was resumed.
    Step,
    /// A tool was called or has returned.
    Call,
    /// Something was recorded.
    Recorded,
    /// Something was refused or failed.
    Refused,
    /// Something ended.
    Ended,
}

impl Kind {
    /// Returns the word for it, which appears in the line and names its style.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Step => "step",
            Kind::Call => "call",
            Kind::Recorded => "recorded",
            Kind::Refused => "refused",
            Kind::Ended => "ended",
        }
    }
}

/// One line.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) position: u64,
    /// When the event was recorded.
    pub(crate) at: String,
    /// The agent and its task, or `run` if it belongs to none.
    pub(crate) who: String,
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// The part of the address, below the run's, at which it can be viewed.
    pub(crate) link: Option<String>,
}

impl Line {
    /// Returns the line for a script, which shows its members as text.
    pub(crate) fn json(&self, base: &str) -> Value {
        json!({
            "position": self.position,
            "at": self.at,
            "who": self.who,
            "kind": self.kind.name(),
            "text": self.text,
            "link": self.link.as_ref().map(|link| format!("{base}/{link}")),
        })
    }
}

/// The maximum length of a line, in characters.
const LONGEST: usize = 300;

/// Returns the lines for events; events that say nothing by themselves have none.
pub(crate) fn lines(followed: &Followed) -> Vec<Line> {
    followed.events.iter().filter_map(|happened| line(followed, happened)).collect()
}

fn line(followed: &Followed, happened: &Happened) -> Option<Line> {
    let (kind, text, link) = told(&happened.event)?;
    let who = match happened.stream {
        Stream::Run => "run".to_owned(),
        Stream::Task(task) => match followed.agents.get(&task) {
            Some(agent) => format!("{agent} ({task})"),
            None => task.to_string(),
        },
    };
    let shown = inert(text.chars().take(LONGEST).collect::<String>().as_str());
    let text = if text.chars().nth(LONGEST).is_some() { format!("{shown}…") } else { shown };
    let at = crate::text::to_the_second(&happened.circumstance.at);
    Some(Line { position: happened.position, at, who: inert(&who), kind, text, link })
}

type Told = (Kind, String, Option<String>);

fn told(event: &Event) -> Option<Told> {
    let plain = |kind, text: String| Some((kind, text, None));
    match event {
        Event::RunOpened(opened) => plain(Kind::Step, format!("the run of {} was opened", opened.case.title)),
        Event::RunResumed(resumed) => plain(Kind::Step, format!("resumed by locard {}", resumed.program)),
        Event::NamesIndexed(indexed) => {
            plain(Kind::Step, format!("{} names of {} indexed", indexed.entries, indexed.evidence))
        }
        Event::TimelineIndexed(indexed) => {
            plain(Kind::Step, format!("{} times of {} indexed", indexed.events, indexed.evidence))
        }
        Event::TablesRead(read) => {
            let text = format!(
                "{} records of {} were read from case tables ({})",
                read.rows(),
                read.evidence,
                read.group
            );
            plain(Kind::Step, text)
        }
        Event::RulesMatched(matched) => {
            let (records, hits) = (matched.records, matched.hits.len());
            plain(
                Kind::Step,
                format!("{records} records were compared with rules that you brought: {hits} hits"),
            )
        }
        Event::TaskAssigned(assigned) => {
            let (task, agent) = (assigned.task, &assigned.agent.name);
            plain(Kind::Step, format!("{task} was given to {agent} ({})", assigned.model))
        }
        Event::EvidenceHashed(hashed) => plain(Kind::Step, format!("{} was hashed", hashed.evidence)),
        Event::RunSealed(_) => plain(Kind::Ended, "the run was sealed".to_owned()),
        Event::PhaseEntered(entered) => plain(Kind::Step, format!("{:?}: {}", entered.phase, entered.reason)),
        Event::TurnRequested(requested) => plain(Kind::Step, format!("turn {}", requested.turn)),
        Event::TurnFailed(failed) => plain(Kind::Refused, format!("no reply: {}", failed.reason)),
        Event::RequestTooLong(refused) => {
            plain(Kind::Refused, format!("turn {} was too long: {}", refused.turn, refused.reason))
        }
        Event::InvocationStarted(started) => Some((
            Kind::Call,
            match &started.insists {
                None => format!("{} {}", started.tool, started.arguments),
                Some(it) => format!(
                    "{} {} against lesson {}, because: {}",
                    started.tool, started.arguments, it.lesson, it.reason
                ),
            },
            Some(format!("inv/{}", started.invocation)),
        )),
        Event::InvocationEnded(ended) => Some(returned(ended)),
        Event::CallRefused(refused) => {
            plain(Kind::Refused, format!("call of {} refused: {}", refused.tool, refused.told))
        }
        Event::CallServed(served) => Some((
            Kind::Call,
            format!("{} answered from the log by {}", served.tool, served.invocation),
            Some(format!("inv/{}", served.invocation)),
        )),
        Event::ClaimSubmitted(submitted) => plain(Kind::Step, claimed(submitted)),
        Event::ClaimRejected(rejected) => {
            let rejection = &rejected.rejection;
            plain(Kind::Refused, format!("{}: {}: {}", rejected.claim, rejection.code, rejection.reason))
        }
        Event::RecoveryEnded(ended) => {
            let answered = ended.answered.len();
            plain(
                Kind::Step,
                format!("recovery {} gave {} facts, {answered} answers", ended.attempt, ended.facts),
            )
        }
        Event::RecoveryBegun(begun) => plain(
            Kind::Step,
            format!("recovery {}: {} for {}", begun.attempt, begun.strategy, begun.objective),
        ),
        Event::TasksDispatched(dispatched) => {
            let tasks: Vec<_> =
                dispatched.tasks.iter().map(|task| format!("{} ({})", task.agent, task.task)).collect();
            plain(Kind::Step, format!("assigns {}", tasks.join(", ")))
        }
        Event::TaskReported(reported) => {
            let accepted = if reported.accepted { "accepted" } else { "not accepted" };
            plain(Kind::Ended, format!("{} has reported: {accepted}", reported.task))
        }
        Event::TaskEnded(ended) => plain(
            Kind::Ended,
            format!(
                "{}: {} facts, {} claims refused, {} turns",
                status(ended.status),
                ended.facts,
                ended.rejections,
                ended.turns
            ),
        ),
        Event::Cancelled => plain(Kind::Ended, "cancelled: its result is no longer needed".to_owned()),
        Event::TimeSpent => plain(Kind::Ended, "its time ran out".to_owned()),
        Event::PurseSpent(_) => plain(Kind::Ended, "the run's budget ran out".to_owned()),
        Event::TurnReplied(_) | Event::OutputPaged(_) | Event::GraphRead(_) | Event::ArtifactRetrieved(_) => {
            None
        }
        recorded => self::recorded(recorded).map(|(text, link)| (Kind::Recorded, text, link)),
    }
}

/// Describes what was accepted or stored for others.
fn recorded(event: &Event) -> Option<(String, Option<String>)> {
    let plain = |text: String| Some((text, None));
    match event {
        Event::ClaimAccepted(accepted) => {
            let healed = if accepted.healing.is_some() { " (citation healed)" } else { "" };
            let fact = &accepted.fact;
            Some((format!("{} {}{healed}", fact.id, fact_title(fact)), Some(format!("fact/{}", fact.id))))
        }
        Event::ClaimRepeated(repeated) => {
            let healed = if repeated.healing.is_some() { " (citation healed)" } else { "" };
            let fact = repeated.fact;
            Some((format!("{fact} already says so{healed}"), Some(format!("fact/{fact}"))))
        }
        Event::AbsenceAccepted(covered) => plain(format!("absent: {}", covered.absence.absence)),
        Event::DerivationAccepted(derived) => plain(format!("derived: {}", derived.derivation.derivation)),
        Event::SentenceAccepted(told) => plain(format!("told: {}", told.sentence.text)),
        Event::StatementTold(told) => plain(format!("told: {}", told.statement.node)),
        Event::PhenomenonRecorded(recorded) => {
            plain(format!("{} carries {} facts", recorded.phenomenon, recorded.facts.len()))
        }
        Event::NothingToRecord(nothing) => plain(format!("nothing to record: {}", nothing.reason)),
        Event::NoteWritten(note) => plain(format!("note, not checked: {}", note.text)),
        Event::ObjectiveAdded(added) => {
            plain(format!("adds the question {}: {}", added.objective.id, added.objective.question))
        }
        Event::QuestionsDeclined(declined) => plain(format!(
            "left {} of {} open: {}",
            declined.questions.join(", "),
            declined.agent,
            declined.reason
        )),
        Event::EntityAdded(added) => plain(format!("entity: {} {}", added.kind, added.name)),
        Event::RelationAdded(added) => plain(format!("relation: {} {} {}", added.from, added.kind, added.to)),
        Event::HypothesisProposed(proposed) => plain(format!("hypothesis: {}", proposed.statement)),
        Event::HypothesisAssessed(assessed) => {
            plain(format!("{} is {}: {}", assessed.hypothesis, assessed.assessment, assessed.reason))
        }
        Event::ArtifactStored(stored) => plain(format!("stored {}: {}", stored.artifact, stored.summary)),
        Event::Recalled(recalled) => {
            plain(format!("recalled {:?}: {} records", recalled.text, recalled.shown.len()))
        }
        _ => None,
    }
}

fn returned(ended: &InvocationEnded) -> Told {
    let link = Some(format!("inv/{}", ended.invocation));
    let note = ended.notes.first().map_or(String::new(), |note| format!(": {note}"));
    match ended.outcome {
        Outcome::Ok | Outcome::Empty => (
            Kind::Call,
            format!("{} returned {}", ended.invocation, count(ended.records as usize, "record", "records")),
            link,
        ),
        Outcome::Failed | Outcome::Timeout | Outcome::Denied => {
            (Kind::Refused, format!("{} {}{note}", ended.invocation, outcome(ended.outcome)), link)
        }
    }
}

fn claimed(submitted: &ClaimSubmitted) -> String {
    let said = match &submitted.stated {
        Claim::Reading(reading) => {
            let values: Vec<_> = reading.values.iter().map(|value| value.value.as_str()).collect();
            format!(
                "{} {} {}, citing {}",
                reading.predicate,
                reading.subject,
                values.join(", "),
                reading.invocation
            )
        }
        Claim::Absence(absence) => format!("absent: {}", absence.absence),
        Claim::Derivation(derivation) => derivation.to_string(),
        Claim::Sentence(sentence) => sentence.text.clone(),
        Claim::Statement(statement) => statement.to_string(),
    };
    format!("{} asks for: {said}", submitted.claim)
}

/// Returns the word for how a call ended.
pub(crate) const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::Empty => "empty",
        Outcome::Failed => "failed",
        Outcome::Timeout => "timeout",
        Outcome::Denied => "denied",
    }
}

/// Returns the words for how a task ended.
pub(crate) const fn status(status: TaskStatus) -> &'static str {
    report::status(status)
}
