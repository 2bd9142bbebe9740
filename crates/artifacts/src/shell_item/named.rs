//! Items of other namespaces, of which only the name is read: control panel, portable devices, contents of archives.
//!
//! Sections "Control Panel shell items", "MTP shell items", "Compressed folder shell item" and "Delegate shell
//! item" of libfwsi;
//! they are distinguished by a signature, not by the class.

use super::ItemKind;
use crate::damage::Damage;
use crate::fields::{Located, bytes, guid_at, u32_at, utf16, utf16_to_nul};

const CONTROL_PANEL_CATEGORY: u32 = 0x39DE_2184;
const CONTROL_PANEL_FILE: u32 = 0xFFFF_FF38;
const CD_BURN: u32 = 0x4D67_7541;
const PORTABLE_VOLUME: u32 = 0x1031_2005;
const PORTABLE_FILE: u32 = 0x0719_2006;

/// The GUID near the end of a delegate item, before that of its folder.
const DELEGATE: &str = "{5E591A74-DF96-48D3-8D67-1733BCEE28BA}";

/// Offset in a compressed folder item of its file's time as text, followed by the length of its name, and the name.
const ARCHIVE_TIME: usize = 36;
const ARCHIVE_LENGTH: usize = 84;
const ARCHIVE_NAME: usize = 92;

/// Control panel categories, by number.
const CATEGORIES: [&str; 12] = [
    "All Control Panel Items",
    "Appearance and Personalization",
    "Hardware and Sound",
    "Network and Internet",
    "Sounds, Speech, and Audio Devices",
    "System and Security",
    "Clock, Language, and Region",
    "Ease of Access",
    "Programs",
    "User Accounts",
    "Security Center",
    "Mobile PC",
];

/// An item with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its kind.
    pub kind: NamedKind,
    /// Its name, or what stands for it: the name of a category number.
    pub name: Located<String>,
}

/// The kinds of these items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedKind {
    /// A category of the control panel.
    ControlPanelCategory,
    /// A file of the control panel.
    ControlPanelFile,
    /// The folder of files waiting to be burned to a disc.
    CdBurn,
    /// A storage of a portable device.
    PortableVolume,
    /// A file or folder on a portable device.
    PortableFile,
    /// A file or folder in an archive.
    ArchiveEntry,
}

impl NamedKind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            NamedKind::ControlPanelCategory => "Control Panel Category",
            NamedKind::ControlPanelFile => "Control Panel item",
            NamedKind::CdBurn => "CDBurn",
            NamedKind::PortableVolume => "MTP volume",
            NamedKind::PortableFile => "MTP file entry",
            NamedKind::ArchiveEntry => "Zip file contents",
        }
    }
}

/// Reads an item that is identified by a signature.
pub(super) fn read(item: &[u8], damage: &mut Vec<Damage>) -> Option<Named> {
    let made = |kind, name: Option<Located<String>>| {
        name.filter(|name| !name.value.is_empty()).map(|name| Named { kind, name })
    };
    match u32_at(item, 4) {
        Some(CONTROL_PANEL_CATEGORY) => return made(NamedKind::ControlPanelCategory, category(item)),
        Some(CONTROL_PANEL_FILE) => {
            return made(NamedKind::ControlPanelFile, utf16_to_nul(item, 24, "path", damage));
        }
        Some(CD_BURN) => {
            return made(NamedKind::CdBurn, Some(Located::new("CDBurn".to_owned(), 4, 4)));
        }
        _ => {}
    }
    match u32_at(item, 6) {
        Some(PORTABLE_VOLUME) => {
            return made(NamedKind::PortableVolume, counted(item, 0x26, 0x36, "name", damage));
        }
        Some(PORTABLE_FILE) => {
            return made(NamedKind::PortableFile, counted(item, 0x3E, 0x4A, "name", damage));
        }
        _ => {}
    }
    if is_archived(item) {
        return made(NamedKind::ArchiveEntry, counted(item, ARCHIVE_LENGTH, ARCHIVE_NAME, "name", damage));
    }
    None
}

/// Reads a delegate item of any other kind: the folder to which it belongs.
pub(super) fn delegate(item: &[u8]) -> Option<ItemKind> {
    let at = item.len().checked_sub(32)?;
    if guid_at(item, at)? != DELEGATE {
        return None;
    }
    let guid = guid_at(item, at + 16)?;
    Some(ItemKind::Folder { guid: Located::new(guid, at + 16, 16) })
}

fn category(item: &[u8]) -> Option<Located<String>> {
    let number = u32_at(item, 8)?;
    let known = usize::try_from(number).ok().and_then(|number| CATEGORIES.get(number));
    let name = known.map_or_else(|| format!("category {number}"), |name| (*name).to_owned());
    Some(Located::new(name, 8, 4))
}

/// Reads a text whose number of UTF-16 units, including its NUL, is at `length_at`.
fn counted(
    item: &[u8],
    length_at: usize,
    at: usize,
    what: &'static str,
    damage: &mut Vec<Damage>,
) -> Option<Located<String>> {
    let length = usize::try_from(u32_at(item, length_at)?).ok()?.checked_mul(2)?;
    let text = utf16(bytes(item, at, length)?, at, what, damage);
    let bare = text.split('\0').next().unwrap_or_default().to_owned();
    let length = bare.encode_utf16().count() * 2;
    Some(Located::new(bare, at, length))
}

/// Checks whether the item has a date such as `01/31/2020`, or `N/A`, where items of compressed folders have one.
fn is_archived(item: &[u8]) -> bool {
    let Some(field) = bytes(item, ARCHIVE_TIME, 20) else { return false };
    let units: Vec<u16> = field.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    let text = String::from_utf16_lossy(&units);
    let date = |separator: char| {
        let mut parts = text.split(separator);
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        parts.clone().count() >= 3 && parts.by_ref().take(2).all(digits)
    };
    text.starts_with("N/A\0") || date('/') || date('-') || date('.')
}
