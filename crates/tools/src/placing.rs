//! Decides for each record whether its file is where Windows keeps such files (`ledger::placement`).
//!
//! It is decided for a page of records when the page is asked for, and is not stored in case tables.

use crate::catalogue::InPlace;
use crate::drives;
use crate::foreign::Hosts;
use evidence::{EvidencePath, Node, ReadError, Tree};
use ledger::{Placement, Record, placement};
use std::collections::BTreeMap;

/// The number of levels below the evidence's root on which a shadow copy's folder may be.
const DEEPEST_SHADOW_COPY: usize = 5;

/// The most folders around a host's folder that contain nothing else.
const DEEPEST_WRAPPER: usize = 4;

/// The folder layout of a piece of evidence.
pub(crate) struct Layout<'a> {
    /// The paths of which the case file says that they are the host's own.
    stated: &'a [String],
    /// The roots of drives, the longest path first.
    roots: Vec<EvidencePath>,
    /// Whether the evidence's root is itself the root of a volume.
    is_volume: bool,
    /// Folders at the top of a root, in lower case, that this Windows does not use because the newer one exists.
    outdated: Vec<(EvidencePath, &'static str)>,
    /// Whether a live drive of the host is among the roots, so that a shadow copy is not all there is.
    has_live: bool,
    /// Whether its files may have been supplied alone: no image, and no Windows folder at any root.
    may_be_alone: bool,
}

/// Sets the placement of every record that is not where it belongs.
pub(crate) fn place(
    records: &mut [Record],
    trees: &[Box<dyn Tree>],
    in_place: &InPlace,
) -> Result<(), ReadError> {
    let mut layouts: BTreeMap<&str, Layout<'_>> = BTreeMap::new();
    let mut hosts = Hosts::default();
    for record in records {
        // Most types have no particular place, so the evidence need not be examined.
        if !placement::has_place(record) {
            continue;
        }
        let Some(tree) = trees.iter().find(|tree| tree.label() == record.locator.evidence) else { continue };
        if !layouts.contains_key(tree.label()) {
            layouts.insert(tree.label(), layout(tree.as_ref(), in_place)?);
        }
        let path: Vec<&str> = record.locator.path.split('/').filter(|part| !part.is_empty()).collect();
        let placed = |layout: &Layout<'_>| {
            layout.placed(&path, placement::tells_a_state(record), |path| placement::belongs(record, path))
        };
        let Some(layout) = layouts.get(tree.label()) else { continue };
        record.placement = match placed(layout) {
            None | Some(Placement::Assumed)
                if hosts.is_foreign(tree.as_ref(), &layout.root_of(&path), record) =>
            {
                // Whoever states in the case file that a log is the host's own knows its computer names.
                Some(if layout.is_stated(&path) { Placement::Stated } else { Placement::Foreign })
            }
            placement => placement,
        };
    }
    Ok(())
}

/// Examines the folders of a piece of evidence.
pub(crate) fn layout<'a>(tree: &dyn Tree, in_place: &'a InPlace) -> Result<Layout<'a>, ReadError> {
    let top = tree.node(&EvidencePath::root())?;
    let is_volume = top.as_ref().is_some_and(|top| is_volume(tree, top));
    let mut roots = roots(tree, top, is_volume)?;
    roots.sort_by_key(|root| std::cmp::Reverse(root.components().count()));
    let has_windows = roots.iter().any(|root| drives::holds_windows(tree, root));
    let stated = in_place.get(tree.label()).map_or(&[][..], Vec::as_slice);
    let may_be_alone = tree.layout().is_none() && !has_windows && !is_volume;
    let mut outdated = Vec::new();
    for root in &roots {
        outdated.extend(outdated_at(tree, root)?.into_iter().map(|name| (root.clone(), name)));
    }
    let is_live = |root: &&EvidencePath| {
        let path: Vec<&str> = root.components().collect();
        below_shadow_copy(&path) == 0 && drives::holds_windows(tree, root)
    };
    let has_live = roots.iter().any(|root| is_live(&root));
    Ok(Layout { stated, is_volume, may_be_alone, outdated, has_live, roots })
}

/// Folders in which Windows keeps things, each with its predecessors, which Windows no longer uses once the new one exists.
/// Anybody can create a folder with such a name at the top of a drive.
const REPLACED: [(&str, &[&str]); 3] = [
    ("windows", &["winnt"]),
    ("users", &["documents and settings", "dokumente und einstellungen"]),
    ("$recycle.bin", &["recycler", "recycled"]),
];

/// Returns the folders at a root that this Windows does not use.
fn outdated_at(tree: &dyn Tree, root: &EvidencePath) -> Result<Vec<&'static str>, ReadError> {
    let Some(node) = tree.node(root)? else { return Ok(Vec::new()) };
    let tops = folders(tree, &node);
    let mut outdated = Vec::new();
    for (newer, older) in REPLACED {
        let Some(folder) = tops.iter().find(|top| top.name.eq_ignore_ascii_case(newer)) else { continue };
        let is_there = |names: &[&str]| {
            let path = names.iter().try_fold(folder.path.clone(), |path, name| path.child(name).ok());
            path.is_some_and(|path| tree.node(&path).is_ok_and(|node| node.is_some()))
        };
        let is_used = match newer {
            "windows" => is_there(&["System32", "config"]),
            // On Windows XP a folder `Users` may be anything; one that contains a profile is where profiles are.
            "users" => folders(tree, folder)
                .iter()
                .any(|user| is_there(&[&user.name, "NTUSER.DAT"]) || is_there(&[&user.name, "AppData"])),
            _ => true,
        };
        outdated.extend(older.iter().filter(|_| is_used));
    }
    Ok(outdated)
}

