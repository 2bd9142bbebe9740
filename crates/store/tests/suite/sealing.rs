//! Sealing, and possible obstacles to it.

use crate::common::{output, plain, task};
use ledger::Stream;
use ledger::event::{Event, RunSealed};
use rusqlite::Connection;
use std::fs;
use std::path::Path;
use store::{AppendError, CreateError, Durability, FILE_NAME, Fault, Reader, ResumeError, SealError, Writer};

fn recorded(folder: &Path) -> Writer {
    let writer = Writer::create(folder).unwrap();
    writer.append(vec![plain(task(1), "a"), output(task(1), 0, b"out")], Durability::Buffered).unwrap();
    writer
}

fn only_file(folder: &Path) -> bool {
    let names: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    names == [FILE_NAME]
}

#[test]
fn a_sealed_run_is_one_file_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let writer = recorded(folder.path());
    assert!(writer.payload(&ledger::Digest::of(b"out")).unwrap().is_some());
    let sealed = writer.seal(vec![plain(Stream::Run, "end")]).unwrap();
    assert_eq!((sealed.events, sealed.payloads), (3, 1));
    assert!(only_file(folder.path()));
    let stopped = writer.append(vec![plain(task(1), "late")], Durability::Buffered).unwrap_err();
    assert!(matches!((&*stopped.reason, stopped.position), (AppendError::Sealed, 3)));
    assert!(matches!(writer.seal(vec![]), Err(SealError::Stopped(_))));
    assert!(writer.payload(&ledger::Digest::of(b"out")).unwrap().is_some());
    drop(writer);

    assert!(fs::metadata(folder.path().join(FILE_NAME)).unwrap().permissions().readonly());
    assert!(matches!(Writer::resume(folder.path()), Err(ResumeError::Sealed { .. })));
    assert!(matches!(Writer::create(folder.path()), Err(CreateError::NotEmpty { .. })));
    let reader = Reader::open(folder.path()).unwrap();
    let mut events = reader.events();
    assert_eq!(events.by_ref().map(Result::unwrap).count(), 3);
    assert_eq!(events.so_far().head(), Some(sealed.head));
    assert!(only_file(folder.path()), "reading leaves nothing beside the file");
}

#[test]
fn nothing_recorded_cannot_be_sealed() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::create(folder.path()).unwrap();
    assert!(matches!(writer.seal(vec![]), Err(SealError::Empty)));
}

/// `-wal` and `-shm` are removed with their file, and the reader keeps its open files.
#[test]
fn a_reader_that_does_not_stop_holds_no_sealing_up() {
    let folder = tempfile::tempdir().unwrap();
    let writer = recorded(folder.path());
    let (own, foreign) =
        (Reader::open(folder.path()).unwrap(), Connection::open(folder.path().join(FILE_NAME)));
    let foreign = foreign.unwrap();
    let count = |of: &Connection| {
        of.query_row("SELECT count(*) FROM events", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    foreign.execute_batch("BEGIN").unwrap();
    assert_eq!(count(&foreign), 2);
    let sealed = writer.seal(vec![plain(Stream::Run, "end")]).unwrap();
    assert_eq!((sealed.events, sealed.payloads), (3, 1));
    assert!(only_file(folder.path()));
    assert_eq!(count(&foreign), 2, "its transaction goes on");
    foreign.execute_batch("COMMIT").unwrap();
    drop((foreign, own, writer));

    assert!(only_file(folder.path()), "closing leaves nothing behind");
    assert!(fs::metadata(folder.path().join(FILE_NAME)).unwrap().permissions().readonly());
    let reader = Reader::open(folder.path()).unwrap();
    reader.check_schema().unwrap();
    let mut events = reader.events();
    assert_eq!(events.by_ref().map(Result::unwrap).count(), 3);
    assert_eq!(events.so_far().head(), Some(sealed.head));
    assert!(reader.payload(&ledger::Digest::of(b"out")).unwrap().is_some());
    let journal: String = Connection::open(folder.path().join(FILE_NAME))
        .unwrap()
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(journal, "delete");
}

#[test]
fn a_sealing_that_was_cut_off_is_ended_by_resuming_whoever_reads_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let writer = recorded(folder.path());
    let mut end = plain(Stream::Run, "end");
    end.event = Event::RunSealed(RunSealed { heads: vec![], payloads: 1, connections: None });
    writer.append(vec![end], Durability::Durable).unwrap();
    // What an interrupted copy leaves behind.
    fs::File::create(folder.path().join(format!("{FILE_NAME}-sealing"))).unwrap();
    let reader = Reader::open(folder.path()).unwrap();
    drop(writer);
    assert!(matches!(Writer::resume(folder.path()), Err(ResumeError::Sealed { .. })));
    assert!(only_file(folder.path()));
    drop(reader);
    assert!(only_file(folder.path()));
    assert_eq!(Reader::open(folder.path()).unwrap().events().map(Result::unwrap).count(), 3);
}

/// As if killed in between: the copy has the file's name, and the log of the old file is next to it.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test makes what a crash leaves")]
fn a_log_beside_the_copy_that_took_the_place_of_its_file_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let writer = recorded(folder.path());
    let mut end = plain(Stream::Run, "end");
    end.event = Event::RunSealed(RunSealed { heads: vec![], payloads: 1, connections: None });
    writer.append(vec![end], Durability::Durable).unwrap();
    let path = folder.path().join(FILE_NAME);
    let mut pages = Connection::open(&path).unwrap().serialize("main").unwrap().to_vec();
    pages[18..20].copy_from_slice(&[1, 1]);
    let log = fs::read(folder.path().join(format!("{FILE_NAME}-wal"))).unwrap();
    drop(writer);
    fs::write(&path, pages).unwrap();
    fs::write(folder.path().join(format!("{FILE_NAME}-wal")), log).unwrap();
    let count = |reader: Reader| reader.events().map(Result::unwrap).count();
    assert_eq!(count(Reader::open(folder.path()).unwrap()), 3);
    assert!(matches!(Writer::resume(folder.path()), Err(ResumeError::Sealed { .. })));
    assert!(only_file(folder.path()));
    assert_eq!(count(Reader::open(folder.path()).unwrap()), 3);
}

