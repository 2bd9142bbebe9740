//! Any change to a sealed file is detected, or has no meaning.

use crate::common::{fact, noise, output, plain, task, write};
use ledger::event::{Event, Format};
use ledger::{Circumstance, FORMAT, Link, Stream};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use store::{Durability, FILE_NAME, OpenError, PayloadEntry, Place, ReadError, Reader, SchemaError, Writer};

type Failure = Box<dyn Error + Send + Sync>;

/// Everything that a run contains.
#[derive(Debug, PartialEq)]
struct Content {
    events: Vec<(Link, Event, Circumstance)>,
    payloads: Vec<(PayloadEntry, Vec<u8>)>,
}

/// Reads a run as a verifier does.
fn content(folder: &Path) -> Result<Content, Failure> {
    let reader = Reader::open(folder)?;
    reader.check_schema()?;
    let events = reader.events().collect::<Result<Vec<_>, _>>()?;
    let links = reader.links().collect::<Result<Vec<_>, _>>()?;
    assert!(links.iter().eq(events.iter().map(|(link, _, _)| link)));
    let mut payloads = Vec::new();
    for entry in reader.payload_index()? {
        let entry = entry?;
        payloads.push((entry, reader.payload(&entry.digest)?.ok_or("an indexed payload is not found")?));
    }
    Ok(Content { events, payloads })
}

/// Records a small sealed run with every kind of row.
fn sealed(folder: &Path) {
    let writer = Writer::create(folder).unwrap();
    for n in 0..3 {
        let entries = vec![plain(task(1), "a \"quoted\" reason"), output(task(2), n, &noise(n.into(), 300))];
        writer.append(entries, Durability::Buffered).unwrap();
    }
    let lines: Vec<u8> = (0..200).flat_map(|n| format!("line {n} of the output\n").into_bytes()).collect();
    let entries = vec![output(task(1), 7, &lines), output(task(1), 8, &noise(8, 5000))];
    writer.append(entries, Durability::Buffered).unwrap();
    writer.seal(vec![plain(Stream::Run, "end")]).unwrap();
}

/// Makes a sealed run writable again.
fn writable(folder: &Path) {
    sealed(folder);
    let bytes = fs::read(folder.join(FILE_NAME)).unwrap();
    fs::remove_file(folder.join(FILE_NAME)).unwrap();
    write(&folder.join(FILE_NAME), &bytes);
}

/// Returns how many changes were detected, and how many changed nothing.
fn flip(folder: &Path, places: impl Iterator<Item = usize>, mask: u8) -> (usize, usize) {
    let path = folder.join(FILE_NAME);
    let original = content(folder).unwrap();
    let bytes = fs::read(&path).unwrap();
    let mut file = OpenOptions::new().write(true).open(&path).unwrap();
    let mut put = |place: usize, byte: u8| {
        file.seek(SeekFrom::Start(place as u64)).unwrap();
        file.write_all(&[byte]).unwrap();
    };
    let (mut found, mut meaningless) = (0, 0);
    for place in places.take_while(|place| *place < bytes.len()) {
        put(place, bytes[place] ^ mask);
        match content(folder) {
            Err(_) => found += 1,
            Ok(read) => {
                assert!(read == original, "byte {place} ^ {mask:#x} changes what is read, unseen");
                meaningless += 1;
            }
        }
        put(place, bytes[place]);
    }
    assert!(content(folder).unwrap() == original);
    (found, meaningless)
}

#[test]
fn no_changed_byte_of_a_sealed_file_changes_what_it_says_unseen() {
    let sums = std::thread::scope(|scope| {
        // Every byte once, alternating between the lowest bit and the highest.
        let run = |offset: usize, mask: u8| {
            scope.spawn(move || {
                let folder = tempfile::tempdir().unwrap();
                let run = folder.path().join("run");
                writable(&run);
                flip(&run, (offset..).step_by(2), mask)
            })
        };
        [run(0, 0x01), run(1, 0x80)].map(|thread| thread.join().unwrap())
    });
    let found: usize = sums.iter().map(|sum| sum.0).sum();
    let meaningless: usize = sums.iter().map(|sum| sum.1).sum();
    println!("{found} changes found, {meaningless} without meaning");
    assert!(found > 10_000, "{found} changes found");
}

/// Changes a run through SQL, with triggers and checks disabled, and returns what is detected.
fn changed(sql: &str) -> Failure {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    writable(&run);
    let shell = Connection::open(run.join(FILE_NAME)).unwrap();
    shell.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false).unwrap();
    shell.execute_batch("PRAGMA ignore_check_constraints = ON").unwrap();
    shell.execute_batch(sql).unwrap();
    drop(shell);
    match content(&run) {
        Err(error) => error,
        Ok(_) => panic!("not found: {sql}"),
    }
}

