//! NTFS volumes built here: the planted content is read back.

use evidence::{
    EvidencePath, FileReference, ImageTree, Node, NodeKind, NodeState, Scheme, Step, Tree, open_image,
    read_all, unescape_name, walk,
};
use ledger::{Digest, Time};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;
use testkit::disk::{DiskSpec, Part};
use testkit::ewf::{EwfSpec, extension};
use testkit::ntfs::sample::everything;
use testkit::ntfs::{Built, Deleted, EntrySpec, Kind, Planted, VolumeSpec};

const MIB: u64 = 1 << 20;

fn path(text: &str) -> EvidencePath {
    EvidencePath::parse(text).unwrap()
}

fn open(write: impl FnOnce(&mut File)) -> (TempDir, ImageTree) {
    let folder = tempfile::tempdir().unwrap();
    let file: PathBuf = folder.path().join("a.dd");
    write(&mut File::create(&file).unwrap());
    let tree = open_image(&file, "disk").unwrap();
    (folder, tree)
}

fn open_volume(built: &Built) -> (TempDir, ImageTree) {
    open(|file| built.write_to(file).unwrap())
}

/// Returns everything below a folder except metafiles, by its path in the volume.
fn found(tree: &ImageTree, volume: &str) -> BTreeMap<String, Node> {
    let root = tree.node(&path(volume)).unwrap().unwrap();
    let mut nodes = BTreeMap::new();
    for step in walk(tree, &root) {
        match step {
            Step::Node(node) => {
                let inside = node.path.as_str().trim_start_matches(volume).trim_start_matches('/').to_owned();
                nodes.insert(inside, *node);
            }
            Step::Defect(defect) => panic!("{defect:?}"),
            Step::Gap(gap) => panic!("{gap:?}"),
        }
    }
    nodes.retain(|name, _| !name.starts_with('$'));
    nodes
}

/// Compares every entry in use, and returns how many there are.
fn compare(tree: &ImageTree, volume: &str, built: &Built) -> usize {
    let mut nodes = found(tree, volume);
    nodes.retain(|_, node| node.state == NodeState::Allocated);
    let live = built.planted.iter().filter(|planted| planted.in_use);
    let mut count = 0;
    for (planted, name) in live.flat_map(|planted| planted.paths.iter().map(move |name| (planted, name))) {
        let node = nodes.remove(name).unwrap_or_else(|| panic!("{name} is not listed"));
        same_node(&node, planted);
        same_content(tree, &node, planted);
        count += 1;
    }
    assert!(nodes.is_empty(), "planted nowhere: {:?}", nodes.keys());
    count
}

fn same_node(node: &Node, planted: &Planted) {
    let name = &node.path;
    let reference = FileReference::Mft { entry: planted.record, sequence: planted.sequence };
    assert_eq!(node.reference, Some(reference), "{name}");
    let si = planted.times.standard_information;
    let times = node.times.clone();
    let times = [times.born, times.modified, times.changed, times.accessed];
    let expected =
        [si.born, si.modified, si.changed, si.accessed].map(|ticks| Some(Time::from_filetime(ticks)));
    assert_eq!(times, expected, "{name}");
    match (&planted.kind, &node.kind) {
        (Kind::File, NodeKind::File) => assert_eq!(node.size, planted.streams[0].size, "{name}"),
        (Kind::Directory, NodeKind::Directory) => {}
        (Kind::Symlink(to) | Kind::Junction(to), NodeKind::Symlink { target }) => {
            let target = String::from_utf8(unescape_name(target).unwrap()).unwrap();
            assert!(target.ends_with(to.as_str()), "{name}: {target}");
        }
        (planted, found) => panic!("{name}: planted {planted:?}, found {found:?}"),
    }
    let mut named: Vec<(String, u64)> =
        node.streams.iter().map(|stream| (stream.name.clone(), stream.size)).collect();
    let streams = planted.streams.iter().filter(|stream| !stream.name.is_empty());
    let mut expected: Vec<(String, u64)> = streams.map(|stream| (stream.name.clone(), stream.size)).collect();
    named.sort();
    expected.sort();
    assert_eq!(named, expected, "{name}");
}

fn same_content(tree: &ImageTree, node: &Node, planted: &Planted) {
    for stream in &planted.streams {
        let wanted = Some(stream.name.as_str()).filter(|name| !name.is_empty());
        let bytes = read_all(tree.open(node, wanted).unwrap().as_mut(), 1 << 30).unwrap();
        assert_eq!(Digest::of(&bytes), stream.sha256, "{}:{}", node.path, stream.name);
    }
}

