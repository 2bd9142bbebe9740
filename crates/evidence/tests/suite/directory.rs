//! A folder as evidence: lookup, links, times, gaps, hashing.

use evidence::{
    EvidencePath, FileReference, Listing, Node, NodeKind, NodeState, OpenError, ReadAt, ReadError, Step,
    Tree, hash, open_directory, read_all, read_full_at, walk,
};
use ledger::{ByteSpan, Clock, Digest, IntegrityLevel, Precision};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().write_all(bytes).unwrap();
}

fn path(text: &str) -> EvidencePath {
    EvidencePath::parse(text).unwrap()
}

fn names(tree: &dyn Tree, at: &str) -> Vec<String> {
    let node = tree.node(&path(at)).unwrap().unwrap();
    tree.children(&node).unwrap().nodes.into_iter().map(|node| node.name).collect()
}

#[test]
fn a_path_is_found_by_its_spelling_or_else_by_its_letters() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("C/Windows/ÄRGER.txt"), b"x");
    let tree = open_directory(folder.path(), "disk").unwrap();
    let node = tree.node(&path("c\\WINDOWS\\ärger.TXT")).unwrap().unwrap();
    assert_eq!(node.path.as_str(), "C/Windows/ÄRGER.txt");
    assert_eq!((node.kind, node.size, node.state), (NodeKind::File, 1, NodeState::Allocated));
    assert!(matches!(node.reference, Some(FileReference::Inode(_))));
    assert_eq!(tree.node(&path("C/Windows/absent")).unwrap(), None);
    assert_eq!(tree.node(&path("C/Windows/ÄRGER.txt/below")).unwrap(), None);
}

#[test]
fn an_entry_that_was_listed_is_found_again_by_that_very_path() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("C/Windows/a.txt"), b"x");
    symlink(folder.path().join("C"), folder.path().join("link")).unwrap();
    let tree = open_directory(folder.path(), "disk").unwrap();
    let node = tree.node(&path("C/Windows/a.txt")).unwrap();
    assert_eq!(tree.node_listed(&path("C/Windows/a.txt")).unwrap(), node);
    assert_eq!(tree.node_listed(&path("C/Windows/A.TXT")).unwrap(), None);
    assert_eq!(tree.node_listed(&path("C/elsewhere/a.txt")).unwrap(), None);
    assert!(matches!(tree.node_listed(&path("link/Windows/a.txt")), Err(ReadError::Symlink { .. })));
    assert!(path("C/Windows").is_below(&path("C")) && path("C").is_below(&EvidencePath::root()));
    assert!(!path("C").is_below(&path("C")) && !path("CD/x").is_below(&path("C")));
}

#[test]
fn names_that_differ_by_case_are_told_apart_or_reported() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("Users/a.txt"), b"1");
    write(&folder.path().join("USERS/a.txt"), b"2");
    let tree = open_directory(folder.path(), "disk").unwrap();
    assert_eq!(tree.node(&path("USERS/a.txt")).unwrap().unwrap().path.as_str(), "USERS/a.txt");
    let error = tree.node(&path("users/a.txt")).unwrap_err();
    let ReadError::AmbiguousCase { first, second, .. } = &error else { panic!("{error}") };
    assert_eq!((first.as_str(), second.as_str()), ("USERS", "Users"));
    assert!(error.to_string().contains("USERS") && error.to_string().contains("Users"));
}

#[test]
fn links_are_listed_with_their_target_and_never_followed() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    write(&outside.path().join("secret"), b"secret");
    write(&outside.path().join("deep/secret"), b"secret");
    write(&folder.path().join("root/real/file"), b"x");
    symlink("../real", folder.path().join("root/inside")).unwrap();
    symlink(outside.path(), folder.path().join("root/outside")).unwrap();
    symlink("root", folder.path().join("entry")).unwrap();
    let tree = open_directory(&folder.path().join("entry"), "disk").unwrap();

    assert_eq!(names(&tree, ""), ["inside", "outside", "real"]);
    let link = tree.node(&path("inside")).unwrap().unwrap();
    assert_eq!(link.kind, NodeKind::Symlink { target: "../real".to_owned() });
    assert!(matches!(tree.open(&link, None), Err(ReadError::Symlink { .. })));
    assert!(matches!(tree.children(&link), Err(ReadError::NotADirectory { .. })));
    assert!(matches!(tree.node(&path("outside/secret")), Err(ReadError::Symlink { .. })));
    for below in ["outside/secret", "outside/deep/secret"] {
        let forged = Node { path: path(below), kind: NodeKind::File, ..link.clone() };
        assert!(matches!(tree.open(&forged, None), Err(ReadError::Symlink { .. })), "{below}");
    }
    let forged = Node { path: path("outside/deep"), kind: NodeKind::Directory, ..link };
    assert!(matches!(tree.children(&forged), Err(ReadError::Symlink { .. })));
    let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
    let walked = walk(&tree, &root).filter(|step| matches!(step, Step::Node(_))).count();
    assert_eq!(walked, 4);
}

