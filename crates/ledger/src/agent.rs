//! Agents as data: who investigates, and with which objectives.

mod answered;

use crate::case::EvidenceKind;
use crate::fact::{BoundValue, FactEntry};
use crate::pattern::{self, Patterns};
use crate::placement::tells_of_host;
use crate::record::{Field, Record};
use crate::record_data::denies;
use crate::searched::SearchedBy;
use crate::tool::{Surface, ToolClass, ToolSpec};
use crate::value::FieldValue;
use crate::vocabulary::Predicate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A named investigator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSpec {
    /// Its name, such as `registry`.
    pub name: String,
    /// The description of its role, for the model.
    pub prompt: String,
    /// What it may use while it investigates.
    pub surface: Surface,
    /// The tools of its surface that it is offered; `None` for all. A model cannot misread a description that it is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<BTreeSet<String>>,
    /// What it should find out, in order.
    pub objectives: Vec<Objective>,
}

/// The tool that only agents with tasks to assign have, so that only one agent tells what all of them found.
const NARRATIVE: &str = "record_narrative";

impl AgentSpec {
    /// Checks whether the agent has this tool, if its surface has the tool's class.
    /// A lead has the tools for all agents of the run, whatever the agents are called, because it can assign tasks to each of them.
    pub fn has(&self, tool: &ToolSpec) -> bool {
        (self.tools.as_ref().is_none_or(|names| names.contains(&tool.name))
            || tool.class == ToolClass::Dispatch)
            && (tool.name != NARRATIVE || self.surface.contains(&ToolClass::Dispatch))
    }
}

/// The agent name for tasks that code runs over questions that agents left open ([`crate::event::TaskAssigned::sweep`]);
/// no agent has it.
pub const SWEEP: &str = "sweep";

/// Something to find out; code checks a condition to decide whether it is met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Objective {
    /// Its name, unique in the agent.
    pub id: String,
    /// The question, for people and models.
    pub question: String,
    /// The kind of evidence that can answer it; a run has the objective only if the case has such evidence. `None` for any kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies: Option<EvidenceKind>,
    /// How much its answer matters.
    #[serde(default, skip_serializing_if = "Weight::is_activity")]
    pub weight: Weight,
    /// What a fact must say to answer it.
    pub condition: Condition,
    /// Searches that show that there is no answer; each of them, empty and complete, is enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searched: Vec<SearchedBy>,
    /// Alternative answers: other sources say the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub or: Vec<Alternative>,
}

/// An alternative answer to an objective.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// What a fact must say.
    pub condition: Condition,
    /// Searches that show that no record says so, as in an objective.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searched: Vec<SearchedBy>,
}

/// A way to answer an objective: its own, or an alternative.
#[derive(Debug, Clone, Copy)]
pub struct Way<'o> {
    /// What a fact must say.
    pub condition: &'o Condition,
    /// Searches that show that no record says so.
    pub searched: &'o [SearchedBy],
}

/// How much the answer to an objective matters to readers of the report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// What the computer is and who uses it.
    Context,
    /// An activity that is usual on any computer.
    #[default]
    Activity,
    /// What an examiner wants to know first. Before [`crate::Behaviour::Questions`], a task was complete without an answer to it.
    Finding,
}

impl Weight {
    fn is_activity(&self) -> bool {
        *self == Weight::Activity
    }
}

impl Objective {
    /// Checks whether a task of a run before [`crate::Behaviour::Questions`] is incomplete without an answer.
    pub fn is_required(&self) -> bool {
        self.weight != Weight::Finding
    }

