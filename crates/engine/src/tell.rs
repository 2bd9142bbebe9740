//! `tell`: statements of the story, each about a node of the task or one that was handed over to it, judged one by one and at once.

use crate::claims;
use crate::notes;
use crate::ordinals::Kind;
use crate::step::{Append, StepError};
use crate::task::{Task, event};
use ground::{StatementVerdict, judge_statement};
use ledger::event::{ClaimSubmitted, Refusal, StatementTold};
use ledger::turn::{Answer, StatementResult, ToolCall};
use ledger::{Claim, ClaimId, Event, StatementClaim, StatementId};

impl Task {
    /// Answers a call that adds statements to the story.
    pub(crate) fn tell(&mut self, call: ToolCall, append: &mut Vec<Append>) -> Result<(), StepError> {
        if self.setting.on_chapters && notes::is_on_chapter(&call.arguments) {
            self.comment_on_chapter(call, append);
            return Ok(());
        }
        if self.rejections_spent() {
            self.refuse_spent(call, append);
            return Ok(());
        }
        let claimed = match claims::statements(&call.arguments) {
            Ok(claimed) => claimed,
            Err(error) => {
                self.refuse(call, Refusal::BadArguments, error.to_string(), append);
                return Ok(());
            }
        };
        if claimed.iter().all(|claim| self.notebook.statements.contains(claim)) {
            let told = "these statements are told already".to_owned();
            self.refuse(call, Refusal::Repeated, told, append);
            return Ok(());
        }
        let mut statements = Vec::new();
        for claim in claimed {
            statements.push(match self.rejections_spent() {
                true => StatementResult::NotJudged,
                false => self.state(&call, claim, append)?,
            });
        }
        self.answer(call, Answer::Statements { statements });
        Ok(())
    }

    /// Judges one statement.
    fn state(
        &mut self,
        call: &ToolCall,
        stated: StatementClaim,
        append: &mut Vec<Append>,
    ) -> Result<StatementResult, StepError> {
        let ordinal = self.ordinals.take(Kind::Claim, self.turn, &call.call);
        let claim = ClaimId::assign(&self.setting.ids, self.id(), ordinal)?;
        let id = StatementId::assign(&self.setting.ids, self.id(), ordinal)?;
        append.push(event(Event::ClaimSubmitted(ClaimSubmitted {
            claim,
            turn: self.turn,
            call: call.call.clone(),
            stated: Claim::Statement(stated.clone()),
        })));
        let verdict = judge_statement(&stated, id, &self.citable());
        Ok(match verdict {
            StatementVerdict::Told { statement, left_out } => {
                self.turn_record.fruitful = true;
                self.notebook.statements.push(stated);
                let statement = statement.into_entry();
                append.push(event(Event::StatementTold(StatementTold { claim, statement })));
                StatementResult::Accepted { statement: id, left_out }
            }
            StatementVerdict::Refused(rejection) => {
                self.reject(claim, rejection.clone(), append);
                StatementResult::Rejected { rejection }
            }
        })
    }
}
