//! Containers of disk images, built here byte by byte: the same medium in all of them, what must be refused, and
//! damage of every kind.

mod build;
mod ewf;
mod missing;
mod vhdx;

use build::{medium, save};
use evidence::{
    ContainerFormat, HashAlgorithm, ImageTree, OpenError, Tree, image_files, is_image, open_image,
};
use std::path::Path;
use tempfile::TempDir;

fn written(name: &str, bytes: &[u8]) -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    save(&path, bytes);
    (folder, path)
}

fn whole(tree: &ImageTree) -> Vec<u8> {
    let length = usize::try_from(tree.acquisition().length).unwrap();
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        // Pieces of odd sizes cross every boundary sooner or later.
        let end = length.min(filled + 70_001);
        match tree.read_medium(filled as u64, &mut bytes[filled..end]).unwrap() {
            0 => panic!("the medium ends at {filled}"),
            read => filled += read,
        }
    }
    assert_eq!(tree.read_medium(length as u64, &mut [0; 8]).unwrap(), 0);
    bytes
}

/// Returns every single-file container: name, format, bytes.
fn containers(medium: &[u8]) -> Vec<(&'static str, ContainerFormat, Vec<u8>)> {
    use ContainerFormat::{Ewf, Qcow2, Vhd, Vhdx, Vmdk};
    vec![
        ("vhd fixed", Vhd, build::vhd_fixed(medium)),
        ("vhd dynamic", Vhd, build::vhd_dynamic(medium, 3)),
        ("qcow2", Qcow2, build::qcow2(medium, build::Pack::Plain)),
        ("qcow2 deflate", Qcow2, build::qcow2(medium, build::Pack::Deflate)),
        ("qcow2 zstd", Qcow2, build::qcow2(medium, build::Pack::Zstd)),
        ("vmdk sparse", Vmdk, build::vmdk_sparse(medium, "")),
        ("vmdk stream", Vmdk, build::vmdk_stream(medium)),
        ("vhdx", Vhdx, vhdx::build(medium, vhdx::Log::Empty)),
        ("vhdx log", Vhdx, vhdx::build(medium, vhdx::Log::HoldsTheBlockTable)),
        ("ewf", Ewf, ewf::build(medium, true)),
        ("ewf uncompressed", Ewf, ewf::build(medium, false)),
    ]
}

#[test]
fn one_medium_is_read_from_every_container_and_its_name_does_not_matter() {
    let medium = medium();
    for (name, format, bytes) in containers(&medium) {
        let (_folder, path) = written("image.bin", &bytes);
        assert!(is_image(&path).unwrap(), "{name}");
        let tree = open_image(&path, "disk").unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(tree.acquisition().format, format, "{name}");
        assert!(whole(&tree) == medium, "{name}: another medium");
        assert_eq!(
            tree.layout().unwrap().regions.iter().filter(|region| region.number.is_some()).count(),
            1,
            "{name}"
        );
        let checks = tree.verify_medium().unwrap();
        assert!(checks.iter().all(|check| check.matches != Some(false)), "{name}");
        assert_eq!(
            checks[2].computed,
            ledger::Digest::of(&medium).to_string().replace("sha256:", ""),
            "{name}"
        );
    }
}

#[test]
fn containers_tell_what_they_are_and_when_they_were_made() {
    let (_a, path) = written("a", &build::vhd_dynamic(&medium(), 3));
    let tree = open_image(&path, "disk").unwrap();
    let told = tree.acquisition();
    assert_eq!(told.identifiers, [("unique id", "09090909-0909-0909-0909-090909090909".to_owned())]);
    assert_eq!(told.created.unwrap().to_text(ledger::Precision::Second), "2000-01-02T00:00:00Z");
    let (_b, path) = written("b", &vhdx::build(&medium(), vhdx::Log::HoldsTheBlockTable));
    let tree = open_image(&path, "disk").unwrap();
    assert_eq!(tree.acquisition().sector_size, Some(512));
    assert!(tree.acquisition().values.contains(&("log entries applied", "1".to_owned())));
    let (_c, path) = written("c", &build::vmdk_sparse(&medium(), "ddb.uuid = \"60 00\x1b[2J\"\n"));
    let tree = open_image(&path, "disk").unwrap();
    assert!(tree.acquisition().identifiers.contains(&("uuid", "60 00\u{fffd}[2J".to_owned())));
}

