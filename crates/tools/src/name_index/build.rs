//! Builds an index by one walk.

use super::error::BuildError;
use super::layout::{Head, Kind, NONE, Name, Row, TOO_DEEP};
use super::names::Key;
use super::remarks::{Placed, Remark};
use crate::hive_file::{self, Head as Beginning};
use evidence::{EvidencePath, FileReference, MAX_DEPTH, Node, NodeKind, ReadError, Step, Tree, walk};
use ledger::pattern::fold;
use std::collections::HashMap;

/// An index, ready to be written to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltIndex {
    /// The bytes of the file; equal trees give equal bytes.
    pub bytes: Vec<u8>,
    /// How many entries it has.
    pub entries: u64,
}

/// Walks over `tree`, looks at the first bytes of each file, and makes an index of it.
pub fn build(tree: &dyn Tree) -> Result<BuiltIndex, BuildError> {
    let absent = || ReadError::Absent { path: EvidencePath::root() };
    let root = tree.node(&EvidencePath::root()).and_then(|root| root.ok_or_else(absent));
    let root = root.map_err(BuildError::Root)?;
    tree.entries(&root).map_err(BuildError::Root)?;
    // Identical copies of a folder have different file numbers, because the machine assigned them.
    let keeps_references = !tree.container().is_empty();
    let mut building = Building::default();
    for step in walk(tree, &root) {
        match step {
            Step::Node(node) => {
                // A file that cannot be read is checked again by a search for hives.
                let may_be_hive =
                    || hive_file::head(tree, &node).map_or(true, |head| head == Beginning::Hive);
                let kind = Kind::of(&node.kind, may_be_hive);
                building.add(&node, kind, keeps_references)?;
            }
            Step::Defect(defect) => building.remark(Remark::Defect(defect))?,
            Step::Gap(gap) => building.remark(Remark::Gap(gap))?,
        }
    }
    building.finish(&tree.listing().unwrap_or_default())
}

#[derive(Default)]
struct Building {
    rows: Vec<Row>,
    /// Each name once, numbered in the order of first occurrence.
    names: HashMap<Box<str>, u32>,
    remarks: Vec<Placed>,
    /// The folders from the root to the last entry.
    open: Vec<u32>,
    too_deep: bool,
}

impl Building {
    fn add(&mut self, node: &Node, kind: Kind, keeps_reference: bool) -> Result<(), BuildError> {
        let row = self.next_row()?;
        let depth = node.path.components().count();
        self.close(depth.saturating_sub(1), row);
        if node.kind == NodeKind::Directory && depth > MAX_DEPTH {
            self.too_deep = true;
        }
        let next = u32::try_from(self.names.len()).unwrap_or(NONE);
        let name = match self.names.get(node.name.as_str()) {
            Some(name) => *name,
            None => *self.names.entry(node.name.as_str().into()).or_insert(next),
        };
        let reference: Option<FileReference> = node.reference.filter(|_| keeps_reference);
        let parent = self.open.last().copied();
        self.rows.push(Row { parent, name, end: row + 1, kind, size: node.size, reference });
        self.open.push(row);
        Ok(())
    }

    fn remark(&mut self, remark: Remark) -> Result<(), BuildError> {
        let at = self.next_row()?;
        self.remarks.push(Placed { at, remark });
        Ok(())
    }

    fn next_row(&self) -> Result<u32, BuildError> {
        let limit = u64::from(NONE) - 1;
        u32::try_from(self.rows.len())
            .ok()
            .filter(|row| u64::from(*row) < limit)
            .ok_or(BuildError::TooMany { what: "entries", limit })
    }

    /// Closes the folders deeper than `depth`: the next row is `end`.
    fn close(&mut self, depth: usize, end: u32) {
        for row in self.open.drain(depth.min(self.open.len())..) {
            if let Some(row) = usize::try_from(row).ok().and_then(|row| self.rows.get_mut(row)) {
                row.end = end;
            }
        }
    }

