//! Key and value records in free cells: remnants of deleted keys and values, or of records that were moved.
//!
//! A freed cell keeps its content until the space is used again (section "Cell"), even if it becomes part of a
//! larger free cell.
//! Nothing marks such content as a record, so every field is checked against the format, and anything that does
//! not fit is not a record.
//! Free space inside cells in use is a few bytes at most, and is not searched.

mod data;
mod free;
mod record;

use super::header::Filetime;
use super::lists::Budget;
use super::value::{self, Extent, ValueData, ValueKind};
use super::{Hive, MAX_DEPTH};
use free::Free;
use record::{Found, FoundKey, FoundValue};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// A remnant in the free space of a hive.
#[derive(Clone, Debug)]
pub enum Remnant<'h> {
    /// A remnant of a key.
    Key(DeletedKey),
    /// A remnant of a value.
    Value(DeletedValue<'h>),
}

/// What the live tree has in the place of a remnant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is no such key or value: it was deleted.
    Gone,
    /// There is one with this path: the record was moved or replaced, or the key or value was created again.
    Live,
    /// Its place is unknown.
    Unknown,
}

/// A key record in free space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletedKey {
    /// The name.
    pub name: String,
    /// The path as far as its parents can be found, using what is now at the places that the record refers to.
    pub path: String,
    /// Whether the path begins at the root.
    pub path_complete: bool,
    /// Whether the live tree has a key of this path.
    pub standing: Standing,
    /// When the key was last written.
    pub last_written: Filetime,
    /// Number of subkeys, as stored; Windows decrements it as they are deleted.
    pub subkey_count: u32,
    /// Number of values, as stored.
    pub value_count: u32,
    /// The location of the record in the file: the offset of its signature `nk`.
    pub offset: u64,
}

/// A value record in free space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletedValue<'h> {
    /// The name; `""` is the default value.
    pub name: String,
    /// The path of the deleted key that lists it, and whether that path begins at the root.
    pub key: Option<(String, bool)>,
    /// Whether the live tree has such a value.
    pub standing: Standing,
    /// The type, as stored.
    pub kind: ValueKind,
    /// The data according to its type; [`ValueData::Unreadable`] if its place is in use again.
    pub data: ValueData,
    /// The data as stored.
    pub raw: Cow<'h, [u8]>,
    /// Length of the data, as stored.
    pub size: u32,
    /// The location of the record in the file: the offset of its signature `vk`.
    pub offset: u64,
    /// The location of the data in the file, in order.
    pub data_extents: Vec<Extent>,
}

/// Shows every remnant in file order; returns `false` if not all of them were shown.
pub fn deleted<'h>(hive: &'h Hive<'_>, mut show: impl FnMut(Remnant<'h>) -> ControlFlow<()>) -> bool {
    let free = Free::of(hive.cells);
    let found = record::scan(hive.cells, &free);
    if found.is_empty() {
        return true;
    }
    let tree = Tree::of(hive, &free, &found);
    let mut budget = Budget::of(hive.cells);
    for one in &found {
        let remnant = match one {
            Found::Key(key) => Remnant::Key(tree.key(key)),
            Found::Value(value) => Remnant::Value(tree.value(hive, &free, value)),
        };
        let spent = match &remnant {
            Remnant::Key(key) => budget.take(1, key.path.len()),
            Remnant::Value(value) => budget.take(1, value.raw.len() + value.name.len()),
        };
        if show(remnant).is_break() || spent.is_err() {
            return false;
        }
    }
    tree.complete
}

/// The keys and values that remnants refer to.
struct Tree<'f> {
    /// Paths of live keys by reference.
    live: HashMap<u32, String>,
    /// Paths of live keys in lower case.
    paths: HashSet<String>,
    /// Names of live values in lower case, by the path of their key, if a remnant with values has the same path.
    names: HashMap<String, HashSet<String>>,
    /// Remnants of keys by reference.
    gone: HashMap<u32, &'f FoundKey>,
    /// Remnants of keys by the references in their lists of values.
    owners: HashMap<u32, &'f FoundKey>,
    complete: bool,
}

