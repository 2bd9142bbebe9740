//! An entry of the `$MFT` with all its attributes.

use super::bytes::{Reference, u16_at, u64_at};
use super::file_name::{NameRecord, four_times};
use super::record::{Attribute, Record};
use super::runs::Runs;
use super::stream::Stream;
use super::{NtfsDamage, Volume, guard};
use crate::read::Extent;
use crate::tree::MacbTimes;
use std::collections::BTreeMap;
use std::rc::Rc;

pub(crate) const STANDARD_INFORMATION: u32 = 0x10;
pub(super) const ATTRIBUTE_LIST: u32 = 0x20;
pub(super) const FILE_NAME: u32 = 0x30;
pub(super) const VOLUME_NAME: u32 = 0x60;
pub(super) const VOLUME_INFORMATION: u32 = 0x70;
pub(crate) const DATA: u32 = 0x80;
pub(crate) const INDEX_ROOT: u32 = 0x90;
pub(crate) const INDEX_ALLOCATION: u32 = 0xa0;
pub(crate) const BITMAP: u32 = 0xb0;
pub(crate) const REPARSE_POINT: u32 = 0xc0;

/// The most bytes of an attribute list; Windows writes at most 256 KiB.
const MAX_LIST: u64 = 256 << 10;

/// A base record and its extension records.
pub(crate) struct MftEntry {
    pub(crate) number: u64,
    pub(crate) sequence: u16,
    pub(crate) in_use: bool,
    pub(crate) is_directory: bool,
    pub(crate) links: u16,
    pub(super) records: Vec<Record>,
    /// The damage that is known without reading the values.
    pub(super) damage: Vec<NtfsDamage>,
    /// Whether an extension record is gone, or belongs to another file by now.
    pub(super) missing: bool,
}

/// The complete value of an attribute, however many pieces it is stored in.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    pub(crate) entry: u64,
    pub(crate) size: u64,
    /// Bytes from this offset on were never written and read as zeros.
    pub(crate) initialised: u64,
    /// Allocated clusters, in bytes.
    pub(crate) allocated: u64,
    pub(crate) encrypted: bool,
    /// Size of a compression unit in bytes; 0 if it is not compressed.
    pub(crate) unit: u64,
    pub(crate) stored: Stored,
}

impl Data {
    /// Checks whether some of its clusters are not stored anywhere.
    pub(crate) fn has_hole(&self) -> bool {
        match &self.stored {
            Stored::Resident(..) => false,
            Stored::Clusters(runs) => runs.iter().any(|(first, _)| first.is_none()),
        }
    }
}

/// Where a value is stored.
#[derive(Debug, Clone)]
pub(crate) enum Stored {
    /// In the record: its bytes, and their location on the medium.
    Resident(Vec<u8>, Vec<Extent>),
    /// In clusters.
    Clusters(Rc<Runs>),
}

pub(super) fn read(volume: &Volume, number: u64) -> Result<MftEntry, NtfsDamage> {
    let base = volume.record(number)?;
    if let Some(found) = base.base() {
        let what = "reference to a base record";
        return Err(NtfsDamage::Value { entry: number, what, expected: 0, found: found.entry });
    }
    let mut entry = MftEntry::of(base);
    if entry.attributes(ATTRIBUTE_LIST).next().is_some()
        && let Err(error) = entry.extend(volume)
    {
        entry.damage.push(error);
        entry.missing = true;
    }
    Ok(entry)
}

impl MftEntry {
    /// Creates the entry of a base record, without its extensions.
    pub(super) fn of(mut base: Record) -> MftEntry {
        MftEntry {
            number: base.number,
            sequence: base.sequence(),
            in_use: base.in_use(),
            is_directory: base.is_directory(),
            links: base.links(),
            damage: std::mem::take(&mut base.damage),
            missing: false,
            records: vec![base],
        }
    }

