//! The bytes of an attribute, read piece by piece.

use super::entry::{Data, Stored};
use super::runs::Runs;
use super::{NtfsDamage, Place};
use crate::error::ReadError;
use crate::path::EvidencePath;
use crate::read::{Extent, ReadAt, read_full_at};
use ledger::ByteSpan;
use ntfs_core::error::NtfsError;
use std::io;
use std::panic::catch_unwind;
use std::rc::Rc;

/// An attribute that can be read at any offset.
pub(crate) struct Stream {
    data: Data,
    place: Rc<Place>,
    path: EvidencePath,
    /// The compression unit expanded last: its start and its bytes.
    unit: Option<(u64, Vec<u8>)>,
}

impl Stream {
    /// The largest compression unit; Windows writes 16 clusters of at most 4 KiB.
    pub(crate) const MAX_UNIT: u64 = 1 << 20;

    pub(crate) fn new(data: Data, place: Rc<Place>) -> Stream {
        Stream { data, place, path: EvidencePath::root(), unit: None }
    }

    pub(crate) fn named(self, path: EvidencePath) -> Stream {
        Stream { path, ..self }
    }

    /// Reads the whole value of a file system structure.
    pub(crate) fn read_value(mut self, limit: u64) -> Result<Vec<u8>, NtfsDamage> {
        let (entry, found) = (self.data.entry, self.data.size);
        if found > limit {
            let what = "bytes of a structure";
            return Err(NtfsDamage::Value { entry, what, expected: limit, found });
        }
        let mut bytes = vec![0; usize::try_from(found).unwrap_or(0)];
        let read = read_full_at(&mut self, 0, &mut bytes);
        let failed = |source| NtfsDamage::Record { entry, source: NtfsError::Io(io::Error::other(source)) };
        read.map_err(failed)?;
        Ok(bytes)
    }

    /// Copies from the compression unit around `offset`; `buffer` ends within it.
    fn copy_unit(&mut self, runs: &Runs, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let start = offset - offset % self.data.unit;
        if self.unit.as_ref().is_none_or(|(at, _)| *at != start) {
            self.unit = Some((start, self.expand(runs, start)?));
        }
        let unit = self.unit.as_ref().map(|(_, bytes)| bytes.as_slice()).unwrap_or_default();
        let from = usize::try_from(offset - start).unwrap_or(usize::MAX);
        for (to, byte) in buffer.iter_mut().zip(unit.get(from..).unwrap_or_default()) {
            *to = *byte;
        }
        Ok(())
    }

    /// Returns the bytes of the compression unit at `start`.
    ///
    /// A unit without a hole is not compressed, one that is all hole holds zeros, any other is LZNT1.
    fn expand(&self, runs: &Runs, start: u64) -> Result<Vec<u8>, ReadError> {
        let whole = self.data.unit;
        let error = |source| ReadError::Io { path: self.path.clone(), source };
        let missing = || error(io::ErrorKind::UnexpectedEof.into());
        let (stored, covered) = runs.stored(self.place.cluster, start, whole).ok_or_else(missing)?;
        let length = usize::try_from(whole).unwrap_or(0);
        let mut bytes = vec![0; usize::try_from(stored).unwrap_or(0)];
        runs.read(&self.place, start, &mut bytes).map_err(error)?;
        if stored > 0 && stored < covered.max(whole) {
            let expanded = catch_unwind(|| {
                let mut out = Vec::new();
                ntfs_core::decompress(&bytes, &mut out).ok().map(|_| out)
            });
            let entry = self.data.entry;
            let damaged = || ReadError::Damaged {
                path: self.path.clone(),
                source: NtfsDamage::Compression { entry, offset: start }.into(),
            };
            bytes = expanded.ok().flatten().ok_or_else(damaged)?;
        }
        bytes.resize(length, 0);
        Ok(bytes)
    }
}

impl ReadAt for Stream {
    fn len(&self) -> u64 {
        self.data.size
    }

    fn path(&self) -> &EvidencePath {
        &self.path
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let left = |end: u64| usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut wanted = left(self.data.size).min(buffer.len());
        let zeros = offset >= self.data.initialised;
        if !zeros {
            wanted = wanted.min(left(self.data.initialised));
        }
        if self.data.unit > 0 {
            wanted = wanted.min(left((offset - offset % self.data.unit).saturating_add(self.data.unit)));
        }
        let Some(buffer) = buffer.get_mut(..wanted).filter(|buffer| !buffer.is_empty()) else { return Ok(0) };
        let runs = match &self.data.stored {
            Stored::Resident(bytes, _) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX);
                let found = bytes.get(from..).and_then(|rest| rest.get(..wanted)).unwrap_or_default();
                buffer.copy_from_slice(found);
                return Ok(wanted);
            }
            Stored::Clusters(_) if zeros => {
                buffer.fill(0);
                return Ok(wanted);
            }
            Stored::Clusters(runs) => runs.clone(),
        };
        if self.data.unit == 0 {
            let error = |source| ReadError::Io { path: self.path.clone(), source };
            runs.read(&self.place, offset, buffer).map_err(error)?;
            return Ok(wanted);
        }
        self.copy_unit(&runs, offset, buffer)?;
        Ok(wanted)
    }

    fn provenance(&self, span: ByteSpan) -> Vec<Extent> {
        let end = span.end().min(self.data.size);
        match &self.data.stored {
            Stored::Resident(_, place) => resident(place, span.offset, end),
            // The bytes of a compressed unit are in all of its clusters.
            Stored::Clusters(runs) if self.data.unit > 0 => {
                let first = span.offset - span.offset % self.data.unit;
                runs.extents(
                    &self.place,
                    first,
                    end.checked_next_multiple_of(self.data.unit).unwrap_or(u64::MAX),
                )
            }
            Stored::Clusters(runs) => runs.extents(&self.place, span.offset, end.min(self.data.initialised)),
        }
    }
}

