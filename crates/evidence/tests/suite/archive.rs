//! Archives as evidence: listing, names, reading, hostile ones.

mod build;
mod hostile;

use build::{Entry, Tar, deflated, gz, seven, tar_gz, zip_by_hand, zst};
use evidence::{
    ArchiveTree, EvidencePath, Expansion, Listing, NodeKind, OpenError, ReadError, Step, Tree, hash,
    open_archive, open_directory, read_all, read_full_at, walk,
};
use ledger::{ByteSpan, Clock, Digest, IntegrityLevel, Precision};
use std::io::Write;
use std::path::Path;

fn path(text: &str) -> EvidencePath {
    EvidencePath::parse(text).unwrap()
}

fn open(bytes: &[u8]) -> Result<ArchiveTree, OpenError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("triage.bin");
    std::fs::File::create(&file).unwrap().write_all(bytes).unwrap();
    // An open file stays readable after its name is removed.
    let listed = open_archive(&file, "disk", None, Expansion::Bounded)?;
    let Some(listing) = listed.listing() else { return Ok(listed) };
    // Opening an archive with its stored listing makes no difference to anything that is tested here.
    let again = open_archive(&file, "disk", Some(&listing), Expansion::Bounded)?;
    assert_eq!(steps(&again), steps(&listed));
    Ok(again)
}

fn steps(tree: &dyn Tree) -> Vec<String> {
    let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
    walk(tree, &root).map(|step| format!("{step:?}")).collect()
}

#[test]
fn a_listing_that_is_damaged_loses_and_invents_but_breaks_nothing() {
    let files = vec![("C/a/SYSTEM", noise(700)), ("C/b/link", noise(90)), ("C/b/c/empty", Vec::new())];
    let folder = tempfile::tempdir().unwrap();
    let mut random = testkit::random::Random::new(7);
    for bytes in [build::zip(&files), tar_gz(&files)] {
        let file = folder.path().join("triage.bin");
        std::fs::File::create(&file).unwrap().write_all(&bytes).unwrap();
        let listing = open_archive(&file, "disk", None, Expansion::Bounded).unwrap().listing().unwrap();
        for _ in 0..2000 {
            let mut damaged = listing.clone();
            let at = random.below(damaged.len());
            match random.below(3) {
                0 => damaged.truncate(at),
                _ => damaged[at] = u8::try_from(random.below(256)).unwrap(),
            }
            let tree = open_archive(&file, "disk", Some(&damaged), Expansion::Bounded).unwrap();
            let _ = everything(&tree);
        }
    }
}

fn listing(tree: &dyn Tree, at: &str) -> Listing {
    let node = tree.node(&path(at)).unwrap().unwrap();
    tree.children(&node).unwrap()
}

fn names(tree: &dyn Tree, at: &str) -> Vec<String> {
    listing(tree, at).nodes.into_iter().map(|node| node.name).collect()
}

fn read(tree: &dyn Tree, at: &str) -> Result<Vec<u8>, ReadError> {
    let node = tree.node(&path(at))?.unwrap();
    read_all(tree.open(&node, None)?.as_mut(), 1 << 30)
}

/// Path, size and content of a file.
type Held = (String, u64, Result<Vec<u8>, String>);

/// Returns every file below the root, and every defect and gap.
fn everything(tree: &dyn Tree) -> (Vec<Held>, Vec<String>) {
    let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
    let (mut files, mut told) = (Vec::new(), Vec::new());
    for step in walk(tree, &root) {
        match step {
            Step::Node(node) if node.kind == NodeKind::File => {
                let bytes = tree.open(&node, None).and_then(|mut reader| read_all(reader.as_mut(), 1 << 26));
                let bytes = bytes.map_err(|error| error.to_string());
                files.push((node.path.as_str().to_owned(), node.size, bytes));
            }
            Step::Node(_) => {}
            Step::Defect(defect) => told.push(defect.what),
            Step::Gap(gap) => told.push(gap.reason),
        }
    }
    (files, told)
}

/// Returns bytes that do not compress well, the same every time.
fn noise(length: usize) -> Vec<u8> {
    let mut state: u32 = 7;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..length).map(|_| next() & 0x3f).collect()
}

fn sample() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("C/Windows/System32/config/SYSTEM", noise(300_000)),
        ("C/Users/a/NTUSER.DAT", noise(70_000)),
        ("C/Users/a/empty", Vec::new()),
        ("C/Users/é.txt", b"text".to_vec()),
    ]
}

