//! Where a template of a chunk has the event id and the channel: in its own words, or as a value of each record.
//!
//! It reads what Windows writes and gives up on everything else: two elements of a name, references, nested fragments.

use super::screen::wide;
use crate::fields::{bytes, u16_at, u32_at};

/// Deepest elements of a system part: `Event`, `System` and one of its own.
const DEEPEST: usize = 3;

/// A piece of the system part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The same in every record.
    Literal(String),
    /// The value of this number.
    Value(u16),
}

/// What a template says of its system part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) event_id: Part,
    pub(super) channel: Part,
}

/// A token ([MS-EVEN6] 2.2.12); the bit 0x40 says that more follow, or that attributes do.
enum Token {
    Open(String),
    Attribute,
    Close,
    CloseEmpty,
    End,
    Content(Part),
}

/// Reads the template whose body begins at `start` of the chunk; `None` where it is out of the ordinary.
pub(super) fn template(chunk: &[u8], start: usize, size: usize) -> Option<Template> {
    let end = start.checked_add(size)?;
    (bytes(chunk, start, 4)? == [0x0f, 1, 1, 0]).then_some(())?;
    let mut reader = Reader { chunk: chunk.get(..end)?, at: start + 4 };
    let mut open: Vec<String> = Vec::with_capacity(DEEPEST);
    let (mut event_id, mut channel) = (None, None);
    let mut in_tag = false;
    loop {
        match reader.token()? {
            Token::Open(name) => {
                let fits = match open.len() {
                    0 => name == "Event",
                    // The system part comes first.
                    1 => name == "System",
                    depth => depth < DEEPEST,
                };
                (fits && !in_tag).then_some(())?;
                open.push(name);
                in_tag = true;
            }
            Token::Attribute => in_tag.then_some(())?,
            Token::Close => in_tag = false,
            Token::CloseEmpty | Token::End => {
                in_tag = false;
                if open.pop()? == "System" {
                    return Some(Template { event_id: event_id?, channel: channel? });
                }
            }
            // Values of attributes say nothing of id and channel.
            Token::Content(_) if in_tag => {}
            Token::Content(part) => {
                let place = match (open.len(), open.last().map(String::as_str)) {
                    (DEEPEST, Some("EventID")) => &mut event_id,
                    (DEEPEST, Some("Channel")) => &mut channel,
                    _ => continue,
                };
                place.replace(part).is_none().then_some(())?;
            }
        }
    }
}

struct Reader<'c> {
    chunk: &'c [u8],
    at: usize,
}

impl Reader<'_> {
    fn token(&mut self) -> Option<Token> {
        const MORE: u8 = 0x40;
        let kind = *self.chunk.get(self.at)?;
        self.at += 1;
        Some(match kind & !MORE {
            0x01 => {
                // A number of what it depends on, and the size of its content.
                self.at += 6;
                let name = self.name()?;
                self.at += if kind & MORE == 0 { 0 } else { 4 };
                Token::Open(name)
            }
            0x02 if kind & MORE == 0 => Token::Close,
            0x03 if kind & MORE == 0 => Token::CloseEmpty,
            0x04 if kind & MORE == 0 => Token::End,
            0x05 => {
                (*self.chunk.get(self.at)? == 1).then_some(())?;
                let length = usize::from(u16_at(self.chunk, self.at + 1)?) * 2;
                let text = wide(bytes(self.chunk, self.at + 3, length)?)?;
                self.at += 3 + length;
                Token::Content(Part::Literal(text))
            }
            0x06 => {
                self.name()?;
                Token::Attribute
            }
            0x0d | 0x0e if kind & MORE == 0 => {
                let index = u16_at(self.chunk, self.at)?;
                self.at += 3;
                Token::Content(Part::Value(index))
            }
            _ => return None,
        })
    }

    /// The name that is pointed at; it stands right here where it is used for the first time.
    fn name(&mut self) -> Option<String> {
        let place = u32_at(self.chunk, self.at)? as usize;
        self.at += 4;
        // The next name of the same hash, the hash, the number of characters; a zero behind them.
        let length = usize::from(u16_at(self.chunk, place.checked_add(6)?)?) * 2;
        let name = wide(bytes(self.chunk, place.checked_add(8)?, length)?)?;
        if place == self.at {
            self.at = self.at.checked_add(length + 10)?;
        }
        Some(name)
    }
}
