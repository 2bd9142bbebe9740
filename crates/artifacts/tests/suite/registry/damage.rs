//! Hives damaged in one place at a time: the readable part is read, and the damage is reported with its location.

use artifacts::registry::{
    Defect, DefectKind, HeaderField, Hive, LookupError, MAX_DEPTH, Signature, ValueData, ValueKind,
};
use testkit::hive::{Built, HiveSpec, KeySpec, ValueSpec, cell_reference};

use crate::registry::{kinds, walk, walk_defects};

fn sample() -> Built {
    let child = |name: &str| {
        KeySpec::new(name)
            .value(ValueSpec::sz("text", "some text"))
            .value(ValueSpec::dword("number", 7))
            .key(KeySpec::new("deep"))
    };
    let root = KeySpec::new("ROOT").key(child("a")).key(child("b")).key(child("c"));
    HiveSpec::new(root).build()
}

fn u32_at(built: &Built, at: u64) -> u32 {
    u32::from_le_bytes(built.bytes[at as usize..][..4].try_into().unwrap())
}

fn paths(hive: &Hive<'_>) -> Vec<String> {
    walk(hive).0.into_iter().map(|visit| visit.key.path).collect()
}

fn has(defects: &[Defect], offset: u64, what: DefectKind) -> bool {
    defects.contains(&Defect { offset: Some(offset), what })
}

#[test]
fn a_damaged_child_does_not_hide_its_siblings() {
    let mut built = sample();
    let b = built.key_offset("b").unwrap();
    built.put(b, b"XX");
    let hive = Hive::open(&built.bytes).unwrap();
    assert_eq!(paths(&hive), ["", "a", "a\\deep", "c", "c\\deep"]);
    let what = DefectKind::Signature { expected: Signature::KeyNode, actual: *b"XX" };
    assert_eq!(walk_defects(&hive), [Defect { offset: Some(b), what }]);
    assert!(matches!(hive.key("b"), Err(LookupError::Incomplete { path, .. }) if path.is_empty()));
    assert!(hive.key("a\\nothing").unwrap().is_none());
}

#[test]
fn a_cell_of_size_zero_hides_only_itself() {
    let mut built = sample();
    let b = built.key_offset("b").unwrap();
    built.put_u32(b - 4, 0);
    let hive = Hive::open(&built.bytes).unwrap();
    assert_eq!(paths(&hive), ["", "a", "a\\deep", "c", "c\\deep"]);
    let defects = walk_defects(&hive);
    assert_eq!(defects.len(), 1);
    assert!(matches!(defects[0].what, DefectKind::CellSize { actual: 0, .. }));
    assert_eq!(defects[0].offset, Some(b - 4));
}

#[test]
fn a_cell_that_claims_too_much_is_read_all_the_same() {
    let mut built = sample();
    let b = built.key_offset("b").unwrap();
    built.put_u32(b - 4, 0x8000_0000);
    let hive = Hive::open(&built.bytes).unwrap();
    assert_eq!(paths(&hive), ["", "a", "a\\deep", "b", "b\\deep", "c", "c\\deep"]);
    let defects = walk_defects(&hive);
    assert!(matches!(defects[..], [Defect { what: DefectKind::CellSize { actual: 0x8000_0000, .. }, .. }]));
}

#[test]
fn a_free_cell_is_no_key() {
    let mut built = sample();
    let b = built.key_offset("b").unwrap();
    let size = u32_at(&built, b - 4).wrapping_neg();
    built.put_u32(b - 4, size);
    let hive = Hive::open(&built.bytes).unwrap();
    let reference = cell_reference(b);
    assert!(has(&walk_defects(&hive), b - 4, DefectKind::CellFree { reference, size }));
    assert_eq!(walk(&hive).1.keys, 5);
}

#[test]
fn an_entry_that_refers_nowhere_hides_only_itself() {
    for reference in [u32::MAX, u32::MAX - 7, 0x0FFF_FFF8] {
        let mut built = sample();
        let entry = built.subkey_lists[""] + 4 + 8;
        built.put_u32(entry, reference);
        let hive = Hive::open(&built.bytes).unwrap();
        assert_eq!(paths(&hive), ["", "a", "a\\deep", "c", "c\\deep"]);
        let limit = built.bytes.len() as u64 - 4096;
        assert_eq!(
            walk_defects(&hive),
            [Defect { offset: Some(entry), what: DefectKind::CellOutside { reference, limit } }]
        );
    }
}

#[test]
fn a_list_that_counts_too_much_gives_what_it_holds() {
    let mut built = sample();
    let list = built.subkey_lists[""];
    built.put(list + 2, &[0xFF, 0xFF]);
    let hive = Hive::open(&built.bytes).unwrap();
    assert_eq!(paths(&hive), ["", "a", "a\\deep", "b", "b\\deep", "c", "c\\deep"]);
    let defects = walk_defects(&hive);
    assert!(defects.iter().any(|d| matches!(d.what, DefectKind::RecordCut { .. }) && d.offset == Some(list)));
}

