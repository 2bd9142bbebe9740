//! A tiny 32-bit program with one section and one import.
//!
//! Source of the format: Microsoft, "PE Format".

/// The link time that it states: 2012-04-04T01:58:40Z.
pub const LINKED: u32 = 1_333_504_720;

/// Builds the program, with `overlay` after its section.
pub fn program(overlay: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 0x400];
    put(&mut bytes, 0, b"MZ");
    put(&mut bytes, 0x3C, &0x80u32.to_le_bytes());
    put(&mut bytes, 0x80, b"PE\0\0");
    // Machine, one section, time; then the length of the optional header and the executable flag.
    put(&mut bytes, 0x84, &[0x4C, 0x01, 1, 0]);
    put(&mut bytes, 0x88, &LINKED.to_le_bytes());
    put(&mut bytes, 0x94, &[0xE0, 0, 0x02, 0x01]);
    let optional = 0x98;
    put(&mut bytes, optional, &0x10Bu16.to_le_bytes());
    let fields: [(usize, u32); 10] = [
        (16, 0x1000),
        (20, 0x1000),
        (24, 0x1000),
        (28, 0x40_0000),
        (32, 0x1000),
        (36, 0x200),
        (56, 0x2000),
        (60, 0x200),
        (68, 3),
        (92, 16),
    ];
    for (at, value) in fields {
        put(&mut bytes, optional + at, &value.to_le_bytes());
    }
    // The second directory is the import directory.
    put(&mut bytes, optional + 96 + 8, &[0x1010u32, 40].map(u32::to_le_bytes).concat());
    let section = optional + 0xE0;
    put(&mut bytes, section, b".text");
    put(&mut bytes, section + 8, &[0x200u32, 0x1000, 0x200, 0x200].map(u32::to_le_bytes).concat());
    put(&mut bytes, section + 36, &0x6000_0020u32.to_le_bytes());
    imports(&mut bytes);
    bytes.extend(overlay);
    bytes
}

/// Writes the imports. The section is at 0x200 in the file and at 0x1000 in memory.
fn imports(bytes: &mut [u8]) {
    let entry = [0x1060u32, 0, 0, 0x1080, 0x1070].map(u32::to_le_bytes).concat();
    put(bytes, 0x210, &entry);
    put(bytes, 0x260, &0x1090u32.to_le_bytes());
    put(bytes, 0x270, &0x1090u32.to_le_bytes());
    put(bytes, 0x280, b"KERNEL32.dll\0");
    put(bytes, 0x290, b"\0\0ExitProcess\0");
}

fn put(bytes: &mut [u8], at: usize, with: &[u8]) {
    for (byte, new) in bytes.iter_mut().skip(at).zip(with) {
        *byte = *new;
    }
}
