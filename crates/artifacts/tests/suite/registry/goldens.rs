//! Undamaged hives: every structure and every value type is read back as specified.

use artifacts::registry::{
    DefectKind, Extent, Filetime, Hive, HiveType, OpenError, ValueData, ValueKind, identify,
};
use testkit::hive::{BIG_DATA_SEGMENT, HiveSpec, KeySpec, ListKind, ValueSpec};

use crate::registry::{kinds, walk};

const TICKS: u64 = 129_779_675_208_392_490;

fn with_values(values: Vec<ValueSpec>) -> HiveSpec {
    HiveSpec::new(KeySpec { values, ..KeySpec::new("ROOT") })
}

#[test]
fn each_value_type_is_decoded_by_its_number() {
    use ValueData::{Bytes, Dword, MultiText, Qword, Text};
    let text = |text: &str| Text(text.to_owned());
    let expected = [
        (ValueSpec::sz("", "default"), ValueKind::Sz, text("default")),
        (ValueSpec::sz("empty", ""), ValueKind::Sz, text("")),
        (ValueSpec::raw("no data", 1, &[]), ValueKind::Sz, text("")),
        (ValueSpec::expand_sz("x", "%SystemRoot%\\ä日😀"), ValueKind::ExpandSz, text("%SystemRoot%\\ä日😀")),
        (ValueSpec::link("l", "\\REGISTRY\\A"), ValueKind::Link, text("\\REGISTRY\\A")),
        (
            ValueSpec::multi_sz("m", &["one", "zwei"]),
            ValueKind::MultiSz,
            MultiText(vec!["one".into(), "zwei".into()]),
        ),
        (ValueSpec::multi_sz("m0", &[]), ValueKind::MultiSz, MultiText(vec![])),
        (ValueSpec::dword("d", 0xDEAD_BEEF), ValueKind::Dword, Dword(0xDEAD_BEEF)),
        (ValueSpec::dword_be("be", 0x0102_0304), ValueKind::DwordBigEndian, Dword(0x0102_0304)),
        (ValueSpec::qword("q", u64::MAX - 1), ValueKind::Qword, Qword(u64::MAX - 1)),
        (ValueSpec::none("n", b"A\0B\0\0\0"), ValueKind::None, Bytes),
        (ValueSpec::binary("b", &[1, 2, 3, 4, 5]), ValueKind::Binary, Bytes),
        (ValueSpec::binary("b3", &[1, 2, 3]), ValueKind::Binary, Bytes),
        (ValueSpec::resource_list("r", &[8; 20]), ValueKind::ResourceList, Bytes),
        (ValueSpec::resource_descriptor("rd", &[9; 20]), ValueKind::FullResourceDescriptor, Bytes),
        (ValueSpec::resource_requirements("rr", &[10; 20]), ValueKind::ResourceRequirementsList, Bytes),
        (ValueSpec::raw("u", 0xFFFF_0012, &[7; 9]), ValueKind::Other(0xFFFF_0012), Bytes),
    ];
    let built = with_values(expected.iter().map(|(spec, ..)| spec.clone()).collect()).build();
    let hive = Hive::open(&built.bytes).unwrap();
    let (values, defects) = hive.values(&hive.root().unwrap());
    assert_eq!(defects, []);
    assert_eq!(values.len(), expected.len());
    for (value, (spec, kind, data)) in values.iter().zip(&expected) {
        assert_eq!(value.name, String::from_utf16(&spec.name).unwrap());
        assert_eq!((value.kind, &value.data), (*kind, data), "{}", value.name);
        assert_eq!(value.raw, spec.data, "{}", value.name);
        assert!(!value.trailing);
        assert_eq!(Some(value.offset), built.value_offset("", &value.name));
        let stored: Vec<u8> =
            value.data_extents.iter().flat_map(|e| slice(&built.bytes, *e)).copied().collect();
        assert_eq!(stored, spec.data, "{}", value.name);
    }
}

fn slice(bytes: &[u8], extent: Extent) -> &[u8] {
    &bytes[extent.offset as usize..][..extent.length as usize]
}

#[test]
fn large_data_is_whole_in_new_and_in_old_hives() {
    for length in
        [BIG_DATA_SEGMENT - 1, BIG_DATA_SEGMENT, BIG_DATA_SEGMENT + 1, 2 * BIG_DATA_SEGMENT, 100_003]
    {
        let data: Vec<u8> = (0..length).map(|n| (n * 7 % 251) as u8).collect();
        for minor in [3, 5, 6] {
            let built = with_values(vec![ValueSpec::binary("big", &data)]).minor(minor).build();
            let hive = Hive::open(&built.bytes).unwrap();
            let value = hive.value(&hive.root().unwrap(), "BIG").unwrap().unwrap();
            assert_eq!(value.raw, data, "{length} bytes in version 1.{minor}");
            let pieces = if minor == 3 { 1 } else { length.div_ceil(BIG_DATA_SEGMENT) };
            assert_eq!(value.data_extents.len(), pieces);
            let stored: Vec<u8> =
                value.data_extents.iter().flat_map(|e| slice(&built.bytes, *e)).copied().collect();
            assert_eq!(stored, data);
            assert_eq!(walk(&hive).1.defects, 0);
        }
    }
}

