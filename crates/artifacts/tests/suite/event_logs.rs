//! Event logs: built, cut, damaged.

use ::evtx::checksum_ieee;
use artifacts::evtx::{self, Found, LogDamageKind, Screen, read_bytes};
use proptest::prelude::*;
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

/// Number, time, event id, data, and the damage met.
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

/// Numbers of the events that a screen for one id and channel wants; and how many were handed over.
fn screened(log: &[u8], id: u32, channel: &str, with: bool) -> (Vec<u64>, usize) {
    let wants = |event_id: u32, name: &str| event_id == id && name == channel;
    let screen: Option<&Screen<'_>> = if with { Some(&wants) } else { None };
    let mut fetch = |offset: u64, buffer: &mut [u8]| {
        let rest = log.get(offset as usize..).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok::<_, std::convert::Infallible>(length)
    };
    let (mut numbers, mut all) = (Vec::new(), 0);
    let _ = evtx::read(log.len() as u64, &mut fetch, screen, &mut |found| {
        if let Found::Event(event) = found {
            all += 1;
            if wants(event.system.event_id, &event.system.channel) {
                numbers.push(event.record_id);
            }
        }
        ControlFlow::Continue(())
    });
    (numbers, all)
}

/// A log of several ids, channels and templates.
fn mixed() -> Vec<u8> {
    let data = [("ServiceName", "a"), ("ImagePath", "C:\\a.exe")];
    let other = [("SubjectUserName", "ann"), ("Channel", "")];
    let of = |number: u64| match number % 4 {
        0 => event(number, &data),
        1 => Event { event_id: 4624, channel: "Security", ..event(number, &other) },
        2 => Event { event_id: 4625, channel: "Security", guid: None, ..event(number, &other) },
        _ => Event { event_id: 4624, user_data: Some("U"), ..event(number, &other) },
    };
    log(&(1..=240).map(of).collect::<Vec<_>>())
}

/// Gives every chunk the checksums of its bytes.
fn with_checksums(mut log: Vec<u8>) -> Vec<u8> {
    for chunk in log[4096..].chunks_exact_mut(65_536) {
        let free = u32::from_le_bytes(chunk[48..52].try_into().unwrap()) as usize;
        let Some(records) = chunk.get(512..free) else { continue };
        let sum = checksum_ieee(records).to_le_bytes();
        chunk[52..56].copy_from_slice(&sum);
        let head = [&chunk[..120], &chunk[128..512]].concat();
        let sum = checksum_ieee(&head).to_le_bytes();
        chunk[124..128].copy_from_slice(&sum);
    }
    log
}

#[test]
fn a_screen_leaves_out_what_is_not_wanted_and_nothing_else() {
    let log = mixed();
    for (id, channel) in [(4624, "Security"), (4625, "Security"), (7045, "System"), (4624, "System"), (1, "")]
    {
        let (numbers, all) = screened(&log, id, channel, true);
        assert_eq!(numbers, screened(&log, id, channel, false).0, "{id} {channel}");
        assert_eq!(numbers.len(), all, "{id} {channel}");
    }
}

#[test]
fn a_screen_believes_no_chunk_whose_checksum_is_wrong() {
    let mut log = mixed();
    log[4096 + 600] ^= 0x20;
    assert_eq!(screened(&log, 1, "", true).1, screened(&log, 1, "", false).1);
}

proptest! {
    #[test]
    fn a_screen_hides_no_wanted_event_of_a_changed_log_with_right_checksums(
        changes in prop::collection::vec((512_usize..60_000, any::<u8>()), 1..12),
        id in prop::sample::select(vec![4624, 4625, 7045]),
        channel in prop::sample::select(vec!["Security", "System"]),
    ) {
        let mut log = mixed();
        for (at, byte) in changes {
            // Near the start stand the templates, which matter most.
            let at = 4096 + if byte % 2 == 0 { 512 + at % 3000 } else { at };
            log[at] = byte;
        }
        let log = with_checksums(log);
        prop_assert_eq!(screened(&log, id, channel, true).0, screened(&log, id, channel, false).0);
    }
}
