//! Maps a block of a file to a block of the volume: extents ("Extent Tree") and indirect blocks
//! ("Direct/Indirect Block Addressing").
//!
//! Each lookup walks down from the inode. The depth is bounded, so no damaged map can stall it, and memory does
//! not grow with the file.

use super::Volume;
use super::bytes::{u16_at, u32_at};
use super::inode::{BODY, BODY_LENGTH, Inode};
use crate::error::Damage;
use std::cell::RefCell;
use std::rc::Rc;

/// The most blocks of a file that a map with extents can address.
const EXTENT_BLOCKS: u64 = 1 << 32;
/// The number of map blocks that are cached: one for each level.
const KEPT: usize = 6;
const DIRECT: u64 = 12;
const HEADER: usize = 12;
const MAX_DEPTH: u16 = 5;

/// Consecutive blocks of a file, starting at the requested block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// The first block on the volume; `None` for a hole.
    pub(crate) block: Option<u64>,
    /// Whether something was written there; otherwise it reads as zeros.
    pub(crate) is_written: bool,
    /// Number of blocks; never 0.
    pub(crate) length: u64,
}

impl Run {
    fn hole(length: u64) -> Run {
        Run { block: None, is_written: false, length: length.max(1) }
    }
}

/// The block map of a file.
pub(crate) struct Map {
    volume: Rc<Volume>,
    root: [u8; BODY_LENGTH],
    /// Offset of the root.
    offset: u64,
    has_extents: bool,
    kept: RefCell<Vec<(u64, Rc<[u8]>)>>,
}

/// A node of a map: its bytes and their offset.
struct Piece {
    bytes: Rc<[u8]>,
    offset: u64,
}

impl Map {
    pub(crate) fn new(volume: &Rc<Volume>, inode: &Inode) -> Map {
        Map {
            volume: volume.clone(),
            root: inode.body(),
            offset: inode.offset.saturating_add(BODY),
            has_extents: inode.has_extents(),
            kept: RefCell::default(),
        }
    }

    /// Returns the most bytes that the map can address.
    pub(crate) fn capacity(&self) -> u64 {
        let per = self.volume.superblock.block / 4;
        let blocks = match self.has_extents {
            true => EXTENT_BLOCKS,
            false => DIRECT + per + per * per + per * per * per,
        };
        blocks.saturating_mul(self.volume.superblock.block)
    }

    /// Returns the run at block `logical` of the file.
    pub(crate) fn at(&self, logical: u64) -> Result<Run, Damage> {
        match self.has_extents {
            true => self.extent(logical),
            false => self.indirect(logical),
        }
    }

    fn extent(&self, logical: u64) -> Result<Run, Damage> {
        let mut node = Piece { bytes: Rc::from(self.root), offset: self.offset };
        let mut end = EXTENT_BLOCKS;
        let mut expected = None;
        loop {
            let (count, depth) = header(&node, expected)?;
            let start = |index: usize| u64::from(u32_at(&node.bytes, HEADER * (index + 1)));
            let next = first_after(count, |index| start(index) > logical);
            if next < count {
                end = end.min(start(next));
            }
            let Some(index) = next.checked_sub(1) else { return Ok(Run::hole(end.saturating_sub(logical))) };
            let at = HEADER * (index + 1);
            if depth == 0 {
                return self.leaf(&node, at, logical, end);
            }
            let child = place(&node.bytes, at + 4, at + 8);
            if !self.volume.holds(child, 1) {
                return Err(outside("block of an extent tree", &node, at + 4, child));
            }
            node = self.piece(child)?;
            expected = depth.checked_sub(1);
        }
    }

    /// Returns the run for the extent at `at` of a leaf, the last one that does not begin after `logical`.
    fn leaf(&self, node: &Piece, at: usize, logical: u64, end: u64) -> Result<Run, Damage> {
        const UNWRITTEN: u16 = 0x8000;
        let (first, length) = (u32_at(&node.bytes, at), u16_at(&node.bytes, at + 4));
        let is_written = length <= UNWRITTEN;
        let length = u64::from(if is_written { length } else { length - UNWRITTEN });
        let block = place(&node.bytes, at + 8, at + 6);
        if length == 0 || !self.volume.holds(block, length) {
            return Err(outside("extent", node, at, block));
        }
        let within = logical - u64::from(first).min(logical);
        match length.checked_sub(within).filter(|left| *left > 0) {
            Some(left) => Ok(Run { block: Some(block + within), is_written, length: left }),
            None => Ok(Run::hole(end.saturating_sub(logical))),
        }
    }

