//! Keys and values in free cells.

use std::ops::ControlFlow;

use artifacts::registry::deleted::{DeletedKey, DeletedValue, Remnant, Standing, deleted};
use artifacts::registry::{Hive, ValueData};
use testkit::hive::{Built, HiveSpec, KeySpec, ValueSpec};
use testkit::mutate::mutants;

/// A FILETIME of 2012.
const TICKS: u64 = 129_779_783_208_392_490;

fn built() -> Built {
    let gone = KeySpec::new("gone")
        .written(TICKS)
        .value(ValueSpec::sz("text", "what was there"))
        .value(ValueSpec::dword("", 7))
        .value(ValueSpec::binary("big", &[3; 40_000]))
        .key(KeySpec::new("Ünder").written(TICKS + 1));
    let root = KeySpec::new("ROOT").path("Software\\Live", KeySpec::new("").value(ValueSpec::dword("x", 1)));
    let moved = KeySpec::new("live").written(TICKS).value(ValueSpec::dword("X", 2));
    let orphan = KeySpec::new("orphan").written(TICKS);
    HiveSpec::new(root)
        .deleted("Software", gone)
        .deleted("Software", moved)
        .deleted("Software\\gone\\Ünder", orphan)
        .build()
}

fn all<'h>(hive: &'h Hive<'_>) -> (Vec<DeletedKey>, Vec<DeletedValue<'h>>, bool) {
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    let complete = deleted(hive, |remnant| {
        match remnant {
            Remnant::Key(key) => keys.push(key),
            Remnant::Value(value) => values.push(value),
        }
        ControlFlow::Continue(())
    });
    (keys, values, complete)
}

#[test]
fn deleted_keys_have_the_path_of_their_parents() {
    let built = built();
    let hive = Hive::open(&built.bytes).unwrap();
    let (keys, _, complete) = all(&hive);
    assert!(complete);
    let told: Vec<_> = keys.iter().map(|key| (key.path.as_str(), key.path_complete, key.standing)).collect();
    let expected = [
        ("Software\\gone", true, Standing::Gone),
        ("Software\\gone\\Ünder", true, Standing::Gone),
        ("Software\\live", true, Standing::Live),
        ("Software\\gone\\Ünder\\orphan", true, Standing::Gone),
    ];
    assert_eq!(told, expected);
    assert_eq!((keys[0].last_written.0, keys[0].value_count, keys[0].subkey_count), (TICKS, 3, 1));
    assert_eq!(Some(keys[0].offset), built.key_offset("Software\\gone"));
}

#[test]
fn deleted_values_have_their_data_and_their_key() {
    let built = built();
    let hive = Hive::open(&built.bytes).unwrap();
    let (_, values, _) = all(&hive);
    let gone = Some(("Software\\gone".to_owned(), true));
    let [text, unnamed, big, moved] = values.as_slice() else { panic!("{values:?}") };
    assert_eq!((text.name.as_str(), &text.key, text.standing), ("text", &gone, Standing::Gone));
    assert_eq!(text.data, ValueData::Text("what was there".into()));
    assert_eq!(Some(text.offset), built.value_offset("Software\\gone", "text"));
    assert_eq!((unnamed.name.as_str(), &unnamed.data), ("", &ValueData::Dword(7)));
    assert_eq!((big.raw.as_ref(), big.data_extents.len()), (&[3; 40_000][..], 3));
    assert_eq!((moved.standing, &moved.data), (Standing::Live, &ValueData::Dword(2)));
}

#[test]
fn a_lost_parent_leaves_the_path_open_and_used_space_gives_no_data() {
    let mut built = built();
    let parent = built.key_offset("Software\\gone").unwrap();
    built.put(parent, &[0; 4]);
    let text = built.value_offset("Software\\gone", "text").unwrap();
    // The place of its data is now a key in use.
    let live = built.key_offset("").unwrap();
    built.put_u32(text + 8, testkit::hive::cell_reference(live));
    let hive = Hive::open(&built.bytes).unwrap();
    let (keys, values, _) = all(&hive);
    let under = keys.iter().find(|key| key.name == "Ünder").unwrap();
    assert_eq!(
        (under.path.as_str(), under.path_complete, under.standing),
        ("Ünder", false, Standing::Unknown)
    );
    let text = values.iter().find(|value| value.name == "text").unwrap();
    assert_eq!((&text.data, &text.key, text.standing), (&ValueData::Unreadable, &None, Standing::Unknown));
}

#[test]
fn a_hive_without_free_records_gives_none() {
    let bytes = HiveSpec::new(KeySpec::new("ROOT").value(ValueSpec::sz("nk vk", "nk vk"))).build().bytes;
    let (keys, values, complete) = {
        let hive = Hive::open(&bytes).unwrap();
        let (keys, values, complete) = all(&hive);
        (keys.len(), values.len(), complete)
    };
    assert_eq!((keys, values, complete), (0, 0, true));
}

#[test]
fn damaged_free_space_is_read_without_a_panic() {
    for bytes in mutants(&built().bytes, 400) {
        if let Ok(hive) = Hive::open(&bytes) {
            let (keys, values, _) = all(&hive);
            assert!(keys.len() + values.len() <= bytes.len() / 16);
        }
    }
}

#[test]
fn real_hives_have_remnants() {
    for name in ["open-shieldbase-win732bita", "open-dirtyhives-lonewolf", "open-malformed"] {
        let Some(evidence) = crate::registry::cases::case(name) else { return };
        for path in crate::registry::cases::files(&evidence) {
            let bytes = std::fs::read(&path).unwrap();
            let Ok(hive) = Hive::open(&bytes) else { continue };
            let (keys, values, complete) = all(&hive);
            let gone = keys.iter().filter(|key| key.standing == Standing::Gone).count();
            let open = keys.iter().filter(|key| !key.path_complete).count();
            let owned = values.iter().filter(|value| value.key.is_some()).count();
            let whole = values.iter().filter(|value| value.data != ValueData::Unreadable).count();
            println!(
                "{}: {} keys ({gone} gone, {open} open), {} values ({owned} owned, {whole} with data) {complete}",
                path.display(),
                keys.len(),
                values.len()
            );
        }
    }
}
