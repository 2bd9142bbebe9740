//! Events exported from a log as text: XML, or JSON in the shapes of several programs.
//!
//! A file is split into the texts of single events, whatever surrounds them: `<Events>`, a declaration before
//! each, an array, or one line each.
//! An event becomes the same names and values as a record of the log itself ([`Event`]), with the place of each
//! in the file.
//! Nothing is expanded: no entities, no document types, no references to other files.
//!
//! Sources of the shapes: [MS-EVEN6] 2.2.13 and the event schema (`wevtutil`, `Get-WinEvent`); the JSON of
//! `evtx_dump` (crate `evtx`), which Hayabusa also reads; Elastic's fields of Winlogbeat; NXLog's fields of
//! `im_msvistalog`, as flattened records hold them; `System.Diagnostics.Eventing.Reader.EventLogRecord` as
//! `ConvertTo-Json` writes it.

mod begin;
mod exported;
mod json;
mod shapes;
mod split;
mod time;
mod xml;

pub use begin::{Begun, Form, begins};
pub use exported::Exported;
pub use time::{SourceTime, source_time};

use crate::evtx::Event;
use split::{Piece, Splitter};
use std::ops::ControlFlow;
use thiserror::Error;

/// The longest event that is read, in bytes: a log record has 64 KiB, and escapes make it longer.
pub const LONGEST: usize = 4 << 20;

/// The maximum nesting depth of elements and values.
const DEEPEST: usize = 64;

/// An item found in a file, in file order.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "made and taken apart once a record: a box would cost more")]
pub enum TextFound<'a> {
    /// An event.
    Event(Event<'a>),
    /// Damage that may hide events.
    Damage(TextDamage),
}

/// A place in the file that does not hold an event.
#[derive(Debug)]
pub struct TextDamage {
    /// Offset from the start of the text, in bytes.
    pub offset: u64,
    /// What is wrong there.
    pub what: TextDamageKind,
}

/// What is wrong with a piece of an exported log.
#[derive(Debug, Error)]
pub enum TextDamageKind {
    /// Something between two events is not an event.
    #[error("{length} bytes between events that are none")]
    Between {
        /// Its length in bytes.
        length: u64,
    },
    /// The text ends within an event.
    #[error("the text ends within an event")]
    Cut,
    /// A text begins like an event, but does not end like one before the next begins.
    #[error("an event that breaks off: {because}")]
    Broken {
        /// The sign of that.
        because: &'static str,
    },
    /// An event is longer than the longest that is read.
    #[error("an event of more than {LONGEST} bytes")]
    Long,
    /// Some bytes are not characters of the encoding; the event was read without them.
    #[error("bytes that are no text of the encoding")]
    Encoding,
    /// A value is not valid JSON.
    #[error("expected JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// An event lacks a part that every event has.
    #[error("an event has no {0}")]
    Lacks(&'static str),
    /// A name occurs twice in one object: the first value counts.
    #[error("{name:?} stands twice in an event: the first one counts")]
    Twice {
        /// The name.
        name: String,
    },
}

/// Reads the events of a text, which `next` returns piece by piece: as many bytes as fit, none at the end.
///
/// No more than one event is held at a time.
///
/// # Errors
///
/// Those of `next`.
pub fn read<E>(
    begun: Begun,
    next: &mut dyn FnMut(&mut [u8]) -> Result<usize, E>,
    visit: &mut dyn FnMut(TextFound<'_>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, E> {
    let mut splitter = Splitter::new(begun);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let got = next(&mut buffer)?;
        let bytes = buffer.get(..got).unwrap_or_default();
        let mut take = |piece: Piece<'_>| match piece {
            Piece::Event(raw, offset) => event(begun, raw, offset, visit),
            Piece::Damage(offset, what) => visit(TextFound::Damage(TextDamage { offset, what })),
        };
        let flow = if bytes.is_empty() { splitter.end(&mut take) } else { splitter.feed(bytes, &mut take) };
        if bytes.is_empty() || flow.is_break() {
            return Ok(flow);
        }
    }
}

/// Reads the text of one event.
fn event(
    begun: Begun,
    raw: &[u8],
    offset: u64,
    visit: &mut dyn FnMut(TextFound<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (text, lost) = decoded(raw, begun.wide);
    let mut damage = |what| visit(TextFound::Damage(TextDamage { offset, what }));
    if lost {
        damage(TextDamageKind::Encoding)?;
    }
    let place = exported::Ground { text: &text, wide: begun.wide, offset, is_exact: !lost };
    let read = match begun.form {
        Form::Xml => xml::read(&text, &place),
        Form::Json => shapes::read(&text, &place, &mut damage),
    };
    match read {
        Ok(Some((system, data, exported))) => {
            let mut event = Event::of(system, data, raw, offset);
            event.exported = Some(exported);
            visit(TextFound::Event(event))
        }
        Ok(None) => ControlFlow::Continue(()),
        Err(what) => damage(what),
    }
}

/// Decodes bytes to text; also returns whether some were not characters.
fn decoded(raw: &[u8], wide: bool) -> (std::borrow::Cow<'_, str>, bool) {
    if !wide {
        let text = String::from_utf8_lossy(raw);
        let lost = matches!(text, std::borrow::Cow::Owned(_));
        return (text, lost);
    }
    let mut lost = !raw.len().is_multiple_of(2);
    let units = raw.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
    let text = char::decode_utf16(units).map(|unit| {
        unit.unwrap_or_else(|_| {
            lost = true;
            char::REPLACEMENT_CHARACTER
        })
    });
    (text.collect::<String>().into(), lost)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests;
