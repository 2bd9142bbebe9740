//! Reads caches of each layout that are built byte by byte.

use super::*;
use proptest::prelude::*;

const MODIFIED: u64 = 129_779_783_208_392_490;

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Builds the header, with `count` at 4, up to a length.
fn header(signature: u32, count: u32, length: usize) -> Vec<u8> {
    let mut data = signature.to_le_bytes().to_vec();
    data.extend(count.to_le_bytes());
    data.resize(length, 0);
    data
}

/// Builds a table with 32-bit or 64-bit pointers; what follows the time is the same for each entry.
fn table(signature: u32, length: usize, is_wide: bool, paths: &[&str], tail: &[u8]) -> Vec<u8> {
    let mut data = header(signature, paths.len() as u32, length);
    let entry = if is_wide { 24 } else { 16 } + tail.len();
    let mut at = length + entry * paths.len();
    for path in paths {
        let size = wide(path).len() as u16;
        data.extend([size.to_le_bytes(), (size + 2).to_le_bytes()].concat());
        if is_wide {
            data.extend([0; 4]);
            data.extend((at as u64).to_le_bytes());
        } else {
            data.extend((at as u32).to_le_bytes());
        }
        data.extend(MODIFIED.to_le_bytes());
        data.extend(tail);
        at += usize::from(size) + 2;
    }
    for path in paths {
        data.extend(wide(path));
        data.extend([0, 0]);
    }
    data
}

/// Builds two numbers, used as flags or as the halves of a size.
fn pair(first: u32, second: u32) -> Vec<u8> {
    [first.to_le_bytes(), second.to_le_bytes()].concat()
}

fn signed(header_length: u32, signature: &[u8; 4], entries: &[(&str, Option<&str>, Option<u32>)]) -> Vec<u8> {
    let mut data = header(header_length, 0, header_length as usize);
    for (path, package, flags) in entries {
        let mut body = Vec::new();
        for text in std::iter::once(path).chain(package) {
            body.extend((wide(text).len() as u16).to_le_bytes());
            body.extend(wide(text));
        }
        body.extend(flags.map_or(Vec::new(), |flags| pair(flags, 1)));
        body.extend(MODIFIED.to_le_bytes());
        body.extend([3, 0, 0, 0, 7, 7, 7]);
        data.extend(signature);
        data.extend([9; 4]);
        data.extend((body.len() as u32).to_le_bytes());
        data.extend(body);
    }
    data
}

fn sound(data: &[u8]) -> Cache {
    let (cache, damage) = cache(data).unwrap();
    assert!(damage.is_empty(), "{damage:?}");
    for entry in &cache.entries {
        let path = &data[entry.path.offset..entry.path.offset + entry.path.length];
        assert_eq!(path, wide(&entry.path.value));
        assert_eq!(entry.modified.as_ref().unwrap().value, Filetime(MODIFIED));
        assert!(entry.offset + entry.length <= data.len());
    }
    cache
}

fn paths(cache: &Cache) -> Vec<&str> {
    cache.entries.iter().map(|entry| entry.path.value.as_str()).collect()
}

const TWO: [&str; 2] = ["\\??\\C:\\Windows\\ä.exe", "\\??\\C:\\b.dll"];

#[test]
fn windows_xp_has_fixed_paths_sizes_and_times_of_update() {
    let mut data = header(XP, 1, 400);
    let mut path = wide("\\??\\C:\\a.exe");
    path.resize(528, 0);
    data.extend(path);
    data.extend(MODIFIED.to_le_bytes());
    data.extend(4711_u64.to_le_bytes());
    data.extend(5_u64.to_le_bytes());
    let cache = sound(&data);
    let entry = &cache.entries[0];
    assert_eq!((cache.format, entry.path.value.as_str()), (Format::Xp, "\\??\\C:\\a.exe"));
    assert_eq!((entry.size.clone().unwrap().value, entry.process_made()), (4711, None));
    assert_eq!(entry.updated.clone().unwrap().value, Filetime(5));
}

#[test]
fn sizes_tell_server_2003_and_flags_tell_vista() {
    for is_wide in [false, true] {
        let cache = sound(&table(SERVER_2003, 8, is_wide, &TWO, &pair(70_000, 0)));
        assert_eq!((cache.format, paths(&cache)), (Format::Server2003, TWO.to_vec()));
        assert_eq!(cache.entries[0].size.clone().unwrap().value, 70_000);
        assert_eq!(cache.entries[0].process_made(), None);
        let cache = sound(&table(SERVER_2003, 8, is_wide, &TWO, &pair(2, 1)));
        assert_eq!((cache.format, paths(&cache)), (Format::Vista, TWO.to_vec()));
        assert!(cache.entries[0].process_made().unwrap().value);
        assert_eq!(cache.entries[0].size, None);
    }
}

