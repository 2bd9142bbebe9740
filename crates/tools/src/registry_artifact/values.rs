//! The values of one key, each with the damage of its own.

use crate::hive_file;
use artifacts::registry::{self, Value, ValueData};
use evidence::EvidencePath;
use ledger::{ByteSpan, Defect};
use std::collections::BTreeMap;
use std::ops::Range;

/// The values of one key in stored order.
#[derive(Default)]
pub(crate) struct Values<'h>(pub(crate) Vec<Held<'h>>);

/// A value with what is wrong in its record and its data.
pub(crate) struct Held<'h> {
    pub(crate) value: Value<'h>,
    pub(crate) defects: Vec<Defect>,
}

impl<'h> Values<'h> {
    /// The value of this name, letter case of ASCII aside; `""` is the default value.
    pub(crate) fn get(&self, name: &str) -> Option<&Held<'h>> {
        self.0.iter().find(|held| held.value.name.eq_ignore_ascii_case(name))
    }

    /// Hands each value the damage that lies in it; what remains belongs to the key.
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

/// Where one text of a list stands, without its NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item(pub(crate) ByteSpan);

impl Item {
    /// What stands behind so many UTF-16 units.
    pub(crate) fn behind(self, units: usize) -> Option<ByteSpan> {
        let skipped = (units as u64).checked_mul(2)?;
        let length = self.0.length.checked_sub(skipped)?;
        Some(ByteSpan::new(self.0.offset.checked_add(skipped)?, length))
    }
}

/// Where damage of a value can lie: in its record, whose name follows 20 fixed bytes and is named by its start, and in its data.
fn places(value: &Value<'_>) -> impl Iterator<Item = Range<u64>> {
    let record = value.offset..value.offset.saturating_add(0x15);
    let data = |extent: &registry::Extent| extent.offset..extent.offset.saturating_add(extent.length.max(1));
    std::iter::once(record).chain(value.data_extents.iter().map(data))
}

/// Takes the damage at a place out of what is left.
fn take(left: &mut BTreeMap<Option<u64>, Vec<registry::Defect>>, place: Range<u64>) -> Vec<registry::Defect> {
    let at: Vec<_> = left.range(Some(place.start)..Some(place.end)).map(|(at, _)| *at).collect();
    at.into_iter().filter_map(|at| left.remove(&at)).flatten().collect()
}

impl Held<'_> {
    /// Where the data stands, where it stands in one piece.
    pub(crate) fn at(&self) -> Option<ByteSpan> {
        match self.value.data_extents.as_slice() {
            [one] => Some(ByteSpan::new(one.offset, one.length)),
            _ => None,
        }
    }

    /// Where a part of the data stands, where that part stands in one piece: large data is stored in several.
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

    /// Where each text of a list stands, where all data stands in one piece.
    pub(crate) fn items(&self) -> Vec<Option<Item>> {
        let ValueData::MultiText(texts) = &self.value.data else { return Vec::new() };
        let mut at = 0u64;
        let place = |text: &String| {
            // An unpaired surrogate was replaced by one unit for one.
            let length = text.encode_utf16().count() as u64 * 2;
            let item = self.part(at, length).map(Item);
            at = at.saturating_add(length).saturating_add(2);
            item
        };
        texts.iter().map(place).collect()
    }
}
