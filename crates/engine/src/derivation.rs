//! `record_derivation`: what facts of the task say together, judged at once because only the facts are needed.

use crate::claims;
use crate::ordinals::Kind;
use crate::step::{Append, StepError};
use crate::task::{Task, event};
use ground::{DerivationVerdict, judge_derivation};
use ledger::event::{ClaimSubmitted, DerivationAccepted, Refusal};
use ledger::turn::{Answer, DerivationResult, ToolCall};
use ledger::{Claim, ClaimId, DerivationId, Event};

impl Task {
    /// Answers a call that derives something from facts.
    pub(crate) fn record_derivation(
        &mut self,
        call: ToolCall,
        append: &mut Vec<Append>,
    ) -> Result<(), StepError> {
        if self.rejections_spent() {
            self.refuse_spent(call, append);
            return Ok(());
        }
        let (derivation, interpretation) = match claims::derivation(&call.arguments) {
            Ok(read) => read,
            Err(error) => {
                self.refuse(call, Refusal::BadArguments, error.to_string(), append);
                return Ok(());
            }
        };
        let ordinal = self.ordinals.take(Kind::Claim, self.turn, &call.call);
        let claim = ClaimId::assign(&self.setting.ids, self.id(), ordinal)?;
        let id = DerivationId::assign(&self.setting.ids, self.id(), ordinal)?;
        append.push(event(Event::ClaimSubmitted(ClaimSubmitted {
            claim,
            turn: self.turn,
            call: call.call.clone(),
            stated: Claim::Derivation(derivation.clone()),
        })));
        let known = |id| self.known_fact(id);
        let handed = self.handed.iter().flat_map(|handed| &handed.clocks);
        let basis = self.setting.basis(handed.chain(&self.clocks));
        let result = match judge_derivation(&derivation, id, &basis, known) {
            DerivationVerdict::Derived(derived) => {
                self.turn_record.fruitful = true;
                let derivation = derived.into_entry();
                self.notebook.derivations.push((derivation.clone(), interpretation.clone()));
                append.push(event(Event::DerivationAccepted(DerivationAccepted {
                    claim,
                    derivation,
                    interpretation,
                })));
                DerivationResult::Accepted { derivation: id }
            }
            DerivationVerdict::Refused(rejection) => {
                self.reject(claim, rejection.clone(), append);
                DerivationResult::Rejected { rejection }
            }
        };
        self.answer(call, Answer::Derivation(result));
        Ok(())
    }
}
