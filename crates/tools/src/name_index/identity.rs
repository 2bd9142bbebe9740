//! Identifies what an index was made of, and by what, before every byte of the evidence is read.

use evidence::platform::{FileExt, modified};
use ledger::Digest;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// A text that changes whenever the same evidence could give another index: the format, and the sources of the readers.
pub const INDEX_MAKER: &str = concat!("2 ", env!("LOCARD_INDEX_SOURCES"));

/// The size of a sample in bytes.
const SAMPLE: u64 = 64 << 10;

/// How many samples are spread over all files together.
const SPREAD: u64 = 64;

/// Returns a digest that distinguishes evidence made of `files` on the examiner's machine from other evidence.
///
/// It covers the name, size, modification time in nanoseconds, and first and last 64 KiB of each file.
/// From all files together it adds 64 more pieces of 64 KiB, spread evenly.
///
/// It is not a hash of the evidence: bytes between the samples can differ.
pub fn evidence_identity(files: &[PathBuf]) -> io::Result<Digest> {
    let mut hasher = Sha256::new();
    hasher.update(b"locard evidence identity 1\n");
    let mut opened = Vec::new();
    let mut total: u64 = 0;
    for path in files {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        for number in [name.len() as u64, metadata.len()] {
            hasher.update(number.to_le_bytes());
        }
        hasher.update(name);
        let (seconds, nanoseconds) = modified(&metadata);
        hasher.update(seconds.to_le_bytes());
        hasher.update(nanoseconds.to_le_bytes());
        let (start, size) = (total, metadata.len());
        sample(&file, 0, size, &mut hasher)?;
        sample(&file, size.saturating_sub(SAMPLE), size, &mut hasher)?;
        total = total.saturating_add(size);
        opened.push((start, size, file));
    }
    for number in 0..SPREAD {
        // Never past the end, and without a product that could overflow.
        let place = total / SPREAD * number;
        let holder = opened.iter().find(|(start, size, _)| place >= *start && place - start < *size);
        if let Some((start, size, file)) = holder {
            sample(file, place - start, *size, &mut hasher)?;
        }
    }
    Ok(Digest::from_bytes(hasher.finalize().into()))
}

/// Hashes the sample at `offset` of a file of `size` bytes, as far as the file goes.
fn sample(file: &File, offset: u64, size: u64, hasher: &mut Sha256) -> io::Result<()> {
    let length = SAMPLE.min(size.saturating_sub(offset));
    let mut buffer = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(&mut buffer, offset)?;
    hasher.update(length.to_le_bytes());
    hasher.update(&buffer);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn evidence_is_told_apart_by_what_is_sampled_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disk.raw");
        let mut bytes: Vec<u8> = (0..20_000_000u32).map(|number| (number >> 12) as u8).collect();
        let identity = |bytes: &[u8]| {
            let mut file = File::create(&path).unwrap();
            file.write_all(bytes).unwrap();
            // Otherwise the file system's modification time alone would distinguish them.
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
            evidence_identity(std::slice::from_ref(&path)).unwrap()
        };
        let first = identity(&bytes);
        assert_eq!(identity(&bytes), first);
        for place in [0, 19_999_999, 20_000_000 / 64 * 63] {
            bytes[place] ^= 1;
            assert_ne!(identity(&bytes), first, "{place}");
            bytes[place] ^= 1;
        }
        assert_ne!(identity(&bytes[1..]), first);
        // Bytes between the samples are not read.
        bytes[100_000] ^= 1;
        assert_eq!(identity(&bytes), first);
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_nanos(1))
            .unwrap();
        assert_ne!(evidence_identity(std::slice::from_ref(&path)).unwrap(), first);
    }

    #[test]
    fn files_that_are_small_or_empty_have_an_identity_and_missing_ones_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert!(evidence_identity(std::slice::from_ref(&path)).is_err());
        File::create(&path).unwrap();
        let empty = evidence_identity(std::slice::from_ref(&path)).unwrap();
        File::create(&path).unwrap().write_all(b"x").unwrap();
        assert_ne!(evidence_identity(std::slice::from_ref(&path)).unwrap(), empty);
        assert!(evidence_identity(&[]).is_ok());
    }
}
