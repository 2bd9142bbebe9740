//! `record_narrative`, in runs before [`ledger::Behaviour::Tells`]:
//! sentences over facts of the task and over facts that were handed over to it.
//! They are judged one by one and at once, because only the cited nodes are needed.

use crate::claims;
use crate::ordinals::Kind;
use crate::step::{Append, StepError};
use crate::task::{Task, event};
use ground::{Citable, Known, SentenceVerdict, judge_sentence};
use ledger::event::{ClaimSubmitted, Refusal, SentenceAccepted};
use ledger::turn::{Answer, SentenceResult, ToolCall};
use ledger::{Claim, ClaimId, Event, SentenceClaim, SentenceId};

impl Task {
    /// Answers a call that adds sentences to the narrative.
    pub(crate) fn record_narrative(
        &mut self,
        call: ToolCall,
        append: &mut Vec<Append>,
    ) -> Result<(), StepError> {
        if self.rejections_spent() {
            self.refuse_spent(call, append);
            return Ok(());
        }
        let claimed = match claims::sentences(&call.arguments) {
            Ok(claimed) => claimed,
            Err(error) => {
                self.refuse(call, Refusal::BadArguments, error.to_string(), append);
                return Ok(());
            }
        };
        if claimed.iter().all(|claim| self.notebook.told.contains(claim)) {
            let told = "these sentences are part of the narrative already".to_owned();
            self.refuse(call, Refusal::Repeated, told, append);
            return Ok(());
        }
        let mut sentences = Vec::new();
        for claim in claimed {
            sentences.push(match self.rejections_spent() {
                true => SentenceResult::NotJudged,
                false => self.sentence(&call, claim, append)?,
            });
        }
        self.answer(call, Answer::Sentences { sentences });
        Ok(())
    }

    /// Judges one sentence.
    fn sentence(
        &mut self,
        call: &ToolCall,
        stated: SentenceClaim,
        append: &mut Vec<Append>,
    ) -> Result<SentenceResult, StepError> {
        let ordinal = self.ordinals.take(Kind::Claim, self.turn, &call.call);
        let claim = ClaimId::assign(&self.setting.ids, self.id(), ordinal)?;
        let id = SentenceId::assign(&self.setting.ids, self.id(), ordinal)?;
        append.push(event(Event::ClaimSubmitted(ClaimSubmitted {
            claim,
            turn: self.turn,
            call: call.call.clone(),
            stated: Claim::Sentence(stated.clone()),
        })));
        let verdict = judge_sentence(&stated, id, &self.citable(), self.setting.telling);
        Ok(match verdict {
            SentenceVerdict::Told(told) => {
                self.turn_record.fruitful = true;
                self.notebook.told.push(stated);
                let sentence = told.into_entry();
                append.push(event(Event::SentenceAccepted(SentenceAccepted { claim, sentence })));
                SentenceResult::Accepted { sentence: id }
            }
            SentenceVerdict::Refused(rejection) => {
                self.reject(claim, rejection.clone(), append);
                SentenceResult::Rejected { rejection }
            }
        })
    }

    /// Returns what it may cite: its own nodes, and what was handed over to it.
    pub(crate) fn citable(&self) -> Known<'_> {
        let own = self.facts.iter().map(Citable::Fact);
        let own = own.chain(self.notebook.absences.iter().map(|(entry, _)| Citable::Absence(entry)));
        let own = own.chain(self.notebook.derivations.iter().map(|(entry, _)| Citable::Derivation(entry)));
        let handed = self.handed.iter().flat_map(|handed| {
            let facts = handed.facts.iter().map(Citable::Fact);
            let absences = handed.absences.iter().map(Citable::Absence);
            facts.chain(absences).chain(handed.derivations.iter().map(Citable::Derivation))
        });
        own.chain(handed).collect()
    }
}
