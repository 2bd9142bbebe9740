//! Builds `index.dat` files of Internet Explorer 5 to 9.
//!
//! Source of the format: Joachim Metz, libmsiecf, "MSIE Cache File (index.dat) format specification".

const BLOCK: usize = 128;
const BITMAP: usize = 0x250;
const BLOCKS: usize = 0x4000;
/// The number of blocks of a record: one for its fields, one for the address.
const SIZE: usize = 2;
/// The offset of the address in a record.
const LOCATION: usize = 0x68;

/// An entry.
pub struct Entry {
    /// The address with its prefix; at most 150 bytes.
    pub location: String,
    /// Both times, as a FILETIME.
    pub time: u64,
    /// Whether its blocks have been freed.
    pub removed: bool,
}

impl Entry {
    /// Creates an entry that is in use.
    pub fn used(location: &str, time: u64) -> Entry {
        Entry { location: location.to_owned(), time, removed: false }
    }
}

/// Builds a file with these entries, each of which was used three times.
pub fn index(entries: &[Entry]) -> Vec<u8> {
    let length = BLOCKS + entries.len() * SIZE * BLOCK;
    let mut bytes = vec![0; length];
    put(&mut bytes, 0, b"Client UrlCache MMF Ver 5.2\0");
    put(&mut bytes, 28, &(length as u32).to_le_bytes());
    put(&mut bytes, 36, &((entries.len() * SIZE) as u32).to_le_bytes());
    for (index, entry) in entries.iter().enumerate() {
        let record = BLOCKS + index * SIZE * BLOCK;
        put(&mut bytes, record, b"URL ");
        put(&mut bytes, record + 4, &(SIZE as u32).to_le_bytes());
        put(&mut bytes, record + 8, &entry.time.to_le_bytes());
        put(&mut bytes, record + 16, &entry.time.to_le_bytes());
        put(&mut bytes, record + 52, &(LOCATION as u32).to_le_bytes());
        put(&mut bytes, record + 84, &3u32.to_le_bytes());
        put(&mut bytes, record + LOCATION, entry.location.as_bytes());
        for block in index * SIZE..(index + 1) * SIZE {
            if let Some(bits) = bytes.get_mut(BITMAP + block / 8).filter(|_| !entry.removed) {
                *bits |= 1 << (block % 8);
            }
        }
    }
    bytes
}

fn put(bytes: &mut [u8], at: usize, field: &[u8]) {
    bytes.iter_mut().skip(at).zip(field).for_each(|(slot, byte)| *slot = *byte);
}
