//! Speed of appending, compared with a plain `fdatasync` of a file on the same disk, and of reading back.
//!
//! Run it from a folder on the disk to be measured: the runs are written to `target/`, not to the system's
//! folder for temporary files.

#![expect(clippy::unwrap_used, reason = "a helper of a test or measurement may stop it")]

use divan::Bencher;
use divan::counter::ItemsCount;
use ledger::event::{NothingToRecord, TurnReplied};
use ledger::{CallId, Circumstance, Digest, Event, Stream, TaskId};
use std::fs::File;
use std::io::{Seek, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use store::{Durability, Entry, Reader, Writer};
use tempfile::TempDir;

const PAYLOAD: usize = 8192;

fn main() {
    divan::main();
}

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn entry(event: Event, payload: Option<Arc<[u8]>>) -> Entry {
    let circumstance =
        Circumstance { at: "2026-01-01T00:00:00.000000000Z".into(), ..Circumstance::default() };
    Entry { stream: Stream::Task(TaskId(1)), event, circumstance, payload }
}

fn plain(turn: u32) -> Entry {
    let event =
        NothingToRecord { turn, call: CallId(format!("call_{turn}")), reason: "nothing stands there".into() };
    entry(Event::NothingToRecord(event), None)
}

/// Returns a different payload for each turn: noise, or lines as tools write them.
fn reply(turn: u32, compressible: bool) -> Entry {
    let mut bytes = Vec::with_capacity(PAYLOAD + 64);
    let mut line = 0u32;
    while bytes.len() < PAYLOAD {
        match compressible {
            true => writeln!(
                bytes,
                "{{\"turn\":{turn},\"path\":\"/Windows/System32/{line}.dll\",\"size\":{line}}}"
            )
            .unwrap(),
            false => bytes.extend(Digest::of_parts(&[&turn.to_le_bytes(), &line.to_le_bytes()]).as_bytes()),
        }
        line += 1;
    }
    bytes.truncate(PAYLOAD);
    let event = TurnReplied { turn, reply: Digest::of(&bytes), calls: 1, exchange: None };
    entry(Event::TurnReplied(event), Some(bytes.into()))
}

const COUNT: u32 = 400;

fn append(bencher: Bencher<'_, '_>, durability: Durability, make: impl Fn(u32) -> Entry + Sync) {
    let folder = folder();
    let writer = Writer::create(&folder.path().join("run")).unwrap();
    let turn = AtomicU32::new(0);
    bencher
        .with_inputs(|| vec![make(turn.fetch_add(1, Ordering::Relaxed))])
        .bench_values(|entries| writer.append(entries, durability).unwrap());
}

#[divan::bench(sample_size = 1, sample_count = COUNT, args = [512, PAYLOAD])]
fn fdatasync(bencher: Bencher<'_, '_>, length: usize) {
    let folder = folder();
    let mut file = File::create(folder.path().join("plain")).unwrap();
    let bytes = vec![7; length];
    bencher.bench_local(|| {
        file.write_all(&bytes).unwrap();
        file.sync_data().unwrap();
    });
}

/// The same for a file that already has its length, like a log that is reused.
#[divan::bench(sample_size = 1, sample_count = COUNT, args = [512, PAYLOAD])]
fn fdatasync_in_place(bencher: Bencher<'_, '_>, length: usize) {
    let folder = folder();
    let mut file = File::create(folder.path().join("plain")).unwrap();
    file.write_all(&vec![0; length * COUNT as usize * 2]).unwrap();
    file.sync_all().unwrap();
    file.rewind().unwrap();
    let bytes = vec![7; length];
    bencher.bench_local(|| {
        file.write_all(&bytes).unwrap();
        file.sync_data().unwrap();
    });
}

#[divan::bench(sample_size = 1, sample_count = COUNT)]
fn durable_event(bencher: Bencher<'_, '_>) {
    append(bencher, Durability::Durable, plain);
}

#[divan::bench(sample_size = 1, sample_count = COUNT, args = [false, true])]
fn durable_payload(bencher: Bencher<'_, '_>, compressible: bool) {
    append(bencher, Durability::Durable, |turn| reply(turn, compressible));
}

/// Synced, but without waiting for it.
#[divan::bench(sample_size = 1, sample_count = COUNT)]
fn soon_durable_event(bencher: Bencher<'_, '_>) {
    append(bencher, Durability::Soon, plain);
}

#[divan::bench(sample_size = 1, sample_count = COUNT)]
fn buffered_event(bencher: Bencher<'_, '_>) {
    append(bencher, Durability::Buffered, plain);
}

#[divan::bench(sample_size = 1, sample_count = COUNT, args = [false, true])]
fn buffered_payload(bencher: Bencher<'_, '_>, compressible: bool) {
    append(bencher, Durability::Buffered, |turn| reply(turn, compressible));
}

/// Four callers that each wait for their own durable append: they share commits.
#[divan::bench(sample_count = 100, sample_size = 1)]
fn durable_event_of_four_callers(bencher: Bencher<'_, '_>) {
    let folder = folder();
    let writer = Writer::create(&folder.path().join("run")).unwrap();
    bencher.counter(ItemsCount::new(64u32)).bench_local(|| {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for turn in 0..16 {
                        writer.append(vec![plain(turn)], Durability::Durable).unwrap();
                    }
                });
            }
        });
    });
}