    /// Returns its own way, without alternatives: the only one before format 2.13.
    pub fn own_way(&self) -> Way<'_> {
        Way { condition: &self.condition, searched: &self.searched }
    }

    /// Returns all ways to answer it, its own first.
    pub fn ways(&self) -> impl Iterator<Item = Way<'_>> {
        let others = self.or.iter().map(|it| Way { condition: &it.condition, searched: &it.searched });
        std::iter::once(self.own_way()).chain(others)
    }

    /// Returns the first of its conditions that `fact` satisfies.
    pub fn satisfied_by(&self, fact: &FactEntry) -> Option<&Condition> {
        self.ways().map(|way| way.condition).find(|condition| condition.holds(fact))
    }

    /// Checks whether `fact` answers it.
    pub fn is_answered_by(&self, fact: &FactEntry) -> bool {
        self.satisfied_by(fact).is_some()
    }

    /// Checks whether both are the same question: they have the same name and the same conditions.
    pub fn is_same_as(&self, other: &Objective) -> bool {
        let conditions = self.ways().map(|way| way.condition);
        self.id == other.id && conditions.eq(other.ways().map(|way| way.condition))
    }

    /// Returns all searches of all ways.
    pub fn all_searched(&self) -> impl Iterator<Item = &SearchedBy> {
        self.ways().flat_map(|way| way.searched)
    }

    /// Checks whether evidence of these kinds can answer it.
    pub fn applies_to(&self, kinds: impl IntoIterator<Item = EvidenceKind>) -> bool {
        self.applies.is_none_or(|wanted| kinds.into_iter().any(|kind| kind == wanted))
    }
}

/// A condition over one fact; all members given must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The fact's predicate.
    pub predicate: Predicate,
    /// The type of its record.
    pub record: String,
    /// The pattern that its subject must match, or several of which one must match ([`crate::pattern`]).
    pub subject: Patterns,
    /// The pattern of a field that must be among the values, and not empty: a name, or `*address*` for any field with such a name.
    pub field: String,
    /// Patterns of which the value of that field must match one; `None` for any value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Patterns>,
    /// Values of that field that do not answer, such as the streams that Windows itself makes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless: Option<Patterns>,
    /// Two fields among the values that hold instants; the first must be earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<[String; 2]>,
}

impl Condition {
    /// Returns the values of `fact` in the fields that the condition asks for.
    pub fn answers<'f>(&self, fact: &'f FactEntry) -> impl Iterator<Item = &'f BoundValue> {
        let is_asked = |bound: &&BoundValue| pattern::fits(&self.field, &bound.field);
        fact.values.iter().filter(is_asked).filter(|bound| self.takes(&bound.value))
    }

    /// Checks whether `fact` satisfies the condition.
    pub fn holds(&self, fact: &FactEntry) -> bool {
        tells_of_host(fact.placement)
            && fact.predicate == self.predicate
            && fact.kind == self.record
            && self.subject.fit(&fact.subject.value.to_text())
            && self.answers(fact).any(|bound| !bound.value.to_text().is_empty())
            && self.earlier.as_ref().is_none_or(|fields| {
                let stated = |name: &str| fact.values.iter().find(|bound| bound.field == name);
                is_earlier(fields, |name| stated(name).map(|bound| &bound.value))
            })
    }

    /// Checks whether a reading of everything in `record` would satisfy the condition; `subject` is the subject field of its record type.
    ///
    /// In runs with [`crate::Behaviour::RecordsDeny`] (`records_deny`), a record that denies the predicate does not satisfy it.
    /// There, a record without its subject field satisfies it if any subject is allowed.
    pub fn would_hold(&self, record: &Record, subject: &str, records_deny: bool) -> bool {
        let text = |field: &Field| field.value.to_text().into_owned();
        let answers = |(name, field): (&String, &Field)| {
            let is_asked = pattern::fits(&self.field, name);
            is_asked && !text(field).is_empty() && self.takes(&field.value)
        };
        let fits = |field: &Field| self.subject.fit(&text(field));
        tells_of_host(record.placement)
            && record.kind == self.record
            && !(records_deny && denies(record, &self.predicate))
            && record.fields.get(subject).map_or(records_deny && self.subject.fit(""), fits)
            && record.fields.iter().any(answers)
            && self.earlier.as_ref().is_none_or(|fields| {
                is_earlier(fields, |name| record.fields.get(name).map(|field| &field.value))
            })
    }

    /// Checks whether a value of the requested field answers; one item of a list is enough.
    fn takes(&self, value: &FieldValue) -> bool {
        let takes = |text: &str| {
            self.value.as_ref().is_none_or(|patterns| patterns.fit(text))
                && !self.unless.as_ref().is_some_and(|patterns| patterns.fit(text))
        };
        let items = match value {
            FieldValue::List(items) => items.as_slice(),
            _ => &[],
        };
        takes(&value.to_text()) || items.iter().any(|item| takes(item))
    }
}

