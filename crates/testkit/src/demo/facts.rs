//! The planted facts, and where each of them is.

mod machine;
mod people;
mod server;
mod software;
mod traces;
mod volume;

use super::clock::Time;
use super::truth::{Datum, Fact, Place};

pub(crate) const SYSTEM: &str = "p1/Windows/System32/config/SYSTEM";
pub(crate) const SOFTWARE: &str = "p1/Windows/System32/config/SOFTWARE";
pub(crate) const SAM: &str = "p1/Windows/System32/config/SAM";
pub(crate) const MARA_HIVE: &str = "p1/Users/mara/NTUSER.DAT";
pub(crate) const ADMIN_HIVE: &str = "p1/Users/it-admin/NTUSER.DAT";

/// Returns all planted facts.
pub(crate) fn all() -> Vec<Fact> {
    [machine::all(), software::all(), people::all(), traces::all(), volume::all(), server::all()].concat()
}

fn text(text: &str) -> Datum {
    Datum::Text(text.to_owned())
}

fn time(time: Time) -> Datum {
    Datum::Instant(time)
}

/// The facts of one hive.
struct Hive {
    file: &'static str,
    facts: Vec<Fact>,
}

impl Hive {
    fn new(file: &'static str) -> Self {
        Self { file, facts: Vec::new() }
    }

    /// Adds a fact about one value.
    fn value(
        self,
        id: &'static str,
        question: &'static str,
        key: &str,
        name: &str,
        values: Vec<Datum>,
    ) -> Self {
        self.push(id, question, Place::Registry { key: key.to_owned(), value: Some(name.to_owned()) }, values)
    }

    /// Adds a fact about a key, with its values and its time.
    fn key(self, id: &'static str, question: &'static str, key: &str, values: Vec<Datum>) -> Self {
        self.push(id, question, Place::Registry { key: key.to_owned(), value: None }, values)
    }

    fn push(mut self, id: &'static str, question: &'static str, place: Place, values: Vec<Datum>) -> Self {
        self.facts.push(Fact { id, question, values, file: self.file.to_owned(), place });
        self
    }
}
