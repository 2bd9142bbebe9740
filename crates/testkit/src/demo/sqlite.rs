//! SQLite files whose bytes depend only on their content, and their write-ahead logs.
//!
//! SQLite lays out the pages in memory; what it would fill in from its own version and from randomness is set here.
//! The format is that of sqlite.org/fileformat2.html, sections 1.3 "The Database Header" and 4 "The Write-Ahead Log".

use rusqlite::{Connection, MAIN_DB};

const PAGE: usize = 4096;
/// The magic number of a log with little-endian checksums, its format and its salts.
const MAGIC: u32 = 0x377f_0682;
const FORMAT: u32 = 3_007_000;
const SALTS: [u32; 2] = [0x4c6f_6361, 0x7264_2121];
/// The version of SQLite named as the last writer.
const WRITER: u32 = 3_046_000;

/// A database file, and what is only in its write-ahead log.
pub(crate) struct Database {
    /// The file, marked as having a write-ahead log.
    pub(crate) main: Vec<u8>,
    /// The `-wal` file next to it.
    pub(crate) log: Vec<u8>,
}

/// Builds a database with `fill`, in rollback journal mode and without a journal.
pub(crate) fn plain(fill: impl FnOnce(&Connection) -> rusqlite::Result<()>) -> rusqlite::Result<Vec<u8>> {
    let mut connection = opened()?;
    fill(&connection)?;
    image(&mut connection, 1)
}

/// Builds a database with `fill`, and a log with the changes of `later` as one transaction.
pub(crate) fn logged(
    fill: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    later: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<Database> {
    let mut connection = opened()?;
    fill(&connection)?;
    let main = image(&mut connection, 2)?;
    later(&connection)?;
    let log = log(&main, &image(&mut connection, 2)?);
    Ok(Database { main, log })
}

fn opened() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.pragma_update(None, "page_size", PAGE as u32)?;
    Ok(connection)
}

/// Returns the pages as a file; `version` is 1 for a rollback journal and 2 for a write-ahead log.
fn image(connection: &mut Connection, version: u8) -> rusqlite::Result<Vec<u8>> {
    let mut bytes = connection.serialize(MAIN_DB)?.to_vec();
    let pages = (bytes.len() / PAGE) as u32;
    let mut put = |at: usize, field: &[u8]| {
        bytes.iter_mut().skip(at).zip(field).for_each(|(slot, byte)| *slot = *byte);
    };
    put(18, &[version, version]);
    // The change counter, and the counter value for which the size and the writer version are valid.
    put(24, &1_u32.to_be_bytes());
    put(28, &pages.to_be_bytes());
    put(92, &1_u32.to_be_bytes());
    put(96, &WRITER.to_be_bytes());
    Ok(bytes)
}

/// Builds a log that turns one state of a file into a later one: a frame for each page that differs; the last one commits.
fn log(before: &[u8], after: &[u8]) -> Vec<u8> {
    let mut log: Vec<u8> = [MAGIC, FORMAT, PAGE as u32, 0, SALTS[0], SALTS[1]].map(u32::to_be_bytes).concat();
    let mut sum = checksum([0, 0], &log);
    log.extend(sum.map(u32::to_be_bytes).concat());
    let pages = after.chunks_exact(PAGE).enumerate();
    let changed: Vec<(usize, &[u8])> =
        pages.filter(|(index, page)| before.chunks_exact(PAGE).nth(*index) != Some(*page)).collect();
    for (place, (index, page)) in changed.iter().enumerate() {
        let commit = if place + 1 == changed.len() { after.len() / PAGE } else { 0 };
        let head = [*index as u32 + 1, commit as u32].map(u32::to_be_bytes).concat();
        sum = checksum(checksum(sum, &head), page);
        log.extend(head);
        log.extend([SALTS, sum].concat().into_iter().flat_map(u32::to_be_bytes));
        log.extend(*page);
    }
    log
}

/// Computes the log's running checksum over pairs of words, each added to the other sum.
fn checksum(sum: [u32; 2], bytes: &[u8]) -> [u32; 2] {
    let word = |part: &[u8]| part.iter().rev().fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
    bytes.chunks_exact(8).fold(sum, |[first, second], pair| {
        let (left, right) = pair.split_at(4);
        let first = first.wrapping_add(word(left)).wrapping_add(second);
        [first, second.wrapping_add(word(right)).wrapping_add(first)]
    })
}
