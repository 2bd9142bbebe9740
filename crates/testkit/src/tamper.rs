//! Ways of changing a copy of a run without knowledge of its structure: bytes, rows, columns.

#![expect(clippy::ptr_arg, reason = "some changes alter the length, and all have one type")]
use crate::random::Random;
use rusqlite::Connection;
use std::io;
use std::path::Path;

/// One way of changing a run.
pub struct Kind {
    /// Its name in a table.
    pub name: &'static str,
    /// Changes the copy in this folder; returns what it did.
    pub change: fn(&Path, &mut Random) -> io::Result<String>,
}

const fn kind(name: &'static str, change: fn(&Path, &mut Random) -> io::Result<String>) -> Kind {
    Kind { name, change }
}

/// Every way of changing a run.
pub const KINDS: &[Kind] = &[
    kind("run.db: a bit flipped", |copy, random| bytes(copy, "run.db", random, flip)),
    kind("run.db: 16 bytes overwritten", |copy, random| bytes(copy, "run.db", random, overwrite)),
    kind("run.db: 64 bytes of zeros", |copy, random| bytes(copy, "run.db", random, zero)),
    kind("run.db: a byte inserted", |copy, random| bytes(copy, "run.db", random, insert)),
    kind("run.db: a byte deleted", |copy, random| bytes(copy, "run.db", random, delete)),
    kind("run.db: two pages exchanged", |copy, random| bytes(copy, "run.db", random, exchange)),
    kind("run.db: cut", |copy, random| bytes(copy, "run.db", random, cut)),
    kind("manifest.json: a bit flipped", |copy, random| bytes(copy, "manifest.json", random, flip)),
    kind("manifest.json: cut", |copy, random| bytes(copy, "manifest.json", random, cut)),
    kind("events.position: raised", |copy, random| number(copy, random, "events", "position", 1_000_000)),
    kind("events.stream: another", |copy, random| number(copy, random, "events", "stream", 100)),
    kind("events.sequence: raised", |copy, random| number(copy, random, "events", "sequence", 1_000_000)),
    kind("events.name: a byte", |copy, random| column(copy, random, "events", "name", "TEXT")),
    kind("events.event: a byte", |copy, random| column(copy, random, "events", "event", "TEXT")),
    kind("events.circumstance: a byte", |copy, random| {
        column(copy, random, "events", "circumstance", "TEXT")
    }),
    kind("events.stream_hash: a byte", |copy, random| column(copy, random, "events", "stream_hash", "BLOB")),
    kind("events.run_hash: a byte", |copy, random| column(copy, random, "events", "run_hash", "BLOB")),
    kind("payloads.digest: a byte", |copy, random| column(copy, random, "payloads", "digest", "BLOB")),
    kind("payloads.body: a byte", |copy, random| column(copy, random, "payloads", "body", "BLOB")),
    kind("payloads.encoding: the other one", |copy, random| {
        row(
            copy,
            random,
            "payloads",
            "UPDATE payloads SET encoding = CASE encoding WHEN 'raw' THEN 'zstd' ELSE 'raw' END WHERE rowid = ?1",
        )
    }),
    kind("payloads.length: raised", |copy, random| {
        row(copy, random, "payloads", "UPDATE payloads SET length = length + 1 WHERE rowid = ?1")
    }),
    kind("events: a row deleted", |copy, random| {
        row(copy, random, "events", "DELETE FROM events WHERE rowid = ?1")
    }),
    kind("payloads: a row deleted", |copy, random| {
        row(copy, random, "payloads", "DELETE FROM payloads WHERE rowid = ?1")
    }),
    kind("events: a row doubled at the end", |copy, random| {
        row(
            copy,
            random,
            "events",
            "INSERT INTO events SELECT (SELECT max(position) + 1 FROM events), stream, (SELECT max(sequence) + 1 FROM events), name, event, circumstance, stream_hash, run_hash FROM events WHERE rowid = ?1",
        )
    }),
    kind("payloads: a row added", |copy, random| {
        row(
            copy,
            random,
            "payloads",
            "INSERT INTO payloads SELECT randomblob(32), encoding, length, body FROM payloads WHERE rowid = ?1",
        )
    }),
    kind("payloads: the body of another", |copy, random| {
        row(
            copy,
            random,
            "payloads",
            "UPDATE payloads SET (encoding, length, body) = (SELECT encoding, length, body FROM payloads WHERE rowid <> ?1 ORDER BY abs(rowid - ?1) LIMIT 1) WHERE rowid = ?1",
        )
    }),
    kind("events: two neighbours exchanged", |copy, random| {
        row(
            copy,
            random,
            "events",
            "UPDATE events SET (event, name) = (SELECT event, name FROM events AS other WHERE other.position = (events.position + 1) % (SELECT count(*) FROM events)) WHERE rowid = ?1",
        )
    }),
    kind("events: an event of another time", |copy, random| {
        row(
            copy,
            random,
            "events",
            "UPDATE events SET circumstance = (SELECT circumstance FROM events AS other WHERE other.circumstance <> events.circumstance LIMIT 1) WHERE rowid = ?1",
        )
    }),
];