#[test]
fn a_list_of_unknown_kind_is_named_and_the_counts_disagree() {
    let mut built = sample();
    let list = built.subkey_lists["a"];
    built.put(list, b"zz");
    let hive = Hive::open(&built.bytes).unwrap();
    assert_eq!(paths(&hive), ["", "a", "b", "b\\deep", "c", "c\\deep"]);
    let defects = walk_defects(&hive);
    let expected = Signature::SubkeyList;
    assert!(has(&defects, list, DefectKind::Signature { expected, actual: *b"zz" }));
    let count_at = built.key_offset("a").unwrap() + 0x14;
    assert!(has(&defects, count_at, DefectKind::SubkeyCount { expected: 1, actual: 0 }));
}

#[test]
fn one_damaged_leaf_of_many_costs_its_own_keys_only() {
    let keys = (0..1_500).map(|n| KeySpec::new(&format!("{n:04}"))).collect();
    let mut built = HiveSpec::new(KeySpec { keys, ..KeySpec::new("R") }).build();
    let second = u64::from(u32_at(&built, built.subkey_lists[""] + 8)) + 4100;
    built.put(second, b"ri");
    let hive = Hive::open(&built.bytes).unwrap();
    let (children, defects) = hive.children(&hive.root().unwrap());
    assert_eq!(children.len(), 1_000);
    let expected = Signature::SubkeyLeaf;
    assert!(has(&defects, second, DefectKind::Signature { expected, actual: *b"ri" }));
}

#[test]
fn a_leaf_listed_twice_is_read_once() {
    let keys = (0..1_500).map(|n| KeySpec::new(&format!("{n:04}"))).collect();
    let mut built = HiveSpec::new(KeySpec { keys, ..KeySpec::new("R") }).build();
    let root_list = built.subkey_lists[""];
    let first = u32_at(&built, root_list + 4);
    built.put_u32(root_list + 8, first);
    let hive = Hive::open(&built.bytes).unwrap();
    let (children, defects) = hive.children(&hive.root().unwrap());
    assert_eq!(children.len(), 1_000);
    assert!(has(&defects, root_list + 8, DefectKind::VisitedBefore { reference: first }));
}

#[test]
fn a_cycle_is_walked_once() {
    let mut built = sample();
    let root = built.key_offset("").unwrap();
    let entry = built.subkey_lists["b"] + 4;
    built.put_u32(entry, cell_reference(root));
    let hive = Hive::open(&built.bytes).unwrap();
    assert_eq!(paths(&hive), ["", "a", "a\\deep", "b", "c", "c\\deep"]);
    let defects = walk_defects(&hive);
    assert!(has(&defects, root, DefectKind::VisitedBefore { reference: cell_reference(root) }));
    assert!(defects.iter().any(|d| matches!(d.what, DefectKind::ParentMismatch { .. })));
}

#[test]
fn a_key_listed_by_two_parents_belongs_to_the_one_it_names() {
    let mut built = sample();
    let other = cell_reference(built.key_offset("c\\deep").unwrap());
    let entry = built.subkey_lists["a"] + 4;
    built.put_u32(entry, other);
    let hive = Hive::open(&built.bytes).unwrap();
    assert_eq!(paths(&hive), ["", "a", "b", "b\\deep", "c", "c\\deep"]);
    let (expected, actual) = ["a", "c"].map(|path| cell_reference(built.key_offset(path).unwrap())).into();
    let at = built.key_offset("c\\deep").unwrap() + 0x10;
    assert_eq!(
        walk_defects(&hive),
        [Defect { offset: Some(at), what: DefectKind::ParentMismatch { expected, actual } }]
    );
}

#[test]
fn a_key_that_names_a_wrong_parent_is_visited_all_the_same() {
    let mut built = sample();
    let deep = built.key_offset("a\\deep").unwrap();
    built.put_u32(deep + 0x10, 0x7777_7770);
    let hive = Hive::open(&built.bytes).unwrap();
    assert_eq!(paths(&hive), ["", "a", "b", "b\\deep", "c", "c\\deep", "a\\deep"]);
}

#[test]
fn keys_below_the_deepest_level_are_a_defect() {
    let mut key = KeySpec::new("k");
    for _ in 0..MAX_DEPTH + 20 {
        key = KeySpec::new("k").key(key);
    }
    let built = HiveSpec::new(KeySpec::new("R").key(key)).build();
    let hive = Hive::open(&built.bytes).unwrap();
    let (visits, summary) = walk(&hive);
    assert_eq!(summary.keys, u64::from(MAX_DEPTH) + 1);
    let last = visits.last().unwrap();
    assert_eq!(last.key.depth, MAX_DEPTH);
    assert_eq!(kinds(&last.defects), [DefectKind::TooDeep { limit: MAX_DEPTH }]);
}

