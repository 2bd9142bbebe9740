//! Where what was typed is kept: in the user's state folder, readable by its owner alone, and never inside evidence.

use crate::heads::user_state;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

/// The most lines that are kept.
pub(super) const MOST: usize = 2000;

/// The file, made where it was not there; `None` where there is no place for it.
pub(super) fn file(evidence: &[PathBuf]) -> Option<PathBuf> {
    let folder = user_state()?;
    made(&folder, evidence)
}

fn made(folder: &Path, evidence: &[PathBuf]) -> Option<PathBuf> {
    app::refuse_runs_inside(folder, evidence).ok()?;
    std::fs::create_dir_all(folder).ok()?;
    let path = folder.join("console");
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path).ok()?;
    // One that another program has made may let others read it.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600)).ok()?;
    drop(file);
    Some(path)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_file_is_its_owners_alone_and_never_in_evidence() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("state/locard");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let path = made(&folder, &[]).unwrap();
        assert_eq!(mode(&path), 0o600);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        assert_eq!(mode(&made(&folder, &[]).unwrap()), 0o600);
        assert_eq!(made(&place.path().join("e/locard"), &[place.path().join("e")]), None);
        assert!(!place.path().join("e").exists());
    }
}
