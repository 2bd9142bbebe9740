//! Makes a lead attend to its case: when it wants to end, it is told which questions of the case are open, and asked to assign them.
//!
//! Questions that it still leaves open stay open, and code searches for their answers before the run is sealed.

use crate::arguments::{Arguments, Malformed};
use crate::dispatch::tool_name;
use crate::recovery::PhaseEnd;
use crate::step::{Append, Command, StepError};
use crate::task::{Task, event};
use crate::tools::DECLINE;
use ledger::event::{CaseQuestion, Phase, QuestionsDeclined, Refusal};
use ledger::turn::{Answer, ToolCall};
use ledger::{Event, Handed, ToolClass};
use std::collections::BTreeMap;
use std::fmt::Write;

/// How often a lead is asked.
const MOST_ASKED: u32 = 3;

/// The most characters of a reason for leaving questions open.
const LONGEST_REASON: usize = 1000;

impl Task {
    /// Asks a lead that wants to end about open questions; `None` if there are none, or it was asked often enough.
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
        let is_declined = |it: &CaseQuestion| {
            self.declined.iter().any(|(agent, id)| (agent, id) == (&it.agent, &it.objective.id))
        };
        let open: Vec<&CaseQuestion> = self.open().filter(|question| !is_declined(question)).collect();
        if open.is_empty() {
            return Ok(None);
        }
        let can_decline = self.setting.offers(&self.assigned.agent, &self.phase.surface, DECLINE);
        let text = told(&open, self.asked_for_open + 1, can_decline);
        self.asked_for_open += 1;
        self.say(text);
        self.ask(append).map(Some)
    }

    /// Handles a lead's call that leaves questions of the case open and gives the reason.
    pub(crate) fn decline(&mut self, call: ToolCall, append: &mut Vec<Append>) {
        match self.declining(&call) {
            Ok(declined) => {
                self.turn_record.fruitful = true;
                let named = declined.questions.iter().map(|id| (declined.agent.clone(), id.clone()));
                self.declined.extend(named);
                append.push(event(Event::QuestionsDeclined(declined)));
                let text = "noted; they stay open, and code asks them before the run is sealed".to_owned();
                self.answer(call, Answer::Noted { text });
            }
            Err(told) => self.refuse(call, Refusal::BadArguments, told, append),
        }
    }

    /// Reads what a call declines; each question must be an open one of the case.
    fn declining(&self, call: &ToolCall) -> Result<QuestionsDeclined, String> {
        let said = |malformed: Malformed| malformed.to_string();
        let arguments = Arguments::of(&call.arguments, &["agent", "questions", "reason"]).map_err(said)?;
        let text = |member| arguments.text(member).map(str::trim).map_err(said);
        let (named, reason) = (tool_name(text("agent")?.trim_start_matches("agent_")), text("reason")?);
        if reason.is_empty() || reason.chars().count() > LONGEST_REASON {
            return Err(format!("reason: expected a text of at most {LONGEST_REASON} characters"));
        }
        let of_agent: Vec<&CaseQuestion> =
            self.setting.case_questions.iter().filter(|it| tool_name(&it.agent) == named).collect();
        let Some(agent) = of_agent.first().map(|it| it.agent.clone()) else {
            return Err(match self.setting.case_questions.is_empty() {
                true => {
                    "nothing to decline: this run is not swept, and asks nobody about what is open".to_owned()
                }
                false => "agent: expected an agent that has questions of the case".to_owned(),
            });
        };
        let questions: Vec<String> =
            arguments.texts("questions").map_err(said)?.into_iter().map(str::to_owned).collect();
        let open = || of_agent.iter().filter(|it| self.is_open(it));
        let is_known = |id: &String| open().any(|it| it.objective.id == *id);
        match questions.iter().find(|id| !is_known(id)) {
            None if questions.is_empty() => Err("questions: expected names of questions".to_owned()),
            None => {
                let (turn, call, reason) = (self.turn, call.call.clone(), reason.to_owned());
                Ok(QuestionsDeclined { turn, call, agent, questions, reason })
            }
            Some(_) => {
                let known: Vec<&str> = open().map(|it| it.objective.id.as_str()).collect();
                Err(format!("questions: expected some that are open: {}", known.join(", ")))
            }
        }
    }

    /// Checks whether a lead has open questions of the case.
    pub(crate) fn leaves_open(&self) -> bool {
        self.is_lead() && self.open().next().is_some()
    }

    fn open(&self) -> impl Iterator<Item = &CaseQuestion> {
        self.setting.case_questions.iter().filter(|question| self.is_open(question))
    }

    /// Checks whether a question is open: no task that the lead assigned has closed it, and no task's fact answers it.
    fn is_open(&self, question: &CaseQuestion) -> bool {
        !self.handed.iter().any(|handed| {
            handed.facts.iter().any(|fact| question.objective.is_answered_by(fact))
                || closes(handed, question)
        })
    }
}

/// Checks whether a task had a question and closed it.
fn closes(handed: &Handed, question: &CaseQuestion) -> bool {
    let results = handed.agent.objectives.iter().zip(&handed.objectives);
    handed.agent.name == question.agent
        && results
            .into_iter()
            .any(|(objective, result)| objective.is_same_as(&question.objective) && !result.is_unmet())
}

fn told(open: &[&CaseQuestion], asked: u32, can_decline: bool) -> String {
    let mut of_agents: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for question in open {
        let line = format!("{} ({})", question.objective.id, question.objective.question);
        of_agents.entry(tool_name(&question.agent)).or_default().push(line);
    }
    let mut text = format!("{} questions of the case are still open:\n", open.len());
    for (tool, questions) in of_agents {
        let _ = writeln!(text, "- {tool}: {}", questions.join("; "));
    }
    let decline = if can_decline {
        " Where you will not, say why with decline_questions: that is shown beside them as your reason."
    } else {
        ""
    };
    let _ = write!(
        text,
        "Hand them out with these tools, as far as they can still be answered.{decline} \
         What you leave open is shown as left open by you, and code asks it before the run is sealed. \
         This is reminder {asked} of {MOST_ASKED}: to leave them open, stop again."
    );
    text
}
