//! Keys and values per second of a full walk, with our reader (decoded, located) and with plain nt-hive; the
//! replay of a log; the search of free space.

#![expect(clippy::expect_used, reason = "a benchmark whose sample is no hive has nothing to measure")]

use std::ops::ControlFlow;

use artifacts::registry::Hive;
use artifacts::registry::deleted::deleted;
use artifacts::registry::replay::replay;
use divan::counter::ItemsCount;
use testkit::hive::{HiveSpec, KeySpec, LogEntry, ValueSpec, new_log};

fn main() {
    divan::main();
}

/// Returns a hive with 51,001 keys and 150,000 values.
fn sample() -> Vec<u8> {
    let leaf = |n: u32| {
        KeySpec::new(&format!("{{0f1e2d3c-{n:04}}}"))
            .written(u64::from(n))
            .value(ValueSpec::sz("DisplayName", "@%SystemRoot%\\system32\\drivers\\some.dll,-101"))
            .value(ValueSpec::dword("Start", n))
            .value(ValueSpec::binary("Blob", &[7; 64]))
    };
    let group =
        |n: u32| KeySpec { keys: (0..50).map(leaf).collect(), ..KeySpec::new(&format!("Service {n}")) };
    let root = KeySpec { keys: (0..1_000).map(group).collect(), ..KeySpec::new("ROOT") };
    HiveSpec::new(root).build().bytes
}

const RECORDS: u64 = 51_001 + 150_000;

#[divan::bench]
fn ours_decoded_and_located(bencher: divan::Bencher<'_, '_>) {
    let bytes = sample();
    bencher.counter(ItemsCount::new(RECORDS)).bench_local(|| {
        let hive = Hive::open(&bytes).expect("the sample is a hive");
        let summary = hive.walk(|visit| {
            divan::black_box(&visit);
            ControlFlow::Continue(())
        });
        assert_eq!(summary.keys + summary.values, RECORDS);
    });
}

#[divan::bench]
fn nt_hive_names_and_data(bencher: divan::Bencher<'_, '_>) {
    let bytes = sample();
    bencher.counter(ItemsCount::new(RECORDS)).bench_local(|| {
        let hive = nt_hive::Hive::without_validation(bytes.as_slice()).expect("the sample is a hive");
        assert_eq!(plain(&hive.root_key_node().expect("the sample has a root")), RECORDS);
    });
}

/// Replays a log that writes every page of the hive.
#[divan::bench]
fn replay_of_every_page(bencher: divan::Bencher<'_, '_>) {
    let mut hive = sample();
    // The checksum is now wrong, so the hive is dirty.
    hive.iter_mut().skip(8).take(1).for_each(|byte| *byte ^= 0x80);
    let log = new_log(&hive, &[LogEntry::between(&[], &hive, 1)]);
    bencher.counter(divan::counter::BytesCount::new(log.len())).bench_local(|| {
        let replayed = replay(&hive, &[&log]);
        assert_eq!(replayed.applied.len(), 1);
    });
}

#[divan::bench]
fn search_of_free_space(bencher: divan::Bencher<'_, '_>) {
    let bytes = sample();
    bencher.counter(divan::counter::BytesCount::new(bytes.len())).bench_local(|| {
        let hive = Hive::open(&bytes).expect("the sample is a hive");
        assert!(deleted(&hive, |_| ControlFlow::Continue(())));
    });
}

fn plain(key: &nt_hive::KeyNode<'_, &[u8]>) -> u64 {
    divan::black_box(key.name().ok());
    let mut records = 1;
    for value in key.values().into_iter().flatten().flatten().flatten() {
        divan::black_box((value.name().ok(), value.data().ok().is_some()));
        records += 1;
    }
    for subkey in key.subkeys().into_iter().flatten().flatten().flatten() {
        records += plain(&subkey);
    }
    records
}
