//! The entries of a "most recently used" list, in their order.

use super::decoded::{damaged, place};
use super::draft::Draft;
use super::values::{Held, Values};
use artifacts::mru::{self, Order};
use artifacts::registry::{Key, ValueData};
use artifacts::{Damage, Located};
use ledger::{ByteSpan, FieldType, FieldValue, Time};

/// The declaration of the field `position`, which [`MruList::placed`] sets.
pub(crate) const POSITION: (&str, &[FieldType], &str) = (
    "position",
    &[FieldType::Integer],
    "place in the list, 0 for the most recent; none for an entry that the list no longer names",
);

/// The MRU list of a key: its entries, the most recently used first.
pub(crate) struct MruList<'v, 'h> {
    /// The value with the order, and its damage.
    list: Option<&'v Held<'h>>,
    damage: Vec<Damage>,
    entries: Vec<Entry<'v, 'h>>,
}

/// An entry.
#[derive(Clone)]
pub(crate) struct Entry<'v, 'h> {
    pub(crate) held: &'v Held<'h>,
    place: Option<Located<usize>>,
}

impl Entry<'_, '_> {
    /// Checks whether the list names the entry.
    pub(crate) fn is_placed(&self) -> bool {
        self.place.is_some()
    }
}

impl<'v, 'h> MruList<'v, 'h> {
    /// Reads `MRUListEx` or `MRUList` and sorts the entries by it, most recent first; entries that it does not name follow.
    pub(crate) fn of(values: &'v Values<'h>) -> MruList<'v, 'h> {
        let list = values.get("MRUListEx").or_else(|| values.get("MRUList"));
        let (order, damage) = match list.map(|held| &held.value.data) {
            Some(ValueData::Text(letters)) => mru::list(letters),
            Some(ValueData::Bytes) => mru::list_ex(list.map_or(&[], |held| &held.value.raw)),
            Some(
                ValueData::MultiText(_) | ValueData::Dword(_) | ValueData::Qword(_) | ValueData::Unreadable,
            )
            | None => (Order::default(), Vec::new()),
        };
        let entries = values.0.iter().filter(|held| is_entry(&held.value.name));
        let entry = |held| Entry { held, place: order.position(&held.value.name) };
        let mut entries: Vec<_> = entries.map(entry).collect();
        entries.sort_by_key(|entry| entry.place.as_ref().map_or(usize::MAX, |place| place.value));
        MruList { list, damage, entries }
    }

    /// Returns the entries, most recent first.
    pub(crate) fn entries(&self) -> &[Entry<'v, 'h>] {
        &self.entries
    }

    /// Adds the position of an entry, and for the most recent one the time at which it came to the front.
    ///
    /// That is when the key was last written: Windows writes the order whenever an entry comes to the front.
    /// The time says nothing about the other entries.
    pub(crate) fn placed(&self, draft: Draft, entry: &Entry<'_, '_>, key: &Key<'_>, time: &str) -> Draft {
        let first = self.entries.first().is_some_and(|first| std::ptr::eq(first.held, entry.held));
        let draft = match self.list {
            // The damage of the list is reported once.
            Some(list) if first => damaged(draft.own(list), list, &self.damage),
            Some(_) | None => draft,
        };
        let Some(found) = &entry.place else { return draft };
        let at = self.list.and_then(|list| place(list, found));
        let draft = draft.set("position", FieldValue::Integer(found.value as i128), at);
        if found.value == 0 { written(draft, time, key) } else { draft }
    }
}

/// Adds the time at which a key was last written, as a field.
pub(crate) fn written(draft: Draft, field: &str, key: &Key<'_>) -> Draft {
    let at = ByteSpan::new(key.last_written_offset, 8);
    draft.set(field, FieldValue::Time(Time::from_filetime(key.last_written.0)), Some(at))
}

/// Checks for the name of an entry: a number or one letter.
fn is_entry(name: &str) -> bool {
    let letter = name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    letter || (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()))
}
