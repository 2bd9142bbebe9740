//! The log of a VHDX ([MS-VHDX] section 2.3): changes that were logged but not yet written in place.

use super::crc::crc32c;
use super::regions::Header;
use super::{ContainerError, Store, le_u32, le_u64};
use std::collections::BTreeMap;
use std::io;

/// Size of a log sector in bytes.
const SECTOR: u64 = 4096;

/// The longest log that is read, in bytes; programs write 1 MiB.
const MAX_LOG: u64 = 64 << 20;

/// How much of a log may be read to check its entries, as a multiple of its length.
const MAX_PASSES: u64 = 4;

/// The most entries that are examined to find the active sequence.
const MAX_STEPS: usize = 1 << 20;

/// The most ranges of zeros that are accepted.
const MAX_ZEROS: usize = 4096;

/// What the log changes.
#[derive(Debug, Default)]
pub(in super::super) struct Overlay {
    /// Keyed by the number of the changed 4 KiB page.
    sectors: BTreeMap<u64, Change>,
    /// Start and end in bytes, and the position in the order of changes.
    zeros: Vec<(u64, u64, usize)>,
    /// Number of changes so far.
    written: usize,
}

/// A page: all of it is in the log except its first eight and last four bytes, which are in the descriptor.
#[derive(Debug)]
struct Change {
    at: u64,
    leading: [u8; 8],
    trailing: [u8; 4],
    order: usize,
}

impl Overlay {
    /// Applies the changes to bytes read at `offset`; `load` reads a page of the log.
    pub(in super::super) fn apply(
        &self,
        offset: u64,
        buffer: &mut [u8],
        load: impl Fn(u64, &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let end = offset + buffer.len() as u64;
        if buffer.is_empty() {
            return Ok(());
        }
        for (start, stop, _) in &self.zeros {
            within(offset, buffer, *start, *stop).fill(0);
        }
        for (page, change) in self.sectors.range(offset / SECTOR..=(end - 1) / SECTOR) {
            let start = page * SECTOR;
            let later = |(from, to, order): &(u64, u64, usize)| {
                *order > change.order && *from <= start && start + SECTOR <= *to
            };
            if self.zeros.iter().any(later) {
                continue;
            }
            let mut bytes = [0; SECTOR as usize];
            load(change.at, &mut bytes)?;
            if let Some((first, rest)) = bytes.split_first_chunk_mut() {
                *first = change.leading;
                if let Some(last) = rest.last_chunk_mut() {
                    *last = change.trailing;
                }
            }
            let target = within(offset, buffer, start, start + SECTOR);
            let skipped = usize::try_from(offset.saturating_sub(start)).unwrap_or_default();
            let source = bytes.get(skipped..skipped + target.len()).unwrap_or_default();
            target.copy_from_slice(source);
        }
        Ok(())
    }
}

/// Returns the part of `buffer`, which was read at `offset`, that lies in `start..stop`.
fn within(offset: u64, buffer: &mut [u8], start: u64, stop: u64) -> &mut [u8] {
    let place = |at: u64| usize::try_from(at.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
    let (from, to) = (place(start), place(stop));
    buffer.get_mut(from..to).unwrap_or_default()
}

/// A log entry with a valid checksum.
#[derive(Debug)]
struct Entry {
    sequence: u64,
    tail: u64,
    bytes: u64,
}

/// Returns the changes in the log, and the number of entries that they come from (0 if none can be applied).
/// `None` if the log is empty.
pub(super) fn read(store: &Store, header: &Header) -> Result<Option<(Overlay, usize)>, ContainerError> {
    let (offset, length) = (header.log.offset, header.log.length);
    if header.log_id == [0; 16] {
        return Ok(None);
    }
    if length > MAX_LOG || !length.is_multiple_of(SECTOR) {
        let (what, expected) = ("length of the log", "whole pages, at most 64 MiB");
        return Err(ContainerError::Value { offset, what, expected, found: length });
    }
    if offset.checked_add(length).is_none_or(|end| end > store.length()) {
        return Err(ContainerError::Cut { offset, expected: length, length: store.length() });
    }
    let log = Log { store, offset, length, id: header.log_id };
    let entries = log.entries().map_err(|source| ContainerError::Read { what: "the log", source })?;
    let active = active(&entries, length);
    let mut overlay = Overlay::default();
    for start in &active {
        if let Some(entry) = entries.get(start) {
            log.collect(*start, entry, &mut overlay)?;
        }
    }
    Ok(Some((overlay, active.len())))
}

/// Returns the entries to apply, in order: of all unbroken sequences from a tail to its head, the one with the
/// newest head.
fn active(entries: &BTreeMap<u64, Entry>, length: u64) -> Vec<u64> {
    let mut heads: Vec<_> = entries.iter().collect();
    heads.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.sequence));
    let mut steps = 0;
    for (head, newest) in heads {
        let mut chain = Vec::new();
        let (mut at, mut expected) = (newest.tail, None);
        while let Some(entry) = entries.get(&at) {
            steps += 1;
            if expected.is_some_and(|expected| entry.sequence != expected) || steps > MAX_STEPS {
                break;
            }
            chain.push(at);
            if at == *head {
                return chain;
            }
            expected = entry.sequence.checked_add(1);
            at = (at + entry.bytes) % length;
        }
    }
    Vec::new()
}

