//! Why a call returned no records: derived from its outcome and its notes with a table (`data/causes.toml`).

use crate::pattern::Patterns;
use crate::tool::Outcome;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Why a call returned no records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// There is nothing at the path that it names.
    NoSuchPath,
    /// The hive has no such key.
    NoSuchKey,
    /// The evidence has no source that could hold what it asks for.
    NoSource,
    /// It was not allowed to run, or to read.
    AccessDenied,
    /// The thing that it reads is of a kind that the tool does not support.
    Unsupported,
    /// The thing that it reads is there but cannot be read.
    Unreadable,
    /// The tool could not make sense of its arguments.
    Arguments,
}

impl Cause {
    /// Returns the cause for a call with this outcome and these notes; `None` if they do not show one.
    pub fn of(outcome: Outcome, notes: &[String]) -> Option<Cause> {
        match outcome {
            Outcome::Denied => return Some(Cause::AccessDenied),
            Outcome::Ok | Outcome::Timeout => return None,
            Outcome::Failed | Outcome::Empty => {}
        }
        let told = |known: &&Known| notes.iter().any(|note| known.notes.fit(note));
        TABLE.cause.iter().find(told).map(|known| known.is)
    }

    /// Checks whether the cause is one of access: the data may be there, or other evidence may have it.
    /// Then nothing follows from the call about the examined computer.
    pub const fn is_access(self) -> bool {
        match self {
            Cause::AccessDenied | Cause::Unreadable | Cause::NoSource => true,
            Cause::NoSuchPath | Cause::NoSuchKey | Cause::Unsupported | Cause::Arguments => false,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    cause: Vec<Known>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    is: Cause,
    notes: Patterns,
}

/// The embedded table. A test reads it, so it is never empty.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("../data/causes.toml")).unwrap_or_default());

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(note: &str) -> Option<Cause> {
        Cause::of(Outcome::Failed, &["first of all".to_owned(), note.to_owned()])
    }

    #[test]
    fn what_tools_say_of_their_failures_tells_the_cause() {
        for (note, expected) in [
            ("no such entry: \"p1/a.txt\" (is p2/a.txt of e meant?)", Cause::NoSuchPath),
            ("no key \"Software\\\\X\"; the deepest key on that way is \"Software\"", Cause::NoSuchKey),
            ("no hive of type SAM was found, so nothing can be said of what it would hold", Cause::NoSource),
            ("read p1/a: Permission denied (os error 13)", Cause::AccessDenied),
            ("p1/a begins as none of the formats that are decoded here: evtx", Cause::Unsupported),
            ("p1/SAM is not a hive that can be read: open hive: file needs more", Cause::Unreadable),
            ("read p1/a: byte 5: expected 9 bytes, found 2", Cause::Unreadable),
            ("argument \"limit\": expected 1 to 10, found 11", Cause::Arguments),
        ] {
            assert_eq!(cause(note), Some(expected), "{note}");
        }
        assert_eq!(cause("looked at 5 files"), None);
    }

    #[test]
    fn how_a_call_ended_comes_before_what_is_said_of_it() {
        let notes = ["no such entry: \"a\"".to_owned()];
        assert_eq!(Cause::of(Outcome::Denied, &notes), Some(Cause::AccessDenied));
        assert_eq!(Cause::of(Outcome::Ok, &notes), None);
        assert_eq!(Cause::of(Outcome::Empty, &notes), Some(Cause::NoSuchPath));
    }

    #[test]
    fn an_absent_thing_is_no_matter_of_access() {
        assert!(Cause::AccessDenied.is_access() && !Cause::NoSuchPath.is_access());
    }
}
