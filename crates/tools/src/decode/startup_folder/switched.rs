//! Whether an item of a startup folder is switched off.
//! The user's hive says so for the user's own folder, SOFTWARE for that of all users.
//! In a profile that belongs to no person, nothing starts.

use crate::approval::{self, APPROVED, Approval};
use crate::hive_file;
use crate::hive_state::{self, Logs};
use crate::nobody;
use evidence::{EvidencePath, Node, NodeKind, Tree};

/// What switches an item off.
pub(super) struct Off {
    pub(super) by: &'static str,
    /// The hive in which this is stored, if it is stored in a hive.
    pub(super) hive: Option<EvidencePath>,
    /// The FILETIME since when it is off.
    pub(super) since: Option<u64>,
}

/// The hive that stores the state of a folder's items, and the path above its key there.
struct Keeper {
    hive: EvidencePath,
    top: &'static str,
}

/// Returns what switches the item off; `None` if nothing does, or the hive cannot be read.
pub(super) fn off(tree: &dyn Tree, item: &Node) -> Option<Off> {
    if profile(item).is_some_and(|profile| nobody::is_profile(&profile)) {
        return Some(Off { by: "no_logon", hive: None, since: None });
    }
    let keeper = keeper(item)?;
    let node = tree.node(&keeper.hive).ok()?.filter(|node| node.kind == NodeKind::File)?;
    let loaded = hive_state::load(tree, &node, Logs::Applied).ok()?;
    let hive = hive_file::open(&node, &loaded.bytes).ok()?;
    let key = hive.key(&format!("{}{}", keeper.top, approval::key("StartupFolder"))).ok()??;
    let value = hive.value(&key, &item.name).ok()??;
    match Approval::read(&value.raw)? {
        Approval::Off { since } => Some(Off { by: APPROVED, hive: Some(node.path), since }),
        Approval::On => None,
    }
}

/// Returns the hive that stores the state of an item.
/// The task manager of Windows 8 was the first to store any, so the folders of older Windows have no such hive.
fn keeper(item: &Node) -> Option<Keeper> {
    let parts: Vec<&str> = item.path.components().collect();
    let before = parts.len().checked_sub(BELOW.len() + 1)?;
    let (above, below) = parts.split_at(before);
    if !below.iter().zip(BELOW).all(|(part, name)| part.eq_ignore_ascii_case(name)) {
        return None;
    }
    let (path, top) = match above {
        [root @ .., folder] if folder.eq_ignore_ascii_case("ProgramData") => {
            ([root, &["Windows", "System32", "config", "SOFTWARE"]].concat(), "")
        }
        [profile @ .., data, roaming]
            if data.eq_ignore_ascii_case("AppData") && roaming.eq_ignore_ascii_case("Roaming") =>
        {
            ([profile, &["NTUSER.DAT"]].concat(), "Software\\")
        }
        _ => return None,
    };
    Some(Keeper { hive: EvidencePath::parse(&path.join("/")).ok()?, top })
}

/// Returns the folder of the profile that an item is in: above `AppData`, or above the start menu of older Windows.
fn profile(item: &Node) -> Option<String> {
    let parts: Vec<&str> = item.path.components().collect();
    let above = ["AppData", "Start Menu"]
        .iter()
        .find_map(|name| parts.iter().position(|part| part.eq_ignore_ascii_case(name)))?;
    Some(parts.get(..above)?.join("/"))
}

/// The folders from a profile's or the machine's program data down to the startup folder.
const BELOW: [&str; 5] = ["Microsoft", "Windows", "Start Menu", "Programs", "Startup"];