impl<'f> Tree<'f> {
    fn of(hive: &Hive<'_>, free: &Free, found: &'f [Found]) -> Self {
        let (mut live, mut paths) = (HashMap::new(), HashSet::new());
        let summary = hive.walk(|visit| {
            paths.insert(visit.key.path.to_lowercase());
            live.insert(visit.key.reference, visit.key.path);
            ControlFlow::Continue(())
        });
        let keys =
            || found.iter().filter_map(|found| if let Found::Key(key) = found { Some(key) } else { None });
        let gone = keys().map(|key| (key.reference, key)).collect();
        let mut owners = HashMap::new();
        let mut left = hive.cells.size() / 4;
        for key in keys() {
            let listed = record::listed(hive.cells, free, key);
            left = left.saturating_sub(listed.len() as u64);
            if left == 0 {
                break;
            }
            owners.extend(listed.into_iter().map(|value| (value, key)));
        }
        let complete = summary.complete && left > 0;
        let mut tree = Tree { live, paths, names: HashMap::new(), gone, owners, complete };
        tree.names = tree.live_values(hive, keys());
        tree
    }

    /// Returns the names of the values of live keys that share the path of a remnant with values.
    fn live_values<'k>(
        &self,
        hive: &Hive<'_>,
        keys: impl Iterator<Item = &'k FoundKey>,
    ) -> HashMap<String, HashSet<String>> {
        let paths = keys.filter(|key| key.value_count > 0).map(|key| self.path(key));
        let paths = paths.filter(|(_, complete)| *complete).map(|(path, _)| path.to_lowercase());
        let wanted: HashSet<String> = paths.filter(|path| self.paths.contains(path)).collect();
        let mut names = HashMap::new();
        if !wanted.is_empty() {
            hive.walk(|visit| {
                let path = visit.key.path.to_lowercase();
                if wanted.contains(&path) {
                    let values = visit.values.iter().map(|value| value.name.to_lowercase());
                    names.insert(path, values.collect());
                }
                ControlFlow::Continue(())
            });
        }
        names
    }

    /// Returns the path of a remnant, and whether it begins at the root.
    fn path(&self, key: &FoundKey) -> (String, bool) {
        let (mut names, mut parent) = (vec![key.name.as_str()], key.parent);
        let mut complete = false;
        for _ in 0..MAX_DEPTH {
            if let Some(path) = self.live.get(&parent) {
                if !path.is_empty() {
                    names.push(path);
                }
                complete = true;
                break;
            }
            let Some(next) = self.gone.get(&parent) else { break };
            names.push(&next.name);
            parent = next.parent;
        }
        names.reverse();
        (names.join("\\"), complete)
    }

    fn key(&self, key: &FoundKey) -> DeletedKey {
        let (path, path_complete) = self.path(key);
        let standing = match (path_complete, self.paths.contains(&path.to_lowercase())) {
            (false, _) => Standing::Unknown,
            (true, true) => Standing::Live,
            (true, false) => Standing::Gone,
        };
        DeletedKey {
            name: key.name.clone(),
            path,
            path_complete,
            standing,
            last_written: key.last_written,
            subkey_count: key.subkey_count,
            value_count: key.value_count,
            offset: key.offset,
        }
    }

    fn value<'h>(&self, hive: &'h Hive<'_>, free: &Free, found: &FoundValue) -> DeletedValue<'h> {
        let key = self.owners.get(&found.reference).map(|key| self.path(key));
        let live = key.as_ref().and_then(|(path, _)| self.names.get(&path.to_lowercase()));
        let standing = match &key {
            None | Some((_, false)) => Standing::Unknown,
            Some((_, true)) if live.is_some_and(|names| names.contains(&found.name.to_lowercase())) => {
                Standing::Live
            }
            Some((_, true)) => Standing::Gone,
        };
        let (kind, mut ignored) = (ValueKind::from(found.kind), Vec::new());
        let (data, raw, data_extents) = match data::read(hive, free, found) {
            Some((raw, extents)) => {
                let at = extents.first().map_or(found.offset, |extent| extent.offset);
                (value::decode(kind, &raw, at, &mut ignored).0, raw, extents)
            }
            None => (ValueData::Unreadable, Cow::default(), Vec::new()),
        };
        let (name, size, offset) = (found.name.clone(), found.size, found.offset);
        DeletedValue { name, key, standing, kind, data, raw, size, offset, data_extents }
    }
}