#[test]
fn every_format_gives_the_files_that_were_packed() {
    let sample = sample();
    let mut expected: Vec<_> = sample
        .iter()
        .map(|(name, bytes)| ((*name).to_owned(), bytes.len() as u64, Ok(bytes.clone())))
        .collect();
    expected.sort();
    let tar = Tar::of(&sample);
    let two_members = {
        let (first, second) = tar.split_at(tar.len() / 2);
        [gz(first), gz(second)].concat()
    };
    let formats = [
        ("zip", build::zip(&sample)),
        ("7z", seven(&sample)),
        ("tar", tar.clone()),
        ("tar.gz", tar_gz(&sample)),
        ("tar.gz of two members", two_members),
        ("tar.zst", zst(&tar)),
    ];
    for (format, bytes) in formats {
        let tree = open(&bytes).unwrap_or_else(|error| panic!("{format}: {error}"));
        let (files, told) = everything(&tree);
        assert!(files == expected, "{format}: {:?}", files.iter().map(|f| (&f.0, f.1)).collect::<Vec<_>>());
        assert!(told.is_empty(), "{format}: {told:?}");
        let node = tree.node(&path("c\\users\\É.TXT")).unwrap().unwrap();
        assert_eq!((node.path.as_str(), node.size), ("C/Users/é.txt", 4), "{format}");
        assert_eq!(tree.node(&path("C/Users/absent")).unwrap(), None, "{format}");
        assert_eq!(tree.node(&path("C/Users/a/empty/below")).unwrap(), None, "{format}");
    }
}

#[test]
fn bytes_are_read_at_any_offset_in_any_order() {
    let content = noise(3 << 20);
    let sample =
        vec![("before", noise(1 << 20)), ("big", content.clone()), ("small", b"0123456789".to_vec())];
    for bytes in [build::zip(&sample), tar_gz(&sample), zst(&Tar::of(&sample)), seven(&sample)] {
        let tree = open(&bytes).unwrap();
        let node = tree.node(&path("big")).unwrap().unwrap();
        let mut reader = tree.open(&node, None).unwrap();
        let mut buffer = vec![0; 5000];
        for offset in [5 << 19, 0, 3 << 19, (3 << 19) - 7, 3 << 20, (3 << 20) - 10] {
            let expected = &content[offset.min(content.len())..(offset + 5000).min(content.len())];
            let read = read_full_at(reader.as_mut(), offset as u64, &mut buffer).unwrap();
            assert!(buffer[..read] == *expected, "{offset}");
        }
        assert_eq!(reader.read_at(u64::MAX, &mut buffer).unwrap(), 0);
        assert_eq!(read(&tree, "small").unwrap(), b"0123456789");
        assert!(matches!(tree.open(&node, Some("x")), Err(ReadError::NoStream { .. })));
    }
}

#[test]
fn stored_bytes_know_their_place_in_the_archive() {
    let bytes = zip_by_hand(&[Entry::new(b"a", b"0123456789")]);
    let tree = open(&bytes).unwrap();
    let node = tree.node(&path("a")).unwrap().unwrap();
    let extent = tree.open(&node, None).unwrap().provenance(ByteSpan::new(2, 100)).remove(0);
    assert_eq!((extent.container.as_str(), extent.length), ("triage.bin", 8));
    let at = usize::try_from(extent.offset).unwrap();
    assert_eq!(&bytes[at..at + 8], b"23456789");
    let packed = open(&zip_by_hand(&[deflated(b"a", b"0123456789")])).unwrap();
    let extent = packed.open(&node, None).unwrap().provenance(ByteSpan::new(2, 3)).remove(0);
    assert_eq!((extent.container.as_str(), extent.offset, extent.length), ("a", 2, 3));
}

