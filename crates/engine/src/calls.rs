//! Handles the calls of a turn, one after another: decides which are allowed, and passes each to its handler.

use crate::absence::Covering;
use crate::dispatch::Dispatching;
use crate::invoke::Running;
use crate::recall::Recalling;
use crate::record::Judging;
use crate::shelf::bounded;
use crate::step::{Append, Command, StepError};
use crate::task::{Task, event};
use crate::tools::OwnTool;
use crate::view;
use ledger::event::{CallRefused, NothingToRecord, OutputPaged, RecordRange, Refusal};
use ledger::turn::{Answer, Page, ToolCall, UserBlock};
use ledger::{Event, RecordId, ToolClass};
use serde_json::Value;

/// A call in progress.
#[derive(Debug)]
pub(crate) enum Busy {
    /// A tool runs.
    Tool(Running),
    /// A reading of a record call is being judged.
    Judging(Judging),
    /// An absence is being judged.
    Covering(Covering),
    /// A text is being searched for.
    Recalling(Recalling),
    /// Assigned tasks are running.
    Dispatching(Dispatching),
}

impl Busy {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Busy::Tool(_) => "a tool's return",
            Busy::Judging(_) => "a verdict",
            Busy::Covering(_) => "a verdict on an absence",
            Busy::Recalling(_) => "what was found",
            Busy::Dispatching(_) => "the reports of tasks",
        }
    }
}

impl Task {
    /// Handles the next call of the turn; ends the turn if there is none.
    pub(crate) fn next_call(&mut self, append: &mut Vec<Append>) -> Result<Command, StepError> {
        while let Some(call) = self.calls.pop_front() {
            self.turn_record.calls += 1;
            if let Some(command) = self.take_up(call, append)? {
                return Ok(command);
            }
        }
        self.end_turn(append)
    }

    /// Answers a call at once, or returns the command whose result the answer needs.
    fn take_up(&mut self, call: ToolCall, append: &mut Vec<Append>) -> Result<Option<Command>, StepError> {
        let class = match self.admit(&call) {
            Ok(class) => class,
            Err((refusal, told)) => {
                self.refuse(call, refusal, told, append);
                return Ok(None);
            }
        };
        match (class, OwnTool::of_name(&call.tool)) {
            (ToolClass::Investigate, _) => return self.invoke(call, append),
            (_, Some(OwnTool::DeclineQuestions)) => self.decline(call, append),
            (ToolClass::Dispatch, _) => return self.dispatch(call, append),
            (_, Some(OwnTool::RecordPhenomenon)) => return self.record(call, append),
            (_, Some(OwnTool::RecordAbsence)) => return self.record_absence(call, append),
            (_, Some(OwnTool::RecordDerivation)) => self.record_derivation(call, append)?,
            (_, Some(OwnTool::Tell)) => self.tell(call, append)?,
            (_, Some(OwnTool::RecordNarrative)) => self.record_narrative(call, append)?,
            (_, Some(OwnTool::NothingToRecord)) => self.nothing(call, append),
            (_, Some(OwnTool::ReadOutput)) => self.page(call, append),
            (_, Some(OwnTool::Recall)) => return Ok(self.recall(call, append)),
            (_, Some(OwnTool::Help)) => self.help(call, append),
            (_, Some(OwnTool::Write(tool))) => self.write_graph(tool, call, append)?,
            (_, Some(OwnTool::Read(tool))) => self.read_graph(tool, call, append),
            (_, Some(OwnTool::Artifact(tool))) => self.artifact(tool, call, append)?,
            (_, None) => {
                let told = format!("{} is specified, but this engine cannot run it", call.tool);
                self.refuse(call, Refusal::UnknownTool, told, append);
            }
        }
        Ok(None)
    }

