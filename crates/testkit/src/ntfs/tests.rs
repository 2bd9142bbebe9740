//! Reads built volumes with a third-party reader, and by hand where that reader does not look.

use super::sample::{MANY, NOON, everything, noise};
use super::*;
use ledger::Digest;
use ntfs_core::{MftRecordHeader, NtfsFs, StandardInformation, apply_fixup, parse_attributes};
use std::collections::BTreeSet;
use std::io::Cursor;

const SIZE: u64 = 16 << 20;

fn open(built: &Built) -> NtfsFs<Cursor<Vec<u8>>> {
    NtfsFs::open(Cursor::new(built.bytes())).unwrap()
}

fn name(stream: &PlantedStream) -> Option<&str> {
    Some(stream.name.as_str()).filter(|name| !name.is_empty())
}

/// Returns the content of a record's stream, as `ntfs-core` reads it.
fn content(fs: &NtfsFs<Cursor<Vec<u8>>>, planted: &Planted, stream: &PlantedStream) -> Vec<u8> {
    fs.read_data_by_record(planted.record, name(stream), u64::MAX).unwrap()
}

#[test]
fn every_entry_in_use_is_found_by_its_paths_with_its_content() {
    for (size, cluster) in [(8 << 20, 512), (SIZE, 4096), (64 << 20, 65_536)] {
        let built = everything(size, cluster).build().unwrap();
        let fs = open(&built);
        for planted in built.planted.iter().filter(|planted| planted.in_use) {
            for path in &planted.paths {
                assert_eq!(fs.resolve_path(path).unwrap(), planted.record, "{path}, clusters of {cluster}");
            }
            for stream in &planted.streams {
                let bytes = content(&fs, planted, stream);
                assert_eq!(bytes.len() as u64, stream.size);
                // `ntfs-core` 0.9.8 does not support an initialised size.
                if !planted.paths[0].ends_with("half.bin") {
                    assert_eq!(
                        Digest::of(&bytes),
                        stream.sha256,
                        "{:?}, clusters of {cluster}",
                        planted.paths
                    );
                }
            }
        }
    }
}

#[test]
fn one_description_gives_one_volume() {
    let spec = everything(SIZE, 4096);
    let (a, b) = (spec.build().unwrap(), spec.build().unwrap());
    assert!(a.bytes() == b.bytes() && a.planted == b.planted);
    let mut file = Cursor::new(Vec::new());
    a.write_to(&mut file).unwrap();
    assert!(file.into_inner() == a.bytes());
}

#[test]
fn a_folder_is_a_tree_sorted_by_upper_case() {
    let mut spec = VolumeSpec::new("");
    for letter in ["b", "A", "_", "Z", "a~", "é", "É~"] {
        spec = spec.entry(EntrySpec::file(letter, b""));
    }
    for number in 0..MANY {
        let stem = if number % 2 == 0 { "upper" } else { "UPPER" };
        spec = spec.entry(EntrySpec::file(&format!("many/{stem} {number:04} {}", "x".repeat(60)), b""));
    }
    let built = spec.build().unwrap();
    let fs = open(&built);
    let names = |folder: u64| -> Vec<String> {
        let record = fs.read_record(folder).unwrap();
        let entries = fs.directory_entries(&record).unwrap();
        entries.into_iter().filter_map(|entry| Some(entry.file_name?.name)).collect()
    };
    let root: Vec<String> = names(5).into_iter().filter(|name| !name.starts_with(['$', '.'])).collect();
    assert_eq!(root, ["A", "a~", "b", "many", "Z", "_", "é", "É~"]);
    let many = names(built.planted("many").unwrap().record);
    assert_eq!(many.iter().collect::<BTreeSet<_>>().len() as u64, MANY);
}

