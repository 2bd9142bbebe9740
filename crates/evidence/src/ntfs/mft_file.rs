//! An `$MFT` without its volume: a collected file, a carved one, or the stream of an image.
//!
//! It is read once from end to end for what other records need: the names of folders, and which records extend which.
//! Attribute lists may be in clusters that are not available here, so extension records are found by the base
//! that they name, not by the list.

use super::bytes::{Reference, u64_at};
use super::describe::{header_only, of_entry};
use super::entry::MftEntry;
use super::file_name::NameRecord;
use super::mft_head::{first_number, mft_record_size};
use super::record::Record;
use super::reparse::tag_and_target;
use super::{NtfsDamage, ROOT};
use crate::error::ReadError;
use crate::mft::{MftDescription, MftFileEntry, MftName, MftSummary};
use crate::path::{EvidencePath, escape_name};
use crate::read::{ReadAt, read_full_at};
use crate::tree::StreamInfo;
use crate::walk::MAX_DEPTH;
use ledger::Utc;
use std::collections::HashMap;
use std::ops::Range;

/// Bytes read at once.
const PIECE: u64 = 1 << 20;

/// The most bytes of paths that are cached, including an estimate of their overhead.
const REMEMBERED: usize = 64 << 20;
const ROW: usize = 64;

/// Entries below this number are the file system's own, or reserved for it.
const FIRST_OF_USERS: u64 = 24;

/// The folder `$Extend`, whose files also belong to the file system.
const EXTEND: u64 = 11;

/// An `$MFT` that was read once.
pub struct MftFile {
    reader: Box<dyn ReadAt>,
    /// Size of a record in bytes.
    record: u64,
    /// The number of the first record: not 0 in a carved piece.
    first: u64,
    count: u64,
    /// The piece read last: its start and its bytes.
    piece: (u64, Vec<u8>),
    folders: HashMap<u64, FolderName>,
    /// The paths that were built last, and their bytes; `None` if a folder above is not known.
    paths: HashMap<Reference, Option<String>>,
    remembered: usize,
    extensions: HashMap<u64, Vec<u64>>,
    /// The numbers of records, without those in holes.
    stored: Vec<Range<u64>>,
    summary: MftSummary,
}

/// The bytes of a damaged record, and what is wrong with them.
type Unsound = (Vec<u8>, NtfsDamage);

/// What a folder's record contributes to the paths below it.
struct FolderName {
    sequence: u16,
    in_use: bool,
    /// Escaped as in paths.
    name: String,
    parent: Reference,
}

impl MftFile {
    /// Reads an `$MFT`; `None` if the bytes are not one.
    pub fn open(mut reader: Box<dyn ReadAt>) -> Result<Option<MftFile>, ReadError> {
        let mut head = vec![0; 3 * 4096];
        let read = read_full_at(reader.as_mut(), 0, &mut head)?;
        head.truncate(read);
        let Some(record) = mft_record_size(&head) else { return Ok(None) };
        let count = reader.len() / record;
        let mut file = MftFile {
            first: first_number(&head, record),
            count,
            piece: (0, Vec::new()),
            folders: HashMap::new(),
            paths: HashMap::new(),
            remembered: 0,
            extensions: HashMap::new(),
            stored: Vec::new(),
            summary: MftSummary { cut: reader.len() % record, ..MftSummary::default() },
            record,
            reader,
        };
        file.scan()?;
        Ok(Some(file))
    }

    /// Returns the size of a record in bytes.
    pub fn record_size(&self) -> u64 {
        self.record
    }

    /// Returns the numbers of its records, including empty ones.
    pub fn numbers(&self) -> std::ops::Range<u64> {
        self.first..self.first.saturating_add(self.count)
    }

    /// Returns the same without records in holes, none of which was ever used.
    pub fn stored(&self) -> impl Iterator<Item = u64> + use<> {
        self.stored.clone().into_iter().flatten()
    }

