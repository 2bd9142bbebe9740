//! Questions that an agent adds to those it was given: the same code decides their status, and they affect nothing else.

use crate::arguments::{Arguments, Malformed};
use crate::criteria;
use crate::setting::Setting;
use crate::step::Append;
use crate::task::{Task, event};
use ledger::event::{ObjectiveAdded, Refusal};
use ledger::turn::{Answer, ToolCall};
use ledger::{Event, Objective, SearchedBy, Weight};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The member of a call with the question, and the member that says what answers it.
pub(crate) const QUESTION: &str = "question";
pub(crate) const ANSWERED_BY: &str = "answered_by";

/// The most questions that a task may add.
const MOST_OWN: usize = 16;

/// The most characters of a question.
const LONGEST_QUESTION: usize = 1_000;

/// The tool that searches all sources of a record type.
const RECORDS: &str = "records";

/// Checks whether a call adds a question of the agent's own.
pub(crate) fn is_question(arguments: &Value) -> bool {
    [QUESTION, ANSWERED_BY].iter().any(|name| arguments.get(name).is_some_and(|given| !given.is_null()))
}

impl Task {
    /// Adds a question of the agent's own.
    pub(crate) fn ask_itself(&mut self, call: ToolCall, append: &mut Vec<Append>) {
        let mut objective = match stated(&call.arguments, &self.setting) {
            Ok(objective) => objective,
            Err(malformed) => {
                return self.refuse(call, Refusal::BadArguments, malformed.to_string(), append);
            }
        };
        let same = |known: &&Objective| {
            known.question == objective.question && known.condition == objective.condition
        };
        if let Some(known) = self.own.iter().find(same) {
            let told = format!("this is asked already: {}", known.id);
            return self.refuse(call, Refusal::Repeated, told, append);
        }
        if self.own.len() >= MOST_OWN {
            let told = format!("a task asks itself {MOST_OWN} questions at most");
            return self.refuse(call, Refusal::BadArguments, told, append);
        }
        objective.id = self.free_name();
        let told = format!(
            "{}: a question of your own, marked as such; how it stands is told at the end, and answers no question of the case",
            objective.id
        );
        self.own.push(objective.clone());
        append.push(event(Event::ObjectiveAdded(ObjectiveAdded {
            turn: self.turn,
            call: call.call.clone(),
            objective,
        })));
        self.answer(call, Answer::Noted { text: told });
    }

    /// Returns a name that no objective of the task has.
    fn free_name(&self) -> String {
        let given = &self.assigned.agent.objectives;
        let is_taken = |name: &String| given.iter().chain(&self.own).any(|known| known.id == *name);
        let mut number = self.own.len() + 1;
        loop {
            let name = format!("own-{number}");
            match is_taken(&name) {
                true => number += 1,
                false => return name,
            }
        }
    }
}

/// Reads the question of a call, which has no name yet.
fn stated(arguments: &Value, setting: &Setting) -> Result<Objective, Malformed> {
    let mut others = arguments.as_object().into_iter().flatten();
    if others.any(|(name, value)| name == "statement" && !value.is_null()) {
        let expected = "an explanation or a question, not both";
        return Err(Malformed::new("statement", expected));
    }
    let members = Arguments::of(arguments, &[QUESTION, ANSWERED_BY, "statement"])?;
    let question = members.text(QUESTION)?.trim();
    if question.chars().count() > LONGEST_QUESTION {
        return Err(members.malformed(QUESTION, format!("a text of 1 to {LONGEST_QUESTION} characters")));
    }
    let none = json!({});
    let answered_by = members.get(ANSWERED_BY).unwrap_or(&none);
    let known = ["predicate", "record", "subject", "field", "value"];
    let condition = criteria::condition(&Arguments::at(answered_by, ANSWERED_BY, &known)?)?;
    let searched = searched(&condition.record, setting);
    let objective = Objective {
        id: String::new(),
        question: question.to_owned(),
        applies: None,
        weight: Weight::Activity,
        condition,
        searched,
        or: Vec::new(),
    };
    match criteria::fault(&objective, setting.specs(), &setting.vocabulary) {
        None => Ok(objective),
        Some(fault) => Err(Malformed::new(ANSWERED_BY, fault.to_string())),
    }
}

/// Returns the search that shows that nothing answers: of all records of the type, if a tool returns them.
fn searched(record: &str, setting: &Setting) -> Vec<SearchedBy> {
    let spec = setting.spec(RECORDS).filter(|spec| spec.records.iter().any(|kind| kind.name == record));
    let all = |_| SearchedBy {
        tool: RECORDS.to_owned(),
        arguments: BTreeMap::from([("record".to_owned(), json!(record))]),
        free: BTreeSet::from(["limit".to_owned()]),
        sources: None,
    };
    spec.map(all).into_iter().collect()
}
