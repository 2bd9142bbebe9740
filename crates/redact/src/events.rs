//! Withholding in the events of a log.
//!
//! An event is redacted as the JSON that it is stored as: whatever text it holds now or in a later format is met.
//! What a type does not let be a text (ids, digests, words of closed lists) shows itself when the event is read again, and stays.

use crate::outputs::RedactedOutputs;
use crate::profile::Profile;
use crate::text::Redactor;
use crate::{Events, MARK, facts, free_name, mark_of};
use aho_corasick::BuildError;
use graph::FoldError;
use ledger::canonical::CanonicalError;
use ledger::event::{ClaimAccepted, Stored};
use ledger::{Digest, Event, FactId, OutputError};
use serde::ser::Error;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Why a run cannot be redacted: nothing is shown then.
#[derive(Debug, Error)]
pub enum RedactError {
    /// There are too many values to be sought.
    #[error("prepare the search for what is withheld")]
    Search(#[source] BuildError),
    /// A redacted output has no stored form.
    #[error("write an output without what is withheld")]
    Output(#[source] OutputError),
    /// An event has no form in which what is withheld can be left out.
    #[error("leave out what is withheld of {what} at position {position}")]
    Event {
        /// Its position in the log.
        position: usize,
        /// Its name.
        what: &'static str,
        /// What its reader said.
        #[source]
        source: serde_json::Error,
    },
    /// A fact has no canonical form.
    #[error("commit to the facts of the run")]
    Canonical(#[source] CanonicalError),
    /// What is left is no run.
    #[error("fold what is left of the run")]
    Fold(#[source] FoldError),
}

/// The events as they may be told.
pub(crate) struct Told {
    pub(crate) events: Events,
    /// The members of each fact that are not told as they were recorded.
    pub(crate) withheld: BTreeMap<FactId, BTreeSet<String>>,
}

pub(crate) fn redact(
    events: &Events,
    redactor: &Redactor,
    outputs: &RedactedOutputs,
    profile: &Profile,
) -> Result<Told, RedactError> {
    let walk = Walk { redactor, stand_ins: &outputs.stand_ins, profile };
    let mut told = Told { events: Vec::with_capacity(events.len()), withheld: BTreeMap::new() };
    for (position, (stream, event, circumstance)) in events.iter().enumerate() {
        let failed = |source| RedactError::Event { position, what: event.name(), source };
        let shown = match event {
            // Its fact is a matter of fields, not of texts alone.
            Event::ClaimAccepted(accepted) => {
                let (fact, withheld) = facts::fact(&accepted.fact, redactor, outputs, profile);
                told.withheld.insert(fact.id, withheld);
                let healing = walk.redact(&accepted.healing).map_err(failed)?;
                Event::ClaimAccepted(Box::new(ClaimAccepted { claim: accepted.claim, fact, healing }))
            }
            // Nothing of these is shown, and there are many.
            Event::TurnRequested(_) | Event::TurnReplied(_) => event.clone(),
            event => walk.redact(event).map_err(failed)?,
        };
        told.events.push((*stream, shown, walk.redact(circumstance).map_err(failed)?));
    }
    Ok(told)
}

/// What is withheld of values of any type.
struct Walk<'w> {
    redactor: &'w Redactor,
    stand_ins: &'w BTreeMap<Digest, Digest>,
    profile: &'w Profile,
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Member(String),
    Item(usize),
}

/// A change of one text.
#[derive(Debug, Clone)]
struct Edit {
    place: Vec<Step>,
    /// Whether the name of the last member is meant, and not its value.
    name: bool,
    text: String,
}

/// Members in which every name and text is somebody's own.
const FREE: [&str; 2] = ["arguments", "normalised"];
/// Members that say what is ours, whole: rules, tools, what proves what.
const OURS: [&str; 5] = ["rules", "vocabulary", "writers", "tools", "format"];
/// Members whose texts are names of ours where they are words of ours.
const NAMES: [&str; 12] = [
    "predicate",
    "field",
    "kind",
    "tool",
    "agent",
    "objective",
    "id",
    "record",
    "strategy",
    "answered",
    "earlier",
    "fields",
];

impl Walk<'_> {
    /// The value without what is withheld of it.
    fn redact<T: Stored + Clone>(&self, value: &T) -> Result<T, serde_json::Error> {
        let tree = tree(value)?;
        let mut edits = Vec::new();
        self.collect(&tree, &mut Vec::new(), false, &mut edits);
        if edits.is_empty() {
            return Ok(value.clone());
        }
        if let Ok(read) = applied(&tree, &edits) {
            return Ok(read);
        }
        // One of them stands where the type takes no text of anybody's: such a place says nothing of the evidence.
        let reads = |edit: &Edit| applied::<T>(&tree, std::slice::from_ref(edit)).is_ok();
        let kept: Vec<Edit> = edits
            .into_iter()
            .filter_map(|edit| match reads(&edit) {
                true => Some(edit),
                // Names of runs have letters and hyphens only.
                false => Some(Edit { text: edit.text.replace(MARK, "withheld"), ..edit }).filter(reads),
            })
            .collect();
        applied(&tree, &kept)
    }

    fn collect(&self, value: &Value, place: &mut Vec<Step>, free: bool, edits: &mut Vec<Edit>) {
        match value {
            Value::String(text) => {
                let changed = match self.is_ours(text, place, free) {
                    true => None,
                    false => self.digest(text).or_else(|| match is_label(place.last()) {
                        true => self.redactor.label(text),
                        false => self.redactor.changed(text),
                    }),
                };
                edits.extend(changed.map(|text| Edit { place: place.clone(), name: false, text }));
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.push(Step::Item(index));
                    self.collect(item, place, free, edits);
                    place.pop();
                }
            }
            Value::Object(members) => self.collect_members(members, place, free, edits),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn collect_members(
        &self,
        members: &Map<String, Value>,
        place: &mut Vec<Step>,
        free: bool,
        edits: &mut Vec<Edit>,
    ) {
        let claimed = members.get("field").and_then(Value::as_str);
        // The condition of an objective names a field, too, and asks for values of it.
        let asks = place.last() == Some(&Step::Member("condition".to_owned()));
        let claimed = claimed.filter(|field| !free && !asks && self.profile.names_field(field));
        let labels = is_label(place.last());
        for (name, member) in members.iter().filter(|(name, _)| free || !OURS.contains(&name.as_str())) {
            place.push(Step::Member(name.clone()));
            let text = member.as_str().filter(|text| name == "value" && !self.profile.excepts(text));
            match claimed.filter(|_| text.is_some()) {
                Some(field) => {
                    let mark = if self.redactor.words.contains(field) { mark_of(field) } else { MARK.into() };
                    edits.push(Edit { place: place.clone(), name: false, text: mark });
                }
                None => self.collect(member, place, free || FREE.contains(&name.as_str()), edits),
            }
            let told = if labels { self.redactor.label(name) } else { self.redactor.changed(name) };
            if let Some(text) = told.filter(|_| !self.redactor.words.contains(name)) {
                edits.push(Edit { place: place.clone(), name: true, text });
            }
            place.pop();
        }
    }

    /// Whether a text is a word of ours in a place of such words.
    fn is_ours(&self, text: &str, place: &[Step], free: bool) -> bool {
        let mut names = place.iter().rev().filter_map(|step| match step {
            Step::Member(name) => Some(name.as_str()),
            Step::Item(_) => None,
        });
        let (last, before) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        let named = NAMES.contains(&last) || (last == "name" && matches!(before, "agent" | "roster"));
        !free && named && self.redactor.words.contains(text)
    }

    fn digest(&self, text: &str) -> Option<String> {
        let digest: Digest = text.parse().ok()?;
        self.stand_ins.get(&digest).map(Digest::to_string)
    }
}

/// Whether a label of evidence stands in this member, or is the name of what it holds.
fn is_label(step: Option<&Step>) -> bool {
    matches!(step, Some(Step::Member(name)) if name == "evidence" || name == "label")
}

/// The stored form of a value, to be looked into.
pub(crate) fn tree(value: &impl Stored) -> serde_json::Result<Value> {
    serde_json::from_slice(&value.to_stored().map_err(serde_json::Error::custom)?)
}

/// What is read of a tree with these changes.
fn applied<T: Stored>(tree: &Value, edits: &[Edit]) -> serde_json::Result<T> {
    T::from_stored(&serde_json::to_vec(&changed(tree, edits))?)
}

/// The tree with these changes.
fn changed(tree: &Value, edits: &[Edit]) -> Value {
    let mut tree = tree.clone();
    // Texts first: a place is found by the names that members had before.
    for edit in edits.iter().filter(|edit| !edit.name) {
        if let Some(there) = edit.place.iter().try_fold(&mut tree, stepped) {
            *there = Value::String(edit.text.clone());
        }
    }
    // The innermost names first, for the same reason.
    let mut names: Vec<&Edit> = edits.iter().filter(|edit| edit.name).collect();
    names.sort_by_key(|edit| std::cmp::Reverse(edit.place.len()));
    for edit in names {
        let Some((Step::Member(name), of)) = edit.place.split_last() else { continue };
        let Some(Value::Object(members)) = of.iter().try_fold(&mut tree, stepped) else { continue };
        if let Some(member) = members.remove(name) {
            let free = free_name(edit.text.clone(), |name| members.contains_key(name));
            members.insert(free, member);
        }
    }
    tree
}

fn stepped<'v>(value: &'v mut Value, step: &Step) -> Option<&'v mut Value> {
    match step {
        Step::Member(name) => value.get_mut(name),
        Step::Item(index) => value.get_mut(index),
    }
}
