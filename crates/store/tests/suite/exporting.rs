//! An exported run depends on its rows alone, and an invalid one is not exported.

use crate::common::{noise, output, plain, task, write};
use ledger::Stream;
use ledger::event::{Event, RunSealed};
use rusqlite::Connection;
use std::fs;
use std::path::Path;
use store::{
    Bodies, Durability, Encoding, ExportError, Exported, FILE_NAME, PayloadEntry, Reader, Writer, export,
};

/// Records a small sealed run, with some payloads stored raw and others compressed.
fn sealed(folder: &Path) {
    let writer = Writer::create(folder).unwrap();
    let lines = |of: u32| -> Vec<u8> {
        (0..600).flat_map(|n| format!("line {n} of output {of}\n").into_bytes()).collect()
    };
    for n in 0..12 {
        let entries = vec![
            plain(task(1), "a \"quoted\" reason"),
            output(task(2), n, &noise(n.into(), 300)),
            output(task(3), n, &lines(n)),
        ];
        writer.append(entries, Durability::Buffered).unwrap();
    }
    // The same payload again: it is stored once.
    writer.append(vec![output(task(1), 9, &noise(3, 300))], Durability::Buffered).unwrap();
    let mut end = plain(Stream::Run, "end");
    end.event = Event::RunSealed(RunSealed { heads: vec![], payloads: 24, connections: None });
    writer.seal(vec![end]).unwrap();
}

/// Makes a writable copy of the run and changes it by SQL, with the triggers and the view removed before and
/// restored afterwards.
fn changed(run: &Path, copy: &Path, change: impl FnOnce(&Connection)) {
    fs::create_dir(copy).unwrap();
    write(&copy.join(FILE_NAME), &fs::read(run.join(FILE_NAME)).unwrap());
    let connection = Connection::open(copy.join(FILE_NAME)).unwrap();
    let sql = "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY rowid";
    let mut select = connection.prepare(sql).unwrap();
    let guards: Vec<(String, String, String)> = select
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    drop(select);
    for (kind, name, _) in &guards {
        connection.execute_batch(&format!("DROP {kind} {name}")).unwrap();
    }
    change(&connection);
    for (.., sql) in &guards {
        connection.execute_batch(sql).unwrap();
    }
}

fn exported(run: &Path, to: &Path) -> (Exported, Vec<u8>) {
    let exported = export(run, to, Bodies::Compressed, &|| true).unwrap();
    (exported, fs::read(to).unwrap())
}

/// Writes the same rows in another order, in pages of another size, with holes, and with every payload stored in
/// the other way.
fn shuffled(run: &Path, copy: &Path) {
    let reader = Reader::open(run).unwrap();
    let payloads: Vec<(PayloadEntry, Vec<u8>)> = reader
        .payload_index()
        .unwrap()
        .into_iter()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry, reader.payload(&entry.digest).unwrap().unwrap()))
        .collect();
    changed(run, copy, |connection| {
        let move_events = "CREATE TABLE kept AS SELECT * FROM events; DELETE FROM events; \
            INSERT INTO events SELECT * FROM kept ORDER BY position DESC; DELETE FROM payloads;";
        connection.execute_batch(move_events).unwrap();
        for (row, (entry, bytes)) in (0i64..).zip(payloads.iter().rev()) {
            let (encoding, body) = match entry.encoding {
                Encoding::Raw => ("zstd", zstd::bulk::compress(bytes, 19).unwrap()),
                Encoding::Zstd => ("raw", bytes.clone()),
            };
            let sql =
                "INSERT INTO payloads (rowid, digest, encoding, length, body) VALUES (?1, ?2, ?3, ?4, ?5)";
            let digest = entry.digest.as_bytes().as_slice();
            connection.execute(sql, (row * 7, digest, encoding, bytes.len() as i64, body)).unwrap();
        }
        connection.execute_batch("DROP TABLE kept; PRAGMA page_size = 1024; VACUUM").unwrap();
        connection.execute_batch("CREATE TABLE hole AS SELECT * FROM payloads; DROP TABLE hole").unwrap();
    });
}