#[test]
fn the_order_of_a_walk_down_the_tree_is_the_order_of_names() {
    let built = everything(SIZE, 4096).build().unwrap();
    let folder = built.planted("many").unwrap();
    let record = open(&built).read_record(folder.record).unwrap();
    let attributes = parse_attributes(&record, 0x38).unwrap();
    let find = |kind: u32| attributes.iter().find(|found| found.type_code == kind).unwrap();
    let root = find(0x90).resident_content(&record).unwrap();
    let runs = ntfs_core::data::attribute_runlist(&record, find(0xa0)).unwrap();
    let runs: Vec<Run> = runs.iter().map(|run| Run { lcn: run.lcn, length: run.length }).collect();
    let blocks = built.read_runs(&runs);
    let mut found = Vec::new();
    let depth = walk(&root[32..], &blocks, &mut found);
    let expected: Vec<String> =
        (0..MANY).map(|number| format!("{number:03} a rather long name of a file.txt")).collect();
    assert_eq!(found, expected);
    assert_eq!(depth, 3, "blocks stand below blocks");
}

/// Collects the names of a node in order, with those of its children between them; returns the number of levels below.
fn walk(mut node: &[u8], blocks: &[u8], found: &mut Vec<String>) -> usize {
    let u16_at = |bytes: &[u8], at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let mut depth = 1;
    loop {
        let (length, flags) = (usize::from(u16_at(node, 8)), u16_at(node, 12));
        if flags & 1 != 0 {
            let vcn =
                usize::try_from(u64::from_le_bytes(node[length - 8..length].try_into().unwrap())).unwrap();
            let mut block = blocks[vcn * 4096..][..4096].to_vec();
            apply_fixup(&mut block, 512).unwrap();
            assert_eq!(u16_at(&block, 0x10), u16::try_from(vcn).unwrap());
            depth = depth.max(1 + walk(&block[0x40..], blocks, found));
        }
        if flags & 2 != 0 {
            return depth;
        }
        let units: Vec<u16> = (0..usize::from(node[16 + 64])).map(|at| u16_at(node, 82 + 2 * at)).collect();
        found.push(String::from_utf16(&units).unwrap());
        node = &node[length..];
    }
}

#[test]
fn deleted_entries_are_free_and_their_bytes_still_stand() {
    let built = everything(SIZE, 4096).build().unwrap();
    let fs = open(&built);
    let clusters = fs.read_data_by_record(6, None, u64::MAX).unwrap();
    let used = |cluster: u64| clusters[usize::try_from(cluster / 8).unwrap()] >> (cluster % 8) & 1 == 1;
    let mut seen = 0;
    for planted in built.planted.iter().filter(|planted| !planted.in_use) {
        let header = MftRecordHeader::parse(&fs.read_record(planted.record).unwrap()).unwrap();
        assert!(!header.is_in_use());
        assert_eq!((header.sequence_number, planted.sequence), (2, 2), "{:?}", planted.paths);
        assert!(fs.resolve_path(&planted.paths[0]).is_err());
        for stream in &planted.streams {
            let same = Digest::of(&content(&fs, planted, stream)) == stream.sha256;
            assert_eq!(same, planted.recoverable, "{:?}", planted.paths);
            let mut all =
                stream.runs.iter().filter_map(|run| run.lcn.map(|lcn| lcn..lcn + run.length)).flatten();
            assert!(!planted.recoverable || !all.any(used), "{:?}", planted.paths);
            seen += 1;
        }
    }
    assert_eq!(seen, 7);
    let (victim, writer) = (built.planted("overwritten.bin").unwrap(), built.planted("writer.bin").unwrap());
    assert_eq!(victim.streams[0].runs[0].lcn, writer.streams[0].runs[0].lcn);
    assert!(used(writer.streams[0].runs[0].lcn.unwrap()));
}

#[test]
fn the_record_of_an_orphans_folder_is_another_file() {
    let built = everything(SIZE, 4096).build().unwrap();
    let (orphan, later) =
        (built.planted("old/folder/orphan.bin").unwrap(), built.planted("later.txt").unwrap());
    assert_eq!(orphan.parent, (later.record, 1));
    assert_eq!((later.sequence, later.in_use), (2, true));
    assert!(built.planted("old/folder").is_none());
}

