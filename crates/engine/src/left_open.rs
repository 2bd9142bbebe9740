//! A lead is held to its case: when it wants to end, it is told which questions of the case are open, and asked to hand them out.
//!
//! What it leaves open all the same stays open, and is asked by code before the run is sealed.

use crate::dispatch::tool_name;
use crate::recovery::PhaseEnd;
use crate::step::{Append, Command, StepError};
use crate::task::Task;
use ledger::event::{CaseQuestion, Phase};
use ledger::{Handed, ToolClass};
use std::collections::BTreeMap;
use std::fmt::Write;

/// How often a lead is asked.
const MOST_ASKED: u32 = 3;

impl Task {
    /// Asks a lead that wants to end about what is open; `None` where nothing is, or it was asked often enough.
    pub(crate) fn ask_for_open(
        &mut self,
        end: PhaseEnd,
        append: &mut Vec<Append>,
    ) -> Result<Option<Command>, StepError> {
        let wants_to_end = match end {
            PhaseEnd::Stopped | PhaseEnd::NothingToRecord => true,
            PhaseEnd::TurnsSpent => false,
        };
        let can_hand_out = self.phase.phase == Phase::Investigate
            && self.phase.surface.contains(&ToolClass::Dispatch)
            && self.dispatched < self.setting.rules.dispatch.tasks;
        if !wants_to_end || !can_hand_out || self.asked_for_open >= MOST_ASKED {
            return Ok(None);
        }
        let open: Vec<&CaseQuestion> = self.open().collect();
        if open.is_empty() {
            return Ok(None);
        }
        let text = told(&open, self.asked_for_open + 1);
        self.asked_for_open += 1;
        self.say(text);
        self.ask(append).map(Some)
    }

    /// Whether a lead has questions of the case open.
    pub(crate) fn leaves_open(&self) -> bool {
        self.is_lead() && self.open().next().is_some()
    }

    fn open(&self) -> impl Iterator<Item = &CaseQuestion> {
        self.setting.case_questions.iter().filter(|question| self.is_open(question))
    }

    /// Whether no task that it handed out has closed a question, and no fact of any answers it.
    fn is_open(&self, question: &CaseQuestion) -> bool {
        !self.handed.iter().any(|handed| {
            handed.facts.iter().any(|fact| question.objective.is_answered_by(fact))
                || closes(handed, question)
        })
    }
}

/// Whether a task had a question and closed it.
fn closes(handed: &Handed, question: &CaseQuestion) -> bool {
    let results = handed.agent.objectives.iter().zip(&handed.objectives);
    handed.agent.name == question.agent
        && results
            .into_iter()
            .any(|(objective, result)| objective.is_same_as(&question.objective) && !result.is_unmet())
}

fn told(open: &[&CaseQuestion], asked: u32) -> String {
    let mut of_agents: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for question in open {
        let line = format!("{} ({})", question.objective.id, question.objective.question);
        of_agents.entry(tool_name(&question.agent)).or_default().push(line);
    }
    let mut text = format!("{} questions of the case are still open:\n", open.len());
    for (tool, questions) in of_agents {
        let _ = writeln!(text, "- {tool}: {}", questions.join("; "));
    }
    let _ = write!(
        text,
        "Hand them out with these tools, as far as they can still be answered. \
         What you leave open is shown as left open by you, and code asks it before the run is sealed. \
         This is reminder {asked} of {MOST_ASKED}: to leave them open, stop again."
    );
    text
}
