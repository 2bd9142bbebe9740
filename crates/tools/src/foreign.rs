//! Says of logs in their place whether another computer wrote them.
//!
//! A computer is known by its names in the SYSTEM hive of its drive, in whichever control set, and by those that its logs put before or after one of these: a computer that was renamed is no other one.
//! Where no such hive can be read, nothing tells whose a log is. Files are read only for records that name a computer, and logs only where one names another than the hive does.

use crate::hive_file;
use crate::hive_state::{self, Logs};
use artifacts::registry::ValueData;
use artifacts::{evt, evtx};
use evidence::{EvidencePath, Node, NodeKind, Tree, read_all, read_full_at};
use ledger::Record;
use ledger::placement::{is_of_event_log, names_of_computers};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Where the hive stands, from the root of a drive; a hive that was handed in alone stands at the top.
const HIVES: [&str; 3] = ["Windows/System32/config/SYSTEM", "WINNT/System32/config/SYSTEM", "SYSTEM"];

/// The folders of logs, from the root of a drive.
const LOGS: [&str; 3] = ["Windows/System32/winevt/Logs", "Windows/System32/config", "WINNT/System32/config"];

/// The values that hold a name, by their keys below a control set.
const NAMES: [(&str, &str); 4] = [
    ("Control\\ComputerName\\ComputerName", "ComputerName"),
    ("Control\\ComputerName\\ActiveComputerName", "ComputerName"),
    ("Services\\Tcpip\\Parameters", "Hostname"),
    ("Services\\Tcpip\\Parameters", "NV Hostname"),
];

/// Most often that a computer is renamed while one log is kept; a log whose names change more often was collected from several.
const MOST_RENAMES: usize = 8;

/// Characters of a NetBIOS name: a longer host name is cut to it in the hive.
const NETBIOS: usize = 15;

/// Longest log of the old kind that is read.
const LONGEST: u64 = 512 << 20;

/// The computers whose drives the evidence holds, as far as they were asked for.
#[derive(Default)]
pub(crate) struct Hosts {
    by_root: BTreeMap<(String, EvidencePath), Host>,
}

/// A computer, by its names.
#[derive(Default)]
struct Host {
    names: BTreeSet<String>,
    /// The names of each log that was read; `None` where it cannot be read, or was written by several computers.
    logs: BTreeMap<EvidencePath, Option<BTreeSet<String>>>,
    has_all_logs: bool,
}

impl Hosts {
    /// Whether a record in its place on the drive at `root` names computers, and none of them is the one of this drive.
    pub(crate) fn is_foreign(&mut self, tree: &dyn Tree, root: &EvidencePath, record: &Record) -> bool {
        let mut named: BTreeSet<String> = names_of_computers(record).iter().map(|name| plain(name)).collect();
        if named.is_empty() && !is_of_event_log(record) {
            return false;
        }
        let key = (tree.label().to_owned(), root.clone());
        let host = self.by_root.entry(key).or_insert_with(|| Host::of(tree, root));
        let own = EvidencePath::parse(&record.locator.path).unwrap_or_default();
        if named.is_empty() {
            // What is counted in a log, or told of it as a whole, is of whoever wrote the log.
            named = host.log(tree, &own).unwrap_or_default();
        }
        !host.names.is_empty() && !named.is_empty() && !host.knows(tree, root, &own, &named)
    }
}

impl Host {
    fn of(tree: &dyn Tree, root: &EvidencePath) -> Host {
        let names = HIVES.iter().find_map(|hive| names_in_hive(tree, &below(root, hive)?));
        Host { names: names.unwrap_or_default(), ..Host::default() }
    }

    /// Whether one of the names is the computer's, by now or once the log `own` and then all others have told what it was called.
    fn knows(
        &mut self,
        tree: &dyn Tree,
        root: &EvidencePath,
        own: &EvidencePath,
        named: &BTreeSet<String>,
    ) -> bool {
        if !self.names.is_disjoint(named) {
            return true;
        }
        self.log(tree, own);
        self.link();
        if self.names.is_disjoint(named) && !self.has_all_logs {
            for log in logs_below(tree, root) {
                self.log(tree, &log);
            }
            self.has_all_logs = true;
            self.link();
        }
        !self.names.is_disjoint(named)
    }

