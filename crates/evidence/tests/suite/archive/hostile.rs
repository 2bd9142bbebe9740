//! Damaged archives, decompression bombs, and mutations.

use super::build::{Entry, Tar, deflated, gz, seven, tar_gz, zip_by_hand};
use super::{everything, listing, names, noise, open, path, read, sample};
use evidence::{Expansion, OpenError, ReadError, Tree, open_archive, read_full_at};
use std::io::Write;

#[test]
fn an_entry_that_is_larger_than_it_says_is_damaged_there() {
    let content = noise(100_000);
    let tree = open(&zip_by_hand(&[deflated(b"a", &content).size(50_000)])).unwrap();
    let error = read(&tree, "a").unwrap_err().to_string();
    assert!(error.contains("byte 50000") && error.contains("goes on"), "{error}");
    let node = tree.node(&path("a")).unwrap().unwrap();
    let mut reader = tree.open(&node, None).unwrap();
    let mut head = vec![0; 1000];
    assert_eq!(read_full_at(reader.as_mut(), 0, &mut head).unwrap(), 1000);
    assert_eq!(head, content[..1000]);
}

#[test]
fn an_entry_that_is_smaller_or_other_than_it_says_is_damaged() {
    let content = noise(100_000);
    let tree = open(&zip_by_hand(&[
        deflated(b"short", &content).size(150_000),
        deflated(b"other", &content).crc(1),
        Entry::new(b"cut", b"abc").size(5),
    ]))
    .unwrap();
    for (at, expected) in [("short", "byte 100000"), ("other", "CRC-32 00000001"), ("cut", "byte 3")] {
        let error = read(&tree, at).unwrap_err();
        assert!(
            matches!(error, ReadError::Damaged { .. }) && error.to_string().contains(expected),
            "{error}"
        );
    }
}

#[test]
fn entries_that_share_bytes_are_refused_and_told() {
    let kernel = deflated(b"kernel", &vec![0; 1 << 20]);
    let mut entries = vec![kernel.clone(), Entry::new(b"honest", b"x")];
    for number in 0..300 {
        entries.push(Entry::new(format!("copy{number}").as_bytes(), b"").header(0).method(8).size(1 << 20));
    }
    // A hand-built zip also has a local header for each, but nothing points to those.
    let tree = open(&zip_by_hand(&entries)).unwrap();
    assert_eq!(names(&tree, "").len(), 302);
    assert_eq!(read(&tree, "honest").unwrap(), b"x");
    for at in ["kernel", "copy7"] {
        assert!(read(&tree, at).unwrap_err().to_string().contains("another entry"), "{at}");
    }
    let defects = listing(&tree, "").defects;
    assert!(defects.iter().any(|defect| defect.what.starts_with("301 entries share")), "{defects:?}");
}

