//! `.customDestinations-ms`: categories of shell links, each ended by a marker.

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, bytes, u16_at, u32_at, utf16};
use crate::lnk::{self, CLASS, Shortcut};

/// The marker that ends a category, as stored.
const MARK: [u8; 4] = 0xBABF_FBABu32.to_le_bytes();

/// The most categories and entries that are read.
const CATEGORIES: usize = 256;
const ENTRIES: usize = 16_384;

/// A custom jump list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Custom {
    /// The entries in their order.
    pub entries: Vec<CustomEntry>,
    /// Damage to the file outside its shell links.
    pub damage: Vec<Damage>,
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomEntry {
    /// The category; `None` if damage hides it.
    pub category: Option<Category>,
    /// Where the shell link begins; its own offsets count from there.
    pub offset: usize,
    /// The shell link.
    pub link: Shortcut,
}

/// A category of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Category {
    /// One with a name given by the program.
    Named(Located<String>),
    /// The tasks that the program offers.
    Tasks,
}

/// Checks whether the bytes begin like a custom jump list: version 2, a number of categories, and a zero or a
/// shell link soon after.
pub fn is_custom(head: &[u8], size: u64) -> bool {
    let counted = u32_at(head, 4).is_some_and(|count| count as usize <= CATEGORIES);
    let marked = head.windows(MARK.len()).any(|four| four == MARK)
        || head.windows(CLASS.len()).any(|class| class == CLASS);
    u32_at(head, 0) == Some(2) && counted && u32_at(head, 8) == Some(0) && size >= 16 && marked
}

/// Reads a custom jump list.
///
/// If categories and entries are not in their proper sequence, the rest is searched for shell links.
pub fn custom(data: &[u8]) -> Custom {
    let mut found = Custom::default();
    let mut at = 12;
    let count = u32_at(data, 4).unwrap_or_default() as usize;
    if count > CATEGORIES {
        found.damage.push(Damage::at(4, DamageKind::TooMany { what: "categories", limit: CATEGORIES }));
    }
    for _ in 0..count.min(CATEGORIES) {
        if found.category(data, &mut at).is_none() {
            found.damage.push(Damage::at(at, DamageKind::Unended { what: "category" }));
            found.rest(data, at);
            break;
        }
    }
    found
}

impl Custom {
    /// Reads a category with its entries and its marker; `None` if they are not in their proper sequence.
    fn category(&mut self, data: &[u8], at: &mut usize) -> Option<()> {
        let kind = u32_at(data, *at)?;
        let (category, count) = match kind {
            0 => {
                let units = usize::from(u16_at(data, *at + 4)?);
                let (start, length) = (*at + 6, units * 2);
                let name = utf16(bytes(data, start, length)?, start, "name of a category", &mut self.damage);
                *at = start + length + 4;
                (Some(Category::Named(Located::new(name, start, length))), u32_at(data, start + length)?)
            }
            // Frequent or recent entries, which are in the automatic list.
            1 => {
                *at += 8;
                (None, 0)
            }
            2 => {
                *at += 8;
                (Some(Category::Tasks), u32_at(data, *at - 4)?)
            }
            _ => return None,
        };
        for _ in 0..count {
            if bytes(data, *at, CLASS.len())? != CLASS || self.entries.len() >= ENTRIES {
                return None;
            }
            let offset = *at + CLASS.len();
            let link = lnk::read(data.get(offset..)?)?;
            *at = offset + link.end;
            self.entries.push(CustomEntry { category: category.clone(), offset, link });
        }
        (bytes(data, *at, MARK.len())? == MARK).then(|| *at += MARK.len())
    }

    /// Reads all shell links from `at` on.
    fn rest(&mut self, data: &[u8], mut at: usize) {
        while let Some(rest) = data.get(at..) {
            let next = rest.windows(CLASS.len() + 4).position(|bytes| bytes.ends_with(&CLASS));
            let Some(offset) = next.map(|next| at + next) else { return };
            let link = data.get(offset..).filter(|_| self.entries.len() < ENTRIES).and_then(lnk::read);
            at = offset + link.as_ref().map_or(CLASS.len(), |link| link.end.max(CLASS.len()));
            self.entries.extend(link.map(|link| CustomEntry { category: None, offset, link }));
        }
    }
}