/// Writes a file of a copy.
#[expect(clippy::disallowed_methods, reason = "the campaign changes its own copies")]
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    std::fs::write(path, bytes)
}

/// Changes the bytes of a file.
fn bytes(
    copy: &Path,
    name: &str,
    random: &mut Random,
    change: fn(&mut Vec<u8>, &mut Random) -> String,
) -> io::Result<String> {
    let path = copy.join(name);
    let mut bytes = std::fs::read(&path)?;
    let what = change(&mut bytes, random);
    write(&path, &bytes)?;
    Ok(what)
}

fn flip(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let at = random.below(bytes.len());
    let bit = random.below(8);
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << bit;
    }
    format!("byte {at}, bit {bit}")
}

fn overwrite(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let at = random.below(bytes.len());
    for byte in bytes.iter_mut().skip(at).take(16) {
        *byte = random.below(256) as u8;
    }
    format!("from byte {at}")
}

fn zero(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let at = random.below(bytes.len());
    bytes.iter_mut().skip(at).take(64).for_each(|byte| *byte = 0);
    format!("from byte {at}")
}

fn insert(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let at = random.below(bytes.len());
    bytes.insert(at, random.below(256) as u8);
    format!("at byte {at}")
}

fn delete(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let at = random.below(bytes.len());
    bytes.remove(at);
    format!("byte {at}")
}

fn cut(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let length = random.below(bytes.len());
    bytes.truncate(length);
    format!("to {length} bytes")
}

/// The page size of SQLite in the store.
const PAGE: usize = 4096;

fn exchange(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let pages = bytes.len() / PAGE;
    let (a, b) = (random.below(pages), random.below(pages));
    for offset in 0..PAGE {
        bytes.swap(a * PAGE + offset, b * PAGE + offset);
    }
    format!("pages {a} and {b}")
}

fn number(copy: &Path, random: &mut Random, table: &str, name: &str, by: u32) -> io::Result<String> {
    let by = 1 + random.below(by as usize);
    row(copy, random, table, &format!("UPDATE {table} SET {name} = {name} + {by} WHERE rowid = ?1"))
}

/// Changes one byte in a column of a row.
fn column(copy: &Path, random: &mut Random, table: &str, name: &str, kind: &str) -> io::Result<String> {
    let (at, byte) = (random.below(1 << 20), random.below(256));
    let old = format!("CAST({name} AS BLOB)");
    let at = format!("({at} % length({old}) + 1)");
    let sql = format!(
        "UPDATE {table} SET {name} = CAST(substr({old}, 1, {at} - 1) || x'{byte:02x}' || substr({old}, {at} + 1) AS {kind}) WHERE rowid = ?1"
    );
    row(copy, random, table, &sql)
}

/// Changes one row by SQL, with the triggers dropped and then restored.
fn row(copy: &Path, random: &mut Random, table: &str, sql: &str) -> io::Result<String> {
    let connection = Connection::open(copy.join("run.db")).map_err(io::Error::other)?;
    let (drop_all, restore) = guards(&connection).map_err(io::Error::other)?;
    let count: i64 = connection
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
        .map_err(io::Error::other)?;
    let nth = random.below(usize::try_from(count).unwrap_or(0));
    let rowid: i64 = connection
        .query_row(&format!("SELECT rowid FROM {table} LIMIT 1 OFFSET {nth}"), [], |row| row.get(0))
        .map_err(io::Error::other)?;
    connection.execute_batch(&drop_all).map_err(io::Error::other)?;
    // If the tables' own constraints refuse a change, it is found before anybody verifies.
    let changed = connection.execute(sql, [rowid]);
    connection.execute_batch(&restore).map_err(io::Error::other)?;
    Ok(format!("row {rowid}, {changed:?}"))
}

/// Returns the SQL that drops the triggers and the view of a run, and the SQL that restores them.
pub(crate) fn guards(connection: &Connection) -> rusqlite::Result<(String, String)> {
    let mut select = connection.prepare(
        "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY rowid",
    )?;
    let found: Vec<(String, String, String)> =
        select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect::<Result<_, _>>()?;
    let drop_all = found.iter().map(|(kind, name, _)| format!("DROP {kind} {name};")).collect();
    Ok((drop_all, found.iter().map(|(.., sql)| format!("{sql};")).collect()))
}
