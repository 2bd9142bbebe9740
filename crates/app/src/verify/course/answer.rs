//! Checks the result of each call: each event must answer the call that it names.

use super::{Course, Wrong};
use crate::verify::{shown, words};
use ledger::event::{
    CallRefused, CallServed, ClaimSubmitted, InvocationEnded, InvocationStarted, NoteWritten, OutputPaged,
    PhenomenonRecorded, Recalled, RecalledRecord, Refusal,
};
use ledger::turn::ToolCall;
use ledger::{Behaviour, CallId, Claim, Event, ToolClass, ToolSpec};
use serde_json::Value;

/// The most characters of a note, and the most notes of a task.
const LONGEST_NOTE: usize = 1_000;
const MOST_NOTES: u32 = 50;

impl<'l> Course<'l> {
    pub(super) fn answer(&mut self, event: &'l Event) -> Result<(), Wrong> {
        match event {
            Event::InvocationStarted(started) => self.start(started),
            Event::InvocationEnded(ended) => self.end_invocation(ended),
            Event::CallRefused(refused) => self.refuse(refused),
            Event::CallServed(served) => self.serve(served),
            Event::OutputPaged(paged) => self.page(paged),
            Event::ClaimSubmitted(submitted) => self.submit(submitted),
            Event::ClaimAccepted(accepted) => {
                let known = self.facts.iter().any(|known| known.says_the_same(&accepted.fact));
                if known && self.has(Behaviour::OneFact) {
                    return Err("a fact of the task says the same already");
                }
                self.facts.push(&accepted.fact);
                self.turn.carried.push(accepted.fact.id);
                Ok(())
            }
            Event::ClaimRepeated(repeated) => {
                if !self.has(Behaviour::OneFact) || !self.facts.iter().any(|known| known.id == repeated.fact)
                {
                    return Err("it repeats no fact of its task");
                }
                if !self.turn.carried.contains(&repeated.fact) {
                    self.turn.carried.push(repeated.fact);
                }
                Ok(())
            }
            Event::AbsenceAccepted(accepted) => self.interpreted(&accepted.interpretation),
            Event::DerivationAccepted(accepted) => self.interpreted(&accepted.interpretation),
            Event::ClaimRejected(_) => {
                self.rejections += 1;
                // Several refusals for one reading of many records count only once.
                let stated = self.turn.stated;
                if stated.is_none() || self.turn.refused.replace(stated.unwrap_or(0)) != stated {
                    self.charged += 1;
                }
                self.turn.refused_claims += 1;
                Ok(())
            }
            Event::PhenomenonRecorded(recorded) => self.phenomenon(recorded),
            Event::NothingToRecord(nothing) => {
                self.of_turn(nothing.turn)?;
                self.turn.nothing = true;
                let call = self.named(&nothing.call, "nothing_to_record")?;
                says(words::means(&call.arguments, "reason", &nothing.reason))
            }
            Event::NoteWritten(note) => self.note(note),
            Event::ObjectiveAdded(added) => self.ask_itself(added),
            Event::QuestionsDeclined(declined) => self.decline(declined),
            Event::EntityAdded(added) => {
                self.write("add_entity", |with| words::is_entity(with, added))?;
                self.written.entities.push(added);
                Ok(())
            }
            Event::RelationAdded(added) => {
                self.write("link", |with| words::is_relation(with, added))?;
                self.written.relations.push(added);
                Ok(())
            }
            Event::HypothesisProposed(proposed) => {
                self.write("propose_hypothesis", |with| words::is_proposal(with, proposed))?;
                self.written.proposals.push(proposed);
                Ok(())
            }
            Event::HypothesisAssessed(assessed) => {
                self.write("assess_hypothesis", |with| words::is_assessment(with, assessed))
            }
            Event::GraphRead(read) => {
                self.of_turn(read.turn)?;
                self.named(&read.call, &read.tool).map(drop)
            }
            Event::Recalled(recalled) => self.recall(recalled),
            Event::TasksDispatched(dispatched) => self.dispatch(dispatched),
            Event::TaskReported(reported) => self.report(reported),
            Event::ArtifactStored(stored) => self.store(stored),
            Event::ArtifactRetrieved(retrieved) => self.retrieve(retrieved),
            Event::RunOpened(_)
            | Event::RunResumed(_)
            | Event::NamesIndexed(_)
            | Event::TimelineIndexed(_)
            | Event::TablesRead(_)
            | Event::RulesMatched(_)
            | Event::TaskAssigned(_)
            | Event::EvidenceHashed(_)
            | Event::RunSealed(_)
            | Event::PhaseEntered(_)
            | Event::TurnRequested(_)
            | Event::TurnReplied(_)
            | Event::TurnFailed(_)
            | Event::RequestTooLong(_)
            | Event::RecoveryBegun(_)
            | Event::RecoveryEnded(_)
            | Event::SentenceAccepted(_)
            | Event::StatementTold(_)
            | Event::Cancelled
            | Event::TimeSpent
            | Event::PurseSpent(_)
            | Event::TaskEnded(_) => Ok(()),
        }
    }

