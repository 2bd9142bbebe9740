//! Little-endian numbers in structures of known size, and cached pages of a volume.

use crate::window::Window;
use std::cell::RefCell;
use std::io;

/// Reads the two-byte number at `at`; 0 if the structure is shorter.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

/// Reads the four-byte number at `at`; 0 if the structure is shorter.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

/// Reads the eight-byte number at `at`; 0 if the structure is shorter.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

/// Reads the byte at `at`; 0 if the structure is shorter.
pub(crate) fn u8_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>());
    found.copied().unwrap_or([0; N])
}

/// Bytes of a page.
const PAGE: u64 = 4096;

/// The number of pages that are cached.
const KEPT: usize = 16;

/// A volume with a cache of the pages read last.
pub(crate) struct Cached {
    window: Window,
    pages: RefCell<Vec<Page>>,
}

/// The number of a page and its bytes.
type Page = Option<(u64, Vec<u8>)>;

impl Cached {
    pub(crate) fn new(window: &Window) -> Cached {
        Cached { window: window.clone(), pages: RefCell::new(vec![None; KEPT]) }
    }

    /// Reads the `N` bytes at `offset` of the volume.
    pub(crate) fn read<const N: usize>(&self, offset: u64) -> io::Result<[u8; N]> {
        let (number, within) = (offset / PAGE, usize::try_from(offset % PAGE).unwrap_or(0));
        let mut bytes = [0; N];
        // Reads that cross a page, and those in the incomplete last page of a volume, bypass the cache.
        if within + N > PAGE as usize || !self.fill(number) {
            self.window.read_exact_at(offset, &mut bytes)?;
            return Ok(bytes);
        }
        let pages = self.pages.borrow();
        let page = pages.get(slot(number)).and_then(Option::as_ref);
        let found = page.and_then(|(_, page)| page.get(within..)).and_then(|rest| rest.first_chunk::<N>());
        Ok(found.copied().unwrap_or(bytes))
    }

    /// Loads the page into the cache; `false` if it cannot be read whole.
    fn fill(&self, number: u64) -> bool {
        let mut pages = self.pages.borrow_mut();
        let Some(slot) = pages.get_mut(slot(number)) else { return false };
        if slot.as_ref().is_some_and(|(held, _)| *held == number) {
            return true;
        }
        let mut page = vec![0; PAGE as usize];
        let read = self.window.read_exact_at(number.saturating_mul(PAGE), &mut page).is_ok();
        if read {
            *slot = Some((number, page));
        }
        read
    }
}

fn slot(number: u64) -> usize {
    usize::try_from(number % KEPT as u64).unwrap_or(0)
}
