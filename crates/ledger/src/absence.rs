//! Absences: negative findings, in closed forms.
//!
//! An absence can be stated only about something that was searched completely.
//! A form says what is absent and where.
//! A tool's specification says which form its empty search can cover ([`Coverage`]), so that code decides.

mod coverage;
mod form;

use crate::event::InvocationEnded;
use crate::id::{AbsenceId, InvocationId};
use crate::record::{Defect, Gap};
use crate::tool::{Completeness, LEFT_UNREAD, Outcome};
pub use coverage::{Coverage, Listing};
pub use form::AbsenceForm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// The words for an absence that ignores a hive's transaction logs, wherever it is shown.
pub const AS_IT_STANDS: &str = "as it stands, without what its transaction logs hold";

/// The reason for reading a dirty hive as its file stands: there are no logs beside it.
pub const NO_LOGS: &str = "the hive is dirty, and no transaction logs stand beside it";

/// The reason, or its first words, for reading a dirty hive as its file stands although its logs are there.
pub const LOGS_NOT_APPLIED: &str = "transaction logs present and not applied";

/// What a search of a hive left unread, if that is only the contents of its transaction logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadLogs {
    /// The file was read as it stands: the hive is dirty, and there are no logs beside it.
    Missing,
    /// The file was read as it stands: the hive is dirty, and its logs were not applied.
    NotApplied,
    /// A log could not be read to its end: the searched state is not the file as it stands, or missing logs are not the only reason.
    InPart,
}

impl UnreadLogs {
    /// Checks whether the hive file was searched as it stands.
    pub const fn is_as_it_stands(self) -> bool {
        matches!(self, UnreadLogs::Missing | UnreadLogs::NotApplied)
    }
}

/// Returns what a call left unread of the logs of `hive`, from its gaps and defects; `None` if it left anything else unread.
pub fn unread_logs(hive: &str, gaps: &[Gap], defects: &[Defect]) -> Option<UnreadLogs> {
    let is_log = |path: &str| {
        let (begin, rest) = path.split_at_checked(hive.len()).unwrap_or_default();
        begin == hive && [".log", ".log1", ".log2"].iter().any(|end| rest.eq_ignore_ascii_case(end))
    };
    let of_hive = |gap: &Gap| {
        let after = gap.reason.strip_prefix(LOGS_NOT_APPLIED);
        match gap.path == hive {
            true if gap.reason == NO_LOGS => Some(UnreadLogs::Missing),
            true if after.is_some_and(|after| after.is_empty() || after.starts_with(": ")) => {
                Some(UnreadLogs::NotApplied)
            }
            true | false => None,
        }
    };
    let of_logs = gaps.iter().all(|gap| is_log(&gap.path) || of_hive(gap).is_some())
        && defects.iter().all(|defect| is_log(&defect.path));
    match (gaps, defects) {
        ([], []) => None,
        ([gap], []) if of_hive(gap).is_some() => of_hive(gap),
        _ => of_logs.then_some(UnreadLogs::InPart),
    }
}

/// Returns the same for a call that ended empty and was cut short by nothing else.
pub fn unread_by(ended: &InvocationEnded) -> Option<UnreadLogs> {
    let hive = ended.normalised.as_ref()?.get("hive")?.as_str()?;
    let by_gaps = ended.notes.first().is_some_and(|note| note == LEFT_UNREAD);
    let is_whole = by_gaps || ended.completeness == Completeness::Complete;
    let is_empty = ended.outcome == Outcome::Empty && is_whole;
    unread_logs(hive, &ended.gaps, &ended.defects).filter(|_| is_empty)
}

/// The beginning of a search's note that names something similar to the thing it did not find.
pub const NEAR: &str = "near it, and not it: ";

/// The most similar things that an absence names.
pub const MOST_NEAR: usize = 8;

/// Returns the entry that replaces similar things for which an absence has no room.
pub fn more_near(number: usize) -> String {
    format!("{number} more things near it")
}

/// Returns the similar things that a search's notes name.
pub fn near_in(notes: &[String]) -> impl Iterator<Item = &str> {
    notes.iter().filter_map(|note| note.strip_prefix(NEAR))
}

/// What is claimed to be absent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case", deny_unknown_fields)]
pub enum Absence {
    /// No file or folder of this name is below a folder.
    File {
        /// The name as written, or a pattern of names, or a pattern of paths from the root of the evidence.
        name: String,
        /// The folder; empty for a whole piece of evidence.
        #[serde(default)]
        under: String,
        /// The label of the evidence; `None` for all evidence of the case.
        #[serde(default)]
        evidence: Option<String>,
        /// Similar things, added by code: names that read the same, deleted entries, streams. A claim has none.
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
        /// Whether the absence excludes keys that are only in the transaction logs: the hive is dirty and was read as its file stands.
        /// Since format 2.22.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        as_it_stands: bool,
        /// Similar things, added by code: values of that name, keys that read the same. A claim has none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        near: Vec<String>,
    },
    /// No file below a folder contains this text in its bytes, as UTF-8 or UTF-16LE.
    /// It does not cover other encodings, or compressed or encrypted data.
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
    /// The event logs of a channel hold no event with one of these ids. It does not cover the time before and after the reach of the logs.
    Events {
        /// The channel, ignoring letter case.
        channel: String,
        /// The provider of the events, ignoring letter case; `None` for any provider. Since format 2.22.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
        /// The ids.
        ids: BTreeSet<u32>,
        /// The first instant, RFC 3339; `None` for the beginning of the logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        /// The last instant; `None` for the end of the logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<String>,
        /// The label of the evidence; `None` for all evidence of the case.
        #[serde(default)]
        evidence: Option<String>,
        /// How far the logs reach: added by code from the task's own listing of them. A claim has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reach: Option<Reach>,
    },
}

