//! NTFS volumes built here: every kind of storage, links, deleted entries, damage.

use evidence::{
    DeletedEntry, DeletedStep, EvidencePath, ImageTree, MacbTimes, Node, NodeKind, NodeState, Original,
    ReadError, Recovery, Step, Tree, open_image, read_all, walk,
};
use ledger::{Digest, Time};
use std::collections::BTreeMap;
use testkit::ntfs::sample::{MANY, everything, noise};
use testkit::ntfs::{Built, Deleted, EntrySpec, FileTimes, Kind, Planted, VolumeSpec};

const SIZE: u64 = 16 << 20;
const LIMIT: u64 = 64 << 20;

struct Volume(tempfile::TempDir, ImageTree);

#[expect(clippy::disallowed_methods, reason = "a test writes its fixture")]
fn open_bytes(bytes: &[u8]) -> Volume {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("volume.dd");
    std::fs::write(&path, bytes).unwrap();
    let tree = open_image(&path, "disk").unwrap();
    Volume(folder, tree)
}

fn open(built: &Built) -> Volume {
    open_bytes(&built.bytes())
}

fn path(text: &str) -> EvidencePath {
    EvidencePath::parse(text).unwrap()
}

fn node(tree: &ImageTree, at: &str) -> Node {
    tree.node(&path(at)).unwrap().unwrap_or_else(|| panic!("{at} is there"))
}

fn digest(tree: &ImageTree, node: &Node, stream: &str) -> Digest {
    let stream = Some(stream).filter(|name| !name.is_empty());
    Digest::of(&read_all(tree.open(node, stream).unwrap().as_mut(), LIMIT).unwrap())
}

fn times(ticks: FileTimes) -> MacbTimes {
    let time = |ticks| Some(Time::from_filetime(ticks));
    MacbTimes {
        born: time(ticks.born),
        modified: time(ticks.modified),
        changed: time(ticks.changed),
        accessed: time(ticks.accessed),
    }
}

fn deleted(tree: &ImageTree) -> (BTreeMap<String, DeletedEntry>, Vec<String>) {
    let (mut entries, mut defects) = (BTreeMap::new(), Vec::new());
    for step in tree.deleted(&path("p0")).unwrap() {
        match step {
            DeletedStep::Entry(entry) => {
                let key = entry.node.path.as_str().to_owned();
                assert!(entries.insert(key, *entry).is_none(), "each path once");
            }
            DeletedStep::Defect(defect) => defects.push(defect.what),
            DeletedStep::Gap(gap) => panic!("{gap:?}"),
        }
    }
    (entries, defects)
}

/// Returns the offset of a record in the volume.
fn record_at(built: &Built, number: u64) -> u64 {
    let mut at = number * 1024;
    for run in &built.mft {
        let bytes = run.length * built.cluster;
        if at < bytes {
            return run.lcn.unwrap() * built.cluster + at;
        }
        at -= bytes;
    }
    panic!("record {number} is in the table");
}

/// Returns everything that a walk finds: paths, and damage.
fn walked(tree: &ImageTree) -> (Vec<Node>, Vec<String>) {
    let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
    let (mut nodes, mut damage) = (Vec::new(), Vec::new());
    for step in walk(tree, &root) {
        match step {
            Step::Node(node) => nodes.push(*node),
            Step::Defect(defect) => damage.push(defect.what),
            Step::Gap(gap) => damage.push(gap.reason),
        }
    }
    (nodes, damage)
}

fn compare(tree: &ImageTree, planted: &Planted, node: &Node) {
    assert_eq!(node.times, times(planted.times.standard_information), "{:?}", planted.paths);
    assert_eq!(node.name_times, Some(times(planted.times.file_name)), "{:?}", planted.paths);
    let named = planted.streams.iter().filter(|stream| !stream.name.is_empty()).count();
    assert_eq!(node.streams.len(), named, "{:?}", planted.paths);
    for stream in &planted.streams {
        let size = match node.streams.iter().find(|found| found.name == stream.name) {
            Some(found) => found.size,
            None => node.size,
        };
        assert_eq!(size, stream.size, "{:?}", planted.paths);
        if planted.recoverable {
            assert_eq!(digest(tree, node, &stream.name), stream.sha256, "{:?}", planted.paths);
        }
    }
}

