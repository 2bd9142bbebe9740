//! Containers that do not hold all of their medium: no listing of them is complete.

use crate::containers::build::{medium, put, save};
use crate::containers::{build, vhdx};
use evidence::{EvidencePath, ImageTree, Tree, open_image};
use std::path::{Path, PathBuf};
use testkit::ewf::{EwfSpec, extension};

/// Returns two partitions, of type FAT16 and Linux, at the beginning and the end of incompressible noise.
fn partitioned() -> Vec<u8> {
    let mut state = 1u64;
    let mut bytes = vec![0; 4 << 20];
    for byte in &mut bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *byte = (state >> 56) as u8;
    }
    bytes[..512].fill(0);
    for (slot, kind, first, count) in [(446, 0x06, 64u32, 512u32), (462, 0x83, 3072, 5120)] {
        bytes[slot + 4] = kind;
        put(&mut bytes, slot + 8, &first.to_le_bytes());
        put(&mut bytes, slot + 12, &count.to_le_bytes());
    }
    put(&mut bytes, 510, &[0x55, 0xaa]);
    bytes
}

/// Writes an E01 of `spec` without the segments `without`; returns the path of the first.
fn ewf(folder: &Path, without: &[usize], cut: Option<(usize, usize)>) -> PathBuf {
    let spec = EwfSpec { segment: Some(512 << 10), ..EwfSpec::default() };
    for (index, mut bytes) in spec.write(&partitioned()).into_iter().enumerate() {
        if let Some((_, length)) = cut.filter(|(segment, _)| *segment == index + 1) {
            bytes.truncate(length);
        }
        if !without.contains(&(index + 1)) {
            save(&folder.join("a").with_extension(extension(index)), &bytes);
        }
    }
    folder.join("a.E01")
}

fn gaps(tree: &ImageTree, path: &str) -> Vec<String> {
    let node = tree.node(&EvidencePath::parse(path).unwrap()).unwrap().unwrap();
    let mut gaps: Vec<_> = tree.children(&node).unwrap().gaps.into_iter().map(|gap| gap.reason).collect();
    gaps.retain(|reason| !reason.contains("not read yet"));
    gaps
}

/// Returns the only gap of the root, which is also a defect, and is reported at the second volume but not at the
/// first.
fn told(path: &Path) -> String {
    let tree = open_image(path, "disk").unwrap();
    let root = gaps(&tree, "");
    assert_eq!(root.len(), 1, "{root:?}");
    assert!(tree.layout().unwrap().defects.iter().any(|defect| defect.what == root[0]), "{root:?}");
    assert_eq!(gaps(&tree, "p2"), root);
    assert!(gaps(&tree, "p1").is_empty());
    assert!(tree.read_medium(0, &mut [0; 512]).unwrap() == 512);
    let error = tree.verify_medium().unwrap_err().to_string();
    assert!(error.contains("of the medium") && !error.contains("out of range"), "{error}");
    root[0].clone()
}

#[test]
fn a_whole_image_has_no_gap() {
    let folder = tempfile::tempdir().unwrap();
    let tree = open_image(&ewf(folder.path(), &[], None), "disk").unwrap();
    assert!(tree.container().len() > 5 && gaps(&tree, "").is_empty() && gaps(&tree, "p2").is_empty());
    assert!(tree.layout().unwrap().defects.is_empty());
    assert!(tree.verify_medium().unwrap().iter().all(|check| check.matches != Some(false)));
}

#[test]
fn a_segment_that_is_missing_is_named_with_the_bytes_that_are_not_held() {
    let folder = tempfile::tempdir().unwrap();
    let reason = told(&ewf(folder.path(), &[5], None));
    assert!(reason.starts_with("segment a.E05 is missing, a.E06 lies beside it; bytes "), "{reason}");
    assert!(reason.ends_with("to 4194304 of the medium are not held"), "{reason}");
    let folder = tempfile::tempdir().unwrap();
    let count = open_image(&ewf(folder.path(), &[], None), "disk").unwrap().container().len();
    let folder = tempfile::tempdir().unwrap();
    let reason = told(&ewf(folder.path(), &[count], None));
    assert!(reason.starts_with(&format!("segment a.E{count:02} is missing; bytes ")), "{reason}");
}

#[test]
fn a_segment_that_is_cut_ends_what_is_held() {
    for (segment, length) in [(5, 5), (5, 100), (5, 300_000), (6, 13)] {
        let folder = tempfile::tempdir().unwrap();
        let reason = told(&ewf(folder.path(), &[], Some((segment, length))));
        assert!(reason.starts_with(&format!("segment a.E{segment:02} is cut")), "{reason}");
        assert!(reason.contains("the segments behind it"), "{reason}");
    }
}

#[test]
fn an_image_without_its_last_section_is_damaged_though_all_its_chunks_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.E01");
    let bytes = EwfSpec::default().write(&partitioned()).remove(0);
    save(&path, &bytes[..bytes.len() - 10]);
    let tree = open_image(&path, "disk").unwrap();
    assert!(tree.layout().unwrap().defects[0].what.starts_with("segment a.E01 is cut"));
    assert!(gaps(&tree, "").is_empty() && tree.verify_medium().is_ok());
}

