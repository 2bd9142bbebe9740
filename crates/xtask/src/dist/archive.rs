//! The general-purpose archive: unpack it and run.

use super::materials::{Entry, Materials};
use super::tar::tar;
use super::{Artifact, DistError};
use flate2::{Compression, GzBuilder};
use std::io::Write;

/// Builds the archive of a target.
pub(super) fn archive(materials: &Materials) -> Result<Artifact, DistError> {
    let name = format!("locard-{}-{}", materials.version, materials.target.triple());
    let mut entries = vec![
        Entry::program("locard", materials.program.clone()),
        Entry::plain("THIRD-PARTY.txt", materials.licences.clone()),
    ];
    entries.extend(materials.written.iter().chain(&materials.shipped).cloned());
    let bytes = gzip(&tar(&format!("{name}/"), &entries, materials.time)?)?;
    Ok(Artifact { name: format!("{name}.tar.gz"), bytes })
}

/// Compresses without a time or a name.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>, DistError> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(DistError::Compress)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::materials::tests::small;
    use std::io::Read;

    #[test]
    fn two_packings_are_equal_whatever_order_the_files_came_in() {
        let materials = small();
        let mut other = materials.clone();
        other.shipped.reverse();
        other.written.reverse();
        let packed = archive(&materials).unwrap();
        assert_eq!(packed.name, "locard-1.2.3-x86_64-unknown-linux-musl.tar.gz");
        assert_eq!(packed, archive(&other).unwrap());
        other.time += 1;
        assert_ne!(packed, archive(&other).unwrap());
    }

    #[test]
    fn everything_stands_in_one_folder() {
        let packed = archive(&small()).unwrap();
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(packed.bytes.as_slice()).read_to_end(&mut bytes).unwrap();
        let folder = "locard-1.2.3-x86_64-unknown-linux-musl/";
        for path in ["locard", "THIRD-PARTY.txt", "man/locard.1", "cases/demo/case.toml"] {
            let path = format!("{folder}{path}");
            assert!(bytes.chunks(512).any(|block| block.starts_with(path.as_bytes())), "{path}");
        }
        assert!(bytes.starts_with(folder.as_bytes()));
    }
}
