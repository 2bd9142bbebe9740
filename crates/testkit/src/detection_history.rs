//! DetectionHistory files of Windows Defender.

/// Builds a detection of `threat` in the file `path`, at the FILETIME `time`.
///
/// Source of the format: Joachim Metz, dtformats, "Windows Defender scan DetectionHistory file format".
pub fn detection(threat: &str, path: &str, time: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut add = |kind: u32, data: &[u8]| {
        bytes.extend(u32::try_from(data.len()).unwrap_or(0).to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    };
    let number = 1u32.to_le_bytes();
    add(0x08, &0x8003_1958_u64.to_le_bytes());
    add(0x1E, &[0x22; 16]);
    add(0x15, &wide("Magic.Version:1.2"));
    add(0x15, &wide(threat));
    add(0x06, &number);
    add(0x15, &wide("Magic.Version:1.2"));
    add(0x15, &wide("file"));
    add(0x15, &wide(path));
    add(0x06, &number);
    let digest = wide("da39a3ee5e6b4b0d3255bfef95601890afd80709");
    let (key, length) = (wide("ThreatTrackingSha1"), digest.len() as u32);
    let tracking =
        [&42u32.to_le_bytes()[..], &key, &6u32.to_le_bytes(), &length.to_le_bytes(), &digest].concat();
    add(0x06, &u32::try_from(tracking.len()).unwrap_or(0).to_le_bytes());
    add(0x28, &tracking);
    add(0x0A, &time.to_le_bytes());
    add(0x1E, &[0x33; 16]);
    add(0x15, &wide("WKS-1\\ann"));
    add(0x15, &wide("Unknown"));
    add(0x0A, &time.to_le_bytes());
    add(0x0A, &0u64.to_le_bytes());
    bytes
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}