#[test]
fn an_e01_tells_its_acquisition_and_a_wrong_hash_is_found() {
    let medium = medium();
    let mut bytes = ewf::build(&medium, true);
    let (_folder, path) = written("a.E01", &bytes);
    let tree = open_image(&path, "disk").unwrap();
    let told = tree.acquisition();
    assert_eq!((told.sector_size, told.chunk_size, told.compressed), (Some(512), Some(32768), Some(true)));
    assert!(told.values.contains(&("examiner", "Åsa".to_owned())), "{:?}", told.values);
    assert!(told.values.contains(&("case number", "4711".to_owned())));
    let checks = tree.verify_medium().unwrap();
    let of = |algorithm| checks.iter().find(|check| check.algorithm == algorithm).unwrap();
    assert_eq!((of(HashAlgorithm::Md5).matches, of(HashAlgorithm::Sha1).matches), (Some(true), Some(true)));
    let at = ewf::digest_offset(&bytes);
    bytes[at] ^= 1;
    save(&path, &bytes);
    let checks = open_image(&path, "disk").unwrap().verify_medium().unwrap();
    assert_eq!((checks[0].matches, checks[1].matches), (Some(false), Some(true)));
}

#[test]
fn a_damaged_chunk_is_an_error_of_the_read_that_meets_it() {
    let medium = medium();
    for compressed in [true, false] {
        let mut bytes = ewf::build(&medium, compressed);
        let at = ewf::chunk_offset(&bytes, 2) + 100;
        bytes[at] ^= 0x55;
        let (_folder, path) = written("a.E01", &bytes);
        let tree = open_image(&path, "disk").unwrap();
        let mut buffer = [0; 512];
        let error = tree.read_medium(2 * 32768 + 512, &mut buffer).unwrap_err().to_string();
        assert!(error.starts_with("byte 66048 of the medium"), "{error}");
        for chunk in [1, 3] {
            assert_eq!(tree.read_medium(chunk * 32768, &mut buffer).unwrap(), 512);
            assert_eq!(buffer[..], medium[usize::try_from(chunk).unwrap() * 32768..][..512]);
        }
        assert!(tree.verify_medium().unwrap_err().to_string().contains("of the medium"));
    }
}

#[test]
fn a_footer_that_is_damaged_is_read_from_its_copy_and_a_fixed_disk_excludes_it() {
    let medium = medium();
    let mut bytes = build::vhd_dynamic(&medium, 3);
    let end = bytes.len();
    bytes[end - 400] ^= 1;
    let (_folder, path) = written("a.vhd", &bytes);
    assert!(whole(&open_image(&path, "disk").unwrap()) == medium);
    let mut bytes = build::vhd_fixed(&medium);
    let end = bytes.len();
    bytes[end - 400] ^= 1;
    save(&path, &bytes);
    assert!(refusal(&path).contains("checksum of the footer"));
}

fn refusal(path: &Path) -> String {
    match open_image(path, "disk") {
        Err(error @ OpenError::Container { .. }) => error.to_string(),
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("it opened"),
    }
}

#[test]
fn an_image_that_holds_changes_only_names_its_parent_and_is_refused() {
    let medium = medium();
    let backing = "/evidence/base.qcow2";
    let mut qcow2 = build::qcow2(&medium, build::Pack::Plain);
    qcow2[8..16].copy_from_slice(&512u64.to_be_bytes());
    qcow2[16..20].copy_from_slice(&u32::try_from(backing.len()).unwrap().to_be_bytes());
    qcow2[512..512 + backing.len()].copy_from_slice(backing.as_bytes());
    let images = [
        (qcow2, backing),
        (build::vhd_dynamic(&medium, 4), "C:\\base.vhd"),
        (vhdx::build(&medium, vhdx::Log::HasAParent), "C:\\base.vhdx"),
        (build::vmdk_sparse(&medium, "parentCID=12345678\nparentFileNameHint=\"base.vmdk\"\n"), "base.vmdk"),
    ];
    for (bytes, parent) in images {
        let (_folder, path) = written("a", &bytes);
        let error = refusal(&path);
        assert!(error.contains(&format!("{parent:?}")), "{error}");
    }
}