#[test]
fn names_are_made_paths_and_none_is_lost() {
    let bytes = zip_by_hand(&[
        Entry::new(b"..\\..\\Windows\\evil.dll", b"1"),
        Entry::new(b"C:\\Windows\\a", b"2").made_by(3),
        Entry::new(b"/etc//./b", b"3"),
        Entry::new(b"unix\\name", b"4").made_by(3),
        Entry::new(b"caf\x82", b"5"),
        Entry::new(b"nul\0nul", b"6"),
        Entry::new(b"", b"7"),
        Entry::new(b"same", b"8"),
        Entry::new(b"same", b"9"),
        Entry::new(b"both", b"10"),
        Entry::new(b"both/below", b"11"),
    ]);
    let tree = open(&bytes).unwrap();
    let (files, told) = everything(&tree);
    let content = |at: &str| files.iter().find(|file| file.0 == at).map(|file| file.2.clone().unwrap());
    for (at, expected) in [
        ("%{2E}%{2E}/%{2E}%{2E}/Windows/evil.dll", "1"),
        ("C:/Windows/a", "2"),
        ("etc/b", "3"),
        ("unix%{5C}name", "4"),
        ("caf%{82}", "5"),
        ("nul%{00}nul", "6"),
        ("%{00}", "7"),
        ("same", "9"),
        ("both%{00}", "10"),
        ("both/below", "11"),
    ] {
        assert_eq!(content(at).as_deref(), Some(expected.as_bytes()), "{at}");
    }
    assert_eq!(files.len(), 10);
    for what in ["climbs", "NUL", "no name", "replaces an earlier entry at byte", "folder's, too"] {
        assert_eq!(told.iter().filter(|told| told.contains(what)).count(), 1, "{what}: {told:?}");
    }
}

#[test]
fn names_that_climb_leave_every_folder_readable() {
    let names = ["../x", "..", "a/../y", "a/..", "./..", "../..", "z"];
    let zipped: Vec<Entry> = names.iter().map(|name| Entry::new(name.as_bytes(), name.as_bytes())).collect();
    let tarred: Vec<_> = names.iter().map(|name| (*name, name.as_bytes().to_vec())).collect();
    for bytes in [zip_by_hand(&zipped), Tar::of(&tarred)] {
        let (files, told) = everything(&open(&bytes).unwrap());
        let held: Vec<_> =
            files.iter().map(|file| (file.0.as_str(), file.2.clone().map_err(|_| ()).unwrap())).collect();
        let expected = [
            ("%{2E}%{2E}/%{2E}%{2E}", "../.."),
            ("%{2E}%{2E}/x", "../x"),
            ("..%{00}", "./.."),
            ("a/%{2E}%{2E}/y", "a/../y"),
            ("a/..%{00}", "a/.."),
            ("z", "z"),
        ];
        for (at, content) in expected {
            assert!(held.contains(&(at, content.as_bytes().to_vec())), "{at}: {held:?}");
        }
        assert_eq!(held.len(), expected.len());
        assert!(told.iter().any(|told| told.contains("replaces an earlier entry")), "{told:?}");
    }
}

/// Returns the content at each path of an archive, and what is reported.
fn held(bytes: &[u8]) -> (std::collections::BTreeMap<String, Vec<u8>>, Vec<String>) {
    let (files, told) = everything(&open(bytes).unwrap());
    (files.into_iter().map(|(at, _, content)| (at, content.unwrap())).collect(), told)
}

fn told(told: &[String], what: &str) -> usize {
    told.iter().filter(|told| told.contains(what)).count()
}

#[test]
fn an_entry_of_a_zip_that_is_marked_as_a_folder_keeps_its_content() {
    let (held, defects) = held(&zip_by_hand(&[
        Entry::new(b"named/", b"1"),
        Entry::new(b"named/below", b"2"),
        deflated(b"packed/", b"3"),
        Entry::new(b"back\\", b"4"),
        Entry::new(b"/", b"5"),
        Entry::new(b"unix", b"6").made_by(3).mode(0o40_755),
        Entry::new(b"dos", b"7").mode(0).attributes(0x10),
        Entry::new(b"pipe", b"8").made_by(3).mode(0o10_644),
        Entry::new(b"link", &noise(5000)).made_by(3).mode(0o120_777),
        Entry::new(b"linked/", b"../target").made_by(3).mode(0o40_755),
        Entry::new(b"folder/", b"").attributes(0x10),
        deflated(b"folder too/", b""),
        Entry::new(b"folder of unix", b"").made_by(3).mode(0o40_755),
    ]));
    let expected = [
        ("named%{00}", "1"),
        ("named/below", "2"),
        ("packed%{00}", "3"),
        ("back%{00}", "4"),
        ("%{00}", "5"),
        ("unix", "6"),
        ("dos", "7"),
        ("pipe", "8"),
        ("linked%{00}", "../target"),
    ];
    for (at, content) in expected {
        assert_eq!(held.get(at).map(Vec::as_slice), Some(content.as_bytes()), "{at}: {held:?}");
    }
    assert_eq!(held.get("link"), Some(&noise(5000)));
    assert_eq!(held.len(), expected.len() + 1);
    assert_eq!(told(&defects, "named like a folder and has"), 5, "{defects:?}");
    assert_eq!(told(&defects, "marked as a folder and has"), 2, "{defects:?}");
    assert_eq!(told(&defects, "marked as a device"), 1, "{defects:?}");
    assert_eq!(told(&defects, "marked as a link"), 1, "{defects:?}");
}

