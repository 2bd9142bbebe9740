//! Lists every entry of the first NTFS volume of an image, with our reader and with ntfs-core, in one run.
//!
//! `LOCARD_BENCH_IMAGE` names the image. ntfs-core looks for the volume at byte `LOCARD_BENCH_OFFSET` (0 by default).

#![expect(clippy::disallowed_methods, reason = "a benchmark takes its image from the environment")]
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark without its image says so")]

use evidence::{EvidencePath, Step, Tree, open_image, walk};
use ntfs_core::{FileName, NtfsFs, OffsetReader, StandardInformation, parse_attributes};
use std::collections::HashSet;
use std::fs::File;
use std::path::PathBuf;

fn main() {
    match image() {
        Some(_) => divan::main(),
        None => println!("LOCARD_BENCH_IMAGE names no image: nothing to list"),
    }
}

fn image() -> Option<PathBuf> {
    std::env::var_os("LOCARD_BENCH_IMAGE").map(PathBuf::from)
}

fn offset() -> u64 {
    std::env::var("LOCARD_BENCH_OFFSET").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Lists names, kinds, the sizes of every stream, all eight times, and links.
#[divan::bench]
fn ours() -> usize {
    let tree = open_image(&image().expect("main looked"), "disk").expect("an image");
    let root = tree.node(&EvidencePath::root()).expect("readable").expect("a root");
    walk(&tree, &root).filter(|step| matches!(step, Step::Node(_))).count()
}

/// Lists the deleted entries, with their former places and what is left of them.
#[divan::bench]
fn ours_deleted() -> usize {
    let tree = open_image(&image().expect("main looked"), "disk").expect("an image");
    let volumes = tree.volumes();
    volumes.iter().map(|volume| tree.deleted(&volume.path).map_or(0, Iterator::count)).sum()
}

/// Lists the names in the indexes, and reads the attributes of each record, with both kinds of times.
#[divan::bench]
fn ntfs_core_records() -> usize {
    let mut fs = open();
    let mut count = 0;
    walk_core(&mut fs, |fs, number| {
        let record = fs.read_record(number).expect("a record");
        let attributes = parse_attributes(&record, 0x38).unwrap_or_default();
        for found in &attributes {
            let Some(content) = found.resident_content(&record) else { continue };
            match found.type_code {
                0x10 => drop(divan::black_box(StandardInformation::parse(content))),
                0x30 => drop(divan::black_box(FileName::parse(content))),
                _ => {}
            }
        }
        count += 1;
        record
    });
    count
}

/// The same without reading records that are not folders.
#[divan::bench]
fn ntfs_core_names() -> usize {
    let fs = open();
    let mut count = 0;
    let mut folders = vec![(5, String::new())];
    let mut seen = HashSet::from([5]);
    while let Some((folder, path)) = folders.pop() {
        let record = fs.read_record(folder).expect("a record");
        for entry in fs.directory_entries(&record).unwrap_or_default() {
            let Some(name) = entry.file_name.filter(|name| !name.is_dos_namespace()) else { continue };
            let number = entry.file_reference.record_number;
            let path = divan::black_box(format!("{path}/{}", name.name));
            count += 1;
            if name.flags & 0x1000_0000 != 0 && seen.insert(number) {
                folders.push((number, path));
            }
        }
    }
    count
}

type Fs = NtfsFs<OffsetReader<File>>;

fn open() -> Fs {
    let file = File::open(image().expect("main looked")).expect("an image");
    let length = file.metadata().expect("its length").len();
    let reader = OffsetReader::new(file, offset(), length - offset()).expect("a volume");
    NtfsFs::open(reader).expect("an NTFS volume")
}

fn walk_core(fs: &mut Fs, mut look: impl FnMut(&mut Fs, u64) -> Vec<u8>) {
    let root = fs.read_record(5).expect("the root");
    let mut folders = vec![(root, String::new())];
    let mut seen = HashSet::from([5]);
    while let Some((record, path)) = folders.pop() {
        for entry in fs.directory_entries(&record).unwrap_or_default() {
            let Some(name) = entry.file_name.filter(|name| !name.is_dos_namespace()) else { continue };
            let number = entry.file_reference.record_number;
            let path = divan::black_box(format!("{path}/{}", name.name));
            let record = look(fs, number);
            if name.flags & 0x1000_0000 != 0 && seen.insert(number) {
                folders.push((record, path));
            }
        }
    }
}