    /// Returns totals over its records.
    pub fn summary(&self) -> &MftSummary {
        &self.summary
    }

    /// Returns the offset of a record in the file.
    pub fn offset(&self, number: u64) -> u64 {
        number.saturating_sub(self.first).saturating_mul(self.record)
    }

    /// Returns the entry with this number; `None` if the record extends another one, was never used, or has no name.
    ///
    /// Its paths begin with `root`, the path of the volume.
    pub fn entry(&mut self, number: u64, root: &EvidencePath) -> Result<Option<MftFileEntry>, ReadError> {
        let Some(Ok(entry)) = self.whole(number)? else { return Ok(None) };
        if entry.records.first().is_none_or(|base| base.base().is_some()) {
            return Ok(None);
        }
        let names: Vec<_> = entry.names().flatten().collect();
        let mut paths: Vec<MftName> = Vec::new();
        for name in names.iter().filter(|name| !name.is_dos() || names.len() == 1) {
            paths.push(self.named(&entry, name, root));
        }
        if paths.is_empty() {
            return Ok(None);
        }
        let (streams, damage) = entry.streams();
        let main = streams.iter().find(|(name, _)| name.is_none());
        let mut info = of_entry(&entry, None, None);
        info.damage.extend(damage.iter().map(ToString::to_string));
        let reparse = tag_and_target(&entry);
        Ok(Some(MftFileEntry {
            names: paths,
            size: main.map(|(_, size)| *size),
            resident: info
                .attributes
                .iter()
                .any(|found| found.code == super::entry::DATA && found.resident && found.name.is_none()),
            streams: streams
                .into_iter()
                .filter_map(|(name, size)| name.map(|name| StreamInfo { name, size }))
                .collect(),
            reparse,
            description: info,
        }))
    }

    /// Describes a record completely; `None` if it was never used or is not in the file.
    pub fn describe(
        &mut self,
        number: u64,
        root: &EvidencePath,
    ) -> Result<Option<MftDescription>, ReadError> {
        if !self.numbers().contains(&number) {
            return Ok(None);
        }
        let entry = match self.whole(number)? {
            None => return Ok(None),
            Some(Err((bytes, error))) => return Ok(Some(header_only(number, &bytes, Vec::new(), &error))),
            Some(Ok(entry)) => entry,
        };
        let base = entry.records.first().and_then(Record::base);
        let names: Vec<_> = entry.names().flatten().collect();
        let name = names.iter().find(|name| !name.is_dos()).or(names.first()).filter(|_| base.is_none());
        let path = name.map(|name| self.named(&entry, name, root).path);
        Ok(Some(of_entry(&entry, base, path.and_then(|path| EvidencePath::parse(&path).ok()))))
    }

    /// Returns the path of the folder with this reference, if every folder above it is known.
    pub fn folder(&mut self, (entry, sequence): (u64, u16), root: &EvidencePath) -> Option<String> {
        self.folder_path(Reference { entry, sequence }).map(|below| join(root, &below))
    }
}

fn join(root: &EvidencePath, below: &str) -> String {
    match (root.is_root(), below.is_empty()) {
        (true, _) => below.to_owned(),
        (false, true) => root.as_str().to_owned(),
        (false, false) => format!("{root}/{below}"),
    }
}

impl MftFile {
    /// Returns the bytes of a record.
    fn bytes(&mut self, number: u64) -> Result<Vec<u8>, ReadError> {
        let at = self.offset(number);
        let within = |piece: &(u64, Vec<u8>)| {
            let start = usize::try_from(at.checked_sub(piece.0)?).ok()?;
            piece.1.get(start..start.checked_add(usize::try_from(self.record).ok()?)?).map(<[u8]>::to_vec)
        };
        if let Some(found) = within(&self.piece) {
            return Ok(found);
        }
        let (start, mut bytes) = (at - at % PIECE, std::mem::take(&mut self.piece.1));
        bytes.resize(usize::try_from(PIECE).unwrap_or(0), 0);
        let read = read_full_at(self.reader.as_mut(), start, &mut bytes)?;
        bytes.truncate(read);
        self.piece = (start, bytes);
        Ok(within(&self.piece).unwrap_or_default())
    }

