//! ExtraData (2.5): the blocks at the end of a shell link, up to one of less than four bytes.

use super::set_guid;
use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, ansi_to_nul, bytes, u32_at, u64_at, utf16_to_nul};
use crate::registry::Filetime;

/// The most blocks that are read; there are eleven kinds.
const BLOCKS: usize = 64;

const ENVIRONMENT: u32 = 0xA000_0001;
const TRACKER: u32 = 0xA000_0003;
const KNOWN_FOLDER: u32 = 0xA000_000B;

/// From 1582-10-15, the epoch of UUID times (RFC 9562, 5.1), to 1601-01-01, the epoch of FILETIMEs, in their
/// common units.
const UUID_EPOCH: u64 = 5_748_192_000_000_000;

/// The content of the blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// The target path with environment variables (2.5.4).
    pub environment: Option<Located<String>>,
    /// NetBIOS name of the host on which the target was last seen (2.5.10).
    pub machine: Option<Located<String>>,
    /// The identifiers by which link tracking finds the target.
    pub droid: Option<Droid>,
    /// The same, from when the target was created.
    pub birth: Option<Droid>,
    /// The GUID of the known folder that contains the target (2.5.6).
    pub known_folder: Option<Located<String>>,
}

/// A volume and a file, as identified by link tracking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Droid {
    /// The volume.
    pub volume: Option<Located<String>>,
    /// The file.
    pub file: Option<Located<String>>,
    /// MAC address of the host that created the file's identifier, if it is a version 1 UUID.
    pub mac: Option<Located<String>>,
    /// The time in the file's identifier, if it is a version 1 UUID: usually when the host was started.
    pub time: Option<Located<Filetime>>,
}

impl Droid {
    /// Reads the 32 bytes at `at`.
    pub(crate) fn read(data: &[u8], at: usize) -> Option<Droid> {
        let (volume, file) = (set_guid(data, at), set_guid(data, at.checked_add(16)?));
        let id = bytes(data, at + 16, 16)?;
        // The highest bits of the third group are the version (RFC 9562, 4.2).
        let (mac, time) = match id {
            [.., high, _, _, a, b, c, d, e, f] if high >> 4 == 1 => {
                let mac = format!("{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}");
                // The low, middle and high parts of the time are adjacent and form one little-endian number.
                let ticks = u64_at(id, 0)? & 0x0FFF_FFFF_FFFF_FFFF;
                let time = ticks.checked_sub(UUID_EPOCH).map(Filetime);
                (Some(Located::new(mac, at + 26, 6)), time.map(|time| Located::new(time, at + 16, 8)))
            }
            _ => (None, None),
        };
        (volume.is_some() || file.is_some()).then_some(Droid { volume, file, mac, time })
    }
}

pub(super) fn read(data: &[u8], at: &mut usize, damage: &mut Vec<Damage>) -> Extra {
    let mut extra = Extra::default();
    for _ in 0..BLOCKS {
        let Some(size) = u32_at(data, *at).and_then(|size| usize::try_from(size).ok()) else {
            if *at <= data.len() {
                damage.push(Damage::at(*at, DamageKind::Unended { what: "ExtraData" }));
            }
            return extra;
        };
        if size < 4 {
            *at += 4;
            return extra;
        }
        let start = *at;
        let Some(block) = bytes(data, start, size).filter(|_| size >= 8) else {
            let (what, available) = ("block of ExtraData", data.len() - start);
            damage.push(Damage::at(start, DamageKind::Outside { what, length: size, available }));
            return extra;
        };
        *at = start + size;
        // The text of a block must end within it.
        let held = data.get(..*at).unwrap_or(data);
        extra.block(held, start, u32_at(block, 4).unwrap_or_default(), damage);
    }
    damage.push(Damage::at(*at, DamageKind::TooMany { what: "blocks of ExtraData", limit: BLOCKS }));
    extra
}

impl Extra {
    fn block(&mut self, data: &[u8], start: usize, signature: u32, damage: &mut Vec<Damage>) {
        match signature {
            // The path in the code page takes 260 bytes.
            ENVIRONMENT => {
                let path = utf16_to_nul(data, start + 8 + 260, "environment block", damage);
                self.environment = path.filter(|path| !path.value.is_empty());
            }
            TRACKER => {
                let name = data.get(..(start + 32).min(data.len())).unwrap_or(data);
                let machine = ansi_to_nul(name, start + 16, "machine of the tracker block", damage);
                self.machine = machine.map(|(name, _)| name).filter(|name| !name.value.is_empty());
                self.droid = Droid::read(data, start + 32);
                self.birth = Droid::read(data, start + 64);
            }
            KNOWN_FOLDER => self.known_folder = set_guid(data, start + 8),
            _ => {}
        }
    }
}