/// Writes a descriptor of two flat extents and zeros, with the files it names.
fn flat(folder: &Path, medium: &[u8], first: &str) -> std::path::PathBuf {
    let (half, sectors) = (medium.len() / 2, medium.len() / 1024);
    let path = folder.join("disk.vmdk");
    let text = format!(
        "# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=ffffffff\ncreateType=\"twoGbMaxExtentFlat\"\n\
         RW {sectors} FLAT \"{first}\" 0\nRW {sectors} FLAT \"two f002.vmdk\" 1\nRW 8 ZERO\n"
    );
    save(&path, text.as_bytes());
    save(&folder.join("one.vmdk"), &medium[..half]);
    let mut second = vec![7; 512];
    second.extend(&medium[half..]);
    save(&folder.join("two f002.vmdk"), &second);
    path
}

#[test]
fn the_extents_that_a_descriptor_names_belong_to_the_image() {
    let (folder, medium) = (tempfile::tempdir().unwrap(), medium());
    let path = flat(folder.path(), &medium, "one.vmdk");
    let tree = open_image(&path, "disk").unwrap();
    let mut expected = medium;
    expected.extend([0; 8 * 512]);
    assert!(whole(&tree) == expected);
    let named = image_files(&path);
    let names: Vec<_> = named.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["disk.vmdk", "one.vmdk", "two f002.vmdk"]);
    assert_eq!(tree.container().len(), 3);
}

#[test]
fn sparse_extents_follow_one_another() {
    let (folder, medium) = (tempfile::tempdir().unwrap(), medium());
    let half = medium.len() / 2;
    save(&folder.path().join("s1"), &build::vmdk_sparse(&medium[..half], ""));
    save(&folder.path().join("s2"), &build::vmdk_sparse(&medium[half..], ""));
    let lines: String = ["s1", "s2"].map(|name| format!("RW {} SPARSE \"{name}\"\n", half / 512)).concat();
    let path = folder.path().join("disk.vmdk");
    save(&path, format!("# Disk DescriptorFile\n{lines}").as_bytes());
    assert!(whole(&open_image(&path, "disk").unwrap()) == medium);
}

#[test]
fn a_descriptor_leads_nowhere_but_to_regular_files_beside_it() {
    let (folder, medium) = (tempfile::tempdir().unwrap(), medium());
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("one.vmdk");
    save(&secret, &medium);
    std::os::unix::fs::symlink(&secret, folder.path().join("link.vmdk")).unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    save(&folder.path().join("sub/one.vmdk"), &medium);
    let absolute = secret.to_str().unwrap();
    for name in
        [absolute, "../one.vmdk", "sub/one.vmdk", "sub\\one.vmdk", "link.vmdk", "sub", "..", "", "absent"]
    {
        let path = flat(folder.path(), &medium, name);
        let error = refusal(&path);
        assert!(error.contains("extent"), "{name}: {error}");
        let named = image_files(&path);
        assert_eq!(named.len(), 2, "{name}: {named:?}");
        assert!(named.iter().all(|file| file.symlink_metadata().unwrap().is_file()), "{name}");
    }
}

#[test]
fn what_would_be_read_wrongly_is_refused_with_its_reason() {
    let medium = medium();
    let mut qcow2 = build::qcow2(&medium, build::Pack::Plain);
    let cases =
        [(32, 1u8, "encrypted"), (79, 4, "another file"), (79, 16, "extended"), (78, 1, "incompatible")];
    for (at, value, reason) in cases {
        let before = qcow2[at];
        qcow2[if at == 32 { 35 } else { at }] = value;
        let (_folder, path) = written("a", &qcow2);
        assert!(refusal(&path).contains(reason), "{reason}");
        qcow2[if at == 32 { 35 } else { at }] = before;
    }
    let (_folder, path) = written("a", b"# Disk DescriptorFile\nRW 8 SESPARSE \"x\"\n");
    assert!(refusal(&path).contains("SESPARSE"));
}

/// Deterministic numbers (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }
}

