//! The places of an exported event's values in its file.

use super::time::SourceTime;
use std::borrow::Cow;

/// What an exported event has in place of a record header.
#[derive(Clone, Debug, Default)]
pub struct Exported<'a> {
    /// When it was raised, as written.
    pub time: Option<SourceTime>,
    /// Whether the text is directly in the file; otherwise it was compressed.
    pub is_there: bool,
    placed: Vec<Placed<'a>>,
}

/// A value and its place.
#[derive(Clone, Debug)]
struct Placed<'a> {
    name: Cow<'a, str>,
    value: Cow<'a, str>,
    offset: u64,
    length: u64,
    /// Whether the place of a part of the value can be found by counting bytes: nothing is escaped, and the text
    /// is UTF-8.
    is_literal: bool,
}

/// The text of one event in its file.
pub(super) struct Ground<'t> {
    pub(super) text: &'t str,
    /// Whether it is UTF-16LE in the file.
    pub(super) wide: bool,
    /// Where it begins.
    pub(super) offset: u64,
    /// Whether offsets in the text correspond to offsets in the file.
    pub(super) is_exact: bool,
}

impl<'a> Exported<'a> {
    /// Adds the place of a value whose source is `raw`, a part of the text.
    pub(super) fn place(
        &mut self,
        ground: &Ground<'_>,
        name: impl Into<Cow<'a, str>>,
        value: Cow<'a, str>,
        raw: &str,
    ) {
        let Some((offset, length)) = ground.range(raw).filter(|_| !value.is_empty()) else { return };
        let is_literal = !ground.wide && raw == value.as_ref();
        self.placed.push(Placed { name: name.into(), value, offset, length, is_literal });
    }

    /// Sets whether the text is directly in the file: in a compressed file, nothing has a place.
    pub fn stands_there(&mut self, is_there: bool) {
        self.is_there = is_there;
        if !is_there {
            self.placed.clear();
        }
    }

    /// Returns offset and length of the value of this name; with `text`, of the part of the value that equals it.
    pub fn find(&self, name: &str, text: Option<&str>) -> Option<(u64, u64)> {
        let placed = self.placed.iter().find(|placed| placed.name == name)?;
        match text {
            Some(text) => placed.part(text),
            None => Some((placed.offset, placed.length)),
        }
    }

    /// The same for the only value, of any name, that equals the text.
    pub fn find_text(&self, text: &str) -> Option<(u64, u64)> {
        let mut all = self.placed.iter().filter(|placed| placed.value.trim() == text.trim());
        let first = all.next()?;
        all.next().is_none().then_some((first.offset, first.length))
    }
}

impl Placed<'_> {
    fn part(&self, text: &str) -> Option<(u64, u64)> {
        if self.value.trim() == text.trim() || !self.is_literal {
            return self.value.contains(text).then_some((self.offset, self.length));
        }
        let at = self.value.find(text)? as u64;
        Some((self.offset.checked_add(at)?, text.len() as u64))
    }
}

impl Ground<'_> {
    /// Returns the place in the file of a part of the text.
    fn range(&self, part: &str) -> Option<(u64, u64)> {
        if !self.is_exact {
            return None;
        }
        let start = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        let before = self.text.get(..start)?;
        // A text from elsewhere has no place.
        let own = self.text.get(start..start.checked_add(part.len())?)?;
        let length = |text: &str| if self.wide { text.encode_utf16().count() * 2 } else { text.len() };
        Some((self.offset.checked_add(length(before) as u64)?, length(own) as u64))
    }
}
