//! Writing rows of the two tables.

use crate::prepare::PreparedPayload;
use ledger::Link;
use rusqlite::Connection;
use rusqlite::types::{ToSqlOutput, ValueRef};

/// Stores a link under its event's name.
pub(crate) fn insert_event(connection: &Connection, link: &Link, name: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO events (position, stream, sequence, name, event, circumstance, stream_hash, run_hash) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let position = i64::try_from(link.position)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    connection.prepare_cached(sql)?.execute((
        position,
        link.stream.number(),
        link.sequence,
        name,
        ToSqlOutput::Borrowed(ValueRef::Text(&link.event)),
        ToSqlOutput::Borrowed(ValueRef::Text(&link.circumstance)),
        link.stream_hash.as_bytes().as_slice(),
        link.run_hash.as_bytes().as_slice(),
    ))?;
    Ok(())
}

/// Stores the payload unless it is already stored; returns how many were added.
pub(crate) fn insert_payload(connection: &Connection, payload: &PreparedPayload) -> rusqlite::Result<u64> {
    let sql = "INSERT INTO payloads (digest, encoding, length, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    let length = i64::try_from(payload.length)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let added = connection.prepare_cached(sql)?.execute((
        payload.digest.as_bytes().as_slice(),
        payload.body.encoding().name(),
        length,
        payload.body.bytes(),
    ))?;
    Ok(added as u64)
}