/// Checks whether both fields hold an instant and the first is earlier; a local time is not an instant.
pub fn is_earlier<'v>([first, second]: &[String; 2], value: impl Fn(&str) -> Option<&'v FieldValue>) -> bool {
    let instant = |field: &str| {
        let FieldValue::Time(time) = value(field)? else { return None };
        time.utc.filter(|_| time.zone.is_none())
    };
    instant(first)
        .zip(instant(second))
        .is_some_and(|(first, second)| first.unix_nanoseconds() < second.unix_nanoseconds())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ByteSpan, Digest, FactId, IdSpace, InvocationId, Locator, RecordId, Seed, TaskId, Tier, Time,
    };

    fn fact(values: &[(&str, FieldValue)]) -> FactEntry {
        let bound = |(field, value): &(&str, FieldValue)| BoundValue {
            field: (*field).to_owned(),
            value: value.clone(),
            quotation: None,
            tier: Tier::Exact,
            span: ByteSpan::new(0, 1),
            at: None,
            writer: None,
        };
        let ids = IdSpace::new(Seed(Digest::of(b"condition")));
        FactEntry {
            placement: None,
            id: FactId::assign(&ids, TaskId(1), 0).unwrap(),
            predicate: Predicate("present".into()),
            subject: bound(&("path", FieldValue::Path("p1/a.exe".into()))),
            values: values.iter().map(bound).collect(),
            invocation: InvocationId::assign(&ids, TaskId(1), 0).unwrap(),
            output: Digest::of(b"output"),
            record: RecordId(0),
            kind: "dir_entry".into(),
            locator: Locator { evidence: "e".into(), path: "p1/a.exe".into(), stream: None, span: None },
            shown: true,
        }
    }

    fn condition(field: &str) -> Condition {
        let (predicate, record) = (Predicate("present".into()), "dir_entry".to_owned());
        let subject = Patterns::from("*");
        Condition {
            predicate,
            record,
            subject,
            field: field.to_owned(),
            value: None,
            unless: None,
            earlier: None,
        }
    }

    #[test]
    fn an_order_of_times_holds_only_where_both_are_stated_in_it() {
        let earlier = Some(["born".to_owned(), "name_born".to_owned()]);
        let wanted = Condition { earlier, ..condition("name_born") };
        let time = |ticks| FieldValue::Time(Time::from_filetime(ticks));
        let (first, second) = (time(131_958_720_000_000_000), time(133_485_780_301_234_567));
        assert!(wanted.holds(&fact(&[("born", first.clone()), ("name_born", second.clone())])));
        for values in [
            vec![("name_born", second.clone())],
            vec![("born", second.clone()), ("name_born", first)],
            vec![("born", second.clone()), ("name_born", second)],
        ] {
            assert!(!wanted.holds(&fact(&values)), "{values:?}");
        }
    }

    #[test]
    fn only_a_value_that_fits_answers_where_one_is_asked_for() {
        let wanted = Condition { value: Some(Patterns::from("* -enc *")), ..condition("command_line") };
        let ran = |line: &str| fact(&[("command_line", FieldValue::Text(line.into()))]);
        assert!(wanted.holds(&ran("powershell -ENC AAAA")));
        assert!(!wanted.holds(&ran("powershell -file a.ps1")));
    }

    #[test]
    fn a_value_that_answers_nothing_meets_no_condition() {
        let unless = Some(Patterns::from("Zone.*"));
        let wanted = Condition { unless, ..condition("stream") };
        let stream = |name: &str| fact(&[("stream", FieldValue::Name(name.into()))]);
        assert!(wanted.holds(&stream("hidden.txt")));
        assert!(!wanted.holds(&stream("zone.identifier")));
    }
}
