//! Record calls: their readings are judged one by one; good ones are recorded, bad ones are refused.

use crate::arguments::Malformed;
use crate::calls::Busy;
use crate::claims;
use crate::distil;
use crate::notes;
use crate::ordinals::Kind;
use crate::references::{self, MOST_RECORDS, Stated};
use crate::shelf::cite;
use crate::step::{Append, Command, Judgement, StepError};
use crate::task::{Task, Waiting, event};
use ground::{Shelf, Verdict};
use ledger::event::{
    ClaimAccepted, ClaimRejected, ClaimRepeated, ClaimSubmitted, PhenomenonRecorded, Refusal,
};
use ledger::turn::{Answer, ReadingResult, Recorded, ToolCall};
use ledger::{Claim, ClaimId, Event, FactEntry, FactId, PhenomenonId, Reading, Rejection, canonical};
use std::collections::VecDeque;

/// A record call with a reading that is being judged.
#[derive(Debug)]
pub(crate) struct Judging {
    batch: Batch,
    claim: ClaimId,
    reading: Reading,
    /// The number of the stated reading.
    stated: usize,
}

/// A waiting reading of one record, and the number of the stated reading that it belongs to.
type Due = (usize, Reading);

/// A record call in progress.
#[derive(Debug)]
struct Batch {
    call: ToolCall,
    waiting: VecDeque<Due>,
    /// The number of the stated reading that last had a record refused.
    refused: Option<usize>,
    results: Vec<ReadingResult>,
    facts: Vec<FactId>,
    interpretation: String,
}

/// Returns one reading for each record, with the number of its stated reading.
fn each(stated: Vec<Stated>, shelf: &Shelf) -> Result<VecDeque<Due>, Malformed> {
    let mut waiting = VecDeque::new();
    for (number, stated) in stated.into_iter().enumerate() {
        let place = format!("readings[{number}]");
        waiting.extend(references::readings(stated, shelf)?.into_iter().map(|reading| (number, reading)));
        if waiting.len() > MOST_RECORDS {
            return Err(Malformed::new(&place, format!("at most {MOST_RECORDS} records in one call")));
        }
    }
    Ok(waiting)
}

impl Batch {
    /// Adds a fact that one of its readings states; if it is stated twice, the call has it once.
    fn take(&mut self, fact: &FactEntry, healed: bool) {
        if !self.facts.contains(&fact.id) {
            self.facts.push(fact.id);
        }
        self.results.push(ReadingResult::Accepted {
            fact: fact.id,
            invocation: fact.invocation,
            record: fact.record,
            values: fact.values.clone(),
            healed,
        });
    }
}

impl Task {
    /// Handles a record call.
    pub(crate) fn record(
        &mut self,
        call: ToolCall,
        append: &mut Vec<Append>,
    ) -> Result<Option<Command>, StepError> {
        if self.setting.said_apart && notes::is_note(&call.arguments) {
            self.write_note(call, append);
            return Ok(None);
        }
        if self.rejections_spent() {
            let told = "this task's budget of refused readings is spent".to_owned();
            self.refuse(call, Refusal::RejectionsSpent, told, append);
            return Ok(None);
        }
        if self.facts_spent() {
            let told =
                "this task's budget of facts is spent: what matters most should be recorded first".to_owned();
            self.refuse(call, Refusal::FactsSpent, told, append);
            return Ok(None);
        }
        let key = canonical::to_vec(&call.arguments)?;
        if let Some(phenomenon) = self.recorded.get(&key) {
            let told = format!("this is recorded already: {phenomenon}");
            self.refuse(call, Refusal::Repeated, told, append);
            return Ok(None);
        }
        let stated = claims::readings(&call.arguments, self.setting.by_reference)
            .and_then(|(stated, interpretation)| Ok((each(stated, &self.shelf)?, interpretation)));
        match stated {
            Err(error) => {
                self.refuse(call, Refusal::BadArguments, error.to_string(), append);
                Ok(None)
            }
            Ok((waiting, interpretation)) => {
                let batch = Batch {
                    call,
                    waiting,
                    refused: None,
                    results: Vec::new(),
                    facts: Vec::new(),
                    interpretation,
                };
                self.submit(batch, append)
            }
        }
    }

    pub(crate) fn rejections_spent(&self) -> bool {
        // A budget of zero still lets correct readings through: the first refused one uses it up.
        self.charged > 0 && self.charged >= self.setting.rules.budgets.rejected_claims
    }

    /// Refuses a call that states an absence or a derivation, because the budget of refused claims ran out.
    pub(crate) fn refuse_spent(&mut self, call: ToolCall, append: &mut Vec<Append>) {
        let told = "this task's budget of refused claims is spent".to_owned();
        self.refuse(call, Refusal::RejectionsSpent, told, append);
    }

    /// Records that the gateway refused a claim of any kind.
    pub(crate) fn reject(&mut self, claim: ClaimId, rejection: Rejection, append: &mut Vec<Append>) {
        self.reject_counting(claim, rejection, 1, append);
    }

