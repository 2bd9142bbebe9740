//! Builder of real registry hives (`regf`) from a plain description: pure and deterministic, without dependencies.
//!
//! The format follows Maxim Suhanov's "Windows registry file format specification"
//! (github.com/msuhanov/regf), which also defines the section names below.
//!
//! ```
//! use testkit::hive::{HiveSpec, KeySpec, ValueSpec};
//!
//! let root = KeySpec::new("ROOT").key(KeySpec::new("Select").value(ValueSpec::dword("Current", 1)));
//! let built = HiveSpec::new(root).build();
//! assert_eq!(&built.bytes[..4], b"regf");
//! assert!(built.key_offset("Select").is_some());
//! ```

mod cells;
mod log;
mod names;
mod spec;
mod write;

use std::collections::BTreeMap;

pub use log::{LogEntry, new_log, old_log};
pub use spec::{KeySpec, ListKind, ValueSpec};

/// The length of the base block in bytes; hive bins follow it.
pub const BASE_BLOCK: usize = 4096;

/// The maximum data in one cell of a big-data record, in bytes (section "Big data").
pub const BIG_DATA_SEGMENT: usize = 16_344;

/// The description of a whole hive.
#[derive(Clone, Debug)]
pub struct HiveSpec {
    /// The root key; its name is stored but is not part of any path.
    pub root: KeySpec,
    /// The minor version of the format: 3 is Windows NT 4.0, 5 is Windows XP and later.
    pub minor: u32,
    /// The name in the base block; more than 31 UTF-16 units are cut off.
    pub file_name: String,
    /// The last-written time of the base block, in 100-ns ticks since 1601-01-01 UTC.
    pub last_written: u64,
    /// The primary sequence number.
    pub primary: u32,
    /// The secondary sequence number; a hive is dirty if it differs from the primary one.
    pub secondary: u32,
    /// The kind of the subkey lists.
    pub list: ListKind,
    /// The maximum number of subkeys in one list; more are spread over several lists under an `ri`.
    pub list_limit: usize,
    /// Keys in free cells, each with the path of its parent key.
    pub deleted: Vec<(String, KeySpec)>,
}

impl HiveSpec {
    /// Creates a clean hive of version 1.5 with this root key.
    pub fn new(root: KeySpec) -> Self {
        Self {
            root,
            minor: 5,
            file_name: String::new(),
            last_written: 0,
            primary: 1,
            secondary: 1,
            list: ListKind::Auto,
            list_limit: 500,
            deleted: Vec::new(),
        }
    }

    /// Sets the minor version.
    pub fn minor(mut self, minor: u32) -> Self {
        self.minor = minor;
        self
    }

    /// Sets the file name in the base block.
    pub fn file_name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.file_name);
        self
    }

    /// Sets the last-written time of the base block, in 100-ns ticks since 1601.
    pub fn written(mut self, ticks: u64) -> Self {
        self.last_written = ticks;
        self
    }

    /// Makes the hive dirty: the primary sequence number becomes one higher than the secondary one.
    pub fn dirty(mut self) -> Self {
        self.primary = self.secondary.wrapping_add(1);
        self
    }

    /// Sets the kind of the subkey lists.
    pub fn list(mut self, list: ListKind) -> Self {
        self.list = list;
        self
    }

    /// Adds a key, with everything below it, that was deleted from the key at this path: its cells are free.
    pub fn deleted(mut self, parent: &str, key: KeySpec) -> Self {
        self.deleted.push((parent.to_owned(), key));
        self
    }

    /// Builds the hive.
    pub fn build(&self) -> Built {
        write::hive(self)
    }
}

/// A built hive and the positions of its records.
///
/// All offsets are file offsets of the record's signature (after the size of its cell).
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// The hive file.
    pub bytes: Vec<u8>,
    /// The `nk` record of each key by path (root: `""`, separator `\`), including deleted ones.
    pub keys: BTreeMap<String, u64>,
    /// The `vk` record of each value, by key path and value name.
    pub values: BTreeMap<(String, String), u64>,
    /// The subkey list (`ri`, `lf`, `lh` or `li`) of each key that has subkeys, by path.
    pub subkey_lists: BTreeMap<String, u64>,
    /// The cell data of the value list of each key that has values, by path.
    pub value_lists: BTreeMap<String, u64>,
}

impl Built {
    /// Returns the offset of this key's `nk` record.
    pub fn key_offset(&self, path: &str) -> Option<u64> {
        self.keys.get(path).copied()
    }

    /// Returns the offset of this value's `vk` record; `""` is the default value.
    pub fn value_offset(&self, path: &str, value: &str) -> Option<u64> {
        self.values.get(&(path.to_owned(), value.to_owned())).copied()
    }

    /// Overwrites four bytes at a file offset, to plant damage; an offset outside the file is ignored.
    pub fn put_u32(&mut self, at: u64, value: u32) {
        self.put(at, &value.to_le_bytes());
    }

    /// Overwrites bytes at a file offset, to plant damage; bytes outside the file are ignored.
    pub fn put(&mut self, at: u64, bytes: &[u8]) {
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        for (slot, byte) in self.bytes.iter_mut().skip(start).zip(bytes) {
            *slot = *byte;
        }
    }

    /// Recomputes the checksum of the base block after a change.
    pub fn fix_checksum(&mut self) {
        write::checksum(&mut self.bytes);
    }
}

/// Converts a file offset of cell data to the offset that records store: that of the cell, counted from the first bin.
pub fn cell_reference(file_offset: u64) -> u32 {
    let cell = file_offset.saturating_sub(BASE_BLOCK as u64 + 4);
    u32::try_from(cell).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
