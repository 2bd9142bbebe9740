//! Reads lists of items that are built byte by byte.

use super::*;
use proptest::prelude::*;

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Builds an item of a class: size, class, content.
fn item(class: u8, content: &[u8]) -> Vec<u8> {
    let mut item = u16::try_from(content.len() + 3).unwrap().to_le_bytes().to_vec();
    item.push(class);
    item.extend(content);
    item
}

fn joined(items: &[Vec<u8>]) -> Vec<u8> {
    let mut data = items.concat();
    data.extend([0, 0]);
    data
}

/// Builds the fields of a file entry from the byte after its class, up to its name.
fn entry_head(short: &[u8]) -> Vec<u8> {
    let mut content = vec![0];
    content.extend(4711_u32.to_le_bytes());
    content.extend([0x84, 0x40, 0x96, 0x7E, 0x20, 0x00]);
    content.extend(short);
    content.push(0);
    if content.len() % 2 == 0 {
        content.push(0);
    }
    content
}

/// Builds a block with the long name, in the given version.
fn block(version: u16, long: &str, first: usize) -> Vec<u8> {
    let mut block = vec![0, 0];
    block.extend(version.to_le_bytes());
    block.extend(0xBEEF_0004_u32.to_le_bytes());
    block.extend([0x81, 0x40, 0x00, 0x08, 0x82, 0x40, 0x00, 0x10, 0, 0]);
    if version >= 7 {
        block.extend([0, 0, 0x39, 0x30, 0, 0, 0, 0, 7, 0]);
        block.extend([0; 8]);
    }
    block.extend([0, 0]);
    block.extend(vec![
        0;
        if version >= 9 {
            8
        } else if version >= 8 {
            4
        } else {
            0
        }
    ]);
    block.extend(wide(long));
    block.extend([0, 0]);
    block.extend(u16::try_from(first).unwrap().to_le_bytes());
    let size = u16::try_from(block.len()).unwrap().to_le_bytes();
    block[..2].copy_from_slice(&size);
    block
}

fn file(class: u8, short: &[u8], version: u16, long: &str) -> Vec<u8> {
    let mut content = entry_head(short);
    let first = content.len() + 3;
    content.extend(block(version, long, first));
    item(class, &content)
}

fn volume(name: &str) -> Vec<u8> {
    let mut content = name.as_bytes().to_vec();
    content.resize(22, 0);
    item(0x2F, &content)
}

const MY_COMPUTER: &str = "{20D04FE0-3AEA-1069-A2D8-08002B30309D}";

fn my_computer() -> Vec<u8> {
    let guid = [0xE0, 0x4F, 0xD0, 0x20, 0xEA, 0x3A, 0x69, 0x10, 0xA2, 0xD8, 8, 0, 0x2B, 0x30, 0x30, 0x9D];
    item(0x1F, &[&[0x50][..], &guid].concat())
}

fn path(list: &List) -> String {
    let (path, whole) = list.path();
    assert!(whole, "{path}");
    path
}

