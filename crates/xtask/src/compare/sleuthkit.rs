//! A volume, as sleuthkit reads it: `fls` for names, sizes and times, `icat` for contents.
//!
//! `fls -m` writes one line per entry: MD5, name, number, mode, UID, GID, size, and the times of access, modification, change and birth.

use super::CompareError;
use super::entry::{Entries, Entry, Key, Kind};
use ledger::Digest;
use sha2::{Digest as _, Sha256};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// Lists all entries; the inner error is what `fls` printed if it could not read the volume.
pub(crate) fn list(image: &Path, offset: u64) -> Result<Result<Entries, String>, CompareError> {
    let mut command = program("fls", offset);
    command.args(["-r", "-p", "-m", "", "-z", "UTC"]).arg(image);
    let output = command.output().map_err(|source| CompareError::Start { program: "fls", source })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Ok(Err(format!("fls says: {}", said.trim().replace('\n', "; "))));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(Ok(text.lines().filter_map(line).collect()))
}

#[expect(clippy::disallowed_methods, reason = "the chore compares with another program")]
fn program(name: &str, offset: u64) -> Command {
    let mut command = Command::new(name);
    command.arg("-o").arg((offset / 512).to_string());
    command
}

/// Parses the entry on a line.
///
/// Returns `None` for the lines of `$FILE_NAME`, for what `fls` makes up (virtual files, names for entries without one),
/// and for a folder's second occurrence as `.`.
fn line(line: &str) -> Option<(Key, Entry)> {
    let mut fields: Vec<&str> = line.split('|').collect();
    let tail = fields.split_off(fields.len().checked_sub(9)?);
    let name = fields.get(1..)?.join("|");
    let [number, mode, _, _, size, accessed, modified, changed, born] = tail.as_slice() else { return None };
    let (name, deleted) = match name.strip_suffix(" (deleted)").or(name.strip_suffix(" (deleted-realloc)")) {
        Some(name) => (name, true),
        None => (name.as_str(), false),
    };
    let invented = mode.starts_with(['V', 'v']) || name.starts_with("/$OrphanFiles/OrphanFile-");
    if invented || name.ends_with("($FILE_NAME)") || name.contains("/.:") {
        return None;
    }
    let (path, stream, kind) = place(name.trim_start_matches('/'), number, mode);
    let entry = Entry {
        id: (*number).to_owned(),
        kind,
        size: size.parse().ok()?,
        times: [modified, accessed, changed, born].map(|time| time.parse().unwrap_or(0)),
    };
    Some((Key { path: path.to_owned(), stream: stream.map(str::to_owned), deleted }, entry))
}

/// Returns path, stream and kind. The number of an NTFS entry includes the attribute type: 128 for data, 144 for an index.
fn place<'a>(name: &'a str, number: &str, mode: &str) -> (&'a str, Option<&'a str>, Kind) {
    let last = mode.get(..3).unwrap_or_default();
    match name.rsplit_once(':') {
        Some((path, stream)) if number.contains("-128-") => (path, Some(stream), Kind::File),
        Some((path, _)) if number.contains("-144-") => (path, None, Kind::Other),
        Some(_) | None if last.contains('d') => (name, None, Kind::Directory),
        Some(_) | None if last.contains('l') => (name.split(" -> ").next().unwrap_or(name), None, Kind::Link),
        Some(_) | None => (name, None, Kind::File),
    }
}

/// Returns the SHA-256 of an entry's content, or what `icat` printed.
pub(crate) fn content(image: &Path, offset: u64, id: &str) -> Result<Result<Digest, String>, CompareError> {
    let start = |source| CompareError::Start { program: "icat", source };
    let mut command = program("icat", offset);
    command.arg(image).arg(id).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(start)?;
    let mut hasher = Sha256::new();
    if let Some(mut output) = child.stdout.take() {
        let mut buffer = vec![0; 1 << 20];
        loop {
            match output.read(&mut buffer).map_err(start)? {
                0 => break,
                read => hasher.update(buffer.get(..read).unwrap_or_default()),
            }
        }
    }
    let status = child.wait().map_err(start)?;
    Ok(match status.success() {
        true => Ok(Digest::from_bytes(hasher.finalize().into())),
        false => Err(format!("icat ended with {status}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_give_streams_links_and_deleted_entries_and_no_invented_ones() {
        let read =
            |name: &str, number: &str, mode: &str| line(&format!("0|/{name}|{number}|{mode}|0|0|7|2|1|3|4"));
        let (key, entry) = read("a/b.txt:x (deleted)", "32-128-6", "-/rrwxrwxrwx").unwrap();
        assert_eq!(key, Key { path: "a/b.txt".into(), stream: Some("x".into()), deleted: true });
        assert_eq!((entry.times, entry.size, entry.kind), ([1, 2, 3, 4], 7, Kind::File));
        let (key, entry) = read("a", "33-144-1", "d/drwxrwxrwx").unwrap();
        assert!(key.stream.is_none() && entry.kind == Kind::Directory && !key.deleted);
        assert_eq!(read("l -> t", "12", "l/lrwxrwxrwx").unwrap().0.path, "l");
        assert_eq!(read("$Secure:$SII", "9-144-4", "r/rr-xr-xr-x").unwrap().1.kind, Kind::Other);
        assert!(read("d/.:x", "32-128-3", "d/d").is_none());
        assert!(read("a ($FILE_NAME)", "33-48-2", "d/d").is_none());
        assert!(read("$OrphanFiles", "39", "V/V---------").is_none());
        assert!(line("not a line").is_none());
    }
}
