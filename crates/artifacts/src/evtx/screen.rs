//! Tells the records of a chunk that cannot be wanted from those that must be read, without rendering any.
//!
//! Only what a chunk with right checksums says plainly is believed: whatever is out of the ordinary is read.
//! Sources of the format: [MS-EVEN6] 2.2.12 (BinXml); Joachim Metz, libevtx, "Windows XML Event Log (EVTX) format", sections 3 and 4.

use super::template::{Part, Template, template};
use super::{CHUNK_HEAD, RECORD_MAGIC};
use crate::fields::{bytes, u32_at, u64_at};
use std::collections::{BTreeMap, BTreeSet};

/// Whether an event of this id and channel may be wanted.
pub type Screen<'w> = dyn Fn(u32, &str) -> bool + 'w;

/// Bytes of a record's head, and of the fragment and of the instance of a template that follow it.
const RECORD_HEAD: usize = 24;
const FRAGMENT: [u8; 4] = [0x0f, 1, 1, 0];
const INSTANCE: usize = 10;

/// Bytes before the body of a template's definition: next definition, GUID, size.
const DEFINITION: usize = 24;

/// Types of values ([MS-EVEN6] 2.2.12, `ValueType`).
const STRING: u8 = 1;
const U8: u8 = 4;
const U16: u8 = 6;
const U32: u8 = 8;
const U64: u8 = 10;

/// The offsets of the records that may be wanted; `None` where that cannot be told of this chunk.
pub(super) fn screened(chunk: &[u8], wanted: &Screen<'_>) -> Option<BTreeSet<u64>> {
    let mut templates = BTreeMap::new();
    let mut offsets = BTreeSet::new();
    let (last, free) = (u64_at(chunk, 32)?, u32_at(chunk, 48)? as usize);
    let mut at = CHUNK_HEAD;
    while at < free {
        if bytes(chunk, at, 4)? != RECORD_MAGIC {
            return None;
        }
        let length = u32_at(chunk, at + 4)? as usize;
        let record = bytes(chunk, at, length).filter(|record| record.len() > RECORD_HEAD)?;
        if summary(chunk, record, at, &mut templates).is_none_or(|(id, channel)| wanted(id, &channel)) {
            offsets.insert(at as u64);
        }
        if u64_at(record, 8)? == last {
            break;
        }
        at += length;
    }
    Some(offsets)
}

/// The event id and the channel of a record, where they stand plainly.
fn summary(
    chunk: &[u8],
    record: &[u8],
    at: usize,
    templates: &mut BTreeMap<usize, Option<Template>>,
) -> Option<(u32, String)> {
    let instance = record.get(RECORD_HEAD..)?.strip_prefix(&FRAGMENT)?;
    (bytes(instance, 0, 2)? == [0x0c, 1]).then_some(())?;
    let definition = u32_at(instance, 6)? as usize;
    let behind = at + RECORD_HEAD + FRAGMENT.len() + INSTANCE;
    let own = if definition == behind {
        DEFINITION.checked_add(u32_at(chunk, definition.checked_add(20)?)? as usize)?
    } else {
        0
    };
    let values = instance.get(INSTANCE.checked_add(own)?..)?;
    let template = templates.entry(definition).or_insert_with(|| {
        let size = u32_at(chunk, definition.checked_add(20)?)? as usize;
        template(chunk, definition.checked_add(DEFINITION)?, size)
    });
    let Template { event_id, channel } = template.as_ref()?;
    Some((number(event_id, values)?, text(channel, values)?))
}

fn number(part: &Part, values: &[u8]) -> Option<u32> {
    let index = match part {
        Part::Literal(text) => return text.parse().ok(),
        Part::Value(index) => *index,
    };
    let (kind, value) = value(values, index)?;
    match kind {
        U8 => <[u8; 1]>::try_from(value).ok().map(|[byte]| byte.into()),
        U16 => <[u8; 2]>::try_from(value).ok().map(|value| u16::from_le_bytes(value).into()),
        U32 => <[u8; 4]>::try_from(value).ok().map(u32::from_le_bytes),
        U64 => <[u8; 8]>::try_from(value).ok().and_then(|value| u64::from_le_bytes(value).try_into().ok()),
        STRING => wide(value)?.parse().ok(),
        _ => None,
    }
}

fn text(part: &Part, values: &[u8]) -> Option<String> {
    match part {
        Part::Literal(text) => Some(text.clone()),
        Part::Value(index) => {
            value(values, *index).filter(|(kind, _)| *kind == STRING).and_then(|(_, value)| wide(value))
        }
    }
}

/// The type and the bytes of a value: a count, as many sizes with types, and then the values themselves.
fn value(values: &[u8], index: u16) -> Option<(u8, &[u8])> {
    let (count, index) = (u32_at(values, 0)? as usize, usize::from(index));
    let mut at = 4_usize.checked_add(count.checked_mul(4)?)?;
    let mut found = None;
    // All are looked at: a value of another size than its type has makes it doubtful where the others begin.
    for (number, descriptor) in values.get(4..at)?.as_chunks::<4>().0.iter().enumerate() {
        let [low, high, kind, _] = *descriptor;
        let value = bytes(values, at, u16::from_le_bytes([low, high]).into())?;
        is_sound(kind, value).then_some(())?;
        if number == index {
            found = Some((kind, value));
        }
        at += value.len();
    }
    found
}

/// Whether a value has the size of its type.
fn is_sound(kind: u8, value: &[u8]) -> bool {
    let size = value.len();
    match kind {
        // Nothing, a text of either kind, bytes, BinXml.
        0 | STRING | 2 | 14 | 0x21 => true,
        3 | U8 => size == 1,
        5 | U16 => size == 2,
        7 | U32 | 11 | 13 | 20 => size == 4,
        9 | U64 | 12 | 17 | 21 => size == 8,
        // A GUID, a SYSTEMTIME.
        15 | 18 => size == 16,
        // A SID by the number of its parts.
        19 => value.get(1).is_some_and(|parts| size == 8 + 4 * usize::from(*parts)),
        _ => false,
    }
}

/// A text that is not empty, sound, and without an end mark.
pub(super) fn wide(value: &[u8]) -> Option<String> {
    let (units, rest) = value.as_chunks::<2>();
    let text: String = char::decode_utf16(units.iter().map(|unit| u16::from_le_bytes(*unit)))
        .collect::<Result<_, _>>()
        .ok()?;
    (rest.is_empty() && !text.is_empty() && !text.contains('\0')).then_some(text)
}
