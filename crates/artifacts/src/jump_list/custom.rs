//! `.customDestinations-ms`: categories of shell links, each category ended by a mark.

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, bytes, u16_at, u32_at, utf16};
use crate::lnk::{self, CLASS, Shortcut};

/// The end of a category, as its bytes stand.
const MARK: [u8; 4] = 0xBABF_FBABu32.to_le_bytes();

/// Most categories and entries that are read.
const CATEGORIES: usize = 256;
const ENTRIES: usize = 16_384;

/// A custom jump list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Custom {
    /// The entries in their order.
    pub entries: Vec<CustomEntry>,
    /// What is wrong with the file, but not in a shell link.
    pub damage: Vec<Damage>,
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomEntry {
    /// The category; `None` where damage hides it.
    pub category: Option<Category>,
    /// Where the shell link begins; its own places count from there.
    pub offset: usize,
    /// The shell link.
    pub link: Shortcut,
}

/// A category of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Category {
    /// One that the program named.
    Named(Located<String>),
    /// What the program offers to do.
    Tasks,
}

/// Whether the bytes begin as those of a custom jump list: version 2, a number of categories, and a zero or a shell link soon after.
pub fn is_custom(head: &[u8], size: u64) -> bool {
    let counted = u32_at(head, 4).is_some_and(|count| count as usize <= CATEGORIES);
    let marked = head.windows(MARK.len()).any(|four| four == MARK)
        || head.windows(CLASS.len()).any(|class| class == CLASS);
    u32_at(head, 0) == Some(2) && counted && u32_at(head, 8) == Some(0) && size >= 16 && marked
}

/// Reads a custom jump list.
///
/// Where categories and entries do not follow each other as they should, all shell links behind are looked for.
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
    /// A category with its entries and its mark; `None` where they do not follow each other.
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
            // Entries that are often or lately used, which stand in the automatic list.
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

    /// All shell links from `at` on.
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