fn read_error(sql: &str) -> ReadError {
    *changed(sql).downcast::<ReadError>().unwrap_or_else(|other| panic!("{sql}: {other:?}"))
}

fn schema_error(sql: &str) -> SchemaError {
    *changed(sql).downcast::<SchemaError>().unwrap_or_else(|other| panic!("{sql}: {other:?}"))
}

#[test]
fn a_change_is_found_in_its_row() {
    let event = "UPDATE events SET event = replace(event, 'quoted', 'forged') WHERE position = 4";
    assert!(matches!(read_error(event), ReadError::Chain(ledger::ChainError::Hash { position: 4, .. })));
    let time = "UPDATE events SET circumstance = replace(circumstance, '2026', '2025') WHERE position = 3";
    assert!(matches!(
        read_error(time),
        ReadError::Chain(ledger::ChainError::Hash { position: 3, which: "run", .. })
    ));
    let gone = "DELETE FROM events WHERE position = 2";
    assert!(matches!(
        read_error(gone),
        ReadError::Chain(ledger::ChainError::Place { position: 2, found: 3, .. })
    ));
    let moved = "UPDATE events SET position = -1 WHERE position = 2";
    assert!(matches!(
        read_error(moved),
        ReadError::Column { place: Place::Event { position: -1 }, column: "position", .. }
    ));
    let stream = "UPDATE events SET stream = 65537 WHERE position = 2";
    assert!(matches!(
        read_error(stream),
        ReadError::Column { place: Place::Event { position: 2 }, column: "stream", .. }
    ));
    let name = "UPDATE events SET name = 'nothing' WHERE position = 1";
    assert!(matches!(schema_error(name), SchemaError::Name { position: 1 }));
    let hash = "UPDATE events SET run_hash = zeroblob(32) WHERE position = 1";
    assert!(matches!(read_error(hash), ReadError::Chain(ledger::ChainError::Hash { position: 1, .. })));
}

#[test]
fn text_that_is_no_utf8_is_read_as_it_stands() {
    let sql = "UPDATE events SET name = CAST(x'ff00fe' AS TEXT) WHERE position = 1";
    assert!(matches!(schema_error(sql), SchemaError::Name { position: 1 }));
    let sql = "UPDATE events SET event = substr(event, 1, 40) || CAST(x'fffe' AS TEXT) || substr(event, 43) WHERE position = 1";
    assert!(matches!(read_error(sql), ReadError::Chain(ledger::ChainError::Hash { position: 1, .. })));
}

#[test]
fn a_changed_payload_is_found_in_its_row() {
    let body = "UPDATE payloads SET body = zeroblob(300) WHERE rowid = 2";
    assert!(matches!(read_error(body), ReadError::Digest { place: Place::Payload { row: 2 }, .. }));
    let length = "UPDATE payloads SET length = 299 WHERE rowid = 2";
    assert!(matches!(
        read_error(length),
        ReadError::Body { place: Place::Payload { row: 2 }, length: 299, .. }
    ));
    let encoding = "UPDATE payloads SET encoding = 'zstd' WHERE rowid = 2";
    assert!(matches!(read_error(encoding), ReadError::Body { place: Place::Payload { row: 2 }, .. }));
    let bomb = "UPDATE payloads SET length = 1 << 40 WHERE rowid = 4";
    assert!(matches!(
        read_error(bomb),
        ReadError::Column { place: Place::Payload { row: 4 }, column: "length", .. }
    ));
    let swapped = "UPDATE payloads SET body = (SELECT body FROM payloads WHERE rowid = 1) WHERE rowid = 3";
    assert!(matches!(read_error(swapped), ReadError::Digest { place: Place::Payload { row: 3 }, .. }));
}

#[test]
fn a_value_that_breaks_a_check_of_its_table_is_found() {
    for (sql, column) in [
        ("UPDATE payloads SET encoding = 'lzma' WHERE rowid = 2", "encoding"),
        ("UPDATE payloads SET length = -1 WHERE rowid = 2", "length"),
        ("UPDATE events SET stream_hash = x'00' WHERE position = 1", "stream_hash"),
    ] {
        // SQLite's own check may come first; it names the table and not the row.
        match changed(sql).downcast::<ReadError>() {
            Ok(error) => {
                assert!(matches!(*error, ReadError::Column { column: found, .. } if found == column))
            }
            Err(other) => assert!(matches!(
                other.downcast_ref::<SchemaError>(),
                Some(SchemaError::Integrity { message }) if message.contains("CHECK")
            )),
        }
    }
}