#[test]
fn every_entry_in_use_is_walked_and_found_with_its_bytes_and_all_eight_times() {
    for (size, cluster) in [(8 << 20, 512), (SIZE, 4096), (64 << 20, 65_536)] {
        let built = everything(size, cluster).build().unwrap();
        let Volume(_kept, tree) = &open(&built);
        let (nodes, damage) = walked(tree);
        assert_eq!(damage, Vec::<String>::new());
        let mut expected = Vec::new();
        for planted in built.planted.iter().filter(|planted| planted.in_use) {
            for at in &planted.paths {
                let found = node(tree, &format!("p0/{at}"));
                compare(tree, planted, &found);
                let short = u64::from(planted.dos_name.is_some());
                assert_eq!(found.links, Some(planted.paths.len() as u64 + short), "{at}");
                let again = tree.node_at(&found.path, found.reference.unwrap()).unwrap().unwrap();
                assert_eq!(again, found, "each name of a file is a node of its own");
                assert!(nodes.contains(&found), "{at} is walked");
                assert_eq!(found.kind == NodeKind::Directory, planted.kind == Kind::Directory, "{at}");
                expected.push(found.path);
            }
        }
        let theirs = nodes.iter().filter(|node| !node.path.as_str().contains("p0/$"));
        assert_eq!(theirs.count(), expected.len() + 1, "and the root of the volume");
    }
}

