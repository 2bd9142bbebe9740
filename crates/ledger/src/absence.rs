//! Absences: negative findings, in closed forms.
//!
//! That something is not there can be stated only of what was searched to the end.
//! A form says what is absent and where; which tool's empty search can cover which form is part of the tool's specification ([`Coverage`]), so that code decides.

use crate::id::{AbsenceId, InvocationId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How a note of a search begins that names what is near the thing that was not found.
pub const NEAR: &str = "near it, and not it: ";

/// The most things near it that an absence names.
pub const MOST_NEAR: usize = 8;

/// What stands in place of things near it for which an absence has no room.
pub fn more_near(number: usize) -> String {
    format!("{number} more things near it")
}

/// What notes of a search name as near the thing that was not found.
pub fn near_in(notes: &[String]) -> impl Iterator<Item = &str> {
    notes.iter().filter_map(|note| note.strip_prefix(NEAR))
}

/// What is said to be absent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case", deny_unknown_fields)]
pub enum Absence {
    /// No file or folder of this name stands under a folder.
    File {
        /// The name as it is written, or a pattern of names, or of paths from the root of the evidence.
        name: String,
        /// The folder; empty for a whole piece of evidence.
        #[serde(default)]
        under: String,
        /// The label of the evidence; `None` for all evidence of the case.
        #[serde(default)]
        evidence: Option<String>,
        /// What is near it, added by code: names that read the same, deleted entries, streams. A claim has none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        near: Vec<String>,
    },
    /// A hive has no such key.
    RegistryKey {
        /// The path of the hive.
        hive: String,
        /// The path of the key from the root of the hive.
        key: String,
        /// The label of the evidence; `None` for all evidence of the case.
        #[serde(default)]
        evidence: Option<String>,
        /// What is near it, added by code: values of that name, keys that read the same. A claim has none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        near: Vec<String>,
    },
    /// No file under a folder contains this text in its bytes, as UTF-8 or UTF-16LE; nothing is said of other encodings, and of what is compressed or encrypted.
    Text {
        /// The text.
        text: String,
        /// The folder or file; empty for a whole piece of evidence.
        #[serde(default)]
        under: String,
        /// The label of the evidence; `None` for all evidence of the case.
        #[serde(default)]
        evidence: Option<String>,
    },
    /// The event logs of a channel hold no event with one of these ids; of the time before and after what they reach nothing is said.
    Events {
        /// The channel, letter case aside.
        channel: String,
        /// The ids.
        ids: BTreeSet<u32>,
        /// The first instant, RFC 3339; `None`: from where the logs begin.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        /// The last instant; `None`: to where the logs end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<String>,
        /// The label of the evidence; `None` for all evidence of the case.
        #[serde(default)]
        evidence: Option<String>,
        /// How far the logs reach: added by code, from the task's own listing of them. A claim has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reach: Option<Reach>,
    },
}

/// How far the event logs of a channel reach, by a listing of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reach {
    /// The listing.
    pub listed: InvocationId,
    /// The stretches without a hole: logs whose records are numbered on from each other are one.
    pub stretches: Vec<Stretch>,
}

/// A piece of time of which the logs of a channel tell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stretch {
    /// The label of the evidence.
    pub evidence: String,
    /// The earliest time of a record.
    pub first: String,
    /// The latest.
    pub last: String,
}

/// The form of an [`Absence`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each variant is documented at the variant of `Absence` of the same name")]
pub enum AbsenceForm {
    File,
    RegistryKey,
    Text,
    Events,
}

impl AbsenceForm {
    /// Every form.
    pub const ALL: [AbsenceForm; 4] =
        [AbsenceForm::File, AbsenceForm::RegistryKey, AbsenceForm::Text, AbsenceForm::Events];

    /// The name that stands in claims.
    pub const fn name(self) -> &'static str {
        match self {
            AbsenceForm::File => "file",
            AbsenceForm::RegistryKey => "registry_key",
            AbsenceForm::Text => "text",
            AbsenceForm::Events => "events",
        }
    }
}

impl Absence {
    /// The form.
    pub const fn form(&self) -> AbsenceForm {
        match self {
            Absence::File { .. } => AbsenceForm::File,
            Absence::RegistryKey { .. } => AbsenceForm::RegistryKey,
            Absence::Text { .. } => AbsenceForm::Text,
            Absence::Events { .. } => AbsenceForm::Events,
        }
    }

    /// The label of the evidence that it speaks of; `None` for all of it.
    pub fn evidence(&self) -> Option<&str> {
        match self {
            Absence::File { evidence, .. }
            | Absence::RegistryKey { evidence, .. }
            | Absence::Text { evidence, .. }
            | Absence::Events { evidence, .. } => evidence.as_deref(),
        }
    }
}

