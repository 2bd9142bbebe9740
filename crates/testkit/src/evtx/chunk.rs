//! A chunk under construction: its records, and the name and template tables in its header.

use super::template::{FILETIME, GUID, HEX64, NULL, SID, TEXT, U8, U16, U32, U64, write};
use super::{Event, guid, sid};
use std::collections::HashMap;

/// The size of a chunk and of its header, in bytes.
const SIZE: usize = 0x1_0000;
const HEAD: usize = 512;

/// The offsets of the name and template tables in the header.
const NAMES: usize = 128;
const TEMPLATES: usize = 384;

#[derive(Clone)]
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    /// The offset of each name.
    names: HashMap<String, u32>,
    /// The offset and number of the template for data with these names.
    templates: HashMap<String, (u32, u32)>,
    first: Option<u64>,
    last: u64,
    last_at: u32,
}

impl Chunk {
    pub(super) fn new() -> Chunk {
        Chunk {
            bytes: vec![0; HEAD],
            names: HashMap::new(),
            templates: HashMap::new(),
            first: None,
            last: 0,
            last_at: HEAD as u32,
        }
    }

    /// Adds a record; returns `false` and changes nothing if there is no room.
    pub(super) fn push(&mut self, event: &Event<'_>) -> bool {
        let fresh = !self.templates.contains_key(&key(event));
        // Only a record with new names changes more than the end of the chunk.
        let before = fresh.then(|| self.clone());
        let (start, last_at) = (self.bytes.len(), self.last_at);
        self.record(event);
        if self.bytes.len() > SIZE {
            match before {
                Some(before) => *self = before,
                None => {
                    self.bytes.truncate(start);
                    self.last_at = last_at;
                }
            }
            return false;
        }
        self.first = self.first.or(Some(event.record_id));
        self.last = event.record_id;
        true
    }

    fn record(&mut self, event: &Event<'_>) {
        let start = self.bytes.len();
        self.last_at = start as u32;
        self.bytes.extend(b"**\0\0");
        self.bytes.extend([0; 4]);
        self.bytes.extend(event.record_id.to_le_bytes());
        self.bytes.extend(event.time.to_le_bytes());
        self.bytes.extend([0x0F, 1, 1, 0]);
        self.instance(event);
        self.bytes.push(0);
        while !(self.bytes.len() - start + 4).is_multiple_of(8) {
            self.bytes.push(0);
        }
        let size = (self.bytes.len() - start + 4) as u32;
        self.bytes.extend(size.to_le_bytes());
        self.set(start + 4, size);
    }

    fn instance(&mut self, event: &Event<'_>) {
        let key = key(event);
        let known = self.templates.get(&key).copied();
        let number = known.map_or(self.templates.len() as u32 + 0x4C6F_0001, |(_, number)| number);
        self.bytes.extend([0x0C, 1]);
        self.bytes.extend(number.to_le_bytes());
        let at = known.map_or(self.bytes.len() as u32 + 4, |(at, _)| at);
        self.bytes.extend(at.to_le_bytes());
        if known.is_none() {
            self.templates.insert(key, (at, number));
            self.definition(event, number);
        }
        let values = values(event);
        self.bytes.extend((values.len() as u32).to_le_bytes());
        for (kind, value) in &values {
            self.bytes.extend((value.len() as u16).to_le_bytes());
            self.bytes.extend([*kind, 0]);
        }
        values.iter().for_each(|(_, value)| self.bytes.extend(value));
    }

    fn definition(&mut self, event: &Event<'_>, number: u32) {
        self.link(TEMPLATES + (number as usize % 32) * 4);
        // A GUID of our own; its first four bytes are the number.
        self.bytes.extend(number.to_le_bytes());
        self.bytes.extend(*b"locard-evtx\0");
        let size = self.gap();
        write(self, event);
        self.close(size);
    }

