//! Builds shell links to files on a volume or a share.
//!
//! Source of the format: [MS-SHLLINK].

/// The host in the tracker block of every link.
pub const MACHINE: &str = "wks-1";
/// The file's identifier on that host: version 1, from a network card with address 00:0c:29:aa:bb:cc.
pub const FILE_ID: [u8; 16] =
    [0x00, 0x57, 0xA1, 0x8B, 0x9E, 0x78, 0xE1, 0x11, 0x80, 1, 0, 0x0C, 0x29, 0xAA, 0xBB, 0xCC];
/// The serial number of the volume.
pub const SERIAL: u32 = 0xCAFE_0001;

/// The contents of a link.
#[derive(Default)]
pub struct Spec {
    /// The path of the target on the host.
    pub local: Option<String>,
    /// The share of the target, as `\\server\share`, and the path on it.
    pub share: Option<(String, String)>,
    /// The arguments of the target.
    pub arguments: String,
    /// The FILETIMEs of the target: created, accessed, modified.
    pub times: [u64; 3],
}

impl Spec {
    /// Describes a link to a local file.
    pub fn local(path: &str, times: [u64; 3]) -> Spec {
        Spec { local: Some(path.to_owned()), times, ..Spec::default() }
    }
}

/// The class identifier of shell links.
pub const CLASS: [u8; 16] = [1, 0x14, 2, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];

/// Builds the link.
pub fn link(spec: &Spec) -> Vec<u8> {
    // Link information, working folder, Unicode; arguments if there are any.
    let arguments = u32::from(!spec.arguments.is_empty()) << 5;
    let flags: u32 = 1 << 1 | 1 << 4 | 1 << 7 | arguments;
    let mut bytes =
        [&0x4Cu32.to_le_bytes()[..], &CLASS, &flags.to_le_bytes(), &0x20u32.to_le_bytes()].concat();
    bytes.extend(spec.times.iter().flat_map(|time| time.to_le_bytes()));
    bytes.extend(4096u32.to_le_bytes());
    bytes.resize(0x4C, 0);
    bytes.extend(info(spec));
    bytes.extend(text("C:\\Users\\ann"));
    if arguments != 0 {
        bytes.extend(text(&spec.arguments));
    }
    bytes.extend(tracker());
    bytes.extend([0; 4]);
    bytes
}

fn text(text: &str) -> Vec<u8> {
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let count = u16::try_from(units.len() / 2).unwrap_or(u16::MAX);
    [&count.to_le_bytes()[..], &units].concat()
}

fn size(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

fn info(spec: &Spec) -> Vec<u8> {
    let mut parts = Vec::new();
    let mut fields = [[0; 4]; 4];
    let mut flags = 0u32;
    if let Some(path) = &spec.local {
        flags |= 1;
        fields[0] = size(28);
        let label = b"DATA\0";
        parts.extend(size(16 + label.len()));
        parts.extend(3u32.to_le_bytes());
        parts.extend(SERIAL.to_le_bytes());
        parts.extend(16u32.to_le_bytes());
        parts.extend(label);
        fields[1] = size(28 + parts.len());
        parts.extend(path.bytes().chain([0]));
    }
    let mut suffix: &[u8] = &[];
    if let Some((share, path)) = &spec.share {
        flags |= 2;
        fields[2] = size(28 + parts.len());
        let name: Vec<u8> = share.bytes().chain([0]).collect();
        parts.extend(size(20 + name.len()));
        parts.extend(2u32.to_le_bytes());
        parts.extend(20u32.to_le_bytes());
        parts.extend([0; 8]);
        parts.extend(name);
        suffix = path.as_bytes();
    }
    fields[3] = size(28 + parts.len());
    parts.extend(suffix);
    parts.push(0);
    let head = [size(28 + parts.len()), size(28), flags.to_le_bytes()];
    [&head.concat()[..], &fields.concat(), &parts].concat()
}

fn tracker() -> Vec<u8> {
    let mut machine = MACHINE.as_bytes().to_vec();
    machine.resize(16, 0);
    let droid = [[0x11; 16], FILE_ID].concat();
    let head = [0x60, 0xA000_0003, 0x58, 0u32].map(u32::to_le_bytes).concat();
    [&head[..], &machine, &droid, &droid].concat()
}
