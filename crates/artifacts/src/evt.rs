//! Event logs of Windows before Vista (`.evt`).
//!
//! Source of the format: [MS-EVEN] 2.2.3 and the `EVENTLOGRECORD` structure (winnt.h); Joachim Metz, libevt,
//! "Windows Event Log (EVT) format".
//! Records are found by their signature wherever they are. So a log whose header is wrong or that was not closed
//! still gives all its records, including discarded ones that were not yet overwritten.

use crate::evtx::{Event, System};
use crate::fields::{bytes, u16_at, u32_at};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// The signature in the header and in every record, after a size.
const MAGIC: &[u8; 4] = b"LfLe";

/// Size of the header in bytes.
const HEAD: usize = 48;

/// Size of a record before its texts, in bytes.
const FIXED: usize = 56;

/// Size of the largest record that is read, in bytes.
const LARGEST: usize = 1 << 20;

/// Seconds from 1601-01-01 to 1970-01-01.
const EPOCH: u64 = 11_644_473_600;

/// The header of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvtHead {
    /// The number that the next record will get.
    pub next_record_id: u32,
    /// Whether it was written to and not closed since.
    pub dirty: bool,
    /// Whether the log was full: records were refused or dropped.
    pub full: bool,
}

/// An item found in a log.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "made and taken apart once a record: a box would cost more")]
pub enum EvtFound<'a> {
    /// A record.
    Event(Event<'a>),
    /// Something at this offset begins like a record but is not one.
    Damage {
        /// Offset from the start of the file, in bytes.
        offset: u64,
    },
}

/// Checks whether a file begins like such a log.
pub fn is_log(head: &[u8]) -> bool {
    u32_at(head, 0) == Some(HEAD as u32) && bytes(head, 4, 4) == Some(MAGIC)
}

/// Reads the header of a log.
pub fn head(log: &[u8]) -> Option<EvtHead> {
    let flags = u32_at(log, 36)?;
    Some(EvtHead { next_record_id: u32_at(log, 24)?, dirty: flags & 1 != 0, full: flags & 4 != 0 })
}

/// Reads the records of a log in the order of their numbers.
pub fn read(log: &[u8], visit: &mut dyn FnMut(EvtFound<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut places: Vec<(u32, usize)> = memchr::memmem::find_iter(log, MAGIC)
        .filter_map(|mark| mark.checked_sub(4))
        .filter(|start| *start >= HEAD)
        .filter_map(|start| Some((u32_at(log, start + 8)?, start)))
        .collect();
    places.sort_unstable();
    for (_, start) in places {
        match whole(log, start) {
            Some(raw) => {
                let found = record(&raw, start).map(EvtFound::Event);
                visit(found.unwrap_or(EvtFound::Damage { offset: start as u64 }))?;
            }
            None => visit(EvtFound::Damage { offset: start as u64 })?,
        }
    }
    ControlFlow::Continue(())
}

/// Returns the bytes of a record; one that extends beyond the end of the file continues after the header.
fn whole(log: &[u8], start: usize) -> Option<Cow<'_, [u8]>> {
    let length = u32_at(log, start)? as usize;
    if !(FIXED + 4..=LARGEST).contains(&length) {
        return None;
    }
    let raw = match bytes(log, start, length) {
        Some(raw) => Cow::Borrowed(raw),
        None => {
            let first = log.get(start..)?;
            Cow::Owned([first, bytes(log, HEAD, length - first.len())?].concat())
        }
    };
    (u32_at(&raw, length - 4)? as usize == length).then_some(raw)
}

