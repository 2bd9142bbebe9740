//! Decides whether another computer wrote a log that is in its usual place.
//!
//! A computer is known by its names in the SYSTEM hive of its drive, in any control set.
//! Names that its own logs have before one of these count, too: a renamed computer is still the same one.
//! If no such hive can be read, nothing shows whose a log is.
//! Files are read only for records of logs; logs are read only if a record names no computer, or another one than the hive does.

use crate::drives;
use crate::hive_file;
use crate::hive_state::{self, Logs};
use artifacts::registry::ValueData;
use artifacts::{evt, evtx};
use evidence::{EvidencePath, Node, NodeKind, Tree, read_all, read_full_at};
use ledger::Record;
use ledger::placement::{is_named_after_channel, is_of_event_log, names_of_computers};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// The possible paths of the SYSTEM hive, from the root of a drive; a hive supplied alone is at the top.
const HIVES: [&str; 3] = ["Windows/System32/config/SYSTEM", "WINNT/System32/config/SYSTEM", "SYSTEM"];

/// The folders of event logs, from the root of a drive.
const LOGS: [&str; 3] = ["Windows/System32/winevt/Logs", "Windows/System32/config", "WINNT/System32/config"];

/// The values that hold a computer name, by their keys below a control set.
const NAMES: [(&str, &str); 4] = [
    ("Control\\ComputerName\\ComputerName", "ComputerName"),
    ("Control\\ComputerName\\ActiveComputerName", "ComputerName"),
    ("Services\\Tcpip\\Parameters", "Hostname"),
    ("Services\\Tcpip\\Parameters", "NV Hostname"),
];

/// The names that Windows gives a computer during setup, before it has its own.
const UNNAMED: [&str; 2] = ["MINWINPC", "MACHINENAME"];

/// The length of a NetBIOS name: the hive has a longer host name cut to it.
const NETBIOS: usize = 15;

/// The longest log of the old kind that is read.
const LONGEST: u64 = 512 << 20;

/// The computers whose drives are in the evidence, loaded on demand.
#[derive(Default)]
pub(crate) struct Hosts {
    by_root: BTreeMap<(String, EvidencePath), Host>,
}

/// A computer, identified by its names.
#[derive(Default)]
struct Host {
    names: Names,
    /// Who wrote each log that was read; empty if it cannot be read.
    logs: BTreeMap<EvidencePath, Written>,
    has_all_logs: bool,
}

/// The names of a computer, without domains, in capitals.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// Checks whether a name is one of them.
    /// A NetBIOS name may be cut: it matches every longer name that begins with it, unless the full name is known.
    fn has(&self, name: &str) -> bool {
        let is_cut = |short: &str, long: &str| short.chars().count() == NETBIOS && long.starts_with(short);
        self.0.contains(name)
            || self.0.iter().any(|known| is_cut(name, known))
            || self.0.iter().any(|known| is_cut(known, name) && self.longer(known).next().is_none())
    }

    /// Returns the known names that continue a cut name.
    fn longer<'n>(&'n self, cut: &'n str) -> impl Iterator<Item = &'n String> {
        self.0.iter().filter(move |known| known.len() > cut.len() && known.starts_with(cut))
    }
}

/// The computer names in a log, in the log's order; consecutive repeats are listed once.
#[derive(Debug, Clone, Default)]
struct Written {
    names: Vec<String>,
    /// Whether it is a channel's own log, judging by its name, and not a collection of several.
    is_of_channel: bool,
}

impl Hosts {
    /// Checks whether a record in its usual place on the drive at `root` belongs to a computer other than that of this drive.
    /// A record about several records is foreign if some of those are.
    pub(crate) fn is_foreign(&mut self, tree: &dyn Tree, root: &EvidencePath, record: &Record) -> bool {
        let mut named: Vec<String> = names_of_computers(record).iter().map(|name| plain(name)).collect();
        if named.is_empty() && !is_of_event_log(record) {
            return false;
        }
        let key = (tree.label().to_owned(), root.clone());
        let host = self.by_root.entry(key).or_insert_with(|| Host::of(tree, root));
        if host.names.0.is_empty() {
            return false;
        }
        let own = EvidencePath::parse(&record.locator.path).unwrap_or_default();
        // A count over a log, or a finding from comparing its records, concerns every computer that wrote it.
        if named.is_empty() {
            named = host.log(tree, &own).names.clone();
        }
        !named.iter().all(|name| host.knows(tree, root, &own, name))
    }
}

impl Host {
    fn of(tree: &dyn Tree, root: &EvidencePath) -> Host {
        let in_hive =
            |root: &EvidencePath| HIVES.iter().find_map(|hive| names_in_hive(tree, &below(root, hive)?));
        let beside = || drives::of_the_same(tree, root).iter().find_map(in_hive);
        let mut names = in_hive(root).or_else(beside).unwrap_or_default();
        if !names.is_empty() {
            names.extend(UNNAMED.map(str::to_owned));
        }
        Host { names: Names(names), ..Host::default() }
    }

