//! Deleted entries: names still present in folders, and inodes that no name leads to any more.

use super::ROOT;
use super::directory::{Entry, Wanted, names};
use super::files::{ExtFiles, child_raw};
use super::inode::{Inode, InodeKind};
use crate::deleted::{DELETED, DeletedEntry, DeletedStep, Original, Recovery};
use crate::error::{Damage, ReadError};
use crate::file_system::child;
use crate::path::EvidencePath;
use crate::tree::{Node, NodeKind, NodeState};
use crate::walk::MAX_DEPTH;
use ledger::{Defect, Gap};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// The most names of deleted entries that are kept.
const MAX_TRACES: usize = 1 << 20;

/// The names of deleted entries.
#[derive(Default)]
pub(crate) struct Traces {
    /// Keyed by the inode that they name; 0 if the deletion cleared it.
    by_inode: BTreeMap<u64, BTreeSet<Trace>>,
    count: usize,
    defects: Vec<Defect>,
    gaps: Vec<Gap>,
}

/// A name still present in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Trace {
    /// The folder, relative to the root of the volume.
    folder: Rc<EvidencePath>,
    name: Vec<u8>,
    is_folder: Option<bool>,
}

/// A folder still to be searched.
struct Open {
    path: Rc<EvidencePath>,
    number: u64,
    above: u64,
    is_deleted: bool,
}

/// Returns all deleted entries, in the order of their numbers.
pub(super) fn steps(files: &ExtFiles, volume: EvidencePath) -> Steps<'_> {
    Steps { files, volume, queue: VecDeque::new(), next: 0, is_gone: None }
}

/// Returns the deleted entry with this number and name.
pub(super) fn node(files: &ExtFiles, volume: &EvidencePath, number: &str, name: &str) -> Option<Node> {
    let parsed: u64 = number.parse().ok()?;
    let found = of_inode(files, volume, parsed).into_iter().find_map(|step| match step {
        DeletedStep::Entry(entry) => (entry.node.name == name).then_some(entry.node),
        DeletedStep::Defect(_) | DeletedStep::Gap(_) => None,
    });
    found.filter(|_| parsed.to_string() == number)
}

/// See [`steps`].
pub(crate) struct Steps<'a> {
    files: &'a ExtFiles,
    volume: EvidencePath,
    queue: VecDeque<DeletedStep>,
    next: u64,
    /// The group whose unreadable table was already reported.
    is_gone: Option<u64>,
}

impl Iterator for Steps<'_> {
    type Item = DeletedStep;

    fn next(&mut self) -> Option<DeletedStep> {
        loop {
            if let Some(step) = self.queue.pop_front() {
                return Some(step);
            }
            let superblock = &self.files.volume.superblock;
            match self.next {
                0 => self.begin(),
                number if number > superblock.inodes => return None,
                number if number < superblock.first_inode => self.next += 1,
                _ => self.advance(),
            }
        }
    }
}

impl Steps<'_> {
    /// Queues what was found during the search for names, and the names without a number.
    fn begin(&mut self) {
        let traces = traces(self.files);
        let path = self.volume.as_str();
        let below = |of: &str| if of.is_empty() { path.to_owned() } else { format!("{path}/{of}") };
        self.queue.extend(self.files.journal_gap(&self.volume).map(DeletedStep::Gap));
        let defect = |defect: &Defect| Defect { path: below(&defect.path), ..defect.clone() };
        self.queue.extend(traces.defects.iter().map(defect).map(DeletedStep::Defect));
        let gap = |gap: &Gap| Gap { path: below(&gap.path), ..gap.clone() };
        self.queue.extend(traces.gaps.iter().map(gap).map(DeletedStep::Gap));
        let volume = &self.files.volume;
        let read = volume.groups.iter().flatten().count() as u64;
        let missing = volume.superblock.groups().saturating_sub(read);
        if missing > 0 {
            let reason = format!("the inodes of {missing} groups are not read: their descriptors cannot be");
            self.queue.push_back(DeletedStep::Gap(Gap { path: path.to_owned(), reason }));
        }
        self.queue.extend(of_inode(self.files, &self.volume, 0));
        self.next = 1;
    }

    /// Examines the next inode, or skips to the next one that can have something to report.
    fn advance(&mut self) {
        let volume = &self.files.volume;
        let per = volume.superblock.inodes_per_group;
        let (group, within) = ((self.next - 1) / per, (self.next - 1) % per);
        let end = group.saturating_add(1).saturating_mul(per).saturating_add(1);
        let found = usize::try_from(group).ok().and_then(|group| volume.groups.get(group));
        match found {
            // The table is truncated: no later group has a descriptor.
            None => return self.skip(u64::MAX),
            Some(None) => return self.skip(end),
            Some(Some(group)) => {
                let used = if group.no_inodes { 0 } else { per.saturating_sub(group.unused) };
                if within >= used {
                    return self.skip(end);
                }
            }
        }
        if let Err(damage) = volume.inode(self.next) {
            if self.is_gone.replace(group) != Some(group) {
                let what = format!("inodes of group {group} from {} on: {damage}", self.next);
                let path = self.volume.as_str().to_owned();
                self.queue.push_back(DeletedStep::Defect(Defect { path, offset: None, what }));
            }
            let block = (volume.superblock.block / volume.superblock.inode).max(1);
            return self.skip(self.next + (block - within % block));
        }
        self.queue.extend(of_inode(self.files, &self.volume, self.next));
        self.next += 1;
    }

    /// Continues at inode `to`; of the inodes before it only names are reported.
    fn skip(&mut self, to: u64) {
        let numbers: Vec<u64> =
            traces(self.files).by_inode.range(self.next..to).map(|found| *found.0).collect();
        for number in numbers {
            self.queue.extend(of_inode(self.files, &self.volume, number));
        }
        self.next = to;
    }
}

