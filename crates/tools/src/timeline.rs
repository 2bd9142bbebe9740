//! `timeline`: registry keys and directory entries in the order of their times.
//!
//! All times in scope are looked through, and only the places of those that can be in the page are kept;
//! the records are made in a second reading, of that page alone.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::page::Page;
use crate::place::{self, Scope};
use crate::registry_scan::{Scan, each_key};
use crate::returned::{Return, chain};
use crate::span::Span;
use crate::{dir_entry, registry_records, spec};
use evidence::{EvidencePath, MacbTimes, Node, NodeKind, Step, Tree, walk};
use ledger::{Clock, Defect, Gap, Record, Time, ToolSpec, Utc};
use serde_json::json;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Most records before a page: their places are kept, some 100 bytes each.
const MAX_OFFSET: u64 = 1_000_000;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "timeline",
        "Gives registry keys by their last-write time and files and folders by their times (MACB) in the order of time. \
         Each record comes once, at the earliest of its times within the span. \
         Times of a copied folder are those of the copy and prove nothing about the examined host: its files are left out unless asked for.",
        vec![
            ("from", spec::instant("first instant of the span")),
            ("to", spec::instant("last instant of the span")),
            (
                "source",
                json!({
                    "type": "string",
                    "description": "what to give",
                    "enum": ["all", "registry", "file_system"],
                    "default": "all",
                }),
            ),
            (
                "under",
                spec::text_or("folder below which files and hives are looked at; empty for everything", ""),
            ),
            ("hive", spec::text("the only hive of which to give keys; no files are given then")),
            (
                "key",
                spec::text(
                    "key at and below which to give keys, from the root of the hive or as HKLM\\SYSTEM and the like; no files are given then",
                ),
            ),
            ("text", spec::text("what the path of the key or file must contain, letter case aside")),
            (
                "copied_times",
                json!({ "type": "boolean", "description": "also give files by the times of a copied folder", "default": false }),
            ),
            ("evidence", spec::text("label of the evidence to look at; all when left out")),
            ("limit", spec::number("most records to return", 500, 1, 5000)),
            (
                "offset",
                spec::number("records to skip, to go on where an earlier call stopped", 0, 0, MAX_OFFSET),
            ),
        ],
        &[],
        vec![dir_entry::record_type(), registry_records::key_type()],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let (offset, limit) = (arguments.count("offset")?, arguments.count("limit")?);
    let wanted = Wanted {
        span: Span::read(arguments, "from", "to")?,
        text: arguments.optional_text("text").map(str::to_lowercase),
        copied: arguments.flag("copied_times")?,
    };
    let of_registry = arguments.optional_text("hive").or(arguments.optional_text("key")).is_some();
    let source = arguments.text("source")?;
    if of_registry && source == "file_system" {
        let expected = "all or registry, for files have no \"hive\" and no \"key\"";
        return Err(CallError::Argument { argument: "source", expected, found: source.to_owned() });
    }
    let (label, under) = (arguments.optional_text("evidence"), arguments.text("under")?);
    let scope = place::under(call.trees, label, under)?;
    let mut normalised = scope.normalised();
    let mut found = Found::new(call.trees, offset.saturating_add(limit));
    if source != "file_system" {
        let mut scan = Scan::new(call, under)?;
        found.registry(&mut scan, &wanted)?;
        normalised.extend(scan.normalised());
        found.defects.extend(scan.defects);
        found.gaps.extend(scan.gaps);
        found.notes.extend(scan.notes);
    }
    if source != "registry" && !of_registry {
        found.file_system(&scope, &wanted)?;
    }
    let page = found.page(offset, limit)?;
    found.say();
    let mut returned = Return::found(Vec::new(), arguments.normalised(&normalised));
    (returned.defects, returned.gaps) = (found.defects, found.gaps);
    page.fill(&mut returned, "records");
    returned.notes.extend(found.notes);
    Ok(returned)
}

/// What a record must be like.
struct Wanted {
    span: Span,
    /// In lower case.
    text: Option<String>,
    copied: bool,
}

impl Wanted {
    fn named(&self, path: &str) -> bool {
        self.text.as_ref().is_none_or(|text| path.to_lowercase().contains(text))
    }
}

/// Where a record stands in the timeline; the order of the fields is that of the timeline.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Stand {
    at: Utc,
    /// The label of its evidence.
    label: Rc<str>,
    /// The path of the file, or of the hive.
    path: Rc<str>,
    /// Where in the hive the key stands.
    key: Option<u64>,
}

struct Found<'a> {
    trees: &'a [Box<dyn Tree>],
    /// The earliest ones, as many as a page and what is before it can hold.
    earliest: BinaryHeap<Stand>,
    most: usize,
    /// Records in the span.
    met: u64,
    /// Keys whose time names no instant.
    timeless: u64,
    defects: Vec<Defect>,
    gaps: Vec<Gap>,
    notes: Vec<String>,
}

