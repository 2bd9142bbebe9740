//! Records of a hive: base block, `nk`, `vk`, `sk`, subkey lists, `db`.

use super::cells::{Bins, CellRef, NONE, file_offset, number};
use super::names;
use super::{BASE_BLOCK, BIG_DATA_SEGMENT, Built, HiveSpec, KeySpec, ListKind, ValueSpec, cell_reference};

const NAME_IS_LATIN: u16 = 0x20;
const ROOT_FLAGS: u16 = 0x0C;
const VALUE_NAME_IS_LATIN: u16 = 1;
const RESIDENT: u32 = 0x8000_0000;

/// Builds a whole hive.
pub(crate) fn hive(spec: &HiveSpec) -> Built {
    let mut writer = Writer { spec, bins: Bins::new(), security: NONE, users: 0, built: Built::default() };
    let root = writer.key(&spec.root, "", None);
    let live = writer.bins.end();
    for (parent, key) in &spec.deleted {
        let cell = writer.built.keys.get(parent).map(|at| cell_reference(*at));
        writer.key(key, &joined(parent, &key.name), Some(cell.unwrap_or(NONE)));
    }
    writer.bins.free_from(live);
    let (security, users) = (writer.security, writer.users);
    writer.bins.patch(security, 0x04, &security.to_le_bytes());
    writer.bins.patch(security, 0x08, &security.to_le_bytes());
    writer.bins.patch(security, 0x0C, &users.to_le_bytes());
    let mut built = writer.built;
    let bins = writer.bins.finish();
    built.bytes = base_block(spec, root, bins.len());
    built.bytes.extend(bins);
    // The first bin has its own timestamp.
    built.put(BASE_BLOCK as u64 + 0x14, &spec.last_written.to_le_bytes());
    checksum(&mut built.bytes);
    built
}

struct Writer<'a> {
    spec: &'a HiveSpec,
    bins: Bins,
    /// The only security cell, shared by all keys.
    security: CellRef,
    users: u32,
    built: Built,
}

