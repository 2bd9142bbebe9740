//! LinkInfo (2.3): the volume or share on which the target was last seen, and its path there.

use super::{ansi_at, cut};
use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, bytes, located_u32, u32_at, utf16_to_nul};

/// The header size in bytes from which on there are offsets of Unicode texts.
const WITH_UNICODE: u32 = 0x24;

const HAS_VOLUME: u32 = 1;
const HAS_NETWORK: u32 = 2;

/// Where the target was last seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkInfo {
    /// The type of its drive, as in `GetDriveType`.
    pub drive_type: Option<Located<u32>>,
    /// Serial number of its volume.
    pub serial: Option<Located<u32>>,
    /// Label of its volume.
    pub label: Option<Located<String>>,
    /// Its path on the host, or the first part of it.
    pub local_path: Option<Located<String>>,
    /// Its share, as `\\server\share`.
    pub share: Option<Located<String>>,
    /// The drive letter that was mapped to the share.
    pub device: Option<Located<String>>,
    /// The common last part of both paths.
    pub suffix: Option<Located<String>>,
}

impl LinkInfo {
    /// Returns the local path, or else the one on the share.
    pub fn path(&self) -> Option<Located<String>> {
        let base = self.local_path.as_ref().or(self.share.as_ref())?;
        let Some(suffix) = &self.suffix else { return Some(base.clone()) };
        let separator = if base.value.ends_with('\\') { "" } else { "\\" };
        let path = format!("{}{separator}{}", base.value, suffix.value);
        Some(Located { value: path, ..base.clone() })
    }
}

pub(super) fn read(data: &[u8], at: &mut usize, damage: &mut Vec<Damage>) -> Option<LinkInfo> {
    let start = *at;
    let length = u32_at(data, start).or_else(|| cut(data, at, "LinkInfo", damage))?;
    let length = usize::try_from(length).ok()?;
    *at = start.saturating_add(length.max(4));
    let held = data.get(start..).unwrap_or_default();
    let info = bytes(held, 0, length).unwrap_or_else(|| {
        let (what, available) = ("LinkInfo", held.len());
        damage.push(Damage::at(start, DamageKind::Outside { what, length, available }));
        held
    });
    let mut own = Vec::new();
    let found = parts(info, &mut own);
    damage.extend(own.into_iter().map(|one| Damage { offset: one.offset + start, ..one }));
    Some(found.moved(start))
}

fn parts(info: &[u8], damage: &mut Vec<Damage>) -> LinkInfo {
    let (header, flags) = (u32_at(info, 4).unwrap_or_default(), u32_at(info, 8).unwrap_or_default());
    let mut found = LinkInfo::default();
    if flags & HAS_VOLUME != 0 {
        if let Some(volume) = offset(info, 12) {
            found.drive_type = located_u32(info, volume.saturating_add(4));
            found.serial = located_u32(info, volume.saturating_add(8));
            let narrow = offset(info, volume.saturating_add(12));
            // This particular offset means that it is followed by another one, of a Unicode label.
            found.label = if narrow == Some(0x14) {
                wide(info, volume, volume.saturating_add(16), damage)
            } else {
                narrow.and_then(|offset| ansi_at(info, volume.saturating_add(offset), damage))
            };
        }
        found.local_path = either(info, 0, 16, (header >= WITH_UNICODE).then_some(28), damage);
    }
    if flags & HAS_NETWORK != 0
        && let Some(network) = offset(info, 20)
    {
        let field = |at: usize| network.saturating_add(at);
        let unicode = offset(info, field(8)).is_some_and(|offset| offset > 0x14);
        let valid = u32_at(info, field(4)).unwrap_or_default();
        found.share = either(info, network, field(8), unicode.then_some(field(20)), damage);
        if valid & 1 != 0 {
            found.device = either(info, network, field(12), unicode.then_some(field(24)), damage);
        }
    }
    found.suffix = either(info, 0, 24, (header >= WITH_UNICODE).then_some(32), damage);
    found
}

/// Reads a text in Unicode if there is one, or else in the code page; their offsets count from `base`.
fn either(
    info: &[u8],
    base: usize,
    narrow: usize,
    unicode: Option<usize>,
    damage: &mut Vec<Damage>,
) -> Option<Located<String>> {
    unicode.and_then(|at| wide(info, base, at, damage)).or_else(|| {
        let at = offset(info, narrow).filter(|offset| *offset != 0)?;
        ansi_at(info, base.saturating_add(at), damage)
    })
}

fn wide(info: &[u8], base: usize, field: usize, damage: &mut Vec<Damage>) -> Option<Located<String>> {
    let at = base.saturating_add(offset(info, field).filter(|offset| *offset != 0)?);
    utf16_to_nul(info, at, "text in LinkInfo", damage).filter(|text| !text.value.is_empty())
}

fn offset(info: &[u8], at: usize) -> Option<usize> {
    u32_at(info, at).and_then(|offset| usize::try_from(offset).ok())
}

impl LinkInfo {
    fn moved(self, by: usize) -> LinkInfo {
        let text = |text: Option<Located<String>>| text.map(|text| text.moved(by));
        LinkInfo {
            drive_type: self.drive_type.map(|kind| kind.moved(by)),
            serial: self.serial.map(|serial| serial.moved(by)),
            label: text(self.label),
            local_path: text(self.local_path),
            share: text(self.share),
            device: text(self.device),
            suffix: text(self.suffix),
        }
    }
}
