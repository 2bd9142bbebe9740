//! Hashing the files of the examiner's machine that contain evidence.

use super::{PIECE, SAMPLE, zeros};
use crate::error::HashError;
use crate::platform::{FileExt, modified, stored_from};
use crate::tree::Tree;
use ledger::{Digest, Integrity, IntegrityLevel};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io;
use std::path::Path;

/// Hashes what [`Tree::container`] names; a file that cannot be read is an error, because nothing is known of the rest.
pub(super) fn hash(tree: &dyn Tree, level: IntegrityLevel) -> Result<Integrity, HashError> {
    let mut whole = Sha256::new();
    let mut lines = Vec::new();
    let mut bytes: u64 = 0;
    for path in tree.container() {
        let error =
            |source| HashError::Container { label: tree.label().to_owned(), path: path.clone(), source };
        let (size, seal) = seal(path, level, &mut whole).map_err(error)?;
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
    Ok(Integrity { level, sha256, files: tree.container().len() as u64, bytes })
}

/// Size and seal of one file; at [`IntegrityLevel::Full`] its bytes go into `whole` instead.
fn seal(path: &Path, level: IntegrityLevel, whole: &mut Sha256) -> io::Result<(u64, String)> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let size = metadata.len();
    let mut sampled = Sha256::new();
    match level {
        IntegrityLevel::Stat => {
            let (seconds, nanoseconds) = modified(&metadata);
            return Ok((size, format!("{seconds}.{nanoseconds:09}")));
        }
        IntegrityLevel::Full => feed(&file, 0, size, whole)?,
        IntegrityLevel::Sampled if size > 2 * SAMPLE => {
            feed(&file, 0, SAMPLE, &mut sampled)?;
            feed(&file, size - SAMPLE, SAMPLE, &mut sampled)?;
        }
        IntegrityLevel::Sampled => feed(&file, 0, size, &mut sampled)?,
    }
    Ok((size, Digest::from_bytes(sampled.finalize().into()).to_string()))
}

fn feed(file: &File, offset: u64, length: u64, hasher: &mut Sha256) -> io::Result<()> {
    let mut buffer = vec![0; PIECE];
    let mut done = 0;
    while done < length {
        let at = offset + done;
        let hole = stored_from(file, at, offset + length).saturating_sub(at).min(length - done);
        zeros(hole, hasher);
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
