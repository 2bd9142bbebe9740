//! Shell links (`.lnk`): their targets, and what was known about the target when the link was written.
//!
//! Source of the format: [MS-SHLLINK], "Shell Link (.LNK) Binary File Format"; section numbers refer to it.

mod extra;
mod info;

pub use extra::{Droid, Extra};
pub use info::LinkInfo;

use crate::damage::{Damage, DamageKind};
use crate::fields::{
    Located, ansi_to_nul, bytes, guid_at, located_filetime, located_u32, u16_at, u32_at, utf16,
};
use crate::registry::Filetime;
use crate::shell_item;

/// Size of the header in bytes, which is also its first field.
pub const HEADER: usize = 0x4C;

/// The class identifier of a shell link (2.1), as stored.
pub const CLASS: [u8; 16] = [1, 0x14, 2, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];

/// Section 2.1.1.
mod flag {
    pub(super) const ID_LIST: u32 = 1;
    pub(super) const LINK_INFO: u32 = 1 << 1;
    /// The first of five flags: description, relative path, working folder, arguments and icon.
    pub(super) const STRINGS: u32 = 1 << 2;
    pub(super) const UNICODE: u32 = 1 << 7;
    pub(super) const NO_LINK_INFO: u32 = 1 << 8;
}

/// The content of a shell link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortcut {
    /// The flags of section 2.1.1.
    pub flags: Located<u32>,
    /// Attributes of the target (2.1.2).
    pub attributes: Option<Located<u32>>,
    /// When the target was created, according to the link.
    pub created: Option<Located<Filetime>>,
    /// When it was last accessed.
    pub accessed: Option<Located<Filetime>>,
    /// When it was last modified.
    pub modified: Option<Located<Filetime>>,
    /// The lower 32 bits of its size.
    pub size: Option<Located<u32>>,
    /// The target as shell items, and the location of the list.
    pub items: Option<Located<shell_item::List>>,
    /// Where the target was last seen.
    pub info: Option<LinkInfo>,
    /// Description, relative path, working folder, arguments and icon.
    pub strings: [Option<Located<String>>; 5],
    /// The extra blocks at the end.
    pub extra: Extra,
    /// Offset after the last block.
    pub end: usize,
    /// The damage found in it.
    pub damage: Vec<Damage>,
}

impl Shortcut {
    /// Returns the purpose of the shortcut, in its author's words.
    pub fn description(&self) -> Option<&Located<String>> {
        self.strings[0].as_ref()
    }

    /// Returns the path of the target relative to the folder of the link.
    pub fn relative_path(&self) -> Option<&Located<String>> {
        self.strings[1].as_ref()
    }

    /// Returns the folder in which the target is started.
    pub fn working_folder(&self) -> Option<&Located<String>> {
        self.strings[2].as_ref()
    }

    /// Returns the arguments with which it is started.
    pub fn arguments(&self) -> Option<&Located<String>> {
        self.strings[3].as_ref()
    }

    /// Returns the file of its icon.
    pub fn icon(&self) -> Option<&Located<String>> {
        self.strings[4].as_ref()
    }

    /// Returns the best path of the target: where it was last seen, or else that of its shell items, its
    /// variables or its relative path.
    ///
    /// A path with units that are not characters is used only if there is no other.
    pub fn target(&self) -> Option<Located<String>> {
        let items = self.items.as_ref().map(|list| (list.value.path(), list.offset, list.length));
        let items = items.map(|((path, whole), at, length)| (Located::new(path, at, length), whole));
        let seen = self.info.as_ref().and_then(LinkInfo::path);
        let all = [
            seen,
            items.as_ref().filter(|(_, whole)| *whole).map(|(path, _)| path.clone()),
            self.extra.environment.clone(),
            items.map(|(path, _)| path),
            self.relative_path().cloned(),
        ];
        let mut found = all.into_iter().flatten().filter(|path| !path.value.is_empty());
        let first = found.next()?;
        if !first.value.contains(char::REPLACEMENT_CHARACTER) {
            return Some(first);
        }
        Some(found.find(|path| !path.value.contains(char::REPLACEMENT_CHARACTER)).unwrap_or(first))
    }
}

/// Checks whether the bytes begin with the header of a shell link.
pub fn is_link(bytes: &[u8]) -> bool {
    u32_at(bytes, 0) == Some(HEADER as u32) && bytes.get(4..20).is_some_and(|class| class == CLASS)
}