#[test]
fn names_are_found_in_any_case_unless_two_differ_in_case_alone() {
    let mut spec = VolumeSpec::new("");
    for name in ["Case", "cas_", "Ärger", "straße", "%{2F} \u{1f600}"] {
        spec = spec.entry(EntrySpec::file(name, name.as_bytes()));
    }
    for number in 0..MANY {
        spec = spec.entry(EntrySpec::file(&format!("many/Name {number} {}", "x".repeat(60)), b""));
    }
    // Names that differ in case alone come from other systems; they are next to each other.
    let utf16 = |name: &str| -> Vec<u8> { name.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let (stand_in, name) = (utf16("cas_"), utf16("case"));
    let mut bytes = spec.build().unwrap().bytes();
    let places: Vec<_> =
        (0..bytes.len() - 8).step_by(2).filter(|at| bytes[*at..].starts_with(&stand_in)).collect();
    for at in places {
        bytes[at..at + name.len()].copy_from_slice(&name);
    }
    let Volume(_kept, tree) = &open_bytes(&bytes);
    for (asked, found) in [("Case", "Case"), ("case", "case"), ("äRGER", "Ärger"), ("STRAßE", "straße")] {
        assert_eq!(node(tree, &format!("P0/{asked}")).name, found);
    }
    assert!(matches!(tree.node(&path("p0/CASE")), Err(ReadError::AmbiguousCase { .. })));
    assert!(tree.node(&path("p0/strasse")).unwrap().is_none(), "no letter becomes two");
    assert_eq!(node(tree, "p0/%{25}{2F} \u{1f600}").size, 10);
    for number in 0..MANY {
        let name = format!("name {number} {}", "X".repeat(60));
        assert_eq!(node(tree, &format!("p0/MANY/{name}")).name, format!("Name {number} {}", "x".repeat(60)));
    }
    assert!(tree.node(&path("p0/many/name 7000")).unwrap().is_none());
}

#[test]
fn deleted_entries_are_told_once_with_where_they_stood_and_what_is_left() {
    for (size, cluster) in [(8 << 20, 512), (SIZE, 4096)] {
        let built = everything(size, cluster).build().unwrap();
        let Volume(_kept, tree) = &open(&built);
        let (found, defects) = deleted(tree);
        assert_eq!(defects, Vec::<String>::new());
        let gone: Vec<_> = built.planted.iter().filter(|planted| !planted.in_use).collect();
        assert_eq!(found.len(), gone.len(), "{:?}", found.keys());
        for planted in gone {
            let at = &planted.paths[0];
            let name = at.rsplit('/').next().unwrap();
            let key = format!("p0/$Deleted/{}-{}/{name}", planted.record, planted.sequence);
            let entry = &found[&key];
            assert_eq!(entry.node.state, NodeState::Deleted);
            compare(tree, planted, &entry.node);
            assert_eq!(node(tree, &key), entry.node, "the path leads to it");
            let reference = entry.node.reference.unwrap();
            assert_eq!(tree.node_at(&entry.node.path, reference).unwrap().as_ref(), Some(&entry.node));
            let orphan = at.starts_with("old/");
            let original = match orphan {
                true => Original::Orphan(path(name)),
                false => Original::Path(path(&format!("p0/{at}"))),
            };
            assert_eq!(entry.original, original);
            let recovery = match at.as_str() {
                "gone folder" => Recovery::Nothing,
                "overwritten.bin" => entry.recovery,
                _ => Recovery::Whole,
            };
            assert_eq!(entry.recovery, recovery, "{at}");
        }
        let overwritten = found.values().find(|entry| entry.node.name == "overwritten.bin").unwrap();
        assert_eq!(overwritten.recovery, Recovery::Partial { reused: 3, clusters: 4 });
    }
}

#[test]
fn a_deleted_path_that_is_not_there_is_none_and_a_deleted_folder_is_not_listed() {
    let built = everything(SIZE, 4096).build().unwrap();
    let Volume(_kept, tree) = &open(&built);
    let gone = built.planted("Users/mara/gone.bin").unwrap();
    for (number, sequence, name) in [
        (gone.record, gone.sequence + 1, "gone.bin"),
        (gone.record, gone.sequence, "other.bin"),
        (1 << 40, 1, "gone.bin"),
        (5, 5, "."),
    ] {
        let asked = EvidencePath::root().child("p0").unwrap().child("$Deleted").unwrap();
        let asked = asked.child(&format!("{number}-{sequence}")).unwrap().child_raw(name.as_bytes()).unwrap();
        assert_eq!(tree.node(&asked).unwrap(), None, "{asked}");
    }
    let folder = built.planted("gone folder").unwrap();
    let folder = node(tree, &format!("p0/$Deleted/{}-{}/gone folder", folder.record, folder.sequence));
    assert!(matches!(tree.children(&folder), Err(ReadError::Unsupported { .. })));
}

/// A file whose name is in the free space of its folder, and whose record was reused.
#[test]
fn a_name_that_only_free_space_of_a_folder_keeps_is_told_as_lost() {
    let mut spec = VolumeSpec::new("");
    for number in 0..60 {
        let gone = EntrySpec::file(&format!("folder/file {number:02} {}.txt", "y".repeat(40)), b"x");
        let gone = if number == 30 { gone.deleted(Deleted::Recoverable).stale() } else { gone };
        spec = spec.entry(gone);
    }
    let mut built = spec.build().unwrap();
    let name = format!("file 30 {}.txt", "y".repeat(40));
    let planted = built.planted(&format!("folder/{name}")).unwrap().clone();
    let (found, _) = deleted(&open(&built).1);
    assert_eq!(found.len(), 1, "the table tells it already: {:?}", found.keys());
    // Another file took the record, and was then deleted as well.
    let at = record_at(&built, planted.record);
    built.put(at + 0x10, &9u16.to_le_bytes());
    let Volume(_kept, tree) = &open(&built);
    let (found, _) = deleted(tree);
    let key = format!("p0/$Deleted/{}-{}/{name}", planted.record, planted.sequence - 1);
    let entry = &found[&key];
    assert_eq!(found.len(), 2);
    assert_eq!(entry.recovery, Recovery::Lost);
    assert_eq!(entry.original, Original::Path(path(&format!("p0/folder/{name}"))));
    assert_eq!(entry.node.times, times(planted.times.standard_information));
    assert_eq!(node(tree, &key), entry.node);
    assert!(matches!(tree.open(&entry.node, None).err(), Some(ReadError::Absent { .. })));
}

/// The same, but the file was renamed and not deleted: it is in use under another name.
#[test]
fn a_name_of_a_file_that_has_another_one_by_now_is_not_told_as_deleted() {
    let mut spec = VolumeSpec::new("");
    for number in 0..60 {
        let file = EntrySpec::file(&format!("folder/file {number:02} {}.txt", "y".repeat(40)), b"x");
        spec = spec.entry(if number == 30 { file.deleted(Deleted::Recoverable).stale() } else { file });
    }
    let mut built = spec.build().unwrap();
    let name = format!("file 30 {}.txt", "y".repeat(40));
    let planted = built.planted(&format!("folder/{name}")).unwrap().clone();
    let at = record_at(&built, planted.record);
    built.put(at + 0x10, &(planted.sequence - 1).to_le_bytes());
    built.put(at + 0x16, &1u16.to_le_bytes());
    let wide: Vec<u8> = "file 30 ".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bytes = built.bytes();
    let record = &bytes[at as usize..at as usize + 1024];
    let letter = record.windows(wide.len()).position(|found| found == wide).unwrap();
    built.put(at + letter as u64, b"b");
    let Volume(_kept, tree) = &open(&built);
    let (found, _) = deleted(tree);
    assert_eq!(found.len(), 1, "{:?}", found.keys());
    let entry = &found[&format!("p0/$Deleted/{}-{}/{name}", planted.record, planted.sequence - 1)];
    assert_eq!((entry.node.state, entry.recovery), (NodeState::Renamed, Recovery::Lost));
    assert!(matches!(tree.open(&entry.node, None).err(), Some(ReadError::Absent { .. })));
}

#[test]
fn a_record_in_use_whose_folder_is_gone_is_told_and_read() {
    let built = VolumeSpec::new("").entry(EntrySpec::file("folder/file.txt", b"unlinked")).build().unwrap();
    let mut damaged = built.clone();
    let folder = built.planted("folder").unwrap().record;
    damaged.put(record_at(&built, folder) + 0x16, &[2]);
    let Volume(_kept, tree) = &open(&damaged);
    let (found, _) = deleted(tree);
    let entry = found.values().find(|entry| entry.node.name == "file.txt");
    assert!(entry.is_none(), "its folder is deleted, and known");
    damaged.put(record_at(&built, folder) + 0x10, &77u16.to_le_bytes());
    let Volume(_kept, tree) = &open(&damaged);
    let (found, _) = deleted(tree);
    let entry = found.values().find(|entry| entry.node.name == "file.txt").unwrap();
    assert_eq!((entry.node.state, entry.recovery), (NodeState::Allocated, Recovery::Whole));
    assert_eq!(entry.original, Original::Orphan(path("file.txt")));
    assert_eq!(digest(tree, &entry.node, ""), Digest::of(b"unlinked"));
    assert_eq!(node(tree, entry.node.path.as_str()), entry.node);
}

#[test]
fn a_volume_says_what_it_is() {
    let spec = VolumeSpec { dirty: true, shadow_catalogue: Some(0x5000), ..VolumeSpec::new("Évidence") };
    let Volume(_kept, tree) = &open(&spec.build().unwrap());
    let volume = &tree.volumes()[0];
    let facts = volume.facts.as_ref().unwrap();
    assert_eq!(facts.serial.as_deref(), Some("1C2D3E4F5A6B7C8D"));
    assert_eq!(facts.label.as_deref(), Some("Évidence"));
    assert_eq!(facts.version.as_deref(), Some("3.1"));
    assert_eq!((facts.sector, facts.cluster, facts.dirty), (Some(512), Some(4096), Some(true)));
    assert_eq!(facts.created, Some(Time::from_filetime(spec.time)));
    assert!(facts.shadow_copies);
}

#[test]
fn an_entry_of_the_table_tells_its_records_names_and_runs() {
    let built = everything(SIZE, 4096).build().unwrap();
    let Volume(_kept, tree) = &open(&built);
    let describe = |number| tree.mft_entry(&path("p0"), number).unwrap();
    let planted = built.planted("Users/mara/listed.bin").unwrap();
    let told = describe(planted.record).unwrap();
    assert_eq!((told.sequence, told.in_use, told.links), (planted.sequence, true, 1));
    assert_eq!(told.path, Some(path("p0/Users/mara/listed.bin")));
    let places: Vec<_> = told.place.iter().map(|extent| extent.offset).collect();
    let records = std::iter::once(planted.record).chain(planted.extensions.iter().copied());
    assert_eq!(places, records.map(|number| record_at(&built, number)).collect::<Vec<_>>());
    let data = told.attributes.iter().filter(|found| found.kind == "$DATA");
    let runs: Vec<_> = data.flat_map(|found| found.runs.clone()).collect();
    let stored = planted.streams[0].runs.iter().map(|run| (run.lcn, run.length));
    assert_eq!(runs, stored.collect::<Vec<_>>());
    let extension = describe(planted.extensions[0]).unwrap();
    assert_eq!((extension.base, extension.path), (Some((planted.record, planted.sequence)), None));
    let short = describe(built.planted("Users/mara/A long name.text").unwrap().record).unwrap();
    let names: Vec<_> = short.names.iter().map(|name| (name.name.as_str(), name.namespace)).collect();
    assert!(names.contains(&("A long name.text", "win32")) && names.contains(&("ALONGN~1.TEX", "dos")));
    let gone = built.planted("Users/mara/gone.bin").unwrap();
    let at = format!("p0/$Deleted/{}-{}/gone.bin", gone.record, gone.sequence);
    assert_eq!(describe(gone.record).unwrap().path, Some(path(&at)));
    assert_eq!(describe(1 << 40), None);
}

#[test]
fn a_damaged_boot_sector_is_read_from_its_copy_and_reported() {
    let built = everything(SIZE, 4096).build().unwrap();
    let disk = |built: &Built| {
        let sectors = u32::try_from(built.size() / 512).unwrap();
        let mut disk = vec![0; 512];
        disk[446 + 4] = 7;
        disk[446 + 8..446 + 12].copy_from_slice(&1u32.to_le_bytes());
        disk[446 + 12..446 + 16].copy_from_slice(&sectors.to_le_bytes());
        disk[510..].copy_from_slice(&[0x55, 0xaa]);
        open_bytes(&[disk, built.bytes()].concat())
    };
    let whole = walked(&disk(&built).1).0;
    for (at, bytes) in [(0, vec![0; 512]), (0x0d, vec![0]), (0x30, vec![0xff; 8])] {
        let mut damaged = built.clone();
        damaged.put(at, &bytes);
        let (nodes, damage) = walked(&disk(&damaged).1);
        assert!(damage.len() == 1 && damage[0].starts_with("boot sector"), "byte {at}: {damage:?}");
        assert!(nodes == whole);
    }
}

#[test]
fn a_damaged_first_record_is_read_from_its_copy_and_reported() {
    let built = everything(SIZE, 4096).build().unwrap();
    let whole = walked(&open(&built).1).0;
    let mut damaged = built.clone();
    damaged.put(record_at(&built, 0), &[0; 1024]);
    let (nodes, damage) = walked(&open(&damaged).1);
    assert!(damage.len() == 1 && damage[0].contains("$MFTMirr"), "{damage:?}");
    assert!(nodes == whole);
}

#[test]
fn damage_in_one_attribute_hides_no_other() {
    let spec = VolumeSpec::new("").entry(
        EntrySpec::file("file.txt", &noise(1, 9000)).stream("stream", b"a named stream").stream("more", b"m"),
    );
    let built = spec.build().unwrap();
    let record = record_at(&built, built.planted("file.txt").unwrap().record);
    let bytes = built.bytes();
    let start = usize::try_from(record).unwrap();
    let find = |text: &str| {
        let text: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let found = bytes[start..start + 1024].windows(text.len()).position(|window| window == text);
        record + found.unwrap() as u64
    };
    let whole = node(&open(&built).1, "p0/file.txt");
    // The length of the name in `$FILE_NAME`, whose times are lost with it.
    let mut damaged = built.clone();
    damaged.put(find("file.txt") - 2, &[0xff]);
    let Volume(_kept, tree) = &open(&damaged);
    let found = node(tree, "p0/file.txt");
    assert_eq!((found.name_times.clone(), &found.times), (None, &whole.times));
    assert_eq!(Node { name_times: whole.name_times.clone(), ..found }, whole);
    assert!(walked(tree).1.iter().any(|what| what.contains("$FILE_NAME")));
    // The length of the value of a named stream, eight bytes before its name.
    let mut damaged = built.clone();
    damaged.put(find("stream") - 8, &[0xff, 0xff]);
    let Volume(_kept, tree) = &open(&damaged);
    let found = node(tree, "p0/file.txt");
    assert_eq!(found.streams.iter().map(|stream| stream.name.as_str()).collect::<Vec<_>>(), ["more"]);
    assert_eq!(digest(tree, &found, ""), Digest::of(&noise(1, 9000)));
    assert!(matches!(tree.open(&found, Some("stream")).err(), Some(ReadError::Damaged { .. })));
    assert!(walked(tree).1.iter().any(|what| what.contains("resident value")));
}

#[test]
fn a_torn_record_is_a_defect_that_names_its_place() {
    let built = VolumeSpec::new("").entry(EntrySpec::file("file.txt", b"content")).build().unwrap();
    let record = record_at(&built, built.planted("file.txt").unwrap().record);
    let mut damaged = built.clone();
    damaged.put(record + 1022, &[0xab, 0xcd]);
    let Volume(_kept, tree) = &open(&damaged);
    assert_eq!(digest(tree, &node(tree, "p0/file.txt"), ""), Digest::of(b"content"), "it stands before");
    let place = format!("byte {} of the volume", record + 1022);
    assert!(walked(tree).1.iter().any(|what| what.contains(&place)), "{place}: {:?}", walked(tree).1);
    damaged.put(record + 510, &[0xab, 0xcd]);
    let Volume(_kept, tree) = &open(&damaged);
    let place = format!("byte {} of the volume", record + 510);
    assert!(walked(tree).1.iter().any(|what| what.contains(&place)), "the entry is a gap");
    assert!(tree.node(&path("p0/file.txt")).is_err());
}

#[test]
fn no_mutation_of_the_structures_stops_the_reader() {
    let mut spec = VolumeSpec::new("").size(2 << 20).cluster(512);
    for number in 0..16 {
        let file =
            EntrySpec::file(&format!("a folder/file {number} {}", "z".repeat(30)), &noise(number, 700));
        spec = spec.entry(if number % 5 == 0 { file.deleted(Deleted::Recoverable).stale() } else { file });
    }
    spec = spec.entry(EntrySpec::file("listed", &noise(7, 9000)).extents(9).attribute_list());
    spec = spec.entry(EntrySpec::symlink("link", r"..\x")).entry(EntrySpec::file("s", b"").stream("n", b"v"));
    let built = spec.build().unwrap();
    let bytes = built.bytes();
    let index = built.planted("a folder").unwrap().record;
    let records: Vec<u64> = [0, 5, 6, 10, index].into_iter().chain(24..46).collect();
    let folder = tempfile::tempdir().unwrap();
    let file_at = folder.path().join("volume.dd");
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let blocks: Vec<u64> = (0..bytes.len() as u64)
        .step_by(512)
        .filter(|at| bytes[usize::try_from(*at).unwrap()..].starts_with(b"INDX"))
        .collect();
    let image = std::fs::OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&file_at);
    let image = image.unwrap();
    std::os::unix::fs::FileExt::write_all_at(&image, &bytes, 0).unwrap();
    for round in 0..3000 {
        let base = match random(8) {
            0 => blocks[usize::try_from(random(blocks.len() as u64)).unwrap()],
            1 => 0,
            _ => record_at(&built, records[usize::try_from(random(records.len() as u64)).unwrap()]),
        };
        let at = base + random(512);
        let patch: &[u8] = match random(5) {
            0 => &[0xff, 0xff, 0xff, 0xff],
            1 => &[0, 0, 0, 0],
            2 => &[0xff, 0xff, 0xff, 0x7f],
            3 => &[1],
            _ => &[0x80, 0x10],
        };
        std::os::unix::fs::FileExt::write_all_at(&image, patch, at).unwrap();
        read_everything(&file_at, index, round % 50 == 0);
        let from = usize::try_from(at).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&image, &bytes[from..from + patch.len()], at).unwrap();
    }
}

