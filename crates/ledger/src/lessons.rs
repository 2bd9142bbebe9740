//! What lessons of earlier runs say about a call: one implementation for code that makes a call, refuses it, or checks that it was refused.
//!
//! A lesson changes how something is searched for, never whether:
//! no lesson refuses a search that a question needs to count as searched.

use crate::agent::Objective;
use crate::call_form::{KnownTool, same_call};
use crate::remembered::{LessonRule, Refuses, RememberedLesson};
use crate::searched::SearchedBy;
use crate::tool::{ToolClass, ToolSpec};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The argument with which an agent insists on a call.
const REASON: &str = "reason";
/// The most characters of a reason.
const LONGEST: usize = 500;

/// The lessons that an agent is told, with the tools and questions they are compared with.
#[derive(Debug, Clone, Default)]
pub struct Lessons {
    told: Vec<RememberedLesson>,
    tools: BTreeMap<String, KnownTool>,
    questions: Vec<Objective>,
}

impl Lessons {
    /// Makes the lessons of an agent with these tools and questions.
    pub fn new<'t>(
        told: &[RememberedLesson],
        tools: impl IntoIterator<Item = &'t ToolSpec>,
        questions: &[Objective],
    ) -> Lessons {
        let tools = tools.into_iter().filter(|spec| {
            spec.class == ToolClass::Investigate
                && told.iter().any(|lesson| lesson.tool.as_ref() == Some(&spec.name))
        });
        Lessons {
            told: told.to_vec(),
            tools: tools.map(|spec| (spec.name.clone(), KnownTool::of(spec))).collect(),
            questions: questions.to_vec(),
        }
    }

    /// Checks whether any lesson may refuse a call.
    pub fn may_refuse(&self) -> bool {
        self.told.iter().any(|lesson| self.is_bound(lesson))
    }

    /// Checks whether a lesson advises against calls of an available tool.
    fn is_bound(&self, lesson: &RememberedLesson) -> bool {
        let is_there = lesson.tool.as_ref().is_some_and(|tool| self.tools.contains_key(tool));
        lesson.rule == LessonRule::MustNot && lesson.refuses.is_some() && is_there
    }

    /// Returns the questions of the agent.
    pub fn questions(&self) -> &[Objective] {
        &self.questions
    }

    /// Returns the lessons that advise against a call, in order; none if a question needs the call.
    pub fn against(&self, tool: &str, arguments: &Map<String, Value>) -> Vec<&RememberedLesson> {
        let Some(known) = self.tools.get(tool) else { return Vec::new() };
        let is_meant = |lesson: &&RememberedLesson| {
            self.is_bound(lesson)
                && lesson.tool.as_deref() == Some(tool)
                && match lesson.refuses {
                    Some(Refuses::Form) => known.form(tool, arguments).told() == lesson.arguments,
                    Some(Refuses::Call(call)) => call == same_call(tool, arguments),
                    None => false,
                }
        };
        let against: Vec<_> = self.told.iter().filter(is_meant).collect();
        if against.is_empty() || is_needed(&self.questions, tool, arguments) { Vec::new() } else { against }
    }

    /// Returns the index of the first lesson that prefers a call; `None` if no lesson does.
    pub fn preference(&self, tool: &str, arguments: &Map<String, Value>) -> Option<usize> {
        let known = self.tools.get(tool)?;
        let form = known.form(tool, arguments).told();
        self.told.iter().position(|lesson| {
            let is_choice = |(name, value): &(&String, &String)| {
                known.choices(name).is_some_and(|choices| choices.contains(*value))
            };
            let mut choices = lesson.arguments.iter().filter(is_choice).peekable();
            // A call that reads the same source is as good; a call without choices must be exactly this one.
            let is_like = match choices.peek() {
                Some(_) => choices.all(|(name, value)| form.get(name) == Some(value)),
                None => form == lesson.arguments,
            };
            lesson.rule == LessonRule::ShouldPrefer && lesson.tool.as_deref() == Some(tool) && is_like
        })
    }

    /// Checks whether an agent can insist on calls of the tool.
    pub fn takes_reason(&self, tool: &str) -> bool {
        let has_own = self.tools.get(tool).is_none_or(|known| known.choices(REASON).is_some());
        let is_meant =
            |lesson: &RememberedLesson| lesson.tool.as_deref() == Some(tool) && self.is_bound(lesson);
        !has_own && self.told.iter().any(is_meant)
    }

    /// Returns the tool as offered: if its calls may be refused, with the argument for insisting on a call.
    #[must_use]
    pub fn offered(&self, mut spec: ToolSpec) -> ToolSpec {
        if self.takes_reason(&spec.name)
            && let Some(properties) = spec.arguments.get_mut("properties").and_then(Value::as_object_mut)
        {
            let meaning = "only for a call that a lesson of earlier runs refused: why it should work now";
            properties.insert(REASON.to_owned(), json!({"type": "string", "description": meaning}));
        }
        spec
    }

    /// Returns the arguments of a call as its tool gets them, and the agent's reason for insisting on it.
    pub fn without_reason(&self, tool: &str, arguments: &Value) -> (Value, Option<String>) {
        let mut arguments = arguments.clone();
        let given = match arguments.as_object_mut() {
            Some(members) if self.takes_reason(tool) => members.remove(REASON),
            _ => None,
        };
        let reason = given.as_ref().and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        (arguments, reason.map(|text| text.chars().take(LONGEST).collect()))
    }
}

/// Adds to the arguments of a call the reason for insisting on it.
pub fn insisting(arguments: &mut Map<String, Value>, reason: &str) {
    arguments.insert(REASON.to_owned(), Value::String(reason.to_owned()));
}

/// Checks whether a call is a search that one of these questions needs to count as searched.
pub fn is_needed(questions: &[Objective], tool: &str, arguments: &Map<String, Value>) -> bool {
    let given = Value::Object(arguments.clone());
    let is_it = |search: &SearchedBy| {
        let each = search.sources.as_ref().and_then(|sources| sources.each.as_ref());
        let is_each = each.is_some_and(|each| {
            let is_wanted = |(name, value): (&String, &Value)| arguments.get(name) == Some(value);
            each.tool == tool && each.arguments.iter().all(is_wanted)
        });
        search.is(tool, &given) || is_each
    };
    questions.iter().flat_map(Objective::all_searched).any(is_it)
}
