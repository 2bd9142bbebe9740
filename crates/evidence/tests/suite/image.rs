//! Disk images: partition tables built here without any content, damage of every kind, and real images if this
//! machine has them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests fail loudly and say what they skip"
)]

use evidence::{
    EvidencePath, ImageTree, NodeKind, OpenError, PartitionType, ReadError, Scheme, Step, Tree, hash,
    image_files, is_image, open_directory, open_image, read_all, walk,
};
use ledger::{ByteSpan, IntegrityLevel};
use std::path::{Path, PathBuf};

const SECTOR: usize = 512;

fn put(image: &mut [u8], at: usize, bytes: &[u8]) {
    image[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Writes a boot record with partitions, given as type, first sector and number of sectors.
fn boot_record(image: &mut [u8], sector: usize, slots: &[(u8, u32, u32)]) {
    let at = sector * SECTOR;
    for (index, (kind, first, count)) in slots.iter().enumerate() {
        let slot = at + 446 + 16 * index;
        image[slot + 4] = *kind;
        put(image, slot + 8, &first.to_le_bytes());
        put(image, slot + 12, &count.to_le_bytes());
    }
    put(image, at + 510, &[0x55, 0xaa]);
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

/// Returns a GPT of one partition, with both copies of its header.
fn guid_table(sectors: usize, first: u64, last: u64) -> Vec<u8> {
    let mut image = vec![0; sectors * SECTOR];
    boot_record(&mut image, 0, &[(0xee, 1, u32::MAX)]);
    let mut entries = vec![0; 128 * 4];
    put(&mut entries, 0, &[7; 16]);
    put(&mut entries, 32, &first.to_le_bytes());
    put(&mut entries, 40, &last.to_le_bytes());
    for (at, table) in [(1, 2), (sectors - 1, sectors - 2)] {
        put(&mut image, table * SECTOR, &entries);
        let mut header = vec![0; 92];
        put(&mut header, 0, b"EFI PART");
        put(&mut header, 12, &92u32.to_le_bytes());
        put(&mut header, 72, &(table as u64).to_le_bytes());
        put(&mut header, 80, &4u32.to_le_bytes());
        put(&mut header, 84, &128u32.to_le_bytes());
        put(&mut header, 88, &crc32(&entries).to_le_bytes());
        let checksum = crc32(&header);
        put(&mut header, 16, &checksum.to_le_bytes());
        put(&mut image, at * SECTOR, &header);
    }
    image
}

/// Returns two primary partitions, one of them encrypted according to its boot sector, one ext with nothing
/// after its magic, and an extended one with two logical ones.
fn mbr() -> Vec<u8> {
    let mut image = vec![0; 100 * SECTOR];
    boot_record(&mut image, 0, &[(0x06, 10, 10), (0x83, 20, 10), (0x05, 40, 60)]);
    boot_record(&mut image, 40, &[(0x07, 1, 9), (0x05, 20, 20)]);
    boot_record(&mut image, 60, &[(0x07, 2, 100)]);
    put(&mut image, 10 * SECTOR + 3, b"-FVE-FS-");
    put(&mut image, 20 * SECTOR + 1080, &[0x53, 0xef]);
    image
}

struct Written(tempfile::TempDir, PathBuf);

fn write(name: &str, bytes: &[u8]) -> Written {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    save(&path, bytes);
    Written(folder, path)
}

#[expect(clippy::disallowed_methods, reason = "a test writes its fixture")]
fn save(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

fn volumes(tree: &ImageTree) -> Vec<(u32, u64, u64)> {
    let regions = tree.layout().unwrap().regions.iter();
    let sector = SECTOR as u64;
    regions
        .filter_map(|region| Some((region.number?, region.offset / sector, region.length / sector)))
        .collect()
}

fn path(text: &str) -> EvidencePath {
    EvidencePath::parse(text).unwrap()
}

#[test]
fn primary_and_logical_partitions_are_numbered_and_gaps_between_them_kept() {
    let file = write("a.dd", &mbr());
    let tree = open_image(&file.1, "disk").unwrap();
    assert_eq!(tree.layout().unwrap().scheme, Scheme::Mbr);
    assert_eq!(volumes(&tree), [(1, 10, 10), (2, 20, 10), (5, 41, 9), (6, 62, 38)]);
    let free: u64 =
        tree.layout().unwrap().regions.iter().filter(|r| r.number.is_none()).map(|r| r.length).sum();
    assert_eq!(free, (10 + 11 + 12) * SECTOR as u64);
    assert!(tree.layout().unwrap().defects[0].what.contains("partition 6"), "it ends behind the medium");
}

#[test]
fn a_volume_that_is_not_read_is_a_folder_with_a_gap_and_never_an_absence() {
    let file = write("a.dd", &mbr());
    let tree = open_image(&file.1, "disk").unwrap();
    let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
    let names: Vec<_> = tree.children(&root).unwrap().nodes.into_iter().map(|node| node.name).collect();
    assert_eq!(names, ["p1", "p2", "p5", "p6"]);
    let gaps: Vec<_> = walk(&tree, &root)
        .filter_map(|step| match step {
            Step::Gap(gap) => Some(gap.reason),
            Step::Node(_) | Step::Defect(_) => None,
        })
        .collect();
    assert!(gaps[0].contains("partition 6 ends at byte"), "{gaps:?}");
    assert!(
        gaps[1].contains("BitLocker") && gaps[2].contains("damaged") && gaps[3].contains("unknown"),
        "{gaps:?}"
    );
    assert!(matches!(tree.node(&path("p1/Users")), Err(ReadError::Unsupported { .. })));
    assert!(tree.node(&path("p3/Users")).unwrap().is_none());
    assert_eq!(tree.node(&path("P1")).unwrap().unwrap().kind, NodeKind::Directory);
}

#[test]
fn a_guid_table_is_read_from_its_copy_when_the_first_one_is_damaged() {
    let mut image = guid_table(64, 8, 15);
    let file = write("a.img", &image);
    let tree = open_image(&file.1, "disk").unwrap();
    assert_eq!((tree.layout().unwrap().scheme, volumes(&tree)), (Scheme::Gpt, vec![(1, 8, 8)]));
    assert!(tree.layout().unwrap().defects.is_empty());
    image[SECTOR + 60] ^= 1;
    save(&file.1, &image);
    let tree = open_image(&file.1, "disk").unwrap();
    assert_eq!(volumes(&tree), [(1, 8, 8)]);
    assert!(tree.layout().unwrap().defects[0].what.contains("CRC32"), "{:?}", tree.layout().unwrap().defects);
    assert_eq!(tree.layout().unwrap().defects[0].offset, Some(SECTOR as u64));
}

#[test]
fn a_loop_of_extended_records_ends_in_a_defect() {
    let mut image = mbr();
    boot_record(&mut image, 60, &[(0x07, 2, 10), (0x05, 20, 20)]);
    let file = write("a.dd", &image);
    let tree = open_image(&file.1, "disk").unwrap();
    assert!(tree.layout().unwrap().defects.iter().any(|defect| defect.what.contains("loop")));
}

#[test]
fn a_split_image_is_one_medium_and_hashes_like_it() {
    let whole = mbr();
    let one = write("a.dd", &whole);
    let split = write("b.001", &whole[..700]);
    save(&split.1.with_extension("002"), &whole[700..]);
    let (a, b) = (open_image(&one.1, "disk").unwrap(), open_image(&split.1, "disk").unwrap());
    assert_eq!(a.layout().unwrap(), b.layout().unwrap());
    let digest = |tree: &ImageTree| hash(tree, IntegrityLevel::Full).unwrap().0;
    assert_eq!(digest(&a).sha256, ledger::Digest::of(&whole));
    assert_eq!(digest(&a).sha256, digest(&b).sha256);
    assert_eq!((digest(&b).files, digest(&b).bytes), (2, whole.len() as u64));
    let sampled = hash(&a, IntegrityLevel::Sampled).unwrap().0;
    let folder = open_directory(one.0.path(), "folder").unwrap();
    assert_eq!(sampled.sha256, hash(&folder, IntegrityLevel::Sampled).unwrap().0.sha256, "one manifest");
}

#[test]
fn what_begins_like_nothing_known_is_no_image() {
    let file = write("a.dd", &[7; 4096]);
    assert!(!is_image(&file.1).unwrap());
    assert!(matches!(open_image(&file.1, "disk"), Err(OpenError::NotAnImage { .. })));
    let ewf = write("a.E01", b"EVF\x09\x0d\x0a\xff\x00 and nothing more");
    save(&ewf.1.with_extension("err"), b"");
    assert!(is_image(&ewf.1).unwrap());
    assert!(matches!(open_image(&ewf.1, "disk"), Err(OpenError::Container { .. })));
}

/// Reads everything, at most the first 64 KiB of a stream.
fn read_everything(tree: &ImageTree) -> usize {
    let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
    let mut entries = 0;
    for step in walk(tree, &root).take(20_000) {
        let Step::Node(node) = step else { continue };
        entries += 1;
        let streams = node.streams.iter().map(|stream| Some(stream.name.as_str()));
        for stream in streams.chain([None]) {
            if let Ok(mut reader) = tree.open(&node, stream) {
                let mut buffer = vec![0; 64 << 10];
                let _ = reader.read_at(reader.len() / 2, &mut buffer);
                reader.provenance(ByteSpan { offset: 0, length: 64 << 10 });
            }
        }
    }
    entries
}

#[test]
fn damaged_tables_are_read_to_an_end() {
    for (index, original) in [mbr(), guid_table(64, 8, 15)].into_iter().enumerate() {
        for seed in 0..400u64 {
            let mut image = original.clone();
            mutate(&mut image, seed, 64 * SECTOR);
            let file = write("a.dd", &image);
            if let Ok(tree) = open_image(&file.1, "disk") {
                let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
                assert!(walk(&tree, &root).count() < 2000, "table {index}, seed {seed}");
            }
        }
    }
}

/// Changes a few bytes in the first `within`; the same seed makes the same changes.
fn mutate(image: &mut [u8], seed: u64, within: usize) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..1 + next() % 16 {
        let at = next() as usize % within.min(image.len());
        image[at] = [0, 1, 0x7f, 0x80, 0xff, next() as u8][next() as usize % 6];
    }
}

/// Returns the path in the folder of real cases, if there is one.
#[expect(clippy::disallowed_methods, reason = "a test asks where the real cases lie")]
fn real(file: &str) -> Option<PathBuf> {
    let found = std::env::var_os("LOCARD_CASES").map(|cases| PathBuf::from(cases).join(file));
    let found = found.filter(|path| path.exists());
    if found.is_none() {
        println!("not run: LOCARD_CASES holds no {file}");
    }
    found
}

#[test]
fn an_image_holds_what_was_copied_from_it() {
    let image = real("open-aptsim-w10/image/desktop-tmku40h.E01");
    let (Some(image), Some(copied)) = (image, real("open-aptsim-w10/evidence")) else { return };
    let tree = open_image(&image, "disk").unwrap();
    println!("{:?}", tree.layout().unwrap());
    let volume = tree
        .layout()
        .unwrap()
        .regions
        .iter()
        .filter_map(|region| region.number)
        .find(|number| matches!(tree.node(&path(&format!("p{number}/Windows"))), Ok(Some(_))));
    let Some(volume) = volume else { panic!("no volume holds Windows") };
    let folder = open_directory(&copied, "copy").unwrap();
    let start = folder.node(&path("C")).unwrap().unwrap();
    let (mut same, mut other) = (0, Vec::new());
    for step in walk(&folder, &start) {
        let Step::Node(node) = step else { continue };
        if node.kind != NodeKind::File {
            continue;
        }
        let inside = path(&format!("p{volume}/{}", node.path.as_str().trim_start_matches("C/")));
        let expected = read_all(folder.open(&node, None).unwrap().as_mut(), 1 << 30).unwrap();
        let found = tree.node(&inside).and_then(|found| match found {
            Some(found) => read_all(tree.open(&found, None)?.as_mut(), 1 << 30).map(Some),
            None => Ok(None),
        });
        match found {
            Ok(Some(found)) if found == expected => same += 1,
            Ok(Some(found)) => other.push(format!("{inside}: {} bytes, not {}", found.len(), expected.len())),
            Ok(None) => other.push(format!("{inside}: absent")),
            Err(error) => other.push(format!("{inside}: {error}")),
        }
    }
    println!("{same} files equal; {other:#?}");
    let task = tree.node(&path(&format!("P{volume}/windows/system32/TASKS/gameover"))).unwrap().unwrap();
    assert_eq!(task.streams.iter().map(|stream| stream.name.as_str()).collect::<Vec<_>>(), ["note"]);
    let mut note = tree.open(&task, Some("note")).unwrap();
    assert_eq!(read_all(note.as_mut(), 1 << 20).unwrap().len() as u64, task.streams[0].size);
    assert!(matches!(tree.open(&task, Some("none")), Err(ReadError::NoStream { .. })));
    assert!(task.times.born.is_some_and(|time| time.clock == ledger::Clock::Host));
    // Streams were copied under separate names, and deleted files are not listed.
    assert!(same > 500 && other.len() <= 5, "{same} equal, {other:#?}");
}

#[test]
fn raw_and_ewf_of_one_medium_hold_the_same() {
    let files = ["7-ntfs-undel.dd", "7-ntfs-undel.E01"]
        .map(|name| format!("open-dftt7-ntfs-undelete/evidence/{name}"));
    let (Some(raw), Some(ewf)) = (real(&files[0]), real(&files[1])) else { return };
    let content = |image: &Path| {
        let tree = open_image(image, "disk").unwrap();
        let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
        let steps: Vec<_> = walk(&tree, &root).collect();
        let bytes: Vec<_> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Node(node) => tree.open(node, None).ok(),
                Step::Gap(_) | Step::Defect(_) => None,
            })
            .map(|mut reader| read_all(reader.as_mut(), 1 << 26).map_err(|error| error.to_string()))
            .collect();
        (steps, bytes)
    };
    let (a, b) = (content(&raw), content(&ewf));
    assert_eq!(a.0, b.0);
    assert!(a.1 == b.1 && a.0.len() > 10, "{} entries", a.0.len());
}

#[test]
fn a_damaged_volume_never_stops_the_reader() {
    let Some(image) = real("open-dftt7-ntfs-undelete/evidence/7-ntfs-undel.dd") else { return };
    let original = std::fs::read(image).unwrap();
    let mft = original.windows(4).position(|bytes| bytes == b"FILE").unwrap();
    let tree = write("a.dd", &original);
    assert!(read_everything(&open_image(&tree.1, "disk").unwrap()) > 10);
    for seed in 0..150 {
        let mut bytes = original.clone();
        let (start, length) = if seed % 5 == 0 { (0, 512) } else { (mft, 64 << 10) };
        mutate(&mut bytes[start..], seed, length);
        let file = write("a.dd", &bytes);
        if let Ok(tree) = open_image(&file.1, "disk") {
            read_everything(&tree);
        }
    }
}

#[test]
fn provenance_leads_to_the_bytes_of_the_image() {
    let Some(image) = real("open-dftt7-ntfs-undelete/evidence/7-ntfs-undel.dd") else { return };
    let bytes = std::fs::read(&image).unwrap();
    let tree = open_image(&image, "disk").unwrap();
    let node = tree.node(&path("p0/$MFT")).unwrap().unwrap();
    let mut reader = tree.open(&node, None).unwrap();
    let mut found = vec![0; 4096];
    assert_eq!(evidence::read_full_at(reader.as_mut(), 1024, &mut found).unwrap(), 4096);
    let extents = reader.provenance(ByteSpan { offset: 1024, length: 4096 });
    let stored: Vec<u8> = extents
        .iter()
        .flat_map(|extent| bytes[extent.offset as usize..(extent.offset + extent.length) as usize].to_vec())
        .collect();
    assert_eq!(stored, found);
    assert_eq!(image_files(&image).len(), 1);
    assert_eq!(extents[0].container, "7-ntfs-undel.dd");
}

#[test]
fn a_table_says_what_its_partitions_are_for() {
    let mut image = mbr();
    put(&mut image, 440, &[0x4a, 0x3b, 0x2c, 0x1d]);
    image[446] = 0x80;
    let file = write("a.dd", &image);
    let tree = open_image(&file.1, "disk").unwrap();
    let layout = tree.layout().unwrap();
    assert_eq!((layout.disk.signature, layout.disk.sector), (Some(0x1d2c_3b4a), Some(512)));
    let partitions: Vec<_> = layout.regions.iter().filter_map(|region| region.partition.as_ref()).collect();
    let told: Vec<_> = partitions.iter().map(|found| (found.kind.name().unwrap(), found.active)).collect();
    assert_eq!(told, [("FAT16", true), ("Linux", false), ("NTFS or exFAT", false), ("NTFS or exFAT", false)]);
    assert_eq!(partitions[0].kind, PartitionType::Mbr(6));
}

#[test]
fn a_guid_table_gives_names_and_identifiers() {
    let mut image = guid_table(64, 8, 15);
    let mut entries = image[2 * SECTOR..2 * SECTOR + 512].to_vec();
    put(&mut entries, 0, b"\xa2\xa0\xd0\xeb\xe5\xb9\x33\x44\x87\xc0\x68\xb6\xb7\x26\x99\xc7");
    put(&mut entries, 16, &[0x11; 16]);
    put(&mut entries, 48, &4u64.to_le_bytes());
    put(&mut entries, 56, &"Basic data".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    put(&mut image, 2 * SECTOR, &entries);
    let mut header = image[SECTOR..SECTOR + 92].to_vec();
    header[16..20].fill(0);
    put(&mut header, 56, &[0x22; 16]);
    put(&mut header, 88, &crc32(&entries).to_le_bytes());
    let checksum = crc32(&header);
    put(&mut header, 16, &checksum.to_le_bytes());
    put(&mut image, SECTOR, &header);
    let file = write("a.img", &image);
    let tree = open_image(&file.1, "disk").unwrap();
    let layout = tree.layout().unwrap();
    assert!(layout.defects.is_empty(), "{:?}", layout.defects);
    assert_eq!(layout.disk.guid.unwrap().to_string(), "22222222-2222-2222-2222-222222222222");
    let partition = layout.regions.iter().find_map(|region| region.partition.clone()).unwrap();
    assert_eq!((partition.kind.name(), partition.name.as_deref()), (Some("basic data"), Some("Basic data")));
    assert_eq!(partition.guid.unwrap().to_string(), "11111111-1111-1111-1111-111111111111");
    assert_eq!((partition.attributes, partition.active), (Some(4), true));
}

#[test]
fn the_medium_is_read_as_it_lies_and_knows_its_place() {
    let mut image = mbr();
    put(&mut image, 35 * SECTOR, b"between partitions");
    let file = write("a.dd", &image);
    let tree = open_image(&file.1, "disk").unwrap();
    let offset = 35 * SECTOR as u64;
    let mut part = tree.medium(offset, u64::MAX).unwrap();
    assert_eq!(part.len(), 65 * SECTOR as u64);
    let mut bytes = [0; 18];
    assert_eq!(part.read_at(0, &mut bytes).unwrap(), 18);
    assert_eq!(&bytes, b"between partitions");
    let extents = part.provenance(ByteSpan::new(8, 10));
    let places: Vec<_> = extents.iter().map(|at| (at.container.as_str(), at.offset, at.length)).collect();
    assert_eq!(places, [("a.dd", offset + 8, 10)]);
    assert_eq!(tree.medium(u64::MAX, 1).unwrap().len(), 0);
}