/// Reads everything in a small volume, at most 4 KiB of each stream.
fn read_everything(image: &std::path::Path, index: u64, find: bool) {
    let Ok(tree) = open_image(image, "disk") else { return };
    let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
    let read = |node: &Node, stream: Option<&str>| {
        let mut buffer = vec![0; 4 << 10];
        if let Ok(mut reader) = tree.open(node, stream) {
            let _ = reader.read_at(0, &mut buffer);
        }
    };
    let mut steps = 0;
    for step in walk(&tree, &root).inspect(|_| steps += 1) {
        if let Step::Node(node) = step {
            read(&node, None);
            node.streams.iter().for_each(|stream| read(&node, Some(&stream.name)));
        }
    }
    assert!(steps < 5000);
    if let Ok(found) = tree.deleted(&path("p0")) {
        for step in found {
            if let DeletedStep::Entry(entry) = step {
                read(&entry.node, None);
            }
        }
    }
    let _ = tree.mft_entry(&path("p0"), index);
    // The upper-case table is large.
    if find {
        let _ = tree.node(&path("p0/A FOLDER/FILE 7"));
    }
    let _ = tree.volumes();
}

/// A real folder of that name: a file in it is not the deleted file, nor vice versa.
#[test]
fn a_file_in_the_place_of_a_deleted_entry_is_not_taken_for_it() {
    let gone = || EntrySpec::file("plan.txt", b"the plan").deleted(Deleted::Recoverable);
    let planted = |built: &Built| {
        let planted = built.planted("plan.txt").unwrap();
        format!("{}-{}", planted.record, planted.sequence)
    };
    let number = planted(&VolumeSpec::new("").entry(gone()).build().unwrap());
    let decoy = |number: &str| EntrySpec::file(&format!("$Deleted/{number}/plan.txt"), b"a decoy");
    let mut built = VolumeSpec::new("").entry(gone()).entry(decoy(&number)).build().unwrap();
    if planted(&built) != number {
        // The decoy moved the records.
        built = VolumeSpec::new("").entry(gone()).entry(decoy(&planted(&built))).build().unwrap();
    }
    let number = planted(&built);
    let Volume(_kept, tree) = &open(&built);
    let shared = path(&format!("p0/$Deleted/{number}/plan.txt"));
    assert!(matches!(tree.node(&shared), Err(ReadError::Unsupported { .. })), "{:?}", tree.node(&shared));
    assert!(tree.node(&path(&format!("p0/$Deleted/{number}"))).unwrap().is_some());
}