    /// Advances to the call with this id, which must name this tool and be admissible.
    pub(super) fn named(&mut self, id: &CallId, tool: &str) -> Result<&'l ToolCall, Wrong> {
        let call = self.next(|call| call.call == *id)?;
        if call.tool != tool {
            return Err("its call names another tool");
        }
        match self.refusal(call) {
            None => Ok(call),
            Some(_) => Err("its call had to be refused"),
        }
    }

    /// Returns why the current call had to be refused, regardless of its arguments.
    fn refusal(&self, call: &ToolCall) -> Option<Refusal> {
        let most = self.log.opened.rules.budgets.calls_per_turn as usize;
        let spec = self.log.opened.tools.iter().find(|tool| tool.name == call.tool);
        let surface = self.phase.map(|phase| &phase.surface);
        match spec {
            _ if self.turn.taken > most => Some(Refusal::TooManyCalls),
            None => Some(Refusal::UnknownTool),
            Some(spec) if !surface.is_some_and(|surface| surface.contains(&spec.class)) => {
                Some(Refusal::OutsideSurface)
            }
            Some(spec) if !self.may_have(spec) => Some(Refusal::OutsideSurface),
            Some(_) => None,
        }
    }

    /// Whether the agent has this tool at all.
    fn may_have(&self, spec: &ToolSpec) -> bool {
        let agent = &self.assigned.agent;
        let named = agent.tools.as_ref().is_none_or(|names| names.contains(&spec.name))
            || spec.class == ToolClass::Dispatch;
        named && (spec.name != "record_narrative" || agent.surface.contains(&ToolClass::Dispatch))
    }

    fn start(&mut self, started: &'l InvocationStarted) -> Result<(), Wrong> {
        self.of_turn(started.turn)?;
        let call = self.named(&started.call, &started.tool)?;
        let (arguments, reason) = self.as_made(call);
        if arguments != started.arguments {
            return Err("its arguments are not those of its call");
        }
        self.runs(started, reason)?;
        let spec = self.log.opened.tools.iter().find(|tool| tool.name == started.tool);
        if spec.is_none_or(|spec| spec.class != ToolClass::Investigate) {
            return Err("its tool looks at no evidence");
        }
        match self.running.replace(started) {
            None => Ok(()),
            Some(_) => Err("an invocation before it has not ended"),
        }
    }

    fn end_invocation(&mut self, ended: &'l InvocationEnded) -> Result<(), Wrong> {
        let started = self.running.take().filter(|started| started.invocation == ended.invocation);
        let started = started.ok_or("it ends another invocation than the one that runs")?;
        self.done.insert(ended.invocation, (started, ended));
        self.made.push((started, ended));
        let output = ended.output.and_then(|digest| self.log.outputs.get(&digest));
        let view = &self.log.opened.rules.view;
        let shown = output.map(|output| shown::at_first(output, view)).unwrap_or_default();
        match shown == ended.shown {
            true => Ok(()),
            false => Err("what it shows of its output is not what the rules show"),
        }
    }

    fn refuse(&mut self, refused: &'l CallRefused) -> Result<(), Wrong> {
        self.of_turn(refused.turn)?;
        let call = self.next(|call| call.call == refused.call)?;
        // The log shortens a name that is longer than a line.
        if call.tool != refused.tool && !call.tool.starts_with(refused.tool.trim_end_matches('…')) {
            return Err("its call names another tool");
        }
        let admission = [Refusal::TooManyCalls, Refusal::UnknownTool, Refusal::OutsideSurface];
        let expected = self.refusal(call);
        if refused.refusal == Refusal::Remembered && expected.is_none() {
            return self.refused_for(call, refused);
        }
        if refused.lesson.is_some() {
            return Err("it was refused for no lesson");
        }
        match expected {
            Some(expected) if expected != refused.refusal => Err("its call had to be refused otherwise"),
            None if admission.contains(&refused.refusal) => Err("its call was not to be refused so"),
            Some(_) | None => Ok(()),
        }
    }

    fn serve(&mut self, served: &'l CallServed) -> Result<(), Wrong> {
        self.of_turn(served.turn)?;
        let call = self.named(&served.call, &served.tool)?;
        let done = self.done.get(&served.invocation);
        let (earlier, _) = done.ok_or("it was answered by no invocation of its task that had ended")?;
        match (&earlier.tool, &earlier.arguments) == (&call.tool, &self.as_made(call).0) {
            true => Ok(()),
            false => Err("it was answered by another call"),
        }
    }

    fn page(&mut self, paged: &'l OutputPaged) -> Result<(), Wrong> {
        self.of_turn(paged.turn)?;
        let call = self.named(&paged.call, "read_output")?;
        let done = self.done.get(&paged.invocation);
        let (_, ended) = done.ok_or("it shows no invocation of its task that had ended")?;
        if !words::means(&call.arguments, "invocation", &paged.invocation.to_string())
            || !words::means(&call.arguments, "first", &paged.shown.first.to_string())
        {
            return Err("it shows something else than its call asks for");
        }
        let output = ended.output.and_then(|digest| self.log.outputs.get(&digest));
        let view = &self.log.opened.rules.view;
        let page = output.and_then(|output| shown::on_page(output, paged.shown.first, view));
        match page == Some(paged.shown) {
            true => Ok(()),
            false => Err("what it shows of the output is not what the rules show"),
        }
    }

    fn recall(&mut self, recalled: &'l Recalled) -> Result<(), Wrong> {
        self.of_turn(recalled.turn)?;
        let call = self.named(&recalled.call, "recall")?;
        says(words::means(&call.arguments, "text", &recalled.text))?;
        let holds = |shown: &RecalledRecord| {
            let done = self.done.get(&shown.invocation);
            let output = done.and_then(|(_, ended)| self.log.outputs.get(&ended.output?));
            output.is_some_and(|output| output.record(shown.record).is_some())
        };
        match recalled.shown.iter().all(holds) {
            true => Ok(()),
            false => Err("it shows a record that no output of its task holds"),
        }
    }

    fn submit(&mut self, submitted: &'l ClaimSubmitted) -> Result<(), Wrong> {
        self.of_turn(submitted.turn)?;
        let (tool, several) = match submitted.stated {
            Claim::Reading(_) => ("record_phenomenon", true),
            Claim::Absence(_) => ("record_absence", false),
            Claim::Derivation(_) => ("record_derivation", false),
            Claim::Sentence(_) => ("record_narrative", true),
            Claim::Statement(_) => ("tell", true),
        };
        let under_way = self.turn.call().filter(|call| self.turn.recording && call.call == submitted.call);
        let call = match under_way {
            Some(call) => call,
            None => self.named(&submitted.call, tool)?,
        };
        self.turn.recording = several;
        let number = self.turn.claims;
        self.turn.claims += 1;
        let states = match &submitted.stated {
            Claim::Reading(reading) if self.has(Behaviour::ByReference) => {
                if number == 0 {
                    self.turn.due = self.due(&call.arguments);
                }
                let due = self.turn.due.get(number);
                self.turn.stated = due.map(|due| due.reading);
                due.is_some_and(|due| self.is_due(&call.arguments, due, reading))
            }
            stated => words::states(&call.arguments, stated, number),
        };
        match states {
            true => Ok(()),
            false => Err("it is not what its call states"),
        }
    }

    fn phenomenon(&mut self, recorded: &'l PhenomenonRecorded) -> Result<(), Wrong> {
        self.turn.recording = false;
        if std::mem::take(&mut self.turn.carried) != recorded.facts {
            return Err("it does not carry the facts of its call");
        }
        self.interpreted(&recorded.interpretation)
    }

    /// Checks the interpretation against that of the current call.
    fn interpreted(&self, interpretation: &str) -> Result<(), Wrong> {
        let call = self.turn.call().ok_or("no call made it")?;
        says(words::says(&call.arguments, "interpretation", interpretation))
    }

    /// Checks a note, which is no fact: it must be the text of a call that makes no claim.
    fn note(&mut self, note: &NoteWritten) -> Result<(), Wrong> {
        self.of_turn(note.turn)?;
        let (tool, words) = match note.chapter {
            None => ("record_phenomenon", "note"),
            Some(_) => ("tell", "comment"),
        };
        let call = self.named(&note.call, tool)?;
        self.notes += 1;
        let given = call.arguments.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        match () {
            () if !self.has(Behaviour::SaidApart) => Err("its run knows no notes"),
            () if note.chapter.is_some() && !self.has(Behaviour::OnChapters) => {
                Err("its run knows no comments on chapters")
            }
            () if given.count() != 1 + usize::from(note.chapter.is_some()) => {
                Err("its call is not for a note alone")
            }
            () if note.chapter.is_some_and(|chapter| !words::is_chapter(&call.arguments, chapter)) => {
                Err("its chapter is not that of its call")
            }
            () if note.text.chars().count() > LONGEST_NOTE || self.notes > MOST_NOTES => {
                Err("it is longer than a note may be, or one more than a task may write")
            }
            () => says(!note.text.is_empty() && words::means(&call.arguments, words, &note.text)),
        }
    }

    /// Checks an addition to the graph against its call.
    fn write(&mut self, tool: &str, fits: impl Fn(&Value) -> bool) -> Result<(), Wrong> {
        let call = self.next(|call| call.tool == tool && fits(&call.arguments))?;
        match self.refusal(call) {
            None => Ok(()),
            Some(_) => Err("its call had to be refused"),
        }
    }
}

fn says(says: bool) -> Result<(), Wrong> {
    if says { Ok(()) } else { Err("its words are not those of its call") }
}