fn entry(list: &List, index: usize) -> &FileEntry {
    match &list.items[index].kind {
        ItemKind::FileEntry(entry) => entry,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_list_is_a_path() {
    let data = joined(&[my_computer(), volume("C:\\"), file(0x32, b"LONGNA~1.TXT", 9, "long name ä.txt")]);
    let (list, damage) = list(&data, 0);
    assert!(damage.is_empty(), "{damage:?}");
    assert_eq!(path(&list), "C:\\long name ä.txt");
    assert_eq!(list.end, data.len());
    let long = entry(&list, 2).long.clone().unwrap();
    assert_eq!(&data[long.offset..long.offset + long.length], wide("long name ä.txt"));
}

#[test]
fn every_version_of_the_block_has_its_long_name() {
    for (version, with_reference) in [(3, false), (7, true), (8, true), (9, true)] {
        let data = joined(&[file(0x32, b"SHORT.TXT", version, "the long name")]);
        let (list, damage) = list(&data, 0);
        assert!(damage.is_empty(), "{version}: {damage:?}");
        let entry = entry(&list, 0);
        assert_eq!(
            (entry.name().value.as_str(), entry.primary.value.as_str()),
            ("the long name", "SHORT.TXT")
        );
        assert_eq!(entry.size, 4711);
        // 2012-04-04 15:52:44, 2012-04-01 01:00:00 and 2012-04-02 02:00:00.
        let seconds = |time: &Option<Located<FatTime>>| time.as_ref().unwrap().value.unix_seconds();
        assert_eq!(seconds(&entry.modified), Some(1_333_554_764));
        assert_eq!(seconds(&entry.created), Some(1_333_242_000));
        assert_eq!(seconds(&entry.accessed), Some(1_333_332_000));
        let reference = entry.file_reference.as_ref().map(|reference| reference.value);
        assert_eq!(reference, with_reference.then_some((12_345, 7)), "{version}");
    }
}

#[test]
fn a_file_entry_before_windows_xp_has_its_names_only() {
    let mut content = entry_head(b"A long name.txt");
    content.extend(b"ALONGN~1.TXT\0");
    let (list, damage) = list(&joined(&[item(0x32, &content)]), 0);
    assert!(damage.is_empty(), "{damage:?}");
    assert_eq!(entry(&list, 0).name().value, "A long name.txt");
}

#[test]
fn a_delegate_holds_a_file_entry() {
    let mut content = vec![0, 0x2A, 0];
    content.extend(b"CFSF");
    content.extend([0x20, 0, 0x31]);
    content.extend(entry_head(b"WORK"));
    content.extend([0xAA; 32]);
    let first = content.len() + 3;
    content.extend(block(8, "Working papers", first));
    let data = joined(&[item(0x74, &content)]);
    let (list, damage) = list(&data, 0);
    assert!(damage.is_empty(), "{damage:?}");
    let entry = entry(&list, 0);
    assert_eq!((entry.name().value.as_str(), entry.directory), ("Working papers", true));
    assert_eq!(&data[entry.primary.offset..][..4], b"WORK");
}

#[test]
fn shares_addresses_and_known_folders_have_names() {
    let server = item(0x42, b"\0\x05\\\\SERVER\0");
    let share = item(0xC3, b"\x01\xC5\\\\SERVER\\data\0Microsoft Network\0comment\0");
    let (list, _) = super::list(&joined(&[server, share, file(0x31, b"SUB", 8, "sub")]), 0);
    assert_eq!(path(&list), "\\\\SERVER\\data\\sub");

    let address = item(0x61, &[&[0x80, 0, 0, 0, 0][..], &wide("http://a.example/\0")].concat());
    let (list, damage) = super::list(&joined(&[address]), 0);
    assert_eq!(path(&list), "http://a.example/");
    assert!(damage.is_empty(), "{damage:?}");

    let mut content = vec![0, 0x1A, 0];
    content.extend(0x23FE_BBEE_u32.to_le_bytes());
    content.extend([0, 0, 16, 0]);
    content.extend(0..16_u8);
    content.extend([0, 0]);
    let (list, _) = super::list(&joined(&[item(0, &content)]), 0);
    assert_eq!(path(&list), "{03020100-0504-0706-0809-0A0B0C0D0E0F}");
}

#[test]
fn a_delegate_holds_a_volume() {
    let mut content = vec![0, 0x2F, 0];
    content.extend(0xF5A6_B710_u32.to_le_bytes());
    content.extend([0x19, 0, 0x2F]);
    content.extend(b"D:\\\0");
    content.extend([0; 60]);
    let (list, damage) = list(&joined(&[item(0x1F, &content), file(0x31, b"SUB", 8, "sub")]), 0);
    assert!(damage.is_empty(), "{damage:?}");
    assert_eq!(path(&list), "D:\\sub");
}

#[test]
fn what_led_to_a_share_is_no_part_of_its_path() {
    let share = item(0xC3, b"\x01\xC5\\\\SERVER\\data\0");
    let (list, _) = list(&joined(&[item(0x99, &[1]), share]), 0);
    assert_eq!(path(&list), "\\\\SERVER\\data");
}

#[test]
fn an_unknown_item_is_kept_and_leaves_no_path() {
    let strange = item(0x99, &[1, 2, 3]);
    let data = joined(&[my_computer(), strange.clone()]);
    let (list, damage) = list(&data, 0);
    assert!(damage.is_empty());
    assert_eq!(list.items[1].kind, ItemKind::Unknown);
    assert_eq!(raw(&data, &list.items[1]), strange);
    assert_eq!(list.path(), (format!("{MY_COMPUTER}\\<0x99>"), false));
}

#[test]
fn a_cut_list_gives_what_there_is() {
    let data = joined(&[volume("C:\\"), file(0x32, b"A.TXT", 9, "a.txt")]);
    let (list, damage) = super::list(&data[..data.len() - 20], 0);
    assert_eq!(list.items.len(), 2);
    assert!(matches!(damage[0].what, DamageKind::Outside { what: "shell item", .. }), "{damage:?}");
    let (list, damage) = super::list(&[1, 0, 0], 0);
    assert_eq!((list.items.len(), damage.len()), (0, 1));
    let (list, damage) = super::list(&[], 0);
    assert!(list.items.is_empty() && matches!(damage[0].what, DamageKind::Unended { .. }));
}

#[test]
fn a_list_that_never_ends_is_bounded() {
    let (list, damage) = list(&item(0x99, &[]).repeat(2000), 0);
    assert_eq!((list.items.len(), damage.len()), (LIMIT, 1));
}

proptest! {
    #[test]
    fn nothing_panics(data in proptest::collection::vec(any::<u8>(), 0..200), at in 0..300_usize) {
        let (list, _) = list(&data, at);
        prop_assert!(list.items.iter().all(|item| item.offset + item.length <= data.len()));
    }

    #[test]
    fn changed_lists_give_no_panic(changes in proptest::collection::vec((0..400_usize, any::<u8>()), 1..12)) {
        let mut data = joined(&[my_computer(), volume("C:\\"), file(0x32, b"A.TXT", 9, "a.txt"), file(0xB1, b"B", 3, "b")]);
        for (at, byte) in changes {
            let at = at % data.len();
            data[at] = byte;
        }
        let (list, damage) = list(&data, 0);
        let _ = list.path();
        prop_assert!(damage.len() <= data.len());
    }
}

fn named(data: &[u8]) -> (NamedKind, String) {
    let (list, damage) = list(data, 0);
    assert!(damage.is_empty(), "{damage:?}");
    match &list.items[0].kind {
        ItemKind::Named(named) => {
            let at = named.name.offset..named.name.offset + named.name.length;
            assert!(data.get(at).is_some(), "{named:?}");
            (named.kind, named.name.value.clone())
        }
        other => panic!("{other:?}"),
    }
}

/// Builds an item of this length, of class 0, with content at offsets from its start.
fn filled(length: usize, parts: &[(usize, &[u8])]) -> Vec<u8> {
    let mut item = vec![0; length];
    item[..2].copy_from_slice(&u16::try_from(length).unwrap().to_le_bytes());
    for (at, bytes) in parts {
        item[*at..*at + bytes.len()].copy_from_slice(bytes);
    }
    joined(&[item])
}

#[test]
fn items_of_other_namespaces_are_told_by_their_signatures() {
    let category = filled(12, &[(2, &[1]), (4, &[0x84, 0x21, 0xDE, 0x39]), (8, &[5])]);
    assert_eq!(named(&category), (NamedKind::ControlPanelCategory, "System and Security".to_owned()));
    let file = filled(60, &[(4, &[0x38, 0xFF, 0xFF, 0xFF]), (24, &wide("C:\\a.cpl"))]);
    assert_eq!(named(&file), (NamedKind::ControlPanelFile, "C:\\a.cpl".to_owned()));
    let parts: [(usize, &[u8]); 3] =
        [(6, &[0x05, 0x20, 0x31, 0x10]), (0x26, &[6, 0, 0, 0]), (0x36, &wide("Phone"))];
    assert_eq!(named(&filled(0x50, &parts)), (NamedKind::PortableVolume, "Phone".to_owned()));
    let parts: [(usize, &[u8]); 3] =
        [(6, &[0x06, 0x20, 0x19, 0x07]), (0x3E, &[5, 0, 0, 0]), (0x4A, &wide("DCIM"))];
    assert_eq!(named(&filled(0x60, &parts)), (NamedKind::PortableFile, "DCIM".to_owned()));
    for time in ["01/31/2020  10:00:00", "N/A"] {
        let parts: [(usize, &[u8]); 4] =
            [(2, &[0x52]), (36, &wide(time)), (84, &[3, 0, 0, 0]), (92, &wide("sub"))];
        assert_eq!(named(&filled(110, &parts)), (NamedKind::ArchiveEntry, "sub".to_owned()));
    }
}

#[test]
fn a_delegate_of_another_kind_is_its_folder() {
    let delegate =
        [0x74, 0x1A, 0x59, 0x5E, 0x96, 0xDF, 0xD3, 0x48, 0x8D, 0x67, 0x17, 0x33, 0xBC, 0xEE, 0x28, 0xBA];
    let (list, damage) = list(&filled(60, &[(2, &[0x6F]), (28, &delegate), (44, &[7; 16])]), 0);
    assert!(damage.is_empty());
    assert_eq!(list.items[0].name(), Some("{07070707-0707-0707-0707-070707070707}"));
    assert_eq!(list.items[0].kind_name(), "Root folder: GUID");
}

#[test]
fn a_view_of_properties_is_no_folder() {
    let (list, damage) = list(&filled(60, &[(2, &[0x1F]), (6, &[0xD5, 0xDF, 0xA3, 0x23])]), 0);
    assert!(damage.is_empty());
    assert_eq!(list.items[0].kind, ItemKind::Unknown);
}