#[test]
fn a_column_of_another_type_is_an_error_of_its_row() {
    // STRICT tables refuse such a value: the type in the schema is changed temporarily, and then changed back.
    let lax = |table: &str, update: &str| {
        format!(
            "PRAGMA writable_schema = ON;
             CREATE TABLE kept AS SELECT sql FROM sqlite_schema WHERE name = '{table}';
             UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT', ''), 'NOT NULL', '') WHERE name = '{table}';
             PRAGMA schema_version = 100;
             {update};
             UPDATE sqlite_schema SET sql = (SELECT sql FROM kept) WHERE name = '{table}';
             DROP TABLE kept;
             PRAGMA schema_version = 101;"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    for (n, (table, update, column)) in [
        ("events", "UPDATE events SET event = x'00' WHERE position = 1", "event"),
        ("events", "UPDATE events SET circumstance = NULL WHERE position = 1", "circumstance"),
        ("events", "UPDATE events SET sequence = 'one' WHERE position = 1", "sequence"),
        ("events", "UPDATE events SET run_hash = 'text' WHERE position = 1", "run_hash"),
        ("payloads", "UPDATE payloads SET body = 'text' WHERE rowid = 1", "body"),
        ("payloads", "UPDATE payloads SET encoding = 7 WHERE rowid = 1", "encoding"),
    ]
    .into_iter()
    .enumerate()
    {
        let run = folder.path().join(n.to_string());
        writable(&run);
        let shell = Connection::open(run.join(FILE_NAME)).unwrap();
        shell.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false).unwrap();
        shell.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false).unwrap();
        shell.execute_batch("PRAGMA ignore_check_constraints = ON").unwrap();
        shell.execute_batch(&lax(table, update)).unwrap();
        drop(shell);
        let reader = Reader::open(&run).unwrap();
        let mut errors: Vec<_> = reader.links().filter_map(Result::err).collect();
        for entry in reader.payload_index().unwrap() {
            errors.extend(
                entry.map(|entry| reader.payload(&entry.digest).map(drop)).and_then(|read| read).err(),
            );
        }
        assert!(
            matches!(errors.as_slice(), [ReadError::Column { column: found, .. }] if *found == column),
            "{update}: {errors:?}"
        );
    }
}

#[test]
fn an_added_or_missing_object_is_found_on_opening() {
    for sql in ["CREATE TABLE more (x)", "DROP TRIGGER events_stay", "ANALYZE"] {
        let error = *changed(sql).downcast::<OpenError>().unwrap();
        assert!(matches!(error, OpenError::Schema(SchemaError::Object { .. })), "{sql}: {error:?}");
    }
}

#[test]
fn a_newer_format_is_refused_by_both_names() {
    let version = (u32::from(FORMAT.major) << 16) + u32::from(FORMAT.minor) + 1;
    let error = *changed(&format!("PRAGMA user_version = {version}")).downcast::<OpenError>().unwrap();
    let newer = Format { minor: FORMAT.minor + 1, ..FORMAT };
    assert!(
        matches!(error, OpenError::Format { found, supported, .. } if found == newer && supported == FORMAT)
    );
    let error = *changed("PRAGMA application_id = 1").downcast::<OpenError>().unwrap();
    assert!(matches!(error, OpenError::NotARun { .. }));
}

#[test]
fn a_file_cut_short_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    writable(&run);
    let bytes = fs::read(run.join(FILE_NAME)).unwrap();
    for length in (0..bytes.len()).step_by(997) {
        write(&run.join(FILE_NAME), &bytes[..length]);
        assert!(content(&run).is_err(), "cut at {length} of {}", bytes.len());
    }
}

#[test]
fn a_log_laid_beside_a_sealed_file_changes_nothing_unseen() {
    let folder = tempfile::tempdir().unwrap();
    let (run, other) = (folder.path().join("run"), folder.path().join("other"));
    sealed(&run);
    let original = content(&run).unwrap();
    let writer = Writer::create(&other).unwrap();
    writer.append(vec![plain(task(1), "forged")], Durability::Durable).unwrap();
    fs::copy(other.join("run.db-wal"), run.join("run.db-wal")).unwrap();
    if let Ok(read) = content(&run) {
        assert!(read == original || read.events.len() == 1, "a mixture of two runs passed for one");
    }
}

#[test]
fn the_view_shows_an_accepted_fact() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let writer = Writer::create(&run).unwrap();
    writer.append(vec![fact(task(1))], Durability::Buffered).unwrap();
    drop(writer);
    let shell = Connection::open(run.join(FILE_NAME)).unwrap();
    let sql = "SELECT predicate, json_extract(subject, '$.value.value'), json_array_length(\"values\"), task, id, \
               invocation, record FROM facts";
    let row = shell.query_row(sql, [], |row| {
        let (id, invocation, _): (String, String, u32) = (row.get(4)?, row.get(5)?, row.get(6)?);
        assert!(id.starts_with("fact-") && invocation.starts_with("inv-"), "{id} {invocation}");
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, u32>(2)?, row.get::<_, u32>(3)?))
    });
    assert_eq!(row.unwrap(), ("executed".into(), "evil.exe".into(), 1, 1));
}
