//! Withholding values in the events of a log.
//!
//! An event is redacted in the JSON form in which it is stored, so any text it contains is covered, now or in a
//! later format.
//! Anything that its type does not allow to be an arbitrary text (ids, digests, words of closed lists) is
//! detected when the event is read again, and stays.

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
    /// There are too many values to search for.
    #[error("prepare the search for what is withheld")]
    Search(#[source] BuildError),
    /// A redacted output has no stored form.
    #[error("write an output without what is withheld")]
    Output(#[source] OutputError),
    /// An event cannot be stored without what is withheld.
    #[error("leave out what is withheld of {what} at position {position}")]
    Event {
        /// Its position in the log.
        position: usize,
        /// Its name.
        what: &'static str,
        /// The reader's error.
        #[source]
        source: serde_json::Error,
    },
    /// A fact has no canonical form.
    #[error("commit to the facts of the run")]
    Canonical(#[source] CanonicalError),
    /// The rest does not form a valid run.
    #[error("fold what is left of the run")]
    Fold(#[source] FoldError),
}

/// The events as they may be shown.
pub(crate) struct Told {
    pub(crate) events: Events,
    /// The members of each fact that are not shown as recorded.
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
            // For a fact, fields matter, not only texts.
            Event::ClaimAccepted(accepted) => {
                let (fact, withheld) = facts::fact(&accepted.fact, redactor, outputs, profile);
                told.withheld.insert(fact.id, withheld);
                let healing = walk.redact(&accepted.healing).map_err(failed)?;
                Event::ClaimAccepted(Box::new(ClaimAccepted { claim: accepted.claim, fact, healing }))
            }
            // Nothing in these is shown, and there are many.
            Event::TurnRequested(_) | Event::TurnReplied(_) => event.clone(),
            event => walk.redact(event).map_err(failed)?,
        };
        told.events.push((*stream, shown, walk.redact(circumstance).map_err(failed)?));
    }
    Ok(told)
}

/// Redacts values of any type.
struct Walk<'w> {
    redactor: &'w Redactor,
    stand_ins: &'w BTreeMap<Digest, Digest>,
    profile: &'w Profile,
}

/// One step of a path into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Member(String),
    Item(usize),
}

/// A change to one text.
#[derive(Debug, Clone)]
struct Edit {
    place: Vec<Step>,
    /// Whether it changes the name of the last member, rather than its value.
    name: bool,
    text: String,
}

/// Members in which every name and text was chosen by somebody else.
const FREE: [&str; 2] = ["arguments", "normalised"];
/// Members that are entirely our own: rules, tools, what proves what.
const OURS: [&str; 5] = ["rules", "vocabulary", "writers", "tools", "format"];
/// Members whose texts are left alone if they are words of our own vocabulary.
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
    /// Returns the value without what is withheld.
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
        // One of the edits is at a place where the type does not allow arbitrary text: such a place says nothing
        // about the evidence.
        let reads = |edit: &Edit| applied::<T>(&tree, std::slice::from_ref(edit)).is_ok();
        let kept: Vec<Edit> = edits
            .into_iter()
            .filter_map(|edit| match reads(&edit) {
                true => Some(edit),
                // Run names have only letters and hyphens.
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
        // The condition of an objective also names a field, and asks for values of it.
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

    /// Checks whether a text is a word of our own vocabulary in a place for such words.
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

/// Checks whether this member holds a label of evidence, or has one as its name.
fn is_label(step: Option<&Step>) -> bool {
    matches!(step, Some(Step::Member(name)) if name == "evidence" || name == "label")
}

/// Returns the stored form of a value, for inspection.
pub(crate) fn tree(value: &impl Stored) -> serde_json::Result<Value> {
    serde_json::from_slice(&value.to_stored().map_err(serde_json::Error::custom)?)
}

/// Reads a tree after making these changes.
fn applied<T: Stored>(tree: &Value, edits: &[Edit]) -> serde_json::Result<T> {
    T::from_stored(&serde_json::to_vec(&changed(tree, edits))?)
}

/// Returns the tree with these changes.
fn changed(tree: &Value, edits: &[Edit]) -> Value {
    let mut tree = tree.clone();
    // Texts first: places are found by the original member names.
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
