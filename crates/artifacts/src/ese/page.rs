//! Pages and their tags (specification, section 3.2 "Page").
//!
//! The header and its copy come first, so page `n` is at `(n + 1) * page size`.
//! Tags grow from the end of the page towards its start; each has the size and offset of one value.

use super::budget::Budget;
use super::checksum;
use super::header::Header;
use crate::damage::{Damage, DamageKind};
use crate::fields::{bytes, u16_at, u32_at};

/// Size of a page header, and of the header of a large page, in bytes.
const SHORT: usize = 40;
const LONG: usize = 80;

const ROOT: u32 = 0x1;
const LEAF: u32 = 0x2;
const SPACE_TREE: u32 = 0x20;

/// The tag's value begins with a count of bytes that its key shares with tag 0.
const HAS_COMMON: u8 = 4;
const DELETED: u8 = 2;

/// The most damage that one walk reports; more would say nothing new about the database.
pub(super) const MOST_DAMAGE: usize = 100;

/// All pages of a database.
#[derive(Debug)]
pub(super) struct Pages<'d> {
    pub(super) bytes: &'d [u8],
    pub(super) size: usize,
    pub(super) large: bool,
    /// Remaining page visits: trees share no pages, and each tree is walked a few times at most.
    pub(super) visits: Budget,
    /// Bytes that may still be assembled or unpacked.
    pub(super) unpacked: Budget,
}

impl<'d> Pages<'d> {
    pub(super) fn new(bytes: &'d [u8], header: &Header) -> Pages<'d> {
        let length = bytes.len() as u64;
        Pages {
            bytes,
            size: header.page_size,
            large: header.large,
            visits: Budget::new(length / header.page_size as u64 * 4 + 64),
            unpacked: Budget::new(length.saturating_mul(16).saturating_add(64 << 20)),
        }
    }

    /// Returns the number of pages after the header and its copy, plus one for page 0, which does not exist.
    pub(super) fn count(&self) -> usize {
        self.bytes.len() / self.size
    }

    /// Returns the page with this number, and the damage if its checksum is wrong.
    pub(super) fn page(&self, number: u32) -> Option<(Page<'d>, Option<Damage>)> {
        let offset = (number as usize).checked_add(1)?.checked_mul(self.size)?;
        let page = bytes(self.bytes, offset, self.size)?;
        let flags = u32_at(page, 36)?;
        let damage = checksum::of_page(page, number, flags, self.large)
            .filter(|(stored, computed)| stored != computed)
            .map(|(stored, computed)| {
                let (expected, actual) = (u64::from(stored), u64::from(computed));
                Damage::at(offset, DamageKind::Field { what: "the checksum of a page", expected, actual })
            });
        let tags = usize::from(u16_at(page, 34)?).min(self.size / 4);
        let header = if self.large { LONG } else { SHORT };
        let mut page =
            Page { bytes: page, offset, number, flags, tags, header, large: self.large, common: &[] };
        if !page.is_root() {
            page.common = page.tag(0).map(|tag| tag.value).unwrap_or_default();
        }
        Some((page, damage))
    }
}

/// One page.
#[derive(Clone, Debug)]
pub(super) struct Page<'d> {
    bytes: &'d [u8],
    pub(super) offset: usize,
    pub(super) number: u32,
    flags: u32,
    /// The number of tags; the first is not an entry.
    pub(super) tags: usize,
    header: usize,
    large: bool,
    /// The bytes that the keys of entries can share.
    common: &'d [u8],
}

struct Tag<'d> {
    value: &'d [u8],
    /// Offset in the page.
    offset: usize,
    flags: u8,
}

/// One entry of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'d> {
    /// The key consists of both, one after the other.
    pub(super) key: (&'d [u8], &'d [u8]),
    pub(super) data: &'d [u8],
    /// Offset of the data in the file.
    pub(super) offset: usize,
    pub(super) page: u32,
}

impl Entry<'_> {
    /// Returns the requested number of bytes of the key.
    pub(super) fn key_bytes<const N: usize>(&self, from: usize) -> Option<[u8; N]> {
        let mut taken = self.key.0.iter().chain(self.key.1).skip(from);
        let mut found = [0; N];
        for slot in &mut found {
            *slot = *taken.next()?;
        }
        Some(found)
    }

    pub(super) fn key_length(&self) -> usize {
        self.key.0.len() + self.key.1.len()
    }
}

impl<'d> Page<'d> {
    pub(super) fn is_root(&self) -> bool {
        self.flags & ROOT != 0
    }

    pub(super) fn is_leaf(&self) -> bool {
        self.flags & LEAF != 0
    }

    pub(super) fn is_space_tree(&self) -> bool {
        self.flags & SPACE_TREE != 0
    }

    /// Returns the entry of tag `index`, from 1 on; `None` if it is deleted, an error if it cannot be read.
    pub(super) fn entry(&self, index: usize) -> Result<Option<Entry<'d>>, Damage> {
        let damaged = |offset, what| {
            let (length, available) = (4, self.bytes.len());
            Damage::at(offset, DamageKind::Outside { what, length, available })
        };
        let tag = self.tag(index).ok_or_else(|| {
            let at = self.bytes.len().saturating_sub((index + 1) * 4);
            damaged(self.offset + at, "a value of a page")
        })?;
        if tag.flags & DELETED != 0 {
            return Ok(None);
        }
        let whole = || damaged(self.offset + tag.offset, "the key of an entry");
        self.split(&tag).ok_or_else(whole).map(Some)
    }

    fn tag(&self, index: usize) -> Option<Tag<'d>> {
        let at = self.bytes.len().checked_sub((index + 1).checked_mul(4)?)?;
        let (size, place) = (u16_at(self.bytes, at)?, u16_at(self.bytes, at + 2)?);
        let mask = if self.large { 0x7FFF } else { 0x1FFF };
        let offset = self.header + usize::from(place & mask);
        let value = bytes(self.bytes, offset, usize::from(size & mask))?;
        let flags = if self.large { value.get(1).map_or(0, |byte| byte >> 5) } else { (place >> 13) as u8 };
        Some(Tag { value, offset, flags })
    }

    fn split(&self, tag: &Tag<'d>) -> Option<Entry<'d>> {
        // On a large page the flags are in the first of these sizes.
        let first = u16_at(tag.value, 0)? & if self.large { 0x1FFF } else { 0xFFFF };
        let (common, local, at) = if tag.flags & HAS_COMMON == 0 {
            (Default::default(), first, 2)
        } else {
            (self.common.get(..usize::from(first))?, u16_at(tag.value, 2)?, 4)
        };
        let key = bytes(tag.value, at, usize::from(local))?;
        let from = at + key.len();
        let data = tag.value.get(from..)?;
        let offset = self.offset + tag.offset + from;
        Some(Entry { key: (common, key), data, offset, page: self.number })
    }
}
