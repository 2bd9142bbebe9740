//! The content of an inode: blocks, or bytes in the inode itself ("Inline Data", "Symbolic Links").

use super::Volume;
use super::bytes::{u8_at, u16_at, u32_at};
use super::inode::{BODY, BODY_LENGTH, Inode, OLD_LENGTH};
use super::map::Map;
use crate::error::Damage;
use std::rc::Rc;

/// The maximum length of a link target in bytes; Linux makes none longer than a page.
const MAX_TARGET: u64 = 1 << 16;

/// Bytes in an inode, with their offset on the volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) offset: u64,
    pub(crate) bytes: Vec<u8>,
}

/// Where content is stored.
pub(crate) enum Content {
    Inline(Vec<Piece>),
    Blocks(Map),
}

/// Returns the content of a file, folder or long link.
pub(crate) fn content(volume: &Rc<Volume>, inode: &Inode) -> Result<Content, Damage> {
    let (content, capacity) = if inode.is_inline() {
        let pieces = inline(inode);
        let capacity = pieces.iter().map(|piece| piece.bytes.len() as u64).sum();
        (Content::Inline(pieces), capacity)
    } else {
        let map = Map::new(volume, inode);
        let capacity = map.capacity();
        (Content::Blocks(map), capacity)
    };
    if inode.size > capacity {
        let (what, expected) = ("size of an inode", "no more than its blocks can hold");
        return Err(Damage::Field {
            what,
            offset: inode.offset.saturating_add(4),
            expected,
            found: inode.size,
        });
    }
    Ok(content)
}

/// Returns the bytes in place of the block map, and those of the attribute `system.data`, which continue them.
pub(super) fn inline(inode: &Inode) -> Vec<Piece> {
    let body = Piece { offset: inode.offset.saturating_add(BODY), bytes: inode.body().to_vec() };
    [Some(body), inline_attribute(inode)].into_iter().flatten().collect()
}

/// Finds the value of `system.data` among the attributes in the inode ("Extended Attributes").
fn inline_attribute(inode: &Inode) -> Option<Piece> {
    const MAGIC: u32 = 0xea02_0000;
    const SYSTEM: u8 = 7;
    let header = OLD_LENGTH + inode.extra();
    if u32_at(&inode.raw, header) != MAGIC {
        return None;
    }
    let first = header + 4;
    let mut at = first;
    while at + 16 <= inode.raw.len() && u32_at(&inode.raw, at) != 0 {
        let length = usize::from(u8_at(&inode.raw, at));
        let name = inode.raw.get(at + 16..)?.get(..length)?;
        // A value in another inode is not inline data.
        if u8_at(&inode.raw, at + 1) == SYSTEM && name == b"data" && u32_at(&inode.raw, at + 4) == 0 {
            let start = first + usize::from(u16_at(&inode.raw, at + 2));
            let size = usize::try_from(u32_at(&inode.raw, at + 8)).ok()?;
            let bytes = inode.raw.get(start..)?.get(..size)?.to_vec();
            return Some(Piece { offset: inode.offset.saturating_add(start as u64), bytes });
        }
        at += 16 + length.next_multiple_of(4);
    }
    None
}

/// Reads the target of a symbolic link.
pub(crate) fn target(volume: &Rc<Volume>, inode: &Inode) -> Result<Vec<u8>, Damage> {
    let superblock = &volume.superblock;
    if inode.is_short_link(superblock.block.saturating_mul(superblock.ratio)) {
        let body = inode.body();
        // Deleting a link clears only its size.
        let length = match usize::try_from(inode.size).unwrap_or(0) {
            0 => body.iter().position(|byte| *byte == 0).unwrap_or(BODY_LENGTH),
            size => size,
        };
        return Ok(body.get(..length).unwrap_or_default().to_vec());
    }
    long_target(volume, inode)
}

fn long_target(volume: &Rc<Volume>, inode: &Inode) -> Result<Vec<u8>, Damage> {
    let block = volume.superblock.block;
    if inode.size > MAX_TARGET {
        let (what, expected) = ("size of a symbolic link", "65536 at most");
        return Err(Damage::Field {
            what,
            offset: inode.offset.saturating_add(4),
            expected,
            found: inode.size,
        });
    }
    let length = usize::try_from(inode.size).unwrap_or(0);
    let mut bytes = Vec::with_capacity(length);
    match content(volume, inode)? {
        Content::Inline(pieces) => bytes.extend(pieces.into_iter().flat_map(|piece| piece.bytes)),
        Content::Blocks(map) => {
            let blocks = inode.size.div_ceil(block);
            for logical in 0..blocks {
                let run = map.at(logical)?;
                match run.block.filter(|_| run.is_written) {
                    Some(block) => bytes.extend(volume.block(block, "target of a symbolic link")?),
                    None => bytes.resize(bytes.len() + usize::try_from(block).unwrap_or(0), 0),
                }
            }
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}
