//! Determines which hosts the facts are about, and collects what is known of each before naming entities.

use super::path::{Path, Volume, in_evidence, read};
use ledger::pattern::fold;
use ledger::placement::tells_of_host;
use ledger::{FactEntry, FieldValue};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A piece of evidence of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// The index of its run among those that are combined.
    pub run: u16,
    /// The name of its run.
    pub run_name: String,
    /// Its label.
    pub label: String,
    /// The digest of its content, if known.
    pub digest: Option<String>,
}

impl Piece {
    /// Creates a piece of a single run, by its label alone.
    pub fn labelled(label: &str) -> Piece {
        Piece { run: 0, run_name: String::new(), label: label.to_owned(), digest: None }
    }
}

/// The knowledge about one piece of evidence.
#[derive(Debug, Default)]
struct Known {
    names: BTreeSet<String>,
    /// The SID prefixes of the host's own accounts.
    machines: BTreeSet<String>,
    letters: BTreeSet<char>,
    /// The names of the Windows volume in the evidence.
    system: BTreeSet<String>,
    /// The names that the system gave that volume.
    devices: BTreeSet<String>,
}

/// A host: one piece of evidence, or several that facts show to be from the same host.
#[derive(Debug, Default)]
pub(super) struct Host {
    /// Its key.
    pub(super) key: String,
    /// Whether it is a separate host for a file outside its usual place, which proves nothing about an examined host.
    pub(super) is_elsewhere: bool,
    /// The labels of its evidence.
    pub(super) labels: BTreeSet<String>,
    pub(super) names: BTreeSet<String>,
    letter: Option<char>,
    system: BTreeSet<String>,
    pub(super) devices: BTreeSet<String>,
}

impl Host {
    /// Returns the volume in the form used to compare paths on this host.
    pub(super) fn volume(&self, volume: &Volume) -> String {
        match volume {
            Volume::System => "system".to_owned(),
            Volume::Letter(letter) if *letter == self.letter.unwrap_or('c') => "system".to_owned(),
            Volume::Letter(letter) => format!("{letter}:"),
            Volume::Evidence(root) if self.system.contains(root) => "system".to_owned(),
            Volume::Evidence(root) => format!("volume {root}"),
            Volume::Device(name) if self.devices.contains(name) => "system".to_owned(),
            Volume::Device(name) => format!("device {name}"),
            Volume::Server(server) => format!("\\\\{server}"),
        }
    }
}

/// All hosts.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    pub(super) all: Vec<Host>,
    by_piece: HashMap<(u16, String), u32>,
    /// Separate hosts for files that are not in their usual place, or that another computer wrote.
    elsewhere: HashMap<(u32, String), u32>,
    /// The only host with each name; `None` if several have it.
    by_name: BTreeMap<String, Option<u32>>,
    /// The hosts whose own accounts have SIDs of this machine.
    by_machine: BTreeMap<String, BTreeSet<u32>>,
}

/// Collects what is known of each host.
#[derive(Debug)]
pub(super) struct Survey<'f> {
    pieces: Vec<Piece>,
    known: Vec<Known>,
    places: HashMap<(u16, &'f str), usize>,
    folders: &'f [(String, String)],
}

