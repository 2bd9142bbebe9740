//! Makes copies in the scratch folder.

use super::SqliteError;
use evidence::{Node, ReadError, Tree, read_full_at};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The largest file that is copied: a worker may not write a larger one.
const LARGEST: u64 = 1 << 30;

/// How many bytes are read at once.
const CHUNK: usize = 1 << 20;

/// Copies a file of the evidence to `target`.
pub(super) fn copy(tree: &dyn Tree, node: &Node, target: &Path) -> Result<(), SqliteError> {
    let mut reader = tree.open(node, None)?;
    if reader.len() > LARGEST {
        let (path, actual) = (node.path.clone(), reader.len());
        return Err(ReadError::TooLarge { path, limit: LARGEST, actual }.into());
    }
    let failed = |source| SqliteError::Copy { path: node.path.clone(), source };
    let mut file = File::create(target).map_err(failed)?;
    let mut buffer = vec![0; CHUNK];
    let mut offset = 0u64;
    // A file that grows during copying is read up to its original length.
    while offset < reader.len() {
        let read = read_full_at(reader.as_mut(), offset, &mut buffer)?;
        let left = usize::try_from(reader.len() - offset).unwrap_or(usize::MAX);
        let bytes = buffer.get(..read.min(left)).unwrap_or_default();
        if bytes.is_empty() {
            let (path, expected) = (node.path.clone(), reader.len());
            return Err(ReadError::Short { path, offset: 0, expected, actual: offset }.into());
        }
        file.write_all(bytes).map_err(failed)?;
        offset += bytes.len() as u64;
    }
    Ok(())
}

/// Copies an existing copy of `node`.
pub(super) fn again(node: &Node, from: &Path, to: &Path) -> Result<(), SqliteError> {
    // `fs::copy` would set the mode of the copy, which a worker may not.
    let copied = || io::copy(&mut File::open(from)?, &mut File::create(to)?);
    copied().map(drop).map_err(|source| SqliteError::Copy { path: node.path.clone(), source })
}
