//! Checks the built structures field by field; tests of the readers check how they are read.

use super::*;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn sample() -> HiveSpec {
    let mut root = KeySpec::new("ROOT").written(7).class("cls");
    for number in 0..1203 {
        root = root.key(KeySpec::new(&format!("key{number}")));
    }
    let values = KeySpec::new("éÿ")
        .value(ValueSpec::sz("", "default"))
        .value(ValueSpec::dword("d", 5))
        .value(ValueSpec::binary("big", &[7; 40_000]));
    HiveSpec::new(root.key(values).key(KeySpec::new("日本"))).file_name("\\SystemRoot\\X")
}

/// Checks that every byte after the base block belongs to a bin and, within it, to exactly one cell; returns the number of used cells.
fn used_cells(bytes: &[u8]) -> usize {
    let (mut bin, mut used) = (BASE_BLOCK, 0);
    while bin < bytes.len() {
        assert_eq!(&bytes[bin..bin + 4], b"hbin");
        assert_eq!(u32_at(bytes, bin + 4) as usize, bin - BASE_BLOCK);
        let size = u32_at(bytes, bin + 8) as usize;
        assert_eq!(size % 4096, 0);
        let mut cell = bin + 32;
        while cell < bin + size {
            let length = u32_at(bytes, cell).cast_signed();
            assert_eq!(length % 8, 0);
            used += usize::from(length < 0);
            cell += length.unsigned_abs() as usize;
        }
        assert_eq!(cell, bin + size);
        bin += size;
    }
    assert_eq!(bin, bytes.len());
    used
}

#[test]
fn bins_are_filled_without_gaps() {
    let built = sample().build();
    let lists = 3 + 1;
    let big_data = 3 + 1 + 1;
    let values = 3 + 1 + 1;
    assert_eq!(used_cells(&built.bytes), built.keys.len() + 1 + 1 + lists + big_data + values);
    assert_eq!(u32_at(&built.bytes, 0x28) as usize + BASE_BLOCK, built.bytes.len());
}

#[test]
fn the_same_description_gives_the_same_bytes() {
    assert_eq!(sample().build().bytes, sample().build().bytes);
}

#[test]
fn the_security_cell_counts_its_users() {
    let built = sample().build();
    let root = built.key_offset("").unwrap() as usize;
    let security = u32_at(&built.bytes, root + 0x2C) as usize + BASE_BLOCK + 4;
    assert_eq!(&built.bytes[security..security + 2], b"sk");
    assert_eq!(u32_at(&built.bytes, security + 0x0C) as usize, built.keys.len());
}

#[test]
fn offsets_point_at_signatures() {
    let built = sample().build();
    for at in built.keys.values() {
        assert_eq!(&built.bytes[*at as usize..][..2], b"nk");
    }
    for at in built.values.values() {
        assert_eq!(&built.bytes[*at as usize..][..2], b"vk");
    }
    let list = built.subkey_lists[""] as usize;
    assert_eq!(&built.bytes[list..list + 2], b"ri");
}

#[test]
fn names_are_latin_where_they_fit_and_utf16_else() {
    let built = sample().build();
    let latin = built.key_offset("éÿ").unwrap() as usize;
    assert_eq!(u32_at(&built.bytes, latin) >> 16 & 0x20, 0x20);
    assert_eq!(&built.bytes[latin + 0x4C..][..2], [0xE9, 0xFF]);
    let wide = built.key_offset("日本").unwrap() as usize;
    assert_eq!(u32_at(&built.bytes, wide) >> 16 & 0x20, 0);
    assert_eq!(&built.bytes[wide + 0x4C..][..4], [0xE5, 0x65, 0x2C, 0x67]);
}

#[test]
fn list_kinds_follow_the_version_unless_chosen() {
    let signature = |spec: HiveSpec| {
        let built = spec.build();
        let at = built.subkey_lists[""] as usize;
        String::from_utf8(built.bytes[at..at + 2].to_vec()).unwrap()
    };
    let spec = || HiveSpec::new(KeySpec::new("R").key(KeySpec::new("a")));
    assert_eq!(signature(spec()), "lh");
    assert_eq!(signature(spec().minor(3)), "lf");
    assert_eq!(signature(spec().minor(2)), "li");
    assert_eq!(signature(spec().list(ListKind::Li)), "li");
}

#[test]
fn the_hash_of_a_name_is_the_documented_one() {
    // 'A' * 37 + 'B', upper-cased.
    assert_eq!(names::hash(&[b'a'.into(), b'b'.into()]), 65 * 37 + 66);
}

#[test]
fn large_data_of_an_old_hive_is_one_cell() {
    let value = || KeySpec::new("R").value(ValueSpec::binary("big", &[9; 40_000]));
    let old = HiveSpec::new(value()).minor(3).build();
    let at = old.value_offset("", "big").unwrap() as usize;
    let data = u32_at(&old.bytes, at + 8) as usize + BASE_BLOCK + 4;
    assert!(old.bytes[data..data + 40_000].iter().all(|byte| *byte == 9));
    let new = HiveSpec::new(value()).build();
    let at = new.value_offset("", "big").unwrap() as usize;
    let data = u32_at(&new.bytes, at + 8) as usize + BASE_BLOCK + 4;
    assert_eq!(&new.bytes[data..data + 4], b"db\x03\0");
}

#[test]
fn a_dirty_hive_has_differing_sequence_numbers() {
    let built = HiveSpec::new(KeySpec::new("R")).dirty().build();
    assert_ne!(u32_at(&built.bytes, 4), u32_at(&built.bytes, 8));
}

#[test]
fn a_path_enters_keys_that_exist() {
    let leaf = || KeySpec::default().value(ValueSpec::dword("x", 1));
    let root = KeySpec::new("R").path("a\\b", leaf()).path("a\\c", leaf());
    let built = HiveSpec::new(root).build();
    let paths: Vec<&str> = built.keys.keys().map(String::as_str).collect();
    assert_eq!(paths, ["", "a", "a\\b", "a\\c"]);
}