impl<'f> Survey<'f> {
    pub(super) fn new(pieces: &'f [Piece], folders: &'f [(String, String)]) -> Survey<'f> {
        let places =
            pieces.iter().enumerate().map(|(at, piece)| ((piece.run, piece.label.as_str()), at)).collect();
        let known = pieces.iter().map(|_| Known::default()).collect();
        Survey { pieces: pieces.to_vec(), known, places, folders }
    }

    /// Collects what a fact says about its host.
    pub(super) fn add(&mut self, run: u16, fact: &FactEntry) {
        if !tells_of_host(fact.placement) {
            return;
        }
        let place = self.places.get(&(run, fact.locator.evidence.as_str()));
        let Some(known) = place.and_then(|place| self.known.get_mut(*place)) else { return };
        if let Some(volume) = system_volume(&fact.locator.path)
            && !known.system.contains(&volume)
        {
            known.system.insert(volume);
        }
        let bound = || std::iter::once(&fact.subject).chain(&fact.values);
        let text = |name: &str| bound().find(|it| it.field == name).and_then(|it| it.value.as_text());
        match fact.kind.as_str() {
            "computer_name" => {
                let names = ["name", "hostname"].into_iter().filter_map(text);
                known.names.extend(names.filter(|name| !name.is_empty()).map(fold));
            }
            "os_version" => {
                let root = text("system_root").and_then(|root| read(root, self.folders));
                if let Some(Path { volume: Volume::Letter(letter), .. }) = root {
                    known.letters.insert(letter);
                }
            }
            "user_account" => {
                let machine = text("sid").and_then(|sid| sid.rsplit_once('-'));
                known.machines.extend(machine.map(|(machine, _)| machine.to_owned()));
            }
            _ => {}
        }
        for bound in bound() {
            if let FieldValue::Path(text) = &bound.value
                && text.starts_with('\\')
                && let Some(Path { volume: Volume::Device(name), rest }) = read(text, self.folders)
                && rest.starts_with("windows\\system32\\")
                && !known.devices.contains(&name)
            {
                known.devices.insert(name);
            }
        }
    }

    /// Returns the hosts that the pieces of evidence come from.
    ///
    /// Two pieces come from one host if their content is the same, or if they agree on both the machine SID and the computer name:
    /// clones share the machine SID, and names can be used twice.
    pub(super) fn hosts(self) -> Hosts {
        let group = self.groups();
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, first) in group.iter().enumerate() {
            members.entry(*first).or_default().push(at);
        }
        let mut hosts = Hosts::default();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut groups: Vec<Vec<usize>> = members.into_values().collect();
        groups.sort_by_key(|members| members.iter().filter_map(|at| self.pieces.get(*at)).min().cloned());
        for members in groups {
            let number = u32::try_from(hosts.all.len()).unwrap_or(u32::MAX);
            let mut host = Host::default();
            for at in members {
                let Some((piece, known)) = self.pieces.get(at).zip(self.known.get(at)) else { continue };
                hosts.by_piece.insert((piece.run, piece.label.clone()), number);
                host.labels.insert(piece.label.clone());
                host.names.extend(known.names.iter().cloned());
                host.letter = known.letters.first().copied().or(host.letter);
                host.system.extend(known.system.iter().cloned());
                host.devices.extend(known.devices.iter().cloned());
                for machine in &known.machines {
                    hosts.by_machine.entry(machine.clone()).or_default().insert(number);
                }
                if host.key.is_empty() {
                    let label = piece.label.clone();
                    host.key = match taken.insert(label.clone()) {
                        true => label,
                        false => format!("{label} of {}", piece.run_name),
                    };
                }
            }
            for name in &host.names {
                let only = hosts.by_name.entry(name.clone()).or_insert(Some(number));
                *only = only.filter(|it| *it == number);
            }
            hosts.all.push(host);
        }
        hosts
    }

    /// Returns, for each piece of evidence, the first one from the same host.
    fn groups(&self) -> Vec<usize> {
        let mut group: Vec<usize> = Vec::new();
        for at in 0..self.pieces.len() {
            let first = (0..at).find(|before| self.is_one_host(*before, at));
            group.push(first.and_then(|first| group.get(first).copied()).unwrap_or(at));
        }
        group
    }

    fn is_one_host(&self, one: usize, other: usize) -> bool {
        let piece = |at: usize| self.pieces.get(at);
        let digest = |at| piece(at).and_then(|piece| piece.digest.as_ref());
        let has_one_content = digest(one).is_some() && digest(one) == digest(other);
        let known = self.known.get(one).zip(self.known.get(other));
        has_one_content
            || known.is_some_and(|(one, other)| {
                !one.machines.is_disjoint(&other.machines) && !one.names.is_disjoint(&other.names)
            })
    }
}

impl Hosts {
    /// Returns the host that a fact is about.
    pub(super) fn of(&mut self, run: u16, fact: &FactEntry) -> Option<u32> {
        let host = self.by_piece.get(&(run, fact.locator.evidence.clone())).copied()?;
        if tells_of_host(fact.placement) {
            return Some(host);
        }
        let place = (host, fact.locator.path.clone());
        if let Some(known) = self.elsewhere.get(&place) {
            return Some(*known);
        }
        let number = u32::try_from(self.all.len()).ok()?;
        let of = self.all.get(usize::try_from(host).ok()?)?;
        let key = format!("{}: {}", of.key, fact.locator.path);
        self.all.push(Host { key, is_elsewhere: true, ..Host::default() });
        self.elsewhere.insert(place, number);
        Some(number)
    }

    pub(super) fn get(&self, host: u32) -> Option<&Host> {
        self.all.get(usize::try_from(host).ok()?)
    }

    /// Drops the device names of the Windows volume of each kind (GUID or number) if more than one volume of that kind has Windows folders.
    pub(super) fn without_doubtful_devices(mut self) -> Hosts {
        for host in &mut self.all {
            for is_guid in [true, false] {
                let is_of_naming = |device: &String| device.starts_with("volume{") == is_guid;
                if host.devices.iter().filter(|device| is_of_naming(device)).count() > 1 {
                    host.devices.retain(|device| !is_of_naming(device));
                }
            }
        }
        self
    }

    /// Checks whether a host is one of several whose own accounts have SIDs of this machine.
    pub(super) fn is_cloned(&self, host: u32, sid: &str) -> bool {
        let machine = sid.rsplit_once('-').map(|(machine, _)| machine);
        let hosts = machine.and_then(|machine| self.by_machine.get(machine));
        hosts.is_some_and(|hosts| hosts.len() > 1 && hosts.contains(&host))
    }

    /// Returns the only host with this name.
    pub(super) fn named(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied().flatten()
    }
}

/// Returns the volume name of a file that exists only on the Windows volume.
fn system_volume(path: &str) -> Option<String> {
    // Fast path: most files are not such files, and this runs for every fact.
    let has = |part: &str| path.get(..).is_some_and(|path| path.contains(part));
    if !has("System32/") && !has("system32/") {
        return None;
    }
    let Path { volume, rest } = in_evidence(path);
    match volume {
        Volume::Evidence(root)
            if rest.starts_with("windows\\system32\\") || rest.starts_with("winnt\\system32\\") =>
        {
            Some(root)
        }
        _ => None,
    }
}