#[test]
fn all_eight_times_are_set_on_their_own() {
    let built = everything(SIZE, 4096).build().unwrap();
    let planted = built.planted("Users/mara/notes.txt").unwrap();
    let record = open(&built).read_record(planted.record).unwrap();
    let attributes = parse_attributes(&record, 0x38).unwrap();
    let value = |kind: u32| {
        attributes.iter().find(|found| found.type_code == kind).unwrap().resident_content(&record).unwrap()
    };
    let information = StandardInformation::parse(value(0x10)).unwrap();
    let NtfsTimes { standard_information: si, file_name } = planted.times;
    let found = [information.created, information.modified, information.mft_modified, information.accessed];
    assert_eq!(found.map(|time| time.0), [si.born, si.modified, si.changed, si.accessed]);
    assert_eq!(value(0x10).len(), 72);
    assert_eq!(si.born, NOON);
    assert_eq!(value(0x30)[8..16], file_name.born.to_le_bytes());
    assert_eq!(value(0x30)[32..40], file_name.accessed.to_le_bytes());
    assert!(file_name.born != si.born);
}

#[test]
fn a_stale_name_stands_in_the_slack_of_its_folder() {
    let built = everything(SIZE, 4096).build().unwrap();
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let bytes = built.bytes();
    let blocks = bytes.chunks(4096).filter(|block| block.starts_with(b"INDX"));
    let holds = |block: &&[u8], text: &str| block.windows(2 * text.len()).any(|found| found == wide(text));
    assert!(built.planted("Users/mara/gone small.txt").unwrap().stale_index);
    assert_eq!(blocks.clone().filter(|block| holds(block, "gone small.txt")).count(), 1);
    assert_eq!(blocks.clone().filter(|block| holds(block, "gone.bin")).count(), 0);
}

#[test]
fn a_file_in_many_pieces_has_extension_records() {
    let built = VolumeSpec::new("")
        .entry(EntrySpec::file("a", &noise(1, 900 * 4096)).extents(900))
        .entry(EntrySpec::file("b", b"small").attribute_list())
        .build()
        .unwrap();
    let fs = open(&built);
    for (path, least) in [("a", 3), ("b", 1)] {
        let planted = built.planted(path).unwrap();
        assert!(planted.extensions.len() >= least, "{path}: {:?}", planted.extensions);
        let base = parse_attributes(&fs.read_record(planted.record).unwrap(), 0x38).unwrap();
        assert!(base.iter().all(|found| found.type_code != 0x80), "no piece of it is in the base record");
        for extension in &planted.extensions {
            let header = MftRecordHeader::parse(&fs.read_record(*extension).unwrap()).unwrap();
            assert_eq!(header.base_record & 0xffff_ffff_ffff, planted.record);
        }
        assert_eq!(Digest::of(&content(&fs, planted, &planted.streams[0])), planted.streams[0].sha256);
    }
}

#[test]
fn the_mirror_and_a_table_in_pieces_hold_the_same_records() {
    let mut spec = everything(SIZE, 4096);
    spec.mft_extents = 7;
    let built = spec.build().unwrap();
    let (table, fs) = (built.read_runs(&built.mft), open(&built));
    let mirror = fs.read_data_by_record(1, None, u64::MAX).unwrap();
    assert_eq!((built.mft.len(), mirror.len()), (7, 4096));
    assert!(table[..4096] == mirror[..]);
    assert_eq!(
        fs.resolve_path("packed/small.log").unwrap(),
        built.planted("packed/small.log").unwrap().record
    );
}

