//! Prefetch files of every version, also compressed as in Windows 10.
//!
//! Source of the format: Joachim Metz, "Windows Prefetch File (PF) format" (github.com/libyal/libscca); of the compression [MS-XCA] 2.1.

/// The device path of the volume in every file.
pub const VOLUME: &str = "\\VOLUME{01d0}";
/// Its serial number.
pub const SERIAL: u32 = 0x1234_ABCD;
/// When it was created, as a FILETIME.
pub const CREATED: u64 = 129_000_000_000_000_000;

/// The contents of a file.
pub struct Spec {
    /// The version: 17, 23, 26, 30 or 31.
    pub version: u32,
    /// Whether to use the second variant of 30 and 31, whose file information is 8 bytes shorter.
    pub short: bool,
    /// The name of the program.
    pub executable: String,
    /// The FILETIMEs of runs, latest first; versions before 26 store only the first one.
    pub runs: Vec<u64>,
    /// The run count.
    pub run_count: u32,
    /// The device paths of the files that it used.
    pub files: Vec<String>,
}

impl Spec {
    /// Describes a version 30 file of a program that ran once and used itself and a library.
    pub fn new(executable: &str, path: &str) -> Spec {
        Spec {
            version: 30,
            short: false,
            executable: executable.to_owned(),
            runs: vec![CREATED + 1],
            run_count: 1,
            files: vec![path.to_owned(), format!("{VOLUME}\\WINDOWS\\SYSTEM32\\NTDLL.DLL")],
        }
    }
}

/// Builds the file, uncompressed.
pub fn file(spec: &Spec) -> Vec<u8> {
    let (info, run_count, volume) = match (spec.version, spec.short) {
        (17, _) => (0x98, 0x90, 40),
        (23, _) => (0xF0, 0x98, 104),
        (26, _) => (0x130, 0xD0, 104),
        (_, false) => (0x130, 0xD0, 96),
        (_, true) => (0x128, 0xC8, 96),
    };
    let mut bytes = vec![0; info];
    put(&mut bytes, 0, &spec.version.to_le_bytes());
    put(&mut bytes, 4, b"SCCA");
    put(&mut bytes, 16, &wide(&spec.executable));
    put(&mut bytes, 76, &0xC0FF_EE01u32.to_le_bytes());
    put_size(&mut bytes, 0x54, info);
    let (first, most) = if spec.version == 17 { (0x78, 1) } else { (0x80, 8) };
    for (number, run) in spec.runs.iter().take(if spec.version < 26 { 1 } else { most }).enumerate() {
        put(&mut bytes, first + 8 * number, &run.to_le_bytes());
    }
    put(&mut bytes, run_count, &spec.run_count.to_le_bytes());
    let names: Vec<u8> = spec.files.iter().flat_map(|name| [wide(name), vec![0, 0]].concat()).collect();
    put_size(&mut bytes, 0x64, info);
    put_size(&mut bytes, 0x68, names.len());
    bytes.extend(&names);
    let section = volume_section(volume);
    put_size(&mut bytes, 0x6C, info + names.len());
    put_size(&mut bytes, 0x70, 1);
    put_size(&mut bytes, 0x74, section.len());
    bytes.extend(section);
    let size = bytes.len();
    put_size(&mut bytes, 12, size);
    bytes
}

fn volume_section(size: usize) -> Vec<u8> {
    let mut section = vec![0; size];
    put_size(&mut section, 0, size);
    put_size(&mut section, 4, VOLUME.len());
    put(&mut section, 8, &CREATED.to_le_bytes());
    put(&mut section, 16, &SERIAL.to_le_bytes());
    section.extend(wide(VOLUME));
    section
}

/// Compresses the bytes as Windows 10 does, in blocks of 64 KiB whose code has nine bits for every symbol.
pub fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = b"MAM\x04".to_vec();
    packed.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    let mut blocks = bytes.chunks(64 << 10).peekable();
    while let Some(block) = blocks.next() {
        packed.extend([0x99; 256]);
        let mut bits: Vec<bool> = Vec::with_capacity(block.len() * 9 + 64);
        // The code of a symbol is its number in nine bits; 256 ends the stream.
        let end = blocks.peek().is_none().then_some(256);
        for symbol in block.iter().map(|byte| u16::from(*byte)).chain(end) {
            bits.extend((0..9).rev().map(|bit| symbol >> bit & 1 == 1));
        }
        bits.resize(bits.len().next_multiple_of(16) + 16, false);
        for word in bits.chunks(16) {
            let word = word.iter().fold(0u16, |word, bit| word << 1 | u16::from(*bit));
            packed.extend(word.to_le_bytes());
        }
    }
    packed
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn put(bytes: &mut [u8], at: usize, with: &[u8]) {
    for (byte, new) in bytes.iter_mut().skip(at).zip(with) {
        *byte = *new;
    }
}

fn put_size(bytes: &mut [u8], at: usize, size: usize) {
    put(bytes, at, &u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes());
}
