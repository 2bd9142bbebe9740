//! The values of one key, each with its own damage.

use crate::hive_file;
use artifacts::registry::{self, Value, ValueData};
use evidence::EvidencePath;
use ledger::{ByteSpan, Defect};
use std::collections::BTreeMap;
use std::ops::Range;

/// The values of one key in stored order.
#[derive(Default)]
pub(crate) struct Values<'h>(pub(crate) Vec<Held<'h>>);

/// A value, with the damage in its record and its data.
pub(crate) struct Held<'h> {
    pub(crate) value: Value<'h>,
    pub(crate) defects: Vec<Defect>,
}

impl<'h> Values<'h> {
    /// Returns the value of this name, ignoring ASCII case; `""` is the default value.
    pub(crate) fn get(&self, name: &str) -> Option<&Held<'h>> {
        self.0.iter().find(|held| held.value.name.eq_ignore_ascii_case(name))
    }

    /// Assigns to each value the damage that is in it; the rest belongs to the key.
    pub(crate) fn new(
        hive: &EvidencePath,
        values: Vec<Value<'h>>,
        defects: Vec<registry::Defect>,
    ) -> (Values<'h>, Vec<registry::Defect>) {
        let mut left: BTreeMap<Option<u64>, Vec<registry::Defect>> = BTreeMap::new();
        for defect in defects {
            left.entry(defect.offset).or_default().push(defect);
        }
        let held = values.into_iter().map(|value| {
            let own = places(&value).flat_map(|place| take(&mut left, place));
            let defects = own.map(|defect| hive_file::defect(hive, &defect)).collect();
            Held { value, defects }
        });
        let held = held.collect();
        (Values(held), left.into_values().flatten().collect())
    }
}

/// The place of one text of a list, without its NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item(pub(crate) ByteSpan);

impl Item {
    /// Returns the place after so many UTF-16 units.
    pub(crate) fn behind(self, units: usize) -> Option<ByteSpan> {
        let skipped = (units as u64).checked_mul(2)?;
        let length = self.0.length.checked_sub(skipped)?;
        Some(ByteSpan::new(self.0.offset.checked_add(skipped)?, length))
    }
}

/// Returns where damage of a value can be: in its record and in its data.
/// The record's name follows 20 fixed bytes, and damage in the name is reported at its start.
fn places(value: &Value<'_>) -> impl Iterator<Item = Range<u64>> {
    let record = value.offset..value.offset.saturating_add(0x15);
    let data = |extent: &registry::Extent| extent.offset..extent.offset.saturating_add(extent.length.max(1));
    std::iter::once(record).chain(value.data_extents.iter().map(data))
}

/// Removes the damage at a place from `left` and returns it.
fn take(left: &mut BTreeMap<Option<u64>, Vec<registry::Defect>>, place: Range<u64>) -> Vec<registry::Defect> {
    let at: Vec<_> = left.range(Some(place.start)..Some(place.end)).map(|(at, _)| *at).collect();
    at.into_iter().filter_map(|at| left.remove(&at)).flatten().collect()
}

impl Held<'_> {
    /// Returns the place of the data, if it is in one piece.
    pub(crate) fn at(&self) -> Option<ByteSpan> {
        match self.value.data_extents.as_slice() {
            [one] => Some(ByteSpan::new(one.offset, one.length)),
            _ => None,
        }
    }

    /// Returns the place of a part of the data, if that part is in one piece: large data is stored in several pieces.
    pub(crate) fn part(&self, offset: u64, length: u64) -> Option<ByteSpan> {
        let mut offset = offset;
        for extent in &self.value.data_extents {
            if offset < extent.length || (offset == extent.length && length == 0) {
                let part = ByteSpan::new(extent.offset.checked_add(offset)?, length);
                return (part.end() <= extent.offset.checked_add(extent.length)?).then_some(part);
            }
            offset -= extent.length;
        }
        None
    }

    /// Returns the place of each text of a list, if it is in one piece.
    pub(crate) fn items(&self) -> Vec<Option<Item>> {
        let ValueData::MultiText(texts) = &self.value.data else { return Vec::new() };
        let mut at = 0u64;
        let place = |text: &String| {
            // An unpaired surrogate was replaced by a single unit, so the length is right.
            let length = text.encode_utf16().count() as u64 * 2;
            let item = self.part(at, length).map(Item);
            at = at.saturating_add(length).saturating_add(2);
            item
        };
        texts.iter().map(place).collect()
    }
}