#[test]
fn a_key_that_counts_no_subkeys_has_none_but_says_what_its_list_holds() {
    let mut built = sample();
    let at = built.key_offset("a").unwrap() + 0x14;
    built.put_u32(at, 0);
    let hive = Hive::open(&built.bytes).unwrap();
    assert!(!paths(&hive).contains(&"a\\deep".to_owned()));
    assert_eq!(
        walk_defects(&hive),
        [Defect { offset: Some(at), what: DefectKind::SubkeyCount { expected: 0, actual: 1 } }]
    );
}

#[test]
fn a_lying_count_of_values_gives_the_values_that_are_listed() {
    let mut built = sample();
    let at = built.key_offset("a").unwrap() + 0x24;
    built.put_u32(at, u32::MAX);
    let hive = Hive::open(&built.bytes).unwrap();
    let key = hive.key("a").unwrap().unwrap();
    let (values, defects) = hive.values(&key);
    assert_eq!(values.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["text", "number"]);
    assert!(
        defects
            .iter()
            .any(|d| d.offset == Some(at)
                && matches!(d.what, DefectKind::ValueCount { expected: u32::MAX, .. }))
    );
}

#[test]
fn a_damaged_value_does_not_hide_the_others() {
    let mut built = sample();
    let text = built.value_offset("a", "text").unwrap();
    built.put(text, b"kv");
    let hive = Hive::open(&built.bytes).unwrap();
    let key = hive.key("a").unwrap().unwrap();
    let (values, defects) = hive.values(&key);
    assert_eq!(values.len(), 1);
    assert_eq!(values[0].data, ValueData::Dword(7));
    let what = DefectKind::Signature { expected: Signature::KeyValue, actual: *b"kv" };
    assert_eq!(defects, [Defect { offset: Some(text), what }]);
    assert!(matches!(hive.value(&key, "text"), Err(LookupError::Incomplete { .. })));
    assert!(hive.value(&key, "number").unwrap().is_some());
}

#[test]
fn data_that_cannot_be_reached_leaves_the_value_with_its_name_and_type() {
    for reference in [u32::MAX, 0x7FFF_FFF8] {
        let mut built = sample();
        let text = built.value_offset("a", "text").unwrap();
        built.put_u32(text + 8, reference);
        let hive = Hive::open(&built.bytes).unwrap();
        let (values, defects) = hive.values(&hive.key("a").unwrap().unwrap());
        assert_eq!(values.len(), 2);
        assert_eq!((values[0].name.as_str(), values[0].kind), ("text", ValueKind::Sz));
        assert_eq!(values[0].data, ValueData::Unreadable);
        let limit = built.bytes.len() as u64 - 4096;
        assert_eq!(
            defects,
            [Defect { offset: Some(text + 8), what: DefectKind::CellOutside { reference, limit } }]
        );
    }
}

#[test]
fn data_longer_than_its_cell_is_cut_and_counted() {
    let mut built = sample();
    let text = built.value_offset("a", "text").unwrap();
    built.put_u32(text + 4, 1_000);
    let hive = Hive::open(&built.bytes).unwrap();
    let (values, defects) = hive.values(&hive.key("a").unwrap().unwrap());
    assert_eq!(values[0].data, ValueData::Text("some text".into()));
    assert!(matches!(
        defects[..],
        [Defect { what: DefectKind::DataCut { expected: 1_000, actual: 20 }, .. }]
    ));
}

#[test]
fn resident_data_of_more_than_four_bytes_is_cut() {
    let mut built = sample();
    let number = built.value_offset("a", "number").unwrap();
    built.put_u32(number + 4, 0x8000_0009);
    let hive = Hive::open(&built.bytes).unwrap();
    let (values, defects) = hive.values(&hive.key("a").unwrap().unwrap());
    assert_eq!(values[1].data, ValueData::Dword(7));
    let what = DefectKind::DataCut { expected: 9, actual: 4 };
    assert_eq!(defects, [Defect { offset: Some(number + 8), what }]);
}

#[test]
fn a_missing_segment_ends_large_data() {
    let value = ValueSpec::binary("big", &[5; 40_000]);
    let mut built = HiveSpec::new(KeySpec::new("R").value(value)).build();
    let record = u64::from(u32_at(&built, built.value_offset("", "big").unwrap() + 8)) + 4100;
    let list = u64::from(u32_at(&built, record + 4)) + 4100;
    built.put_u32(list + 4, u32::MAX);
    let hive = Hive::open(&built.bytes).unwrap();
    let (values, defects) = hive.values(&hive.root().unwrap());
    assert_eq!(values[0].raw.as_ref(), [5; 16_344]);
    assert!(kinds(&defects).contains(&DefectKind::DataCut { expected: 40_000, actual: 16_344 }));
    assert_eq!(defects[0].offset, Some(list + 4));
}