    fn finish(mut self, listing: &[u8]) -> Result<BuiltIndex, BuildError> {
        let count = self.next_row()?;
        self.close(0, count);
        let (names, texts) = self.sort_names()?;
        let mut remarks = Vec::new();
        let mut remark_texts = Vec::new();
        for remark in &self.remarks {
            let many = BuildError::TooMany { what: "bytes of a remark", limit: u64::from(u32::MAX) };
            remark.write(&mut remarks, &mut remark_texts).ok_or(many)?;
        }
        let number = |length: usize, what| {
            u32::try_from(length).map_err(|_| BuildError::TooMany { what, limit: u64::from(u32::MAX) })
        };
        let head = Head {
            flags: if self.too_deep { TOO_DEEP } else { 0 },
            rows: count,
            // Without the extra one that ends the last.
            names: number(names.len().saturating_sub(1), "names")?,
            remarks: number(self.remarks.len(), "remarks")?,
            texts: [texts.folded.len() as u64, texts.written.len() as u64, remark_texts.len() as u64],
            listing: listing.len() as u64,
        };
        let mut bytes = head.write();
        let postings = self.write_names(&names, &mut bytes);
        for row in &self.rows {
            row.write(&mut bytes);
        }
        for part in [&*postings, &remarks, &texts.folded, &texts.written, &remark_texts, listing] {
            bytes.extend_from_slice(part);
        }
        Ok(BuiltIndex { bytes, entries: u64::from(count) })
    }

    /// Sorts the names, and updates the name numbers in the rows.
    fn sort_names(&mut self) -> Result<(Vec<Name>, Texts), BuildError> {
        let met = std::mem::take(&mut self.names);
        let mut sorted: Vec<(String, Box<str>, u32)> =
            met.into_iter().map(|(name, number)| (fold(&name), name, number)).collect();
        sorted.sort_unstable_by(|a, b| (Key::of(&a.0), &a.1).cmp(&(Key::of(&b.0), &b.1)));
        let mut texts = Texts::default();
        let mut names = Vec::with_capacity(sorted.len() + 1);
        let mut numbers = vec![0; sorted.len()];
        for (new, (folded, name, old)) in (0u32..).zip(&sorted) {
            names.push(texts.add(folded, name)?);
            if let Some(number) = usize::try_from(*old).ok().and_then(|old| numbers.get_mut(old)) {
                *number = new;
            }
        }
        names.push(texts.add("", "")?);
        for row in &mut self.rows {
            let new = usize::try_from(row.name).ok().and_then(|old| numbers.get(old));
            row.name = new.copied().unwrap_or(NONE);
        }
        Ok((names, texts))
    }

    /// Writes the names with their first postings, and returns the postings.
    fn write_names(&self, names: &[Name], bytes: &mut Vec<u8>) -> Vec<u8> {
        let mut rows: Vec<(u32, u32)> =
            (0..).zip(&self.rows).map(|(number, row)| (row.name, number)).collect();
        rows.sort_unstable();
        let mut from = rows.iter().peekable();
        let mut posting = 0;
        for (number, name) in (0..).zip(names) {
            Name { posting, ..*name }.write(bytes);
            while from.next_if(|(name, _)| *name == number).is_some() {
                posting += 1;
            }
        }
        rows.iter().flat_map(|(_, row)| row.to_le_bytes()).collect()
    }
}

#[derive(Default)]
struct Texts {
    folded: Vec<u8>,
    written: Vec<u8>,
}

impl Texts {
    fn add(&mut self, folded: &str, name: &str) -> Result<Name, BuildError> {
        let offset = |text: &Vec<u8>| {
            let limit = u64::from(NONE) - 1;
            u32::try_from(text.len())
                .ok()
                .filter(|offset| *offset < NONE)
                .ok_or(BuildError::TooMany { what: "bytes of names", limit })
        };
        let length = |text: &str| {
            let many = BuildError::TooMany { what: "bytes of a name", limit: u64::from(u16::MAX) };
            u16::try_from(text.len()).map_err(|_| many)
        };
        let (folded_at, folded_length) = (offset(&self.folded)?, length(folded)?);
        self.folded.extend(folded.as_bytes());
        let (written, written_length) = match folded == name {
            true => (NONE, 0),
            false => (offset(&self.written)?, length(name)?),
        };
        if written != NONE {
            self.written.extend(name.as_bytes());
        }
        Ok(Name { folded: folded_at, folded_length, written, written_length, posting: 0 })
    }
}