#[test]
fn a_link_that_leads_out_of_a_copied_folder_or_to_nothing_is_a_gap() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("case");
    write(&root.join("C/Users/file"), b"x");
    let absolute = root.join("C/Users").to_str().unwrap().to_owned();
    for (link, target) in [
        ("C/up", "../C/Users"),
        ("C/own", "up"),
        ("C/machine", &absolute),
        ("C/volume", "/C/Users"),
        ("C/out", "../../case/C"),
        ("C/nothing", "Nowhere"),
        ("C/etc", "/etc"),
        ("C/beside", &format!("{absolute}2")),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    let tree = open_directory(&root, "disk").unwrap();
    let start = tree.node(&EvidencePath::root()).unwrap().unwrap();
    let gaps: Vec<_> = walk(&tree, &start)
        .filter_map(|step| match step {
            Step::Gap(gap) => Some(gap),
            Step::Node(_) | Step::Defect(_) => None,
        })
        .collect();
    let paths: Vec<_> = gaps.iter().map(|gap| gap.path.as_str()).collect();
    assert_eq!(paths, ["C/beside", "C/etc", "C/nothing", "C/out"]);
    assert!(gaps[1].reason.contains("a link to \"/etc\", which is not in the evidence"), "{:?}", gaps[1]);
}

#[test]
fn a_disk_image_among_files_is_a_gap() {
    let folder = tempfile::tempdir().unwrap();
    let ewf = [b"EVF\x09\r\n\xff\0".as_slice(), &[0; 70_000]].concat();
    write(&folder.path().join("host/disk.E01"), &ewf);
    write(&folder.path().join("host/small.e01"), ewf.get(..1000).unwrap());
    write(&folder.path().join("host/photo.img"), &[b'x'; 70_000]);
    write(&folder.path().join("host/notes.txt"), &ewf);
    let tree = open_directory(folder.path(), "disk").unwrap();
    let (integrity, gaps) = hash(&tree, IntegrityLevel::Stat).unwrap();
    let [gap] = gaps.as_slice() else { panic!("{gaps:?}") };
    assert_eq!((integrity.files, gap.path.as_str()), (4, "host/disk.E01"));
    assert!(gap.reason.contains("`locard run …/host/disk.E01`"), "{}", gap.reason);
}

#[test]
fn an_archive_or_an_image_beside_drives_is_a_gap_of_every_walk_and_one_in_a_drive_a_file_of_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let zip = b"PK\x03\x04 and so on";
    let mut disk = vec![0; 70_000];
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    disk[446..462].copy_from_slice(&[0x80, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 100, 0, 0, 0]);
    for (path, bytes) in [
        ("Backup.zip", &zip[..]),
        ("more/old.raw", &disk),
        ("more/notes.zip.txt", zip),
        ("more/no.zip", b"text"),
        ("out/C/Users/bob/a.zip", zip),
        ("out/C/data/b.zip", zip),
    ] {
        write(&folder.path().join(path), bytes);
    }
    let tree = open_directory(folder.path(), "disk").unwrap();
    let gaps = |from: &str| {
        let start = tree.node(&path(from)).unwrap().unwrap();
        let gap = |step| match step {
            Step::Gap(gap) => Some(gap.path),
            _ => None,
        };
        walk(&tree, &start).filter_map(gap).collect::<Vec<_>>()
    };
    assert_eq!(gaps(""), ["Backup.zip", "more/old.raw"]);
    assert_eq!(gaps("more"), ["more/old.raw"]);
    assert_eq!(gaps("out/C"), [""; 0]);
    assert_eq!(gaps("out/C/data"), [""; 0]);
    let (_, told) = hash(&tree, IntegrityLevel::Full).unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn names_that_are_not_text_are_listed_and_opened() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [(&b"a\xff"[..], b"1"), (b"a\xfe", b"2"), (b"a\\b", b"3"), (b"l\nine", b"4")] {
        write(&folder.path().join(OsStr::from_bytes(name)), content);
    }
    let tree = open_directory(folder.path(), "disk").unwrap();
    let listed = names(&tree, "");
    assert_eq!(listed, ["a%{5C}b", "a%{FE}", "a%{FF}", "l%{0A}ine"]);
    let contents: Vec<_> = listed
        .iter()
        .map(|name| {
            let node = tree.node(&path(name)).unwrap().unwrap();
            read_all(tree.open(&node, None).unwrap().as_mut(), 10).unwrap()
        })
        .collect();
    assert_eq!(contents, [b"3", b"2", b"1", b"4"]);
}

