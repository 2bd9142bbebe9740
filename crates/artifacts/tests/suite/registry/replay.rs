//! Logs of both formats, undamaged and damaged, applied to hives.

use artifacts::registry::replay::{Place, Why, replay};
use artifacts::registry::{Difference, Hive, ValueData, difference};
use testkit::hive::{HiveSpec, KeySpec, LogEntry, ValueSpec, new_log, old_log};
use testkit::mutate::mutants;

/// Builds a hive with `keys` subkeys below `Run`, each with a value; the last write had the number `primary`.
fn state(keys: u32) -> Vec<u8> {
    let key =
        |n: u32| KeySpec::new(&format!("key {n:03}")).written(7).value(ValueSpec::binary("data", &[7; 900]));
    let run = KeySpec { keys: (0..keys).map(key).collect(), ..KeySpec::new("Run") };
    let mut spec = HiveSpec::new(KeySpec::new("ROOT").key(run)).written(99);
    (spec.primary, spec.secondary) = (6, 5);
    spec.build().bytes
}

/// Returns the original state, and the states after entries 5 and 6.
fn states() -> [Vec<u8>; 3] {
    [state(10), state(20), state(30)]
}

fn entries([first, second, third]: &[Vec<u8>; 3]) -> [LogEntry; 2] {
    [LogEntry::between(first, second, 5), LogEntry::between(second, third, 6)]
}

fn keys(bytes: &[u8]) -> u64 {
    let hive = Hive::open(bytes).unwrap();
    assert!(hive.header().clean && hive.header().checksum_ok, "{:?}", hive.defects());
    let (visits, summary) = crate::registry::walk(&hive);
    assert!(summary.complete && summary.defects == 0);
    visits.len() as u64 - 2
}

#[test]
fn entries_are_applied_in_the_order_of_their_numbers_whichever_log_holds_them() {
    let states = states();
    let [five, six] = entries(&states);
    let both = new_log(&states[0], &[five.clone(), six.clone()]);
    let (one, two) =
        (new_log(&states[0], std::slice::from_ref(&five)), new_log(&states[0], std::slice::from_ref(&six)));
    for logs in [vec![&both[..]], vec![&one, &two], vec![&two, &one], vec![&[0; 1024], &both]] {
        let replayed = replay(&states[0], &logs);
        let sequences: Vec<_> = replayed.applied.iter().map(|entry| entry.sequence).collect();
        assert_eq!(sequences, [5, 6]);
        assert_eq!(replayed.pages(), (five.pages.len() + six.pages.len()) as u64);
        let bytes = replayed.bytes.unwrap();
        assert_eq!(bytes[4096..], states[2][4096..]);
        assert_eq!(keys(&bytes), 30);
        assert_eq!(Hive::open(&bytes).unwrap().header().primary_sequence, 7);
    }
}

#[test]
fn a_log_of_the_old_format_is_applied_as_a_whole() {
    let [first, second, _] = states();
    let log = old_log(&first, &second, 6);
    let replayed = replay(&first, &[&log]);
    assert_eq!((replayed.applied.len(), replayed.applied[0].sequence), (1, 6));
    assert_eq!(keys(&replayed.bytes.unwrap()), 20);

    let mut cut = log.clone();
    cut.truncate(log.len() - 1);
    assert!(matches!(replay(&first, &[&cut]).left_out[0].why, Why::Cut { .. }));
    let mut other = first.clone();
    other[12] ^= 1;
    fix(&mut other);
    assert_eq!(replay(&other, &[&log]).left_out[0].why, Why::OtherState);
    let mut torn = log;
    torn[8] ^= 1;
    fix(&mut torn);
    assert_eq!(replay(&first, &[&torn]).left_out[0].why, Why::Unfinished { primary: 6, secondary: 7 });
}

#[test]
fn a_clean_hive_takes_nothing_from_its_logs() {
    let states = states();
    let mut clean = states[0].clone();
    clean[4..8].copy_from_slice(&5u32.to_le_bytes());
    fix(&mut clean);
    let replayed = replay(&clean, &[&new_log(&states[0], &entries(&states))]);
    assert!(replayed.bytes.is_none() && replayed.applied.is_empty() && replayed.left_out.is_empty());
}

#[test]
fn entries_that_the_hive_holds_already_are_left_out() {
    let states = states();
    let mut later = states[0].clone();
    later[4..8].copy_from_slice(&9u32.to_le_bytes());
    later[8..12].copy_from_slice(&8u32.to_le_bytes());
    fix(&mut later);
    let replayed = replay(&later, &[&new_log(&states[0], &entries(&states))]);
    assert_eq!((replayed.bytes, replayed.left_out[0].why), (None, Why::Earlier { sequence: 6, held: 8 }));
    assert!(!replayed.left_out[0].why.is_damage());
}

