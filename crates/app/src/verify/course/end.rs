//! Computes again from its events how a task ended.

use super::{Course, Wrong};
use ledger::event::{Spent, TaskEnded, TaskStatus};

impl Course<'_> {
    pub(super) fn end(&self, ended: &TaskEnded) -> Result<(), Wrong> {
        let spent = self.spent();
        if ended.spent != spent {
            return Err("the budget that ended it is not the one that was spent");
        }
        if ended.status != self.status(spent) {
            return Err("its status is not that of its objectives and budgets");
        }
        self.stand(&ended.objectives)?;
        self.own_stand(&ended.own)?;
        if (ended.facts as usize, ended.rejections) != (self.facts.len(), self.rejections) {
            return Err("its numbers are not those of its events");
        }
        Ok(())
    }

    /// Returns the first budget that ended a phase.
    fn spent(&self) -> Option<Spent> {
        let most = self.log.opened.rules.budgets.rejected_claims;
        let refused = self.charged > 0 && self.charged >= most && !self.turn.calls.is_empty();
        match () {
            () if self.cut_short => Some(Spent::Turns),
            () if self.time_spent => Some(Spent::WallTime),
            () if self.purse_spent.is_some() => self.purse_spent,
            () if self.failed || self.cancelled => None,
            () if refused => Some(Spent::RejectedClaims),
            () if self.turn.ends_the_phase() => None,
            () => Some(Spent::Turns),
        }
    }

    fn status(&self, spent: Option<Spent>) -> TaskStatus {
        let met = !self.assigned.agent.objectives.iter().any(|objective| self.is_unmet(objective));
        let met = met && self.is_answered();
        let nothing = self.facts.is_empty() && self.reported.is_empty();
        match (self.failed, met, spent.is_some() && nothing) {
            _ if self.cancelled => TaskStatus::Cancelled,
            (true, ..) => TaskStatus::ModelFailed,
            (false, true, _) => TaskStatus::Completed,
            (false, false, true) => TaskStatus::BudgetSpent,
            (false, false, false) => TaskStatus::Incomplete,
        }
    }
}
