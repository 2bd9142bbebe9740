//! Builds `$I` files of the Recycle Bin, as in Windows 10.

/// Builds a `$I` file; `deleted` is a FILETIME.
///
/// Source of the format: Joachim Metz, dtformats, "Windows Recycle.Bin file formats", section 2.
pub fn dollar_i(path: &str, size: u64, deleted: u64) -> Vec<u8> {
    let units: Vec<u8> = path.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    let count = u32::try_from(units.len() / 2).unwrap_or(u32::MAX);
    [&2u64.to_le_bytes()[..], &size.to_le_bytes(), &deleted.to_le_bytes(), &count.to_le_bytes(), &units]
        .concat()
}