#[test]
fn a_sealing_that_was_cut_off_is_ended_by_resuming() {
    let folder = tempfile::tempdir().unwrap();
    let writer = recorded(folder.path());
    let mut end = plain(Stream::Run, "end");
    end.event = Event::RunSealed(RunSealed { heads: vec![], payloads: 1, connections: None });
    writer.append(vec![end], Durability::Durable).unwrap();
    drop(writer);
    assert!(matches!(Writer::resume(folder.path()), Err(ResumeError::Sealed { .. })));
    assert!(only_file(folder.path()));
    assert!(fs::metadata(folder.path().join(FILE_NAME)).unwrap().permissions().readonly());
}

#[test]
#[expect(clippy::permissions_set_readonly_false, reason = "the file as it is before it is made read-only")]
fn an_empty_log_that_a_reader_left_behind_keeps_no_run_from_being_sealed() {
    let folder = tempfile::tempdir().unwrap();
    let writer = recorded(folder.path());
    let mut end = plain(Stream::Run, "end");
    end.event = Event::RunSealed(RunSealed { heads: vec![], payloads: 1, connections: None });
    writer.seal(vec![end]).unwrap();
    drop(writer);
    let path = folder.path().join(FILE_NAME);
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(false);
    fs::set_permissions(&path, permissions).unwrap();
    for suffix in ["-wal", "-shm"] {
        fs::File::create(folder.path().join(format!("{FILE_NAME}{suffix}"))).unwrap();
    }
    assert!(matches!(Writer::resume(folder.path()), Err(ResumeError::Sealed { .. })));
    assert!(only_file(folder.path()));
    assert!(fs::metadata(&path).unwrap().permissions().readonly());
}

#[test]
fn a_second_writer_cannot_fork_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let writer = recorded(folder.path());
    let refused = Writer::resume(folder.path()).unwrap_err();
    assert!(matches!(refused, ResumeError::Fault(Fault::Held { .. })), "{refused}");
    writer.append(vec![plain(task(2), "first")], Durability::Buffered).unwrap();
    writer.append(vec![plain(task(2), "goes on")], Durability::Buffered).unwrap();
    assert_eq!(Reader::open(folder.path()).unwrap().events().map(Result::unwrap).count(), 4);
}

#[test]
fn rows_cannot_be_changed_or_deleted_by_accident() {
    let folder = tempfile::tempdir().unwrap();
    drop(recorded(folder.path()));
    let shell = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    for sql in [
        "UPDATE events SET name = 'x'",
        "DELETE FROM events",
        "UPDATE payloads SET length = 1",
        "DELETE FROM payloads",
    ] {
        let error = shell.execute_batch(sql).unwrap_err().to_string();
        assert!(error.contains("append-only"), "{sql}: {error}");
    }
}
