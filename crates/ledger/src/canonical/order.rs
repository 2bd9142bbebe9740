//! Brings JSON text from `serde_json` into canonical form without a tree of values.

use std::borrow::Cow;
use std::ops::Range;

/// Returns the canonical form of `text`, which `serde_json` wrote.
/// `None` if that needs a tree of values: a number with a fraction or many digits, an escaped or duplicate name.
pub(super) fn ordered(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut order = Order { text, at: 0, moves: false };
    order.value()?;
    if !order.moves {
        return Some(Cow::Borrowed(text));
    }
    let mut out = Vec::with_capacity(text.len());
    Order { text, at: 0, moves: false }.write(&mut out)?;
    Some(Cow::Owned(out))
}

struct Order<'t> {
    text: &'t [u8],
    at: usize,
    /// Whether the members of an object are out of order.
    moves: bool,
}

impl<'t> Order<'t> {
    fn next(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips a value and notes whether anything in it must move.
    fn value(&mut self) -> Option<()> {
        match self.next()? {
            b'"' => self.text().map(drop),
            b'[' => self.items_of(b']', Order::value),
            b'{' => {
                let mut before: Option<&[u8]> = None;
                self.members(|order, name| {
                    order.moves |= before.is_some_and(|before| before >= name);
                    before = Some(name);
                    order.value()
                })
            }
            _ => self.word(),
        }
    }

    /// Writes a value with its members in order.
    fn write(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let start = self.at;
        match self.next()? {
            b'[' => {
                out.push(b'[');
                let mut first = true;
                self.items_of(b']', |order| {
                    if !std::mem::take(&mut first) {
                        out.push(b',');
                    }
                    order.write(out)
                })?;
                out.push(b']');
            }
            b'{' => self.write_members(out)?,
            b'"' => {
                self.text()?;
                out.extend_from_slice(self.text.get(start..self.at)?);
            }
            _ => {
                self.word()?;
                out.extend_from_slice(self.text.get(start..self.at)?);
            }
        }
        Some(())
    }

    fn write_members(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let start = out.len();
        let mut members: Vec<(&[u8], Range<usize>)> = Vec::new();
        self.members(|order, name| {
            let from = out.len();
            out.push(b'"');
            out.extend_from_slice(name);
            out.extend_from_slice(b"\":");
            order.write(out)?;
            members.push((name, from - start..out.len() - start));
            Some(())
        })?;
        let written = out.split_off(start);
        members.sort_by_key(|(name, _)| *name);
        // If two members have one name, a tree keeps the last.
        (!members.windows(2).any(|two| matches!(two, [a, b] if a.0 == b.0))).then_some(())?;
        out.push(b'{');
        for (index, (_, range)) in members.into_iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(written.get(range)?);
        }
        out.push(b'}');
        Some(())
    }

    fn members(&mut self, mut member: impl FnMut(&mut Self, &'t [u8]) -> Option<()>) -> Option<()> {
        self.items_of(b'}', |order| {
            let name = order.text()?;
            (!name.contains(&b'\\') && order.next()? == b':').then_some(())?;
            order.at += 1;
            member(order, name)
        })
    }

    fn items_of(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        if self.next()? == end {
            self.at += 1;
            return Some(());
        }
        loop {
            item(self)?;
            self.at += 1;
            match self.text.get(self.at - 1)? {
                b',' => {}
                byte if *byte == end => return Some(()),
                _ => return None,
            }
        }
    }

    /// Returns the text here with its escapes, without its quotation marks.
    fn text(&mut self) -> Option<&'t [u8]> {
        (self.next()? == b'"').then_some(())?;
        let start = self.at + 1;
        let mut at = start;
        loop {
            at += self.text.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
            match self.text.get(at)? {
                b'"' => break,
                _ => at += 2,
            }
        }
        self.at = at + 1;
        self.text.get(start..at)
    }

    /// Skips `null`, `true`, `false` or a whole number with few digits.
    fn word(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let length = rest.iter().position(|byte| matches!(byte, b',' | b']' | b'}')).unwrap_or(rest.len());
        let word = rest.get(..length)?;
        self.at += length;
        let digits = word.strip_prefix(b"-").unwrap_or(word);
        let whole = (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
        // A tree has no negative zero.
        let whole = whole && (digits.len() == word.len() || digits != b"0");
        (whole || matches!(word, b"null" | b"true" | b"false")).then_some(())
    }
}
