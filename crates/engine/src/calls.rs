//! The calls of a turn, one after another.

use crate::claims;
use crate::shelf::{bounded, cite, hold};
use crate::step::{Append, Command, Invoke, Judgement, StepError, ToolReturn};
use crate::task::{Task, Waiting, event};
use crate::tools::{NOTHING_TO_RECORD, READ_OUTPUT, RECORD_PHENOMENON};
use crate::view;
use ground::Verdict;
use ledger::event::{
    CallRefused, CallServed, ClaimAccepted, ClaimRejected, ClaimSubmitted, InvocationEnded,
    InvocationStarted, NothingToRecord, OutputPaged, PhenomenonRecorded, RecordRange, Refusal,
};
use ledger::turn::{Answer, Page, ReadingResult, Recorded, Returned, ToolCall, UserBlock};
use ledger::{
    ClaimId, Completeness, Event, FactId, InvocationId, PhenomenonId, Reading, RecordId, ToolClass, canonical,
};
use serde_json::Value;
use std::collections::VecDeque;

/// A call under way.
#[derive(Debug)]
pub(crate) enum Busy {
    /// A tool runs.
    Tool { call: ToolCall, started: InvocationStarted, key: Vec<u8> },
    /// A reading is being judged; the first of `readings`.
    Judging(Judging),
}

/// A call that was made and can be answered from the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    invocation: InvocationId,
    completeness: Completeness,
    served: u32,
}

/// A record call under way.
#[derive(Debug)]
pub(crate) struct Judging {
    call: ToolCall,
    claim: ClaimId,
    waiting: VecDeque<Reading>,
    results: Vec<ReadingResult>,
    facts: Vec<FactId>,
    interpretation: String,
}

impl Busy {
    pub(crate) fn awaits_tool(&self) -> bool {
        matches!(self, Busy::Tool { .. })
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Busy::Tool { .. } => "a tool's return",
            Busy::Judging(_) => "a verdict",
        }
    }
}

impl Task {
    /// Takes up the next call of the turn; ends the turn when there is none.
    pub(crate) fn next_call(&mut self, append: &mut Vec<Append>) -> Result<Command, StepError> {
        while let Some(call) = self.calls.pop_front() {
            self.turn_record.calls += 1;
            if let Some(command) = self.take_up(call, append)? {
                return Ok(command);
            }
        }
        self.end_turn(append)
    }

    /// Answers a call at once, or gives the command that its answer waits for.
    fn take_up(&mut self, call: ToolCall, append: &mut Vec<Append>) -> Result<Option<Command>, StepError> {
        let class = match self.admit(&call) {
            Ok(class) => class,
            Err((refusal, told)) => {
                self.refuse(call, refusal, told, append);
                return Ok(None);
            }
        };
        match (class, call.tool.as_str()) {
            (ToolClass::Investigate, _) => self.invoke(call, append),
            (_, RECORD_PHENOMENON) => self.record(call, append),
            (_, NOTHING_TO_RECORD) => self.nothing(call, append),
            (_, READ_OUTPUT) => self.page(call, append),
            (_, _) => {
                let told = format!("{} is specified, but this engine cannot run it", call.tool);
                self.refuse(call, Refusal::UnknownTool, told, append);
                Ok(None)
            }
        }
    }

    /// The class of a call that may go on; otherwise why not.
    fn admit(&self, call: &ToolCall) -> Result<ToolClass, (Refusal, String)> {
        let most = self.setting.rules.budgets.calls_per_turn;
        if self.turn_record.calls > most {
            return Err((
                Refusal::TooManyCalls,
                format!("a turn may make {most} calls; make this one in the next turn"),
            ));
        }
        let Some(class) = self.setting.class(&call.tool) else {
            return Err((Refusal::UnknownTool, format!("there is no tool {:?}", bounded(&call.tool))));
        };
        if !self.phase.surface.contains(&class) {
            let told =
                format!("{} is not offered in this phase: record what you have already found", call.tool);
            return Err((Refusal::OutsideSurface, told));
        }
        Ok(class)
    }

    fn refuse(&mut self, call: ToolCall, refusal: Refusal, told: String, append: &mut Vec<Append>) {
        self.turn_record.fruitful = true;
        append.push(event(Event::CallRefused(CallRefused {
            turn: self.turn,
            call: call.call.clone(),
            tool: bounded(&call.tool),
            refusal,
            told: told.clone(),
        })));
        self.answer(call, Answer::Refused { refusal, told });
    }

    fn answer(&mut self, call: ToolCall, answer: Answer) {
        self.outbox.push(UserBlock::Answer { call: call.call, answer });
    }

