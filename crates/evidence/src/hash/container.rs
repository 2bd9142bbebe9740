//! Hashing the files of the examiner's machine that contain evidence.

use super::{PIECE, SAMPLE, zeros};
use crate::error::HashError;
use crate::platform::{FileExt, modified, stored_from};
use ledger::{Digest, Integrity, IntegrityLevel};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Hashes the files in [`Tree::container`](crate::Tree::container). An unreadable file is an error, because
/// nothing is known about the rest.
pub(super) fn hash(label: &str, files: &[PathBuf], level: IntegrityLevel) -> Result<Integrity, HashError> {
    let mut whole = Sha256::new();
    let mut lines = Vec::new();
    let mut bytes: u64 = 0;
    for path in files {
        let error = |source| HashError::Container { label: label.to_owned(), path: path.clone(), source };
        let (size, seal) = seal(path, level, bytes, &mut whole).map_err(error)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        lines.push(format!("{name}\t{size}\t{seal}\n"));
        bytes = bytes.saturating_add(size);
    }
    let sha256 = match level {
        IntegrityLevel::Full => Digest::from_bytes(whole.finalize().into()),
        IntegrityLevel::Stat | IntegrityLevel::Sampled => {
            lines.sort();
            Digest::of(lines.concat().as_bytes())
        }
    };
    Ok(Integrity { level, sha256, files: files.len() as u64, bytes })
}

/// Returns the size and seal of one file; at [`IntegrityLevel::Full`] its bytes go into `whole` instead, after
/// `before` other bytes.
fn seal(path: &Path, level: IntegrityLevel, before: u64, whole: &mut Sha256) -> io::Result<(u64, String)> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let size = metadata.len();
    let mut sampled = Sha256::new();
    match level {
        IntegrityLevel::Stat => {
            let (seconds, nanoseconds) = modified(&metadata);
            return Ok((size, format!("{seconds}.{nanoseconds:09}")));
        }
        IntegrityLevel::Full => feed(&file, 0, size, before, whole)?,
        IntegrityLevel::Sampled if size > 2 * SAMPLE => {
            feed(&file, 0, SAMPLE, 0, &mut sampled)?;
            feed(&file, size - SAMPLE, SAMPLE, SAMPLE, &mut sampled)?;
        }
        IntegrityLevel::Sampled => feed(&file, 0, size, 0, &mut sampled)?,
    }
    Ok((size, Digest::from_bytes(sampled.finalize().into()).to_string()))
}

/// Hashes bytes of a file after the `hashed` bytes that came before.
fn feed(file: &File, offset: u64, length: u64, hashed: u64, hasher: &mut Sha256) -> io::Result<()> {
    let mut buffer = vec![0; PIECE];
    let mut done = 0;
    while done < length {
        let at = offset + done;
        let hole = stored_from(file, at, offset + length).saturating_sub(at).min(length - done);
        zeros::feed(hashed.saturating_add(done), hole, hasher);
        done += hole;
        if done == length {
            break;
        }
        let wanted = usize::try_from(length - done).unwrap_or(PIECE).min(PIECE);
        let piece = buffer.get_mut(..wanted).unwrap_or_default();
        file.read_exact_at(piece, offset + done)?;
        hasher.update(&*piece);
        done += wanted as u64;
    }
    Ok(())
}
