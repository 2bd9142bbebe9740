//! Writes files that readers find either complete or not at all.

use crate::platform::{create_new, readers, sync_folder};
use ledger::Digest;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers the unfinished files of this process.
static ORDINAL: AtomicU64 = AtomicU64::new(0);

/// Writes `bytes` into the file `name` of `folder`, read-only, replacing any existing file.
///
/// A reader sees either the old file or the new one, even after a loss of power.
pub(crate) fn publish(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    publish_as(folder, name, bytes, 0o400)
}

/// Works like [`publish`], but makes the file readable and writable by its owner alone.
pub(crate) fn publish_private(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    publish_as(folder, name, bytes, 0o600)
}

/// Works like [`publish`], but lets everyone who can read the folder read the file.
pub(crate) fn publish_in(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    publish_as(folder, name, bytes, readers(folder)?)
}

/// Works like [`publish`], with the bytes of another file; returns their digest.
pub(crate) fn publish_file(folder: &Path, name: &str, from: &mut File) -> io::Result<Digest> {
    let mut digest = Err(io::Error::other("nothing was copied"));
    publish_with(folder, name, 0o400, |to| {
        from.rewind()?;
        digest = copy(from, to);
        digest.as_ref().map(|_| ()).map_err(|error| io::Error::new(error.kind(), error.to_string()))
    })?;
    digest
}

/// Copies the rest of `from`; returns its digest.
pub(crate) fn copy(from: &mut impl Read, to: &mut File) -> io::Result<Digest> {
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 1 << 18]);
    loop {
        let length = from.read(&mut buffer)?;
        let bytes = buffer.get(..length).unwrap_or_default();
        if bytes.is_empty() {
            return Ok(Digest::from_bytes(hasher.finalize().into()));
        }
        hasher.update(bytes);
        to.write_all(bytes)?;
    }
}

fn publish_as(folder: &Path, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    publish_with(folder, name, mode, |file| file.write_all(bytes))
}

fn publish_with(
    folder: &Path,
    name: &str,
    mode: u32,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let unfinished = format!(".{name}.{}-{}", std::process::id(), ORDINAL.fetch_add(1, Ordering::Relaxed));
    let unfinished = folder.join(unfinished);
    let written = write(&unfinished, mode, fill)
        .and_then(|()| std::fs::rename(&unfinished, folder.join(name)))
        .and_then(|()| sync_folder(folder));
    if written.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

fn write(path: &Path, mode: u32, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut file = create_new(path, mode)?;
    fill(&mut file)?;
    file.sync_all()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::platform::make_private;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_published_file_is_whole_read_only_and_alone() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("a/b");
        assert!(publish(&folder, "names", b"x").is_err());
        make_private(&folder).unwrap();
        make_private(&folder).unwrap();
        publish(&folder, "names", b"first").unwrap();
        publish(&folder, "names", b"second").unwrap();
        assert_eq!(std::fs::read(folder.join("names")).unwrap(), b"second");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&folder.join("names"))), (0o700, 0o400));
        std::fs::create_dir(folder.join("taken")).unwrap();
        std::fs::create_dir(folder.join("taken/x")).unwrap();
        assert!(publish(&folder, "taken", b"x").is_err());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    }
}
