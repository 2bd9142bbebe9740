//! Appending and reading back.

use crate::common::{noise, output, plain, task, write};
use ledger::chain::Chain;
use ledger::{Digest, Stream};
use std::fs;
use std::path::Path;
use store::{
    AppendError, CreateError, Durability, Encoding, FILE_NAME, Fault, OpenError, Reader, ResumeError, Writer,
};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_is_appended_is_read_back_by_another_opening() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("a run?#%").join("of 2026");
    let writer = Writer::create(&run).unwrap();
    let entries = vec![plain(Stream::Run, "a"), output(task(1), 0, b"out"), plain(task(1), "\u{0}b\u{fffd}")];
    let placed = writer.append(entries.clone(), Durability::Buffered).unwrap();
    let places: Vec<_> = placed.iter().map(|p| (p.position, p.stream, p.sequence)).collect();
    assert_eq!(places, [(0, Stream::Run, 0), (1, task(1), 0), (2, task(1), 1)]);
    let tally = writer.tally().unwrap();
    drop(writer);

    let reader = Reader::open(&run).unwrap();
    reader.check_schema().unwrap();
    let mut events = reader.events();
    for entry in &entries {
        let (_, event, circumstance) = events.next().unwrap().unwrap();
        assert_eq!((&event, &circumstance), (&entry.event, &entry.circumstance));
    }
    assert!(events.next().is_none());
    assert_eq!(events.so_far().head(), tally.head);
    assert_eq!(tally.streams, events.so_far().streams().collect::<Vec<_>>());
    assert_eq!((tally.events, tally.payloads), (3, 1));
    assert_eq!(reader.payload(&Digest::of(b"out")).unwrap().unwrap(), b"out");
    assert_eq!(reader.payload(&Digest::of(b"other")).unwrap(), None);
}

#[test]
fn more_events_than_a_page_come_back_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::create(folder.path()).unwrap();
    for count in [1, 63, 64, 65] {
        let entries = (0..count).map(|n| plain(task(1), &n.to_string())).collect();
        writer.append(entries, Durability::Buffered).unwrap();
    }
    let reader = Reader::open(folder.path()).unwrap();
    let positions: Vec<_> = reader.links().map(|link| link.unwrap().position).collect();
    assert_eq!(positions, (0..193).collect::<Vec<_>>());
    assert_eq!(reader.events().filter(Result::is_ok).count(), 193);
}

#[test]
fn one_wrong_entry_keeps_the_whole_call_out_and_stops_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::create(folder.path()).unwrap();
    writer.append(vec![plain(task(1), "kept")], Durability::Durable).unwrap();
    let mut wrong = output(task(1), 0, b"named");
    wrong.payload = Some(b"given".as_slice().into());
    let stopped = writer.append(vec![plain(task(1), "lost"), wrong], Durability::Durable).unwrap_err();
    assert_eq!(stopped.position, 1);
    assert!(matches!(
        &*stopped.reason,
        AppendError::PayloadMismatch { name: "invocation_ended", expected: Some(expected), found }
            if *expected == Digest::of(b"named") && *found == Digest::of(b"given")
    ));

    let later = writer.append(vec![plain(task(1), "later")], Durability::Durable).unwrap_err();
    assert_eq!((later.position, later.reason.to_string()), (1, stopped.reason.to_string()));
    assert_eq!(later.to_string(), "record events: recording stopped at position 1");
    assert!(writer.seal(vec![plain(Stream::Run, "end")]).is_err());
    assert!(writer.seal(vec![]).is_err());
    assert!(writer.tally().is_err());
    assert_eq!(Reader::open(folder.path()).unwrap().links().count(), 1);
}

#[test]
fn a_payload_beside_an_event_that_names_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::create(folder.path()).unwrap();
    let mut wrong = plain(task(1), "a");
    wrong.payload = Some(b"given".as_slice().into());
    let stopped = writer.append(vec![wrong], Durability::Buffered).unwrap_err();
    assert!(matches!(&*stopped.reason, AppendError::PayloadMismatch { expected: None, .. }));
}

