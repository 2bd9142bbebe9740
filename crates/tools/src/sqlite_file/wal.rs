//! Determines how much of a write-ahead log SQLite will apply.
//!
//! SQLite reads a log up to the first frame that does not continue the ones before.
//! It applies only the frames up to the last commit, and says nothing about the rest.
//! Format and checksum: <https://www.sqlite.org/fileformat2.html>, section 4.1 and 4.2.

use evidence::{ReadAt, ReadError, read_full_at};

/// The first bytes of a log; they decide whether its checksums read words as little or big endian.
const MAGIC: [u32; 2] = [0x377F_0682, 0x377F_0683];
const HEADER: u64 = 32;
const FRAME_HEADER: usize = 24;

/// What a log contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frames {
    /// How many frames it has room for.
    pub(super) total: u64,
    /// How many frames up to the last commit: these are applied.
    pub(super) committed: u64,
    /// Why the valid frames end.
    pub(super) end: End,
    /// The offset in the log of the first frame that is not valid.
    pub(super) offset: u64,
}

/// Why a frame does not continue the ones before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The log ends, within a frame or after one.
    File,
    /// The frame is left over from an earlier use of the log, and is already copied into the database.
    OlderUse,
    /// The frame belongs here, but its checksum is wrong.
    Checksum,
    /// The header of the log has a wrong checksum or an impossible page size.
    Header,
}

/// Walks over the frames of a log; `None` if it does not begin as a log.
pub(super) fn frames(reader: &mut dyn ReadAt) -> Result<Option<Frames>, ReadError> {
    let mut header = [0; HEADER as usize];
    let read = read_full_at(reader, 0, &mut header)?;
    let magic = word(&header, 0);
    let Some(big_endian) = MAGIC.iter().position(|known| *known == magic).filter(|_| read >= 4) else {
        return Ok(None);
    };
    let mut sum = Sum { words: [0, 0], big_endian: big_endian == 1 };
    sum.add(header.get(..24).unwrap_or_default());
    let size = word(&header, 8);
    let is_page_size = size.is_power_of_two() && (512..=65_536).contains(&size);
    let frame = FRAME_HEADER as u64 + u64::from(size);
    let total = reader.len().saturating_sub(HEADER) / frame;
    let mut found = Frames { total, committed: 0, end: End::File, offset: HEADER };
    if sum.words != [word(&header, 24), word(&header, 28)] || !is_page_size {
        return Ok(Some(Frames { end: End::Header, offset: 0, ..found }));
    }
    let mut bytes = vec![0; FRAME_HEADER + size as usize];
    for index in 0..total {
        found.offset = HEADER + index * frame;
        if read_full_at(reader, found.offset, &mut bytes)? < bytes.len() {
            return Ok(Some(found));
        }
        if bytes.get(8..16) != header.get(16..24) {
            return Ok(Some(Frames { end: End::OlderUse, ..found }));
        }
        sum.add(bytes.get(..8).unwrap_or_default());
        sum.add(bytes.get(FRAME_HEADER..).unwrap_or_default());
        // Page 0 does not exist: such a frame ends the log, too.
        if sum.words != [word(&bytes, 16), word(&bytes, 20)] || word(&bytes, 0) == 0 {
            return Ok(Some(Frames { end: End::Checksum, ..found }));
        }
        // A commit frame has the size of the database in pages.
        if word(&bytes, 4) != 0 {
            found.committed = index + 1;
        }
    }
    found.offset = HEADER + total * frame;
    Ok(Some(found))
}

/// The running checksum.
struct Sum {
    words: [u32; 2],
    big_endian: bool,
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        let [mut first, mut second] = self.words;
        let (pairs, _) = bytes.as_chunks::<8>();
        for [a, b, c, d, e, f, g, h] in pairs {
            let read = if self.big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
            first = first.wrapping_add(read([*a, *b, *c, *d])).wrapping_add(second);
            second = second.wrapping_add(read([*e, *f, *g, *h])).wrapping_add(first);
        }
        self.words = [first, second];
    }
}

/// Reads the big-endian word at `at`; 0 outside.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |field| u32::from_be_bytes(*field))
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use evidence::{EvidencePath, Extent};
    use ledger::ByteSpan;
    use rusqlite::Connection;

    struct Bytes(Vec<u8>, EvidencePath);

    impl ReadAt for Bytes {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }

        fn path(&self) -> &EvidencePath {
            &self.1
        }

        fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
            let rest = self.0.get(offset as usize..).unwrap_or_default();
            let read = rest.len().min(buffer.len());
            buffer[..read].copy_from_slice(&rest[..read]);
            Ok(read)
        }

        fn provenance(&self, _: ByteSpan) -> Vec<Extent> {
            Vec::new()
        }
    }

    fn walk(bytes: &[u8]) -> Option<Frames> {
        frames(&mut Bytes(bytes.to_vec(), EvidencePath::root())).unwrap()
    }

    /// Makes a log with `rows` commits of one frame each.
    fn log(rows: usize) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db");
        let database = Connection::open(&path).unwrap();
        let sql = "PRAGMA page_size=512; PRAGMA journal_mode=wal; CREATE TABLE t(a); PRAGMA wal_checkpoint(TRUNCATE);";
        database.execute_batch(sql).unwrap();
        for _ in 0..rows {
            database.execute_batch("INSERT INTO t VALUES(1)").unwrap();
        }
        std::fs::read(folder.path().join("db-wal")).unwrap()
    }

    #[test]
    fn frames_are_counted_to_the_last_commit_and_damage_ends_them() {
        let whole = log(3);
        let frame = 24 + 512;
        let expected = Frames { total: 3, committed: 3, end: End::File, offset: 32 + 3 * frame };
        assert_eq!(walk(&whole), Some(expected));
        let cut = walk(&whole[..whole.len() - 1]).unwrap();
        assert_eq!((cut.total, cut.committed, cut.end), (2, 2, End::File));

        let changed = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            walk(&bytes).unwrap()
        };
        let second = 32 + frame;
        let damaged = Frames { total: 3, committed: 1, end: End::Checksum, offset: second };
        assert_eq!(changed(second as usize + 100), damaged);
        assert_eq!(changed(second as usize + 8), Frames { end: End::OlderUse, ..damaged });
        assert_eq!(changed(13), Frames { total: 3, committed: 0, end: End::Header, offset: 0 });
        assert_eq!(walk(b"no log"), None);
        assert_eq!(walk(b""), None);
    }
}
