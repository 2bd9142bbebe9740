//! Reads one hive for an artifact: keys and values, with all damage reported and all work bounded.

use super::values::Values;
use crate::hive_file;
use crate::hive_state::State;
use crate::hives::HiveFile;
use crate::intake::{Flow, Intake};
use artifacts::registry::{self, Hive, HiveType, Key, LookupError, ValueData};
use evidence::{Node, Tree};
use ledger::{Gap, Record};

/// The work allowed for every hive, in list entries, in addition to what grows with its size.
const LEAST_WORK: u64 = 1 << 18;

/// One hive, as an artifact reads it.
pub(crate) struct Reader<'c, 'h> {
    pub(crate) tree: &'h dyn Tree,
    pub(crate) node: &'h Node,
    pub(crate) bytes: &'h [u8],
    pub(crate) hive: &'h Hive<'h>,
    pub(crate) hive_type: HiveType,
    state: &'h State,
    out: &'c mut dyn Intake,
    /// How many list entries may still be read: in a hostile hive every key can share the largest list.
    work: u64,
}

impl<'c, 'h> Reader<'c, 'h> {
    pub(crate) fn new(
        file: &'h HiveFile<'h>,
        hive_type: HiveType,
        out: &'c mut dyn Intake,
    ) -> Reader<'c, 'h> {
        let (tree, node, bytes, hive) = (file.tree, file.node, file.bytes, &file.hive);
        let work = LEAST_WORK.saturating_add(bytes.len() as u64);
        Reader { tree, node, bytes, hive, hive_type, state: file.state, out, work }
    }

    /// Returns the key at a path from the root; damage that may hide it is reported.
    pub(crate) fn key(&mut self, path: &str) -> Option<Key<'h>> {
        match self.hive.root() {
            Ok(root) => self.below(&root, path),
            Err(defect) => {
                self.damage(&[defect]);
                None
            }
        }
    }

    /// Returns the key at a path from `key`; damage that may hide it is reported.
    pub(crate) fn below(&mut self, key: &Key<'h>, path: &str) -> Option<Key<'h>> {
        let mut key = key.clone();
        for name in path.split('\\').filter(|name| !name.is_empty()) {
            if !self.spend(u64::from(key.subkey_count)) {
                return None;
            }
            match self.hive.child(&key, name) {
                Ok(child) => key = child?,
                Err(error) => {
                    self.hidden(error);
                    return None;
                }
            }
        }
        Some(key)
    }

    /// Returns the subkeys of a key in stored order.
    pub(crate) fn children(&mut self, key: &Key<'h>) -> Vec<Key<'h>> {
        if !self.spend(u64::from(key.subkey_count)) {
            return Vec::new();
        }
        let (children, defects) = self.hive.children(key);
        self.damage(&defects);
        children
    }

    /// Returns the values of a key.
    pub(crate) fn values(&mut self, key: &Key<'h>) -> Values<'h> {
        if !self.spend(u64::from(key.value_count)) {
            return Values::default();
        }
        let (values, defects) = self.hive.values(key);
        // Values may share their data, so its length counts as work, too.
        let bytes: u64 = values.iter().map(|value| value.raw.len() as u64).sum();
        self.spend(bytes / 64);
        let (values, defects) = Values::new(&self.node.path, values, defects);
        self.damage(&defects);
        values
    }

    /// Returns the key at a path from the root, with its values.
    pub(crate) fn key_and_values(&mut self, path: &str) -> Option<(Key<'h>, Values<'h>)> {
        let key = self.key(path)?;
        let values = self.values(&key);
        Some((key, values))
    }

    /// Returns the control set that Windows used last: the one that `Select\Current` names.
    ///
    /// Control sets are never mixed: if it is unknown which one was used, that is a gap.
    pub(crate) fn control_set(&mut self) -> Option<Key<'h>> {
        let current = self.key("Select").and_then(|select| {
            let values = self.values(&select);
            match values.get("Current").map(|held| &held.value.data) {
                Some(ValueData::Dword(current)) => Some(*current),
                _ => None,
            }
        });
        let reason = match current {
            Some(current) => {
                let name = format!("ControlSet{current:03}");
                match self.key(&name) {
                    Some(key) => return Some(key),
                    None => format!("Select\\Current is {current}, but there is no {name} that can be read"),
                }
            }
            None => {
                "Select\\Current is missing or no REG_DWORD: the active control set is not known".to_owned()
            }
        };
        self.gap(reason);
        None
    }

    /// Hands over a record.
    pub(crate) fn push(&mut self, record: Record) -> Flow {
        self.out.push(self.state.record(record))
    }

    /// Reports a part of this hive that is not examined.
    pub(crate) fn gap(&mut self, reason: String) {
        self.out.gap(Gap { path: self.node.path.as_str().to_owned(), reason });
    }

    /// Adds a note about this hive for the agent.
    pub(crate) fn note(&mut self, note: &str) {
        self.out.note(format!("{}: {note}", self.node.path));
    }

    fn damage(&mut self, defects: &[registry::Defect]) {
        for defect in defects {
            let words = self.state.defect(hive_file::defect(&self.node.path, defect));
            if defect.what.hides_records() { self.out.hidden(words) } else { self.out.defect(words) }
        }
    }

    fn hidden(&mut self, error: LookupError) {
        match error {
            LookupError::Root(defect) => self.damage(&[defect]),
            LookupError::Incomplete { defects, .. } => self.damage(&defects),
        }
    }

    /// Uses up some of the remaining work; `false`, and a gap, once none is left.
    fn spend(&mut self, entries: u64) -> bool {
        // A count may be false; no list is longer than the hive.
        let entries = entries.min(self.bytes.len() as u64 / 4).saturating_add(1);
        match self.work.checked_sub(entries) {
            Some(left) => {
                self.work = left;
                true
            }
            None => {
                self.work = 0;
                self.gap("its lists are longer than the hive is large: not all of them were read".to_owned());
                false
            }
        }
    }
}
