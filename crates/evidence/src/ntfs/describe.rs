//! The description of an `$MFT` entry.

use super::bytes::{Reference, u16_at, u32_at, u64_at};
use super::entry::MftEntry;
use super::file_name::{NameRecord, four_times};
use super::files::NtfsFiles;
use super::node::damaged;
use super::record::{Attribute, Record};
use super::{NtfsDamage, ROOT, guard};
use crate::deleted::{DELETED, Original};
use crate::error::ReadError;
use crate::mft::{AttributeInfo, FileName, MftDescription, StandardInformation};
use crate::path::{EvidencePath, escape_name};
use crate::read::Extent;

/// The most runs of an attribute that are reported.
const MAX_RUNS: usize = 1000;

impl NtfsFiles {
    /// See [`crate::Tree::mft_entry`].
    pub(super) fn describe(
        &self,
        root: &EvidencePath,
        number: u64,
    ) -> Result<Option<MftDescription>, ReadError> {
        // An entry that was never used does not count as one.
        if number >= self.volume.entries() || self.volume.is_unused(number) {
            return Ok(None);
        }
        let record = match self.volume.record(number) {
            Ok(record) => record,
            Err(error) => {
                let bytes = self.volume.raw(number).map_err(|source| damaged(root, source))?;
                let place = self.volume.mft_extents(number, 0, bytes.len() as u64);
                return Ok(Some(header_only(number, &bytes, place, &error)));
            }
        };
        let base = record.base();
        let entry = match base {
            // A record that extends another one describes only itself.
            Some(_) => MftEntry::of(record),
            None => self.volume.entry(number).map_err(|source| damaged(root, source))?,
        };
        let place = entry
            .records
            .iter()
            .flat_map(|record| self.volume.mft_extents(record.number, 0, record.bytes.len() as u64))
            .collect();
        let path = self.path_of(root, &entry).filter(|_| base.is_none());
        Ok(Some(MftDescription { place, ..of_entry(&entry, base, path) }))
    }

    /// Returns the path of an entry, by its first long name; below [`DELETED`] if no folder leads to it.
    fn path_of(&self, root: &EvidencePath, entry: &MftEntry) -> Option<EvidencePath> {
        if entry.number == ROOT {
            return Some(root.clone());
        }
        let names: Vec<_> = entry.names().flatten().collect();
        let name = names.iter().find(|name| !name.is_dos()).or(names.first())?;
        let folder = self.parents.folder(&self.volume, root, name.parent());
        match folder.child(&name.name())? {
            Original::Path(path) if entry.in_use => Some(path),
            Original::Path(_) | Original::Orphan(_) => {
                let number = format!("{}-{}", entry.number, entry.sequence);
                let folder = root.child(DELETED).and_then(|folder| folder.child(&number)).ok()?;
                folder.child_raw(&name.name()).ok()
            }
        }
    }
}

/// Describes an entry, without the location of its records.
pub(super) fn of_entry(
    entry: &MftEntry,
    base: Option<Reference>,
    path: Option<EvidencePath>,
) -> MftDescription {
    let mut damage: Vec<_> = entry.damage.iter().map(ToString::to_string).collect();
    damage.extend(entry.unsound_names());
    let attributes = entry.records.iter().flat_map(Record::attributes);
    let attributes = attributes.map(|found| attribute(&found, &mut damage)).collect();
    MftDescription {
        entry: entry.number,
        sequence: entry.sequence,
        in_use: entry.in_use,
        directory: entry.is_directory,
        base: base.map(|base| (base.entry, base.sequence)),
        links: entry.links,
        log_sequence: entry.records.first().map_or(0, Record::log_sequence),
        path,
        standard_information: entry.standard_information().and_then(Result::ok).map(standard),
        names: entry.names().flatten().map(|found| name(&found)).collect(),
        attributes,
        place: Vec::new(),
        damage,
    }
}

