//! The key file of a run in which another program acts as the agent: anyone who can read it may resume the run.
//!
//! The file is next to the run's folder, never inside it: nothing that packs, shows or checks a run looks there.

use crate::loopback::Token;
use crate::platform::{create_new, sync_folder};
use crate::regular::read_regular;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The most bytes of a key file; a longer file is not one of ours.
const LONGEST: u64 = 1024;

/// Returns the path of the run's key file: the path of `folder` with `.key` appended.
pub fn key_file(folder: &Path) -> PathBuf {
    // Resolves a link or `.` to the folder's own name.
    let mut path = folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).into_os_string();
    path.push(".key");
    path.into()
}

/// Writes a new key for the run in `folder`, readable only by its owner even if others
/// may read the run; once this returns, the file survives a loss of power.
///
/// # Errors
///
/// Fails if the file exists or cannot be written, or if the system provides no randomness.
pub fn leave_key(folder: &Path) -> io::Result<()> {
    let path = key_file(folder);
    let key = Token::new().map_err(io::Error::other)?;
    let mut file = create_new(&path, 0o600)?;
    file.write_all(format!("{}\n", key.as_str()).as_bytes())?;
    file.sync_all()?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Returns the key of the run in `folder`; `None` if there is no file, or it does not contain a key.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn kept_key(folder: &Path) -> io::Result<Option<Token>> {
    match read_regular(&key_file(folder), LONGEST) {
        Ok(bytes) => Ok(std::str::from_utf8(&bytes).ok().and_then(|text| Token::read(text.trim_end()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes the key of a sealed run.
pub(crate) fn remove_key(folder: &Path) {
    // A key that remains is harmless: a sealed run cannot be resumed.
    let _ = std::fs::remove_file(key_file(folder));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#[expect(clippy::disallowed_methods, reason = "a test writes its files")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_stands_beside_its_run_for_its_owner_alone_and_no_other_takes_its_place() {
        let runs = tempfile::tempdir().unwrap();
        let folder = runs.path().join("20260101T120000Z-a.b");
        std::fs::create_dir(&folder).unwrap();
        assert!(kept_key(&folder).unwrap().is_none());
        leave_key(&folder).unwrap();
        let path = runs.path().canonicalize().unwrap().join("20260101T120000Z-a.b.key");
        assert_eq!(key_file(&folder), path);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(kept_key(&folder).unwrap().unwrap().is(written.trim_end()));
        assert!(leave_key(&folder).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), written);
        remove_key(&folder);
        assert!(!path.exists() && folder.exists());
    }

    #[test]
    fn what_is_no_whole_key_opens_nothing() {
        let runs = tempfile::tempdir().unwrap();
        let folder = runs.path().join("a");
        std::fs::create_dir(&folder).unwrap();
        let hex = "0123456789abcdef0123456789abcdef";
        for text in ["", "\n", &hex[1..], &format!("{hex}0"), &hex.to_uppercase(), "\u{fffd}"] {
            std::fs::write(key_file(&folder), text).unwrap();
            assert!(kept_key(&folder).unwrap().is_none(), "{text:?}");
        }
        std::fs::write(key_file(&folder), hex).unwrap();
        assert!(kept_key(&folder).unwrap().is_some());
        std::fs::write(key_file(&folder), [b'0'; 2000]).unwrap();
        assert!(kept_key(&folder).is_err());
    }
}