#[test]
fn text_that_is_no_utf16_is_read_as_far_as_it_goes() {
    let values = vec![
        ValueSpec::raw("odd", 1, b"a\0b\0c"),
        ValueSpec::raw("lonely", 1, &[0x41, 0, 0, 0xD8, 0x42, 0, 0, 0]),
        ValueSpec::raw("short", 4, &[1, 2]),
        ValueSpec::raw("long", 11, &[1; 9]),
        ValueSpec::raw("none", 4, &[]),
    ];
    let built = HiveSpec::new(KeySpec { values, ..KeySpec::new("R") }).build();
    let hive = Hive::open(&built.bytes).unwrap();
    let (values, defects) = hive.values(&hive.root().unwrap());
    let data: Vec<&ValueData> = values.iter().map(|value| &value.data).collect();
    let text = |text: &str| ValueData::Text(text.to_owned());
    assert_eq!(
        data,
        [&text("ab"), &text("A\u{FFFD}B"), &ValueData::Bytes, &ValueData::Bytes, &ValueData::Bytes]
    );
    assert_eq!(
        kinds(&defects),
        [
            DefectKind::OddText { actual: 5 },
            DefectKind::UnpairedSurrogates { count: 1 },
            DefectKind::NumberLength { kind: ValueKind::Dword, expected: 4, actual: 2 },
            DefectKind::NumberLength { kind: ValueKind::Qword, expected: 8, actual: 9 },
        ]
    );
}

#[test]
fn names_with_unpaired_surrogates_are_kept() {
    let root = KeySpec::new("R").key(KeySpec::from_units(&[0x41, 0xD800, 0x42]));
    let built = HiveSpec::new(root).build();
    let hive = Hive::open(&built.bytes).unwrap();
    let (children, defects) = hive.children(&hive.root().unwrap());
    assert_eq!(children[0].name, "A\u{FFFD}B");
    assert_eq!(kinds(&defects), [DefectKind::UnpairedSurrogates { count: 1 }]);
}

#[test]
fn a_name_longer_than_its_cell_is_cut() {
    let mut built = sample();
    let a = built.key_offset("a").unwrap();
    built.put(a + 0x48, &[200, 0]);
    let hive = Hive::open(&built.bytes).unwrap();
    let (children, defects) = hive.children(&hive.root().unwrap());
    assert_eq!(children.len(), 3);
    assert!(children[0].name.starts_with('a'));
    assert!(matches!(defects[..], [Defect { what: DefectKind::NameCut { expected: 200, .. }, .. }]));
    assert_eq!(hive.children(&children[0]).0.len(), 1);
}

#[test]
fn the_base_block_is_checked_field_by_field() {
    let mut built = sample();
    built.put_u32(0x20, 9);
    let actual = built.bytes.len() as u64 - 4096;
    let expected = actual + 4096;
    built.put_u32(0x28, expected as u32);
    let hive = Hive::open(&built.bytes).unwrap();
    let defects = hive.defects();
    assert!(has(
        defects,
        0x20,
        DefectKind::Header { field: HeaderField::FileFormat, expected: 1, actual: 9 }
    ));
    assert!(has(defects, 0x28, DefectKind::HiveBinsSize { expected, actual }));
    assert!(defects.iter().any(|d| matches!(d.what, DefectKind::Checksum { .. })));
    assert_eq!(walk(&hive).1.keys, 7);
    built.put_u32(0x20, 1);
    built.fix_checksum();
    assert!(Hive::open(&built.bytes).unwrap().header().checksum_ok);
}

#[test]
fn a_file_made_longer_in_advance_is_no_damage() {
    let mut built = sample();
    built.bytes.extend([0; 8192]);
    let hive = Hive::open(&built.bytes).unwrap();
    assert_eq!(hive.defects(), []);
    assert_eq!(walk(&hive).1.keys, 7);
}

#[test]
fn a_root_that_cannot_be_read_is_an_error_of_the_question() {
    for reference in [u32::MAX, 0x20 + 8, 0] {
        let mut built = sample();
        built.put_u32(0x24, reference);
        let hive = Hive::open(&built.bytes).unwrap();
        assert!(hive.root().is_err());
        assert!(matches!(hive.key("a"), Err(LookupError::Root(_))));
        let (visits, summary) = walk(&hive);
        assert!(visits.is_empty() && !summary.complete);
        assert!(hive.defects().len() > 1);
    }
}