#[test]
fn what_follows_a_damaged_entry_is_left_out_and_said() {
    let states = states();
    let [five, six] = entries(&states);
    let whole = new_log(&states[0], &[five.clone(), six.clone()]);
    let second = 512 + five.bytes().len();
    let applied = |log: &[u8]| {
        let replayed = replay(&states[0], &[log]);
        let sequences: Vec<_> = replayed.applied.iter().map(|entry| entry.sequence).collect();
        let left_out: Vec<_> = replayed.left_out.iter().map(|left| (left.offset, left.why)).collect();
        (sequences, left_out)
    };
    let at = second as u64;
    let hash = (vec![5], vec![(at, Why::Hash { sequence: 6 })]);
    let mut changed = whole.clone();
    changed[second + 600] ^= 1;
    assert_eq!(applied(&changed), hash);
    assert_eq!(applied(&whole[..whole.len() - 512]), hash);

    let gap = LogEntry { sequence: 7, ..six.clone() };
    let gap = new_log(&states[0], &[five.clone(), gap]);
    assert_eq!(applied(&gap), (vec![5], vec![(at, Why::Sequence { expected: 6, actual: 7 })]));

    let outside = LogEntry { pages: vec![(six.bins_size - 512, vec![0; 1024])], ..six.clone() };
    let (offset, limit) = (u64::from(six.bins_size) - 512, u64::from(six.bins_size));
    let outside = new_log(&states[0], &[five.clone(), outside]);
    assert_eq!(applied(&outside), (vec![5], vec![(at, Why::Outside { offset, limit })]));

    let huge = LogEntry { bins_size: 0x7FFF_F000, pages: Vec::new(), ..six };
    let (sequences, left_out) = applied(&new_log(&states[0], &[five.clone(), huge]));
    assert!(sequences == [5] && matches!(left_out[0].1, Why::TooLarge { .. }), "{left_out:?}");

    // Entries of an earlier round follow the last one and are not damage.
    let old = LogEntry { sequence: 3, ..five.clone() };
    assert_eq!(applied(&new_log(&states[0], &[five, old])), (vec![5], vec![]));
}

#[test]
fn a_damaged_base_block_is_taken_from_the_later_log() {
    let states = states();
    let [five, six] = entries(&states);
    let all = LogEntry::between(&[], &states[2], 6);
    let (one, two) = (new_log(&states[0], &[five]), new_log(&states[0], &[all]));
    let mut damaged = states[0].clone();
    damaged[0x24] ^= 0xFF;
    let replayed = replay(&damaged, &[&one, &two]);
    assert_eq!((replayed.base_block_from, replayed.applied.len()), (Some(1), 1));
    assert_eq!((replayed.left_out[0].log, replayed.left_out[0].why), (0, Why::OtherLog));
    assert_eq!(keys(&replayed.bytes.unwrap()), 30);
    assert_eq!(six.sequence, 6);
}

#[test]
fn each_byte_of_the_result_has_its_place() {
    let states = states();
    let [five, six] = entries(&states);
    let logs = [new_log(&states[0], &[five]), new_log(&states[0], &[six])];
    let replayed = replay(&states[0], &[&logs[0], &logs[1]]);
    let bytes = replayed.bytes.clone().unwrap();
    let (mut of_hive, mut of_logs) = (0, 0);
    for at in (4096..bytes.len()).step_by(8) {
        let found = &bytes[at..at + 8];
        match replayed.place(&states[0], &bytes, at as u64, 8) {
            Place::Hive => {
                of_hive += 1;
                assert_eq!(found, &states[0][at..at + 8]);
            }
            Place::Log { log, offset } => {
                of_logs += 1;
                assert_eq!(found, &logs[log][offset as usize..offset as usize + 8]);
            }
            Place::Nowhere => panic!("{at}"),
        }
    }
    assert!(of_hive > 100 && of_logs > 100, "{of_hive} {of_logs}");
    assert_eq!(replayed.place(&states[0], &bytes, 4, 8), Place::Nowhere);
    assert_eq!(replayed.place(&states[0], &bytes, bytes.len() as u64, 8), Place::Nowhere);
}

