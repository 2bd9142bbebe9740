//! A campaign's own folder in the temporary folder; it is not removed, because its contents are worth examining.

use std::io;
use std::path::{Path, PathBuf};

/// The folder.
#[derive(Debug)]
pub(crate) struct Place {
    folder: PathBuf,
}

impl Place {
    /// Creates a new one for a chore.
    pub(crate) fn new(chore: &str) -> io::Result<Place> {
        let folder = std::env::temp_dir().join(format!("locard-{chore}-{}", std::process::id()));
        std::fs::create_dir(&folder)?;
        Ok(Place { folder })
    }

    /// Returns its path.
    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Writes a file into it.
    #[expect(clippy::disallowed_methods, reason = "the chore's own file in the chore's own folder")]
    pub(crate) fn file(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.folder.join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }
}