impl Absence {
    /// What is near it, where its form has that.
    pub fn near(&self) -> &[String] {
        match self {
            Absence::File { near, .. } | Absence::RegistryKey { near, .. } => near,
            Absence::Text { .. } | Absence::Events { .. } => &[],
        }
    }

    /// Puts in what is near it, each once, and no more than [`MOST_NEAR`]: the last of them tells how many others there are.
    pub fn set_near<'n>(&mut self, found: impl Iterator<Item = &'n str>) {
        match self {
            Absence::File { near, .. } | Absence::RegistryKey { near, .. } => {
                let distinct: BTreeSet<&str> = found.collect();
                let named = if distinct.len() > MOST_NEAR { MOST_NEAR - 1 } else { distinct.len() };
                let others = Some(distinct.len() - named).filter(|others| *others > 0);
                let named = distinct.into_iter().take(named).map(str::to_owned);
                *near = named.chain(others.map(more_near)).collect();
            }
            Absence::Text { .. } | Absence::Events { .. } => {}
        }
    }
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Absence::File { name, under, .. } => write!(f, "no file {name:?} under {}", place(under))?,
            Absence::RegistryKey { hive, key, .. } => write!(f, "no key {key:?} in the hive {hive:?}")?,
            Absence::Text { text, under, .. } => {
                write!(f, "no text {text:?} (as UTF-8 or UTF-16LE) in files under {}", place(under))?
            }
            Absence::Events { channel, ids, from, to, .. } => {
                let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
                write!(f, "no event {} in the channel {channel:?}", ids.join(", "))?;
                from.iter().try_for_each(|from| write!(f, " from {from}"))?;
                to.iter().try_for_each(|to| write!(f, " to {to}"))?;
            }
        }
        if let Some(label) = self.evidence() {
            write!(f, " of {label:?}")?;
        }
        match self {
            Absence::Events { reach: Some(reach), .. } => {
                let labels: BTreeSet<&str> = reach.stretches.iter().map(|it| it.evidence.as_str()).collect();
                let stretch = |it: &Stretch| match labels.len() {
                    0 | 1 => format!("from {} to {}", it.first, it.last),
                    _ => format!("from {} to {} (of {:?})", it.first, it.last, it.evidence),
                };
                let stretches: Vec<String> = reach.stretches.iter().map(stretch).collect();
                write!(f, ", whose logs go {}", stretches.join(", and "))
            }
            Absence::File { near, .. } | Absence::RegistryKey { near, .. } if !near.is_empty() => {
                write!(f, "; near it is {}", near.join(", "))
            }
            Absence::File { .. }
            | Absence::RegistryKey { .. }
            | Absence::Text { .. }
            | Absence::Events { .. } => Ok(()),
        }
    }
}

fn place(under: &str) -> String {
    if under.is_empty() { "the root".to_owned() } else { format!("{under:?}") }
}

/// A claim that something is absent, with the searches that shall show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbsenceClaim {
    /// What is absent.
    pub absence: Absence,
    /// The ids of the searches, as the agent wrote them.
    pub searches: Vec<String>,
}

/// An absence that complete, empty searches cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbsenceEntry {
    /// Its id.
    pub id: AbsenceId,
    /// What is absent.
    pub absence: Absence,
    /// The searches, each of which covers all of it.
    pub searches: Vec<InvocationId>,
}

/// Which absences an empty, complete call of a tool shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// The form.
    pub form: AbsenceForm,
    /// The arguments that stand for the members of the form, by member.
    pub members: BTreeMap<String, String>,
    /// Arguments that must have had this value, since another one searches less.
    pub required: BTreeMap<String, Value>,
    /// Arguments that do not narrow a search that found nothing.
    pub free: Vec<String>,
    /// The listing that says how far the searched logs reach; `None` where the form needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<Listing>,
}

/// A call that lists event logs, each with its channel and the times of its first and last record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// The tool.
    pub tool: String,
    /// The type of its records, with the fields `channel`, `first` and `last`.
    pub kind: String,
    /// The argument that names the evidence; without it, all evidence is listed.
    pub evidence: String,
    /// Arguments that must have had this value, since another one lists less.
    pub required: BTreeMap<String, Value>,
    /// Arguments that leave nothing out of a complete listing.
    pub free: Vec<String>,
}

impl Listing {
    /// Whether a call of the tool by these arguments lists all logs of the evidence with this label, or of all evidence.
    pub fn lists(&self, tool: &str, arguments: &Value, evidence: Option<&str>) -> bool {
        let leaves_nothing_out = |(name, value): (&String, &Value)| {
            value.is_null()
                || self.required.get(name).is_some_and(|required| required == value)
                || (*name == self.evidence && value.as_str() == evidence)
                || self.free.contains(name)
        };
        tool == self.tool && arguments.as_object().is_some_and(|given| given.iter().all(leaves_nothing_out))
    }
}
