//! What determines the rows of a file: its bytes, and those of the files that belong to it.

use evidence::{EvidencePath, Node, NodeKind, ReadError, Tree, read_full_at};
use ledger::Digest;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// How many bytes are read at once.
const PIECE: usize = 1 << 20;

/// The longest file whose rows are kept: decoding a longer one is faster than hashing it.
const LONGEST: u64 = 4 << 30;

/// A hasher that identifies the contents of files.
pub(crate) struct Contents<'t> {
    tree: &'t dyn Tree,
    /// The files of the folder that was listed last, by their names in lower case.
    folder: Option<(EvidencePath, BTreeMap<String, Node>)>,
}

impl<'t> Contents<'t> {
    pub(crate) fn new(tree: &'t dyn Tree) -> Contents<'t> {
        Contents { tree, folder: None }
    }

    /// Returns a digest of what determines the rows of a file, or of its stream; `None` if it cannot be read.
    ///
    /// Files beside it whose names begin with its own belong to it: transaction logs of a hive, the journal of a database.
    pub(crate) fn of(&mut self, node: &Node, stream: Option<&str>) -> Option<Digest> {
        let mut hasher = Sha256::new();
        let parts =
            ["locard timeline rows", self.tree.label(), node.path.as_str(), stream.unwrap_or_default()];
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        self.add(node, stream, &mut hasher).ok()??;
        for other in self.beside(node).ok()? {
            hasher.update((other.name.len() as u64).to_le_bytes());
            hasher.update(&other.name);
            self.add(&other, None, &mut hasher).ok()??;
        }
        Some(Digest::from_bytes(hasher.finalize().into()))
    }

    fn add(&self, node: &Node, stream: Option<&str>, hasher: &mut Sha256) -> Result<Option<()>, ReadError> {
        let mut reader = self.tree.open(node, stream)?;
        let length = reader.len();
        if length > LONGEST {
            return Ok(None);
        }
        hasher.update(length.to_le_bytes());
        let mut buffer = vec![0; PIECE];
        let mut at = 0;
        while at < length {
            let read = read_full_at(reader.as_mut(), at, &mut buffer)?;
            if read == 0 {
                return Ok(None);
            }
            hasher.update(buffer.get(..read).unwrap_or_default());
            at = at.saturating_add(read as u64);
        }
        Ok(Some(()))
    }

    fn beside(&mut self, node: &Node) -> Result<Vec<Node>, ReadError> {
        let Some(path) = node.path.parent() else { return Ok(Vec::new()) };
        if self.folder.as_ref().is_none_or(|(known, _)| *known != path) {
            let Some(folder) = self.tree.node(&path)? else { return Ok(Vec::new()) };
            let nodes = self.tree.children(&folder)?.nodes.into_iter();
            let files = nodes.filter(|node| node.kind == NodeKind::File);
            let named = files.map(|node| (node.name.to_lowercase(), node)).collect();
            self.folder = Some((path, named));
        }
        let Some((_, files)) = &self.folder else { return Ok(Vec::new()) };
        let name = node.name.to_lowercase();
        let after = files.range(name.clone()..).take_while(|(other, _)| other.starts_with(&name));
        Ok(after.map(|(_, other)| other).filter(|other| other.path != node.path).cloned().collect())
    }
}