    /// The names in a log, each once.
    fn log(&mut self, tree: &dyn Tree, path: &EvidencePath) -> Option<BTreeSet<String>> {
        self.logs.entry(path.clone()).or_insert_with(|| names_in_log(tree, path)).clone()
    }

    /// Takes up the names of logs that name the computer, until no log adds any.
    fn link(&mut self) {
        loop {
            let is_linked =
                |log: &&BTreeSet<String>| !log.is_disjoint(&self.names) && !log.is_subset(&self.names);
            let Some(more) = self.logs.values().flatten().find(is_linked).cloned() else { return };
            self.names.extend(more);
        }
    }
}

/// The names of the computer in every control set of a SYSTEM hive; `None` where it cannot be read.
fn names_in_hive(tree: &dyn Tree, path: &EvidencePath) -> Option<BTreeSet<String>> {
    let node = tree.node(path).ok()?.filter(|node| node.kind == NodeKind::File)?;
    let loaded = hive_state::load(tree, &node, Logs::Applied).ok()?;
    let hive = hive_file::open(&node, &loaded.bytes).ok()?;
    let (sets, _) = hive.children(&hive.root().ok()?);
    let mut names = BTreeSet::new();
    for set in sets.iter().filter(|key| key.name.to_ascii_lowercase().starts_with("controlset")) {
        for (key, value) in NAMES {
            let Ok(Some(key)) = hive.key(&format!("{}\\{key}", set.name)) else { continue };
            if let Ok(Some(value)) = hive.value(&key, value)
                && let ValueData::Text(name) = value.data
                && !name.is_empty()
            {
                names.insert(plain(&name));
            }
        }
    }
    Some(names)
}

/// The event logs in the folders in which Windows keeps them.
fn logs_below(tree: &dyn Tree, root: &EvidencePath) -> Vec<EvidencePath> {
    let folders = LOGS.iter().filter_map(|folder| tree.node(&below(root, folder)?).ok().flatten());
    let listed = folders.filter_map(|folder| tree.children(&folder).ok());
    let is_log = |node: &Node| {
        let name = node.name.to_ascii_lowercase();
        node.kind == NodeKind::File && (name.ends_with(".evtx") || name.ends_with(".evt"))
    };
    listed.flat_map(|listing| listing.nodes).filter(is_log).map(|node| node.path).collect()
}

/// The names in a log that one computer wrote, by all its names.
fn names_in_log(tree: &dyn Tree, path: &EvidencePath) -> Option<BTreeSet<String>> {
    let node = tree.node(path).ok()?.filter(|node| node.kind == NodeKind::File)?;
    let mut reader = tree.open(&node, None).ok()?;
    let mut mark = [0; 8];
    let got = read_full_at(reader.as_mut(), 0, &mut mark).ok()?;
    let names = match evtx::is_log(mark.get(..got)?) {
        true => {
            let length = reader.len();
            let mut fetch = |offset: u64, buffer: &mut [u8]| read_full_at(reader.as_mut(), offset, buffer);
            evtx::computers(length, &mut fetch).ok()?
        }
        false => names_in_old_log(&read_all(reader.as_mut(), LONGEST).ok()?),
    };
    (names.len() <= MOST_RENAMES).then(|| names.iter().map(|name| plain(name)).collect())
}

fn names_in_old_log(log: &[u8]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let _: ControlFlow<()> = evt::read(log, &mut |found| {
        if let evt::EvtFound::Event(event) = found
            && names.last().is_none_or(|last| *last != event.system.computer)
        {
            names.push(event.system.computer.into_owned());
        }
        ControlFlow::Continue(())
    });
    names
}

/// A name as names of one computer are compared: without its domain, as long as a NetBIOS name, in capitals.
fn plain(name: &str) -> String {
    let host = name.split('.').next().unwrap_or_default();
    host.chars().take(NETBIOS).flat_map(char::to_uppercase).collect()
}

fn below(root: &EvidencePath, path: &str) -> Option<EvidencePath> {
    EvidencePath::parse(&root.components().chain(path.split('/')).collect::<Vec<_>>().join("/")).ok()
}