impl Writer<'_> {
    fn key(&mut self, key: &KeySpec, path: &str, parent: Option<CellRef>) -> CellRef {
        let cell = self.bins.add(&key_record(key, parent));
        self.built.keys.insert(path.to_owned(), file_offset(cell));
        self.share_security(cell);
        if let Some(class) = &key.class {
            let bytes: Vec<u8> = class.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let class = self.bins.add(&bytes);
            self.bins.patch(cell, 0x30, &class.to_le_bytes());
        }
        if !key.values.is_empty() {
            let list = self.values(key, path);
            self.bins.patch(cell, 0x28, &list.to_le_bytes());
        }
        if !key.keys.is_empty() {
            let list = self.subkeys(key, path, cell);
            self.bins.patch(cell, 0x1C, &list.to_le_bytes());
        }
        cell
    }

    fn share_security(&mut self, key: CellRef) {
        if self.security == NONE {
            self.security = self.bins.add(&security_record());
        }
        self.users += 1;
        self.bins.patch(key, 0x2C, &self.security.to_le_bytes());
    }

    fn subkeys(&mut self, key: &KeySpec, path: &str, parent: CellRef) -> CellRef {
        let mut sorted: Vec<&KeySpec> = key.keys.iter().collect();
        sorted.sort_by_cached_key(|subkey| names::folded(&subkey.name));
        let mut written = Vec::with_capacity(sorted.len());
        for subkey in sorted {
            let path = joined(path, &subkey.name);
            written.push((self.key(subkey, &path, Some(parent)), subkey));
        }
        let lists: Vec<CellRef> =
            written.chunks(self.spec.list_limit.max(1)).map(|part| self.leaf(part)).collect();
        let list = match lists.as_slice() {
            [only] => *only,
            many => self.index_root(many),
        };
        self.built.subkey_lists.insert(path.to_owned(), file_offset(list));
        list
    }

    fn leaf(&mut self, keys: &[(CellRef, &KeySpec)]) -> CellRef {
        let kind = list_kind(self.spec);
        let mut data = kind.to_vec();
        data.extend(short(keys.len()).to_le_bytes());
        for (cell, key) in keys {
            data.extend(cell.to_le_bytes());
            match kind {
                b"lh" => data.extend(names::hash(&key.name).to_le_bytes()),
                b"lf" => data.extend(names::hint(&key.name)),
                _ => (),
            }
        }
        self.bins.add(&data)
    }

    fn index_root(&mut self, lists: &[CellRef]) -> CellRef {
        let mut data = b"ri".to_vec();
        data.extend(short(lists.len()).to_le_bytes());
        data.extend(lists.iter().flat_map(|list| list.to_le_bytes()));
        self.bins.add(&data)
    }

    fn values(&mut self, key: &KeySpec, path: &str) -> CellRef {
        let mut list = Vec::with_capacity(key.values.len() * 4);
        for value in &key.values {
            let cell = self.value(value);
            let name = (path.to_owned(), String::from_utf16_lossy(&value.name));
            self.built.values.insert(name, file_offset(cell));
            list.extend(cell.to_le_bytes());
        }
        let list = self.bins.add(&list);
        self.built.value_lists.insert(path.to_owned(), file_offset(list));
        list
    }

    fn value(&mut self, value: &ValueSpec) -> CellRef {
        let (name, latin) = names::stored(&value.name);
        let resident = value.data.len() <= 4;
        let mut record = b"vk".to_vec();
        record.extend(short(name.len()).to_le_bytes());
        let size = number(value.data.len());
        record.extend((if resident { size | RESIDENT } else { size }).to_le_bytes());
        let mut inline = [0; 4];
        if resident {
            inline[..value.data.len()].copy_from_slice(&value.data);
        }
        record.extend(inline);
        record.extend(value.kind.to_le_bytes());
        record.extend((if latin { VALUE_NAME_IS_LATIN } else { 0 }).to_le_bytes());
        record.extend([0; 2]);
        record.extend(name);
        let cell = self.bins.add(&record);
        if !resident {
            let data = self.data(&value.data);
            self.bins.patch(cell, 0x08, &data.to_le_bytes());
        }
        cell
    }

    /// Adds the data of a value. Big-data records exist from version 1.4 on; before that, data of any length is one cell.
    fn data(&mut self, data: &[u8]) -> CellRef {
        if self.spec.minor < 4 || data.len() <= BIG_DATA_SEGMENT {
            return self.bins.add(data);
        }
        let mut list = Vec::new();
        for segment in data.chunks(BIG_DATA_SEGMENT) {
            // Windows leaves four bytes of slack after each full segment.
            let mut padded = segment.to_vec();
            padded.extend([0; 4]);
            list.extend(self.bins.add(&padded).to_le_bytes());
        }
        let segments = short(list.len() / 4);
        let list = self.bins.add(&list);
        let mut record = b"db".to_vec();
        record.extend(segments.to_le_bytes());
        record.extend(list.to_le_bytes());
        record.extend([0; 4]);
        self.bins.add(&record)
    }
}

fn list_kind(spec: &HiveSpec) -> &'static [u8; 2] {
    match spec.list {
        ListKind::Li => b"li",
        ListKind::Lf => b"lf",
        ListKind::Lh => b"lh",
        ListKind::Auto if spec.minor < 3 => b"li",
        ListKind::Auto if spec.minor < 5 => b"lf",
        ListKind::Auto => b"lh",
    }
}