#[test]
fn an_entry_of_a_tar_that_is_marked_as_what_has_no_content_keeps_it() {
    let tar = Tar::default()
        .entry("old/", b'0', b"1", "")
        .entry("folder", b'5', b"2", "")
        .entry("dump/", b'D', b"3", "")
        .entry("volume", b'V', b"4", "")
        .entry("linked", b'1', b"5", "old")
        .entry("pipe", b'6', b"6", "")
        .entry("folder/", b'5', b"", "")
        .file("folder/below", b"7")
        .entry("plain/", b'0', b"", "")
        .entry("label", b'V', b"", "")
        .done();
    for bytes in [gz(&tar), tar] {
        let (held, defects) = held(&bytes);
        let expected = [
            ("old%{00}", "1"),
            ("folder%{00}", "2"),
            ("dump%{00}", "3"),
            ("volume", "4"),
            ("linked", "5"),
            ("pipe", "6"),
            ("folder/below", "7"),
        ];
        for (at, content) in expected {
            assert_eq!(held.get(at).map(Vec::as_slice), Some(content.as_bytes()), "{at}: {held:?}");
        }
        assert_eq!(held.len(), expected.len());
        assert_eq!(told(&defects, "bytes of content"), 6, "{defects:?}");
    }
}

#[test]
fn an_entry_that_declares_no_bytes_and_has_some_is_damaged() {
    let tree = open(&zip_by_hand(&[
        deflated(b"packed", b"much more than nothing").size(0),
        Entry::new(b"stored", b"x").size(0),
        deflated(b"named/", b"much more than nothing").size(0),
        deflated(b"empty", b""),
    ]))
    .unwrap();
    for at in ["packed", "stored", "named%{00}"] {
        assert!(matches!(read(&tree, at), Err(ReadError::Damaged { .. })), "{at}");
    }
    assert_eq!(read(&tree, "empty").unwrap(), b"");
    let (_, defects) = everything(&tree);
    assert_eq!(told(&defects, "declares a size of 0"), 3, "{defects:?}");
}

#[test]
fn times_are_those_of_a_copy_and_the_best_that_stand_there() {
    let filetime = 132_980_818_001_234_567_u64;
    let ntfs: Vec<u8> = [&[0, 0, 0, 0, 1, 0, 24, 0][..], &filetime.to_le_bytes().repeat(3)].concat();
    let seconds = [&[1][..], &1_333_504_720_u32.to_le_bytes()].concat();
    let dos = 42 << 25 | 5 << 21 | 28 << 16 | 2 << 11 | 37 << 5 | 21;
    let tree = open(&zip_by_hand(&[
        Entry::new(b"dos", b"").at(dos),
        Entry::new(b"seconds", b"").at(dos).extra(0x5455, &seconds),
        Entry::new(b"ntfs", b"").at(dos).extra(0x5455, &seconds).extra(0x000a, &ntfs),
    ]))
    .unwrap();
    let times = |at: &str| tree.node(&path(at)).unwrap().unwrap().times;
    let dos = times("dos").modified.unwrap();
    assert_eq!((dos.utc, dos.raw.as_str(), dos.clock), (None, "2022-05-28T02:37:42", Clock::CollectionCopy));
    let seconds = times("seconds").modified.unwrap();
    assert_eq!((seconds.to_text().as_str(), seconds.precision), ("2012-04-04T01:58:40Z", Precision::Second));
    let ntfs = times("ntfs");
    for time in [ntfs.modified, ntfs.accessed, ntfs.born] {
        let time = time.unwrap();
        assert_eq!((time.raw, time.clock), (filetime.to_string(), Clock::CollectionCopy));
    }
}

