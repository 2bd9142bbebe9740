//! Event logs: built here, truncated, damaged.

use artifacts::evtx::{Found, LogDamageKind, read_bytes};
use std::ops::ControlFlow;
use testkit::evtx::{Event, log};

const TICKS: u64 = 129_779_783_208_392_490;

fn event<'a>(record_id: u64, data: &'a [(&'a str, &'a str)]) -> Event<'a> {
    Event {
        record_id,
        time: TICKS + record_id * 10_000_000,
        provider: "Service Control Manager",
        guid: Some("{555908d1-a6d7-4695-8e1e-26931d2012f4}"),
        event_id: 7045,
        level: 4,
        channel: "System",
        computer: "PC-1",
        user_sid: Some("S-1-5-18"),
        user_data: None,
        data,
    }
}

/// Returns number, time and event id with data of each event, and the damage found.
fn read(log: &[u8]) -> (Vec<(u64, u64, String)>, Vec<String>) {
    let (mut events, mut damage) = (Vec::new(), Vec::new());
    let flow = read_bytes(log, &mut |found| {
        match found {
            Found::Event(event) => {
                let data: Vec<_> =
                    event.data().iter().map(|(name, value)| format!("{name}={value}")).collect();
                assert_eq!(&log[event.offset as usize..][..4], b"**\0\0");
                events.push((event.record_id, event.system.created.unwrap_or_default(), data.join("|")));
            }
            Found::Damage(one) => damage.push(format!("{:x}: {}", one.offset, one.what)),
            Found::Checksum { offset } => damage.push(format!("{offset:x}: checksum")),
            Found::Head(_) => {}
        }
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    (events, damage)
}

#[test]
fn a_log_of_several_chunks_is_read_whole() {
    let long = "x".repeat(300);
    let data =
        [("ServiceName", "a & b <c>"), ("ImagePath", "C:\\Grüße.exe"), ("", "unnamed"), ("Long", &long)];
    let events: Vec<_> = (1..=400).map(|number| event(number, &data)).collect();
    let log = log(&events);
    assert_eq!(log.len() % 65_536, 4096);
    assert!(log.len() > 4096 + 4 * 65_536);
    let (found, damage) = read(&log);
    assert_eq!(damage, Vec::<String>::new());
    assert_eq!(found.iter().map(|(id, ..)| *id).collect::<Vec<_>>(), (1..=400).collect::<Vec<_>>());
    assert_eq!(found[7].1, TICKS + 80_000_000);
    assert_eq!(
        found[7].2,
        format!("ServiceName=a & b <c>|ImagePath=C:\\Grüße.exe|data0=unnamed|Long={long}")
    );
}

#[test]
fn user_data_and_missing_values_are_read() {
    let one = Event {
        user_data: Some("LogFileCleared"),
        user_sid: None,
        guid: None,
        ..event(1, &[("SubjectUserName", "ann"), ("Channel", "")])
    };
    let (found, damage) = read(&log(&[one]));
    assert_eq!((found[0].2.as_str(), damage.len()), ("SubjectUserName=ann|Channel=", 0));
}

#[test]
fn a_full_log_is_read_from_its_oldest_chunk_on() {
    let long = "x".repeat(1000);
    let data = [("Long", long.as_str())];
    let mut log = log(&(1..=60).map(|number| event(number, &data)).collect::<Vec<_>>());
    let second = log.split_off(4096 + 65_536);
    let first = log.split_off(4096);
    let turned = [log, second, first].concat();
    let (found, _) = read(&turned);
    assert!(found.is_sorted() && found.len() == 60);
}

#[test]
fn a_cut_log_gives_the_records_before_the_cut() {
    let log = log(&(1..=100).map(|number| event(number, &[("A", "b")])).collect::<Vec<_>>());
    let (all, _) = read(&log);
    let (found, damage) = read(&log[..10_000]);
    assert!(!found.is_empty() && found.len() < all.len());
    assert_eq!(found[..], all[..found.len()]);
    assert!(damage[0].contains("ends with the file"), "{damage:?}");
}

#[test]
fn records_of_a_chunk_without_its_head_are_read_and_said_to_be() {
    let mut log = log(&(1..=20).map(|number| event(number, &[("A", "b")])).collect::<Vec<_>>());
    log[4096..4096 + 512].fill(0);
    let (found, damage) = read(&log);
    assert_eq!(found.len(), 20, "{damage:?}");
    assert!(damage[0].starts_with("1000: a chunk without its head; what looks"), "{damage:?}");
}

#[test]
fn a_counted_chunk_that_is_empty_or_gone_is_damage() {
    let mut log = log(&[event(1, &[("A", "b")])]);
    assert_eq!(read(&log[..4096]).1, ["1000: the head of the log counts 1 chunks but there are 0"]);
    log[4096..].fill(0);
    let (found, damage) = read(&log);
    assert_eq!(
        (found.len(), damage),
        (0, vec!["1000: a chunk that the head of the log counts is empty".into()])
    );
}

#[test]
fn what_is_no_log_is_damage_and_ends() {
    let mut kinds = 0;
    let _ = read_bytes(b"ElfFile\0 and then nothing", &mut |found| {
        kinds +=
            usize::from(matches!(found, Found::Damage(one) if matches!(one.what, LogDamageKind::Head(_))));
        ControlFlow::Continue(())
    });
    assert_eq!(kinds, 1);
}

#[test]
fn damaged_logs_are_read_as_far_as_they_go() {
    let data = [("ServiceName", "svc"), ("ImagePath", "C:\\a.exe")];
    let log = log(&(1..=30).map(|number| event(number, &data)).collect::<Vec<_>>());
    for mutant in testkit::mutate::mutants(&log, 300) {
        let mut records = 0;
        let _ = read_bytes(&mutant, &mut |found| {
            if let Found::Event(event) = found {
                records += 1;
                let _ = event.data();
            }
            ControlFlow::Continue(())
        });
        assert!(records <= mutant.len() / 24);
    }
}
