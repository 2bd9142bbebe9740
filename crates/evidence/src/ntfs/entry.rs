//! An entry of the `$MFT` with all its attributes.

use super::runs::Runs;
use super::stream::Stream;
use super::{NtfsDamage, Volume, guard};
use crate::read::Extent;
use ntfs_core::attribute::{Attribute, AttributeBody};
use ntfs_core::data::attribute_runlist;
use ntfs_core::record::MftRecordHeader;
use ntfs_core::standard_information::StandardInformation;
use std::collections::BTreeSet;
use std::rc::Rc;

pub(crate) const STANDARD_INFORMATION: u32 = 0x10;
const ATTRIBUTE_LIST: u32 = 0x20;
pub(crate) const DATA: u32 = 0x80;
pub(crate) const INDEX_ROOT: u32 = 0x90;
pub(crate) const INDEX_ALLOCATION: u32 = 0xa0;
pub(crate) const BITMAP: u32 = 0xb0;
pub(crate) const REPARSE_POINT: u32 = 0xc0;

/// Most bytes of an attribute list; Windows writes at most 256 KiB.
const MAX_LIST: u64 = 256 << 10;

/// One record of the `$MFT`.
pub(super) struct Record {
    pub(super) number: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) header: MftRecordHeader,
    pub(super) attributes: Vec<Attribute>,
}

impl Record {
    /// The clusters of the first piece of the main stream.
    pub(super) fn first_runs(&self) -> Result<Runs, NtfsDamage> {
        let mut runs = Runs::default();
        let data = |found: &&Attribute| found.type_code == DATA && found.name.is_none() && found.non_resident;
        if let Some(attribute) = self.attributes.iter().find(data) {
            let piece = guard(self.number, || attribute_runlist(&self.bytes, attribute))?;
            runs.add(self.number, 0, piece)?;
        }
        Ok(runs)
    }
}

/// A base record and its extension records.
pub(crate) struct MftEntry {
    pub(crate) number: u64,
    pub(crate) sequence: u16,
    pub(crate) in_use: bool,
    pub(crate) is_directory: bool,
    pub(crate) links: u16,
    records: Vec<Record>,
}

/// The value of an attribute, whole: however many pieces it is stored in.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    pub(crate) entry: u64,
    pub(crate) size: u64,
    /// Bytes from here on were never written and read as zeros.
    pub(crate) initialised: u64,
    pub(crate) encrypted: bool,
    /// Bytes of a compression unit; 0 where it is not compressed.
    pub(crate) unit: u64,
    pub(crate) stored: Stored,
}

/// Where a value is stored.
#[derive(Debug, Clone)]
pub(crate) enum Stored {
    /// In the record: its bytes, and where they stand on the medium.
    Resident(Vec<u8>, Vec<Extent>),
    /// In clusters.
    Clusters(Rc<Runs>),
}

pub(super) fn read(volume: &Volume, number: u64) -> Result<MftEntry, NtfsDamage> {
    let base = volume.record(number)?;
    let header = &base.header;
    if header.base_record != 0 {
        let what = "reference to a base record";
        return Err(NtfsDamage::Value { entry: number, what, expected: 0, found: header.base_record });
    }
    let mut entry = MftEntry {
        number,
        sequence: header.sequence_number,
        in_use: header.is_in_use(),
        is_directory: header.is_directory(),
        links: header.hard_link_count,
        records: vec![base],
    };
    if let Some(list) = entry.data(volume, ATTRIBUTE_LIST, None)? {
        let bytes = Stream::new(list, volume.place.clone()).read_value(MAX_LIST)?;
        let listed = guard(number, || ntfs_core::parse_attribute_list(&bytes))?;
        let others: BTreeSet<u64> = listed.iter().map(|item| item.base_reference.record_number).collect();
        for other in others.into_iter().filter(|other| *other != number) {
            let record = volume.record(other)?;
            let back = record.header.base_record & 0xffff_ffff_ffff;
            if back != number {
                let what = "base of an extension record";
                return Err(NtfsDamage::Value { entry: other, what, expected: number, found: back });
            }
            entry.records.push(record);
        }
    }
    Ok(entry)
}