/// Returns what is known about a deleted inode, once for each of its names.
fn of_inode(files: &ExtFiles, volume: &EvidencePath, number: u64) -> Vec<DeletedStep> {
    let none = BTreeSet::new();
    let traces = traces(files).by_inode.get(&number).unwrap_or(&none);
    let inode = files.volume.inode(number).ok().filter(|inode| is_deleted(files, inode));
    let mut steps = Vec::new();
    let mut taken = HashSet::new();
    let written = |trace: &Trace| {
        let folder = trace.folder.components().try_fold(volume.clone(), |path, name| child(&path, name))?;
        child_raw(&folder, &trace.name)
    };
    let originals = traces.iter().map(|trace| (written(trace).map(Original::Path), trace.is_folder));
    let orphan = || {
        let name = EvidencePath::root().child_raw(format!("inode-{number}").as_bytes()).ok()?;
        Some((Ok(Original::Orphan(name)), None))
    };
    let orphan = inode.as_ref().filter(|_| traces.is_empty()).and_then(|_| orphan());
    for (original, is_folder) in originals.chain(orphan) {
        let told = original.and_then(|original| {
            let (Original::Path(path) | Original::Orphan(path)) = &original;
            let place = place(volume, number, path.name())?;
            Ok((original, place))
        });
        let Ok((original, path)) = told else { continue };
        if !taken.insert(path.name().to_owned()) {
            let (Original::Path(other) | Original::Orphan(other)) = &original;
            let reason = format!("another deleted entry of this number and name stood at {other}");
            steps.push(DeletedStep::Gap(Gap { path: path.as_str().to_owned(), reason }));
            continue;
        }
        match &inode {
            Some(inode) => describe(files, inode, path, original, &mut steps),
            None => steps.push(lost(path, original, is_folder)),
        }
    }
    steps
}

/// Returns the path `volume/$Deleted/number/name`.
fn place(volume: &EvidencePath, number: u64, name: &str) -> Result<EvidencePath, ReadError> {
    let parts = [DELETED, &number.to_string(), name];
    parts.into_iter().try_fold(volume.clone(), |path, part| child(&path, part))
}

fn describe(
    files: &ExtFiles,
    inode: &Inode,
    path: EvidencePath,
    original: Original,
    steps: &mut Vec<DeletedStep>,
) {
    let text = path.as_str().to_owned();
    let defect = |damage: Damage| {
        DeletedStep::Defect(Defect { path: text.clone(), offset: None, what: damage.to_string() })
    };
    let kind = inode.kind.unwrap_or(InodeKind::Other);
    match files.describe(path, inode, kind, NodeState::Deleted) {
        Ok(node) => {
            let (recovery, damage) = files.bitmaps.recovery(&files.volume, inode);
            steps.extend(damage.map(defect));
            steps.push(DeletedStep::Entry(Box::new(DeletedEntry { node, original, recovery })));
        }
        Err(damage) => steps.push(defect(damage)),
    }
}

/// Returns a name whose inode is no longer its own. It has no reference, so that nobody mistakes the bytes for
/// its content.
fn lost(path: EvidencePath, original: Original, is_folder: Option<bool>) -> DeletedStep {
    let mut node = Node::folder(path);
    node.state = NodeState::Deleted;
    if is_folder != Some(true) {
        node.kind = NodeKind::File;
    }
    DeletedStep::Entry(Box::new(DeletedEntry { node, original, recovery: Recovery::Lost }))
}

