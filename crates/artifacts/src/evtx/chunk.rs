//! One chunk: the library finds and renders its records, and its failures on damaged bytes are contained here.

use super::event::Event;
use super::{CHUNK, CHUNK_HEAD, CHUNK_MAGIC, Found, LogDamage, LogDamageKind, RECORD_MAGIC};
use crate::fields::{bytes, u32_at, u64_at};
use evtx::err::{ChunkError, EvtxError};
use evtx::{EvtxChunk, EvtxChunkHeader, EvtxRecord, ParserSettings, checksum_ieee};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Size of a record header in bytes: signature, size, number, time.
const RECORD_HEAD: u64 = 24;

/// The table of names in the header of a chunk: the names themselves are where they are used.
const NAME_TABLE: std::ops::Range<usize> = 128..384;

/// Reads the records of a chunk that begins at `base`; `held` of its bytes are in the file, the others are zero.
pub(super) fn read(
    mut data: Vec<u8>,
    held: usize,
    base: u64,
    visit: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let damage = |what| Found::Damage(LogDamage { offset: base, record_id: None, what });
    if held < CHUNK {
        visit(damage(LogDamageKind::Cut { expected: CHUNK, actual: held }))?;
    }
    if !data.starts_with(CHUNK_MAGIC) {
        let tried = bytes(&data, CHUNK_HEAD, 4) == Some(RECORD_MAGIC);
        visit(damage(LogDamageKind::NoChunk { tried }))?;
        if !tried {
            return ControlFlow::Continue(());
        }
        put_head(&mut data);
    } else {
        if checked(&data, held) == Some(false) {
            visit(Found::Checksum { offset: base })?;
        }
    }
    let place = Place { held, base };
    match records(&data, &place, visit) {
        Err(LogDamageKind::Chunk(ChunkError::FailedToBuildStringCache { .. })) => {
            if let Some(table) = data.get_mut(NAME_TABLE) {
                table.fill(0);
            }
            records(&data, &place, visit).unwrap_or_else(|what| visit(damage(what)))
        }
        read => read.unwrap_or_else(|what| visit(damage(what))),
    }
}

/// Checks the checksums; `None` if the chunk is incomplete or has none.
fn checked(data: &[u8], held: usize) -> Option<bool> {
    const NONE: u32 = 4;
    if held < CHUNK || u32_at(data, 120)? & NONE != 0 {
        return None;
    }
    // The header's checksum leaves out the flags and itself.
    let head = [bytes(data, 0, 120)?, data.get(128..CHUNK_HEAD)?].concat();
    let free = u32_at(data, 48)? as usize;
    let records = data.get(CHUNK_HEAD..free).map(checksum_ieee);
    Some(u32_at(data, 124)? == checksum_ieee(&head) && Some(u32_at(data, 52)?) == records)
}

/// Writes a header before records that have none; its range of record numbers includes every record.
fn put_head(data: &mut [u8]) {
    let fields: [(usize, &[u8]); 5] = [
        (0, CHUNK_MAGIC),
        (24, &0_u64.to_le_bytes()),
        (32, &u64::MAX.to_le_bytes()),
        (40, &128_u32.to_le_bytes()),
        (44, &(CHUNK as u32).to_le_bytes()),
    ];
    if let Some(head) = data.get_mut(..CHUNK_HEAD) {
        head.fill(0);
    }
    for (at, value) in fields.into_iter().chain([(48, &(CHUNK as u32).to_le_bytes()[..])]) {
        if let Some(field) = data.get_mut(at..at + value.len()) {
            field.copy_from_slice(value);
        }
    }
}

/// The location of a chunk in its file.
struct Place {
    /// Number of its bytes that are in the file.
    held: usize,
    /// Where it begins.
    base: u64,
}

fn records(
    data: &[u8],
    place: &Place,
    visit: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, LogDamageKind> {
    let settings = Arc::new(ParserSettings::new().indent(false));
    let panicked = || LogDamageKind::Panic { what: "a chunk" };
    let header = guarded(|| EvtxChunkHeader::from_bytes(data)).ok_or_else(panicked)?;
    let header = header.map_err(|error| LogDamageKind::Chunk(error.into()))?;
    let chunk = guarded(|| EvtxChunk::new(data, &header, settings)).ok_or_else(panicked)?;
    let mut chunk = chunk.map_err(LogDamageKind::Chunk)?;
    let mut records = chunk.iter();
    loop {
        let flow = match guarded(|| records.next()) {
            None => {
                let what = LogDamageKind::Panic { what: "a record" };
                return Ok(visit(Found::Damage(LogDamage { offset: place.base, record_id: None, what })));
            }
            Some(None) => return Ok(ControlFlow::Continue(())),
            Some(Some(Ok(record))) => one(record, data, place, visit),
            Some(Some(Err(error))) => visit(Found::Damage(damaged(error, place.base))),
        };
        if flow.is_break() {
            return Ok(flow);
        }
    }
}

fn damaged(error: EvtxError, base: u64) -> LogDamage {
    let (offset, record_id) = match &error {
        EvtxError::FailedToReadRecordAt { offset, .. } => (base.saturating_add(*offset), None),
        EvtxError::FailedToParseRecord { record_id, .. } => (base, Some(*record_id)),
        _ => (base, None),
    };
    LogDamage { offset, record_id, what: LogDamageKind::Record(error) }
}

fn one(
    record: EvtxRecord<'_>,
    data: &[u8],
    place: &Place,
    visit: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let record_id = record.event_record_id;
    let at = record.binxml_offset.saturating_sub(RECORD_HEAD);
    let offset = place.base.saturating_add(at);
    let lost = |what| Found::Damage(LogDamage { offset, record_id: Some(record_id), what });
    let start = usize::try_from(at).unwrap_or(usize::MAX);
    let (Some(length), Some(written)) =
        (u32_at(data, start.saturating_add(4)), u64_at(data, start.saturating_add(16)))
    else {
        return visit(lost(LogDamageKind::Lacks("head")));
    };
    if at.saturating_add(length.into()) > place.held as u64 {
        return visit(lost(LogDamageKind::RecordCut));
    }
    let raw = bytes(data, start, length as usize).unwrap_or_default();
    let text = match guarded(|| record.into_xml()) {
        None => return visit(lost(LogDamageKind::Panic { what: "a record" })),
        Some(Err(error)) => return visit(lost(LogDamageKind::Record(error))),
        Some(Ok(rendered)) => rendered.data,
    };
    match Event::read(&text) {
        Ok(event) => {
            visit(Found::Event(Event { offset, chunk: place.base, record_id, written, raw, ..event }))
        }
        Err(lacking) => visit(lost(LogDamageKind::Lacks(lacking))),
    }
}

/// Calls the library; `None` if it panicked.
fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}
