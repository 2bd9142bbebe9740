//! INVESTIGATE calls: each is run once, and answered from the log if it is repeated.

use crate::calls::Busy;
use crate::made::Made;
use crate::ordinals::Kind;
use crate::shelf::hold;
use crate::step::{Append, Command, Invoke, StepError, ToolReturn};
use crate::task::{Task, Waiting, event};
use crate::view;
use ledger::event::{CallServed, InvocationEnded, InvocationStarted, RecordRange, Refusal};
use ledger::turn::{Answer, Page, Returned, ToolCall};
use ledger::{ClockListing, Defect, Event, Insisted, InvocationId, Outcome, canonical};
use std::collections::BTreeSet;

/// The most defects in an event; each is also in its record in the stored output.
const MOST_DEFECTS: usize = 1_000;

/// A tool call in progress.
#[derive(Debug)]
pub(crate) struct Running {
    call: ToolCall,
    started: InvocationStarted,
    key: Vec<u8>,
}

/// A call that was made: its answer, and how often it was repeated.
#[derive(Debug)]
pub(crate) struct Asked {
    answer: Returned,
    again: u32,
}

impl Task {
    /// Runs a tool, or answers from the log if exactly this call was made before.
    pub(crate) fn invoke(
        &mut self,
        call: ToolCall,
        append: &mut Vec<Append>,
    ) -> Result<Option<Command>, StepError> {
        self.turn_record.fruitful = true;
        let (arguments, reason) = self.lessons.without_reason(&call.tool, &call.arguments);
        let call = ToolCall { arguments, ..call };
        let key = canonical::to_vec(&(&call.tool, &call.arguments))?;
        let Some(asked) = self.asked.get_mut(&key) else {
            return match self.spoken_against(&call, &key, reason) {
                Ok(insists) => self.run(call, key, insists, append).map(Some),
                Err((lesson, told)) => {
                    self.refuse_for(Some(lesson), (call, Refusal::Remembered, told), append);
                    Ok(None)
                }
            };
        };
        let earlier = asked.answer.invocation;
        asked.again += 1;
        if asked.again > self.setting.rules.budgets.repeated_calls {
            let told = format!("this very call was made before: its answer is {earlier}");
            self.refuse(call, Refusal::Repeated, told, append);
            return Ok(None);
        }
        // A call that timed out may finish if it is tried again; any other result would be the same.
        if asked.answer.outcome == Outcome::Timeout {
            return self.run(call, key, None, append).map(Some);
        }
        let mut answer = asked.answer.clone();
        answer.from_log = true;
        answer.notes.push(format!("answered from the log: {earlier} made this very call"));
        append.push(event(Event::CallServed(CallServed {
            turn: self.turn,
            call: call.call.clone(),
            tool: call.tool.clone(),
            invocation: earlier,
        })));
        self.answer(call, Answer::Returned(answer));
        Ok(None)
    }

    fn run(
        &mut self,
        call: ToolCall,
        key: Vec<u8>,
        insists: Option<Insisted>,
        append: &mut Vec<Append>,
    ) -> Result<Command, StepError> {
        let ordinal = self.ordinals.take(Kind::Invocation, self.turn, &call.call);
        let invocation = InvocationId::assign(&self.setting.ids, self.id(), ordinal)?;
        let started = InvocationStarted {
            invocation,
            turn: self.turn,
            call: call.call.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            insists,
        };
        append.push(event(Event::InvocationStarted(started.clone())));
        let invoke = Invoke { invocation, tool: call.tool.clone(), arguments: call.arguments.clone() };
        self.waiting = Waiting::Busy(Box::new(Busy::Tool(Running { call, started, key })));
        Ok(Command::CallTool(invoke))
    }

    /// Handles a tool's return.
    pub(crate) fn returned(
        &mut self,
        running: Running,
        returned: ToolReturn,
        append: &mut Vec<Append>,
    ) -> Result<Command, StepError> {
        let Running { call, started, key } = running;
        let invocation = started.invocation;
        let shown = match &returned.output {
            Some(output) => view::first_view(output, &self.setting.rules.view),
            None => Vec::new(),
        };
        let ended = ended(invocation, &returned, &shown);
        // The agent is told what is recorded: a replay has nothing else to tell it.
        let defects = ended.defects.clone();
        hold(&mut self.shelf, &started, &ended, returned.output.clone());
        self.clocks.extend(ClockListing::of(&started, &ended, returned.output.as_deref()));
        self.made.push(Made::of(&started, &ended, returned.output.clone()));
        let payload = returned.output.as_ref().map(|output| output.bytes().into());
        append.push(Append { event: Event::InvocationEnded(ended), payload });
        let answer = Returned {
            invocation,
            outcome: returned.outcome,
            completeness: returned.completeness,
            from_log: false,
            normalised: returned.normalised,
            page: returned.output.map(|output| Page { invocation, output, shown }),
            defects,
            gaps: returned.gaps,
            notes: returned.notes,
        };
        let again = self.asked.get(&key).map_or(0, |asked| asked.again);
        self.asked.insert(key, Asked { answer: answer.clone(), again });
        self.answer(call, Answer::Returned(answer));
        self.next_call(append)
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
        records: output.map_or(0, |output| output.count() as u32),
        bytes: output.map_or(0, |output| output.bytes().len() as u64),
        shown: shown.to_vec(),
        defects: recorded_defects(returned),
        gaps: returned.gaps.clone(),
        notes: returned.notes.clone(),
    }
}

/// Returns the defects that a call's event names: all that were found, including those of single records.
/// Each is named once, and there are at most a thousand.
pub fn recorded_defects(returned: &ToolReturn) -> Vec<Defect> {
    let damaged = returned.output.iter().filter(|output| output.has_defects());
    let records = damaged.flat_map(|output| output.records());
    let all: BTreeSet<_> =
        returned.defects.iter().chain(records.flat_map(|record| &record.defects)).collect();
    all.into_iter().take(MOST_DEFECTS).cloned().collect()
}