impl<'a> Found<'a> {
    fn new(trees: &'a [Box<dyn Tree>], most: usize) -> Found<'a> {
        let (defects, gaps, notes) = (Vec::new(), Vec::new(), Vec::new());
        Found { trees, earliest: BinaryHeap::new(), most, met: 0, timeless: 0, defects, gaps, notes }
    }

    fn add(&mut self, stand: impl FnOnce() -> Stand, at: Utc) {
        self.met += 1;
        let full = self.earliest.len() >= self.most;
        if full && self.earliest.peek().is_some_and(|last| last.at < at) {
            return;
        }
        self.earliest.push(stand());
        if full {
            self.earliest.pop();
        }
    }

    fn registry(&mut self, scan: &mut Scan<'_>, wanted: &Wanted) -> Result<(), CallError> {
        let named = |place: &place::Place<'_>| {
            (Rc::<str>::from(place.tree.label()), Rc::<str>::from(place.node.path.as_str()))
        };
        let hives: Vec<_> = scan.hives.iter().map(named).collect();
        scan.each(|number, met| {
            // Damage in a value is none of its key.
            met.defects.retain(|defect| defect.what.hides_records());
            let (Some((label, path)), true) = (hives.get(number), wanted.named(&met.key.path)) else {
                return ControlFlow::Continue(());
            };
            match registry_records::last_written(met.key).utc {
                None => self.timeless += 1,
                Some(at) if wanted.span.contains(at) => {
                    let key = Some(met.key.offset);
                    self.add(|| Stand { at, label: label.clone(), path: path.clone(), key }, at);
                }
                Some(_) => {}
            }
            ControlFlow::Continue(())
        })
    }

    fn file_system(&mut self, scope: &Scope<'_>, wanted: &Wanted) -> Result<(), CallError> {
        for place in &scope.places {
            let (tree, start) = (place.tree, &place.node);
            let label = Rc::<str>::from(tree.label());
            let mut left_out = 0;
            if start.kind != NodeKind::Directory {
                left_out += u64::from(self.entry(&label, start, wanted));
            } else {
                // A start that cannot be read fails the call; inside the walk it would only be a gap.
                tree.children(start)?;
            }
            for step in walk(tree, start) {
                match step {
                    Step::Node(node) => left_out += u64::from(self.entry(&label, &node, wanted)),
                    Step::Defect(defect) => self.defects.push(defect),
                    Step::Gap(gap) => self.gaps.push(gap),
                }
            }
            if left_out > 0 {
                let reason = format!(
                    "{left_out} files and folders of {label} left out: their times are those of a copied folder and date no event; \"copied_times\" gives them"
                );
                self.gaps.push(Gap { path: start.path.as_str().to_owned(), reason });
            }
        }
        Ok(())
    }

    /// Places one entry; `true` where it has only times of a copy, which were not asked for.
    fn entry(&mut self, label: &Rc<str>, node: &Node, wanted: &Wanted) -> bool {
        if !wanted.named(node.path.as_str()) {
            return false;
        }
        let (times, left_out) = usable(&dir_entry::times(node), wanted.copied);
        let held = times.into_iter().filter(|time| wanted.span.holds(time));
        if let Some(at) = held.filter_map(|time| time.utc).min() {
            let path = || Rc::<str>::from(node.path.as_str());
            self.add(|| Stand { at, label: label.clone(), path: path(), key: None }, at);
        }
        left_out
    }

    /// Makes the records of the page, hive by hive.
    fn page(&mut self, offset: usize, limit: usize) -> Result<Page, CallError> {
        let sorted = std::mem::take(&mut self.earliest).into_sorted_vec();
        let more = self.met > sorted.len() as u64;
        let stands: Vec<Stand> = sorted.into_iter().skip(offset).take(limit).collect();
        let mut records: Vec<Option<Record>> = vec![None; stands.len()];
        let mut hives: BTreeMap<(Rc<str>, Rc<str>), BTreeMap<u64, usize>> = BTreeMap::new();
        for (number, stand) in stands.iter().enumerate() {
            let file = (stand.label.clone(), stand.path.clone());
            if let Some(key) = stand.key {
                hives.entry(file).or_default().insert(key, number);
            } else if let (Some(place), Some(record)) = (self.place(&file)?, records.get_mut(number)) {
                *record = Some(dir_entry::record(place.tree, &place.node));
            }
        }
        for (file, mut wanted) in hives {
            let Some(place) = self.place(&file)? else { continue };
            let taken = each_key(&place, |key, source| {
                if let Some(number) = wanted.remove(&key.offset)
                    && let Some(record) = records.get_mut(number)
                {
                    *record = Some(source.key(key));
                }
                if wanted.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if let Err(error) = taken {
                self.gaps.push(Gap { path: file.1.to_string(), reason: chain(&error) });
            }
        }
        Ok(Page::of(records.into_iter().flatten().collect(), offset, limit, more))
    }

    fn place(&self, (label, path): &(Rc<str>, Rc<str>)) -> Result<Option<place::Place<'a>>, CallError> {
        let path = EvidencePath::parse(path).map_err(CallError::Path)?;
        let Some(tree) = self.trees.iter().find(|tree| tree.label() == &**label) else { return Ok(None) };
        let node = tree.node(&path)?;
        Ok(node.map(|node| place::Place { tree: tree.as_ref(), node }))
    }

    fn say(&mut self) {
        self.notes.push(format!("{} records lie in the span in all", self.met));
        if self.timeless > 0 {
            self.notes.push(format!("{} keys have no time and are not among them", self.timeless));
        }
    }
}

/// The times by which an entry is placed, and whether the times of a copy were left out.
fn usable(times: &MacbTimes, copied: bool) -> (Vec<Time>, bool) {
    let all = [&times.modified, &times.accessed, &times.changed, &times.born];
    let all = all.into_iter().flatten().cloned();
    let (host, copy): (Vec<_>, Vec<_>) = all.partition(|time| match time.clock {
        Clock::Host => true,
        Clock::CollectionCopy => copied,
    });
    let left_out = host.is_empty() && !copy.is_empty();
    (host, left_out)
}
