//! Assigns record numbers to paths: creates folders on demand, reuses records, and resolves names.

use super::error::BuildError;
use super::spec::{Deleted, EntrySpec, Kind, NtfsTimes, VolumeSpec};
use super::upcase::UpCase;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The record number and sequence number of the root folder.
pub(crate) const ROOT: (u64, u16) = (5, 5);

/// A file that gets a record, or a folder that had one.
pub(crate) struct Node<'a> {
    pub(crate) spec: Cow<'a, EntrySpec>,
    pub(crate) number: u64,
    /// Sequence number while it was in use.
    pub(crate) sequence: u16,
    /// The folder and name of each path.
    pub(crate) names: Vec<(usize, String)>,
    /// Whether another file took its record.
    pub(crate) gone: bool,
}

impl Node<'_> {
    pub(crate) fn live(&self) -> bool {
        !self.gone && self.spec.deleted == Deleted::No
    }

    pub(crate) fn is_directory(&self) -> bool {
        matches!(self.spec.kind, Kind::Directory | Kind::Junction(_))
    }
}

/// All files of the description; the first is the root.
pub(crate) struct Plan<'a> {
    spec: &'a VolumeSpec,
    /// The first record that no metafile uses.
    first: u64,
    pub(crate) nodes: Vec<Node<'a>>,
    /// The nodes by the path in their description.
    paths: BTreeMap<String, Vec<usize>>,
    /// The nodes of folders.
    folders: BTreeMap<String, usize>,
    /// The described folders by path.
    described: BTreeMap<&'a str, &'a EntrySpec>,
    /// Folders whose record another file took: their path, and that of the file.
    taken: BTreeMap<&'a str, &'a str>,
}

/// Plans a volume; `first` is the first record that no metafile uses.
pub(crate) fn plan<'a>(spec: &'a VolumeSpec, first: u64, upcase: &UpCase) -> Result<Plan<'a>, BuildError> {
    let mut plan = Plan {
        spec,
        first,
        nodes: Vec::new(),
        paths: BTreeMap::new(),
        folders: BTreeMap::from([(String::new(), 0)]),
        described: BTreeMap::new(),
        taken: BTreeMap::new(),
    };
    let mut root = EntrySpec::directory("");
    root.times = NtfsTimes::all(spec.time);
    plan.nodes.push(Node {
        spec: Cow::Owned(root),
        number: ROOT.0,
        sequence: ROOT.1,
        names: Vec::new(),
        gone: false,
    });
    for entry in &spec.entries {
        if entry.kind == Kind::Directory {
            plan.described.entry(&entry.path).or_insert(entry);
        }
        if let Deleted::Orphan { by } = &entry.deleted {
            plan.taken.insert(parent(&entry.path).0, by);
        }
    }
    for entry in &spec.entries {
        let known = plan.described.get(entry.path.as_str());
        if known.is_some_and(|known| std::ptr::eq(*known, entry)) {
            plan.folder(&entry.path)?;
        } else {
            plan.add(Cow::Borrowed(entry))?;
        }
    }
    plan.hard_links()?;
    plan.number()?;
    plan.check(upcase)?;
    Ok(plan)
}

/// Splits a path into folder and name.
fn parent(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

impl<'a> Plan<'a> {
    /// Finds the file at this path, preferring one in use to a deleted one.
    pub(crate) fn find(&self, path: &str) -> Option<usize> {
        let all = self.paths.get(path)?;
        all.iter().find(|at| self.nodes[**at].live()).or(all.first()).copied()
    }

    /// Finds the file in use at `wanted`, to which `path` refers.
    pub(crate) fn live(&self, path: &str, wanted: &str) -> Result<usize, BuildError> {
        let none = || BuildError::NoSuch { path: path.to_owned(), wanted: wanted.to_owned() };
        self.find(wanted).filter(|at| self.nodes[*at].live()).ok_or_else(none)
    }

    fn folder(&mut self, path: &str) -> Result<usize, BuildError> {
        if let Some(found) = self.folders.get(path) {
            return Ok(*found);
        }
        let entry = match self.described.get(path) {
            Some(entry) => Cow::Borrowed(*entry),
            None => {
                let mut made = EntrySpec::directory(path);
                made.times = NtfsTimes::all(self.spec.time);
                Cow::Owned(made)
            }
        };
        let node = self.add(entry)?;
        self.folders.insert(path.to_owned(), node);
        Ok(node)
    }

    fn add(&mut self, spec: Cow<'a, EntrySpec>) -> Result<usize, BuildError> {
        let name = self.name(&spec.path)?;
        let directory = spec.kind == Kind::Directory;
        let gone = directory && self.taken.contains_key(spec.path.as_str());
        self.paths.entry(spec.path.clone()).or_default().push(self.nodes.len());
        self.nodes.push(Node { spec, number: 0, sequence: 1, names: vec![name], gone });
        Ok(self.nodes.len() - 1)
    }

    fn name(&mut self, path: &str) -> Result<(usize, String), BuildError> {
        let (folder, name) = parent(path);
        let units = name.encode_utf16().count();
        if !(1..=255).contains(&units) {
            return Err(BuildError::Name { path: path.to_owned(), units });
        }
        Ok((self.folder(folder)?, name.to_owned()))
    }

    fn hard_links(&mut self) -> Result<(), BuildError> {
        for at in 0..self.nodes.len() {
            for path in self.nodes[at].spec.hard_links.clone() {
                let name = self.name(&path)?;
                self.nodes[at].names.push(name);
            }
        }
        Ok(())
    }

    /// Assigns records in order; a file that took a folder's record gets it with the next sequence number.
    fn number(&mut self) -> Result<(), BuildError> {
        let mut takers = BTreeMap::new();
        for (folder, by) in &self.taken {
            let Some(gone) = self.folders.get(*folder).copied().filter(|at| *at != 0) else {
                return Err(BuildError::Parent { path: (*by).to_owned() });
            };
            takers.insert(self.live(folder, by)?, gone);
        }
        let others = (1..self.nodes.len()).filter(|at| !takers.contains_key(at));
        for (number, at) in (self.first..).zip(others) {
            self.nodes[at].number = number;
        }
        for (taker, gone) in takers {
            self.nodes[taker].number = self.nodes[gone].number;
            self.nodes[taker].sequence = self.nodes[gone].sequence + 1;
        }
        Ok(())
    }

    fn check(&self, upcase: &UpCase) -> Result<(), BuildError> {
        let mut seen = BTreeSet::new();
        for node in self.nodes.iter().filter(|node| node.live()) {
            let path = || node.spec.path.clone();
            let short =
                node.spec.dos_name.iter().filter_map(|dos| Some((node.names.first()?.0, dos.clone())));
            for (folder, name) in node.names.iter().cloned().chain(short) {
                let above = &self.nodes[folder];
                if !above.live() || above.spec.kind != Kind::Directory {
                    return Err(BuildError::Parent { path: path() });
                }
                let units: Vec<u16> = name.encode_utf16().collect();
                if !seen.insert((folder, upcase.fold(&units))) {
                    return Err(BuildError::Duplicate { path: path() });
                }
            }
        }
        Ok(())
    }

    /// Returns the first unused record.
    pub(crate) fn end(&self) -> u64 {
        self.nodes.iter().map(|node| node.number + 1).fold(self.first, u64::max)
    }
}
