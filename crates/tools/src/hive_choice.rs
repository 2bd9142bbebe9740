//! Chooses a hive by the name under which Windows mounts it, or by the beginning of a key's path.
//!
//! If several hives fit, none is chosen.

use crate::catalogue::Indexes;
use crate::error::CallError;
use crate::hive_file::{self, type_name};
use crate::hive_state::{self, Loaded, Logs};
use crate::hives;
use crate::key_lookup::{live, look_up};
use crate::live_path;
use crate::place::{self, Place};
use artifacts::registry::{HiveType, ValueData};
use evidence::{EvidencePath, Tree};

/// A hive, named as in a live registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Any hive of this type.
    Type(HiveType),
    /// The hive of the account with this SID.
    Sid {
        /// The SID, without `_Classes`.
        sid: String,
        /// Whether the user's classes hive is meant.
        classes: bool,
    },
}

const TYPES: [HiveType; 10] = [
    HiveType::System,
    HiveType::Software,
    HiveType::Sam,
    HiveType::Security,
    HiveType::NtUser,
    HiveType::UsrClass,
    HiveType::Amcache,
    HiveType::Bcd,
    HiveType::Drivers,
    HiveType::Components,
];

/// Parses a text that names only a hive, such as `SYSTEM`, `HKLM\SYSTEM`, `NTUSER.DAT` or `HKU\S-1-5-21-…`.
pub(crate) fn by_name(text: &str) -> Option<Asked> {
    if let Some((asked, rest)) = by_prefix(text) {
        return rest.is_empty().then_some(asked);
    }
    let bare = text.trim_matches(['/', '\\']).to_ascii_uppercase();
    let bare = bare.strip_suffix(".DAT").or(bare.strip_suffix(".HVE")).unwrap_or(&bare);
    TYPES.into_iter().find(|hive_type| type_name(*hive_type) == bare).map(Asked::Type)
}

/// Parses the beginning of a key's path in a live registry, and returns the path within the hive; `None` if it begins with no root key.
pub(crate) fn by_prefix(key: &str) -> Option<(Asked, String)> {
    let key = live(key);
    let names: Vec<&str> = key.split(['/', '\\']).filter(|name| !name.is_empty()).collect();
    let is = |name: &str, others: &[&str]| others.iter().any(|other| name.eq_ignore_ascii_case(other));
    let (asked, rest) = match names.as_slice() {
        [root, mount, rest @ ..] if is(root, &["HKLM", "HKEY_LOCAL_MACHINE"]) => {
            let bcd = |hive_type: &HiveType| *hive_type == HiveType::Bcd && is(mount, &["BCD00000000"]);
            let named = |hive_type: &HiveType| is(mount, &[type_name(*hive_type)]);
            let hive_type = TYPES.into_iter().find(|hive_type| named(hive_type) || bcd(hive_type))?;
            (Asked::Type(hive_type), rest)
        }
        [root, software, classes, rest @ ..]
            if is(root, &["HKCU", "HKEY_CURRENT_USER"])
                && is(software, &["Software"])
                && is(classes, &["Classes"]) =>
        {
            (Asked::Type(HiveType::UsrClass), rest)
        }
        [root, rest @ ..] if is(root, &["HKCU", "HKEY_CURRENT_USER"]) => {
            (Asked::Type(HiveType::NtUser), rest)
        }
        [root, sid, rest @ ..] if is(root, &["HKU", "HKEY_USERS"]) => {
            let upper = sid.to_ascii_uppercase();
            let (sid, classes) = match upper.strip_suffix("_CLASSES") {
                Some(sid) => (sid.to_owned(), true),
                None => (upper, false),
            };
            (Asked::Sid { sid, classes }, rest)
        }
        _ => return None,
    };
    // Separators in the rest are kept: key names may contain a slash.
    let start = rest.first().map_or(key.len(), |first| first.as_ptr() as usize - key.as_ptr() as usize);
    let rest = key.get(start..).unwrap_or_default().trim_end_matches(['/', '\\']).to_owned();
    Some((asked, rest))
}

/// Refuses root keys that are views: their content comes from several hives, or from another place.
pub(crate) fn no_view(key: &str) -> Result<(), CallError> {
    let plain = live(key);
    let root =
        plain.split(['/', '\\']).find(|name| !name.is_empty()).unwrap_or_default().to_ascii_uppercase();
    let view = |root, instead| Err(CallError::View { key: key.to_owned(), root, instead });
    match root.as_str() {
        "HKCR" | "HKEY_CLASSES_ROOT" => {
            view("HKEY_CLASSES_ROOT", "read HKLM\\SOFTWARE\\Classes and HKCU\\Software\\Classes")
        }
        "HKCC" | "HKEY_CURRENT_CONFIG" => view(
            "HKEY_CURRENT_CONFIG",
            "read HKLM\\SYSTEM\\CurrentControlSet\\Hardware Profiles, whose subkey of four digits is named by Control\\IDConfigDB\\CurrentConfig",
        ),
        _ => Ok(()),
    }
}