#[test]
fn large_text_is_decoded_across_segments() {
    let text = "aé日".repeat(9_000);
    let built = with_values(vec![ValueSpec::sz("t", &text)]).build();
    let hive = Hive::open(&built.bytes).unwrap();
    let value = hive.value(&hive.root().unwrap(), "t").unwrap().unwrap();
    assert_eq!(value.data, ValueData::Text(text));
}

#[test]
fn keys_carry_path_times_class_counts_and_offsets() {
    let leaf = KeySpec::default().written(TICKS).class("klasse").value(ValueSpec::dword("v", 1));
    let root = KeySpec::new("ROOT").written(5).path("Control\\Läuft", leaf);
    let built = HiveSpec::new(root).build();
    let hive = Hive::open(&built.bytes).unwrap();
    let root = hive.root().unwrap();
    assert_eq!((root.path.as_str(), root.name.as_str(), root.depth), ("", "ROOT", 0));
    assert_eq!(root.last_written, Filetime(5));
    let key = hive.key("\\control\\LÄUFT\\").unwrap().unwrap();
    assert_eq!((key.path.as_str(), key.name.as_str(), key.depth), ("Control\\Läuft", "Läuft", 2));
    assert_eq!(key.last_written, Filetime(TICKS));
    assert_eq!(key.class.as_deref(), Some("klasse"));
    assert_eq!((key.subkey_count, key.value_count), (0, 1));
    assert_eq!(Some(key.offset), built.key_offset("Control\\Läuft"));
    let stored = &built.bytes[key.last_written_offset as usize..][..8];
    assert_eq!(stored, TICKS.to_le_bytes());
}

#[test]
fn a_key_that_is_not_there_is_an_absence() {
    let built = HiveSpec::new(KeySpec::new("R").key(KeySpec::new("a"))).build();
    let hive = Hive::open(&built.bytes).unwrap();
    assert!(hive.key("b").unwrap().is_none());
    assert!(hive.key("a\\b").unwrap().is_none());
    assert!(hive.value(&hive.root().unwrap(), "v").unwrap().is_none());
}

#[test]
fn names_of_every_encoding_are_found_without_regard_to_case() {
    let names = ["plain", "Ümläut", "ÿ", "日本語", "Ａfull", "😀", "a b.c-d{e}"];
    let root = names
        .iter()
        .fold(KeySpec::new("R"), |root, name| root.key(KeySpec::new(name).value(ValueSpec::sz(name, name))));
    let built = HiveSpec::new(root).build();
    let hive = Hive::open(&built.bytes).unwrap();
    for name in names {
        let key = hive.key(name).unwrap().unwrap();
        assert_eq!(key.name, name);
        let value = hive.value(&key, name).unwrap().unwrap();
        assert_eq!(value.data, ValueData::Text(name.to_owned()));
    }
    assert_eq!(hive.key("ümlÄUT").unwrap().unwrap().name, "Ümläut");
    assert_eq!(hive.key("ａFULL").unwrap().unwrap().name, "Ａfull");
}

#[test]
fn lists_of_every_kind_and_size_are_complete() {
    for kind in [ListKind::Li, ListKind::Lf, ListKind::Lh] {
        for count in [1, 500, 501, 2_345] {
            let keys = (0..count).map(|n| KeySpec::new(&format!("k{n}")).written(n)).collect();
            let built = HiveSpec::new(KeySpec { keys, ..KeySpec::new("R") }).list(kind).build();
            let hive = Hive::open(&built.bytes).unwrap();
            let (children, defects) = hive.children(&hive.root().unwrap());
            assert_eq!(defects, []);
            assert_eq!(children.len() as u64, count);
            for child in &children {
                assert_eq!(child.path, format!("k{}", child.last_written.0));
                assert_eq!(Some(child.offset), built.key_offset(&child.path));
            }
        }
    }
}

#[test]
fn a_walk_visits_parents_first_and_siblings_in_order() {
    let root = KeySpec::new("R")
        .path("b\\x", KeySpec::default())
        .path("a\\y\\z", KeySpec::default())
        .path("a\\w", KeySpec::default());
    let built = HiveSpec::new(root).build();
    let hive = Hive::open(&built.bytes).unwrap();
    let (visits, summary) = walk(&hive);
    let paths: Vec<&str> = visits.iter().map(|visit| visit.key.path.as_str()).collect();
    assert_eq!(paths, ["", "a", "a\\w", "a\\y", "a\\y\\z", "b", "b\\x"]);
    assert!(summary.complete);
    assert_eq!((summary.keys, summary.values, summary.defects), (7, 0, 0));
}