#[test]
fn names_over_shared_bytes_are_a_gap_where_they_are_more_than_a_thousand() {
    let mut entries = vec![deflated(b"kernel", &vec![0; 1 << 20]), Entry::new(b"honest", b"x")];
    for number in 0..1000 {
        entries.push(Entry::new(format!("copy{number}").as_bytes(), b"").header(0).method(8).size(1 << 20));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("triage.zip");
    std::fs::File::create(&file).unwrap().write_all(&zip_by_hand(&entries)).unwrap();
    let opened = |expansion| open_archive(&file, "disk", None, expansion).unwrap();
    let tree = opened(Expansion::Bounded);
    assert_eq!(names(&tree, ""), ["honest"]);
    let gaps = listing(&tree, "").gaps;
    assert!(
        gaps.iter().any(|gap| gap.reason.starts_with("entries of the archive: 1001 share bytes")),
        "{gaps:?}"
    );
    assert_eq!(read(&tree, "honest").unwrap(), b"x");
    // Earlier runs read such an archive as they did before.
    let former = opened(Expansion::Former);
    assert_eq!(names(&former, "").len(), 1002);
    assert!(read(&former, "copy7").unwrap_err().to_string().contains("another entry"));
}

#[test]
fn what_expands_without_end_is_taken_for_a_bomb_and_a_large_file_of_zeros_is_not() {
    // The checksum is also wrong, but that would show only at the end.
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![0; 1 << 20];
    for _ in 0..1100 {
        std::io::Write::write_all(&mut encoder, &zeros).unwrap();
    }
    let packed = encoder.finish().unwrap();
    let near_the_end = |entries: &[Entry]| {
        let tree = open(&zip_by_hand(entries)).unwrap();
        let node = tree.node(&path("a")).unwrap().unwrap();
        let mut reader = tree.open(&node, None).unwrap();
        reader.read_at(1090 << 20, &mut [0; 10])
    };
    let page_file = Entry::new(b"a", &packed).method(8).size(1100 << 20);
    assert!(near_the_end(&[page_file]).is_ok_and(|read| read > 0));
    let bomb: Vec<Entry> = [b"a", b"b", b"c", b"d", b"e"]
        .into_iter()
        .map(|name| Entry::new(name, &packed).method(8).size(u32::MAX))
        .collect();
    let error = near_the_end(&bomb).unwrap_err();
    assert!(error.to_string().contains("200 to 1"), "{error}");
}

#[test]
fn a_name_of_thousands_of_folders_is_a_gap() {
    let deep = b"a/".repeat(5000);
    let tree = open(&zip_by_hand(&[Entry::new(&[&deep[..], b"x"].concat(), b"1"), Entry::new(b"b", b"2")]));
    let tree = tree.unwrap();
    assert_eq!(names(&tree, ""), ["b"]);
    assert!(listing(&tree, "").gaps[0].reason.contains("1 lie deeper"));
}

#[test]
fn many_entries_of_one_path_stay_cheap() {
    let mut entries = vec![Entry::new(b"a/b", b"")];
    entries.extend((0..30_000).map(|_| Entry::new(b"a", b"")));
    let tree = open(&zip_by_hand(&entries)).unwrap();
    let root = listing(&tree, "");
    assert_eq!((root.nodes.len(), root.defects.len()), (2, 10_001));
}

#[test]
fn a_cut_archive_gives_what_stands_in_front_of_the_cut() {
    let files = sample();
    let tar = Tar::of(&files);
    let tree = open(&tar[..400_000.min(tar.len() - 1500)]).unwrap();
    assert!(read(&tree, files[0].0).is_ok());
    let packed = gz(&tar);
    let tree = open(&packed[..packed.len() - 2000]).unwrap();
    let (found, told) = everything(&tree);
    assert!(found.iter().any(|file| file.2.is_ok()) && !told.is_empty(), "{told:?}");
    let zipped = super::build::zip(&files);
    let cut = open(&zipped[..zipped.len() - 200]).err().unwrap();
    assert!(matches!(&cut, OpenError::Archive { .. }) && cut.to_string().contains("cut"), "{cut}");
}

#[test]
fn a_tar_without_its_end_is_damaged_and_not_listed_whole() {
    let tar = Tar::of(&[("a", b"first".to_vec()), ("b", b"second".to_vec())]);
    let entries = tar.len() - 1024;
    // After an entry, in a header, in the data of an entry, in its padding, in the first block of the end.
    for cut in [1024, 1024 + 100, 1024 + 512 + 3, entries - 100, entries, entries + 511] {
        for bytes in [tar[..cut].to_vec(), gz(&tar[..cut])] {
            let tree = open(&bytes).unwrap();
            let root = listing(&tree, "");
            assert!(matches!(root.defects.as_slice(), [one] if one.what.contains("of the tar")), "{cut}");
            assert!(matches!(root.gaps.as_slice(), [one] if one.reason.contains("listed")), "{cut}");
            assert_eq!(read(&tree, "a").unwrap(), b"first", "{cut}");
        }
    }
}

#[test]
fn a_7z_that_is_cut_or_damaged_is_told_in_our_words() {
    let bytes = seven(&sample());
    for cut in [20, 32, 1000, bytes.len() - 1] {
        let error = open(&bytes[..cut]).err().unwrap().to_string();
        assert!(error.contains(&format!("byte {cut} of the archive")) && error.contains("cut"), "{error}");
    }
    for at in [8, 15, bytes.len() - 5] {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x55;
        let error = open(&bytes).err().unwrap().to_string();
        assert!(error.ends_with("the header of the 7z is damaged: expected what its CRC-32 says"), "{error}");
    }
}

#[test]
fn a_tar_that_ends_with_one_block_of_zeros_is_whole() {
    let tar = Tar::of(&[("a", b"first".to_vec())]);
    for cut in [tar.len(), tar.len() - 1, tar.len() - 512] {
        let root = listing(&open(&tar[..cut]).unwrap(), "");
        assert!(root.defects.is_empty() && root.gaps.is_empty(), "{cut}: {root:?}");
    }
}

/// Returns what is reported about an archive as a whole: gaps, and defects.
fn told(bytes: &[u8]) -> (Vec<String>, Vec<String>) {
    let root = listing(&open(bytes).unwrap(), "");
    let gaps = root.gaps.into_iter().map(|gap| gap.reason);
    (gaps.collect(), root.defects.into_iter().map(|defect| defect.what).collect())
}

#[test]
fn a_tar_behind_the_end_of_a_tar_is_listed_and_told() {
    let (first, second) = (Tar::of(&[("a", b"1".to_vec())]), Tar::of(&[("b", b"2".to_vec())]));
    let padded = [first.clone(), vec![0; 10_240]].concat();
    let frames = [super::build::zst(&first), super::build::zst(&second)].concat();
    for bytes in [
        [first.clone(), second.clone()].concat(),
        [padded, second.clone()].concat(),
        [gz(&first), gz(&second)].concat(),
        frames,
    ] {
        let tree = open(&bytes).unwrap();
        assert_eq!((read(&tree, "a").unwrap(), read(&tree, "b").unwrap()), (b"1".to_vec(), b"2".to_vec()));
        let (gaps, defects) = told(&bytes);
        assert!(gaps.is_empty(), "{gaps:?}");
        assert!(matches!(defects.as_slice(), [one] if one.contains("stand behind its end")), "{defects:?}");
    }
}

#[test]
fn bytes_behind_the_end_of_a_tar_are_a_gap() {
    let tar = Tar::of(&[("a", b"1".to_vec())]);
    let packed = gz(&tar);
    let gap = |bytes: &[u8], expected: &str| {
        let (gaps, _) = told(bytes);
        assert!(matches!(gaps.as_slice(), [one] if one.contains(expected)), "{expected}: {gaps:?}");
        assert_eq!(read(&open(bytes).unwrap(), "a").unwrap(), b"1");
    };
    gap(&[tar.clone(), b"hidden".to_vec()].concat(), "from byte 2048 of the tar on (6 bytes)");
    gap(&[tar.clone(), vec![0; 9000], noise(3000)].concat(), "from byte 10752 of the tar on (3296 bytes)");
    gap(&[packed.clone(), gz(&noise(3000))].concat(), "from byte 2048 of the tar on");
    let at = format!("6 bytes from byte {} of the archive", packed.len());
    gap(&[packed.clone(), b"hidden".to_vec()].concat(), &at);
    gap(
        &[packed.clone(), vec![0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7]].concat(),
        "compressed data is damaged",
    );
    gap(&[super::build::zst(&tar), b"hidden".to_vec()].concat(), "compressed data is damaged");
    // Padding.
    for bytes in [[tar, vec![0; 10_240]].concat(), [packed, vec![0; 512]].concat()] {
        assert_eq!(told(&bytes), (Vec::new(), Vec::new()));
    }
}

#[test]
fn what_the_directory_of_a_zip_leaves_out_is_a_gap() {
    let entries = [
        Entry::new(b"a", b"first"),
        Entry::new(b"hidden", b"second").unlisted(),
        Entry::new(b"b", b"third"),
        deflated(b"last", &noise(70_000)).unlisted(),
    ];
    let bytes = zip_by_hand(&entries);
    let (gaps, defects) = told(&bytes);
    assert_eq!((gaps.len(), defects.len()), (2, 0), "{gaps:?} {defects:?}");
    assert!(gaps[0].contains("42 from byte 36 on begin like an entry"), "{gaps:?}");
    assert!(gaps[1].contains("from byte 114 on begin like an entry"), "{gaps:?}");
    assert_eq!(names(&open(&bytes).unwrap(), ""), ["a", "b"]);
    // Neither padding before it nor a repeated name hides it.
    let padded = zip_by_hand(&[
        Entry::new(b"a", b"1"),
        Entry::new(b"pad", &vec![1; 100_000]).padding(),
        Entry::new(b"hidden", b"2").unlisted(),
        Entry::new(b"a", b"3"),
    ]);
    let (gaps, _) = told(&padded);
    assert!(matches!(gaps.as_slice(), [one] if one.contains("from byte 100032 on")), "{gaps:?}");
}

#[test]
fn packed_bytes_behind_the_content_of_an_entry_are_damage() {
    let behind = |more: usize| {
        let tree = open(&zip_by_hand(&[deflated(b"a", b"content").followed_by(&noise(more))])).unwrap();
        read(&tree, "a").map_err(|error| error.to_string())
    };
    assert_eq!(behind(4).unwrap(), b"content");
    let error = behind(3000).unwrap_err();
    assert!(error.contains("3000 packed bytes stand behind"), "{error}");
}

#[test]
fn bytes_behind_the_end_of_a_zip_are_a_gap() {
    let zip = zip_by_hand(&[Entry::new(b"a", b"first")]);
    let (gaps, _) = told(&[zip.clone(), b"hidden".to_vec()].concat());
    let expected = format!("6 from byte {} on", zip.len());
    assert!(matches!(gaps.as_slice(), [one] if one.contains(&expected)), "{gaps:?}");
    let mut commented = zip;
    let length = commented.len() - 2;
    commented[length] = 6;
    commented.extend_from_slice(b"remark");
    assert_eq!(told(&commented), (Vec::new(), Vec::new()));
}

#[test]
fn a_local_header_with_another_name_is_a_defect() {
    let tree = open(&zip_by_hand(&[
        Entry::new(b"shown", b"1").local(b"other"),
        Entry::new(b"short", b"2").local(b"s"),
        Entry::new(b"a/b", b"3").local(b"a\\b"),
        Entry::new(b"masked", b"4").local(b"000000").flags(1 << 13),
    ]))
    .unwrap();
    let defects = listing(&tree, "").defects;
    let paths: Vec<&str> = defects.iter().map(|defect| defect.path.as_str()).collect();
    assert_eq!(paths, ["shown", "short"], "{defects:?}");
    assert!(defects[0].what.contains("names it `other`"), "{defects:?}");
    assert_eq!(read(&tree, "shown").unwrap(), b"1");
}

#[test]
fn padding_and_descriptors_between_the_entries_of_a_zip_are_no_gap() {
    let descriptor = [b"PK\x07\x08".to_vec(), vec![7; 20]].concat();
    let bytes = zip_by_hand(&[
        Entry::new(b"a", b"1"),
        Entry::new(b"", &descriptor).padding(),
        Entry::new(b"b", b"2"),
        Entry::new(b"", &[0; 4096]).padding(),
        Entry::new(b"c", b"3"),
        Entry::new(b"", &noise(9000)).padding(),
    ]);
    assert_eq!(told(&bytes), (Vec::new(), Vec::new()));
}

#[test]
fn mutated_archives_end_in_errors_and_nothing_else() {
    let files = vec![("C/a", noise(3000)), ("C/b/c", noise(500)), ("d", Vec::new())];
    let archives = [super::build::zip(&files), seven(&files), tar_gz(&files), Tar::of(&files)];
    let mut state: u64 = 42;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut opened = 0;
    for number in 0..2000 {
        let mut bytes = archives[number % archives.len()].clone();
        for _ in 0..=random(4) {
            // Structures are at both ends.
            let at = match random(3) {
                0 => random(bytes.len().min(64)),
                1 => bytes.len() - 1 - random(bytes.len().min(300)),
                _ => random(bytes.len()),
            };
            bytes[at] = [0, 0xff, 0x80, bytes[at] ^ (1 << random(8))][random(4)];
        }
        if random(8) == 0 {
            bytes.truncate(random(bytes.len()));
        }
        if let Ok(tree) = open(&bytes) {
            opened += 1;
            for (_, size, content) in everything(&tree).0 {
                assert!(content.is_err() || content.is_ok_and(|bytes| bytes.len() as u64 == size));
            }
        }
    }
    assert!(opened > 500, "{opened}");
}