#[test]
fn however_the_rows_lie_on_the_disk_the_same_bytes_come_of_them() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    sealed(&at("run"));
    shuffled(&at("run"), &at("shuffled"));
    assert_ne!(
        fs::read(at("run").join(FILE_NAME)).unwrap(),
        fs::read(at("shuffled").join(FILE_NAME)).unwrap()
    );
    Reader::open(&at("shuffled")).unwrap().check_schema().unwrap();
    let (told, bytes) = exported(&at("run"), &at("1"));
    assert_eq!((told.sealed, told.events, told.payloads), (true, 38, 24));
    assert_eq!(exported(&at("shuffled"), &at("2")), (told.clone(), bytes.clone()));
    // The copy is itself a run, and exporting it gives the same bytes.
    fs::create_dir(at("again")).unwrap();
    write(&at("again").join(FILE_NAME), &bytes);
    let (run, again) = (Reader::open(&at("run")).unwrap(), Reader::open(&at("again")).unwrap());
    again.check_schema().unwrap();
    let rows = |reader: &Reader| reader.links().map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(rows(&run), rows(&again));
    let index =
        |reader: &Reader| reader.payload_index().unwrap().into_iter().map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(index(&run), index(&again));
    assert_eq!(exported(&at("again"), &at("3")), (told, bytes));
}

#[test]
fn a_run_that_is_being_written_is_taken_as_it_stands() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    let writer = Writer::create(&at("run")).unwrap();
    writer.append(vec![plain(task(1), "a"), output(task(1), 0, b"out")], Durability::Buffered).unwrap();
    // The writer continues while the first event is copied.
    let more = std::cell::Cell::new(0);
    let go_on = || {
        writer
            .append(vec![output(task(2), more.get(), &noise(more.get().into(), 90))], Durability::Buffered)
            .unwrap();
        more.set(more.get() + 1);
        true
    };
    let exported = export(&at("run"), &at("1"), Bodies::Compressed, &go_on).unwrap();
    assert_eq!((exported.sealed, exported.events, exported.payloads), (false, 2, 1));
    assert_eq!(more.get(), 2);
}

#[test]
fn what_does_not_hold_is_told_with_its_place() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    sealed(&at("run"));
    let cases: [(&str, &str); 5] = [
        ("DELETE FROM payloads WHERE rowid = 3", "events, position 4: invocation_ended names the payload"),
        ("UPDATE payloads SET body = zeroblob(length) WHERE rowid = 1", "payloads, row 1"),
        ("UPDATE events SET circumstance = '{\"at\":\"x\"}' WHERE position = 5", "position 5"),
        ("DELETE FROM events WHERE position = 7", "position 7"),
        (
            "INSERT INTO payloads SELECT CAST(x'00' || substr(digest, 2) AS BLOB), encoding, length, body FROM payloads LIMIT 1",
            "no event names the payload 00",
        ),
    ];
    for (number, (sql, place)) in cases.into_iter().enumerate() {
        let copy = at(&format!("copy {number}"));
        changed(&at("run"), &copy, |connection| connection.execute_batch(sql).unwrap());
        let error = export(&copy, &at(&format!("out {number}")), Bodies::Compressed, &|| true).unwrap_err();
        let mut told = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            told = format!("{told}: {cause}");
            source = cause.source();
        }
        assert!(told.contains(place), "{sql}: {told}");
    }
    assert!(matches!(
        export(&at("none"), &at("out"), Bodies::Compressed, &|| true),
        Err(ExportError::Open(_))
    ));
}

#[test]
fn a_file_that_is_there_is_left_alone_and_an_interruption_is_heard() {
    let home = tempfile::tempdir().unwrap();
    sealed(&home.path().join("run"));
    let there = home.path().join("there");
    write(&there, b"mine");
    assert!(matches!(
        export(&home.path().join("run"), &there, Bodies::Compressed, &|| true),
        Err(ExportError::Write(_))
    ));
    assert_eq!(fs::read(&there).unwrap(), b"mine");
    let stopped = export(&home.path().join("run"), &home.path().join("new"), Bodies::Compressed, &|| false);
    assert!(matches!(stopped, Err(ExportError::Interrupted)));
}