#[test]
fn links_and_devices_of_a_tar_are_told_and_hard_links_share_their_content() {
    let long = format!("{}/end", "long".repeat(60));
    let tree = open(
        &Tar::default()
            .file("real", b"content")
            .entry("hard", b'1', b"", "./real")
            .entry("dangling", b'1', b"", "absent")
            .entry("soft", b'2', b"", "../etc/passwd")
            .entry("device", b'3', b"", "")
            .entry("sparse", b'S', b"", "")
            .entry("././@LongLink", b'L', long.as_bytes(), "")
            .file("cut", b"gnu")
            .entry("pax", b'x', b"17 path=pax/name\n30 mtime=1333504720.000000005\n", "")
            .file("cut", b"pax")
            .done(),
    )
    .unwrap();
    assert_eq!(read(&tree, "hard").unwrap(), b"content");
    assert_eq!(tree.node(&path("hard")).unwrap().unwrap().size, 7);
    let soft = tree.node(&path("soft")).unwrap().unwrap();
    assert_eq!(soft.kind, NodeKind::Symlink { target: "../etc/passwd".to_owned() });
    assert!(matches!(tree.open(&soft, None), Err(ReadError::Symlink { .. })));
    assert!(matches!(tree.node(&path("soft/below")), Err(ReadError::Symlink { .. })));
    assert_eq!(tree.node(&path("device")).unwrap().unwrap().kind, NodeKind::Other);
    assert!(matches!(read(&tree, "dangling"), Err(ReadError::Unsupported { .. })));
    assert!(matches!(read(&tree, "sparse"), Err(ReadError::Unsupported { .. })));
    assert_eq!(read(&tree, &long).unwrap(), b"gnu");
    assert_eq!(read(&tree, "pax/name").unwrap(), b"pax");
    let time = tree.node(&path("pax/name")).unwrap().unwrap().times.modified.unwrap();
    assert_eq!(time.to_text(), "2012-04-04T01:58:40.000000005Z");
}

#[test]
fn a_hard_link_shares_what_its_target_was_where_the_link_stands() {
    let tar = Tar::default()
        .file("x", b"first")
        .entry("to first", b'1', b"", "x")
        .entry("to link", b'1', b"", "to first")
        .entry("to later", b'1', b"", "y")
        .file("x", b"second one")
        .entry("to second", b'1', b"", "x")
        .entry("x", b'1', b"", "x")
        .entry("x/below", b'0', b"below", "")
        .file("y", b"later")
        .entry("round", b'1', b"", "round")
        .done();
    for bytes in [gz(&tar), tar] {
        let tree = open(&bytes).unwrap();
        for (at, expected) in [
            ("to first", "first"),
            ("to link", "first"),
            ("to second", "second one"),
            ("to later", "later"),
            ("x%{00}", "second one"),
        ] {
            assert_eq!(read(&tree, at).unwrap(), expected.as_bytes(), "{at}");
            assert_eq!(tree.node(&path(at)).unwrap().unwrap().size, expected.len() as u64, "{at}");
        }
        assert!(matches!(read(&tree, "round"), Err(ReadError::Unsupported { .. })));
        let replaced = |told: &&String| told.contains("replaces an earlier entry");
        assert_eq!(everything(&tree).1.iter().filter(replaced).count(), 2);
    }
}

#[test]
fn links_of_a_zip_are_listed_with_their_target() {
    let tree = open(&zip_by_hand(&[Entry::new(b"l", b"../target").made_by(3).mode(0o120_777)])).unwrap();
    let link = tree.node(&path("l")).unwrap().unwrap();
    assert_eq!(link.kind, NodeKind::Symlink { target: "../target".to_owned() });
    assert!(matches!(tree.open(&link, None), Err(ReadError::Symlink { .. })));
}

#[test]
fn encrypted_entries_are_listed_and_told_once() {
    let tree = open(&zip_by_hand(&[
        Entry::new(b"secret", b"x").flags(1),
        Entry::new(b"plain", b"y"),
        Entry::new(b"odd", b"y").method(9),
    ]))
    .unwrap();
    assert_eq!(names(&tree, ""), ["odd", "plain", "secret"]);
    assert!(matches!(read(&tree, "secret"), Err(ReadError::Unsupported { .. })));
    assert!(matches!(read(&tree, "odd"), Err(ReadError::Unsupported { .. })));
    let gaps = listing(&tree, "").gaps;
    assert!(matches!(gaps.as_slice(), [one] if one.reason.contains("1 are encrypted")), "{gaps:?}");
}

#[test]
fn bytes_in_front_of_a_zip_do_not_matter() {
    let bytes = [noise(1000), zip_by_hand(&[Entry::new(b"a", b"content")])].concat();
    // It is not an archive as evidence, because it does not begin like one.
    assert!(matches!(open(&bytes), Err(OpenError::NotAnArchive { .. })));
    let front = [b"PK\x03\x04".to_vec(), noise(1000), zip_by_hand(&[Entry::new(b"a", b"content")])].concat();
    assert_eq!(read(&open(&front).unwrap(), "a").unwrap(), b"content");
}