#[test]
fn a_number_without_canonical_form_is_refused_and_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::create(folder.path()).unwrap();
    let mut wrong = output(task(1), 0, b"out");
    if let ledger::Event::InvocationEnded(ended) = &mut wrong.event {
        ended.normalised = Some(serde_json::json!({ "limit": 1.5 }));
    }
    let stopped = writer.append(vec![output(task(1), 1, b"first"), wrong], Durability::Buffered).unwrap_err();
    assert!(matches!(&*stopped.reason, AppendError::Chain(_)));
    let reader = Reader::open(folder.path()).unwrap();
    assert_eq!(reader.links().count(), 0);
    assert!(reader.payload_index().unwrap().is_empty());
}

#[test]
fn a_payload_is_stored_once_and_may_be_named_again_without_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::create(folder.path()).unwrap();
    let (first, second) = (output(task(1), 0, b"same"), output(task(2), 1, b"same"));
    let mut third = output(task(1), 2, b"same");
    third.payload = None;
    writer.append(vec![first, second], Durability::Buffered).unwrap();
    writer.append(vec![third], Durability::Buffered).unwrap();
    assert_eq!(writer.tally().unwrap().payloads, 1);

    let mut missing = output(task(1), 3, b"never seen");
    missing.payload = None;
    let stopped = writer.append(vec![missing], Durability::Buffered).unwrap_err();
    assert!(matches!(&*stopped.reason, AppendError::PayloadMissing { .. }));
    assert_eq!(stopped.position, 3);
}

#[test]
fn a_payload_is_compressed_where_that_pays_and_read_back_by_writer_and_reader() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::create(folder.path()).unwrap();
    let payloads = [vec![], b"short".to_vec(), b"line\n".repeat(4000), noise(7, 20_000)];
    let entries = payloads.iter().zip(0..).map(|(bytes, n)| output(task(1), n, bytes)).collect();
    writer.append(entries, Durability::Buffered).unwrap();
    let reader = Reader::open(folder.path()).unwrap();
    for bytes in &payloads {
        assert_eq!(writer.payload(&Digest::of(bytes)).unwrap().as_ref(), Some(bytes));
        assert_eq!(reader.payload(&Digest::of(bytes)).unwrap().as_ref(), Some(bytes));
    }
    let index: Vec<_> = reader.payload_index().unwrap().into_iter().map(Result::unwrap).collect();
    let encodings: Vec<_> = index.iter().map(|entry| (entry.encoding, entry.length)).collect();
    use Encoding::{Raw, Zstd};
    assert_eq!(encodings, [(Raw, 0), (Raw, 5), (Zstd, 20_000), (Raw, 20_000)]);
    assert!(index.iter().zip(&payloads).all(|(entry, bytes)| entry.digest == Digest::of(bytes)));
}

#[test]
fn threads_that_append_at_once_make_one_valid_chain() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::create(folder.path()).unwrap();
    std::thread::scope(|scope| {
        for number in 1..=4 {
            let writer = writer.clone();
            scope.spawn(move || {
                for n in 0..50 {
                    let durability = if n % 10 == 0 { Durability::Durable } else { Durability::Buffered };
                    let entries =
                        vec![plain(task(number), "a"), output(task(number), n, &noise(n.into(), 100))];
                    let placed = writer.append(entries, durability).unwrap();
                    let sequences: Vec<_> = placed.iter().map(|p| (p.stream, p.sequence)).collect();
                    assert_eq!(sequences, [(task(number), 2 * n), (task(number), 2 * n + 1)]);
                    assert_eq!(placed[0].position + 1, placed[1].position);
                }
            });
        }
    });
    let tally = writer.tally().unwrap();
    assert_eq!((tally.events, tally.payloads), (400, 50));
    let reader = Reader::open(folder.path()).unwrap();
    let mut chain = Chain::new();
    for link in reader.links() {
        chain.check(&link.unwrap()).unwrap();
    }
    assert_eq!(chain.head(), tally.head);
}

