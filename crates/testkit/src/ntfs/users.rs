//! The files of the description: stores their streams and records the truth about them.

use super::attributes::{Attribute, Body, DATA, REPARSE_POINT, utf16};
use super::error::BuildError;
use super::item::{BOTH, DOS, Item, Name, POSIX, WIN32};
use super::journal::Numbers;
use super::plan::{Node, Plan};
use super::planted::{Planted, PlantedStream, truth};
use super::record::{CAPACITY, DIRECTORY};
use super::reparse;
use super::runs::Run;
use super::secure::COMMON;
use super::space::Space;
use super::spec::{Content, Deleted, EntrySpec, Kind, attribute};
use super::stream::Store;
use crate::medium::Medium;
use std::collections::BTreeMap;

/// The minimum size of a folder's index, in bytes.
const INDEX: usize = 240;

/// The space that a stream in clusters needs in a record, in bytes; a smaller stream is never moved.
const MOVED: usize = 72;

/// Stores every file except the root and folders that are gone; returns the index in the plan, the data for its records, and the truth.
pub(crate) fn store(
    plan: &Plan<'_>,
    numbers: &Numbers,
    space: &mut Space,
    medium: &mut Medium,
) -> Result<Vec<(Item, Planted)>, BuildError> {
    // Files that are overwritten must be written first.
    let victim = |at: &usize| matches!(plan.nodes[*at].spec.deleted, Deleted::Overwritten { .. });
    let (first, second): (Vec<usize>, Vec<usize>) =
        (1..plan.nodes.len()).filter(|at| !plan.nodes[*at].gone).partition(victim);
    let mut over: BTreeMap<usize, Vec<Run>> = BTreeMap::new();
    let mut stored = BTreeMap::new();
    for at in first.into_iter().chain(second) {
        let node = &plan.nodes[at];
        let mut store =
            Store { space, medium, extents: node.spec.extents, over: over.remove(&at).unwrap_or_default() };
        let item = file(plan, node, numbers.last.get(&at).copied().unwrap_or(0), &mut store)?;
        let planted = planted(node, &item);
        if let Deleted::Overwritten { by } = &node.spec.deleted {
            let by = plan.live(&node.spec.path, by)?;
            let runs = planted.streams.iter().flat_map(|stream| stream.runs.iter().copied());
            over.entry(by).or_default().extend(runs);
        }
        stored.insert(at, (item, planted));
    }
    Ok(stored.into_values().collect())
}

fn file(plan: &Plan<'_>, node: &Node<'_>, usn: u64, store: &mut Store<'_>) -> Result<Item, BuildError> {
    let spec = &node.spec;
    let (mut content, mut added) = main(spec, store)?;
    store.over = Vec::new();
    for (name, bytes) in &spec.streams {
        content.push(store.attribute(DATA, name, bytes)?);
    }
    let point = reparse::point(spec);
    let reparse_tag = point.as_ref().map_or(0, |(tag, _)| *tag);
    if let Some((_, buffer)) = point {
        content.push(Attribute::resident(REPARSE_POINT, "", buffer));
        added |= attribute::REPARSE;
    }
    let mut item = Item {
        number: node.number,
        sequence: node.sequence,
        live: node.live(),
        flags: if node.is_directory() { DIRECTORY } else { 0 },
        names: names(plan, node),
        times: spec.times,
        attributes: spec.attributes | added,
        security: COMMON,
        usn,
        reparse_tag,
        content,
        attribute_list: spec.attribute_list,
        stale: spec.stale_index,
    };
    settle(&mut item, store)?;
    Ok(item)
}