    fn invoke(&mut self, call: ToolCall, append: &mut Vec<Append>) -> Result<Option<Command>, StepError> {
        self.turn_record.fruitful = true;
        let key = canonical::to_vec(&(&call.tool, &call.arguments))?;
        if let Some(asked) = self.asked.get(&key).copied() {
            self.serve(call, key, asked, append);
            return Ok(None);
        }
        let invocation = InvocationId::assign(&self.setting.ids, self.id(), self.next.invocation)?;
        self.next.invocation += 1;
        let started = InvocationStarted {
            invocation,
            turn: self.turn,
            call: call.call.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
        };
        append.push(event(Event::InvocationStarted(started.clone())));
        let invoke = Invoke { invocation, tool: call.tool.clone(), arguments: call.arguments.clone() };
        self.waiting = Waiting::Busy(Box::new(Busy::Tool { call, started, key }));
        Ok(Some(Command::CallTool(invoke)))
    }

    /// Answers an identical call from the log; after that happened often enough, refuses it.
    fn serve(&mut self, call: ToolCall, key: Vec<u8>, asked: Asked, append: &mut Vec<Append>) {
        let earlier = asked.invocation;
        let page = self.shelf.get(earlier).and_then(|held| {
            let output = held.output.clone()?;
            let shown = view::first_view(&output, &self.setting.rules.view);
            Some((held.outcome, Page { invocation: earlier, output, shown }))
        });
        let Some((outcome, page)) = page.filter(|_| asked.served < self.setting.rules.budgets.repeated_calls)
        else {
            let told = format!("this very call was made before: its answer is {earlier}");
            return self.refuse(call, Refusal::Repeated, told, append);
        };
        self.asked.insert(key, Asked { served: asked.served + 1, ..asked });
        append.push(event(Event::CallServed(CallServed {
            turn: self.turn,
            call: call.call.clone(),
            tool: call.tool.clone(),
            invocation: earlier,
        })));
        let returned = Returned {
            invocation: earlier,
            outcome,
            completeness: asked.completeness,
            from_log: true,
            normalised: None,
            page: Some(page),
            defects: Vec::new(),
            gaps: Vec::new(),
            notes: vec![format!("answered from the log: {earlier} made this very call")],
        };
        self.answer(call, Answer::Returned(returned));
    }

    /// A tool has run.
    pub(crate) fn returned(
        &mut self,
        busy: Busy,
        returned: ToolReturn,
        append: &mut Vec<Append>,
    ) -> Result<Command, StepError> {
        let Busy::Tool { call, started, key } = busy else {
            return Err(StepError::Unexpected { expected: busy.name(), found: "a tool's return" });
        };
        let invocation = started.invocation;
        let shown = match &returned.output {
            Some(output) => view::first_view(output, &self.setting.rules.view),
            None => Vec::new(),
        };
        let ended = ended(invocation, &returned, &shown);
        let asked = Asked { invocation, completeness: returned.completeness, served: 0 };
        self.asked.insert(key, asked);
        hold(&mut self.shelf, &started, &ended, returned.output.clone());
        let payload = returned.output.as_ref().map(|output| output.bytes().into());
        append.push(Append { event: Event::InvocationEnded(ended), payload });
        let page = returned.output.map(|output| Page { invocation, output, shown });
        let answer = Returned {
            invocation,
            outcome: returned.outcome,
            completeness: returned.completeness,
            from_log: false,
            normalised: returned.normalised,
            page,
            defects: returned.defects,
            gaps: returned.gaps,
            notes: returned.notes,
        };
        self.answer(call, Answer::Returned(answer));
        self.next_call(append)
    }