#[test]
fn times_are_those_of_the_copy_with_all_nanoseconds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    write(&file, b"x");
    let when = UNIX_EPOCH + Duration::new(1_333_504_720, 5);
    fs::File::options().write(true).open(&file).unwrap().set_modified(when).unwrap();
    let tree = open_directory(folder.path(), "disk").unwrap();
    let time = tree.node(&path("a")).unwrap().unwrap().times.modified.unwrap();
    assert_eq!(time.raw, "1333504720.000000005");
    assert_eq!(time.to_text(), "2012-04-04T01:58:40.000000005Z");
    assert_eq!((time.clock, time.precision), (Clock::CollectionCopy, Precision::Nanosecond));
}

#[test]
fn bytes_are_read_at_any_offset_and_know_their_container() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a"), b"0123456789");
    let tree = open_directory(folder.path(), "disk").unwrap();
    let node = tree.node(&path("a")).unwrap().unwrap();
    let mut reader = tree.open(&node, None).unwrap();
    let mut buffer = [0; 4];
    assert_eq!(read_full_at(reader.as_mut(), 8, &mut buffer).unwrap(), 2);
    assert_eq!(&buffer[..2], b"89");
    assert_eq!(reader.read_at(10, &mut buffer).unwrap(), 0);
    assert_eq!(reader.read_at(u64::MAX, &mut buffer).unwrap(), 0);
    let extents = reader.provenance(ByteSpan::new(8, 100));
    assert_eq!((extents[0].container.as_str(), extents[0].offset, extents[0].length), ("a", 8, 2));
    assert!(reader.provenance(ByteSpan::new(10, 1)).is_empty());
    assert!(matches!(read_all(reader.as_mut(), 9), Err(ReadError::TooLarge { actual: 10, .. })));
    assert!(matches!(tree.open(&node, Some("Zone.Identifier")), Err(ReadError::NoStream { .. })));
}

#[test]
fn a_file_is_no_evidence_folder() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a"), b"x");
    assert!(matches!(open_directory(&folder.path().join("a"), "disk"), Err(OpenError::NotADirectory { .. })));
    assert!(matches!(open_directory(&folder.path().join("b"), "disk"), Err(OpenError::Io { .. })));
}

#[test]
fn the_manifest_is_as_documented_at_every_level() {
    let folder = tempfile::tempdir().unwrap();
    let big: Vec<u8> = (0..200_000u32).flat_map(u32::to_le_bytes).collect();
    write(&folder.path().join("b/big"), &big);
    write(&folder.path().join("b.txt"), b"abc");
    symlink("b.txt", folder.path().join("link")).unwrap();
    let set = |name: &str| {
        let file = fs::File::options().write(true).open(folder.path().join(name)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(7)).unwrap();
    };
    set("b/big");
    set("b.txt");
    let tree = open_directory(folder.path(), "disk").unwrap();
    let link = format!("link\tlink\t{}\n", Digest::of(b"b.txt"));
    let sample = [&big[..65_536], &big[big.len() - 65_536..]].concat();
    let cases = [
        (IntegrityLevel::Full, Digest::of(b"abc").to_string(), Digest::of(&big).to_string()),
        (IntegrityLevel::Sampled, Digest::of(b"abc").to_string(), Digest::of(&sample).to_string()),
        (IntegrityLevel::Stat, "7.000000000".to_owned(), "7.000000000".to_owned()),
    ];
    for (level, text, big) in cases {
        let manifest = format!("b.txt\t3\t{text}\nb/big\t800000\t{big}\n{link}");
        let (integrity, gaps) = hash(&tree, level).unwrap();
        assert_eq!(integrity.sha256, Digest::of(manifest.as_bytes()), "{level:?}");
        assert_eq!((integrity.files, integrity.bytes, integrity.level), (2, 800_003, level));
        assert!(gaps.is_empty());
    }
}