    /// Adds the extension records named in the attribute list.
    fn extend(&mut self, volume: &Volume) -> Result<(), NtfsDamage> {
        let Some(list) = self.data(volume, ATTRIBUTE_LIST, None)? else { return Ok(()) };
        let list = Stream::new(list, volume.place.clone()).read_value(MAX_LIST)?;
        let (others, damage) = listed(self.number, &list);
        self.damage.extend(damage);
        for reference in others.into_values() {
            match self.extension(volume, reference) {
                Ok(mut record) => {
                    self.damage.append(&mut record.damage);
                    self.records.push(record);
                }
                Err(error) => {
                    self.damage.push(error);
                    self.missing = true;
                }
            }
        }
        Ok(())
    }

    /// Returns an extension record, if it still belongs to this entry.
    fn extension(&self, volume: &Volume, reference: Reference) -> Result<Record, NtfsDamage> {
        let entry = reference.entry;
        let record = volume.record(entry)?;
        let wrong = |what, expected, found| Err(NtfsDamage::Value { entry, what, expected, found });
        let base = record.base().unwrap_or(Reference { entry: 0, sequence: 0 });
        if base.entry != self.number {
            return wrong("base of an extension record", self.number, base.entry);
        }
        if !base.is(self.sequence, self.in_use) {
            let (expected, found) = (self.sequence.into(), base.sequence.into());
            return wrong("sequence number of the base of an extension record", expected, found);
        }
        if !reference.is(record.sequence(), record.in_use()) {
            let (expected, found) = (reference.sequence.into(), record.sequence().into());
            return wrong("sequence number of an extension record", expected, found);
        }
        Ok(record)
    }

    /// Returns the attributes of a type.
    pub(super) fn attributes(&self, kind: u32) -> impl Iterator<Item = Attribute<'_>> {
        self.records.iter().flat_map(move |record| record.of_kind(kind))
    }

    /// Returns the bytes of `$STANDARD_INFORMATION`.
    pub(super) fn standard_information(&self) -> Option<Result<&[u8], NtfsDamage>> {
        let found = self.attributes(STANDARD_INFORMATION).next()?;
        Some(found.value().map(|(value, _)| value))
    }

    /// Returns the times of `$STANDARD_INFORMATION`; empty if it is missing or unreadable.
    pub(super) fn times(&self) -> MacbTimes {
        self.standard_information().and_then(Result::ok).map(four_times).unwrap_or_default()
    }

    /// Returns its `$FILE_NAME`s, in stored order; a damaged one is `None`.
    pub(super) fn names(&self) -> impl Iterator<Item = Option<NameRecord<'_>>> {
        self.attributes(FILE_NAME).map(|found| NameRecord::parse(found.value().ok()?.0))
    }

    /// Describes how many `$FILE_NAME`s are damaged, if any.
    pub(super) fn unsound_names(&self) -> Option<String> {
        let count = self.names().filter(Option::is_none).count();
        (count > 0).then(|| format!("MFT entry {}: {count} $FILE_NAME not sound", self.number))
    }

    /// Returns the streams with their sizes, each once; `None` is the main one. Damaged streams are returned as
    /// damage.
    pub(super) fn streams(&self) -> (Vec<(Option<String>, u64)>, Vec<NtfsDamage>) {
        let (mut streams, mut damage) = (Vec::new(), Vec::new());
        for found in self.attributes(DATA) {
            let size = match found.resident() {
                true => found.value().map(|(value, _)| Some(value.len() as u64)),
                // Further pieces have no size.
                false => found.clusters().map(|header| (header.first == 0).then_some(header.size)),
            };
            match found.name().and_then(|name| Ok((name, size?))) {
                Ok((name, Some(size))) => {
                    streams.push((name, size));
                }
                Ok((_, None)) => {}
                Err(error) => damage.push(error),
            }
        }
        streams.sort();
        streams.dedup_by(|a, b| a.0 == b.0);
        (streams, damage)
    }

    /// Returns the attribute of this type and name; `None` if the entry has none.
    pub(crate) fn data(
        &self,
        volume: &Volume,
        kind: u32,
        name: Option<&str>,
    ) -> Result<Option<Data>, NtfsDamage> {
        let mut pieces = Vec::new();
        for found in self.attributes(kind).filter(|found| found.is_named(name)) {
            if found.resident() {
                return resident(volume, &found).map(Some);
            }
            pieces.push((found.clusters()?, found));
        }
        pieces.sort_by_key(|(header, _)| header.first);
        let Some((first, flags)) = pieces.first().map(|(header, found)| (header, *found)) else {
            return Ok(None);
        };
        if first.first != 0 {
            let (what, found) = ("first cluster of a stream", first.first);
            return Err(NtfsDamage::Value { entry: self.number, what, expected: 0, found });
        }
        let unit = self.unit(volume, &flags, first.unit)?;
        let (size, allocated) = (first.size, first.allocated);
        let initialised = first.initialised.min(size);
        let mut runs = Runs::default();
        for (header, found) in &pieces {
            let piece = guard(found.entry, || ntfs_core::decode_runlist(header.runs))?;
            runs.add(self.number, header.first, piece)?;
        }
        let stored = Stored::Clusters(Rc::new(runs));
        let (entry, encrypted) = (self.number, flags.encrypted());
        Ok(Some(Data { entry, size, initialised, allocated, encrypted, unit, stored }))
    }

    /// Returns the size of a compression unit in bytes; 0 if the attribute is not compressed.
    fn unit(&self, volume: &Volume, flags: &Attribute<'_>, power: u16) -> Result<u64, NtfsDamage> {
        if !flags.compressed() {
            return Ok(0);
        }
        let unit = 1u64.checked_shl(power.into()).unwrap_or(u64::MAX).saturating_mul(volume.place.cluster);
        if unit > Stream::MAX_UNIT {
            let (what, expected) = ("bytes of a compression unit", Stream::MAX_UNIT);
            return Err(NtfsDamage::Value { entry: self.number, what, expected, found: unit });
        }
        Ok(unit)
    }
}