/// Builds an `nk` record whose references are filled in later (section "Key node").
fn key_record(key: &KeySpec, parent: Option<CellRef>) -> Vec<u8> {
    let (name, latin) = names::stored(&key.name);
    let root = if parent.is_none() { ROOT_FLAGS } else { 0 };
    let class = key.class.as_ref().map_or(0, |class| class.encode_utf16().count() * 2);
    let longest = |lengths: &mut dyn Iterator<Item = usize>| number(lengths.max().unwrap_or(0));
    let mut record = b"nk".to_vec();
    record.extend((root | if latin { NAME_IS_LATIN } else { 0 }).to_le_bytes());
    record.extend(key.last_written.to_le_bytes());
    let fields = [
        0,
        parent.unwrap_or(0),
        number(key.keys.len()),
        0,
        NONE,
        NONE,
        number(key.values.len()),
        NONE,
        NONE,
        NONE,
        longest(&mut key.keys.iter().map(|subkey| subkey.name.len() * 2)),
        longest(&mut key.keys.iter().map(|subkey| subkey.class.as_ref().map_or(0, |c| c.len() * 2))),
        longest(&mut key.values.iter().map(|value| value.name.len() * 2)),
        longest(&mut key.values.iter().map(|value| value.data.len())),
        0,
    ];
    record.extend(fields.iter().flat_map(|field: &u32| field.to_le_bytes()));
    record.extend(short(name.len()).to_le_bytes());
    record.extend(short(class).to_le_bytes());
    record.extend(name);
    record
}

/// Builds an `sk` record: owner Administrators, group SYSTEM, full control for both (section "Key security").
fn security_record() -> Vec<u8> {
    const ADMINISTRATORS: [u8; 16] = [1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 32, 2, 0, 0];
    const SYSTEM: [u8; 12] = [1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0];
    const FULL_CONTROL: [u8; 4] = 0x000F_003F_u32.to_le_bytes();
    let mut entries = Vec::new();
    for sid in [&ADMINISTRATORS[..], &SYSTEM[..]] {
        entries.extend([0, 2]);
        entries.extend(short(sid.len() + 8).to_le_bytes());
        entries.extend(FULL_CONTROL);
        entries.extend(sid);
    }
    let mut descriptor = vec![1, 0, 0x04, 0x80];
    for offset in [48_u32, 64, 0, 20] {
        descriptor.extend(offset.to_le_bytes());
    }
    descriptor.extend([2, 0]);
    descriptor.extend(short(entries.len() + 8).to_le_bytes());
    descriptor.extend([2, 0, 0, 0]);
    descriptor.extend(&entries);
    // The owner and the group follow the access list, so their position depends on its length.
    let owner = number(descriptor.len());
    descriptor.extend(ADMINISTRATORS);
    let group = number(descriptor.len());
    descriptor.extend(SYSTEM);
    descriptor[4..8].copy_from_slice(&owner.to_le_bytes());
    descriptor[8..12].copy_from_slice(&group.to_le_bytes());
    let mut record = b"sk".to_vec();
    record.extend([0; 14]);
    record.extend(number(descriptor.len()).to_le_bytes());
    record.extend(descriptor);
    record
}

fn base_block(spec: &HiveSpec, root: CellRef, bins: usize) -> Vec<u8> {
    let mut block = b"regf".to_vec();
    block.extend(spec.primary.to_le_bytes());
    block.extend(spec.secondary.to_le_bytes());
    block.extend(spec.last_written.to_le_bytes());
    for field in [1, spec.minor, 0, 1, root, number(bins), 1] {
        block.extend(field.to_le_bytes());
    }
    block.extend(spec.file_name.encode_utf16().take(31).flat_map(u16::to_le_bytes));
    block.resize(BASE_BLOCK, 0);
    block
}

/// Writes the checksum of the base block: the XOR of its first 127 words, with 0 and -1 avoided.
pub(crate) fn checksum(bytes: &mut [u8]) {
    let Some((covered, rest)) = bytes.split_at_mut_checked(508) else { return };
    let sum = covered.chunks_exact(4).fold(0, |sum, word| {
        sum ^ word.iter().rev().fold(0, |value: u32, byte| value << 8 | u32::from(*byte))
    });
    let sum = match sum {
        0 => 1,
        u32::MAX => u32::MAX - 1,
        other => other,
    };
    for (slot, byte) in rest.iter_mut().zip(sum.to_le_bytes()) {
        *slot = byte;
    }
}

fn joined(path: &str, name: &[u16]) -> String {
    let name = String::from_utf16_lossy(name);
    if path.is_empty() { name } else { format!("{path}\\{name}") }
}

fn short(value: usize) -> u16 {
    u16::try_from(value).unwrap_or(u16::MAX)
}
