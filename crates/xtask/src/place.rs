//! A folder of a campaign's own in the temporary folder; it stays, for what is in it is worth looking at.

use std::io;
use std::path::{Path, PathBuf};

/// The folder.
#[derive(Debug)]
pub(crate) struct Place {
    folder: PathBuf,
}

impl Place {
    /// A new one for a chore.
    pub(crate) fn new(chore: &str) -> io::Result<Place> {
        let folder = std::env::temp_dir().join(format!("locard-{chore}-{}", std::process::id()));
        std::fs::create_dir(&folder)?;
        Ok(Place { folder })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Writes a file in it.
    #[expect(clippy::disallowed_methods, reason = "the chore's own file in the chore's own folder")]
    pub(crate) fn file(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.folder.join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }
}
