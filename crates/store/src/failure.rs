//! Tests that recording fails closed: on a full disk, and on a file that another process holds.

use crate::create::Options;
use crate::entry::Entry;
use crate::open;
use crate::stopped::AppendError;
use crate::writer::{Durability, Writer};
use crate::{Fault, Reader, SealError};
use ledger::event::{NothingToRecord, TurnReplied};
use ledger::{CallId, Circumstance, Digest, Event, Stream, TaskId};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn plain() -> Entry {
    let event = NothingToRecord { turn: 1, call: CallId("call".into()), reason: "clean".into() };
    entry(Event::NothingToRecord(event), None)
}

/// Returns a reply of incompressible bytes, different for each turn.
fn reply(turn: u32) -> Entry {
    let bytes: Vec<u8> = (0..640u32)
        .flat_map(|n| *Digest::of(&[turn.to_le_bytes(), n.to_le_bytes()].concat()).as_bytes())
        .collect();
    let replied = TurnReplied { turn, reply: Digest::of(&bytes), calls: 0, exchange: None };
    entry(Event::TurnReplied(replied), Some(bytes.into()))
}

fn entry(event: Event, payload: Option<Arc<[u8]>>) -> Entry {
    Entry { stream: Stream::Task(TaskId(1)), event, circumstance: Circumstance::default(), payload }
}

fn writer(folder: &Path, max_pages: Option<u32>) -> Writer {
    Writer::create_with(
        folder,
        Options { patience: Duration::from_millis(1), max_pages, ..Options::default() },
    )
    .unwrap()
}

#[test]
fn a_full_disk_stops_the_recording_and_keeps_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path(), Some(40));
    let mut recorded = 0;
    let stopped = loop {
        match writer.append(vec![plain(), reply(recorded)], Durability::Durable) {
            Ok(_) => recorded += 1,
            Err(stopped) => break stopped,
        }
    };
    assert!(recorded >= 2);
    assert_eq!(stopped.position, u64::from(2 * recorded));
    let full = |reason: &AppendError| matches!(reason, AppendError::Fault(Fault::DiskFull { .. }));
    assert!(full(&stopped.reason), "{stopped:?}");

    // There is room for a small event, but none may follow the one that was lost.
    let later = writer.append(vec![plain()], Durability::Buffered).unwrap_err();
    assert!(full(&later.reason) && later.position == stopped.position);
    let Err(SealError::Stopped(unsealed)) = writer.seal(vec![plain()]) else { panic!("sealed") };
    assert!(full(&unsealed.reason) && unsealed.position == stopped.position);
    assert!(matches!(writer.seal(vec![]), Err(SealError::Stopped(_))));
    drop(writer);

    let reader = Reader::open(folder.path()).unwrap();
    reader.check_schema().unwrap();
    assert_eq!(reader.events().map(Result::unwrap).count() as u64, stopped.position);
    assert_eq!(reader.payload_index().unwrap().len() as u32, recorded);
}

#[test]
fn callers_that_wait_together_are_all_told_that_the_disk_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path(), Some(60));
    let placed: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let writer = writer.clone();
                scope.spawn(move || {
                    let turns = thread * 100..thread * 100 + 20;
                    let answers = turns.map(|turn| writer.append(vec![reply(turn)], Durability::Buffered));
                    let answers: Vec<_> = answers.collect();
                    assert!(answers.is_sorted_by_key(Result::is_err), "none succeeds after a failure");
                    answers.into_iter().flatten().flatten().map(|placed| placed.position).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let stopped = writer.append(vec![plain()], Durability::Buffered).unwrap_err();
    assert_eq!(placed.len() as u64, stopped.position);
    let reader = Reader::open(folder.path()).unwrap();
    assert_eq!(reader.events().map(Result::unwrap).count() as u64, stopped.position);
}

#[test]
fn a_file_that_another_process_holds_stops_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path(), None);
    writer.append(vec![plain()], Durability::Buffered).unwrap();
    let other = Connection::open(open::file(folder.path())).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let stopped = writer.append(vec![plain()], Durability::Buffered).unwrap_err();
    assert!(matches!(&*stopped.reason, AppendError::Fault(Fault::Held { path }) if path.ends_with("run.db")));
    assert_eq!(stopped.position, 1);
    other.execute_batch("COMMIT").unwrap();
    assert!(writer.append(vec![plain()], Durability::Buffered).is_err(), "it stays stopped");
}

#[test]
fn a_failed_sync_stops_the_recording_for_everybody() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { fail_sync_at: Some(1), ..Options::default() };
    let writer = Writer::create_with(folder.path(), options).unwrap();
    writer.append(vec![plain()], Durability::Durable).unwrap();
    writer.append(vec![plain()], Durability::Buffered).unwrap();
    let stopped = writer.append(vec![plain()], Durability::Durable).unwrap_err();
    let failed = |reason: &AppendError| matches!(reason, AppendError::Fault(Fault::Io { path, .. }) if path.ends_with("run.db-wal"));
    assert!(failed(&stopped.reason), "{stopped:?}");

    for durability in [Durability::Buffered, Durability::Soon, Durability::Durable] {
        let later = writer.append(vec![plain()], durability).unwrap_err();
        assert!(failed(&later.reason) && later.position == stopped.position);
    }
    assert!(writer.tally().is_err());
    let Err(SealError::Stopped(unsealed)) = writer.seal(vec![plain()]) else { panic!("sealed") };
    assert!(failed(&unsealed.reason));
    drop(writer);
    let events = Reader::open(folder.path()).unwrap().events().map(Result::unwrap).count();
    assert_eq!(events as u64, stopped.position);
}

#[test]
fn a_sync_that_nobody_waits_for_stops_the_recording_when_it_fails() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { fail_sync_at: Some(0), ..Options::default() };
    let writer = Writer::create_with(folder.path(), options).unwrap();
    // Whichever sync comes first fails: the requested one or this append's own.
    drop(writer.append(vec![plain()], Durability::Soon));
    writer.append(vec![plain()], Durability::Durable).unwrap_err();
    assert!(writer.append(vec![plain()], Durability::Buffered).is_err());
}

#[test]
fn a_seal_whose_sync_fails_leaves_the_run_unsealed() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { fail_sync_at: Some(0), ..Options::default() };
    let writer = Writer::create_with(folder.path(), options).unwrap();
    assert!(matches!(writer.seal(vec![plain()]), Err(SealError::Stopped(_))));
    assert!(matches!(writer.seal(vec![]), Err(SealError::Stopped(_))));
}

#[test]
fn a_log_that_is_begun_again_and_again_holds_everything() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path(), None);
    for turn in 0..1500 {
        let durability = if turn % 100 == 0 { Durability::Durable } else { Durability::Soon };
        writer.append(vec![reply(turn)], durability).unwrap();
    }
    let log = open::beside(&open::file(folder.path()), "-wal");
    assert!(log.metadata().unwrap().len() < 20 << 20, "it is moved into the file");
    assert_eq!(Reader::open(folder.path()).unwrap().events().map(Result::unwrap).count(), 1500);
    writer.seal(vec![plain()]).unwrap();
    let reader = Reader::open(folder.path()).unwrap();
    reader.check_schema().unwrap();
    assert_eq!(reader.events().map(Result::unwrap).count(), 1501);
}
