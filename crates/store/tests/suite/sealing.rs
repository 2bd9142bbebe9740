//! Sealing, and what may stand in its way.

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

#[test]
fn a_sealing_that_a_reader_held_up_is_done_by_calling_again() {
    let folder = tempfile::tempdir().unwrap();
    let writer = recorded(folder.path());
    let reader = Reader::open(folder.path()).unwrap();
    let error = writer.seal(vec![plain(Stream::Run, "end")]).unwrap_err();
    assert!(matches!(error, SealError::Fault(Fault::Held { .. })), "{error:?}");
    let stopped = writer.append(vec![plain(task(1), "late")], Durability::Buffered).unwrap_err();
    assert!(matches!(*stopped.reason, AppendError::Sealed));
    drop(reader);
    assert_eq!(writer.seal(vec![]).unwrap().events, 3);
    assert!(only_file(folder.path()));
}

#[test]
fn a_sealing_that_was_cut_off_is_ended_by_resuming() {
    let folder = tempfile::tempdir().unwrap();
    let writer = recorded(folder.path());
    let mut end = plain(Stream::Run, "end");
    end.event = Event::RunSealed(RunSealed { heads: vec![], payloads: 1 });
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
    end.event = Event::RunSealed(RunSealed { heads: vec![], payloads: 1 });
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
