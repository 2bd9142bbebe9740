//! `record_absence`: a claim of absence, judged like a reading.

use crate::calls::Busy;
use crate::claims;
use crate::ordinals::Kind;
use crate::shelf::cite;
use crate::step::{Append, Command, Judgement, StepError};
use crate::task::{Task, Waiting, event};
use ground::AbsenceVerdict;
use ledger::event::{AbsenceAccepted, ClaimSubmitted, Refusal};
use ledger::turn::{AbsenceResult, Answer, ToolCall};
use ledger::{AbsenceId, Claim, ClaimId, Event};

/// A claim of absence that is being judged.
#[derive(Debug)]
pub(crate) struct Covering {
    call: ToolCall,
    claim: ClaimId,
    interpretation: String,
}

impl Task {
    /// Handles a call that claims an absence.
    pub(crate) fn record_absence(
        &mut self,
        call: ToolCall,
        append: &mut Vec<Append>,
    ) -> Result<Option<Command>, StepError> {
        if self.rejections_spent() {
            self.refuse_spent(call, append);
            return Ok(None);
        }
        let (absence, interpretation) = match claims::absence(&call.arguments, self.setting.said_apart) {
            Ok(read) => read,
            Err(error) => {
                self.refuse(call, Refusal::BadArguments, error.to_string(), append);
                return Ok(None);
            }
        };
        let ordinal = self.ordinals.take(Kind::Claim, self.turn, &call.call);
        let claim = ClaimId::assign(&self.setting.ids, self.id(), ordinal)?;
        let id = AbsenceId::assign(&self.setting.ids, self.id(), ordinal)?;
        let stated = Claim::Absence(absence.clone());
        append.push(event(Event::ClaimSubmitted(ClaimSubmitted {
            claim,
            turn: self.turn,
            call: call.call.clone(),
            stated: stated.clone(),
        })));
        let own = self.id();
        cite(&mut self.shelf, &self.setting, own, &stated);
        self.waiting = Waiting::Busy(Box::new(Busy::Covering(Covering { call, claim, interpretation })));
        Ok(Some(Command::Judge(Judgement::Absence { claim, id, absence })))
    }

    /// Handles the gateway's verdict on the absence.
    pub(crate) fn covered(
        &mut self,
        covering: Covering,
        verdict: AbsenceVerdict,
        append: &mut Vec<Append>,
    ) -> Result<Command, StepError> {
        let Covering { call, claim, interpretation } = covering;
        let result = match verdict {
            AbsenceVerdict::Covered(covered) => {
                self.turn_record.fruitful = true;
                let absence = covered.into_entry();
                self.notebook.absences.push((absence.clone(), interpretation.clone()));
                let (id, searches) = (absence.id, absence.searches.clone());
                append.push(event(Event::AbsenceAccepted(AbsenceAccepted {
                    claim,
                    absence,
                    interpretation,
                })));
                AbsenceResult::Accepted { absence: id, searches }
            }
            AbsenceVerdict::Refused(rejection) => {
                self.reject(claim, rejection.clone(), append);
                AbsenceResult::Rejected { rejection }
            }
        };
        self.answer(call, Answer::Absence(result));
        self.next_call(append)
    }
}
