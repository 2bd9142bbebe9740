//! A volume, as we read it.

use super::entry::{Entries, Entry, Key, Kind};
use evidence::{
    DeletedStep, EvidencePath, ImageTree, MacbTimes, Node, NodeKind, Original, ReadAt, ReadError, Step, Tree,
    Volume, unescape_name, walk,
};
use ledger::{Digest, Time};
use sha2::{Digest as _, Sha256};

/// Lists all entries, allocated and deleted, with their streams.
pub(crate) fn list(tree: &ImageTree, volume: &Volume) -> Result<Entries, ReadError> {
    let mut entries = Entries::new();
    let absent = || ReadError::Absent { path: volume.path.clone() };
    let root = tree.node(&volume.path)?.ok_or_else(absent)?;
    for step in walk(tree, &root) {
        if let Step::Node(node) = step {
            add(&mut entries, &node, &below(&volume.path, &node.path), false);
        }
    }
    for step in tree.deleted(&volume.path)? {
        if let DeletedStep::Entry(found) = step {
            let path = match &found.original {
                Original::Path(path) => below(&volume.path, path),
                Original::Orphan(path) => format!("$OrphanFiles/{}", below(&volume.path, path)),
            };
            add(&mut entries, &found.node, &path, true);
        }
    }
    Ok(entries)
}

fn add(entries: &mut Entries, node: &Node, path: &str, deleted: bool) {
    let entry = Entry {
        id: node.path.as_str().to_owned(),
        kind: kind(&node.kind),
        size: node.size,
        times: times(&node.times),
    };
    for stream in &node.streams {
        let key = Key { path: path.to_owned(), stream: Some(stream.name.clone()), deleted };
        entries.insert(key, Entry { size: stream.size, kind: Kind::File, ..entry.clone() });
    }
    entries.insert(Key { path: path.to_owned(), stream: None, deleted }, entry);
}

fn kind(kind: &NodeKind) -> Kind {
    match kind {
        NodeKind::File => Kind::File,
        NodeKind::Directory => Kind::Directory,
        NodeKind::Symlink { .. } => Kind::Link,
        NodeKind::Other => Kind::Other,
    }
}

/// Returns the path within the volume, with names as stored on the medium.
fn below(volume: &EvidencePath, path: &EvidencePath) -> String {
    let plain = |name: &str| {
        let bytes = unescape_name(name).unwrap_or_else(|_| name.as_bytes().to_vec());
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let volume: Vec<_> = volume.components().collect();
    let inside = path.components().zip(volume.iter()).all(|(a, b)| a == *b);
    path.components().skip(if inside { volume.len() } else { 0 }).map(plain).collect::<Vec<_>>().join("/")
}

fn times(times: &MacbTimes) -> [i64; 4] {
    let seconds = |time: &Option<Time>| {
        let nanoseconds = time.as_ref().and_then(|time| time.utc).map(|utc| utc.unix_nanoseconds());
        nanoseconds.and_then(|value| i64::try_from(value.div_euclid(1_000_000_000)).ok()).unwrap_or(0)
    };
    [&times.modified, &times.accessed, &times.changed, &times.born].map(seconds)
}

/// Returns the SHA-256 of an entry's content, or why it cannot be read.
pub(crate) fn content(tree: &ImageTree, entries: &Entries, key: &Key) -> Result<Digest, String> {
    let entry = entries.get(key).ok_or("not listed")?;
    let path = EvidencePath::parse(&entry.id).map_err(|error| error.to_string())?;
    let hashed = || {
        let node = tree.node(&path)?.ok_or_else(|| ReadError::Absent { path: path.clone() })?;
        digest(tree.open(&node, key.stream.as_deref())?.as_mut())
    };
    hashed().map_err(|error: ReadError| error.to_string())
}

fn digest(reader: &mut dyn ReadAt) -> Result<Digest, ReadError> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut offset = 0;
    loop {
        match reader.read_at(offset, &mut buffer)? {
            0 => return Ok(Digest::from_bytes(hasher.finalize().into())),
            read => {
                hasher.update(buffer.get(..read).unwrap_or_default());
                offset += read as u64;
            }
        }
    }
}