/// Returns the extents of a part of a resident value; the update sequence may have moved two of its bytes.
fn resident(place: &[Extent], offset: u64, end: u64) -> Vec<Extent> {
    let mut start = 0;
    let mut found = Vec::new();
    for extent in place {
        let stop = start + extent.length;
        let (from, to) = (offset.max(start), end.min(stop));
        if from < to {
            found.push(Extent {
                container: extent.container.clone(),
                offset: extent.offset + (from - start),
                length: to - from,
            });
        }
        start = stop;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Container;
    use crate::window::Window;
    use ntfs_core::runlist::Run;
    use std::io::Write;

    const CLUSTER: u64 = 512;

    /// Returns a stream over a medium of 18 clusters: one of LZNT1, 16 of `b`.
    fn stream(unit: u64, initialised: u64) -> Stream {
        let mut medium = vec![0; 512];
        medium[510..].copy_from_slice(&[0x55, 0xaa]);
        // A chunk of 4096 bytes: the literal `a`, and 4095 bytes copied from one byte before.
        medium.extend([0x03, 0xb0, 0x02, b'a', 0xfc, 0x0f]);
        medium.resize(1024, 0);
        medium.extend([b'b'; 16 * 512]);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&medium).unwrap();
        let container = Rc::new(Container::open(file.path(), "disk").unwrap());
        let length = container.length();
        let window = Window::new(&container, 0, length);
        let place = Rc::new(Place { window, cluster: CLUSTER });
        let mut runs = Runs::default();
        let run = |length, lcn| Run { length, lcn };
        runs.add(9, 0, vec![run(1, Some(1)), run(15, None)]).unwrap();
        runs.add(9, 16, vec![run(16, Some(2)), run(16, None)]).unwrap();
        let stored = Stored::Clusters(Rc::new(runs));
        Stream::new(
            Data { entry: 9, size: 3 * 8192, initialised, allocated: 0, encrypted: false, unit, stored },
            place,
        )
    }

    #[test]
    fn units_are_expanded_copied_or_zeros() {
        let mut stream = stream(8192, 3 * 8192);
        let mut bytes = vec![7; 3 * 8192];
        assert_eq!(read_full_at(&mut stream, 0, &mut bytes).unwrap(), bytes.len());
        let mut expected = vec![b'a'; 4096];
        expected.resize(8192, 0);
        expected.resize(2 * 8192, b'b');
        expected.resize(3 * 8192, 0);
        assert!(bytes == expected);
        let mut across = [0; 4];
        read_full_at(&mut stream, 4094, &mut across).unwrap();
        assert_eq!(across, [b'a', b'a', 0, 0]);
    }

    #[test]
    fn what_was_never_written_is_zeros_and_stands_nowhere() {
        let mut stream = stream(0, 8192 + 10);
        let mut bytes = vec![7; 20];
        read_full_at(&mut stream, 8192, &mut bytes).unwrap();
        assert_eq!(bytes, [[b'b'; 10], [0; 10]].concat());
        let extents = stream.provenance(ByteSpan { offset: 8190, length: 20 });
        assert_eq!(extents.iter().map(|e| (e.offset, e.length)).collect::<Vec<_>>(), [(1024, 10)]);
    }

    #[test]
    fn a_piece_that_is_missing_is_a_break_and_not_a_shift() {
        let mut runs = Runs::default();
        runs.add(9, 0, vec![Run { length: 4, lcn: Some(1) }]).unwrap();
        runs.add(9, 5, vec![Run { length: 1, lcn: Some(9) }]).unwrap();
        assert_eq!(runs.at(CLUSTER, 4 * CLUSTER), None);
        assert_eq!(runs.at(CLUSTER, 5 * CLUSTER), Some((Some(9 * CLUSTER), CLUSTER)));
        assert_eq!(runs.stored(CLUSTER, 0, 8 * CLUSTER), None);
        let found = runs.add(9, 5, vec![Run { length: 1, lcn: Some(9) }]);
        assert!(matches!(found, Err(NtfsDamage::Value { expected: 6, found: 5, .. })));
    }
}
