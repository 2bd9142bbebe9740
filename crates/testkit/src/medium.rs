//! A medium under construction.

use std::io::{self, Seek, SeekFrom, Write};

/// Bytes at offsets; a later write wins, and everything else is zero.
#[derive(Clone, Debug)]
pub(crate) struct Medium {
    size: u64,
    writes: Vec<(u64, Vec<u8>)>,
}

impl Medium {
    pub(crate) fn new(size: u64) -> Medium {
        Medium { size, writes: Vec::new() }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn put(&mut self, offset: u64, bytes: Vec<u8>) {
        self.writes.push((offset, bytes));
    }

    /// Adds everything on another medium, starting at `offset`.
    pub(crate) fn put_medium(&mut self, offset: u64, other: &Medium) {
        self.writes.extend(other.writes.iter().map(|(at, bytes)| (offset + at, bytes.clone())));
    }

    /// Returns the contents of this range.
    pub(crate) fn read(&self, start: u64, length: u64) -> Vec<u8> {
        let mut piece = vec![0; usize::try_from(length).unwrap_or(0)];
        let end = start + length;
        for (offset, bytes) in &self.writes {
            let (from, to) = ((*offset).max(start), (offset + bytes.len() as u64).min(end));
            if from < to {
                let at = |value: u64, base: u64| usize::try_from(value - base).unwrap_or(usize::MAX);
                piece[at(from, start)..at(to, start)]
                    .copy_from_slice(&bytes[at(from, *offset)..at(to, *offset)]);
            }
        }
        piece
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.read(0, self.size)
    }

    pub(crate) fn write_to(&self, out: &mut (impl Write + Seek)) -> io::Result<()> {
        let base = out.stream_position()?;
        for (offset, bytes) in &self.writes {
            out.seek(SeekFrom::Start(base + offset))?;
            let left = usize::try_from(self.size.saturating_sub(*offset)).unwrap_or(usize::MAX);
            out.write_all(&bytes[..left.min(bytes.len())])?;
        }
        let end = self.writes.iter().map(|(offset, bytes)| offset + bytes.len() as u64).max().unwrap_or(0);
        if end < self.size {
            out.seek(SeekFrom::Start(base + self.size - 1))?;
            out.write_all(&[0])?;
        }
        out.seek(SeekFrom::Start(base + self.size))?;
        out.flush()
    }
}