/// Reads the shell link at the start of `data`; `None` if it does not begin like one.
pub fn read(data: &[u8]) -> Option<Shortcut> {
    if !is_link(data) {
        return None;
    }
    let flags = located_u32(data, 20)?;
    let mut damage = Vec::new();
    if data.len() < HEADER {
        damage.push(Damage::at(0, DamageKind::Length { expected: HEADER, actual: data.len() }));
    }
    let has = |flag: u32| flags.value & flag != 0;
    let mut at = HEADER;
    let items = if has(flag::ID_LIST) { id_list(data, &mut at, &mut damage) } else { None };
    let has_info = has(flag::LINK_INFO) && !has(flag::NO_LINK_INFO);
    let info = if has_info { info::read(data, &mut at, &mut damage) } else { None };
    let mut strings = [const { None }; 5];
    for (number, string) in strings.iter_mut().enumerate() {
        if has(flag::STRINGS << number) {
            *string = text(data, &mut at, has(flag::UNICODE), &mut damage);
        }
    }
    let extra = extra::read(data, &mut at, &mut damage);
    Some(Shortcut {
        attributes: located_u32(data, 24),
        created: located_filetime(data, 28),
        accessed: located_filetime(data, 36),
        modified: located_filetime(data, 44),
        size: located_u32(data, 52),
        flags,
        items,
        info,
        strings,
        extra,
        end: at.min(data.len()),
        damage,
    })
}

/// Reads the ID list (section 2.2): a size, then the list.
fn id_list(data: &[u8], at: &mut usize, damage: &mut Vec<Damage>) -> Option<Located<shell_item::List>> {
    let size = usize::from(u16_at(data, *at).or_else(|| cut(data, at, "IDList", damage))?);
    let start = *at + 2;
    *at = start + size;
    let held = data.get(..*at).unwrap_or(data);
    if held.len() < *at {
        let (what, available) = ("IDList", data.len().saturating_sub(start));
        damage.push(Damage::at(start, DamageKind::Outside { what, length: size, available }));
    }
    let (list, wrong) = shell_item::list(held, start);
    damage.extend(wrong);
    (!list.items.is_empty()).then(|| Located::new(list, start, size))
}

/// Reads a text (section 2.4): the number of characters, then the characters, without a NUL.
fn text(data: &[u8], at: &mut usize, unicode: bool, damage: &mut Vec<Damage>) -> Option<Located<String>> {
    let units = usize::from(u16_at(data, *at).or_else(|| cut(data, at, "StringData", damage))?);
    let (start, length) = (*at + 2, if unicode { units * 2 } else { units });
    *at = start + length;
    let Some(text) = bytes(data, start, length) else {
        let (what, available) = ("StringData", data.len().saturating_sub(start));
        damage.push(Damage::at(start, DamageKind::Outside { what, length, available }));
        return None;
    };
    let text = if unicode { utf16(text, start, "StringData", damage) } else { ansi(text, start, damage) };
    (!text.is_empty()).then(|| Located::new(text, start, length))
}

/// Reads a text in the host's code page; anything that is not ASCII is unknown, and reported.
fn ansi(text: &[u8], at: usize, damage: &mut Vec<Damage>) -> String {
    let foreign = text.iter().filter(|byte| !byte.is_ascii()).count();
    if foreign > 0 {
        damage.push(Damage::at(at, DamageKind::Text { what: "text in a code page", count: foreign }));
    }
    let char_of = |byte: &u8| if byte.is_ascii() { char::from(*byte) } else { char::REPLACEMENT_CHARACTER };
    text.iter().take_while(|byte| **byte != 0).map(char_of).collect()
}

/// Reports that the data ends where a part should begin; nothing more is read.
fn cut<T>(data: &[u8], at: &mut usize, what: &'static str, damage: &mut Vec<Damage>) -> Option<T> {
    if *at <= data.len() {
        damage.push(Damage::at(*at, DamageKind::Unended { what }));
    }
    *at = data.len().saturating_add(1);
    None
}

/// Reads a text in the code page up to its NUL, within `data`; non-ASCII texts are left to the Unicode field.
fn ansi_at(data: &[u8], at: usize, damage: &mut Vec<Damage>) -> Option<Located<String>> {
    ansi_to_nul(data, at, "text in a code page", damage)
        .map(|(text, _)| text)
        .filter(|text| !text.value.is_empty())
}

/// Returns a GUID that is not all zeros.
fn set_guid(data: &[u8], at: usize) -> Option<Located<String>> {
    bytes(data, at, 16).filter(|guid| guid.iter().any(|byte| *byte != 0))?;
    guid_at(data, at).map(|guid| Located::new(guid, at, 16))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests;
