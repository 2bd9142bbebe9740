//! ext2 and ext4 volumes built here: what is read, where it is, what is deleted, and damage of every kind.

use evidence::{
    DeletedEntry, DeletedStep, EvidencePath, ImageTree, Node, NodeKind, Original, ReadAt, ReadError,
    Recovery, Step, Tree, VolumeFacts, open_image, read_full_at, walk,
};
use ledger::{ByteSpan, Precision};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

const BLOCK: usize = 1024;
const INODES: u32 = 32;
const TABLE: usize = 5;
const DATA: u32 = 16;
const FILE: u16 = 0x81a4;
const FOLDER: u16 = 0x41ed;
const LINK: u16 = 0xa1ff;
const EXTENTS: u32 = 0x8_0000;
const INLINE: u32 = 0x1000_0000;

/// A volume of one group: superblock, descriptors, two bitmaps, 32 inodes, data from block 16 on.
struct Disk {
    bytes: Vec<u8>,
    inode: usize,
    next: u32,
    /// Blocks of entries and the inodes that own them.
    folders: Vec<(u32, u32)>,
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn crc32c(seed: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(seed, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0x82f6_3b78 * (crc & 1)))
    })
}

impl Disk {
    fn new(blocks: u32, incompat: u32, read_only: u32, inode: u16) -> Disk {
        let bytes = vec![0; blocks as usize * BLOCK];
        let mut disk = Disk { bytes, inode: inode.into(), next: DATA, folders: Vec::new() };
        let words = [
            (0, INODES),
            (4, blocks),
            (0x14, 1),
            (0x20, 8192),
            (0x24, 8192),
            (0x28, INODES),
            (0x4c, 1),
            (0x54, 11),
            (0x60, incompat),
            (0x64, read_only),
            (0x108, 1_700_000_000),
        ];
        for (at, value) in words {
            disk.word(BLOCK + at, value);
        }
        put(&mut disk.bytes, BLOCK + 0x38, &[0x53, 0xef, 1, 0]);
        put(&mut disk.bytes, BLOCK + 0x58, &inode.to_le_bytes());
        put(&mut disk.bytes, BLOCK + 0x68, &[0xab; 16]);
        put(&mut disk.bytes, BLOCK + 0x78, b"evidence\0junk");
        put(&mut disk.bytes, BLOCK + 0xfe, &[64, 0]);
        for (at, block) in [(0, 3), (4, 4), (8, TABLE as u32)] {
            disk.word(2 * BLOCK + at, block);
        }
        for block in 1..DATA {
            disk.take(block, true);
        }
        disk
    }

    fn ext2() -> Disk {
        Disk::new(512, 0x2, 0, 128)
    }

    /// Creates a disk with file types, extents, 64 bits, inline data and checksums.
    fn ext4() -> Disk {
        Disk::new(512, 0x2 | 0x40 | 0x80 | 0x8000, 0x400, 256)
    }

    fn word(&mut self, at: usize, value: u32) {
        put(&mut self.bytes, at, &value.to_le_bytes());
    }

    /// Sets the bit of a block.
    fn take(&mut self, block: u32, used: bool) {
        let bit = (block - 1) as usize;
        let byte = &mut self.bytes[3 * BLOCK + bit / 8];
        *byte = (*byte & !(1 << (bit % 8))) | (u8::from(used) << (bit % 8));
    }

    /// Adds a block with these bytes.
    fn block(&mut self, bytes: &[u8]) -> u32 {
        let block = self.next;
        self.next += 1;
        put(&mut self.bytes, block as usize * BLOCK, bytes);
        self.take(block, true);
        block
    }

    fn place(&self, number: u32) -> usize {
        TABLE * BLOCK + (number as usize - 1) * self.inode
    }

    fn inode(&mut self, number: u32, mode: u16, size: u32, flags: u32, body: &[u8]) -> usize {
        let at = self.place(number);
        put(&mut self.bytes, at, &mode.to_le_bytes());
        self.word(at + 4, size);
        put(&mut self.bytes, at + 0x1a, &[1, 0]);
        self.word(at + 0x20, flags);
        put(&mut self.bytes, at + 0x28, body);
        if self.inode > 128 {
            put(&mut self.bytes, at + 0x80, &[32, 0]);
        }
        self.bytes[4 * BLOCK + (number as usize - 1) / 8] |= 1 << ((number - 1) % 8);
        at
    }

