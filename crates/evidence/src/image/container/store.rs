//! A file of a container, with a small cache for its tables.
//!
//! Tables of blocks grow with the medium, so none is held: entries are read through a cache of fixed size.

use super::error::ContainerError;
use super::vhdx::Overlay;
use crate::image::segments::open_named;
use crate::platform::FileExt;
use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::path::Path;

/// Size of a cache page in bytes.
const PAGE: u64 = 4096;

/// The number of pages that are cached.
const SLOTS: usize = 64;

/// Table entries read at once.
const SCANNED: usize = 8192;

/// A page's offset, and as many of its bytes as the file has.
type Page = (u64, Vec<u8>);

/// An opened file of a container.
pub(super) struct Store {
    file: File,
    length: u64,
    /// Page `n` is in slot `n % SLOTS`.
    pages: RefCell<Vec<Option<Page>>>,
    overlay: Option<Overlay>,
}

impl Store {
    pub(super) fn open(path: &Path) -> Result<Store, ContainerError> {
        let what = "open the file";
        let file = open_named(path).map_err(|source| ContainerError::Read { what, source })?;
        let length = file.metadata().map_err(|source| ContainerError::Read { what, source })?.len();
        Ok(Store { file, length, pages: RefCell::default(), overlay: None })
    }

    /// Adds an overlay, whose bytes are read instead of those in the file.
    pub(super) fn with_overlay(mut self, overlay: Overlay) -> Store {
        self.pages.take();
        self.overlay = Some(overlay);
        self
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Fills `buffer`, or fails.
    pub(super) fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let expected = buffer.len() as u64;
        if offset.checked_add(expected).is_none_or(|end| end > self.length) {
            return Err(ContainerError::Cut { offset, expected, length: self.length }.into());
        }
        self.file.read_exact_at(buffer, offset)?;
        match &self.overlay {
            Some(overlay) => overlay.apply(offset, buffer, |at, sector| self.file.read_exact_at(sector, at)),
            None => Ok(()),
        }
    }

    /// Fills `buffer` as far as the file goes, and returns the number of bytes read.
    pub(super) fn read_up_to(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let read = left.min(buffer.len());
        self.read_exact_at(offset, buffer.get_mut(..read).unwrap_or_default())?;
        Ok(read)
    }

    /// Reads `N` bytes, bypassing the cache.
    pub(super) fn array<const N: usize>(
        &self,
        offset: u64,
        what: &'static str,
    ) -> Result<[u8; N], ContainerError> {
        let mut bytes = [0; N];
        self.read_exact_at(offset, &mut bytes).map_err(|source| ContainerError::Read { what, source })?;
        Ok(bytes)
    }

    /// Calls `each` with the number and the bytes of every entry of the table of `count` entries at `offset`,
    /// bypassing the cache.
    ///
    /// It stops at the end of the file, and returns the number of entries in it.
    pub(super) fn scan<const N: usize>(
        &self,
        offset: u64,
        count: u64,
        mut each: impl FnMut(u64, [u8; N]),
    ) -> io::Result<u64> {
        let held = count.min(self.length.saturating_sub(offset) / N as u64);
        let mut buffer = vec![0; SCANNED * N];
        let mut index = 0;
        while index < held {
            let entries = usize::try_from(held - index).unwrap_or(SCANNED).min(SCANNED);
            let bytes = buffer.get_mut(..entries * N).unwrap_or_default();
            self.read_exact_at(offset + index * N as u64, bytes)?;
            for entry in bytes.as_chunks().0 {
                each(index, *entry);
                index += 1;
            }
        }
        Ok(held)
    }

    /// Reads a table entry through the cache.
    pub(super) fn entry<const N: usize>(&self, offset: u64) -> io::Result<[u8; N]> {
        let (start, within) = (offset / PAGE * PAGE, usize::try_from(offset % PAGE).unwrap_or_default());
        let mut pages = self.pages.borrow_mut();
        pages.resize_with(SLOTS, || None);
        let slot = usize::try_from(offset / PAGE % SLOTS as u64).unwrap_or_default();
        let cut = || ContainerError::Cut { offset, expected: N as u64, length: self.length };
        let slot = pages.get_mut(slot).ok_or_else(cut)?;
        if slot.as_ref().is_none_or(|(offset, _)| *offset != start) {
            let mut bytes = vec![0; 4096];
            let read = self.read_up_to(start, &mut bytes)?;
            bytes.truncate(read);
            *slot = Some((start, bytes));
        }
        let page = slot.as_ref().map(|(_, bytes)| bytes.as_slice()).unwrap_or_default();
        match page.get(within..within + N).and_then(|entry| entry.try_into().ok()) {
            Some(entry) => Ok(entry),
            // The entry crosses into the next page, or past the end.
            None => Ok(self.array(offset, "an entry of a table")?),
        }
    }
}

macro_rules! number {
    ($name:ident, $kind:ty, $from:ident) => {
        /// Reads the number at `at`; 0 if `bytes` is too short.
        pub(super) fn $name(bytes: &[u8], at: usize) -> $kind {
            let field = at.checked_add(size_of::<$kind>()).and_then(|end| bytes.get(at..end));
            field.and_then(|field| field.try_into().ok()).map_or(0, <$kind>::$from)
        }
    };
}

number!(be_u32, u32, from_be_bytes);
number!(be_u64, u64, from_be_bytes);
number!(le_u16, u16, from_le_bytes);
number!(le_u32, u32, from_le_bytes);
number!(le_u64, u64, from_le_bytes);