/// Returns the records that an attribute list names besides the base, by index, and the damage at its end.
fn listed(number: u64, list: &[u8]) -> (BTreeMap<u64, Reference>, Option<NtfsDamage>) {
    let mut others = BTreeMap::new();
    let mut rest = list;
    while !rest.is_empty() {
        let length = u16_at(rest, 4).map_or(0, usize::from);
        let (Some(reference), Some(after)) =
            (u64_at(rest, 0x10), rest.get(length..).filter(|_| length >= 0x1a))
        else {
            let (what, found) = ("bytes of an item of the attribute list", length as u64);
            let error = NtfsDamage::Value { entry: number, what, expected: rest.len() as u64, found };
            // Zeros after the last item are not damage.
            return (others, rest.iter().any(|byte| *byte != 0).then_some(error));
        };
        let reference = Reference::read(reference);
        if reference.entry != number {
            others.insert(reference.entry, reference);
        }
        rest = after;
    }
    (others, None)
}

fn resident(volume: &Volume, found: &Attribute<'_>) -> Result<Data, NtfsDamage> {
    let (value, within) = found.value()?;
    let size = value.len() as u64;
    let place = volume.mft_extents(found.entry, within as u64, size);
    let stored = Stored::Resident(value.to_vec(), place);
    let (entry, encrypted) = (found.entry, found.encrypted());
    Ok(Data { entry, size, initialised: size, allocated: 0, encrypted, unit: 0, stored })
}

impl Volume {
    /// Returns the extents on the medium of bytes in a record.
    pub(super) fn mft_extents(&self, entry: u64, within: u64, length: u64) -> Vec<Extent> {
        let start = entry.saturating_mul(self.record_size()).saturating_add(within);
        self.mft.extents(&self.place, start, start.saturating_add(length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_breaks_off_names_what_stands_before() {
        let mut item = vec![0x80, 0, 0, 0, 32, 0];
        item.resize(32, 0);
        item[16] = 40;
        item[22] = 3;
        let (others, damage) = listed(9, &[item.clone(), vec![0; 8]].concat());
        assert_eq!((others[&40], damage.is_none()), (Reference { entry: 40, sequence: 3 }, true));
        let (others, damage) = listed(9, &[item, vec![0x80, 0, 0, 0, 99, 0]].concat());
        assert_eq!((others.len(), damage.is_some()), (1, true));
    }
}