    /// Returns the bytes of a record that is far from the one before and the one after it.
    fn alone(&mut self, number: u64) -> Result<Vec<u8>, ReadError> {
        let at = self.offset(number);
        let end = self.piece.0.saturating_add(self.piece.1.len() as u64);
        if at >= self.piece.0 && at.saturating_add(self.record) <= end {
            return self.bytes(number);
        }
        let mut bytes = vec![0; usize::try_from(self.record).unwrap_or(0)];
        let read = read_full_at(self.reader.as_mut(), at, &mut bytes)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// Returns a base record with its extensions, or an extension alone; `None` if nothing was ever written.
    fn whole(&mut self, number: u64) -> Result<Option<Result<MftEntry, Unsound>>, ReadError> {
        let bytes = self.bytes(number)?;
        if !bytes.starts_with(b"FILE") && bytes.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let base = match Record::read(number, bytes) {
            Ok(base) => base,
            Err(error) => return Ok(Some(Err((self.bytes(number)?, error)))),
        };
        let (sequence, in_use) = (base.sequence(), base.in_use());
        let mut entry = MftEntry::of(base);
        for other in self.extensions.get(&number).cloned().unwrap_or_default() {
            if let Ok(mut record) = Record::read(other, self.alone(other)?)
                && record.in_use() == in_use
                && record.base().is_some_and(|base| base.is(sequence, in_use))
            {
                entry.damage.append(&mut record.damage);
                entry.records.push(record);
            }
        }
        Ok(Some(Ok(entry)))
    }

    fn scan(&mut self) -> Result<(), ReadError> {
        let (mut number, end) = (self.first, self.numbers().end);
        while number < end {
            let hole = self.hole(number).min(end - number);
            self.summary.unused += hole;
            number += hole;
            let piece = number..number.saturating_add(PIECE / self.record.max(1)).min(end);
            self.scan_piece(piece.clone())?;
            number = piece.end;
            self.stored.push(piece);
        }
        Ok(())
    }

    /// Returns how many whole records from this one on lie in a hole.
    fn hole(&mut self, number: u64) -> u64 {
        let at = self.offset(number);
        self.reader.stored_from(at).saturating_sub(at) / self.record.max(1)
    }

    fn scan_piece(&mut self, numbers: Range<u64>) -> Result<(), ReadError> {
        for number in numbers {
            let bytes = self.bytes(number)?;
            let signed = bytes.starts_with(b"FILE") || bytes.starts_with(b"BAAD");
            if !signed {
                self.summary.unused += u64::from(bytes.iter().all(|byte| *byte == 0));
                self.summary.unread += u64::from(bytes.iter().any(|byte| *byte != 0));
                continue;
            }
            self.summary.records += 1;
            match Record::read(number, bytes) {
                Ok(record) => self.note(&record),
                Err(error) => {
                    self.summary.unread += 1;
                    self.summary.damage.get_or_insert((number, error.to_string()));
                }
            }
        }
        Ok(())
    }

    /// Collects from a record what the paths of others need, and counts it.
    fn note(&mut self, record: &Record) {
        let (number, in_use) = (record.number, record.in_use());
        let summary = &mut self.summary;
        summary.in_use += u64::from(in_use);
        summary.not_in_use += u64::from(!in_use);
        summary.directories += u64::from(in_use && record.is_directory());
        if let Some(base) = record.base() {
            summary.extensions += 1;
            summary.streams += named_streams(record, base.entry);
            self.extensions.entry(base.entry).or_default().push(number);
            return;
        }
        let found = || record.of_kind(super::entry::FILE_NAME);
        let names = || found().filter_map(|found| NameRecord::parse(found.value().ok()?.0));
        let Some(name) = names().find(|name| !name.is_dos()).or_else(|| names().next()) else {
            summary.nameless += 1;
            return;
        };
        if name.parent().entry != EXTEND {
            summary.streams += named_streams(record, number);
        }
        let information = record.of_kind(super::entry::STANDARD_INFORMATION).next();
        for time in
            information.iter().filter_map(|found| found.value().ok()).flat_map(|(value, _)| instants(value))
        {
            summary.first = Some(summary.first.map_or(time, |first| first.min(time)));
            summary.last = Some(summary.last.map_or(time, |last| last.max(time)));
        }
        if record.is_directory() {
            let (name, parent) = (escape_name(&name.name()), name.parent());
            self.folders.insert(number, FolderName { sequence: record.sequence(), in_use, name, parent });
        }
    }

    fn named(&mut self, entry: &MftEntry, name: &NameRecord<'_>, root: &EvidencePath) -> MftName {
        let (parent, written) = (name.parent(), escape_name(&name.name()));
        let folder = if entry.number == ROOT { Some(String::new()) } else { self.folder_path(parent) };
        let known = folder.is_some();
        let path = match &folder {
            Some(_) if entry.number == ROOT && root.is_root() => ".".to_owned(),
            Some(_) if entry.number == ROOT => root.as_str().to_owned(),
            Some(folder) if folder.is_empty() => join(root, &written),
            Some(folder) => join(root, &format!("{folder}/{written}")),
            None => join(root, &format!("{ORPHAN}/{written}")),
        };
        MftName {
            path,
            folder: folder.map(|folder| join(root, &folder)),
            known,
            name: written,
            namespace: name.namespace(),
            parent: (parent.entry, parent.sequence),
            times: name.times(),
        }
    }

    /// Returns the path of a folder below the root of its volume.
    fn folder_path(&mut self, reference: Reference) -> Option<String> {
        let mut chain: Vec<(Reference, &str)> = Vec::new();
        let mut at = reference;
        let mut path = loop {
            if at.entry == ROOT {
                break Some(String::new());
            }
            if let Some(known) = self.paths.get(&at) {
                break known.clone();
            }
            match self.folders.get(&at.entry) {
                // A circular path would reach the maximum depth.
                Some(folder) if at.is(folder.sequence, folder.in_use) && chain.len() < MAX_DEPTH => {
                    chain.push((at, &folder.name));
                    at = folder.parent;
                }
                Some(_) | None => break None,
            }
        };
        let mut found = vec![];
        for (reference, name) in chain.into_iter().rev() {
            path = path.map(|path| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") });
            found.push((reference, path.clone()));
        }
        if self.remembered > REMEMBERED {
            self.remembered = 0;
            self.paths.clear();
        }
        for (reference, path) in found {
            self.remembered += path.as_ref().map_or(0, String::len) + ROW;
            self.paths.insert(reference, path);
        }
        path
    }
}

/// The component that stands in a path for a folder that is gone, or belongs to something else by now.
pub const ORPHAN: &str = "$Orphan";

/// Counts the named `$DATA` streams of a record of a user's file.
fn named_streams(record: &Record, base: u64) -> u64 {
    if base < FIRST_OF_USERS {
        return 0;
    }
    let first = |found: &super::record::Attribute<'_>| {
        found.resident() || found.clusters().is_ok_and(|header| header.first == 0)
    };
    record.of_kind(super::entry::DATA).filter(|found| !found.is_named(None) && first(found)).count() as u64
}

/// Returns the four times of `$STANDARD_INFORMATION`, except those that are empty or "never".
fn instants(value: &[u8]) -> impl Iterator<Item = u64> {
    let ticks = [0, 8, 16, 24].into_iter().filter_map(|at| u64_at(value, at));
    ticks.filter(|ticks| Utc::from_filetime(*ticks).is_some())
}