    /// Clears the links and the bit of an inode, and sets its deletion time.
    fn delete(&mut self, number: u32) {
        let at = self.place(number);
        put(&mut self.bytes, at + 0x1a, &[0, 0]);
        self.word(at + 0x14, 1_700_000_001);
        self.bytes[4 * BLOCK + (number as usize - 1) / 8] &= !(1 << ((number - 1) % 8));
    }

    fn folder(&mut self, number: u32, parent: u32, entries: &[(u32, &str, u8)]) {
        let mut all = vec![(number, ".", 2), (parent, "..", 2)];
        all.extend(entries);
        let end = if self.inode > 128 { BLOCK - 12 } else { BLOCK };
        let mut bytes = names(&all, end);
        if self.inode > 128 {
            bytes.extend([0, 0, 0, 0, 12, 0, 0, 0xde, 0, 0, 0, 0]);
        }
        let block = self.block(&bytes);
        self.folders.push((number, block));
        match self.inode > 128 {
            true => self.inode(number, FOLDER, BLOCK as u32, EXTENTS, &extents(0, &[(0, 1, block)])),
            false => self.inode(number, FOLDER, BLOCK as u32, 0, &block.to_le_bytes()),
        };
    }

    fn file(&mut self, number: u32, content: &[u8]) -> Vec<u32> {
        let blocks: Vec<u32> = content.chunks(BLOCK).map(|piece| self.block(piece)).collect();
        let body: Vec<u8> = blocks.iter().flat_map(|block| block.to_le_bytes()).collect();
        self.inode(number, FILE, content.len() as u32, 0, &body);
        blocks
    }

    /// Computes all checksums.
    fn seal(mut self) -> Vec<u8> {
        if self.inode == 128 {
            return self.bytes;
        }
        let seed = crc32c(u32::MAX, &[0xab; 16]);
        for number in 1..=INODES {
            let at = self.place(number);
            if self.bytes[at..at + 2] == [0, 0] {
                continue;
            }
            let own = crc32c(crc32c(seed, &number.to_le_bytes()), &[0; 4]);
            for (_, block) in self.folders.clone().iter().filter(|found| found.0 == number) {
                let start = *block as usize * BLOCK;
                let sum = crc32c(own, &self.bytes[start..start + BLOCK - 12]);
                self.word(start + BLOCK - 4, sum);
            }
            let sum = crc32c(own, &self.bytes[at..at + 256]).to_le_bytes();
            put(&mut self.bytes, at + 0x7c, &sum[..2]);
            put(&mut self.bytes, at + 0x82, &sum[2..]);
        }
        let sum = crc32c(crc32c(seed, &[0; 4]), &self.bytes[2 * BLOCK..2 * BLOCK + 64]);
        put(&mut self.bytes, 2 * BLOCK + 0x1e, &sum.to_le_bytes()[..2]);
        let sum = crc32c(u32::MAX, &self.bytes[BLOCK..BLOCK + 0x3fc]);
        self.word(BLOCK + 0x3fc, sum);
        self.bytes
    }
}

fn names(entries: &[(u32, &str, u8)], end: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, (inode, name, kind)) in entries.iter().enumerate() {
        let used = 8 + name.len().next_multiple_of(4);
        let length = if index + 1 == entries.len() { end - bytes.len() } else { used };
        let start = bytes.len();
        bytes.extend(inode.to_le_bytes());
        bytes.extend((length as u16).to_le_bytes());
        bytes.extend([name.len() as u8, *kind]);
        bytes.extend(name.as_bytes());
        bytes.resize(start + length, 0);
    }
    bytes
}