    /// Checks whether a name is the computer's.
    /// If it is not known yet, the names in the log `own` are added, and then those in all other logs.
    fn knows(&mut self, tree: &dyn Tree, root: &EvidencePath, own: &EvidencePath, name: &str) -> bool {
        if self.names.has(name) {
            return true;
        }
        self.log(tree, own);
        self.link();
        if !self.names.has(name) && !self.has_all_logs {
            for log in logs_below(tree, root) {
                self.log(tree, &log);
            }
            self.has_all_logs = true;
            self.link();
        }
        self.names.has(name)
    }

    fn log(&mut self, tree: &dyn Tree, path: &EvidencePath) -> &Written {
        self.logs.entry(path.clone()).or_insert_with(|| written(tree, path).unwrap_or_default())
    }

    /// Adds the names that logs have before one of the computer's names, until no log adds any.
    fn link(&mut self) {
        loop {
            let new = |log: &Written| -> Vec<String> {
                let earlier = log.earlier_than(&self.names);
                earlier.iter().filter(|name| !self.names.has(name)).cloned().collect()
            };
            let more: Vec<String> = self.logs.values().flat_map(new).collect();
            if more.is_empty() {
                return;
            }
            self.names.0.extend(more);
        }
    }
}

impl Written {
    /// Returns the names before the last one of these.
    /// None if a name returns later: renaming does not do that, so the log was collected from several computers.
    fn earlier_than(&self, names: &Names) -> &[String] {
        let distinct: BTreeSet<&String> = self.names.iter().collect();
        if !self.is_of_channel || distinct.len() < self.names.len() {
            return &[];
        }
        let last = self.names.iter().rposition(|name| names.has(name) && !UNNAMED.contains(&name.as_str()));
        last.and_then(|last| self.names.get(..last)).unwrap_or_default()
    }
}

/// Returns the computer's names in every control set of a SYSTEM hive; `None` if the hive cannot be read.
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

/// Returns the event logs in the folders in which Windows keeps them.
fn logs_below(tree: &dyn Tree, root: &EvidencePath) -> Vec<EvidencePath> {
    let folders = LOGS.iter().filter_map(|folder| tree.node(&below(root, folder)?).ok().flatten());
    let listed = folders.filter_map(|folder| tree.children(&folder).ok());
    let is_log = |node: &Node| {
        let name = node.name.to_ascii_lowercase();
        node.kind == NodeKind::File && (name.ends_with(".evtx") || name.ends_with(".evt"))
    };
    listed.flat_map(|listing| listing.nodes).filter(is_log).map(|node| node.path).collect()
}

/// Returns who wrote a log; `None` if it cannot be read.
fn written(tree: &dyn Tree, path: &EvidencePath) -> Option<Written> {
    let node = tree.node(path).ok()?.filter(|node| node.kind == NodeKind::File)?;
    let mut reader = tree.open(&node, None).ok()?;
    let mut mark = [0; 8];
    let got = read_full_at(reader.as_mut(), 0, &mut mark).ok()?;
    if !evtx::is_log(mark.get(..got)?) {
        let names = names_in_old_log(&read_all(reader.as_mut(), LONGEST).ok()?);
        return Some(Written { names, is_of_channel: true });
    }
    let length = reader.len();
    let reader = RefCell::new(reader);
    let mut fetch =
        |offset: u64, buffer: &mut [u8]| read_full_at(reader.borrow_mut().as_mut(), offset, buffer);
    let mut stored = |offset| reader.borrow_mut().stored_from(offset);
    let writers = evtx::computers(length, &mut fetch, &mut stored).ok()?;
    let mut names: Vec<String> = writers.iter().map(|writer| plain(&writer.computer)).collect();
    names.dedup();
    let is_of_channel = writers.iter().all(|writer| is_named_after_channel(&node.name, &writer.channel));
    Some(Written { names, is_of_channel })
}

fn names_in_old_log(log: &[u8]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let _: ControlFlow<()> = evt::read(log, &mut |found| {
        if let evt::EvtFound::Event(event) = found {
            names.push(plain(&event.system.computer));
            names.dedup();
        }
        ControlFlow::Continue(())
    });
    names
}

/// Normalises a computer name for comparison: without its domain, in capitals.
/// A non-ASCII letter never becomes an ASCII capital.
fn plain(name: &str) -> String {
    let host = name.split('.').next().unwrap_or_default();
    let capital = |letter: char| {
        let mut capitals = letter.to_uppercase();
        match (capitals.next(), capitals.next()) {
            (Some(one), None) if one.is_ascii() == letter.is_ascii() => one,
            _ => letter,
        }
    };
    host.chars().map(capital).collect()
}

fn below(root: &EvidencePath, path: &str) -> Option<EvidencePath> {
    EvidencePath::parse(&root.components().chain(path.split('/')).collect::<Vec<_>>().join("/")).ok()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_letter_outside_of_ascii_is_the_capital_of_none_within() {
        assert_eq!(plain("alder-07.corp.example"), "ALDER-07");
        assert_ne!(plain("\u{131}stanbul"), plain("istanbul"));
        assert_ne!(plain("straße-pc"), plain("strasse-pc"));
        assert_eq!(plain("müller"), plain("MÜLLER"));
    }
}
