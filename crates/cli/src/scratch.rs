//! The scratch folder of one command, and the removal of those that killed commands left.
//!
//! `<temporary folder>/locard-<random>/` holds `lock`, which the living program keeps locked; `calls`, the scratch root of its workers;
//! and `indexes`, which the workers may read besides the evidence.
//! The kernel releases the lock when the program dies, however it dies.

use crate::failure::Failure;
use crate::platform::{is_private_beside, make_private};
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PREFIX: &str = "locard-";
const LOCK: &str = "lock";
const CALLS: &str = "calls";
const INDEXES: &str = "indexes";

/// A fresh scratch folder, which is removed when this guard is dropped.
pub(crate) struct Scratch {
    calls: PathBuf,
    indexes: PathBuf,
    // The order matters: the folder must be gone before the lock is released.
    _folder: TempDir,
    _lock: File,
}

impl Scratch {
    /// Creates a folder in the system's temporary folder that no other user can have prepared or can look into.
    ///
    /// Fails if the folder would be inside the evidence, which is never written to.
    pub(crate) fn new(evidence: &[PathBuf]) -> Result<Scratch, Failure> {
        Scratch::inside(&std::env::temp_dir(), evidence)
    }

    fn inside(temporary: &Path, evidence: &[PathBuf]) -> Result<Scratch, Failure> {
        let failed = |source| Failure::Scratch { path: temporary.to_owned(), source };
        let resolved = temporary.canonicalize().map_err(failed)?;
        if let Some(evidence) = evidence.iter().find(|evidence| resolved.starts_with(evidence)) {
            let (path, evidence) = (temporary.to_owned(), evidence.clone());
            return Err(Failure::ScratchInEvidence { path, evidence });
        }
        let folder = make_private(PREFIX, &resolved).map_err(failed)?;
        let lock = lock(folder.path()).map_err(failed)?;
        remove_dead(&resolved, folder.path());
        let (calls, indexes) = (folder.path().join(CALLS), folder.path().join(INDEXES));
        Ok(Scratch { calls, indexes, _folder: folder, _lock: lock })
    }

    /// The scratch root of workers.
    pub(crate) fn calls(&self) -> &Path {
        &self.calls
    }

    /// The folder for what workers may read besides the evidence, such as name indexes.
    pub(crate) fn indexes(&self) -> &Path {
        &self.indexes
    }
}

/// Creates the lock file under another name first, so that `lock` is never unlocked during our lifetime.
fn lock(folder: &Path) -> io::Result<File> {
    let making = folder.join("making");
    let file = OpenOptions::new().write(true).create_new(true).open(&making)?;
    file.lock()?;
    std::fs::rename(making, folder.join(LOCK))?;
    Ok(file)
}

/// Removes the scratch folders beside `own` whose program is dead. Folders that cannot be removed are left for the next command.
fn remove_dead(temporary: &Path, own: &Path) {
    let Ok(ours) = own.symlink_metadata() else { return };
    for entry in std::fs::read_dir(temporary).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let folder = entry.path();
        if name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) && folder != own {
            // Nothing depends on the removal.
            let _ = remove_if_dead(&folder, &ours);
        }
    }
}

/// Removes the folder if it is provably ours, private, and its program has died.
fn remove_if_dead(folder: &Path, ours: &Metadata) -> io::Result<()> {
    let metadata = folder.symlink_metadata()?;
    if !metadata.is_dir() || !is_private_beside(ours, &metadata) {
        return Ok(());
    }
    let path = folder.join(LOCK);
    if !path.symlink_metadata()?.is_file() {
        return Ok(());
    }
    let lock = OpenOptions::new().write(true).open(&path)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(()),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // The lock goes last: if the removal is interrupted, the rest is still recognisable as a dead scratch folder.
    for inner in [CALLS, INDEXES].map(|name| folder.join(name)) {
        if inner.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            sandbox::clear_scratch(&inner)?;
        }
    }
    std::fs::remove_file(&path)?;
    std::fs::remove_dir(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_scratch_folder_is_fresh_and_nobody_elses() {
        let place = tempfile::tempdir().unwrap();
        let (first, second) =
            (Scratch::inside(place.path(), &[]).unwrap(), Scratch::inside(place.path(), &[]).unwrap());
        assert_ne!(first.calls(), second.calls());
        let folder = first.calls().parent().unwrap();
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o7777, 0o700);
        drop((first, second));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    /// A scratch folder as a killed program leaves it: with files, and with its lock not held.
    fn left(place: &Path, name: &str) -> PathBuf {
        let folder = place.join(name);
        fs::create_dir_all(folder.join(CALLS).join("1-1/deep/er")).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
        fs::File::create(folder.join(CALLS).join("1-1/deep/file")).unwrap();
        fs::create_dir_all(folder.join(INDEXES).join("1-1")).unwrap();
        fs::File::create(folder.join(INDEXES).join("1-1/names-0")).unwrap();
        fs::File::create(folder.join(LOCK)).unwrap();
        folder
    }

    #[test]
    fn what_a_killed_program_left_is_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let dead = left(place.path(), "locard-dead");
        let alive = Scratch::inside(place.path(), &[]).unwrap();
        assert!(!dead.exists());
        let open = left(place.path(), "locard-open");
        fs::set_permissions(&open, Permissions::from_mode(0o755)).unwrap();
        let unmarked = left(place.path(), "locard-unmarked");
        fs::remove_file(unmarked.join(LOCK)).unwrap();
        let other = left(place.path(), "other");
        let behind = left(place.path(), "behind");
        std::os::unix::fs::symlink(&behind, place.path().join("locard-link")).unwrap();
        let linked = left(place.path(), "locard-linked-lock");
        fs::remove_file(linked.join(LOCK)).unwrap();
        std::os::unix::fs::symlink(behind.join(LOCK), linked.join(LOCK)).unwrap();
        drop(Scratch::inside(place.path(), &[]).unwrap());
        for kept in [alive.calls().parent().unwrap(), &open, &unmarked, &other, &behind, &linked] {
            assert!(kept.is_dir(), "{}", kept.display());
        }
        assert!(behind.join(LOCK).is_file());
    }

    #[test]
    fn what_we_did_not_make_in_such_a_folder_stays() {
        let place = tempfile::tempdir().unwrap();
        let strange = left(place.path(), "locard-strange");
        fs::File::create(strange.join("notes")).unwrap();
        drop(Scratch::inside(place.path(), &[]).unwrap());
        assert!(strange.join("notes").is_file());
    }
}