/// Checks whether an inode still describes what was deleted.
fn is_deleted(files: &ExtFiles, inode: &Inode) -> bool {
    if inode.kind.is_none() || inode.number < files.volume.superblock.first_inode {
        return false;
    }
    // A deleted inode keeps its deletion time until it is given to a new file.
    let is_free = || files.bitmaps.inode(&files.volume, inode.number).is_ok_and(|used| !used);
    inode.links == 0 || inode.deleted != 0 && is_free()
}

/// Returns the names of deleted entries; they are found once, by a walk over all folders.
fn traces(files: &ExtFiles) -> &Traces {
    files.traces.get_or_init(|| {
        let mut traces = Traces::default();
        let root = Rc::new(EvidencePath::root());
        let mut open = vec![Open { path: root, number: ROOT, above: ROOT, is_deleted: false }];
        let mut seen = HashSet::new();
        while let Some(folder) = open.pop() {
            if seen.insert(folder.number) {
                traces.visit(files, &folder, &mut open);
            }
        }
        traces
    })
}

impl Traces {
    fn visit(&mut self, files: &ExtFiles, folder: &Open, open: &mut Vec<Open>) {
        let path = || folder.path.as_str().to_owned();
        let Ok(inode) = files.volume.inode(folder.number) else {
            let reason = format!("inode {} of a folder cannot be read", folder.number);
            return self.gaps.push(Gap { path: path(), reason });
        };
        // An entry that wrongly claims to be a folder is not one, and an encrypted folder has no readable names.
        if inode.kind != Some(InodeKind::Directory) || inode.is_encrypted() {
            return;
        }
        let found = match names(&files.volume, &inode, Wanted::Slack) {
            Ok(found) => found,
            Err(_) if folder.is_deleted => return,
            Err(damage) => {
                return self.defects.push(Defect { path: path(), offset: None, what: damage.to_string() });
            }
        };
        // The blocks of a deleted folder may belong to something else by now. If they are still its own, `..`
        // leads back up.
        if folder.is_deleted && found.parent != Some(folder.above) {
            return;
        }
        let defect = |damage: &Damage| Defect { path: path(), offset: None, what: damage.to_string() };
        self.defects.extend(found.damage.iter().map(defect).filter(|_| !folder.is_deleted));
        let live: HashMap<&[u8], u64> = match folder.is_deleted {
            true => HashMap::new(),
            false => found.entries.iter().map(|entry| (entry.name.as_slice(), entry.inode)).collect(),
        };
        let stale = found.entries.iter().filter(|_| folder.is_deleted);
        for entry in found.slack.iter().chain(stale) {
            // Entries are moved within a folder and leave copies behind.
            if live.get(entry.name.as_slice()) != Some(&entry.inode) {
                self.keep(files, folder, entry, open);
            }
        }
        for entry in found.entries.iter().filter(|_| !folder.is_deleted) {
            self.enter(folder, entry, false, open);
        }
    }

    fn keep(&mut self, files: &ExtFiles, folder: &Open, entry: &Entry, open: &mut Vec<Open>) {
        if self.count >= MAX_TRACES {
            if self.count == MAX_TRACES {
                let reason = format!("more than {MAX_TRACES} names of deleted entries are not told");
                self.gaps.push(Gap { path: String::new(), reason });
                self.count += 1;
            }
            return;
        }
        let (folder_path, name) = (folder.path.clone(), entry.name.clone());
        let trace = Trace { folder: folder_path, name, is_folder: entry.is_folder };
        if self.by_inode.entry(entry.inode).or_default().insert(trace) {
            self.count += 1;
        }
        let inode = files.volume.inode(entry.inode).ok();
        if inode.is_some_and(|inode| inode.kind == Some(InodeKind::Directory) && is_deleted(files, &inode)) {
            self.enter(folder, entry, true, open);
        }
    }

    fn enter(&mut self, folder: &Open, entry: &Entry, is_deleted: bool, open: &mut Vec<Open>) {
        if entry.is_folder == Some(false) {
            return;
        }
        if folder.path.components().count() >= MAX_DEPTH {
            let reason = format!("deeper than {MAX_DEPTH} folders");
            return self.gaps.push(Gap { path: folder.path.as_str().to_owned(), reason });
        }
        if let Ok(path) = child_raw(&folder.path, &entry.name) {
            let (number, above) = (entry.inode, folder.number);
            open.push(Open { path: Rc::new(path), number, above, is_deleted });
        }
    }
}