#[test]
fn the_journal_tells_of_files_in_use_and_deleted() {
    let built = everything(SIZE, 4096).build().unwrap();
    let fs = open(&built);
    let stream = fs.read_named_stream("$Extend/$UsnJrnl", "$J").unwrap();
    let records = ntfs_core::usn::UsnJournalReader::new(Cursor::new(stream)).unwrap();
    let records: Vec<_> = records.map(Result::unwrap).collect();
    assert_eq!(records.len(), 200);
    assert_eq!(records[0].usn, 1 << 20);
    assert_eq!((records[2].filename.as_str(), records[2].mft_sequence), ("gone.bin", 1));
    assert_eq!(records[2].mft_entry, built.planted("Users/mara/gone.bin").unwrap().record);
    assert_eq!(records[3].filename, "draft.txt");
    let last = records.last().unwrap();
    assert_eq!(last.usn, i64::try_from(built.planted("Users/mara/notes.txt").unwrap().usn).unwrap());
}

#[test]
fn a_shadow_copy_catalogue_is_told_by_its_header() {
    let mut spec = VolumeSpec::new("");
    spec.shadow_catalogue = Some(0x80000);
    let bytes = spec.build().unwrap().bytes();
    assert_eq!(bytes[0x1e00..0x1e04], [0x6b, 0x87, 0x08, 0x38]);
    assert_eq!(bytes[0x1e18..0x1e20], 0x1e00u64.to_le_bytes());
    assert_eq!(bytes[0x1e30..0x1e38], 0x80000u64.to_le_bytes());
}

#[test]
fn what_cannot_be_built_is_refused() {
    let file = |path: &str| EntrySpec::file(path, b"x");
    let build = |entries: &[EntrySpec]| {
        let spec = VolumeSpec { entries: entries.to_vec(), ..VolumeSpec::new("") };
        spec.build().map(|_| ()).unwrap_err()
    };
    assert!(matches!(build(&[file("a"), file("A")]), BuildError::Duplicate { path } if path == "A"));
    assert!(matches!(build(&[file("a"), file("a/b")]), BuildError::Duplicate { .. }));
    assert!(matches!(build(&[file("a//b")]), BuildError::Name { units: 0, .. }));
    let gone = EntrySpec::directory("d").deleted(Deleted::Recoverable);
    assert!(matches!(build(&[gone, file("d/a")]), BuildError::Parent { path } if path == "d/a"));
    let by = Deleted::Overwritten { by: "none".to_owned() };
    assert!(matches!(build(&[file("a").deleted(by)]), BuildError::NoSuch { wanted, .. } if wanted == "none"));
    assert!(matches!(build(&[EntrySpec::file("a", &vec![1; 17 << 20])]), BuildError::Full { .. }));
    let packed = file("a").content(Content::Compressed(vec![1]));
    let spec = VolumeSpec::new("").size(64 << 20).cluster(8192).entry(packed);
    assert!(matches!(spec.build(), Err(BuildError::Compression { cluster: 8192 })));
    assert!(matches!(VolumeSpec::new("").cluster(1000).build(), Err(BuildError::Cluster { found: 1000 })));
}

#[test]
fn an_empty_volume_has_all_metafiles() {
    let built = VolumeSpec::new("").size(2 << 20).build().unwrap();
    let fs = open(&built);
    let root = fs.read_record(5).unwrap();
    let names: Vec<String> = fs
        .directory_entries(&root)
        .unwrap()
        .into_iter()
        .filter_map(|entry| Some(entry.file_name?.name))
        .collect();
    let expected = [
        "$AttrDef", "$BadClus", "$Bitmap", "$Boot", "$Extend", "$LogFile", "$MFT", "$MFTMirr", "$Secure",
        "$UpCase", "$Volume", ".",
    ];
    assert_eq!(names.iter().collect::<BTreeSet<_>>(), expected.map(str::to_owned).iter().collect());
    for number in 0..27 {
        let header = MftRecordHeader::parse(&fs.read_record(number).unwrap()).unwrap();
        assert_eq!(header.is_in_use(), !(16..24).contains(&number), "record {number}");
    }
}
