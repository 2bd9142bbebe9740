//! Builds `INFO2` files of the Recycle Bin, as in Windows XP.

/// An entry.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The original path of the file; plain ASCII.
    pub path: String,
    /// Its number in the Recycle Bin.
    pub index: u32,
    /// When it was moved there, as a FILETIME.
    pub deleted: u64,
    /// The size of its clusters in bytes.
    pub size: u32,
    /// Whether it is no longer there.
    pub emptied: bool,
}

/// Builds an `INFO2` file with entries of 800 bytes.
///
/// Source of the format: Joachim Metz, dtformats, "Windows Recycler file formats".
pub fn info2(entries: &[Entry]) -> Vec<u8> {
    let mut bytes: Vec<u8> = [5, 0, 0, 800, 0].iter().flat_map(|field: &u32| field.to_le_bytes()).collect();
    for entry in entries {
        let mut ansi = entry.path.clone().into_bytes();
        ansi.resize(260, 0);
        if let (true, Some(first)) = (entry.emptied, ansi.first_mut()) {
            *first = 0;
        }
        let drive =
            entry.path.bytes().next().map_or(0, |letter| letter.to_ascii_uppercase().wrapping_sub(b'A'));
        let mut wide: Vec<u8> = entry.path.encode_utf16().flat_map(u16::to_le_bytes).collect();
        wide.resize(520, 0);
        bytes.extend(ansi);
        bytes.extend(entry.index.to_le_bytes());
        bytes.extend(u32::from(drive).to_le_bytes());
        bytes.extend(entry.deleted.to_le_bytes());
        bytes.extend(entry.size.to_le_bytes());
        bytes.extend(wide);
    }
    bytes
}
