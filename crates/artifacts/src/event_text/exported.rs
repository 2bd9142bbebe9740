//! Where the values of an exported event stand in its file.

use super::time::SourceTime;
use std::borrow::Cow;

/// What an event that was exported has in place of the head of a record.
#[derive(Clone, Debug, Default)]
pub struct Exported<'a> {
    /// When it was raised, as it is written.
    pub time: Option<SourceTime>,
    /// Whether the text stands in the file as it is; else it was compressed.
    pub is_there: bool,
    placed: Vec<Placed<'a>>,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
struct Placed<'a> {
    name: Cow<'a, str>,
    value: Cow<'a, str>,
    offset: u64,
    length: u64,
    /// Whether a part of the value has its place by counting its bytes: nothing is escaped, and the text is UTF-8.
    is_literal: bool,
}

/// The text of one event in its file.
pub(super) struct Ground<'t> {
    pub(super) text: &'t str,
    /// Whether it stands there in UTF-16LE.
    pub(super) wide: bool,
    /// Where it begins.
    pub(super) offset: u64,
    /// Whether places of the text are those of the file.
    pub(super) is_exact: bool,
}

impl<'a> Exported<'a> {
    /// Adds the place of a value that `raw` stands for, a part of the text.
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

    /// Says whether the text stands in the file as it is: in one that is compressed nothing has a place.
    pub fn stands_there(&mut self, is_there: bool) {
        self.is_there = is_there;
        if !is_there {
            self.placed.clear();
        }
    }

    /// Offset and length of the value of this name; with `text`, of the part of it that is the text.
    pub fn find(&self, name: &str, text: Option<&str>) -> Option<(u64, u64)> {
        let placed = self.placed.iter().find(|placed| placed.name == name)?;
        match text {
            Some(text) => placed.part(text),
            None => Some((placed.offset, placed.length)),
        }
    }

    /// The same of the only value, of any name, that is the text.
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
    /// Where a part of the text stands in the file.
    fn range(&self, part: &str) -> Option<(u64, u64)> {
        if !self.is_exact {
            return None;
        }
        let start = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        let before = self.text.get(..start)?;
        // What is no part of the text has no place.
        let own = self.text.get(start..start.checked_add(part.len())?)?;
        let length = |text: &str| if self.wide { text.encode_utf16().count() * 2 } else { text.len() };
        Some((self.offset.checked_add(length(before) as u64)?, length(own) as u64))
    }
}