/// Returns a node of an extent tree; lengths above 0x8000 mean extents that were never written.
fn extents(depth: u16, entries: &[(u32, u16, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for field in [0xf30a, entries.len() as u16, 4, depth, 0, 0] {
        bytes.extend(field.to_le_bytes());
    }
    for (logical, length, block) in entries {
        bytes.extend(logical.to_le_bytes());
        match depth {
            0 => {
                bytes.extend(length.to_le_bytes());
                bytes.extend([0, 0]);
                bytes.extend(block.to_le_bytes());
            }
            _ => {
                bytes.extend(block.to_le_bytes());
                bytes.extend([0; 4]);
            }
        }
    }
    bytes
}

/// Returns `length` bytes that differ from place to place.
fn noise(seed: u8, length: usize) -> Vec<u8> {
    (0..length).map(|at| (at as u8).wrapping_mul(31) ^ ((at >> 8) as u8) ^ seed).collect()
}

struct Opened {
    tree: ImageTree,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

#[expect(clippy::disallowed_methods, reason = "a test writes its fixture")]
fn open(bytes: &[u8]) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.dd");
    std::fs::write(&file, bytes).unwrap();
    Opened { tree: open_image(&file, "disk").unwrap(), file, _folder: folder }
}

impl Opened {
    fn node(&self, path: &str) -> Node {
        self.tree.node(&EvidencePath::parse(&format!("p0/{path}")).unwrap()).unwrap().unwrap()
    }

    fn reader(&self, path: &str) -> Box<dyn ReadAt> {
        self.tree.open(&self.node(path), None).unwrap()
    }

    /// Reads a range of bytes, and checks that the medium holds them at their reported extents.
    fn read(&self, path: &str, offset: u64, length: usize) -> Vec<u8> {
        let mut reader = self.reader(path);
        let mut bytes = vec![7; length];
        let read = read_full_at(reader.as_mut(), offset, &mut bytes).unwrap();
        bytes.truncate(read);
        let medium = File::open(&self.file).unwrap();
        let mut placed = Vec::new();
        for extent in reader.provenance(ByteSpan { offset, length: length as u64 }) {
            let mut piece = vec![0; extent.length as usize];
            medium.read_exact_at(&mut piece, extent.offset).unwrap();
            placed.extend(piece);
        }
        assert!(placed == bytes || placed.is_empty() && bytes.iter().all(|byte| *byte == 0), "{path}");
        bytes
    }

    fn whole(&self, path: &str) -> Vec<u8> {
        self.read(path, 0, self.node(path).size as usize)
    }

    fn facts(&self) -> VolumeFacts {
        self.tree.volumes().remove(0).facts.unwrap()
    }

    /// Returns the results of a walk: paths, defects, gaps.
    fn walk(&self) -> [Vec<String>; 3] {
        let root = self.tree.node(&EvidencePath::root()).unwrap().unwrap();
        let mut met = [const { Vec::new() }; 3];
        for step in walk(&self.tree, &root) {
            match step {
                Step::Node(node) => met[0].push(node.path.to_string()),
                Step::Defect(defect) => met[1].push(defect.what),
                Step::Gap(gap) => met[2].push(gap.reason),
            }
        }
        met
    }

    fn deleted(&self) -> Vec<DeletedEntry> {
        let volume = EvidencePath::parse("p0").unwrap();
        let entry = |step| match step {
            DeletedStep::Entry(entry) => Some(*entry),
            DeletedStep::Defect(_) | DeletedStep::Gap(_) => None,
        };
        self.tree.deleted(&volume).unwrap().filter_map(entry).collect()
    }
}

/// Creates files with direct blocks and blocks behind one, two and three levels of indirection, with holes
/// between them.
fn indirect() -> Vec<u8> {
    let mut disk = Disk::ext2();
    let seeds: Vec<u32> = (0..6).map(|seed| disk.block(&noise(seed, BLOCK))).collect();
    let pointers = |entries: &[(usize, u32)]| {
        let mut bytes = vec![0; BLOCK];
        for (at, block) in entries {
            put(&mut bytes, at * 4, &block.to_le_bytes());
        }
        bytes
    };
    let single = disk.block(&pointers(&[(0, seeds[1]), (1, seeds[2]), (255, seeds[3])]));
    let inner = disk.block(&pointers(&[(0, seeds[4])]));
    let double = disk.block(&pointers(&[(0, inner)]));
    let inner = disk.block(&pointers(&[(3, seeds[5])]));
    let middle = disk.block(&pointers(&[(0, inner)]));
    let triple = disk.block(&pointers(&[(0, middle)]));
    let mut body = vec![0; 60];
    for (slot, block) in [(1, seeds[0]), (12, single), (13, double), (14, triple)] {
        put(&mut body, slot * 4, &block.to_le_bytes());
    }
    let blocks = 12 + 256 + 65_536 + 4;
    disk.inode(12, FILE, blocks * 1024, 0, &body);
    disk.file(13, &noise(9, 3000));
    disk.inode(14, LINK, 7, 0, b"../away");
    let target = disk.block(&[b'l'; 80]);
    disk.inode(15, LINK, 80, 0, &target.to_le_bytes());
    disk.inode(16, 0x1180, 0, 0, &[]);
    disk.folder(17, 2, &[(13, "again", 1)]);
    let at = disk.place(13);
    disk.word(at + 0x10, (-86_400i32).cast_unsigned());
    let entries =
        [(12, "map", 1), (13, "ünï", 1), (14, "short", 7), (15, "long", 7), (16, "pipe", 5), (17, "sub", 2)];
    disk.folder(2, 2, &entries);
    disk.seal()
}

#[test]
fn blocks_behind_one_two_and_three_others_are_read_from_their_places_and_holes_are_zeros() {
    let disk = open(&indirect());
    let block = |logical: u64| disk.read("map", logical * 1024, BLOCK);
    assert_eq!(disk.node("map").size, 65_808 * 1024);
    for (logical, seed) in [(1, 0), (12, 1), (13, 2), (267, 3), (268, 4), (12 + 256 + 65_536 + 3, 5)] {
        assert_eq!(block(logical), noise(seed, BLOCK), "{logical}");
    }
    for hole in [0, 2, 14, 269, 1000, 12 + 256 + 65_536] {
        assert_eq!(block(hole), [0; BLOCK], "{hole}");
    }
    assert_eq!(disk.whole("ünï"), noise(9, 3000));
    assert_eq!(disk.read("map", 65_808 * 1024 - 3, 10).len(), 3);
}

#[test]
fn links_pipes_folders_and_facts_of_ext2_are_told() {
    let disk = open(&indirect());
    let [paths, defects, gaps] = disk.walk();
    let expected = ["p0", "p0/long", "p0/map", "p0/pipe", "p0/short", "p0/sub", "p0/sub/again", "p0/ünï"];
    assert_eq!((paths, defects, gaps), (expected.map(str::to_owned).to_vec(), vec![], vec![]));
    assert_eq!(disk.node("short").kind, NodeKind::Symlink { target: "../away".into() });
    assert_eq!(disk.node("long").kind, NodeKind::Symlink { target: "l".repeat(80) });
    assert_eq!(disk.node("pipe").kind, NodeKind::Other);
    assert_eq!(disk.node("SUB/Again").path.as_str(), "p0/sub/again");
    assert!(matches!(disk.tree.open(&disk.node("short"), None), Err(ReadError::Symlink { .. })));
    let volume = disk.tree.volumes().remove(0);
    assert_eq!(volume.file_system, Some("ext2"));
    let facts = volume.facts.unwrap();
    assert_eq!(facts.serial.as_deref(), Some("abababab-abab-abab-abab-abababababab"));
    assert_eq!(
        (facts.label.as_deref(), facts.cluster, facts.clusters),
        (Some("evidence"), Some(1024), Some(512))
    );
    assert_eq!(facts.created.unwrap().to_text(), "2023-11-14T22:13:20Z");
    assert_eq!(facts.dirty, Some(false));
    let time = disk.node("ünï").times.modified.unwrap();
    assert_eq!((time.to_text().as_str(), time.raw.as_str()), ("1969-12-31T00:00:00Z", "-86400"));
    assert_eq!((time.precision, disk.node("ünï").times.born), (Precision::Second, None));
}

/// Creates extents in a tree of two levels, inline files and folders, times beyond 2038.
fn modern() -> Disk {
    let mut disk = Disk::ext4();
    let first = disk.block(&noise(1, BLOCK));
    disk.block(&noise(2, BLOCK));
    disk.next += 3;
    let third = disk.block(&noise(3, BLOCK));
    let low = disk.block(&extents(0, &[(0, 2, first), (3, 0x8002, first)]));
    let high = disk.block(&extents(0, &[(100, 1, third)]));
    let at = disk.inode(12, FILE, 102 * 1024, EXTENTS, &extents(1, &[(0, 0, low), (50, 0, high)]));
    // 2^32 seconds more, and 999999999 nanoseconds.
    disk.word(at + 0x10, 5);
    disk.word(at + 0x88, 999_999_999 << 2 | 1);
    disk.word(at + 8, (-1i32).cast_unsigned());
    disk.word(at + 0x8c, 5 << 2);
    let at = disk.inode(13, FILE, 75, INLINE, &noise(4, 60));
    disk.word(at + 0xa0, 0xea02_0000);
    put(&mut disk.bytes, at + 0xa4, &[4, 7, 40, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0]);
    put(&mut disk.bytes, at + 0xb4, b"data");
    put(&mut disk.bytes, at + 0xa4 + 40, &noise(5, 15));
    let mut body = 2u32.to_le_bytes().to_vec();
    body.extend(names(&[(13, "within", 1)], 56));
    disk.inode(14, FOLDER, 60, INLINE, &body);
    disk.folder(2, 2, &[(12, "tree", 1), (13, "inline", 1), (14, "small", 2)]);
    disk
}

#[test]
fn extents_inline_data_and_inline_folders_are_read_from_their_places() {
    let disk = open(&modern().seal());
    let [paths, defects, gaps] = disk.walk();
    assert_eq!(paths, ["p0", "p0/inline", "p0/small", "p0/small/within", "p0/tree"]);
    assert!(defects.is_empty() && gaps.is_empty(), "{defects:?} {gaps:?}");
    assert_eq!(disk.tree.volumes()[0].file_system, Some("ext4"));
    assert_eq!(disk.read("tree", 0, 2048), [noise(1, BLOCK), noise(2, BLOCK)].concat());
    assert_eq!(disk.read("tree", 2048, 98 * BLOCK), vec![0; 98 * BLOCK], "a hole and what was never written");
    assert_eq!(disk.read("tree", 100 * 1024, BLOCK), noise(3, BLOCK));
    assert_eq!(disk.read("tree", 101 * 1024, 2048), vec![0; BLOCK]);
    assert_eq!(disk.whole("inline"), [noise(4, 60), noise(5, 15)].concat());
    assert_eq!(disk.whole("small/within"), disk.whole("inline"));
}

#[test]
fn times_carry_their_epoch_and_nanoseconds() {
    let times = open(&modern().seal()).node("tree").times;
    let text = |time: &Option<ledger::Time>| time.as_ref().unwrap().to_text();
    assert_eq!(text(&times.modified), "2106-02-07T06:28:21.999999999Z");
    assert_eq!(times.modified.unwrap().raw, "4294967301.999999999");
    assert_eq!(text(&times.accessed), "1969-12-31T23:59:59.000000005Z");
    assert_eq!(times.born.unwrap().utc, None, "0 is not set");
}

#[test]
fn wrong_checksums_are_defects_and_reading_goes_on() {
    let mut bytes = modern().seal();
    let inode = TABLE * BLOCK + 11 * 256;
    let superblock = [BLOCK + 0x3fc, 2 * BLOCK + 0x1e, inode + 0x7c];
    for at in superblock {
        bytes[at] ^= 1;
    }
    let entries = DATA as usize + 8;
    bytes[(entries + 1) * BLOCK - 4] ^= 1;
    let disk = open(&bytes);
    let [paths, defects, gaps] = disk.walk();
    assert_eq!((paths.len(), gaps), (5, vec![]));
    let named: Vec<_> = ["superblock", "group descriptor", "block of entries", "inode"]
        .map(|what| defects.iter().filter(|defect| defect.contains(what)).count())
        .into();
    assert_eq!(named, [1, 1, 1, 1], "{defects:?}");
    assert!(defects.iter().any(|defect| defect.starts_with(&format!("byte {inode} of the volume"))));
    assert_eq!(disk.read("tree", 1024, 1024), noise(2, BLOCK));
}

/// Creates five deleted files and one that exists.
fn with_deleted() -> Disk {
    let mut disk = Disk::ext2();
    disk.file(12, b"here");
    let whole = disk.file(13, &noise(1, 1500));
    let partial = disk.file(14, &noise(2, 2000));
    disk.file(15, &noise(3, 700));
    disk.inode(16, FILE, 0, 0, &[]);
    let orphan = disk.file(17, &noise(4, 100));
    disk.folder(18, 2, &[(15, "lost", 1)]);
    let entries =
        [(12, "here", 1), (13, "whole", 1), (14, "partial", 1), (16, "cleared", 1), (12, "old name", 1)];
    disk.folder(2, 2, &[entries.as_slice(), &[(18, "sub", 2)]].concat());
    let root = disk.folders[1].1 as usize * BLOCK;
    // The entry `here` extends over what follows it up to `sub`; `.` and `..` stay.
    let sub = 24 + [12, 16, 16, 16, 16].iter().sum::<usize>();
    put(&mut disk.bytes, root + 24 + 4, &((sub - 24) as u16).to_le_bytes());
    for number in [13, 14, 15, 16, 17] {
        disk.delete(number);
    }
    let lost = disk.folders[0].1 as usize * BLOCK;
    disk.word(lost + 24, 0);
    for block in [whole[0], whole[1], partial[0], orphan[0]] {
        disk.take(block, false);
    }
    disk
}

#[test]
fn deleted_names_and_inodes_are_told_with_what_can_be_recovered() {
    let disk = open(&with_deleted().seal());
    let entries = disk.deleted();
    let told: Vec<_> = entries
        .iter()
        .map(|entry| {
            let original = match &entry.original {
                Original::Path(path) => path.to_string(),
                Original::Orphan(path) => format!("? {path}"),
            };
            (entry.node.path.as_str(), original, entry.recovery)
        })
        .collect();
    let expected = [
        ("p0/$Deleted/0/lost", "p0/sub/lost", Recovery::Lost),
        ("p0/$Deleted/12/old name", "p0/old name", Recovery::Lost),
        ("p0/$Deleted/13/whole", "p0/whole", Recovery::Whole),
        ("p0/$Deleted/14/partial", "p0/partial", Recovery::Partial { reused: 1, clusters: 2 }),
        ("p0/$Deleted/15/inode-15", "? inode-15", Recovery::Lost),
        ("p0/$Deleted/16/cleared", "p0/cleared", Recovery::Lost),
        ("p0/$Deleted/17/inode-17", "? inode-17", Recovery::Whole),
    ];
    assert_eq!(told, expected.map(|(path, original, recovery)| (path, original.to_owned(), recovery)));
    assert_eq!(disk.whole("$Deleted/13/whole"), noise(1, 1500));
    for entry in &entries {
        assert_eq!(disk.tree.node(&entry.node.path).unwrap().as_ref(), Some(&entry.node));
        if let Some(reference) = entry.node.reference {
            assert_eq!(disk.tree.node_at(&entry.node.path, reference).unwrap().as_ref(), Some(&entry.node));
        }
    }
    let [paths, ..] = disk.walk();
    assert_eq!(paths, ["p0", "p0/here", "p0/sub"]);
    // The inode of this name now belongs to another file: its bytes are not returned for the deleted one.
    assert!(matches!(disk.tree.open(&entries[1].node, None), Err(ReadError::NotAFile { .. })));
}

#[test]
fn a_superblock_that_cannot_be_right_is_replaced_by_its_copy() {
    let mut disk = Disk::new(8192 + 64, 0x2, 0, 128);
    disk.file(12, b"here");
    disk.folder(2, 2, &[(12, "file", 1)]);
    let mut bytes = disk.bytes;
    bytes.copy_within(BLOCK..3 * BLOCK, 8193 * BLOCK);
    put(&mut bytes, 8193 * BLOCK + 0x5a, &[1, 0]);
    bytes[BLOCK + 0x18] = 9;
    let disk = open(&bytes);
    let [paths, defects, gaps] = disk.walk();
    assert_eq!(paths, ["p0", "p0/file"]);
    assert!(defects[0].contains("size of a block") && defects[1].contains("byte 8389632"), "{defects:?}");
    assert!(gaps[0].contains("journal"), "{gaps:?}");
    assert_eq!(disk.facts().dirty, None);
    assert_eq!(disk.whole("file"), b"here");
}

#[test]
fn a_journal_to_replay_is_a_gap_and_unknown_features_are_named() {
    let mut disk = Disk::ext2();
    disk.folder(2, 2, &[]);
    let at = BLOCK + 0x60;
    disk.word(at, 0x2 | 0x4);
    let recover = open(&disk.bytes);
    assert!(recover.walk()[2][0].contains("not replayed"));
    assert_eq!(recover.facts().dirty, Some(true));
    disk.word(at, 0x2 | 0x1 | 0x4000_0000);
    let unknown = open(&disk.bytes).walk();
    assert!(unknown[1][0].contains("0x40000001 (compression)"), "{unknown:?}");
    assert_eq!(unknown[2], ["a damaged file system is not read"]);
}

#[test]
fn encrypted_files_are_not_given_for_their_content() {
    let mut disk = Disk::ext2();
    disk.file(12, b"secret");
    let at = disk.place(12);
    disk.word(at + 0x20, 0x800);
    disk.folder(2, 2, &[(12, "file", 1)]);
    let disk = open(&disk.bytes);
    let refused = disk.tree.open(&disk.node("file"), None);
    assert!(matches!(refused, Err(ReadError::Unsupported { found, .. }) if found.contains("fscrypt")));
}

#[test]
fn loops_of_folders_and_of_maps_end_as_damage() {
    let mut disk = Disk::ext4();
    let node = disk.next;
    disk.block(&extents(1, &[(0, 0, node)]));
    disk.inode(12, FILE, 4096, EXTENTS, &extents(1, &[(0, 0, node)]));
    disk.folder(13, 2, &[(13, "self", 2), (2, "up", 2)]);
    disk.folder(2, 2, &[(12, "file", 1), (13, "loop", 2), (13, "twice", 2), (9, "none", 1), (99, "far", 1)]);
    let disk = open(&disk.seal());
    let [paths, defects, gaps] = disk.walk();
    assert_eq!(paths, ["p0", "p0/file", "p0/loop"]);
    assert_eq!(gaps.len(), 5, "{gaps:?}");
    assert!(defects.iter().any(|defect| defect.contains("entry of a folder") && defect.contains("found 99")));
    let mut reader = disk.reader("file");
    let error = reader.read_at(0, &mut [0; 10]).unwrap_err().to_string();
    assert!(error.contains(&format!("byte {} of the volume: depth", node as usize * BLOCK + 6)), "{error}");
}

/// Reads everything that can be reached, up to 64 KiB of each file.
fn exhaust(disk: &ImageTree) {
    let root = disk.node(&EvidencePath::root()).unwrap().unwrap();
    let mut nodes: Vec<Node> = walk(disk, &root)
        .filter_map(|step| match step {
            Step::Node(node) => Some(*node),
            Step::Defect(_) | Step::Gap(_) => None,
        })
        .collect();
    for step in disk.deleted(&EvidencePath::parse("p0").unwrap()).into_iter().flatten() {
        if let DeletedStep::Entry(entry) = step {
            nodes.push(entry.node);
        }
    }
    assert!(nodes.len() < 2000, "a small image cannot hold so many entries");
    for node in nodes {
        if let Ok(mut reader) = disk.open(&node, None) {
            let mut bytes = vec![0; 65_536];
            let _ = read_full_at(reader.as_mut(), 0, &mut bytes);
            let _ = reader.read_at(reader.len().saturating_sub(1), &mut bytes);
            reader.provenance(ByteSpan { offset: 0, length: 65_536 });
        }
    }
}

#[test]
fn two_thousand_damaged_volumes_are_read_to_an_end() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let nasty = [0, 1, 0x7fff_ffff, u32::MAX, 0x8000_0000, 0xffff, 12, 2];
    for original in [indirect(), modern().seal(), with_deleted().seal()] {
        let disk = open(&original);
        let file = File::options().write(true).open(&disk.file).unwrap();
        for _ in 0..667 {
            let changes = 1 + random(4);
            let mut touched = Vec::new();
            for _ in 0..changes {
                // Metadata is in the first 40 blocks.
                let at = BLOCK + random(39 * BLOCK / 4) * 4;
                let word = match random(2) {
                    0 => nasty[random(nasty.len())].to_le_bytes(),
                    _ => {
                        let mut word: [u8; 4] = original[at..at + 4].try_into().unwrap();
                        word[random(4)] ^= 1 << random(8);
                        word
                    }
                };
                file.write_all_at(&word, at as u64).unwrap();
                touched.push(at);
            }
            if let Ok(damaged) = open_image(&disk.file, "disk") {
                exhaust(&damaged);
            }
            for at in touched {
                file.write_all_at(&original[at..at + 4], at as u64).unwrap();
            }
        }
    }
}