#[test]
fn a_byte_in_the_middle_is_seen_at_full_level_only() {
    let folder = tempfile::tempdir().unwrap();
    let digests = |middle: u8| {
        let mut bytes = vec![0; 300_000];
        bytes[150_000] = middle;
        write(&folder.path().join("a"), &bytes);
        let tree = open_directory(folder.path(), "disk").unwrap();
        [IntegrityLevel::Full, IntegrityLevel::Sampled].map(|level| hash(&tree, level).unwrap().0.sha256)
    };
    let ([full, sampled], [other_full, other_sampled]) = (digests(0), digests(1));
    assert_ne!(full, other_full);
    assert_eq!(sampled, other_sampled);
}

/// A tree with one file that cannot be opened, one folder that cannot be listed, and one good file.
struct Refusing;

fn refuse(path: &EvidencePath) -> ReadError {
    ReadError::Io { path: path.clone(), source: std::io::ErrorKind::PermissionDenied.into() }
}

fn entry(text: &str, kind: NodeKind) -> Node {
    let path = path(text);
    Node { kind, size: 3, ..Node::folder(path) }
}

struct Abc(EvidencePath);

impl ReadAt for Abc {
    fn len(&self) -> u64 {
        3
    }
    fn path(&self) -> &EvidencePath {
        &self.0
    }
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let rest = b"abc".get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
    fn provenance(&self, _: ByteSpan) -> Vec<evidence::Extent> {
        Vec::new()
    }
}

impl Tree for Refusing {
    fn label(&self) -> &str {
        "refusing"
    }
    fn node(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        Ok(Some(entry(path.as_str(), NodeKind::Directory)))
    }
    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        if !directory.path.is_root() {
            return Err(refuse(&directory.path));
        }
        let nodes = vec![
            entry("closed", NodeKind::Directory),
            entry("good", NodeKind::File),
            entry("secret", NodeKind::File),
        ];
        Ok(Listing { nodes, ..Listing::default() })
    }
    fn open(&self, node: &Node, _: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        if node.name == "secret" { Err(refuse(&node.path)) } else { Ok(Box::new(Abc(node.path.clone()))) }
    }
}

#[test]
fn what_cannot_be_read_is_a_gap_and_the_rest_is_hashed() {
    let (integrity, gaps) = hash(&Refusing, IntegrityLevel::Full).unwrap();
    let manifest = format!("good\t3\t{}\nsecret\t3\tunread\n", Digest::of(b"abc"));
    assert_eq!(integrity.sha256, Digest::of(manifest.as_bytes()));
    let paths: Vec<_> = gaps.iter().map(|gap| gap.path.as_str()).collect();
    assert_eq!(paths, ["closed", "secret"]);
    assert!(gaps.iter().all(|gap| gap.reason.contains("permission denied")));
}

#[test]
fn a_hole_is_told_where_it_ends_and_hashed_as_zeros() {
    let (holes, zeros) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (hole, end) = (2 << 20, b"the end");
    let file = fs::File::create(holes.path().join("J")).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, end, hole).unwrap();
    file.set_len(2 * hole).unwrap();
    let mut stored = vec![0; 2 * hole as usize];
    stored[hole as usize..][..end.len()].copy_from_slice(end);
    write(&zeros.path().join("J"), &stored);
    let [holes, zeros] = [&holes, &zeros].map(|folder| open_directory(folder.path(), "disk").unwrap());
    for level in [IntegrityLevel::Sampled, IntegrityLevel::Full] {
        assert_eq!(hash(&holes, level).unwrap(), hash(&zeros, level).unwrap());
    }
    let mut reader = holes.open(&holes.node(&path("J")).unwrap().unwrap(), None).unwrap();
    // A file system that does not store holes has none to report.
    assert!([0, hole].contains(&reader.stored_from(0)));
    assert_eq!(reader.stored_from(hole), hole);
    assert!([2 * hole - 1, 2 * hole].contains(&reader.stored_from(2 * hole - 1)));
    assert_eq!(reader.stored_from(2 * hole), 2 * hole);
}

#[test]
fn folders_are_those_of_the_listing() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("b/x.txt"), b"x");
    write(&folder.path().join("a.txt"), b"x");
    fs::create_dir(folder.path().join("a")).unwrap();
    symlink("b", folder.path().join("c")).unwrap();
    let tree = open_directory(folder.path(), "disk").unwrap();
    let root = tree.node(&path("")).unwrap().unwrap();
    let listed = tree.children(&root).unwrap().nodes.into_iter();
    let expected: Vec<Node> = listed.filter(|node| node.kind == NodeKind::Directory).collect();
    assert_eq!(tree.folders(&root).unwrap(), expected);
    assert_eq!(expected.len(), 2);
    assert!(matches!(
        tree.folders(&tree.node(&path("a.txt")).unwrap().unwrap()),
        Err(ReadError::NotADirectory { .. })
    ));
}