    fn indirect(&self, logical: u64) -> Result<Run, Damage> {
        let root = Piece { bytes: Rc::from(self.root), offset: self.offset };
        if logical < DIRECT {
            return self.pointers(&root, logical, DIRECT);
        }
        let per = self.volume.superblock.block / 4;
        let (mut index, mut span, mut slot) = (logical - DIRECT, per, DIRECT);
        while index >= span {
            index -= span;
            span = span.saturating_mul(per);
            slot += 1;
            if slot > DIRECT + 2 {
                return Ok(Run::hole(u64::MAX));
            }
        }
        let mut node = root;
        loop {
            let at = usize::try_from(slot).unwrap_or(usize::MAX).saturating_mul(4);
            let child = u64::from(u32_at(&node.bytes, at));
            if child == 0 {
                return Ok(Run::hole(span - index));
            }
            if !self.volume.holds(child, 1) {
                return Err(outside("indirect block", &node, at, child));
            }
            node = self.piece(child)?;
            span /= per;
            slot = index / span;
            index %= span;
            if span == 1 {
                return self.pointers(&node, slot, per);
            }
        }
    }

    /// Follows the pointer at `index` of `count`, and counts how many after it continue without a break.
    fn pointers(&self, node: &Piece, index: u64, count: u64) -> Result<Run, Damage> {
        let at = |index: u64| usize::try_from(index).unwrap_or(usize::MAX).saturating_mul(4);
        let pointer = |index| u64::from(u32_at(&node.bytes, at(index)));
        let first = pointer(index);
        let follows = |after: &u64| match first {
            0 => pointer(index + after) == 0,
            _ => pointer(index + after) == first + after,
        };
        let length = 1 + (1..count - index).take_while(follows).count() as u64;
        if first == 0 {
            return Ok(Run::hole(length));
        }
        if !self.volume.holds(first, length) {
            return Err(outside("block of a file", node, at(index), first));
        }
        Ok(Run { block: Some(first), is_written: true, length })
    }

    fn piece(&self, number: u64) -> Result<Piece, Damage> {
        let offset = number.saturating_mul(self.volume.superblock.block);
        let mut kept = self.kept.borrow_mut();
        if let Some((_, bytes)) = kept.iter().find(|(found, _)| *found == number) {
            return Ok(Piece { bytes: bytes.clone(), offset });
        }
        let bytes: Rc<[u8]> = self.volume.block(number, "block of a block map")?.into();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((number, bytes.clone()));
        Ok(Piece { bytes, offset })
    }
}

/// Reads the number of entries and the depth of a node; the depth must be one less than that of its parent.
fn header(node: &Piece, expected: Option<u16>) -> Result<(usize, u16), Damage> {
    const MAGIC: u16 = 0xf30a;
    let wrong = |what, at: u64, expected, found: u16| {
        Err(Damage::Field { what, offset: node.offset.saturating_add(at), expected, found: found.into() })
    };
    let (magic, count, depth) = (u16_at(&node.bytes, 0), u16_at(&node.bytes, 2), u16_at(&node.bytes, 6));
    if magic != MAGIC {
        return wrong("magic of an extent tree", 0, "62218 (0xf30a)", magic);
    }
    if usize::from(count) > (node.bytes.len() / HEADER).saturating_sub(1) {
        return wrong("entries of an extent tree", 2, "as many as its block can hold", count);
    }
    if depth > MAX_DEPTH || expected.is_some_and(|expected| depth != expected) {
        return wrong("depth of an extent tree", 6, "5 at most, and one less than above", depth);
    }
    Ok((count.into(), depth))
}

/// Reads a 48-bit block number.
fn place(bytes: &[u8], low: usize, high: usize) -> u64 {
    u64::from(u32_at(bytes, low)) | u64::from(u16_at(bytes, high)) << 32
}

/// Returns the index of the first entry for which `is_after` holds, if entries are in order; otherwise any index.
fn first_after(count: usize, is_after: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_after(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

fn outside(what: &'static str, node: &Piece, at: usize, found: u64) -> Damage {
    let offset = node.offset.saturating_add(at as u64);
    Damage::Field { what, offset, expected: "blocks of the volume", found }
}