    /// Does the same for a claim that counts `counted` against the budget: of a claim about many records, one refusal counts.
    fn reject_counting(
        &mut self,
        claim: ClaimId,
        rejection: Rejection,
        counted: u32,
        append: &mut Vec<Append>,
    ) {
        self.refused.push(distil::refused(rejection.code, &rejection.reason));
        self.rejections += 1;
        self.charged += counted;
        self.turn_record.refused_claims += 1;
        append.push(event(Event::ClaimRejected(ClaimRejected { claim, rejection })));
    }

    fn facts_spent(&self) -> bool {
        self.facts.len() >= self.setting.rules.budgets.accepted_facts as usize
    }

    /// Submits the next reading of a record call; answers the call if there is none, or if the budget ends it.
    fn submit(&mut self, mut batch: Batch, append: &mut Vec<Append>) -> Result<Option<Command>, StepError> {
        let next = match self.rejections_spent() || self.facts_spent() {
            true => None,
            false => batch.waiting.pop_front(),
        };
        let Some((number, reading)) = next else {
            self.recorded(batch, append)?;
            return Ok(None);
        };
        let ordinal = self.ordinals.take(Kind::Claim, self.turn, &batch.call.call);
        let claim = ClaimId::assign(&self.setting.ids, self.id(), ordinal)?;
        let fact = FactId::assign(&self.setting.ids, self.id(), ordinal)?;
        let stated = Claim::Reading(reading.clone());
        append.push(event(Event::ClaimSubmitted(ClaimSubmitted {
            claim,
            turn: self.turn,
            call: batch.call.call.clone(),
            stated: stated.clone(),
        })));
        let own = self.id();
        cite(&mut self.shelf, &self.setting, own, &stated);
        self.waiting = Waiting::Busy(Box::new(Busy::Judging(Judging {
            batch,
            claim,
            reading: reading.clone(),
            stated: number,
        })));
        Ok(Some(Command::Judge(Judgement::Reading { claim, fact, reading })))
    }

    /// Handles the gateway's verdict on the reading.
    pub(crate) fn judged(
        &mut self,
        judging: Judging,
        verdict: Verdict,
        append: &mut Vec<Append>,
    ) -> Result<Command, StepError> {
        let Judging { mut batch, claim, reading, stated } = judging;
        match verdict {
            Verdict::Grounded { fact, healing } => {
                let healed = healing.is_some();
                match self.repeats(fact.entry()).cloned() {
                    Some(known) => {
                        batch.take(&known, healed);
                        let repeated = ClaimRepeated { claim, fact: known.id, healing };
                        append.push(event(Event::ClaimRepeated(repeated)));
                    }
                    None => {
                        let fact = fact.into_entry();
                        self.turn_record.fruitful = true;
                        batch.take(&fact, healed);
                        self.facts.push(fact.clone());
                        let accepted = ClaimAccepted { claim, fact, healing };
                        append.push(event(Event::ClaimAccepted(Box::new(accepted))));
                    }
                }
            }
            Verdict::Refused(rejection) => {
                self.shelf.note_refused(&reading, rejection.code);
                self.miss(&reading);
                batch.results.push(ReadingResult::Rejected { rejection: rejection.clone() });
                // Of a reading about many records, one refusal counts.
                let counted = u32::from(batch.refused.replace(stated) != Some(stated));
                self.reject_counting(claim, rejection, counted, append);
            }
        }
        match self.submit(batch, append)? {
            Some(command) => Ok(command),
            None => self.next_call(append),
        }
    }

    /// Returns the task's fact that already says the same.
    fn repeats(&self, fact: &FactEntry) -> Option<&FactEntry> {
        let same = |known: &&FactEntry| self.setting.one_fact && known.says_the_same(fact);
        self.facts.iter().find(same)
    }

    fn recorded(&mut self, mut batch: Batch, append: &mut Vec<Append>) -> Result<(), StepError> {
        let left = batch.waiting.drain(..).map(|_| ReadingResult::NotJudged);
        batch.results.extend(left);
        let phenomenon = match batch.facts.is_empty() {
            true => None,
            false => Some(self.phenomenon(&mut batch, append)?),
        };
        let recorded = Recorded { phenomenon, readings: batch.results };
        self.answer(batch.call, Answer::Recorded(recorded));
        Ok(())
    }

    fn phenomenon(&mut self, batch: &mut Batch, append: &mut Vec<Append>) -> Result<PhenomenonId, StepError> {
        let ordinal = self.ordinals.take(Kind::Phenomenon, self.turn, &batch.call.call);
        let id = PhenomenonId::assign(&self.setting.ids, self.id(), ordinal)?;
        if batch.results.iter().all(|result| matches!(result, ReadingResult::Accepted { .. })) {
            self.recorded.insert(canonical::to_vec(&batch.call.arguments)?, id);
        }
        let recorded = PhenomenonRecorded {
            phenomenon: id,
            facts: std::mem::take(&mut batch.facts),
            interpretation: std::mem::take(&mut batch.interpretation),
        };
        self.notebook.phenomena.push(recorded.clone());
        append.push(event(Event::PhenomenonRecorded(recorded)));
        Ok(id)
    }
}