impl MftEntry {
    /// The attributes of a type.
    fn attributes(&self, kind: u32) -> impl Iterator<Item = (&Record, &Attribute)> {
        let all =
            self.records.iter().flat_map(|record| record.attributes.iter().map(move |found| (record, found)));
        all.filter(move |(_, found)| found.type_code == kind)
    }

    /// `$STANDARD_INFORMATION`, where the entry has one that can be read.
    pub(crate) fn standard_information(&self) -> Option<StandardInformation> {
        let (record, attribute) = self.attributes(STANDARD_INFORMATION).next()?;
        let content = attribute.resident_content(&record.bytes)?;
        guard(self.number, || StandardInformation::parse(content)).ok()
    }

    /// Whether the entry has a main stream, be it empty.
    pub(crate) fn has_main_stream(&self) -> bool {
        self.attributes(DATA).any(|(_, attribute)| attribute.name.is_none())
    }

    /// The names of the streams, each once; `None` is the main one.
    pub(crate) fn streams(&self) -> BTreeSet<Option<String>> {
        self.attributes(DATA).map(|(_, attribute)| attribute.name.clone()).collect()
    }

    /// The attribute of this type and name; `None` where the entry has none.
    pub(crate) fn data(
        &self,
        volume: &Volume,
        kind: u32,
        name: Option<&str>,
    ) -> Result<Option<Data>, NtfsDamage> {
        let mut pieces: Vec<(u64, &Record, &Attribute)> = Vec::new();
        for (record, attribute) in self.attributes(kind) {
            if attribute.name.as_deref() != name {
                continue;
            }
            match attribute.body {
                AttributeBody::Resident { content_offset, .. } => {
                    return resident(volume, record, attribute, content_offset).map(Some);
                }
                AttributeBody::NonResident { start_vcn, .. } => pieces.push((start_vcn, record, attribute)),
            }
        }
        pieces.sort_by_key(|(start, ..)| *start);
        let Some((_, _, first)) = pieces.first().copied() else { return Ok(None) };
        let mut runs = Runs::default();
        for (start, record, attribute) in pieces {
            let piece = guard(record.number, || attribute_runlist(&record.bytes, attribute))?;
            runs.add(self.number, start, piece)?;
        }
        self.clusters(volume, first, runs).map(Some)
    }

    fn clusters(&self, volume: &Volume, first: &Attribute, runs: Runs) -> Result<Data, NtfsDamage> {
        let AttributeBody::NonResident { real_size, initialized_size, compression_unit, .. } = first.body
        else {
            let what = "non-resident flag";
            return Err(NtfsDamage::Value { entry: self.number, what, expected: 1, found: 0 });
        };
        let unit = match first.is_compressed() {
            true => {
                let unit = 1u64.checked_shl(compression_unit.into()).unwrap_or(u64::MAX);
                unit.saturating_mul(volume.place.cluster)
            }
            false => 0,
        };
        if unit > Stream::MAX_UNIT {
            let (what, expected) = ("bytes of a compression unit", Stream::MAX_UNIT);
            return Err(NtfsDamage::Value { entry: self.number, what, expected, found: unit });
        }
        Ok(Data {
            entry: self.number,
            size: real_size,
            initialised: initialized_size.min(real_size),
            encrypted: first.is_encrypted(),
            unit,
            stored: Stored::Clusters(Rc::new(runs)),
        })
    }
}

fn resident(
    volume: &Volume,
    record: &Record,
    attribute: &Attribute,
    content_offset: u16,
) -> Result<Data, NtfsDamage> {
    let entry = record.number;
    let outside =
        || NtfsDamage::Value { entry, what: "end of a resident value", expected: volume.record, found: 0 };
    let bytes = attribute.resident_content(&record.bytes).ok_or_else(outside)?.to_vec();
    let within = (attribute.offset as u64).saturating_add(content_offset.into());
    let place = volume.mft_extents(entry, within, bytes.len() as u64);
    let size = bytes.len() as u64;
    let stored = Stored::Resident(bytes, place);
    Ok(Data { entry, size, initialised: size, encrypted: attribute.is_encrypted(), unit: 0, stored })
}

impl Volume {
    /// Where bytes of a record stand on the medium.
    fn mft_extents(&self, entry: u64, within: u64, length: u64) -> Vec<Extent> {
        let start = entry.saturating_mul(self.record).saturating_add(within);
        self.mft.extents(&self.place, start, start.saturating_add(length))
    }
}
