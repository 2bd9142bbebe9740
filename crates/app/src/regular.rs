//! Reads the files of a run's folder, in which somebody else may have placed anything.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a regular file of at most `most` bytes; a pipe, a device or a longer file is an error.
pub(crate) fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Checked before the file is opened, because opening a pipe waits for a writer.
    check(&path.metadata()?, most)?;
    let file = File::open(path)?;
    check(&file.metadata()?, most)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_long(most)) } else { Ok(bytes) }
}

fn check(meta: &std::fs::Metadata, most: u64) -> io::Result<()> {
    match meta.is_file() {
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a regular file")),
        true if meta.len() > most => Err(too_long(most)),
        true => Ok(()),
    }
}

fn too_long(most: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("expected at most {most} bytes"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#[expect(clippy::disallowed_methods, reason = "a test writes its file")]
mod tests {
    use super::*;

    #[test]
    fn only_a_regular_file_within_its_bound_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, b"12345").unwrap();
        assert_eq!(read_regular(&file, 5).unwrap(), b"12345");
        assert_eq!(read_regular(&file, 4).unwrap_err().to_string(), "expected at most 4 bytes");
        assert_eq!(read_regular(folder.path(), 4).unwrap_err().to_string(), "expected a regular file");
        let sparse = File::create(folder.path().join("b")).unwrap();
        sparse.set_len(3 << 30).unwrap();
        assert!(read_regular(&folder.path().join("b"), 1 << 20).is_err());
        assert_eq!(
            read_regular(Path::new("/dev/null"), 4).unwrap_err().to_string(),
            "expected a regular file"
        );
    }
}