fn record(raw: &[u8], start: usize) -> Option<Event<'_>> {
    let id = u32_at(raw, 20)?;
    let seconds = u32_at(raw, 12)?;
    let (source, next) = text(raw, FIXED)?;
    let (computer, _) = text(raw, next)?;
    let user = match u32_at(raw, 40)? {
        0 => None,
        _ => crate::sid::sid(raw, u32_at(raw, 44)? as usize).map(|sid| Cow::Owned(sid.value)),
    };
    let mut data = Vec::new();
    let mut at = u32_at(raw, 36)? as usize;
    for number in 0..u16_at(raw, 26)? {
        let Some((value, next)) = text(raw, at) else { break };
        data.push((format!("data{number}").into(), value));
        at = next;
    }
    let binary =
        bytes(raw, u32_at(raw, 52)? as usize, u32_at(raw, 48)? as usize).filter(|part| !part.is_empty());
    if let Some(binary) = binary {
        let digits: String = binary.iter().map(|byte| format!("{byte:02X}")).collect();
        data.push(("Binary".into(), digits.into()));
    }
    let kind = u16_at(raw, 24)?;
    let system = System {
        provider: source,
        event_id: id & 0xFFFF,
        qualifiers: Some(id >> 16),
        level: level(kind),
        task: u16_at(raw, 28).map(u32::from),
        created: Some((EPOCH + u64::from(seconds)) * 10_000_000),
        record_id: Some(u32_at(raw, 8)?.into()),
        computer,
        user,
        ..System::default()
    };
    let mut event = Event::of(system, data, raw, start as u64);
    event.written = u64::from(seconds);
    Some(event)
}

/// Returns the level of a type of event (`EVENTLOG_*_TYPE`, winnt.h); audits have none.
fn level(kind: u16) -> Option<u32> {
    match kind {
        1 => Some(2),
        2 => Some(3),
        0 | 4 => Some(4),
        _ => None,
    }
}

/// Reads UTF-16LE up to its NUL, and returns where it ends.
fn text(raw: &[u8], at: usize) -> Option<(Cow<'_, str>, usize)> {
    let pairs = raw.get(at..)?.as_chunks::<2>().0;
    let length = pairs.iter().position(|pair| *pair == [0, 0])?;
    let units = pairs.iter().take(length).map(|pair| u16::from_le_bytes(*pair));
    let text = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Some((Cow::Owned(text), at + length * 2 + 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log() -> Vec<u8> {
        testkit::evtx::old_log(
            "Security",
            "PC",
            &[(1, 1_333_504_720, 528, "ann"), (2, 1_333_504_730, 538, "bob")],
        )
    }

    fn found(log: &[u8]) -> (Vec<(u64, u32, String)>, usize) {
        let (mut events, mut damage) = (Vec::new(), 0);
        let _ = read(log, &mut |found| {
            match found {
                EvtFound::Event(event) => {
                    let data = event.data().iter().map(|(name, value)| format!("{name}={value}")).collect();
                    events.push((event.record_id, event.system.event_id, data));
                }
                EvtFound::Damage { .. } => damage += 1,
            }
            ControlFlow::Continue(())
        });
        (events, damage)
    }

    #[test]
    fn records_are_read_with_their_texts() {
        let log = log();
        assert!(is_log(&log) && head(&log).unwrap().next_record_id == 3);
        let (events, damage) = found(&log);
        assert_eq!(events, [(1, 528, "data0=ann".to_owned()), (2, 538, "data0=bob".to_owned())]);
        assert_eq!(damage, 0);
    }

    #[test]
    fn a_record_that_goes_on_behind_the_head_is_joined() {
        let log = log();
        let (head, records) = log.split_at(HEAD);
        // The last 40 bytes are the end record: the second record is split.
        let (before, after) = records.split_at(records.len() - 40 - 20);
        let turned = [head, &after[..20], before].concat();
        let (events, _) = found(&turned);
        assert_eq!(events.len(), 2);
    }

    proptest! {
        #[test]
        fn damaged_logs_are_read_without_panic(at in 0usize..400, value: u8, cut in 0usize..400) {
            let mut log = log();
            if let Some(byte) = log.get_mut(at) {
                *byte = value;
            }
            log.truncate(log.len().saturating_sub(cut));
            let _ = found(&log);
        }
    }
}
