//! Long values: what is too long for a record stands in a tree of its own, in pieces (specification, section 5 "Long values").
//!
//! A key is the number of the value; of a piece, also the offset of the piece, both big-endian.
//! The entry without an offset holds how often the value is used and how long it is.

use super::budget::Budget;
use super::pack::{Unpacked, unpack};
use super::page::{Entry, Pages};
use super::tree::Entries;
use crate::damage::{Damage, DamageKind};
use crate::fields::u32_at;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

/// Most pieces of one table.
const MOST: usize = 4 << 20;

/// Longest value that is put together.
const LONGEST: u64 = 64 << 20;

/// The long values of one table.
pub(super) struct LongValues<'d> {
    values: HashMap<u64, Long<'d>>,
    /// What is wrong with their tree, until it is asked for.
    damage: RefCell<Vec<Damage>>,
}

#[derive(Default)]
struct Long<'d> {
    size: Option<u32>,
    pieces: Vec<(u32, &'d [u8])>,
}

impl<'d> LongValues<'d> {
    pub(super) fn read(pages: &Pages<'d>, root: Option<u32>) -> LongValues<'d> {
        let mut long = LongValues { values: HashMap::new(), damage: RefCell::default() };
        let mut damage = Vec::new();
        let Some(root) = root else { return long };
        let mut entries = Entries::below(pages, root);
        for (count, entry) in entries.by_ref().enumerate() {
            if count >= MOST {
                let what = DamageKind::TooMany { what: "pieces of long values", limit: MOST };
                damage.push(Damage::at(entry.offset, what));
                break;
            }
            long.add(&entry);
        }
        damage.extend(entries.take_damage());
        long.damage = RefCell::new(damage);
        long
    }

    /// What is wrong with their tree since this was last asked.
    pub(super) fn take_damage(&self) -> Vec<Damage> {
        self.damage.take()
    }

    fn add(&mut self, entry: &Entry<'d>) {
        let Some((id, width)) = number(entry) else { return };
        let value = self.values.entry(id).or_default();
        match entry.key_bytes(width) {
            Some(offset) => value.pieces.push((u32::from_be_bytes(offset), entry.data)),
            None if entry.key_length() == width => value.size = u32_at(entry.data, 4),
            None => {}
        }
    }

    /// The value of this number, put together as far as its pieces go.
    pub(super) fn value(&self, id: u64, budget: &Budget) -> Option<Cow<'d, [u8]>> {
        let value = self.values.get(&id)?;
        let size = u64::from(value.size?).min(LONGEST);
        if let [(0, piece)] = value.pieces.as_slice()
            && piece.len() as u64 == size
        {
            return Some(Cow::Borrowed(piece));
        }
        let mut bytes = Vec::new();
        for (index, (offset, piece)) in value.pieces.iter().enumerate() {
            let next = value.pieces.get(index + 1).map_or(size, |(next, _)| u64::from(*next));
            let wanted = next.checked_sub(u64::from(*offset))?;
            // A piece counts, though it be empty.
            if bytes.len() as u64 != u64::from(*offset) || next > size || !budget.take(wanted + 1) {
                return None;
            }
            // Nothing says of a piece that it is packed but that it is not as long as it should be.
            if piece.len() as u64 == wanted {
                bytes.extend_from_slice(piece);
            } else {
                match unpack(piece, budget) {
                    Unpacked::Bytes(unpacked) if unpacked.len() as u64 == wanted => bytes.extend(unpacked),
                    Unpacked::Bytes(_) | Unpacked::Unread { .. } => return None,
                }
            }
        }
        (bytes.len() as u64 == size).then_some(Cow::Owned(bytes))
    }
}

/// The number of a value and its bytes in the key: 8 where the first bit is set, else 4.
fn number(entry: &Entry<'_>) -> Option<(u64, usize)> {
    let [first] = entry.key_bytes(0)?;
    if first & 0x80 == 0 {
        entry.key_bytes(0).map(|id| (u64::from(u32::from_be_bytes(id)), 4))
    } else {
        entry.key_bytes(0).map(|id| (u64::from_be_bytes(id), 8))
    }
}
