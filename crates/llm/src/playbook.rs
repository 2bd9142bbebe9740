//! The embedded model: a list of steps, kept as data.
//!
//! A step calls a tool, once or for each matching record of an earlier step, and may have records of the result recorded.
//! It decides nothing that is not in its file, and finds nothing that a tool did not return.

mod answering;
mod hunt;
mod lead;
mod lessons;
mod plan;
mod recovery;
mod run;
mod sweep;
mod template;

pub use answering::{AnsweringRows, answering};
pub use hunt::{HuntedRows, hunted};
pub use lead::{LeadPlan, PlannedHypothesis, PlannedStatement, PlannedTask};
pub use plan::{AbsenceRule, EntityRule, PlanError, RecordRule, Step, check};
pub use sweep::sweep;

use crate::model::{Model, Turning};
use lead::LeadRun;
use ledger::Digest;
use ledger::turn::{Reply, TurnRequest};
use run::Run;

/// The embedded model.
#[derive(Debug)]
pub struct Playbook {
    name: &'static str,
    digest: Digest,
    mind: Mind,
}

/// What decides the next reply.
#[derive(Debug)]
enum Mind {
    Steps(Box<Run>),
    Lead(Box<LeadRun>),
}

impl Playbook {
    /// Makes a playbook of these steps, which [`check`] has passed; `digest` is that of the file that they were read from.
    pub fn new(steps: Vec<Step>, digest: Digest) -> Playbook {
        Playbook { name: "playbook", digest, mind: Mind::Steps(Box::new(Run::new(steps))) }
    }

    /// Makes one from the steps of a sweep ([`sweep()`]), with a name of its own: no agent decided anything in it.
    pub fn sweeping(steps: Vec<Step>, digest: Digest) -> Playbook {
        Playbook { name: "sweep", ..Playbook::new(steps, digest) }
    }

    /// Makes one from the steps that record what team-supplied rules found ([`hunted`]).
    pub fn hunting(steps: Vec<Step>, digest: Digest) -> Playbook {
        Playbook { name: ledger::HUNT, ..Playbook::new(steps, digest) }
    }

    /// Makes one from the steps that record the answer to a question in words ([`answering()`]).
    pub fn answering(steps: Vec<Step>, digest: Digest) -> Playbook {
        Playbook { name: ledger::ASK, ..Playbook::new(steps, digest) }
    }

    /// Makes the playbook of a lead; `digest` is that of the file that it was read from.
    pub fn leading(plan: LeadPlan, digest: Digest) -> Playbook {
        Playbook { name: "playbook", digest, mind: Mind::Lead(Box::new(LeadRun::new(plan))) }
    }

    pub(crate) fn reply(&mut self, request: &TurnRequest) -> Reply {
        match &mut self.mind {
            Mind::Steps(run) => run.reply(request),
            Mind::Lead(lead) => lead.reply(request),
        }
    }
}

impl Model for Playbook {
    fn name(&self) -> &str {
        self.name
    }

    fn digest(&self) -> Option<Digest> {
        Some(self.digest)
    }

    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a> {
        let reply = self.reply(request);
        Box::pin(std::future::ready(Ok(reply)))
    }
}