#[test]
fn a_walk_ends_when_the_visitor_says_so() {
    let built = HiveSpec::new(KeySpec::new("R").key(KeySpec::new("a"))).build();
    let hive = Hive::open(&built.bytes).unwrap();
    let summary = hive.walk(|_| std::ops::ControlFlow::Break(()));
    assert_eq!(summary.keys, 1);
    assert!(!summary.complete);
}

#[test]
fn the_header_says_what_the_base_block_says() {
    let built = HiveSpec::new(KeySpec::new("R")).file_name("\\config\\SYSTEM").written(TICKS).build();
    let hive = Hive::open(&built.bytes).unwrap();
    let header = hive.header();
    assert_eq!(header.file_name, "\\config\\SYSTEM");
    assert_eq!(header.last_written, Filetime(TICKS));
    assert_eq!((header.major, header.minor), (1, 5));
    assert_eq!(header.hive_bins_size as usize, built.bytes.len() - 4096);
    assert!(header.clean && header.checksum_ok);
    assert_eq!(hive.defects(), []);
}

#[test]
fn a_dirty_hive_is_read_and_says_so() {
    let built = HiveSpec::new(KeySpec::new("R").key(KeySpec::new("a"))).dirty().build();
    let hive = Hive::open(&built.bytes).unwrap();
    assert!(!hive.header().clean);
    assert_eq!(kinds(hive.defects()), [DefectKind::DirtyHive { primary: 2, secondary: 1 }]);
    assert_eq!(walk(&hive).1.keys, 2);
}

#[test]
fn bytes_behind_the_end_of_a_text_are_kept_and_flagged() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let hidden = wide("seen\0hidden");
    let lists = wide("a\0\0b\0\0");
    let built = with_values(vec![
        ValueSpec::raw("s", 1, &hidden),
        ValueSpec::raw("m", 7, &lists),
        ValueSpec::raw("zeros", 1, &wide("x\0\0\0\0")),
    ])
    .build();
    let hive = Hive::open(&built.bytes).unwrap();
    let (values, defects) = hive.values(&hive.root().unwrap());
    assert_eq!(defects, []);
    assert_eq!(values[0].data, ValueData::Text("seen".into()));
    assert_eq!((values[0].trailing, values[0].raw.as_ref()), (true, hidden.as_slice()));
    assert_eq!(values[1].data, ValueData::MultiText(vec!["a".into()]));
    assert!(values[1].trailing && !values[2].trailing);
}

#[test]
fn what_is_no_hive_is_refused_with_the_place() {
    assert_eq!(Hive::open(b"").err(), Some(OpenError::TooShort { expected: 4096, actual: 0 }));
    assert_eq!(
        Hive::open(&[b'x'; 9000]).err(),
        Some(OpenError::Signature { offset: 0, expected: *b"regf", actual: *b"xxxx" })
    );
    let mut built = HiveSpec::new(KeySpec::new("R")).build();
    assert_eq!(
        Hive::open(&built.bytes[..4096]).err(),
        Some(OpenError::TooShort { expected: 4096, actual: 4096 })
    );
    built.put_u32(0x1C, 6);
    built.put(4096, b"HvLE");
    assert_eq!(
        Hive::open(&built.bytes).err(),
        Some(OpenError::TransactionLog { offset: 0x1C, expected: 0, actual: 6 })
    );
}

#[test]
fn hives_are_told_apart_by_content() {
    let of = |paths: &[&str]| {
        let root = paths.iter().fold(KeySpec::new("R"), |root, path| root.path(path, KeySpec::default()));
        identify(&Hive::open(&HiveSpec::new(root).build().bytes).unwrap())
    };
    assert_eq!(of(&["Select", "ControlSet001", "DriverDatabase"]), HiveType::System);
    assert_eq!(of(&["Select"]), HiveType::Other);
    assert_eq!(of(&["Microsoft\\Windows NT\\CurrentVersion"]), HiveType::Software);
    assert_eq!(of(&["Microsoft", "Classes"]), HiveType::Software);
    assert_eq!(of(&["SAM\\Domains"]), HiveType::Sam);
    assert_eq!(of(&["Policy", "RXACT"]), HiveType::Security);
    assert_eq!(of(&["Software", "Environment"]), HiveType::NtUser);
    assert_eq!(of(&["Software", "Control Panel"]), HiveType::NtUser);
    assert_eq!(of(&["Local Settings\\Software"]), HiveType::UsrClass);
    assert_eq!(of(&["Root\\InventoryApplicationFile"]), HiveType::Amcache);
    assert_eq!(of(&["Root\\File"]), HiveType::Amcache);
    assert_eq!(of(&["Objects", "Description"]), HiveType::Bcd);
    assert_eq!(of(&["DriverDatabase"]), HiveType::Drivers);
    assert_eq!(of(&["CanonicalData", "DerivedData"]), HiveType::Components);
    assert_eq!(of(&["whatever"]), HiveType::Other);
}
