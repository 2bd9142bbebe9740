//! Random damage, the same in every run: reading never panics and never returns more than the file can hold.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use artifacts::registry::{Hive, identify};
use testkit::hive::{Built, HiveSpec, KeySpec, ValueSpec};

const NASTY: [u32; 10] = [0, 1, 4, 0x7F, 0x20, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFF8, 0xFFFF_FFFC, u32::MAX];

/// `splitmix64`, by Sebastiano Vigna.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

fn sample(minor: u32) -> Built {
    let mut root = KeySpec::new("ROOT").class("class");
    for n in 0..40 {
        let key = KeySpec::new(&format!("key {n}"))
            .written(n)
            .value(ValueSpec::sz("", "default"))
            .value(ValueSpec::multi_sz("Mehrere Ä", &["a", "b"]))
            .value(ValueSpec::dword("日", 7))
            .key(KeySpec::new("sub").key(KeySpec::new("subsub").value(ValueSpec::qword("q", 1))));
        root = root.key(key);
    }
    root = root.value(ValueSpec::binary("big", &[0x11; 40_000]));
    let mut spec = HiveSpec::new(root).minor(minor);
    spec.list_limit = 16;
    spec.build()
}

/// Reads everything; returns the number of keys, values and defects.
fn read_all(bytes: &[u8]) -> u64 {
    let Ok(hive) = Hive::open(bytes) else { return 0 };
    let mut data = 0;
    let summary = hive.walk(|visit| {
        data += visit.values.iter().map(|value| value.raw.len()).sum::<usize>();
        ControlFlow::Continue(())
    });
    identify(&hive);
    let _ = hive.key("key 3\\sub\\subsub");
    assert!(data <= bytes.len() * 8 + (17 << 20), "{data} bytes of data");
    summary.keys + summary.values + summary.defects
}

fn mutate(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..=random.below(12) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 | 1 => bytes[at] ^= 1 << random.below(8),
            2 | 3 => {
                let at = at & !3;
                let end = bytes.len().min(at + 4);
                bytes[at..end].copy_from_slice(&NASTY[random.below(NASTY.len())].to_le_bytes()[..end - at]);
            }
            4 => {
                let end = bytes.len().min((at & !511) + 512);
                bytes[at & !511..end].fill(0);
            }
            _ => {
                // A reference to another record: creates cycles and records of the wrong kind.
                let from = random.below(bytes.len()) & !3;
                let word = [bytes[from], bytes[from + 1], bytes[from + 2], bytes[from + 3]];
                let at = at & !3;
                bytes[at..at + 4].copy_from_slice(&word);
            }
        }
    }
}

fn survives(bytes: &[u8], what: &str) {
    let limit = bytes.len() as u64;
    let found = catch_unwind(AssertUnwindSafe(|| read_all(bytes)));
    assert!(found.is_ok_and(|found| found <= limit), "{what}");
}

#[test]
fn a_hive_cut_at_any_sector_is_read_as_far_as_it_goes() {
    for minor in [3, 5] {
        let built = sample(minor);
        for end in (0..built.bytes.len()).step_by(512) {
            survives(&built.bytes[..end], &format!("version 1.{minor} cut at {end}"));
        }
        assert!(read_all(&built.bytes[..built.bytes.len() / 2]) > 0);
    }
}

#[test]
fn two_thousand_damaged_hives_are_read_without_a_panic() {
    let mut random = Random(42);
    let samples = [sample(3), sample(5)];
    for number in 0..2_000 {
        let mut bytes = samples[number % 2].bytes.clone();
        mutate(&mut bytes, &mut random);
        survives(&bytes, &format!("mutation {number}"));
    }
}

#[test]
fn damage_inside_the_records_is_survived_too() {
    let mut random = Random(7);
    let built = sample(5);
    let places: Vec<u64> = [&built.subkey_lists, &built.value_lists, &built.keys]
        .into_iter()
        .flat_map(|map| map.values().copied())
        .chain(built.values.values().copied())
        .collect();
    for number in 0..2_000 {
        let mut damaged = built.clone();
        for _ in 0..=random.below(8) {
            let at = places[random.below(places.len())] + random.below(20) as u64 * 4;
            let other = places[random.below(places.len())] as u32 - 4100;
            let word = [NASTY[random.below(NASTY.len())], other, other, other][random.below(4)];
            damaged.put_u32(at, word);
        }
        survives(&damaged.bytes, &format!("mutation {number}"));
    }
}

#[test]
fn many_keys_that_share_one_list_do_not_multiply() {
    // Every key refers to the root's list of values; a naive reader would return keys times values.
    let keys = (0..2_000).map(|n| KeySpec::new(&format!("k{n}"))).collect();
    let values = (0..2_000).map(|n| ValueSpec::dword(&format!("v{n}"), n)).collect();
    let mut built = HiveSpec::new(KeySpec { keys, values, ..KeySpec::new("R") }).build();
    let list = (built.value_lists[""] - 4100) as u32;
    let keys: Vec<u64> = built.keys.values().copied().collect();
    for at in keys {
        built.put_u32(at + 0x24, 2_000);
        built.put_u32(at + 0x28, list);
    }
    survives(&built.bytes, "shared lists of values");
    let hive = Hive::open(&built.bytes).unwrap();
    assert!(!hive.walk(|_| ControlFlow::Continue(())).complete);
}