/// Returns the roots of the host's drives: none is inside another, whatever names users gave to folders.
fn roots(tree: &dyn Tree, top: Option<Node>, is_volume: bool) -> Result<Vec<EvidencePath>, ReadError> {
    let Some(top) = top.filter(|_| tree.layout().is_none()) else { return drives::volumes(tree) };
    if is_volume {
        return Ok(vec![top.path]);
    }
    let hosts = wrapped(tree, top.clone());
    let mut roots = Vec::new();
    for drive in drives::volumes(tree)? {
        if drive != top.path && !hosts.iter().any(|host| drive.is_below(host)) {
            roots.push(drive);
        }
    }
    roots.extend(hosts);
    Ok(if roots.is_empty() { vec![top.path] } else { roots })
}

/// Checks whether a folder is the root of a volume: it contains what the top of a volume contains.
fn is_volume(tree: &dyn Tree, folder: &Node) -> bool {
    folders(tree, folder).iter().any(|folder| drives::is_top(&folder.name))
}

/// Returns the subfolders of a folder; none if it cannot be listed, which the actual search reports.
fn folders(tree: &dyn Tree, folder: &Node) -> Vec<Node> {
    tree.folders(folder).unwrap_or_default()
}

/// Returns the volumes below a folder that is not a volume itself.
/// It follows single subfolders down, and returns the volumes that are side by side.
fn wrapped(tree: &dyn Tree, top: Node) -> Vec<EvidencePath> {
    let mut folder = top;
    for _ in 0..DEEPEST_WRAPPER {
        let mut below = folders(tree, &folder);
        let mut hosts = Vec::new();
        below.retain(|folder| !is_former_windows(&folder.name));
        for below in &below {
            if is_volume(tree, below) {
                hosts.push(below.path.clone());
            }
        }
        match below.pop() {
            _ if !hosts.is_empty() => return hosts,
            Some(only) if below.is_empty() => folder = only,
            Some(_) | None => break,
        }
    }
    Vec::new()
}

/// Checks for the folder of a Windows that was replaced, or is being set up, and so does not run on the host.
fn is_former_windows(name: &str) -> bool {
    let name = name.to_lowercase();
    name.starts_with("windows.old") || matches!(name.as_str(), "$windows.~bt" | "$windows.~ws")
}

impl Layout<'_> {
    /// Checks whether a file or folder is where Windows keeps files of this kind, or is assumed to be.
    pub(crate) fn keeps(&self, kind: &str, path: &EvidencePath) -> bool {
        let path: Vec<&str> = path.components().collect();
        let placed = self.placed(&path, false, |on_drive| Some(placement::is_kept(kind, on_drive)));
        placed != Some(Placement::Elsewhere)
    }

    /// Returns the root of the drive that a path leads into; the evidence's root if none is known.
    fn root_of(&self, path: &[&str]) -> EvidencePath {
        let leads = |root: &&EvidencePath| root.components().zip(path).all(|(own, part)| own == *part);
        let fits = |root: &&EvidencePath| root.components().count() < path.len() && leads(root);
        self.roots.iter().find(fits).cloned().unwrap_or_default()
    }

    /// Checks whether the case file says that what is at a path is the host's own.
    fn is_stated(&self, path: &[&str]) -> bool {
        let is_below = |stated: &String| {
            let stated = stated.split('/');
            stated.clone().count() <= path.len() && stated.zip(path).all(|(own, part)| own == *part)
        };
        self.stated.iter().any(is_below)
    }

    /// Returns the placement of a path. `belongs` decides by the path from the root of its drive.
    /// `is_state` means that the record shows a state of the host, not an event.
    fn placed(
        &self,
        path: &[&str],
        is_state: bool,
        belongs: impl Fn(&[&str]) -> Option<bool>,
    ) -> Option<Placement> {
        let root = self.root_of(path);
        let is_outdated =
            |top: &&str| self.outdated.iter().any(|(of, name)| *of == root && name.eq_ignore_ascii_case(top));
        let above: Vec<&str> = root.components().collect();
        let copy = match above.len() {
            0 if self.is_volume => 0,
            0 => below_shadow_copy(path),
            _ => below_shadow_copy(&above),
        };
        let root = above.len().max(copy);
        let on_drive = path.get(root..).unwrap_or_default();
        // What happened stays true; what was configured may have changed since the shadow copy.
        let is_past = is_state && copy > 0 && self.has_live;
        if belongs(on_drive)? && !is_past && !on_drive.first().is_some_and(is_outdated) {
            // A lone file at the top, such as `$MFT`, does not show which volume it is from.
            let is_alone = on_drive.len() == 1 && root == 0 && self.may_be_alone;
            return is_alone.then_some(Placement::Assumed);
        }
        if self.is_stated(path) {
            return Some(Placement::Stated);
        }
        let tells_place = root > 0 || path.iter().any(|part| drives::is_top(part) || is_of_a_user(part));
        Some(if self.may_be_alone && !tells_place { Placement::Assumed } else { Placement::Elsewhere })
    }
}

/// Checks for a folder in which users keep files from anywhere.
fn is_of_a_user(name: &str) -> bool {
    ["downloads", "desktop", "temp", "backup", "backups"].contains(&name.to_lowercase().as_str())
}

/// Returns how many components of a path lead to the root of a collected shadow copy: Velociraptor names its device, KAPE numbers it.
fn below_shadow_copy(path: &[&str]) -> usize {
    let before_tops = path.iter().take_while(|part| !drives::is_top(part)).take(DEEPEST_SHADOW_COPY);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_copy = |part: &&str| {
        let part = part.to_lowercase();
        part.contains("harddiskvolumeshadowcopy") || part.strip_prefix("vss").is_some_and(is_number)
    };
    before_tops.into_iter().position(is_copy).map_or(0, |at| at + 1)
}
