//! Records per second of a whole event log: our reader with all data as names and values, our reader with the
//! system part only, and the JSON texts of the `evtx` crate.

#![expect(clippy::expect_used, reason = "a benchmark whose sample is no log has nothing to measure")]

use artifacts::evtx::{Found, read_bytes};
use divan::counter::ItemsCount;
use evtx::{EvtxParser, ParserSettings};
use std::ops::ControlFlow;
use testkit::evtx::{Event, log};

fn main() {
    divan::main();
}

const RECORDS: u64 = 20_000;

/// Returns events of new processes, as in the Security log.
fn sample() -> Vec<u8> {
    let data = [
        ("SubjectUserSid", "S-1-5-21-1-2-3-1001"),
        ("SubjectUserName", "ann"),
        ("SubjectDomainName", "PC-1"),
        ("SubjectLogonId", "0x1a2b3c"),
        ("NewProcessId", "0x1a8"),
        ("NewProcessName", "C:\\Windows\\System32\\conhost.exe"),
        ("TokenElevationType", "%%1936"),
        ("ProcessId", "0x198"),
        ("CommandLine", "\\??\\C:\\Windows\\system32\\conhost.exe 0xffffffff -ForceV1"),
        ("ParentProcessName", "C:\\Windows\\System32\\cmd.exe"),
        ("MandatoryLabel", "S-1-16-8192"),
    ];
    let event = |record_id| Event {
        record_id,
        time: 129_779_783_208_392_490 + record_id * 1_000_000,
        provider: "Microsoft-Windows-Security-Auditing",
        guid: Some("{54849625-5478-4994-a5ba-3e3b0328c30d}"),
        event_id: 4688,
        level: 0,
        channel: "Security",
        computer: "PC-1",
        user_sid: None,
        user_data: None,
        data: &data,
    };
    log(&(1..=RECORDS).map(event).collect::<Vec<_>>())
}

/// Counts the records of the log: all of them, or only those of another event id with their data.
fn ours(log: &[u8], all: bool) -> u64 {
    let mut records = 0;
    let _ = read_bytes(log, &mut |found| {
        if let Found::Event(event) = found {
            records += 1;
            if all || event.system.event_id == 1102 {
                divan::black_box(event.data());
            }
        }
        ControlFlow::Continue(())
    });
    records
}

#[divan::bench]
fn ours_names_and_values(bencher: divan::Bencher<'_, '_>) {
    let log = sample();
    bencher.counter(ItemsCount::new(RECORDS)).bench_local(|| assert_eq!(ours(&log, true), RECORDS));
}

#[divan::bench]
fn ours_other_ids_wanted(bencher: divan::Bencher<'_, '_>) {
    let log = sample();
    bencher.counter(ItemsCount::new(RECORDS)).bench_local(|| assert_eq!(ours(&log, false), RECORDS));
}

#[divan::bench]
fn evtx_json_texts(bencher: divan::Bencher<'_, '_>) {
    let log = sample();
    bencher.counter(ItemsCount::new(RECORDS)).bench_local(|| {
        let parser = EvtxParser::from_buffer(log.clone()).expect("the sample is a log");
        let mut parser = parser.with_configuration(ParserSettings::new().indent(false));
        assert_eq!(parser.records_json().filter(Result::is_ok).count() as u64, RECORDS);
    });
}
