//! Hashing a piece of evidence at a recorded level.
//!
//! The result is the SHA-256 of a manifest: one line for each regular file and each symbolic link, sorted by the
//! bytes of the path.
//! A line is `path TAB size TAB seal LF`.
//! `path` is the written [`EvidencePath`](crate::EvidencePath), which holds neither TAB nor LF.
//!
//! For a regular file `size` is its bytes in decimal, and `seal` is
//! - at [`IntegrityLevel::Stat`]: the raw modification time, `seconds.nanoseconds` with nine decimals, or `-` if
//!   there is none;
//! - at [`IntegrityLevel::Sampled`]: 64 lower-case hex digits, SHA-256 of the first 64 KiB followed by the last
//!   64 KiB; a file of at most 128 KiB is hashed whole;
//! - at [`IntegrityLevel::Full`]: 64 lower-case hex digits, SHA-256 of every byte;
//! - `unread` if the file cannot be read, which is also a gap.
//!
//! For a link `size` is `link`, and `seal` is the SHA-256 of its written target at every level.
//! Folders and entries of other kinds have no line; folders that cannot be read are gaps.
//!
//! For a disk image, the files that contain it are hashed, segment after segment, and not the files inside it:
//! - at [`IntegrityLevel::Full`] the result is the SHA-256 of their bytes: for a raw image what `sha256sum`
//!   prints, for a split one that of the whole;
//! - at the other levels it is the SHA-256 of a manifest of these files as above, by file name.
//!
//! For an E01 this is the hash of the container's files, not the acquisition hash, which covers the medium and
//! is stored in the container.

mod container;
mod zeros;

use crate::error::{HashError, ReadError};
use crate::inner;
use crate::path::EvidencePath;
use crate::read::{ReadAt, read_full_at};
use crate::tree::{Node, NodeKind, Tree};
use crate::walk::{Step, walk};
use ledger::{Digest, Gap, Integrity, IntegrityLevel};
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// Bytes read at once.
const PIECE: usize = 1 << 20;

/// Bytes at either end that [`IntegrityLevel::Sampled`] covers.
const SAMPLE: u64 = 64 << 10;

/// Hashes everything in `tree`; what could not be read is returned as gaps.
pub fn hash(tree: &dyn Tree, level: IntegrityLevel) -> Result<(Integrity, Vec<Gap>), HashError> {
    if !tree.container().is_empty() {
        return container::hash(tree.label(), tree.container(), level)
            .map(|integrity| (integrity, Vec::new()));
    }
    let error = |source| HashError::Root { label: tree.label().to_owned(), source };
    let absent = || ReadError::Absent { path: EvidencePath::root() };
    let root = tree.node(&EvidencePath::root()).map_err(error)?.ok_or_else(absent).map_err(error)?;
    tree.entries(&root).map_err(error)?;

    let mut hashing =
        Hashing { buffer: vec![0; PIECE], lines: Vec::new(), files: 0, bytes: 0, gaps: Vec::new() };
    for step in walk(tree, &root) {
        match step {
            Step::Node(node) => {
                hashing.add(tree, &node, level);
                hashing.gaps.extend(inner::image(tree, &node));
            }
            // For some images, the walk reports the gap, too.
            Step::Gap(gap) if hashing.gaps.last() == Some(&gap) => {}
            Step::Gap(gap) => hashing.gaps.push(gap),
            // A damaged folder may hide files, which were not hashed.
            Step::Defect(defect) => hashing.gaps.push(Gap { path: defect.path, reason: defect.what }),
        }
    }
    Ok(hashing.finish(level))
}

/// Hashes the archive `path` of the examiner's machine as [`hash`] does, without opening it: a compressed tar
/// would have to be expanded.
pub fn hash_archive(path: &Path, label: &str, level: IntegrityLevel) -> Result<Integrity, HashError> {
    let container = |source| HashError::Container { label: label.to_owned(), path: path.to_owned(), source };
    let file = path.canonicalize().map_err(container)?;
    container::hash(label, &[file], level)
}

struct Hashing {
    buffer: Vec<u8>,
    /// The path, and the rest of the line.
    lines: Vec<(EvidencePath, String)>,
    files: u64,
    bytes: u64,
    gaps: Vec<Gap>,
}

impl Hashing {
    fn add(&mut self, tree: &dyn Tree, node: &Node, level: IntegrityLevel) {
        let rest = match &node.kind {
            NodeKind::Directory | NodeKind::Other => return,
            NodeKind::Symlink { target } => format!("link\t{}", Digest::of(target.as_bytes())),
            NodeKind::File => {
                self.files += 1;
                self.bytes = self.bytes.saturating_add(node.size);
                let seal = self.seal(tree, node, level).unwrap_or_else(|error| {
                    self.gaps.push(Gap { path: node.path.as_str().to_owned(), reason: error.to_string() });
                    "unread".to_owned()
                });
                format!("{}\t{seal}", node.size)
            }
        };
        self.lines.push((node.path.clone(), rest));
    }

    fn seal(&mut self, tree: &dyn Tree, node: &Node, level: IntegrityLevel) -> Result<String, ReadError> {
        let size = node.size;
        let spans = match level {
            IntegrityLevel::Stat => {
                return Ok(node.times.modified.as_ref().map_or("-".to_owned(), |time| time.raw.clone()));
            }
            IntegrityLevel::Sampled if size > 2 * SAMPLE => vec![(0, SAMPLE), (size - SAMPLE, SAMPLE)],
            IntegrityLevel::Sampled | IntegrityLevel::Full => vec![(0, size)],
        };
        let mut reader = tree.open(node, None)?;
        let mut hasher = Sha256::new();
        let mut hashed = 0;
        for (offset, length) in spans {
            self.feed(reader.as_mut(), offset, length, hashed, &mut hasher)?;
            hashed += length;
        }
        Ok(Digest::from_bytes(hasher.finalize().into()).to_string())
    }

    /// Hashes bytes of a file after the `hashed` bytes that came before.
    fn feed(
        &mut self,
        reader: &mut dyn ReadAt,
        offset: u64,
        length: u64,
        hashed: u64,
        hasher: &mut Sha256,
    ) -> Result<(), ReadError> {
        let mut done = 0;
        while done < length {
            let hole = reader.stored_from(offset + done).saturating_sub(offset + done).min(length - done);
            zeros::feed(hashed + done, hole, hasher);
            done += hole;
            if done == length {
                break;
            }
            let wanted = usize::try_from(length - done).unwrap_or(PIECE).min(PIECE);
            let buffer = self.buffer.get_mut(..wanted).unwrap_or_default();
            let read = read_full_at(reader, offset + done, buffer)?;
            hasher.update(buffer.get(..read).unwrap_or_default());
            done += read as u64;
            if read < wanted {
                let path = reader.path().clone();
                return Err(ReadError::Short { path, offset, expected: length, actual: done });
            }
        }
        Ok(())
    }

    fn finish(mut self, level: IntegrityLevel) -> (Integrity, Vec<Gap>) {
        self.lines.sort();
        let mut hasher = Sha256::new();
        for (path, rest) in &self.lines {
            hasher.update(format!("{}\t{rest}\n", path.as_str()));
        }
        let sha256 = Digest::from_bytes(hasher.finalize().into());
        (Integrity { level, sha256, files: self.files, bytes: self.bytes }, self.gaps)
    }
}
