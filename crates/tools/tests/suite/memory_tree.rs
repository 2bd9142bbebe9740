//! Evidence in memory, with damage on request; the benchmark of the name index uses it, too.

use evidence::{
    EvidencePath, FileReference, Listing, MacbTimes, Node, NodeKind, NodeState, ReadAt, ReadError, Tree,
};
use ledger::{Defect, Gap};
use std::path::PathBuf;

/// A tree in memory; entries are added folder by folder and then sealed.
pub(crate) struct MemoryTree {
    label: String,
    entries: Vec<Entry>,
    container: Vec<PathBuf>,
}

#[derive(Default)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) parent: usize,
    /// `None` for a folder.
    pub(crate) size: Option<u64>,
    /// Whether the folder cannot be listed.
    pub(crate) closed: bool,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) defects: Vec<Defect>,
    /// Sorted by name once the tree is sealed.
    children: Vec<usize>,
}

impl MemoryTree {
    /// Makes an empty tree; if it is an image, its entries have numbers that are kept.
    pub(crate) fn new(label: &str, image: bool) -> MemoryTree {
        let container = if image { vec![PathBuf::from("/nowhere.raw")] } else { Vec::new() };
        MemoryTree { label: label.to_owned(), entries: vec![Entry::default()], container }
    }

    /// Adds an entry to the folder `parent`, 0 being the root, and returns its number.
    pub(crate) fn add(&mut self, parent: usize, name: &str, size: Option<u64>) -> usize {
        let number = self.entries.len();
        self.entries.push(Entry { name: name.to_owned(), parent, size, ..Entry::default() });
        self.entries[parent].children.push(number);
        number
    }

    pub(crate) fn entry(&mut self, number: usize) -> &mut Entry {
        &mut self.entries[number]
    }

    /// Returns the number of entries so far, including the root.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Checks whether the folder has exactly this name.
    pub(crate) fn has(&self, parent: usize, name: &str) -> bool {
        self.entries[parent].children.iter().any(|child| self.entries[*child].name == name)
    }

    pub(crate) fn is_folder(&self, number: usize) -> bool {
        self.entries[number].size.is_none()
    }

    /// Returns the path of the entry.
    pub(crate) fn path(&self, number: usize) -> EvidencePath {
        let mut names = Vec::new();
        let mut at = number;
        while at != 0 {
            names.push(self.entries[at].name.as_str());
            at = self.entries[at].parent;
        }
        names.reverse();
        EvidencePath::parse(&names.join("/")).unwrap()
    }

    /// Sorts the folders.
    pub(crate) fn seal(&mut self) {
        for number in 0..self.entries.len() {
            let mut children = std::mem::take(&mut self.entries[number].children);
            children.sort_by(|a, b| self.entries[*a].name.cmp(&self.entries[*b].name));
            self.entries[number].children = children;
        }
    }

    fn find(&self, path: &EvidencePath) -> Result<Option<usize>, ReadError> {
        let mut at = 0;
        for name in path.components() {
            let Some(child) = self.child(at, name)? else { return Ok(None) };
            at = child;
        }
        Ok(Some(at))
    }

    fn child(&self, folder: usize, name: &str) -> Result<Option<usize>, ReadError> {
        let children = &self.entries[folder].children;
        if let Ok(place) = children.binary_search_by(|child| self.entries[*child].name.as_str().cmp(name)) {
            // The first of several: a name that occurs twice in a folder is damage.
            let first = children[..place].iter().rposition(|child| self.entries[*child].name != name);
            return Ok(Some(children[first.map_or(0, |before| before + 1)]));
        }
        let lower = name.to_lowercase();
        let mut same = children.iter().filter(|child| self.entries[**child].name.to_lowercase() == lower);
        match (same.next(), same.next()) {
            (None, _) => Ok(None),
            (Some(only), None) => Ok(Some(*only)),
            (Some(first), Some(second)) => Err(ReadError::AmbiguousCase {
                path: self.path(folder),
                first: self.path(*first),
                second: self.path(*second),
            }),
        }
    }

    fn make(&self, number: usize, path: EvidencePath) -> Node {
        let entry = &self.entries[number];
        Node {
            name: entry.name.clone(),
            kind: if entry.size.is_some() { NodeKind::File } else { NodeKind::Directory },
            size: entry.size.unwrap_or(0),
            times: MacbTimes::default(),
            name_times: None,
            links: None,
            reference: Some(FileReference::Mft { entry: number as u64, sequence: 7 }),
            state: NodeState::Allocated,
            streams: Vec::new(),
            path,
        }
    }
}

fn number(reference: Option<FileReference>) -> usize {
    match reference {
        Some(FileReference::Mft { entry, .. }) => entry as usize,
        other => panic!("{other:?} is no number of a tree in memory"),
    }
}

impl Tree for MemoryTree {
    fn label(&self) -> &str {
        &self.label
    }

    fn node(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        let Some(number) = self.find(path)? else { return Ok(None) };
        // The evidence's own spelling, for which a path must be built.
        Ok(Some(self.make(number, self.path(number))))
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        let entry = &self.entries[number(directory.reference)];
        if entry.closed {
            return Err(ReadError::NotADirectory { path: directory.path.clone() });
        }
        let make = |child: &usize| {
            let path = directory.path.child(&self.entries[*child].name).unwrap();
            self.make(*child, path)
        };
        let nodes = entry.children.iter().map(make).collect();
        Ok(Listing { nodes, defects: entry.defects.clone(), gaps: entry.gaps.clone() })
    }

    fn node_at(&self, path: &EvidencePath, reference: FileReference) -> Result<Option<Node>, ReadError> {
        // A damaged index may name an entry of another file system, which does not exist here.
        let FileReference::Mft { entry, .. } = reference else { return Ok(None) };
        let number = usize::try_from(entry).unwrap_or(usize::MAX);
        let stands = number < self.entries.len() && self.path(number) == *path;
        Ok(stands.then(|| self.make(number, path.clone())))
    }

    fn open(&self, node: &Node, _: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        Err(ReadError::NotAFile { path: node.path.clone() })
    }

    fn container(&self) -> &[PathBuf] {
        &self.container
    }
}