#[test]
fn blocks_behind_the_end_of_a_virtual_disk_are_gaps() {
    let medium = partitioned();
    let images = [
        ("vhd", build::vhd_dynamic(&medium, 3)),
        ("vhdx", vhdx::build(&medium, vhdx::Log::Empty)),
        ("qcow2", build::qcow2(&medium, build::Pack::Plain)),
        ("vmdk", build::vmdk_sparse(&medium, "")),
    ];
    for (name, bytes) in images {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        save(&path, &bytes);
        assert!(gaps(&open_image(&path, "disk").unwrap(), "").is_empty(), "{name}");
        save(&path, &bytes[..bytes.len() - (1 << 20)]);
        let reason = told(&path);
        assert!(reason.contains("the container is cut"), "{name}: {reason}");
    }
}

#[test]
fn a_split_image_without_a_part_and_a_raw_one_that_ends_early_have_gaps() {
    let (folder, medium) = (tempfile::tempdir().unwrap(), partitioned());
    for (index, part) in medium.chunks(1 << 20).enumerate().filter(|(index, _)| *index != 2) {
        save(&folder.path().join(format!("a.{:03}", index + 1)), part);
    }
    let tree = open_image(&folder.path().join("a.001"), "disk").unwrap();
    let found = gaps(&tree, "").join("\n");
    assert!(found.contains("segment a.003 is missing, a.004 lies beside it"), "{found}");
    assert!(gaps(&tree, "p1").is_empty() && !gaps(&tree, "p2").is_empty());
    let path = folder.path().join("b.dd");
    save(&path, &medium[..3 << 20]);
    let tree = open_image(&path, "disk").unwrap();
    assert!(
        gaps(&tree, "")[0].starts_with("partition 2 ends at byte 4194304, and the medium at byte 3145728")
    );
    assert!(gaps(&tree, "p1").is_empty() && gaps(&tree, "p2") == gaps(&tree, ""));
}

#[test]
fn a_first_chunk_that_cannot_be_read_leaves_the_rest_of_the_medium() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let medium = partitioned();
    for chunks in [1, medium.len() / 32768] {
        let mut bytes = crate::containers::ewf::build(&medium[..chunks * 32768], true);
        let at = crate::containers::ewf::chunk_offset(&bytes, 0);
        bytes[at..at + 64].fill(0xff);
        save(&path, &bytes);
        if chunks == 1 {
            assert!(open_image(&path, "disk").is_err(), "nothing can be read");
            continue;
        }
        let tree = open_image(&path, "disk").unwrap();
        assert!(
            tree.layout().unwrap().defects[0].what.starts_with("byte 0: the first sectors cannot be read")
        );
        assert!(gaps(&tree, "")[0].starts_with("byte 0") && tree.volumes().is_empty());
        let mut buffer = [0; 512];
        assert_eq!(tree.read_medium(40_000, &mut buffer).unwrap(), 512);
        assert_eq!(buffer[..], medium[40_000..40_512]);
    }
}

#[test]
fn an_image_keeps_its_access_time() {
    use std::os::unix::fs::MetadataExt;
    use std::time::{Duration, UNIX_EPOCH};
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a.dd", partitioned()), ("a.vhdx", vhdx::build(&partitioned(), vhdx::Log::Empty))]
    {
        let path = folder.path().join(name);
        save(&path, &bytes);
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        // Older than the last change, because otherwise `relatime` would update it.
        let times = std::fs::FileTimes::new().set_accessed(UNIX_EPOCH + Duration::from_secs(1_000_000));
        file.set_times(times).unwrap();
        let tree = open_image(&path, "disk").unwrap();
        assert!(tree.verify_medium().is_ok());
        assert_eq!(path.metadata().unwrap().atime(), 1_000_000, "{name}");
    }
}

#[test]
fn an_error_names_the_segment_that_cannot_be_opened() {
    use std::error::Error;
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    for (index, part) in partitioned().chunks(2 << 20).enumerate() {
        save(&folder.path().join(format!("a.{:03}", index + 1)), part);
    }
    let second = folder.path().join("a.002");
    std::fs::set_permissions(&second, std::fs::Permissions::from_mode(0o000)).unwrap();
    match open_image(&folder.path().join("a.001"), "disk") {
        Ok(_) => assert!(std::fs::File::open(&second).is_ok(), "root reads it in spite of its mode"),
        Err(error) => assert!(error.source().unwrap().to_string().starts_with("a.002: "), "{error:?}"),
    }
}

#[test]
fn a_medium_of_one_volume_is_not_complete_either() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let bytes = vhdx::build(&medium(), vhdx::Log::Empty);
    save(&path, &bytes[..bytes.len() - (1 << 20)]);
    assert!(!gaps(&open_image(&path, "disk").unwrap(), "p0").is_empty());
}
