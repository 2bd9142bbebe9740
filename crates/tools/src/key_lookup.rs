//! Resolves an agent's spelling of a key to a key of one hive.
//!
//! A live registry mounts hives under names (`HKLM\SYSTEM`, `HKCU`) and shows `CurrentControlSet`, which no hive file contains.
//! Such a spelling is accepted if it fits the type of the hive, and refused if not.

use crate::error::CallError;
use crate::hive_file::type_name;
use crate::normalise::bare;
use artifacts::registry::{Hive, HiveType, Key, ValueData, identify};
use evidence::Node;

/// The result of a lookup.
pub(crate) struct Lookup<'h> {
    /// The key; `None` if the hive has none at this path.
    pub(crate) key: Option<Key<'h>>,
    /// The path from the hive's root that was looked up; in the hive's own spelling if the key exists.
    pub(crate) used: String,
    /// How the path was changed, and what exists in place of an absent key.
    pub(crate) notes: Vec<String>,
}

/// Looks up `asked` in the hive file `node`: first as it is, then as a path of the live registry.
///
/// Key names may contain `/`: a path is read with `\` as the only separator first, and with either slash if that finds nothing.
pub(crate) fn look_up<'h>(hive: &'h Hive<'_>, node: &Node, asked: &str) -> Result<Lookup<'h>, CallError> {
    let hive_type = identify(hive);
    let mut notes = Vec::new();
    let Candidates { paths, foreign } = candidates(hive, hive_type, node, asked, &mut notes)?;
    let mut refused = None;
    for path in &paths {
        match hive.key(path) {
            Ok(Some(key)) => {
                let used = key.path.clone();
                return Ok(Lookup { key: Some(key), used, notes });
            }
            Ok(None) => {}
            Err(source) => refused = Some(CallError::Lookup { hive: node.path.clone(), source }),
        }
    }
    if let Some(error) = refused {
        return Err(error);
    }
    if foreign {
        return Err(CallError::ForeignKey { key: asked.to_owned(), hive_type: type_name(hive_type) });
    }
    let used = paths.into_iter().next_back().unwrap_or_default();
    notes.push(instead(hive, &used));
    Ok(Lookup { key: None, used, notes })
}

/// The result of searching for a key in one of several hives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sought {
    There,
    Absent,
    /// The hive's type cannot have it.
    Foreign,
    /// The hive could not be read.
    Unread,
}

/// Checks whether a key is in no hive, so that nothing was searched. A hive that could not be read may have a key that others lack.
pub(crate) fn is_nowhere(sought: &[Sought]) -> bool {
    let met = |it| sought.contains(&it);
    let is_missing = if met(Sought::Absent) { !met(Sought::Unread) } else { met(Sought::Foreign) };
    is_missing && !met(Sought::There)
}

/// Removes quotes around the path, and shortens root keys that programs write in their own way.
/// Registry editors write `Computer\HKEY_…`, PowerShell `HKLM:` and `Registry::`, the kernel `\REGISTRY\MACHINE`.
pub(crate) fn live(asked: &str) -> String {
    let mut text = bare(asked);
    for start in ["Computer\\", "My Computer\\", "Registry::"] {
        let is_start = text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start));
        if let Some(rest) = text.get(start.len()..).filter(|rest| is_start && begins_with_root(rest)) {
            text = rest;
        }
    }
    for (start, root) in [("\\REGISTRY\\MACHINE", "HKLM"), ("\\REGISTRY\\USER", "HKU")] {
        if let Some(rest) = text
            .get(..start.len())
            .filter(|found| found.eq_ignore_ascii_case(start))
            .and(text.get(start.len()..))
            && (rest.is_empty() || rest.starts_with('\\'))
        {
            return format!("{root}{rest}");
        }
    }
    match text.split_once(':') {
        Some((root, rest)) if ROOTS.iter().any(|name| root.eq_ignore_ascii_case(name)) => {
            format!("{root}{rest}")
        }
        _ => text.to_owned(),
    }
}

/// Checks whether a path begins with the name of a root key, long or short.
fn begins_with_root(path: &str) -> bool {
    let first = path.split(['\\', '/', ':']).next().unwrap_or_default().to_ascii_uppercase();
    first.starts_with("HKEY_") || ROOTS.contains(&first.as_str())
}

/// The short names of root keys.
const ROOTS: [&str; 5] = ["HKLM", "HKCU", "HKU", "HKCR", "HKCC"];

struct Candidates {
    /// In the order in which they are tried; the last has the fewest special forms.
    paths: Vec<String>,
    /// Whether the path belongs to another hive.
    foreign: bool,
}

