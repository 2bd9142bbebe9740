//! FAT and exFAT volumes built here: names, content, times, deleted entries, and damage.

mod build;

use build::{DATE, END, ExFat, ExFile, Fat, SECTOR, content, deleted, freed, long, put, slot};
use evidence::{
    DeletedEntry, DeletedStep, EvidencePath, FileReference, ImageTree, Listing, Node, NodeKind, NodeState,
    Original, ReadError, Recovery, Step, Tree, open_image, read_all, walk,
};
use ledger::{AssumedZone, ByteSpan, Precision};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;

struct Opened(ImageTree, Vec<u8>, #[expect(dead_code, reason = "keeps the file")] tempfile::NamedTempFile);

fn open(image: &[u8]) -> Opened {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(image).unwrap();
    Opened(open_image(file.path(), "disk").unwrap(), image.to_vec(), file)
}

impl Opened {
    fn node(&self, path: &str) -> Node {
        self.0.node(&EvidencePath::parse(path).unwrap()).unwrap().unwrap()
    }

    fn list(&self, path: &str) -> Listing {
        self.0.children(&self.node(path)).unwrap()
    }

    fn names(&self, path: &str) -> Vec<String> {
        self.list(path).nodes.into_iter().map(|node| node.name).collect()
    }

    /// Returns the content of a file, which must equal the bytes at its provenance.
    fn read(&self, path: &str) -> Vec<u8> {
        let mut reader = self.0.open(&self.node(path), None).unwrap();
        let bytes = read_all(reader.as_mut(), 1 << 20).unwrap();
        let extents = reader.provenance(ByteSpan { offset: 0, length: u64::MAX });
        let stored = extents.iter().flat_map(|extent| {
            self.1[extent.offset as usize..(extent.offset + extent.length) as usize].to_vec()
        });
        assert!(bytes.starts_with(&stored.collect::<Vec<_>>()), "{path}");
        bytes
    }

    fn deleted(&self) -> Vec<DeletedEntry> {
        let volume = EvidencePath::parse("p0").unwrap();
        let steps = self.0.deleted(&volume).unwrap();
        steps
            .map(|step| if let DeletedStep::Entry(entry) = step { *entry } else { panic!("{step:?}") })
            .collect()
    }

    fn defects(&self, path: &str) -> String {
        let what = self.list(path).defects.into_iter().map(|defect| defect.what);
        what.collect::<Vec<_>>().join("; ")
    }
}

/// Creates a volume with a label, a file in three pieces, a long name, and a folder with a file.
fn fat(bits: usize) -> Fat {
    let clusters = if bits == 12 { 300 } else { 4100 };
    let mut fat = Fat::new(bits, clusters);
    let root = fat.root();
    fat.chain(&[5, 9, 6]);
    fat.write(&[5, 9, 6], &content(1, 1300));
    fat.chain(&[10]);
    fat.write(&[10], &content(2, 100));
    fat.chain(&[11]);
    fat.chain(&[12]);
    fat.write(&[12], &content(3, 512));
    fat.append(root, &[slot(b"TESTVOL    ", 0x08, 0, 0), slot(b"HELLO   TXT", 0x20, 5, 1300)]);
    fat.append(root, &long("A rather long name \u{fc}.txt", slot(b"ARATHE~1TXT", 0x20, 10, 100)));
    fat.append(root, &[slot(b"SUB        ", 0x10, 11, 0), slot(b"\x05MPTY   \x8e  ", 0x20, 0, 0)]);
    let folder = fat.folder(11, 0);
    let mut inner = slot(b"INNER   BIN", 0x20, 12, 512);
    inner[12] = 0x18;
    fat.append(folder, &[inner]);
    fat
}

#[test]
fn names_content_and_facts_are_those_of_the_volume() {
    for (bits, name) in [(12, "FAT12"), (16, "FAT16"), (32, "FAT32")] {
        let volume = open(&fat(bits).image);
        assert_eq!(
            volume.names("p0"),
            ["%{E5}MPTY.%{8E}", "A rather long name \u{fc}.txt", "HELLO.TXT", "SUB"],
            "{name}"
        );
        assert_eq!(volume.list("p0").defects, [], "{name}");
        assert_eq!(volume.names("p0/SUB"), ["inner.bin"]);
        assert_eq!(volume.read("p0/HELLO.TXT"), content(1, 1300));
        assert_eq!(volume.read("p0/hello.txt"), content(1, 1300));
        assert_eq!(volume.read("p0/A rather long name \u{fc}.txt"), content(2, 100));
        assert_eq!(volume.read("p0/SUB/inner.bin"), content(3, 512));
        assert!(volume.read("p0/%{E5}MPTY.%{8E}").is_empty());
        let found = volume.0.volumes().remove(0);
        let facts = found.facts.unwrap();
        assert_eq!(found.file_system, Some(name));
        assert_eq!(facts.serial.as_deref(), Some("1234-ABCD"));
        assert_eq!(facts.label.as_deref(), Some("TESTVOL"));
        let clusters = if bits == 12 { 300 } else { 4100 };
        assert_eq!((facts.sector, facts.cluster, facts.clusters), (Some(512), Some(512), Some(clusters)));
        assert_eq!(facts.dirty, if bits == 12 { None } else { Some(false) });
    }
}

#[test]
fn an_entry_is_found_again_by_its_place() {
    let volume = open(&fat(16).image);
    for step in walk(&volume.0, &volume.node("p0")) {
        let Step::Node(node) = step else { panic!("{step:?}") };
        let reference = node.reference.unwrap();
        assert_eq!(volume.0.node_at(&node.path, reference).unwrap().as_ref(), Some(&*node));
        let other = FileReference::DirectoryEntry(0x1000);
        assert_eq!(volume.0.node_at(&node.path, other).unwrap(), None);
    }
}

#[test]
fn local_times_keep_what_is_stored_and_name_the_zone_assumed() {
    let volume = open(&fat(16).image);
    let times = volume.node("p0/HELLO.TXT").times;
    let (born, modified, accessed) = (times.born.unwrap(), times.modified.unwrap(), times.accessed.unwrap());
    assert_eq!(born.to_text(), "2024-03-01T12:00:03.50 local");
    assert_eq!((born.raw.as_str(), born.zone), ("0x5861:6001:96", Some(AssumedZone::Utc)));
    assert_eq!(modified.to_text(), "2024-03-01T12:00:02 local");
    assert_eq!((modified.precision, modified.raw.as_str()), (Precision::TwoSeconds, "0x5861:6001"));
    assert_eq!((accessed.to_text().as_str(), accessed.precision), ("2024-03-01 local", Precision::Day));
    assert_eq!(times.changed, None);
}

#[test]
fn the_count_of_clusters_decides_the_type() {
    for (bits, clusters, name) in [(12, 4084, "FAT12"), (16, 4085, "FAT16"), (32, 66_000, "FAT32")] {
        let volume = open(&Fat::new(bits, clusters).image);
        assert_eq!(volume.0.volumes()[0].file_system, Some(name), "{clusters}");
    }
}

#[test]
fn a_boot_record_with_partitions_is_no_volume_whatever_numbers_it_keeps() {
    let mut image = vec![0; 10 * SECTOR];
    image.extend(fat(12).image);
    let head = fat(12).image[..62].to_vec();
    put(&mut image, 0, &head);
    image[446 + 4] = 0x01;
    put(&mut image, 446 + 8, &10u32.to_le_bytes());
    put(&mut image, 446 + 12, &400u32.to_le_bytes());
    put(&mut image, 510, &[0x55, 0xaa]);
    let volume = open(&image);
    assert_eq!(volume.0.volumes()[0].path.as_str(), "p1");
    assert_eq!(volume.read("p1/HELLO.TXT"), content(1, 1300));
}

#[test]
fn a_damaged_long_name_gives_the_short_one_and_a_defect_with_its_place() {
    let mut image = fat(16);
    let at = image.root() + 3 * 32;
    image.image[at + 13] ^= 1;
    let volume = open(&image.image);
    assert!(volume.names("p0").contains(&"ARATHE~1.TXT".to_owned()));
    let defects = volume.defects("p0");
    assert!(
        defects.contains("checksum of a long name") && defects.contains(&format!("byte {at} ")),
        "{defects}"
    );
    let node = volume.node("p0/ARATHE~1.TXT");
    assert_eq!(volume.0.node_at(&node.path, node.reference.unwrap()).unwrap(), Some(node));
}

#[test]
fn a_name_that_begins_in_another_cluster_is_found_again() {
    let mut image = fat(16);
    image.chain(&[11, 40]);
    let folder = image.place(11);
    let fill = slot(b"FILL       ", 0x20, 0, 0);
    let mut slots: Vec<_> = (0..12).map(|_| fill).collect();
    slots.extend(long("a name in two clusters", slot(b"ANAMEI~1   ", 0x20, 12, 512)));
    // The second part of the name and the entry go to cluster 40.
    image.append(folder, &slots[..13]);
    let at = image.place(40);
    image.append(at, &slots[13..]);
    let volume = open(&image.image);
    let node = volume.node("p0/SUB/a name in two clusters");
    assert_eq!(node.reference, Some(FileReference::DirectoryEntry(at as u64 + 32)));
    assert_eq!(volume.0.node_at(&node.path, node.reference.unwrap()).unwrap(), Some(node));
    assert_eq!(volume.read("p0/SUB/a name in two clusters"), content(3, 512));
}

/// Creates a volume with deleted entries: a file of three clusters, a file of two clusters of which one is in use
/// again, a lost file, and a folder of two clusters.
fn with_deleted() -> Fat {
    let mut fat = fat(16);
    let root = fat.root();
    fat.write(&[20, 21, 22], &content(7, 1300));
    fat.append(root, &deleted(vec![slot(b"GONE    TXT", 0x20, 20, 1300)]));
    fat.append(root, &deleted(long("Kept in its long name.doc", slot(b"KEPTIN~1DOC", 0x20, 8, 600))));
    fat.append(root, &deleted(vec![slot(b"LOST    TXT", 0x20, 5, 10), slot(b"OLDSUB     ", 0x10, 30, 0)]));
    let folder = fat.folder(30, 0);
    fat.write(&[40], &content(9, 50));
    let fill = slot(b"FILL       ", 0x20, 0, 0);
    let slots: Vec<_> = (0..14).map(|_| fill).collect();
    fat.append(folder, &slots);
    let behind = fat.place(31);
    fat.append(behind, &[slot(b"UNMARKEDBIN", 0x20, 40, 50)]);
    fat
}

#[test]
fn deleted_entries_are_told_with_what_can_be_read_of_them() {
    let image = with_deleted();
    let volume = open(&image.image);
    let found = volume.deleted();
    let told = |name: &str| found.iter().find(|entry| entry.node.name == name).unwrap();
    let original = |name: &str| match &told(name).original {
        Original::Path(path) => path.as_str().to_owned(),
        Original::Orphan(path) => panic!("{path}"),
    };
    assert_eq!(original("_ONE.TXT"), "p0/_ONE.TXT");
    assert_eq!(original("UNMARKED.BIN"), "p0/_LDSUB/UNMARKED.BIN");
    assert_eq!(told("_ONE.TXT").recovery, Recovery::Assumed);
    assert_eq!(told("Kept in its long name.doc").recovery, Recovery::Partial { reused: 1, clusters: 2 });
    assert_eq!(told("_OST.TXT").recovery, Recovery::Lost);
    assert_eq!(told("_LDSUB").recovery, Recovery::Nothing);
    assert_eq!(told("UNMARKED.BIN").recovery, Recovery::Whole);
    assert_eq!(found.iter().filter(|entry| entry.node.name == "FILL").count(), 14);
    assert!(found.is_sorted_by_key(|entry| entry.node.reference));
    let path = format!("p0/$Deleted/{}/UNMARKED.BIN", image.place(31));
    assert_eq!(told("UNMARKED.BIN").node.path.as_str(), path);
    assert_eq!(volume.read(&path), content(9, 50));
    assert_eq!(volume.read(told("_ONE.TXT").node.path.as_str()), content(7, 1300));
    for entry in &found {
        let node = &entry.node;
        assert_eq!(node.state, NodeState::Deleted);
        assert_eq!(volume.node(node.path.as_str()), *node);
        assert_eq!(volume.0.node_at(&node.path, node.reference.unwrap()).unwrap().as_ref(), Some(node));
    }
    assert_eq!(volume.list("p0").nodes.len(), 4, "deleted entries are not listed");
    let foreign = EvidencePath::parse(&format!("p0/$Deleted/{}/HELLO.TXT", image.root() + 32)).unwrap();
    assert_eq!(volume.0.node(&foreign).unwrap(), None, "an entry that is in use is no deleted one");
}

#[test]
fn folders_in_circles_end_and_are_told() {
    let mut image = fat(12);
    let folder = image.place(11);
    image.append(folder, &[slot(b"AGAIN      ", 0x10, 11, 0), slot(b"TWICE      ", 0x10, 11, 0)]);
    let volume = open(&image.image);
    let steps: Vec<_> = walk(&volume.0, &volume.node("p0")).take(1000).collect();
    assert!(steps.len() < 30, "{}", steps.len());
    let again = |step: &Step| matches!(step, Step::Defect(defect) if defect.what.contains("met before"));
    assert!(steps.iter().any(again));
    assert!(volume.defects("p0/SUB").contains("no other entry"), "{}", volume.defects("p0/SUB"));
    assert!(volume.deleted().is_empty());
}

#[test]
fn a_chain_that_breaks_is_read_up_to_the_break() {
    // Back to itself, to a free cluster, out of the volume, to its end too early.
    for (next, found) in [(5, 5), (0, 0), (4000, 4000), (END, 0xfff)] {
        let mut image = fat(12);
        image.entry(9, next);
        let volume = open(&image.image);
        let mut reader = volume.0.open(&volume.node("p0/HELLO.TXT"), None).unwrap();
        let mut bytes = vec![0; 1024];
        assert_eq!(evidence::read_full_at(reader.as_mut(), 0, &mut bytes).unwrap(), 1024);
        assert_eq!(bytes, content(1, 1300)[..1024]);
        let error = reader.read_at(1024, &mut bytes).unwrap_err();
        let place = format!("byte {} of the volume", image.entry_place(9));
        assert!(matches!(error, ReadError::Damaged { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(&place) && text.contains(&format!("found {found}")), "{text}");
    }
}

#[test]
fn what_lies_outside_the_volume_is_a_defect_and_never_read() {
    let mut image = fat(12);
    let root = image.root();
    image.append(root, &[slot(b"FAR     BIN", 0x20, 3000, 10), slot(b"FARDIR     ", 0x10, 4000, 0)]);
    image.append(root, &[slot(b"HUGE    BIN", 0x20, 12, u32::MAX)]);
    image.entry(11, 12);
    image.entry(12, 11);
    let volume = open(&image.image);
    let defects = volume.defects("p0");
    assert_eq!(defects.matches("a cluster of the volume").count(), 2, "{defects}");
    assert!(defects.contains("no more than the volume has, found 4294967295"), "{defects}");
    assert!(volume.0.open(&volume.node("p0/FAR.BIN"), None).unwrap().read_at(0, &mut [0]).is_err());
    assert!(volume.defects("p0/FARDIR").contains("found 4000"));
    assert!(volume.defects("p0/SUB").contains("that the chain does not hold yet"));
    assert_eq!(volume.list("p0/SUB").gaps.len(), 1, "entries may be missing");
}

#[test]
fn boot_sectors_that_cannot_be_are_refused() {
    let text = |image: &mut Fat| put(&mut image.image, 54, b"FAT12   ");
    let cases: [(usize, &[u8]); 7] = [
        (11, &[0, 0]),
        (11, &[0x01, 0x02]),
        (13, &[0]),
        (13, &[3]),
        (16, &[0]),
        (22, &[0, 0]),
        (32, &[1, 0, 0, 0]),
    ];
    for (at, bytes) in cases {
        let mut image = fat(12);
        text(&mut image);
        put(&mut image.image, at, bytes);
        let volume = open(&image.image);
        let unread = volume.0.volumes()[0].unread.clone();
        assert!(unread.is_some_and(|reason| reason.contains("expected")), "{at} {bytes:?}");
        assert_eq!(volume.list("p0").gaps.len(), 1);
    }
}

fn file<'a>(name: &'a str, first: u32, size: u64, contiguous: bool) -> ExFile<'a> {
    ExFile { name, first, size, written: size, contiguous, directory: false, offset: 0x84 }
}

/// Creates a volume with a file in one run, one in a chain, one of which only a part was written, and a folder
/// of two clusters.
fn exfat() -> ExFat {
    let mut volume = ExFat::new();
    let root = volume.place(3);
    volume.chain(&[3, 60]);
    volume.mark(&[10, 11, 12], true);
    volume.write(&[10, 11, 12], &content(1, 1400));
    volume.append(root, &file("Together \u{1f600}.bin", 10, 1400, true).slots());
    volume.chain(&[20, 25, 22]);
    volume.write(&[20, 25, 22], &content(2, 1300));
    let chained = ExFile { offset: 0, ..file("chained", 20, 1300, false) };
    volume.append(root, &chained.slots());
    volume.mark(&[13, 14], true);
    volume.write(&[13, 14], &content(3, 1024));
    // Its name begins in the first cluster of the root and ends in the second.
    let half = ExFile { written: 600, ..file("half written, with a name over clusters", 13, 1000, true) };
    let slots = half.slots();
    let fill = freed(file("x", 0, 0, false).slots());
    volume.append(root, &[fill.clone(), fill].concat());
    let at = volume.append(root, &slots[..2]);
    assert_eq!(at + 64, volume.place(4), "the first cluster is full");
    let next = volume.place(60);
    volume.append(next, &slots[2..]);
    volume.mark(&[30], true);
    let folder = ExFile { directory: true, ..file("folder", 30, 512, true) };
    volume.append(next, &folder.slots());
    volume.mark(&[31], true);
    volume.write(&[31], &content(4, 20));
    let inside = volume.place(30);
    volume.append(inside, &file("inside.txt", 31, 20, true).slots());
    volume
}

#[test]
fn exfat_files_are_read_in_runs_and_chains_and_not_beyond_what_was_written() {
    let volume = open(&exfat().image);
    assert_eq!(
        volume.names("p0"),
        ["Together \u{1f600}.bin", "chained", "folder", "half written, with a name over clusters"]
    );
    assert_eq!(volume.list("p0").defects, []);
    assert_eq!(volume.read("p0/Together \u{1f600}.bin"), content(1, 1400));
    assert_eq!(volume.read("p0/chained"), content(2, 1300));
    let mut half = content(3, 600);
    half.resize(1000, 0);
    assert_eq!(volume.read("p0/half written, with a name over clusters"), half);
    assert_eq!(volume.read("p0/folder/inside.txt"), content(4, 20));
    let found = volume.0.volumes().remove(0);
    let facts = found.facts.unwrap();
    assert_eq!(found.file_system, Some("exFAT"));
    assert_eq!((facts.serial.as_deref(), facts.label.as_deref()), (Some("FEED-1234"), Some("Ex\u{fc}")));
    assert_eq!((facts.version.as_deref(), facts.dirty), (Some("1.00"), Some(false)));
    assert_eq!((facts.cluster, facts.clusters), (Some(512), Some(256)));
    for step in walk(&volume.0, &volume.node("p0")) {
        let Step::Node(node) = step else { panic!("{step:?}") };
        assert_eq!(volume.0.node_at(&node.path, node.reference.unwrap()).unwrap(), Some(*node));
    }
}

#[test]
fn exfat_times_are_instants_where_their_offset_is_known() {
    let volume = open(&exfat().image);
    let known = volume.node("p0/Together \u{1f600}.bin").times;
    assert_eq!(known.born.as_ref().unwrap().to_text(), "2024-03-01T11:00:03.50Z");
    assert_eq!(known.modified.as_ref().unwrap().zone, None);
    assert_eq!(known.accessed.unwrap().to_text(), "2024-03-01T12:00:02 local");
    let local = volume.node("p0/chained").times;
    assert_eq!(local.modified.unwrap().to_text(), "2024-03-01T12:00:02.07 local");
    assert_eq!(local.born.unwrap().raw, format!("0x{DATE:04x}:6001:96:00"));
}

#[test]
fn deleted_exfat_files_keep_their_run_or_their_chain() {
    let mut image = exfat();
    let folder = image.place(60);
    image.write(&[40, 41], &content(5, 900));
    image.append(folder, &freed(file("run", 40, 900, true).slots()));
    image.chain(&[50, 55]);
    image.mark(&[50, 55], false);
    image.write(&[50, 55], &content(6, 900));
    let more = image.place(30);
    image.append(more, &freed(file("chain", 50, 900, false).slots()));
    image.append(more, &freed(file("reused", 31, 900, true).slots()));
    let volume = open(&image.image);
    let found = volume.deleted();
    let told = |name: &str| found.iter().find(|entry| entry.node.name == name).unwrap();
    assert_eq!(told("run").recovery, Recovery::Whole);
    assert_eq!(volume.read(told("run").node.path.as_str()), content(5, 900));
    assert_eq!(told("chain").recovery, Recovery::Whole);
    assert_eq!(volume.read(told("chain").node.path.as_str()), content(6, 900));
    assert_eq!(told("reused").recovery, Recovery::Partial { reused: 1, clusters: 2 });
    assert_eq!(told("x").recovery, Recovery::Nothing);
    let original = EvidencePath::parse("p0/folder/chain").unwrap();
    assert_eq!(told("chain").original, Original::Path(original));
}

#[test]
fn damage_of_exfat_is_told_and_the_rest_is_read() {
    let mut image = exfat();
    image.image[200] ^= 1;
    let at = image.place(3) + 64;
    image.image[at + 5] ^= 1;
    let volume = open(&image.image);
    let defects = volume.defects("p0");
    assert!(defects.contains("checksum of the boot region"), "{defects}");
    assert!(defects.contains(&format!("byte {at} of the volume: checksum of an entry")), "{defects}");
    assert_eq!(volume.names("p0").len(), 4);
}

/// Numbers that look random and are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Reads everything; returns how many steps that took.
fn exhaust(tree: &ImageTree) -> usize {
    let (mut steps, mut buffer) = (0, [0; 4096]);
    let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
    let mut read = |node: &Node| {
        if let (NodeKind::File, Ok(mut reader)) = (&node.kind, tree.open(node, None)) {
            for offset in [0, 511, 1024, node.size / 2, node.size.saturating_sub(1)] {
                let _ = reader.read_at(offset, &mut buffer);
            }
            reader.provenance(ByteSpan { offset: 0, length: node.size });
        }
    };
    for step in walk(tree, &root) {
        steps += 1;
        if let Step::Node(node) = &step {
            read(node);
        }
    }
    for volume in tree.volumes() {
        for step in tree.deleted(&volume.path).into_iter().flatten() {
            steps += 1;
            if let DeletedStep::Entry(entry) = &step {
                read(&entry.node);
            }
        }
    }
    steps
}

#[test]
fn damaged_bytes_anywhere_never_stop_the_reader() {
    let images = [with_deleted().image, fat(12).image, fat(32).image, exfat().image];
    for image in images {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&image).unwrap();
        let handle: &File = file.as_file();
        let mut chance = Chance(7);
        // Half of the changes hit the boot sector or nonzero bytes, where there is something to damage.
        let set: Vec<usize> = (0..image.len()).filter(|at| *at < SECTOR || image[*at] != 0).collect();
        for _ in 0..500 {
            let changed: Vec<usize> =
                (0..1 + chance.below(6)).map(|_| set[chance.below(set.len())]).collect();
            for at in &changed {
                let byte = [0, 1, 0xff, 0xe5, 0x80, chance.below(256) as u8][chance.below(6)];
                handle.write_all_at(&[byte], *at as u64).unwrap();
            }
            if let Ok(tree) = open_image(file.path(), "disk") {
                assert!(exhaust(&tree) < 20_000);
            }
            for at in changed {
                handle.write_all_at(&image[at..=at], at as u64).unwrap();
            }
        }
    }
}