/// Returns the one hive of `trees` that is meant.
pub(crate) fn choose<'a>(
    trees: &[&'a dyn Tree],
    indexes: &Indexes,
    asked: &Asked,
    text: &str,
) -> Result<Place<'a>, CallError> {
    let mut typed = hives::typed(trees, indexes)?;
    let shown = |(place, hive_type): &(Place<'_>, HiveType)| {
        format!("{} ({} of {})", place.node.path, type_name(*hive_type), place.tree.label())
    };
    let (argument, all) = ("hive".to_owned(), typed.iter().map(shown).collect::<Vec<_>>());
    match asked {
        Asked::Type(wanted) => typed.retain(|(_, hive_type)| hive_type == wanted),
        Asked::Sid { sid, classes } => {
            let folders = profile_folders(&typed, trees, sid);
            let wanted = if *classes { HiveType::UsrClass } else { HiveType::NtUser };
            typed.retain(|(place, hive_type)| {
                *hive_type == wanted
                    && folders.iter().any(|(label, folder)| {
                        place.tree.label() == label && lies_in(&place.node.path, folder)
                    })
            });
        }
    }
    if typed.len() > 1 {
        let candidates = typed.iter().map(shown).collect();
        return Err(CallError::Several { argument, asked: text.to_owned(), candidates });
    }
    let asked = text.to_owned();
    typed.pop().map(|(place, _)| place).ok_or(CallError::Nowhere { argument, asked, looked: all })
}

fn lies_in(path: &EvidencePath, folder: &EvidencePath) -> bool {
    path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the profile folders that `ProfileList` in the SOFTWARE hives gives for an account, by label of the evidence.
fn profile_folders(
    typed: &[(Place<'_>, HiveType)],
    trees: &[&dyn Tree],
    sid: &str,
) -> Vec<(String, EvidencePath)> {
    let software = typed.iter().filter(|(_, hive_type)| *hive_type == HiveType::Software);
    let mut folders = Vec::new();
    for (place, _) in software {
        let Some(image) = image_path(place, sid) else { continue };
        let tree = trees.iter().filter(|tree| tree.label() == place.tree.label());
        for tree in tree {
            let path = match live_path::read(&image) {
                Some(found) => found.path(&[*tree], "hive", &image),
                None => Ok(image.clone()),
            };
            let path = path.ok().and_then(|path| place::read(&path).ok());
            let node = path.and_then(|path| place::locate(*tree, &path).ok().flatten());
            folders.extend(node.map(|node| (tree.label().to_owned(), node.path)));
        }
    }
    folders
}

fn image_path(place: &Place<'_>, sid: &str) -> Option<String> {
    let Loaded { bytes, .. } = hive_state::load(place.tree, &place.node, Logs::Applied).ok()?;
    let hive = hive_file::open(&place.node, &bytes).ok()?;
    let path = format!("Microsoft\\Windows NT\\CurrentVersion\\ProfileList\\{sid}");
    let key = look_up(&hive, &place.node, &path).ok()?.key?;
    match hive.value(&key, "ProfileImagePath").ok()??.data {
        ValueData::Text(text) => Some(text),
        ValueData::MultiText(_)
        | ValueData::Dword(_)
        | ValueData::Qword(_)
        | ValueData::Bytes
        | ValueData::Unreadable => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hives_are_named_as_windows_mounts_them() {
        use HiveType::{Amcache, Bcd, NtUser, Software, System, UsrClass};
        for (text, expected) in [
            ("SYSTEM", Some(System)),
            ("hklm\\system", Some(System)),
            ("HKEY_LOCAL_MACHINE/SOFTWARE/", Some(Software)),
            ("HKLM:\\SOFTWARE", Some(Software)),
            ("Computer\\HKEY_LOCAL_MACHINE\\SOFTWARE", Some(Software)),
            ("\\REGISTRY\\MACHINE\\SOFTWARE", Some(Software)),
            ("HKLM\\BCD00000000", Some(Bcd)),
            ("ntuser.dat", Some(NtUser)),
            ("HKCU", Some(NtUser)),
            ("HKCU\\Software\\Classes", Some(UsrClass)),
            ("Amcache.hve", Some(Amcache)),
            ("HKCU\\Software", None),
            ("C/Windows/SYSTEM", None),
            ("", None),
        ] {
            assert_eq!(by_name(text), expected.map(Asked::Type), "{text}");
        }
        let sid = |classes| Some(Asked::Sid { sid: "S-1-5-21-1".to_owned(), classes });
        assert_eq!(by_name("HKU\\s-1-5-21-1"), sid(false));
        assert_eq!(by_name("HKEY_USERS\\S-1-5-21-1_Classes"), sid(true));
    }

    #[test]
    fn what_follows_the_hive_keeps_its_slashes() {
        let rest = |key: &str| by_prefix(key).map(|(_, rest)| rest);
        assert_eq!(rest("HKLM\\SOFTWARE\\Classes\\image/png\\").as_deref(), Some("Classes\\image/png"));
        assert_eq!(rest("HKCU").as_deref(), Some(""));
        assert_eq!(rest("Software\\x"), None);
        assert!(no_view("HKCR\\.exe").is_err() && no_view("hkcc").is_err() && no_view("HKLM\\x").is_ok());
    }
}