fn candidates(
    hive: &Hive<'_>,
    hive_type: HiveType,
    node: &Node,
    asked: &str,
    notes: &mut Vec<String>,
) -> Result<Candidates, CallError> {
    let root_name = hive.root().map(|root| root.name).unwrap_or_default();
    let mut spellings = vec![asked.to_owned()];
    let plain = live(asked);
    for spelling in [plain.clone(), plain.replace('/', "\\")] {
        if !spellings.contains(&spelling) {
            spellings.push(spelling);
        }
    }
    let mut found = Candidates { paths: Vec::new(), foreign: false };
    for spelling in spellings {
        let names: Vec<&str> = spelling.split('\\').filter(|name| !name.is_empty()).collect();
        let mut forms = vec![names.clone()];
        match strip(&names, hive_type, &[&root_name, &node.name, "ROOT"]) {
            Prefix::None => {}
            Prefix::Fits(rest) => forms.push(rest.to_vec()),
            Prefix::Foreign => found.foreign = true,
        }
        for names in forms {
            found.paths.push(names.join("\\"));
            if let Some(path) = control_set(hive, hive_type, node, &names, notes)? {
                found.paths.push(path);
            }
        }
    }
    Ok(found)
}

enum Prefix<'n> {
    /// The path does not begin with the name of a hive.
    None,
    /// The path begins with this hive's name; these are the names after it.
    Fits(&'n [&'n str]),
    /// The path begins with another hive's name.
    Foreign,
}

fn strip<'n>(names: &'n [&'n str], hive_type: HiveType, own_names: &[&str]) -> Prefix<'n> {
    let is = |name: &&str, other: &str| name.eq_ignore_ascii_case(other);
    let mount = mount(hive_type);
    match names {
        [first, rest @ ..] if is(first, "HKLM") || is(first, "HKEY_LOCAL_MACHINE") => match rest {
            [second, rest @ ..] if mount.is_some_and(|mount| is(second, mount)) => Prefix::Fits(rest),
            _ => Prefix::Foreign,
        },
        [first, rest @ ..] if is(first, "HKCU") || is(first, "HKEY_CURRENT_USER") => {
            match (hive_type, rest) {
                (HiveType::NtUser, rest) => Prefix::Fits(rest),
                (HiveType::UsrClass, [software, classes, rest @ ..])
                    if is(software, "Software") && is(classes, "Classes") =>
                {
                    Prefix::Fits(rest)
                }
                _ => Prefix::Foreign,
            }
        }
        // A user's hive does not show whose it is: a SID in the path would be dropped unchecked.
        [first, ..]
            if ["HKU", "HKEY_USERS", "HKCR", "HKEY_CLASSES_ROOT"].iter().any(|name| is(first, name)) =>
        {
            Prefix::Foreign
        }
        [first, rest @ ..] if mount.is_some_and(|mount| is(first, mount)) => Prefix::Fits(rest),
        [first, rest @ ..] if own_names.iter().any(|name| !name.is_empty() && is(first, name)) => {
            Prefix::Fits(rest)
        }
        _ => Prefix::None,
    }
}

/// Returns the name under which Windows mounts a hive in `HKEY_LOCAL_MACHINE`.
const fn mount(hive_type: HiveType) -> Option<&'static str> {
    match hive_type {
        HiveType::System => Some("SYSTEM"),
        HiveType::Software => Some("SOFTWARE"),
        HiveType::Sam => Some("SAM"),
        HiveType::Security => Some("SECURITY"),
        HiveType::Bcd => Some("BCD00000000"),
        HiveType::Drivers => Some("DRIVERS"),
        HiveType::Components => Some("COMPONENTS"),
        HiveType::NtUser | HiveType::UsrClass | HiveType::Amcache | HiveType::Other => None,
    }
}

/// Replaces `CurrentControlSet` with the control set that `Select\Current` names.
fn control_set(
    hive: &Hive<'_>,
    hive_type: HiveType,
    node: &Node,
    names: &[&str],
    notes: &mut Vec<String>,
) -> Result<Option<String>, CallError> {
    let [first, rest @ ..] = names else { return Ok(None) };
    if hive_type != HiveType::System || !first.eq_ignore_ascii_case("CurrentControlSet") {
        return Ok(None);
    }
    let lookup = |source| CallError::Lookup { hive: node.path.clone(), source };
    let select = hive.key("Select").map_err(lookup)?;
    let value = match &select {
        Some(select) => hive.value(select, "Current").map_err(lookup)?,
        None => None,
    };
    let Some(ValueData::Dword(current)) = value.map(|value| value.data) else {
        return Err(CallError::NoControlSet { hive: node.path.clone() });
    };
    let set = format!("ControlSet{current:03}");
    let note = format!("CurrentControlSet was read as {set}: Select\\Current is {current}");
    if !notes.contains(&note) {
        notes.push(note);
    }
    Ok(Some(std::iter::once(set.as_str()).chain(rest.iter().copied()).collect::<Vec<_>>().join("\\")))
}

/// Says what exists in place of an absent key.
fn instead(hive: &Hive<'_>, absent: &str) -> String {
    let mut path = absent;
    while let Some((parent, name)) = path.rsplit_once('\\') {
        if let Ok(Some(key)) = hive.key(parent) {
            if path == absent && matches!(hive.value(&key, name), Ok(Some(_))) {
                return format!("no key {absent:?}: the key {:?} has a value of that name", key.path);
            }
            return format!("no key {absent:?}; the deepest key on that way is {:?}", key.path);
        }
        path = parent;
    }
    format!("no key {absent:?} below the root of the hive")
}