    fn page(&mut self, call: ToolCall, append: &mut Vec<Append>) -> Result<Option<Command>, StepError> {
        self.turn_record.fruitful = true;
        let bytes = self.setting.rules.view.head_bytes + self.setting.rules.view.tail_bytes;
        match self.find_page(&call.arguments, bytes) {
            Err(told) => self.refuse(call, Refusal::BadArguments, told, append),
            Ok(page) => {
                let [shown] = page.shown[..] else { return Ok(None) };
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
        Ok(None)
    }

    fn find_page(&self, arguments: &Value, bytes: u64) -> Result<Page, String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let (invocation, first) = (text("invocation"), text("first"));
        let first: RecordId = first
            .parse()
            .map_err(|_| format!("first: expected a record id such as r40, found {:?}", bounded(first)))?;
        let found = invocation.parse().ok().and_then(|id| self.shelf.get(id));
        let held = found
            .ok_or_else(|| format!("invocation: {:?} is no invocation of yours", bounded(invocation)))?;
        let output = held.output.as_ref().ok_or_else(|| format!("{invocation} returned no records"))?.clone();
        let shown = view::page(&output, first, bytes)
            .ok_or_else(|| format!("{invocation} has {} records", output.records().len()))?;
        let page = Page { invocation: held.invocation, output, shown: vec![shown] };
        Ok(page)
    }

    fn nothing(&mut self, call: ToolCall, append: &mut Vec<Append>) -> Result<Option<Command>, StepError> {
        let reason = call.arguments.get("reason").and_then(Value::as_str).unwrap_or_default().trim();
        if reason.is_empty() {
            self.refuse(call, Refusal::BadArguments, "reason: expected a text".into(), append);
            return Ok(None);
        }
        self.turn_record.fruitful = true;
        append.push(event(Event::NothingToRecord(NothingToRecord {
            turn: self.turn,
            call: call.call.clone(),
            reason: reason.to_owned(),
        })));
        self.nothing_to_record = true;
        self.answer(call, Answer::Noted { text: "noted; the task ends with this turn".into() });
        Ok(None)
    }

    fn record(&mut self, call: ToolCall, append: &mut Vec<Append>) -> Result<Option<Command>, StepError> {
        if self.rejections >= self.setting.rules.budgets.rejected_claims {
            let told = "this task's budget of refused readings is spent".to_owned();
            self.refuse(call, Refusal::RejectionsSpent, told, append);
            return Ok(None);
        }
        match claims::readings(&call.arguments) {
            Err(error) => {
                self.refuse(call, Refusal::BadArguments, error.to_string(), append);
                Ok(None)
            }
            Ok((readings, interpretation)) => {
                let claim = ClaimId::assign(&self.setting.ids, self.id(), self.next.claim)?;
                let judging = Judging {
                    call,
                    claim,
                    waiting: readings.into(),
                    results: Vec::new(),
                    facts: Vec::new(),
                    interpretation,
                };
                self.submit(judging, append)
            }
        }
    }

    /// Submits the next reading of a record call; answers the call when there is none.
    fn submit(
        &mut self,
        mut judging: Judging,
        append: &mut Vec<Append>,
    ) -> Result<Option<Command>, StepError> {
        let Some(reading) = judging.waiting.pop_front() else {
            self.recorded(judging, append)?;
            return Ok(None);
        };
        judging.claim = ClaimId::assign(&self.setting.ids, self.id(), self.next.claim)?;
        let fact = FactId::assign(&self.setting.ids, self.id(), self.next.claim)?;
        self.next.claim += 1;
        append.push(event(Event::ClaimSubmitted(ClaimSubmitted {
            claim: judging.claim,
            turn: self.turn,
            call: judging.call.call.clone(),
            reading: reading.clone(),
        })));
        let own = self.id();
        cite(&mut self.shelf, &self.setting, own, &reading);
        let claim = judging.claim;
        self.waiting = Waiting::Busy(Box::new(Busy::Judging(judging)));
        Ok(Some(Command::Judge(Judgement { claim, fact, reading })))
    }

    /// The gateway has judged a reading.
    pub(crate) fn judged(
        &mut self,
        busy: Busy,
        verdict: Verdict,
        append: &mut Vec<Append>,
    ) -> Result<Command, StepError> {
        let Busy::Judging(mut judging) = busy else {
            return Err(StepError::Unexpected { expected: busy.name(), found: "a verdict" });
        };
        let claim = judging.claim;
        match verdict {
            Verdict::Grounded { fact, healing } => {
                let fact = fact.into_entry();
                self.turn_record.fruitful = true;
                judging.facts.push(fact.id);
                judging.results.push(ReadingResult::Accepted {
                    fact: fact.id,
                    invocation: fact.invocation,
                    record: fact.record,
                    values: fact.values.clone(),
                    healed: healing.is_some(),
                });
                self.facts.push(fact.clone());
                append.push(event(Event::ClaimAccepted(Box::new(ClaimAccepted { claim, fact, healing }))));
            }
            Verdict::Refused(rejection) => {
                self.rejections += 1;
                self.turn_record.refused_readings += 1;
                judging.results.push(ReadingResult::Rejected { rejection: rejection.clone() });
                append.push(event(Event::ClaimRejected(ClaimRejected { claim, rejection })));
            }
        }
        match self.submit(judging, append)? {
            Some(command) => Ok(command),
            None => self.next_call(append),
        }
    }

    fn recorded(&mut self, judging: Judging, append: &mut Vec<Append>) -> Result<(), StepError> {
        let phenomenon = match judging.facts.is_empty() {
            true => None,
            false => {
                let id = PhenomenonId::assign(&self.setting.ids, self.id(), self.next.phenomenon)?;
                self.next.phenomenon += 1;
                append.push(event(Event::PhenomenonRecorded(PhenomenonRecorded {
                    phenomenon: id,
                    facts: judging.facts,
                    interpretation: judging.interpretation,
                })));
                Some(id)
            }
        };
        let recorded = Recorded { phenomenon, readings: judging.results };
        self.answer(judging.call, Answer::Recorded(recorded));
        Ok(())
    }
}

fn ended(invocation: InvocationId, returned: &ToolReturn, shown: &[RecordRange]) -> InvocationEnded {
    let output = returned.output.as_ref();
    InvocationEnded {
        invocation,
        outcome: returned.outcome,
        completeness: returned.completeness,
        normalised: returned.normalised.clone(),
        output: output.map(|output| output.digest()),
        records: output.map_or(0, |output| output.records().len() as u32),
        bytes: output.map_or(0, |output| output.bytes().len() as u64),
        shown: shown.to_vec(),
        defects: returned.defects.clone(),
        gaps: returned.gaps.clone(),
        notes: returned.notes.clone(),
    }
}