    /// Writes a name on its first use, or its offset later.
    pub(super) fn name(&mut self, name: &str) {
        if let Some(at) = self.names.get(name) {
            self.bytes.extend(at.to_le_bytes());
            return;
        }
        let at = self.bytes.len() as u32 + 4;
        self.bytes.extend(at.to_le_bytes());
        self.names.insert(name.to_owned(), at);
        let units: Vec<u16> = name.encode_utf16().collect();
        let hash =
            units.iter().fold(0_u32, |sum, unit| sum.wrapping_mul(65_599).wrapping_add((*unit).into()));
        let hash = hash as u16;
        self.link(NAMES + usize::from(hash % 64) * 4);
        self.bytes.extend(hash.to_le_bytes());
        self.bytes.extend((units.len() as u16).to_le_bytes());
        self.bytes.extend(units.into_iter().chain([0]).flat_map(u16::to_le_bytes));
    }

    /// Puts what starts here at the head of a list, followed by the former head.
    fn link(&mut self, table: usize) {
        let former: [u8; 4] =
            self.bytes.get(table..table + 4).and_then(|at| at.try_into().ok()).unwrap_or_default();
        self.set(table, self.bytes.len() as u32);
        self.bytes.extend(former);
    }

    /// Leaves room for a size.
    pub(super) fn gap(&mut self) -> usize {
        self.bytes.extend([0; 4]);
        self.bytes.len()
    }

    /// Fills in the size: the number of bytes since then.
    pub(super) fn close(&mut self, gap: usize) {
        self.set(gap - 4, (self.bytes.len() - gap) as u32);
    }

    fn set(&mut self, at: usize, value: u32) {
        for (byte, new) in self.bytes.iter_mut().skip(at).zip(value.to_le_bytes()) {
            *byte = new;
        }
    }

    /// Returns the bytes of the chunk.
    pub(super) fn done(mut self) -> Vec<u8> {
        let free = self.bytes.len();
        let sum = crc32fast::hash(self.bytes.get(HEAD..).unwrap_or_default());
        let first = self.first.unwrap_or(1);
        let mut head = b"ElfChnk\0".to_vec();
        for number in [first, self.last, first, self.last] {
            head.extend(number.to_le_bytes());
        }
        for number in [128, self.last_at, free as u32, sum] {
            head.extend(number.to_le_bytes());
        }
        for (byte, new) in self.bytes.iter_mut().zip(head) {
            *byte = new;
        }
        let mut sum = crc32fast::Hasher::new();
        sum.update(self.bytes.get(..120).unwrap_or_default());
        sum.update(self.bytes.get(128..HEAD).unwrap_or_default());
        self.set(124, sum.finalize());
        self.bytes.resize(SIZE, 0);
        self.bytes
    }
}

/// Returns the key of a template: the enclosing element and the names of the data.
fn key(event: &Event<'_>) -> String {
    let names = event.data.iter().map(|(name, _)| *name);
    std::iter::once(event.user_data.unwrap_or_default()).chain(names).collect::<Vec<_>>().join("\0")
}

fn values(event: &Event<'_>) -> Vec<(u8, Vec<u8>)> {
    let text = |text: &str| (TEXT, text.encode_utf16().flat_map(u16::to_le_bytes).collect());
    let provider_guid = event.guid.and_then(guid);
    let user = event.user_sid.and_then(sid);
    // Classic events have this keyword.
    let keywords: u64 = if event.guid.is_some() { 0x8000_0000_0000_0000 } else { 0x0080_0000_0000_0000 };
    let mut values = vec![
        text(event.provider),
        provider_guid.map_or((NULL, Vec::new()), |bytes| (GUID, bytes.to_vec())),
        (U16, event.event_id.to_le_bytes().to_vec()),
        (U8, vec![event.level]),
        (HEX64, keywords.to_le_bytes().to_vec()),
        (FILETIME, event.time.to_le_bytes().to_vec()),
        (U64, event.record_id.to_le_bytes().to_vec()),
        (U32, 4_u32.to_le_bytes().to_vec()),
        text(event.channel),
        text(event.computer),
        user.map_or((NULL, Vec::new()), |bytes| (SID, bytes)),
    ];
    values.extend(event.data.iter().map(|(_, value)| text(value)));
    values
}