/// Returns the main stream, if there is one, and the DOS attributes that say how it is stored.
fn main(spec: &EntrySpec, store: &mut Store<'_>) -> Result<(Vec<Attribute>, u32), BuildError> {
    match spec.kind {
        Kind::Directory | Kind::Junction(_) => return Ok((Vec::new(), 0)),
        Kind::Symlink(_) => return Ok((vec![Attribute::resident(DATA, "", Vec::new())], 0)),
        Kind::File => {}
    }
    let mut main = store.attribute(DATA, "", &spec.content)?;
    if matches!(spec.deleted, Deleted::Overwritten { .. }) {
        // Only a stream in clusters can be overwritten by another file.
        store.evict(&mut main)?;
    }
    let flag = match &spec.content {
        Content::Sparse { .. } => attribute::SPARSE,
        Content::Compressed(_) => attribute::COMPRESSED,
        Content::Bytes(_) | Content::Clusters(_) | Content::Uninitialised { .. } => 0,
    };
    Ok((vec![main], flag))
}

/// Moves the largest streams into clusters until the rest fits.
fn settle(item: &mut Item, store: &mut Store<'_>) -> Result<(), BuildError> {
    let needed = if item.is_directory() { INDEX } else { 0 };
    while used(item) + needed > CAPACITY {
        let Some(largest) = item.largest_stream(MOVED) else { break };
        store.evict(largest)?;
    }
    Ok(())
}

fn used(item: &Item) -> usize {
    item.all_attributes().iter().map(Attribute::length).sum()
}

fn names(plan: &Plan<'_>, node: &Node<'_>) -> Vec<Name> {
    let name = |folder: usize, text: &str, namespace| {
        let parent = &plan.nodes[folder];
        Name { parent: parent.number, parent_sequence: parent.sequence, text: utf16(text), namespace }
    };
    let mut all = Vec::new();
    for (index, (folder, text)) in node.names.iter().enumerate() {
        match &node.spec.dos_name {
            Some(dos) if index == 0 => {
                all.push(name(*folder, dos, DOS));
                all.push(name(*folder, text, WIN32));
            }
            _ => all.push(name(*folder, text, if is_short(text) { BOTH } else { POSIX })),
        }
    }
    all
}

/// Checks whether a name is also a valid DOS name: at most eight characters, a dot, and three more.
fn is_short(name: &str) -> bool {
    let plain = |part: &str, most| {
        (1..=most).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-~!#$%&'()@^`{}".contains(&byte))
    };
    match name.split_once('.') {
        Some((stem, extension)) => plain(stem, 8) && plain(extension, 3),
        None => plain(name, 8),
    }
}

fn planted(node: &Node<'_>, item: &Item) -> Planted {
    let spec = &node.spec;
    let main = matches!(spec.kind, Kind::File).then_some(("", &spec.content));
    let named = spec.streams.iter().map(|(name, content)| (name.as_str(), content));
    let streams = main.into_iter().chain(named).map(|(name, content)| stream(item, name, content)).collect();
    let first = item.names.first();
    Planted {
        paths: std::iter::once(&spec.path).chain(&spec.hard_links).cloned().collect(),
        kind: spec.kind.clone(),
        record: item.number,
        sequence: item.sequence_now(),
        parent: first.map_or((0, 0), |name| (name.parent, name.parent_sequence)),
        in_use: item.live,
        recoverable: !matches!(spec.deleted, Deleted::Overwritten { .. }),
        stale_index: spec.stale_index && !item.live,
        times: spec.times,
        attributes: item.attributes,
        dos_name: spec.dos_name.clone(),
        extensions: Vec::new(),
        usn: item.usn,
        streams,
    }
}

fn stream(item: &Item, name: &str, content: &Content) -> PlantedStream {
    let (size, sha256) = truth(content);
    let units = utf16(name);
    let found = item.content.iter().find(|found| found.kind == DATA && found.name == units);
    let runs = match found.map(|found| &found.body) {
        Some(Body::Clusters(mapped)) => Some(mapped.runs.clone()),
        Some(Body::Resident { .. }) | None => None,
    };
    PlantedStream {
        name: name.to_owned(),
        size,
        sha256,
        resident: runs.is_none(),
        runs: runs.unwrap_or_default(),
    }
}