#[test]
fn what_is_compressed_and_no_tar_is_named() {
    let mut disk = vec![0; 8192];
    disk[3..11].copy_from_slice(b"NTFS    ");
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    for (bytes, expected) in [
        (gz(&disk), "a compressed disk image: decompress it first (`gunzip`)"),
        (zst(&disk), "a compressed disk image: decompress it first (`unzstd`)"),
        (gz(b"a log"), "a compressed file that holds no tar"),
        (b"\xfd7zXZ\0\0\0".to_vec(), "an xz stream"),
        (b"BZh91AY".to_vec(), "a bzip2 stream"),
    ] {
        let error = open(&bytes).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(matches!(open(b"no archive"), Err(OpenError::NotAnArchive { .. })));
    assert!(matches!(
        open_archive(Path::new("/"), "x", None, Expansion::Bounded),
        Err(OpenError::NotAnArchive { .. })
    ));
}

#[test]
fn an_archive_of_nothing_but_images_or_archives_is_refused_by_name() {
    let mut disk = vec![0; 70_000];
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    let vhdx = [b"vhdxfile".to_vec(), noise(70_000)].concat();
    let ewf = [b"EVF\x09\r\n\xff\0".to_vec(), noise(70_000)].concat();
    let inner = Tar::of(&[("a", noise(70_000))]);
    let text = b"log".to_vec();
    for (files, expected) in [
        (vec![("out/x.vhdx", vhdx.clone()), ("log.txt", text.clone())], "out/x.vhdx is a disk image"),
        (vec![("x.tar", inner.clone())], "x.tar is an archive"),
        (vec![("x.E01", ewf.clone()), ("x.E02", ewf.clone())], "x.E01 is a disk image"),
        (vec![("x.DD", disk.clone()), ("y.zip", build::zip(&sample()))], "x.DD is a disk image"),
    ] {
        for bytes in [build::zip(&files), seven(&files), Tar::of(&files), tar_gz(&files)] {
            let error = open(&bytes).err().unwrap();
            assert!(matches!(error, OpenError::OnlyContainers { .. }), "{error}");
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
    // Another kind of file, a container in name only, a small one, none at all.
    for files in [
        vec![("x.vhdx", vhdx), ("NTUSER.DAT", text.clone())],
        vec![("memory.raw", noise(70_000))],
        vec![("x.zip", build::zip(&[("a", text.clone())]))],
        vec![("log.txt", text)],
        Vec::new(),
    ] {
        assert!(open(&build::zip(&files)).is_ok());
    }
}

#[test]
fn an_archive_is_hashed_as_its_file() {
    let bytes = build::zip(&sample());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.zip");
    std::fs::File::create(&file).unwrap().write_all(&bytes).unwrap();
    let tree = open_archive(&file, "disk", None, Expansion::Bounded).unwrap();
    let (integrity, gaps) = hash(&tree, IntegrityLevel::Full).unwrap();
    assert_eq!((integrity.sha256, integrity.files, gaps), (Digest::of(&bytes), 1, Vec::new()));
}

#[test]
fn a_folder_and_the_zip_of_it_look_alike() {
    let folder = tempfile::tempdir().unwrap();
    let mut packed = Vec::new();
    for (name, content) in sample() {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let mut written = std::fs::File::create(&file).unwrap();
        written.write_all(&content).unwrap();
        let when = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_333_504_720);
        written.set_modified(when).unwrap();
        let time = [&[1][..], &1_333_504_720_u32.to_le_bytes()].concat();
        packed.push(deflated(name.as_bytes(), &content).flags(0x800).extra(0x5455, &time));
    }
    let zipped = open(&zip_by_hand(&packed)).unwrap();
    let plain = open_directory(folder.path(), "disk").unwrap();
    let rows = |tree: &dyn Tree| {
        let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
        let mut rows = Vec::new();
        for step in walk(tree, &root) {
            let Step::Node(node) = step else { panic!("{step:?}") };
            let modified = node.times.modified.filter(|_| node.kind == NodeKind::File).map(|time| time.utc);
            rows.push((node.path, node.name, node.kind, node.size, modified, node.state));
        }
        rows
    };
    assert_eq!(rows(&zipped), rows(&plain));
}
