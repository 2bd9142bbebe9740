//! Long values: values too long for a record, stored in pieces in a separate tree (specification, section 5
//! "Long values").
//!
//! A key is the number of the value; for a piece, followed by the offset of the piece. Both are big-endian.
//! The entry without an offset holds the value's reference count and its length.

use super::budget::Budget;
use super::pack::{Unpacked, unpack};
use super::page::{Entry, Pages};
use super::tree::Entries;
use crate::damage::{Damage, DamageKind};
use crate::fields::u32_at;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

/// The most pieces of one table.
const MOST: usize = 4 << 20;

/// The longest value that is assembled.
const LONGEST: u64 = 64 << 20;

/// The long values of one table.
pub(super) struct LongValues<'d> {
    values: HashMap<u64, Long<'d>>,
    /// The damage found in their tree, until it is requested.
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

    /// Returns the damage found in their tree since the last request.
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

    /// Assembles the value with this number, as far as its pieces go.
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
            // Even an empty piece costs something.
            if bytes.len() as u64 != u64::from(*offset) || next > size || !budget.take(wanted + 1) {
                return None;
            }
            // The only sign that a piece is packed is that its length is not the expected one.
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

/// Returns the number of a value and its size in the key in bytes: 8 if the first bit is set, else 4.
fn number(entry: &Entry<'_>) -> Option<(u64, usize)> {
    let [first] = entry.key_bytes(0)?;
    if first & 0x80 == 0 {
        entry.key_bytes(0).map(|id| (u64::from(u32::from_be_bytes(id)), 4))
    } else {
        entry.key_bytes(0).map(|id| (u64::from_be_bytes(id), 8))
    }
}