#[test]
fn windows_7_has_flags_and_data() {
    let narrow = [pair(0, 4), pair(9, 0)].concat();
    let broad = [pair(2, 4), pair(9, 0), pair(0, 0)].concat();
    for (is_wide, tail, made) in [(false, narrow, false), (true, broad, true)] {
        let cache = sound(&table(WINDOWS_7, 128, is_wide, &TWO, &tail));
        assert_eq!((cache.format, paths(&cache)), (Format::Windows7, TWO.to_vec()));
        let entry = &cache.entries[1];
        assert_eq!((entry.process_made().unwrap().value, entry.data_size.clone().unwrap().value), (made, 9));
        assert_eq!(entry.shim_flags.clone().unwrap().value, 4);
    }
}

#[test]
fn later_layouts_are_counted_by_signature() {
    let path = "SYSVOL\\Windows\\a.exe";
    let eight = [(path, None, Some(2)), ("b", None, Some(0))];
    let cache = sound(&signed(0x80, b"00ts", &eight));
    assert_eq!((cache.format, paths(&cache)), (Format::Windows8, vec![path, "b"]));
    assert_eq!(
        cache.entries.iter().map(|entry| entry.process_made().unwrap().value).collect::<Vec<_>>(),
        [true, false]
    );
    let cache = sound(&signed(0x80, b"10ts", &[(path, Some("pkg"), Some(2)), ("b", Some(""), Some(0))]));
    assert_eq!((cache.format, paths(&cache)), (Format::Windows81, vec![path, "b"]));
    assert_eq!(cache.entries[0].package.clone().unwrap().value, "pkg");
    assert_eq!(cache.entries[1].package, None);
    for header in [0x30, 0x34] {
        let cache = sound(&signed(header, b"10ts", &[(path, None, None), ("b", None, None)]));
        assert_eq!((cache.format, paths(&cache)), (Format::Windows10, vec![path, "b"]));
        assert_eq!(
            (cache.entries[0].process_made(), cache.entries[0].data_size.clone().unwrap().value),
            (None, 3)
        );
    }
}

#[test]
fn empty_caches_are_sound() {
    for data in
        [header(XP, 0, 400), header(SERVER_2003, 0, 8), header(WINDOWS_7, 0, 128), header(0x34, 0, 0x34)]
    {
        assert!(sound(&data).entries.is_empty());
    }
}

#[test]
fn damage_is_told_and_reading_goes_on() {
    assert!(matches!(cache(&[]).unwrap_err().what, DamageKind::Outside { .. }));
    assert!(matches!(cache(&[1, 2, 3, 4]).unwrap_err().what, DamageKind::Field { .. }));
    let mut data = table(WINDOWS_7, 128, false, &TWO, &[0; 16]);
    data[4] = 200;
    let last = data.len() - 20;
    data.truncate(last);
    let (read, damage) = cache(&data).unwrap();
    assert_eq!(paths(&read), [TWO[0]]);
    assert!(damage.iter().any(|damage| matches!(damage.what, DamageKind::Outside { what: "path", .. })));
    assert!(damage.iter().any(|damage| matches!(damage.what, DamageKind::Field { .. })));
    let mut data = signed(0x34, b"10ts", &[("a", None, None), ("b", None, None)]);
    let last = data.len() - 3;
    data.truncate(last);
    let (read, damage) = cache(&data).unwrap();
    assert_eq!((paths(&read), damage.len()), (vec!["a"], 1));
    let mut data = signed(0x34, b"10ts", &[("a", None, None)]);
    data.extend(b"?!");
    assert_eq!(cache(&data).unwrap().1.len(), 1);
}

proptest! {
    #[test]
    fn nothing_panics(mut data in proptest::collection::vec(any::<u8>(), 4..700), start in 0_usize..7) {
        let starts = [XP, SERVER_2003, WINDOWS_7, 0x80, 0x30, 0x34, 1];
        data[..4].copy_from_slice(&starts[start].to_le_bytes());
        if let Ok((cache, _)) = cache(&data) {
            for entry in &cache.entries {
                prop_assert!(entry.path.offset + entry.path.length <= data.len());
            }
        }
    }

    #[test]
    fn changed_caches_never_panic(at in 0_usize..200, byte in any::<u8>(), cut in 0_usize..200) {
        let mut data = signed(0x80, b"10ts", &[("abc", Some("x"), Some(2)), ("b", Some(""), Some(0))]);
        let length = data.len();
        data[at % length] = byte;
        data.truncate(length - cut % length);
        let _ = cache(&data);
    }
}