/// How far the event logs of a channel reach, according to a listing of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reach {
    /// The listing.
    pub listed: InvocationId,
    /// The stretches without a hole: logs with consecutive record numbers form one stretch.
    pub stretches: Vec<Stretch>,
}

/// A period that the logs of a channel cover.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stretch {
    /// The label of the evidence.
    pub evidence: String,
    /// The earliest time of a record.
    pub first: String,
    /// The latest time of a record.
    pub last: String,
}

impl Absence {
    /// Returns the form.
    pub const fn form(&self) -> AbsenceForm {
        match self {
            Absence::File { .. } => AbsenceForm::File,
            Absence::RegistryKey { .. } => AbsenceForm::RegistryKey,
            Absence::Text { .. } => AbsenceForm::Text,
            Absence::Events { .. } => AbsenceForm::Events,
        }
    }

    /// Returns the label of the evidence that it is about; `None` for all evidence.
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
    /// Checks whether it is about a hive file as it stands, without its transaction logs:
    /// then it does not say that the key is absent from the host.
    pub fn is_as_it_stands(&self) -> bool {
        matches!(self, Absence::RegistryKey { as_it_stands: true, .. })
    }

    /// Says in words what shows it.
    pub fn shown_by(&self) -> &'static str {
        match self.is_as_it_stands() {
            true => "shown of the hive's file by empty searches that left its transaction logs unread",
            false => "shown by complete, empty searches",
        }
    }

    /// Returns the similar things, if its form has them.
    pub fn near(&self) -> &[String] {
        match self {
            Absence::File { near, .. } | Absence::RegistryKey { near, .. } => near,
            Absence::Text { .. } | Absence::Events { .. } => &[],
        }
    }

    /// Sets the similar things, each once, and at most [`MOST_NEAR`]: if there are more, the last entry says how many.
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
            Absence::RegistryKey { hive, key, as_it_stands, .. } => {
                write!(f, "no key {key:?} in the hive {hive:?}")?;
                if *as_it_stands {
                    write!(f, " {AS_IT_STANDS}")?;
                }
            }
            Absence::Text { text, under, .. } => {
                write!(f, "no text {text:?} (as UTF-8 or UTF-16LE) in files under {}", place(under))?
            }
            Absence::Events { channel, provider, ids, from, to, .. } => {
                let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
                write!(f, "no event {}", ids.join(", "))?;
                provider.iter().try_for_each(|provider| write!(f, " of the provider {provider:?}"))?;
                write!(f, " in the channel {channel:?}")?;
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

/// A claim that something is absent, with the searches that should show it.
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
    /// The searches; each of them covers the whole absence.
    pub searches: Vec<InvocationId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const HIVE: &str = "C/config/SYSTEM";

    fn gap(path: &str, reason: &str) -> Gap {
        Gap { path: path.into(), reason: reason.into() }
    }

    fn defect(path: &str) -> Defect {
        Defect { path: path.into(), offset: Some(4), what: "not applied from here on".into() }
    }

    #[test]
    fn only_the_logs_of_the_very_hive_may_be_unread() {
        let not_applied = |rest: &str| gap(HIVE, &format!("{LOGS_NOT_APPLIED}{rest}"));
        for (gaps, defects, expected) in [
            (vec![], vec![], None),
            (vec![gap(HIVE, NO_LOGS)], vec![], Some(UnreadLogs::Missing)),
            (vec![not_applied("")], vec![], Some(UnreadLogs::NotApplied)),
            (vec![not_applied(": C/config/SYSTEM.LOG1: bad")], vec![], Some(UnreadLogs::NotApplied)),
            (vec![not_applied(" at all")], vec![], None),
            (vec![gap(HIVE, "unreadable")], vec![], None),
            (vec![gap("C/config/SOFTWARE", NO_LOGS)], vec![], None),
            (vec![gap("C/config/SYSTEM.LOG2", "unreadable")], vec![], Some(UnreadLogs::InPart)),
            (vec![gap("C/config/SYSTEM.LOG3", "unreadable")], vec![], None),
            (vec![], vec![defect("C/config/SYSTEM.log")], Some(UnreadLogs::InPart)),
            (vec![], vec![defect(HIVE)], None),
            (vec![gap(HIVE, NO_LOGS)], vec![defect(HIVE)], None),
            (vec![not_applied("")], vec![defect("C/config/SYSTEM.LOG1")], Some(UnreadLogs::InPart)),
            (vec![gap(HIVE, NO_LOGS), gap("C/b.txt", "unreadable")], vec![], None),
        ] {
            assert_eq!(unread_logs(HIVE, &gaps, &defects), expected, "{gaps:?} {defects:?}");
        }
    }
}