const STORED: u32 = 10_000;

/// Measures the whole cost of recording a long run durably, including moving its log into the file.
#[divan::bench(sample_count = 3, sample_size = 1, args = [false, true])]
fn durable_10000_payloads(bencher: Bencher<'_, '_>, compressible: bool) {
    bencher
        .with_inputs(|| (0..STORED).map(|turn| vec![reply(turn, compressible)]).collect::<Vec<_>>())
        .bench_values(|calls| {
            let folder = folder();
            let writer = Writer::create(&folder.path().join("run")).unwrap();
            for entries in calls {
                writer.append(entries, Durability::Durable).unwrap();
            }
        });
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn fdatasync_10000(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        let folder = folder();
        let mut file = File::create(folder.path().join("plain")).unwrap();
        for _ in 0..STORED {
            file.write_all(&[7; PAYLOAD]).unwrap();
            file.sync_data().unwrap();
        }
    });
}

fn recorded(payloads: Option<bool>) -> TempDir {
    let folder = folder();
    let run = folder.path().join("run");
    let writer = Writer::create(&run).unwrap();
    for first in (0..STORED).step_by(100) {
        let entries = (first..first + 100).map(|turn| match payloads {
            Some(compressible) => reply(turn, compressible),
            None => plain(turn),
        });
        writer.append(entries.collect(), Durability::Buffered).unwrap();
    }
    writer.seal(vec![]).unwrap();
    folder
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn read_10000_events_checked(bencher: Bencher<'_, '_>) {
    let folder = recorded(None);
    bencher.counter(ItemsCount::new(STORED)).bench_local(|| {
        let reader = Reader::open(&folder.path().join("run")).unwrap();
        assert_eq!(reader.events().filter(Result::is_ok).count(), STORED as usize);
    });
}

#[divan::bench(sample_count = 10, sample_size = 1, args = [false, true])]
fn read_10000_events_and_payloads_checked(bencher: Bencher<'_, '_>, compressible: bool) {
    let folder = recorded(Some(compressible));
    bencher.counter(ItemsCount::new(STORED)).bench_local(|| {
        let reader = Reader::open(&folder.path().join("run")).unwrap();
        for event in reader.events() {
            let (_, event, _) = event.unwrap();
            let digest = event.payload().unwrap();
            assert_eq!(reader.payload(&digest).unwrap().unwrap().len(), PAYLOAD);
        }
    });
}