fn mutate(bytes: &mut Vec<u8>, places: &[usize], numbers: &mut Numbers) {
    const NASTY: [u64; 8] = [0, 1, u64::MAX, 1 << 31, 1 << 63, 0x7fff_ffff_ffff_ffff, 0xffff_ffff, 1 << 40];
    for _ in 0..=numbers.below(3) {
        let place = places[numbers.below(places.len())] + numbers.below(512);
        let at = if numbers.below(4) == 0 { numbers.below(bytes.len()) } else { place.min(bytes.len() - 1) };
        let end = bytes.len().min(at + 8);
        match numbers.below(3) {
            0 => bytes[at] ^= 1 << numbers.below(8),
            1 => bytes[at..end].copy_from_slice(&NASTY[numbers.below(8)].to_le_bytes()[..end - at]),
            _ => bytes[at..end].copy_from_slice(&NASTY[numbers.below(8)].to_be_bytes()[8 - (end - at)..]),
        }
    }
    if numbers.below(8) == 0 {
        let length = numbers.below(bytes.len());
        bytes.truncate(length.max(600));
    }
}

/// Returns offsets of structures, so that most mutations hit one.
fn structures(bytes: &[u8]) -> Vec<usize> {
    let pages = (0..bytes.len()).step_by(512);
    let dense = |at: &usize| bytes[*at..bytes.len().min(at + 16)].iter().any(|byte| *byte != 0);
    let early = pages.filter(dense).take(24);
    early.chain([bytes.len().saturating_sub(1024), bytes.len() - 512]).collect()
}

#[test]
fn two_thousand_mutations_end_in_errors_or_bytes() {
    let medium = medium();
    let (folder, mut numbers) = (tempfile::tempdir().unwrap(), Numbers(0x0010_ca4d));
    let (mut opened, mut failed) = (0, 0);
    for (name, format, original) in containers(&medium) {
        let path = folder.path().join("image");
        save(&path, &original);
        let places = structures(&original);
        for round in 0..190 {
            let mut bytes = original.clone();
            mutate(&mut bytes, &places, &mut numbers);
            // A wrong checksum would hide anything behind it.
            match format {
                ContainerFormat::Vhd if round % 2 == 0 => build::seal_vhd(&mut bytes),
                ContainerFormat::Vhdx if round % 2 == 0 => vhdx::seal(&mut bytes),
                _ => {}
            }
            patch(&path, &original, &bytes);
            match open_image(&path, "disk") {
                Ok(tree) => {
                    opened += 1;
                    read_around(&tree);
                }
                Err(OpenError::Stopped { .. }) => panic!("{name}, round {round}: the reader panicked"),
                Err(_) => failed += 1,
            }
            patch(&path, &bytes, &original);
        }
    }
    assert!(opened + failed >= 2000 && opened > 500 && failed > 100, "{opened} opened, {failed} failed");
}

/// Changes the file from `from` to `to`, writing only the pages that differ.
fn patch(path: &Path, from: &[u8], to: &[u8]) {
    use std::os::unix::fs::FileExt;
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_len(to.len() as u64).unwrap();
    for (index, page) in to.chunks(4096).enumerate() {
        let at = index * 4096;
        if from.get(at..at + page.len()) != Some(page) {
            file.write_all_at(page, at as u64).unwrap();
        }
    }
}

fn read_around(tree: &ImageTree) {
    let (length, mut buffer) = (tree.acquisition().length, vec![0; 4096]);
    let step = (length / 24).max(1);
    for offset in (0..24).map(|index| index * step).chain([length.saturating_sub(100)]) {
        match tree.read_medium(offset, &mut buffer) {
            Ok(read) => assert!(read > 0 || offset >= length),
            Err(error) => assert!(!error.to_string().contains("stopped on damage"), "{error}"),
        }
    }
}

#[test]
fn mutated_descriptors_end_in_errors_or_bytes() {
    let (folder, medium) = (tempfile::tempdir().unwrap(), medium());
    let path = flat(folder.path(), &medium, "one.vmdk");
    let original = std::fs::read(&path).unwrap();
    let mut numbers = Numbers(7);
    for _ in 0..200 {
        let mut bytes = original.clone();
        let at = 22 + numbers.below(bytes.len() - 22);
        bytes[at] = b"0919 \"\n/=x\xff"[numbers.below(11)];
        save(&path, &bytes);
        assert!(image_files(&path).len() <= 3);
        if let Ok(tree) = open_image(&path, "disk") {
            read_around(&tree);
        }
    }
}
