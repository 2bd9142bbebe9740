//! What switches single entries off: the task manager (`StartupApproved`) and `LoadAppInit_DLLs`.

use super::locations::Location;
use crate::approval::{self, APPROVED, Approval};
use crate::registry_artifact::draft::{Draft, number};
use crate::registry_artifact::reader::Reader;
use crate::registry_artifact::values::{Held, Values};
use artifacts::registry::{Key, ValueData};
use ledger::{ByteSpan, FieldValue, Time};
use std::collections::BTreeMap;

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
        // No place in the table starts a number or raw bytes.
        if matches!(held.value.data, ValueData::Dword(_) | ValueData::Qword(_) | ValueData::Bytes) {
            return State::Disabled { by: "type", since: None };
        }
        let Some(stored) = self.approved.get(&held.value.name.to_ascii_lowercase()) else {
            return State::Plain;
        };
        match Approval::read(&stored.value.raw) {
            Some(Approval::Off { since }) => {
                State::Disabled { by: APPROVED, since: since.map(|ticks| (ticks, stored.part(4, 8))) }
            }
            Some(Approval::On) => State::Enabled(stored.part(0, 1)),
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
    Some(format!("{top}{}", approval::key(list)))
}