/// Describes a record in which at most the header is undamaged.
pub(super) fn header_only(
    number: u64,
    bytes: &[u8],
    place: Vec<Extent>,
    error: &NtfsDamage,
) -> MftDescription {
    let header = if bytes.starts_with(b"FILE") { bytes } else { &[] };
    let field = |at| u16_at(header, at).unwrap_or(0);
    let base = u64_at(header, 0x20).filter(|base| *base != 0).map(Reference::read);
    MftDescription {
        entry: number,
        sequence: field(0x10),
        in_use: field(0x16) & 1 != 0,
        directory: field(0x16) & 2 != 0,
        base: base.map(|base| (base.entry, base.sequence)),
        links: field(0x12),
        log_sequence: u64_at(header, 8).unwrap_or(0),
        path: None,
        standard_information: None,
        names: Vec::new(),
        attributes: Vec::new(),
        place,
        damage: vec![error.to_string()],
    }
}

fn name(found: &NameRecord<'_>) -> FileName {
    let Reference { entry, sequence } = found.parent();
    FileName {
        name: escape_name(&found.name()),
        namespace: found.namespace(),
        parent: (entry, sequence),
        times: found.times(),
    }
}

/// Reads `$STANDARD_INFORMATION`; the short form of NTFS 1.2 lacks the last fields.
fn standard(value: &[u8]) -> StandardInformation {
    StandardInformation {
        times: four_times(value),
        attributes: u32_at(value, 0x20).unwrap_or(0),
        security: u32_at(value, 0x34).unwrap_or(0),
        usn: u64_at(value, 0x40).unwrap_or(0),
    }
}

fn attribute(found: &Attribute<'_>, damage: &mut Vec<String>) -> AttributeInfo {
    let mut note = |error: NtfsDamage| damage.push(format!("{}: {error}", kind(found.code)));
    let name = found.name().unwrap_or_else(|error| {
        note(error);
        None
    });
    let mut info = AttributeInfo {
        code: found.code,
        kind: kind(found.code),
        name,
        resident: found.resident(),
        size: 0,
        allocated: 0,
        flags: flags(found),
        runs: Vec::new(),
    };
    if info.resident {
        match found.value() {
            Ok((value, _)) => info.size = value.len() as u64,
            Err(error) => note(error),
        }
        return info;
    }
    match found.clusters() {
        Ok(header) => {
            // Further pieces of an attribute have no sizes.
            if header.first == 0 {
                (info.size, info.allocated) = (header.size, header.allocated);
            }
            match guard(found.entry, || ntfs_core::decode_runlist(header.runs)) {
                Ok(runs) => info.runs = runs.iter().take(MAX_RUNS).map(|run| (run.lcn, run.length)).collect(),
                Err(error) => note(error),
            }
        }
        Err(error) => note(error),
    }
    info
}

fn flags(found: &Attribute<'_>) -> Vec<&'static str> {
    let all =
        [(found.compressed(), "compressed"), (found.encrypted(), "encrypted"), (found.sparse(), "sparse")];
    all.into_iter().filter_map(|(set, name)| set.then_some(name)).collect()
}

/// Returns the name of an attribute type.
fn kind(code: u32) -> String {
    let known = match code {
        0x10 => "$STANDARD_INFORMATION",
        0x20 => "$ATTRIBUTE_LIST",
        0x30 => "$FILE_NAME",
        0x40 => "$OBJECT_ID",
        0x50 => "$SECURITY_DESCRIPTOR",
        0x60 => "$VOLUME_NAME",
        0x70 => "$VOLUME_INFORMATION",
        0x80 => "$DATA",
        0x90 => "$INDEX_ROOT",
        0xa0 => "$INDEX_ALLOCATION",
        0xb0 => "$BITMAP",
        0xc0 => "$REPARSE_POINT",
        0xd0 => "$EA_INFORMATION",
        0xe0 => "$EA",
        0x100 => "$LOGGED_UTILITY_STREAM",
        _ => return format!("{code:#x}"),
    };
    known.to_owned()
}
