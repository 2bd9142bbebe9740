//! What switches single entries off: the task manager (`StartupApproved`) and `LoadAppInit_DLLs`.
//!
//! An entry of `StartupApproved` has twelve bytes: a number that is odd where the entry is off, and the time at which it was switched off.
//! Source: observed by Microsoft's own tools; described by Yogesh Khatri and in Sysinternals Autoruns.

use super::locations::Location;
use crate::registry_artifact::draft::{Draft, number};
use crate::registry_artifact::reader::Reader;
use crate::registry_artifact::values::{Held, Values};
use artifacts::registry::Key;
use ledger::{ByteSpan, FieldValue, Time};
use std::collections::BTreeMap;

const APPROVED: &str = "StartupApproved";

/// What is stored of the entries of one key.
#[derive(Default)]
pub(super) struct Switches<'h> {
    /// By the name of the entry in lower case.
    approved: BTreeMap<String, Held<'h>>,
    /// Whether no DLL of the key is loaded.
    not_loaded: bool,
}

/// Whether an entry starts.
pub(super) enum State {
    /// Nothing is stored of it: it starts.
    Plain,
    /// It is said to start.
    Enabled(Option<ByteSpan>),
    /// It does not start.
    Disabled { by: &'static str, since: Option<(u64, Option<ByteSpan>)> },
}

impl<'h> Switches<'h> {
    /// What is stored for the key of a location, with these values.
    pub(super) fn of(
        reader: &mut Reader<'_, 'h>,
        location: &Location,
        key: &Key<'h>,
        values: &Values<'h>,
    ) -> Switches<'h> {
        if location.name == "app_init_dlls" {
            let not_loaded = values.get("LoadAppInit_DLLs").and_then(number) == Some(0);
            return Switches { approved: BTreeMap::new(), not_loaded };
        }
        let Some(path) = approved(location, key) else { return Switches::default() };
        let Some((_, values)) = reader.key_and_values(&path) else { return Switches::default() };
        let named = values.0.into_iter().map(|held| (held.value.name.to_ascii_lowercase(), held));
        Switches { approved: named.collect(), not_loaded: false }
    }

    /// The state of one value.
    pub(super) fn state(&self, held: &Held<'_>) -> State {
        if self.not_loaded && held.value.name.eq_ignore_ascii_case("AppInit_DLLs") {
            return State::Disabled { by: "LoadAppInit_DLLs", since: None };
        }
        let Some(stored) = self.approved.get(&held.value.name.to_ascii_lowercase()) else {
            return State::Plain;
        };
        let raw = &stored.value.raw;
        match raw.first() {
            Some(first) if first & 1 == 1 => {
                let ticks =
                    raw.get(4..).and_then(|rest| rest.first_chunk()).map(|ticks| u64::from_le_bytes(*ticks));
                let since = ticks.filter(|ticks| *ticks != 0).map(|ticks| (ticks, stored.part(4, 8)));
                State::Disabled { by: APPROVED, since }
            }
            Some(_) => State::Enabled(stored.part(0, 1)),
            None => State::Plain,
        }
    }
}

impl State {
    /// Adds the fields of the state.
    pub(super) fn tell(self, draft: Draft) -> Draft {
        match self {
            State::Plain => draft,
            State::Enabled(at) => draft.set("approved", FieldValue::Name("enabled".to_owned()), at),
            State::Disabled { by, since } => {
                let draft = draft.set("disabled_by", FieldValue::Name(by.to_owned()), None);
                let (time, at) = since.unzip();
                let time = time.map(|ticks| FieldValue::Time(Time::from_filetime(ticks)));
                draft.maybe("disabled_at", time, at.flatten())
            }
        }
    }
}

/// Where the task manager stores the state of the entries of a Run key: in the same hive, those of 32 bits by themselves.
fn approved(location: &Location, key: &Key<'_>) -> Option<String> {
    if location.name != "run" {
        return None;
    }
    let lower = key.path.to_ascii_lowercase();
    let list = if lower.contains("wow6432node\\") { "Run32" } else { "Run" };
    let top = if lower.starts_with("software\\") { "Software\\" } else { "" };
    Some(format!("{top}Microsoft\\Windows\\CurrentVersion\\Explorer\\{APPROVED}\\{list}"))
}
