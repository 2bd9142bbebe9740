//! Files in memory as a tree: for bytes that do not come from a file system, such as those of a fuzzer.

use crate::error::ReadError;
use crate::path::EvidencePath;
use crate::read::{Extent, ReadAt};
use crate::tree::{Listing, Node, NodeKind, Tree};
use ledger::ByteSpan;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Files in memory, and the folders of their paths.
#[derive(Debug, Clone)]
pub struct MemoryTree {
    label: String,
    /// `None` for a folder; always holds the root.
    entries: BTreeMap<EvidencePath, Option<Arc<[u8]>>>,
}

/// Creates a tree of these files; if two have the same path, the later one is kept.
///
/// If a file is below another file, the upper one becomes a folder and loses its content: a path cannot be both.
pub fn memory_tree(label: &str, files: impl IntoIterator<Item = (EvidencePath, Arc<[u8]>)>) -> MemoryTree {
    let mut entries = BTreeMap::from([(EvidencePath::root(), None)]);
    for (path, bytes) in files {
        let mut folder = path.parent();
        while let Some(path) = folder {
            folder = path.parent();
            entries.insert(path, None);
        }
        entries.entry(path).or_insert(None).replace(bytes);
    }
    MemoryTree { label: label.to_owned(), entries }
}

impl MemoryTree {
    fn describe(path: &EvidencePath, bytes: Option<&Arc<[u8]>>) -> Node {
        let folder = Node::folder(path.clone());
        match bytes {
            Some(bytes) => Node { kind: NodeKind::File, size: bytes.len() as u64, ..folder },
            None => folder,
        }
    }

    /// Returns the path as spelled in the tree.
    fn spelling(&self, path: &EvidencePath) -> Result<Option<&EvidencePath>, ReadError> {
        if let Some((exact, _)) = self.entries.get_key_value(path) {
            return Ok(Some(exact));
        }
        let lower = path.as_str().to_lowercase();
        let mut same = self.entries.keys().filter(|path| path.as_str().to_lowercase() == lower);
        match (same.next(), same.next()) {
            (Some(first), Some(second)) => Err(ReadError::AmbiguousCase {
                path: path.clone(),
                first: first.clone(),
                second: second.clone(),
            }),
            (only, _) => Ok(only),
        }
    }
}

impl Tree for MemoryTree {
    fn label(&self) -> &str {
        &self.label
    }

    fn node(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        let found = self.spelling(path)?.and_then(|path| self.entries.get_key_value(path));
        Ok(found.map(|(path, bytes)| MemoryTree::describe(path, bytes.as_ref())))
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        let path = &directory.path;
        match self.entries.get(path) {
            Some(None) => {}
            Some(Some(_)) => return Err(ReadError::NotADirectory { path: path.clone() }),
            None => return Err(ReadError::Absent { path: path.clone() }),
        }
        let inside = self.entries.iter().filter(|(entry, _)| entry.parent().as_ref() == Some(path));
        let mut nodes: Vec<_> =
            inside.map(|(path, bytes)| MemoryTree::describe(path, bytes.as_ref())).collect();
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Listing { nodes, ..Listing::default() })
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        let path = node.path.clone();
        if let Some(stream) = stream {
            return Err(ReadError::NoStream { path, stream: stream.to_owned() });
        }
        match self.entries.get(&path) {
            Some(Some(bytes)) => Ok(Box::new(MemoryReader { path, bytes: Arc::clone(bytes) })),
            Some(None) => Err(ReadError::NotAFile { path }),
            None => Err(ReadError::Absent { path }),
        }
    }
}

/// The bytes of one file in memory.
struct MemoryReader {
    path: EvidencePath,
    bytes: Arc<[u8]>,
}

impl ReadAt for MemoryReader {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn path(&self) -> &EvidencePath {
        &self.path
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let rest =
            usize::try_from(offset).ok().and_then(|offset| self.bytes.get(offset..)).unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer.iter_mut().zip(rest).for_each(|(into, byte)| *into = *byte);
        Ok(read)
    }

    fn provenance(&self, span: ByteSpan) -> Vec<Extent> {
        let length = span.length.min(self.len().saturating_sub(span.offset));
        let container = self.path.as_str().to_owned();
        (length > 0).then_some(Extent { container, offset: span.offset, length }).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{MemoryTree, memory_tree};
    use crate::{EvidencePath, NodeKind, ReadError, Tree, read_all};

    fn tree() -> MemoryTree {
        let file = |path, bytes: &[u8]| (EvidencePath::parse(path).unwrap(), bytes.into());
        memory_tree("memory", [file("Windows/System32/a.dat", b"abc"), file("Windows/b.dat", b"")])
    }

    #[test]
    fn folders_hold_what_the_paths_say() {
        let tree = tree();
        let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
        let [windows] = tree.children(&root).unwrap().nodes.try_into().unwrap();
        let names: Vec<_> =
            tree.children(&windows).unwrap().nodes.into_iter().map(|node| (node.name, node.kind)).collect();
        assert_eq!(names, [("System32".into(), NodeKind::Directory), ("b.dat".into(), NodeKind::File)]);
    }

    #[test]
    fn a_file_is_found_in_any_letter_case_and_read() {
        let tree = tree();
        let node = tree.node(&EvidencePath::parse("WINDOWS/system32/A.DAT").unwrap()).unwrap().unwrap();
        assert_eq!((node.path.as_str(), node.size), ("Windows/System32/a.dat", 3));
        assert_eq!(read_all(tree.open(&node, None).unwrap().as_mut(), 10).unwrap(), b"abc");
        assert!(matches!(tree.open(&node, Some("s")), Err(ReadError::NoStream { .. })));
    }
}