#[test]
fn a_process_that_dies_leaves_everything_appended() {
    let folder = tempfile::tempdir().unwrap();
    let (run, copy) = (folder.path().join("run"), folder.path().join("copy"));
    let writer = Writer::create(&run).unwrap();
    for n in 0..20 {
        let entries = vec![output(task(1), n, &noise(n.into(), 3000))];
        writer.append(entries, Durability::Buffered).unwrap();
    }
    // What is on the disk while the writer is open is what a killed process leaves behind; the index in shared
    // memory is lost.
    fs::create_dir(&copy).unwrap();
    for name in [FILE_NAME, "run.db-wal"] {
        fs::copy(run.join(name), copy.join(name)).unwrap();
    }
    assert!(fs::metadata(copy.join(FILE_NAME)).unwrap().len() < 60_000, "the events stand in the log alone");

    let reader = Reader::open(&copy).unwrap();
    reader.check_schema().unwrap();
    assert_eq!(reader.events().map(Result::unwrap).count(), 20);
    assert_eq!(reader.payload_index().unwrap().len(), 20);
    drop(reader);

    let resumed = Writer::resume(&copy).unwrap();
    assert_eq!(resumed.tally().unwrap(), writer.tally().unwrap());
    let placed = resumed.append(vec![plain(task(1), "goes on")], Durability::Durable).unwrap();
    assert_eq!((placed[0].position, placed[0].sequence), (20, 20));
    resumed.seal(vec![]).unwrap();
    assert_eq!(names(&copy), [FILE_NAME]);
    assert_eq!(Reader::open(&copy).unwrap().events().map(Result::unwrap).count(), 21);
}

#[test]
fn a_log_cut_anywhere_yields_a_valid_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let (run, copy) = (folder.path().join("run"), folder.path().join("copy"));
    let writer = Writer::create(&run).unwrap();
    for n in 0..6 {
        writer.append(vec![plain(task(1), "a"), output(task(1), n, b"out")], Durability::Buffered).unwrap();
    }
    let mut log = fs::read(run.join("run.db-wal")).unwrap();
    // The written part is followed by space for more.
    log.truncate(log.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
    let mut lengths = Vec::new();
    for length in (0..=log.len()).step_by(1031) {
        fs::create_dir(&copy).unwrap();
        fs::copy(run.join(FILE_NAME), copy.join(FILE_NAME)).unwrap();
        write(&copy.join("run.db-wal"), &log[..length]);
        let reader = Reader::open(&copy).unwrap();
        reader.check_schema().unwrap();
        lengths.push(reader.events().map(Result::unwrap).count());
        drop(reader);
        fs::remove_dir_all(&copy).unwrap();
    }
    assert!(lengths.is_sorted() && lengths.iter().all(|events| events % 2 == 0), "{lengths:?}");
    assert_eq!((lengths.first(), lengths.last().map(|last| *last >= 10)), (Some(&0), Some(true)));
}

#[test]
fn a_folder_that_holds_anything_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::create(folder.path()).unwrap();
    assert!(matches!(Writer::create(folder.path()), Err(CreateError::NotEmpty { .. })));
    drop(writer);
    assert!(matches!(Writer::create(folder.path()), Err(CreateError::NotEmpty { .. })));
    let file = folder.path().join(FILE_NAME);
    assert!(matches!(Writer::create(&file), Err(CreateError::NotEmpty { .. })));
    assert!(matches!(Writer::create(&file.join("run")), Err(CreateError::Fault(Fault::Io { .. }))));
}

#[test]
fn what_is_not_a_run_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Reader::open(folder.path()).unwrap_err();
    assert!(matches!(open(), OpenError::NoRun { .. }));
    assert!(matches!(Writer::resume(folder.path()), Err(ResumeError::Open(OpenError::NoRun { .. }))));
    let file = folder.path().join(FILE_NAME);
    for content in [b"".as_slice(), b"not a database", &[7; 8192]] {
        write(&file, content);
        assert!(matches!(open(), OpenError::NotARun { .. }), "{content:?}");
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(matches!(open(), OpenError::NotARun { .. }));
}