    /// Returns the class of an allowed call, or why it is refused.
    fn admit(&self, call: &ToolCall) -> Result<ToolClass, (Refusal, String)> {
        let most = self.setting.rules.budgets.calls_per_turn;
        if self.turn_record.calls > most {
            let told = format!("a turn may make {most} calls; make this one in the next turn");
            return Err((Refusal::TooManyCalls, told));
        }
        let Some(class) = self.setting.class(&call.tool) else {
            return Err((Refusal::UnknownTool, format!("there is no tool {:?}", bounded(&call.tool))));
        };
        if !self.setting.offers(&self.assigned.agent, &self.phase.surface, &call.tool) {
            let told =
                format!("{} is not offered in this phase: record what you have already found", call.tool);
            return Err((Refusal::OutsideSurface, told));
        }
        if !call.arguments.is_object() {
            let told = "arguments: expected an object, at most 32 levels deep and 256 KiB long".to_owned();
            return Err((Refusal::BadArguments, told));
        }
        Ok(class)
    }

    pub(crate) fn refuse(
        &mut self,
        call: ToolCall,
        refusal: Refusal,
        told: String,
        append: &mut Vec<Append>,
    ) {
        self.refuse_for(None, (call, refusal, told), append);
    }

    /// Refuses a call, with the lesson of earlier runs that is the reason, if there is one.
    pub(crate) fn refuse_for(
        &mut self,
        lesson: Option<String>,
        (call, refusal, told): (ToolCall, Refusal, String),
        append: &mut Vec<Append>,
    ) {
        self.turn_record.fruitful = true;
        append.push(event(Event::CallRefused(CallRefused {
            turn: self.turn,
            call: call.call.clone(),
            tool: bounded(&call.tool),
            refusal,
            told: told.clone(),
            lesson,
        })));
        self.answer(call, Answer::Refused { refusal, told });
    }

    pub(crate) fn answer(&mut self, call: ToolCall, answer: Answer) {
        self.outbox.push(UserBlock::Answer { call: call.call, answer });
    }

    fn page(&mut self, call: ToolCall, append: &mut Vec<Append>) {
        self.turn_record.fruitful = true;
        let rules = &self.setting.rules.view;
        let bytes = rules.head_bytes.saturating_add(rules.tail_bytes);
        match self.find_page(&call.arguments, bytes) {
            Err(told) => self.refuse(call, Refusal::BadArguments, told, append),
            Ok((page, shown)) => {
                append.push(event(Event::OutputPaged(OutputPaged {
                    turn: self.turn,
                    call: call.call.clone(),
                    invocation: page.invocation,
                    shown,
                })));
                self.shelf.show(page.invocation, shown);
                self.answer(call, Answer::Page(page));
            }
        }
    }

    fn find_page(&self, arguments: &Value, bytes: u64) -> Result<(Page, RecordRange), String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        let (invocation, first) = (text("invocation"), text("first"));
        let first: RecordId = first
            .parse()
            .map_err(|_| format!("first: expected a record id such as r40, found {:?}", bounded(first)))?;
        let found = invocation.parse().ok().and_then(|id| self.shelf.get(id));
        let held = found
            .ok_or_else(|| format!("invocation: {:?} is no invocation of yours", bounded(invocation)))?;
        let output = held.output.as_ref().ok_or_else(|| format!("{invocation} returned no records"))?.clone();
        let shown = view::page(&output, first, bytes)
            .ok_or_else(|| format!("{invocation} has {} records", output.count()))?;
        Ok((Page { invocation: held.invocation, output, shown: vec![shown] }, shown))
    }

    fn nothing(&mut self, call: ToolCall, append: &mut Vec<Append>) {
        let reason = call.arguments.get("reason").and_then(Value::as_str).unwrap_or_default().trim();
        if reason.is_empty() {
            return self.refuse(call, Refusal::BadArguments, "reason: expected a text".into(), append);
        }
        self.turn_record.fruitful = true;
        self.turn_record.nothing_to_record = true;
        append.push(event(Event::NothingToRecord(NothingToRecord {
            turn: self.turn,
            call: call.call.clone(),
            reason: reason.to_owned(),
        })));
        self.answer(call, Answer::Noted { text: "noted".into() });
    }
}