#[test]
fn differences_are_counted_by_path_and_name() {
    let before = KeySpec::new("ROOT")
        .key(KeySpec::new("gone").value(ValueSpec::dword("x", 1)))
        .key(KeySpec::new("same").written(1).value(ValueSpec::dword("x", 1)).value(ValueSpec::dword("y", 1)));
    let after = KeySpec::new("ROOT")
        .key(KeySpec::new("new").value(ValueSpec::dword("x", 1)))
        .key(KeySpec::new("same").written(2).value(ValueSpec::dword("x", 2)).value(ValueSpec::dword("z", 1)));
    let (before, after) = (HiveSpec::new(before).build().bytes, HiveSpec::new(after).build().bytes);
    let (before, after) = (Hive::open(&before).unwrap(), Hive::open(&after).unwrap());
    let found = difference(&before, &after);
    let expected = Difference {
        keys_added: 1,
        keys_removed: 1,
        keys_rewritten: 1,
        values_added: 1,
        values_removed: 1,
        values_changed: 1,
        ..found
    };
    assert_eq!((found, found.total()), (expected, 6));
    assert_eq!((found.before.keys, found.before.values, found.after.values), (3, 3, 3));
    assert_eq!(difference(&before, &before).total(), 0);
}

#[test]
fn damaged_logs_are_replayed_without_a_panic() {
    let states = states();
    let log = new_log(&states[0], &entries(&states));
    let old = old_log(&states[0], &states[1], 6);
    let mut unapplied = 0;
    for log in mutants(&log, 300).chain(mutants(&old, 300)) {
        let replayed = replay(&states[0], &[&log, &old]);
        let Some(bytes) = &replayed.bytes else {
            unapplied += 1;
            assert!(!replayed.left_out.is_empty());
            continue;
        };
        assert!(bytes.len() < 32 << 20);
        let hive = Hive::open(bytes).unwrap();
        let _ = difference(&Hive::open(&states[0]).unwrap(), &hive);
    }
    println!("{unapplied} of 600 had nothing to apply");
}

/// The published numbers of pages. Those of keys and values were counted by another definition and are only printed.
#[test]
fn real_logs_give_the_published_pages() {
    let Some(evidence) = crate::registry::cases::case("open-dirtyhives-lonewolf") else { return };
    let read = |path: &str| std::fs::read(evidence.join(path)).unwrap_or_default();
    let hives = [
        ("C/Windows/System32/config/SYSTEM", [315, 2458, 53]),
        ("C/Users/jcloudy/AppData/Local/Microsoft/Windows/UsrClass.dat", [158, 93, 132]),
        ("extra-ntuser-tony/NTUSER.DAT", [132, 527, 60]),
    ];
    for (path, published) in hives {
        let (base, one, two) = (read(path), read(&format!("{path}.LOG1")), read(&format!("{path}.LOG2")));
        let replayed = replay(&base, &[&one, &two]);
        let bytes = replayed.bytes.as_deref().unwrap();
        let found = difference(&Hive::open(&base).unwrap(), &Hive::open(bytes).unwrap());
        println!("{path}: {found:?} {:?}, published {published:?}", replayed.left_out);
        assert_eq!(replayed.pages(), published[0], "{path}");
        assert!(found.after.complete && found.after.defects == 0);
    }
}

#[test]
fn replayed_hives_hold_what_windows_recovered() {
    let Some(evidence) = crate::registry::cases::case("open-dirtyhives-lonewolf") else { return };
    let read = |path: &str| std::fs::read(evidence.join("yarp").join(path)).unwrap();
    for (path, recovered) in [
        ("OldDirtyHive/OldDirtyHive", "OldDirtyHive/RecoveredHive_Windows7"),
        ("NewDirtyHive1/NewDirtyHive", "NewDirtyHive1/RecoveredHive_Windows10"),
        ("NewDirtyHive2/NewDirtyHive", "NewDirtyHive1/RecoveredHive_Windows10"),
    ] {
        let (base, one, two) = (read(path), read(&format!("{path}.LOG1")), read(&format!("{path}.LOG2")));
        let bytes = replay(&base, &[&one, &two]).bytes.unwrap();
        let recovered = read(recovered);
        let found = difference(&Hive::open(&bytes).unwrap(), &Hive::open(&recovered).unwrap());
        println!("{path}: {found:?}");
        assert_eq!(found.total(), 0, "{path}");
    }
}

fn fix(bytes: &mut [u8]) {
    let sum =
        bytes[..508].chunks_exact(4).fold(0, |sum, word| sum ^ u32::from_le_bytes(word.try_into().unwrap()));
    bytes[508..512].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn data_of_a_replayed_value_is_the_later_one() {
    let spec = |number| {
        let mut spec = HiveSpec::new(KeySpec::new("ROOT").value(ValueSpec::dword("x", number)));
        (spec.primary, spec.secondary) = (6, 5);
        spec.build().bytes
    };
    let (before, after) = (spec(1), spec(2));
    let log = new_log(&before, &[LogEntry::between(&before, &after, 5)]);
    let bytes = replay(&before, &[&log]).bytes.unwrap();
    let hive = Hive::open(&bytes).unwrap();
    let root = hive.root().unwrap();
    assert_eq!(hive.value(&root, "x").unwrap().unwrap().data, ValueData::Dword(2));
}