#[test]
fn what_was_planted_is_read_whatever_the_cluster_is() {
    for (size, cluster) in [(8, 512), (16, 4096), (64, 65_536), (128, 131_072), (300, 2 << 20)] {
        let built = everything(size * MIB, cluster).build().unwrap();
        let (_folder, tree) = open_volume(&built);
        assert!(compare(&tree, "p0", &built) > 700, "clusters of {cluster}");
    }
}

#[test]
fn a_fragmented_table_and_a_folder_of_long_names_are_read() {
    let mut spec = everything(16 * MIB, 1024);
    spec.mft_extents = 40;
    for number in 0..300 {
        let name = format!("long/{}{number}", "nåme ".repeat(48));
        spec = spec.entry(EntrySpec::file(&name, name.as_bytes()));
    }
    let built = spec.build().unwrap();
    let (_folder, tree) = open_volume(&built);
    assert!(compare(&tree, "p0", &built) > 1000);
}

#[test]
fn volumes_are_found_in_partitions_of_both_kinds_and_in_an_e01() {
    let a = VolumeSpec::new("A").size(4 * MIB).entry(EntrySpec::file("a/one.txt", b"one")).build().unwrap();
    let b = VolumeSpec::new("B")
        .size(4 * MIB)
        .cluster(512)
        .entry(EntrySpec::file("two.txt", b"two"))
        .build()
        .unwrap();
    let parts =
        |spec: DiskSpec, second: Part| spec.part(Part::volume(2048, &a)).part(second).build().unwrap();
    let mbr = parts(DiskSpec::mbr(40_000), Part::volume(20_000, &b).logical());
    let gpt = parts(DiskSpec::gpt(40_000), Part::volume(20_000, &b));
    for (disk, scheme, second) in [(&mbr, Scheme::Mbr, "p5"), (&gpt, Scheme::Gpt, "p2")] {
        let (_folder, tree) = open(|file| disk.write_to(file).unwrap());
        assert_eq!(tree.layout().unwrap().scheme, scheme);
        assert!(tree.layout().unwrap().defects.is_empty(), "{:?}", tree.layout().unwrap().defects);
        assert_eq!((compare(&tree, "p1", &a), compare(&tree, second, &b)), (2, 1));
    }
    let folder = tempfile::tempdir().unwrap();
    let spec = EwfSpec { segment: Some(40 << 10), ..EwfSpec::default() };
    let segments = spec.write(&gpt.bytes());
    assert!(segments.len() > 1);
    for (index, bytes) in segments.iter().enumerate() {
        File::create(folder.path().join(format!("a.{}", extension(index))))
            .unwrap()
            .write_all(bytes)
            .unwrap();
    }
    let tree = open_image(&folder.path().join("a.E01"), "disk").unwrap();
    assert_eq!((compare(&tree, "p1", &a), compare(&tree, "p2", &b)), (2, 1));
}

#[test]
fn a_gpt_whose_first_table_is_damaged_is_read_from_its_copy() {
    let volume = VolumeSpec::new("A").size(4 * MIB).entry(EntrySpec::file("a", b"one")).build().unwrap();
    let mut bytes = DiskSpec::gpt(40_000).part(Part::volume(2048, &volume)).build().unwrap().bytes();
    bytes[520] ^= 0xff;
    let (_folder, tree) = open(|file| file.write_all(&bytes).unwrap());
    assert_eq!(tree.layout().unwrap().defects.len(), 1);
    assert_eq!(compare(&tree, "p1", &volume), 1);
}

#[test]
fn a_catalogue_of_shadow_copies_is_a_gap() {
    let mut spec = VolumeSpec::new("A").size(4 * MIB);
    spec.shadow_catalogue = Some(MIB);
    let (_folder, tree) = open_volume(&spec.build().unwrap());
    let root = tree.node(&path("p0")).unwrap().unwrap();
    let gaps = tree.children(&root).unwrap().gaps;
    assert!(gaps.len() == 1 && gaps[0].reason.contains("shadow"), "{gaps:?}");
}

#[test]
fn a_deleted_name_is_no_name_in_use() {
    let spec = VolumeSpec::new("A")
        .size(4 * MIB)
        .entry(EntrySpec::file("a.txt", b"first").deleted(Deleted::Recoverable).stale())
        .entry(EntrySpec::file("a.txt", b"second"));
    let built = spec.build().unwrap();
    let (_folder, tree) = open_volume(&built);
    assert_eq!(compare(&tree, "p0", &built), 1);
}