struct Log<'a> {
    store: &'a Store,
    offset: u64,
    length: u64,
    id: [u8; 16],
}

impl Log<'_> {
    /// Reads at `at` of the log, wrapping around at its end.
    fn bytes(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        let at = at % self.length.max(1);
        let left = usize::try_from(self.length - at).unwrap_or(usize::MAX).min(buffer.len());
        let (first, rest) = buffer.split_at_mut_checked(left).unwrap_or_default();
        self.store.read_exact_at(self.offset + at, first)?;
        self.store.read_exact_at(self.offset, rest)
    }

    /// Returns every entry that belongs to this log, by its offset.
    fn entries(&self) -> io::Result<BTreeMap<u64, Entry>> {
        let mut entries = BTreeMap::new();
        let mut budget = MAX_PASSES * self.length;
        let mut at = 0;
        while at < self.length {
            let mut head = [0; 64];
            self.bytes(at, &mut head)?;
            let size = u64::from(le_u32(&head, 8));
            let plausible = head.starts_with(b"loge")
                && head.get(32..48) == Some(&self.id)
                && size >= SECTOR
                && size.is_multiple_of(SECTOR)
                && size <= self.length.min(budget);
            let mut step = SECTOR;
            if plausible {
                budget -= size;
                let mut bytes = vec![0; usize::try_from(size).unwrap_or_default()];
                self.bytes(at, &mut bytes)?;
                if crc32c(&bytes) == le_u32(&bytes, 4) {
                    let (sequence, tail) = (le_u64(&head, 16), u64::from(le_u32(&head, 12)));
                    entries.insert(at, Entry { sequence, tail, bytes: size });
                    step = size;
                }
            }
            at += step;
        }
        Ok(entries)
    }

    /// Adds the changes of an entry.
    fn collect(&self, start: u64, entry: &Entry, overlay: &mut Overlay) -> Result<(), ContainerError> {
        let failed = |source| ContainerError::Read { what: "an entry of the log", source };
        let mut bytes = vec![0; usize::try_from(entry.bytes).unwrap_or_default()];
        self.bytes(start, &mut bytes).map_err(failed)?;
        let count = u64::from(le_u32(&bytes, 24));
        let mut data = (64 + 32 * count).next_multiple_of(SECTOR);
        let descriptors = bytes.get(64..).unwrap_or_default().as_chunks::<32>().0;
        for descriptor in descriptors.iter().take(usize::try_from(count).unwrap_or_default()) {
            overlay.written += 1;
            let (target, order) = (le_u64(descriptor, 16), overlay.written);
            let offset = self.offset + start;
            if !target.is_multiple_of(SECTOR) {
                let (what, expected) = ("target of a change in the log", "whole pages");
                return Err(ContainerError::Value { offset, what, expected, found: target });
            }
            if descriptor.starts_with(b"zero") && le_u64(descriptor, 8).is_multiple_of(SECTOR) {
                if overlay.zeros.len() >= MAX_ZEROS {
                    return Err(ContainerError::Unsupported {
                        what: "the log has more ranges of zeros than any real one",
                    });
                }
                overlay.zeros.push((target, target.saturating_add(le_u64(descriptor, 8)), order));
            } else if descriptor.starts_with(b"desc") && data + SECTOR <= entry.bytes {
                let at = self.offset + (start + data) % self.length;
                let (trailing, leading) =
                    (le_u32(descriptor, 4).to_le_bytes(), le_u64(descriptor, 8).to_le_bytes());
                overlay.sectors.insert(target / SECTOR, Change { at, leading, trailing, order });
                data += SECTOR;
            } else {
                let (what, expected) =
                    ("descriptor of a change in the log", "\"desc\" or \"zero\" with its data");
                return Err(ContainerError::Value {
                    offset,
                    what,
                    expected,
                    found: u64::from(le_u32(descriptor, 0)),
                });
            }
        }
        Ok(())
    }
}
