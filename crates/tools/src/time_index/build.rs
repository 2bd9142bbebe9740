//! Building an index: every source of a piece of evidence, decoded once.
//!
//! Rows of files that an earlier index knows with the same content are taken from there.

use super::collect::Collected;
use super::content::Contents;
use super::error::{TimelineBuildError, TimelineIndexError};
use super::layout::{Head, LOCAL, Parts, Row};
use super::read::TimeIndex;
use super::units::{Origin, Unit, read, read_hive};
use crate::catalogue::Indexes;
use crate::decode::DECODERS;
use crate::dir_entry;
use crate::error::CallError;
use crate::hive_state::{self, Loaded, Logs};
use crate::hives::{Found, HiveFile, MAX_HIVES};
use crate::intake::Intake;
use crate::place::{Place, Scope};
use crate::registry_artifact::artifacts;
use crate::returned::chain;
use crate::source_files;
use artifacts::registry::{Hive, identify};
use evidence::{EvidencePath, Node, NodeKind, ReadError, Step, Tree, walk};
use ledger::{Clock, Defect, Digest, Gap, Time};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

/// An index of times, ready to be written into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltTimeline {
    /// The bytes of the file; equal trees give equal bytes.
    pub bytes: Vec<u8>,
    /// Times in it.
    pub events: u64,
    /// Sources that were decoded or taken over: files, artifacts of hives, the entries of the folders.
    pub sources: u64,
    /// Sources whose times were taken from an earlier index; not said in the bytes.
    pub taken: u64,
}

/// Decodes all sources of `tree` and makes an index of their times.
///
/// `names` may hold the name index of the tree, `previous` an earlier index of it or of anything else; `scratch` is an empty folder that may be filled.
pub fn build(
    tree: &dyn Tree,
    names: &Indexes,
    previous: Option<&Path>,
    scratch: &Path,
) -> Result<BuiltTimeline, TimelineBuildError> {
    let evidence = |error: CallError| TimelineBuildError::Evidence(Box::new(error));
    let root = tree
        .node(&EvidencePath::root())
        .and_then(|root| root.ok_or_else(|| ReadError::Absent { path: EvidencePath::root() }));
    let start = root.map_err(|error| evidence(error.into()))?;
    // An earlier index that cannot be read saves nothing, and costs nothing.
    let previous = previous.and_then(|path| TimeIndex::open(path).ok());
    let plan = Plan { tree, start, names, copied: false, scratch, wanted: &|_| true };
    let mut building = Building::new(plan, Some(Contents::new(tree)), previous.as_ref());
    building.everything().map_err(evidence)?;
    building.finish().map_err(TimelineBuildError::Form)
}

/// What to decode.
pub(crate) struct Plan<'p> {
    pub(crate) tree: &'p dyn Tree,
    /// The folder below which to look, or the one file.
    pub(crate) start: Node,
    pub(crate) names: &'p Indexes,
    /// Whether the times of a copied folder are times, too.
    pub(crate) copied: bool,
    pub(crate) scratch: &'p Path,
    pub(crate) wanted: &'p dyn Fn(Origin) -> bool,
}

/// An index in memory of what is planned.
pub(crate) fn assemble(plan: Plan<'_>) -> Result<TimeIndex, CallError> {
    let mut building = Building::new(plan, None, None);
    building.everything()?;
    let built = building.finish().map_err(|error| CallError::Timeline(TimelineIndexError::Head(error)))?;
    Ok(TimeIndex::of(built.bytes)?)
}

struct Building<'p> {
    plan: Plan<'p>,
    collected: Collected,
    contents: Option<Contents<'p>>,
    previous: Option<Previous<'p>>,
    /// The number here of each unit that is taken over.
    taken: HashMap<u32, u32>,
}

/// An earlier index, and its units by what their rows follow from.
struct Previous<'p> {
    index: &'p TimeIndex,
    units: HashMap<Digest, Vec<u32>>,
}

impl<'p> Building<'p> {
    fn new(plan: Plan<'p>, contents: Option<Contents<'p>>, previous: Option<&'p TimeIndex>) -> Building<'p> {
        let previous = previous.map(|index| {
            let mut units: HashMap<Digest, Vec<u32>> = HashMap::new();
            for (number, unit) in (0..).zip(index.units()) {
                if let Some(content) = unit.content {
                    units.entry(content).or_default().push(number);
                }
            }
            Previous { index, units }
        });
        Building { plan, collected: Collected::new(), contents, previous, taken: HashMap::new() }
    }

    fn everything(&mut self) -> Result<(), CallError> {
        if self.plan.start.kind == NodeKind::Directory {
            // A start that cannot be read fails the call; inside the walk it would only be a gap.
            self.plan.tree.children(&self.plan.start)?;
        }
        if (self.plan.wanted)(Origin::Entries) {
            self.entries();
        }
        let hives = artifacts().iter().map(Origin::Artifact).chain([Origin::Keys]);
        if hives.into_iter().any(|origin| (self.plan.wanted)(origin)) {
            self.hives()?;
        }
        if DECODERS.iter().any(|decoder| (self.plan.wanted)(Origin::Decoder(decoder))) {
            self.files()?;
        }
        self.take_over()?;
        Ok(())
    }

    fn entries(&mut self) {
        let (tree, start) = (self.plan.tree, &self.plan.start);
        let unit = Unit::new(Origin::Entries, start.path.as_str(), None);
        let mut out = self.collected.unit(unit, self.plan.copied);
        let mut flow = ControlFlow::Continue(());
        let of_copy = |time: &Time| time.clock == Clock::CollectionCopy;
        if start.kind == NodeKind::Directory {
            // A folder is no entry of itself; that it is a copy says the same of what is in it.
            if start.times.modified.as_ref().is_some_and(of_copy) {
                out.of_copy();
            }
        } else {
            flow = out.push(dir_entry::record_with_name_times(tree, start));
        }
        for step in walk(tree, start) {
            if flow.is_break() {
                break;
            }
            match step {
                Step::Node(node) => flow = out.push(dir_entry::record_with_name_times(tree, &node)),
                Step::Defect(defect) => out.defect(defect),
                Step::Gap(gap) => out.gap(gap),
            }
        }
        out.finish();
    }

    /// What a search met beside what it was for.
    fn met(&mut self, origin: Origin, defects: Vec<Defect>, gaps: Vec<Gap>) {
        let unit = Unit::new(origin, self.plan.start.path.as_str(), None);
        let mut out = self.collected.unit(unit, false);
        defects.into_iter().for_each(|defect| out.defect(defect));
        gaps.into_iter().for_each(|gap| out.gap(gap));
        out.finish();
    }

    fn hives(&mut self) -> Result<(), CallError> {
        let mut found = Found::default();
        found.look(self.plan.tree, &self.plan.start)?;
        let Found { mut files, defects, mut gaps } = found;
        files.sort_by(|a, b| a.node.path.cmp(&b.node.path));
        if let Some(left) = files.get(MAX_HIVES) {
            let (path, reason) = (left.node.path.as_str().to_owned(), "too many hives: not read".to_owned());
            gaps.push(Gap { path, reason });
        }
        self.met(Origin::Hives, defects, gaps);
        for place in files.iter().take(MAX_HIVES) {
            let content = self.content(&place.node, None);
            if !self.takes(content, |origin| matches!(origin, Origin::Keys | Origin::Artifact(_))) {
                self.hive(&place.node, content);
            }
        }
        Ok(())
    }

    fn hive(&mut self, node: &Node, content: Option<Digest>) {
        let tree = self.plan.tree;
        let path = node.path.as_str();
        let Loaded { bytes, state } = match hive_state::load(tree, node, Logs::Applied) {
            Ok(loaded) => loaded,
            Err(error) => return self.unread(node, chain(&error), None, None),
        };
        let hive = match Hive::open(&bytes) {
            Ok(hive) => hive,
            Err(error) => {
                let what = format!("begins as a hive (regf) but is none that can be read: {error}");
                let defect = Defect { path: path.to_owned(), offset: Some(0), what: what.clone() };
                return self.unread(node, what, Some(defect), content);
            }
        };
        let hive_type = identify(&hive);
        let file = HiveFile { tree, node, bytes: &bytes, hive, state: &state };
        let fitting = artifacts().iter().filter(|artifact| artifact.hives.contains(&hive_type));
        for origin in [Origin::Keys].into_iter().chain(fitting.map(Origin::Artifact)) {
            if (self.plan.wanted)(origin) {
                let unit = Unit { content, ..Unit::new(origin, path, None) };
                let mut out = self.collected.unit(unit, self.plan.copied);
                read_hive(origin, &file, hive_type, &mut out);
                out.finish();
            }
        }
    }

    fn unread(&mut self, node: &Node, reason: String, defect: Option<Defect>, content: Option<Digest>) {
        let path = node.path.as_str();
        let unit = Unit { content, ..Unit::new(Origin::Keys, path, None) };
        let mut out = self.collected.unit(unit, false);
        out.gap(Gap { path: path.to_owned(), reason });
        defect.into_iter().for_each(|defect| out.defect(defect));
        out.finish();
    }

    fn files(&mut self) -> Result<(), CallError> {
        let place = Place { tree: self.plan.tree, node: self.plan.start.clone() };
        // All decoders, whichever are wanted: a file of one may be named as one of another.
        let decoders: Vec<_> = DECODERS.iter().collect();
        let found = source_files::find(&Scope { places: vec![place] }, self.plan.names, &decoders)?;
        // A start that is a file was not asked for as one of a decoder.
        let gaps = if self.plan.start.kind == NodeKind::Directory { found.gaps } else { Vec::new() };
        self.met(Origin::Files, found.defects, gaps);
        for file in &found.files {
            let origin = Origin::Decoder(file.decoder);
            if !(self.plan.wanted)(origin) {
                continue;
            }
            let stream = file.stream.as_deref();
            let content = self.content(&file.node, stream);
            let stored = origin.stored();
            if self.takes(content, |origin| origin.stored() == stored) {
                continue;
            }
            let unit = Unit { content, ..Unit::new(origin, file.node.path.as_str(), stream) };
            let mut out = self.collected.unit(unit, self.plan.copied);
            if let Err(error) = read(origin, file.tree, &file.node, stream, self.plan.scratch, &mut out) {
                out.gap(Gap { path: file.node.path.as_str().to_owned(), reason: chain(&error) });
            }
            out.finish();
        }
        Ok(())
    }

    fn content(&mut self, node: &Node, stream: Option<&str>) -> Option<Digest> {
        self.contents.as_mut()?.of(node, stream)
    }

    /// Takes over the units with this content whose origin fits; `false` where the earlier index has none.
    fn takes(&mut self, content: Option<Digest>, fits: impl Fn(Origin) -> bool) -> bool {
        let (Some(content), Some(previous)) = (content, &self.previous) else { return false };
        let numbers = previous.units.get(&content).cloned().unwrap_or_default();
        let mut any = false;
        for number in numbers {
            let unit = usize::try_from(number).ok().and_then(|number| previous.index.units().get(number));
            let Some(unit) = unit.filter(|unit| unit.origin().is_some_and(&fits)) else { continue };
            if !self.taken.contains_key(&number) {
                let new = u32::try_from(self.collected.units.len()).unwrap_or(u32::MAX);
                self.collected.units.push(unit.clone());
                self.taken.insert(number, new);
                any = true;
            }
        }
        any
    }

    /// Copies the rows of what was taken over.
    fn take_over(&mut self) -> Result<(), CallError> {
        let Some(previous) = self.previous.take().filter(|_| !self.taken.is_empty()) else { return Ok(()) };
        let texts = previous.index.texts()?;
        let mut numbers: Vec<Option<u32>> = vec![None; texts.count()];
        let mut fields = Vec::new();
        for name in previous.index.fields() {
            let (kind, field) = name.split_once('.').unwrap_or((name, ""));
            fields.push(self.collected.field(kind, field));
        }
        let mut failed = None;
        previous.index.scan(0..previous.index.rows(), |row| {
            let Some(unit) = self.taken.get(&row.unit) else { return ControlFlow::Continue(()) };
            let slot = usize::try_from(row.text).ok().and_then(|number| numbers.get_mut(number));
            let text = match slot {
                Some(Some(text)) => *text,
                slot => match texts.get(row.text) {
                    Ok(text) => {
                        let number = self.collected.text(text);
                        slot.into_iter().for_each(|slot| *slot = Some(number));
                        number
                    }
                    Err(error) => {
                        failed = Some(error);
                        return ControlFlow::Break(());
                    }
                },
            };
            let field = fields.get(usize::from(row.field)).copied().unwrap_or(row.field);
            self.collected.rows.push(Row { unit: *unit, field, text, ..row });
            ControlFlow::Continue(())
        })?;
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    fn finish(self) -> Result<BuiltTimeline, serde_json::Error> {
        let taken = self.taken.len() as u64;
        let Collected { mut rows, units, fields, heap, ends, .. } = self.collected;
        let (units, fields) = canonical(&mut rows, units, fields);
        rows.sort_unstable();
        let (heap, ends) = in_order(&mut rows, &heap, &ends);
        let local = rows.iter().filter(|row| row.flags & LOCAL != 0).count() as u64;
        let sources = units
            .iter()
            .filter_map(Unit::origin)
            .filter(|origin| !matches!(origin, Origin::Hives | Origin::Files));
        let sources = sources.count() as u64;
        let head = serde_json::to_vec(&Head { units, fields, local })?;
        let (events, texts) = (rows.len() as u64, ends.len() as u64);
        let parts = Parts { rows: events, texts, heap: heap.len() as u64, head: head.len() as u64 };
        let mut bytes = parts.write();
        bytes.reserve_exact(rows.len() * 24 + ends.len() * 4 + heap.len() + head.len());
        rows.iter().for_each(|row| row.write(&mut bytes));
        ends.iter().for_each(|end| bytes.extend(end.to_le_bytes()));
        bytes.extend_from_slice(heap.as_bytes());
        bytes.extend_from_slice(&head);
        Ok(BuiltTimeline { bytes, events, sources, taken })
    }
}

/// Sorts the fields by name, so that what was decoded first makes no difference.
fn canonical(rows: &mut [Row], units: Vec<Unit>, fields: Vec<String>) -> (Vec<Unit>, Vec<String>) {
    let used: BTreeSet<u16> = rows.iter().map(|row| row.field).collect();
    let name = |number: &u16| fields.get(usize::from(*number)).cloned();
    let mut sorted: Vec<(String, u16)> =
        used.iter().filter_map(|number| Some((name(number)?, *number))).collect();
    sorted.sort_unstable();
    let numbers: HashMap<u16, u16> = (0..).zip(&sorted).map(|(new, (_, old))| (*old, new)).collect();
    for row in rows {
        row.field = numbers.get(&row.field).copied().unwrap_or(row.field);
    }
    (units, sorted.into_iter().map(|(name, _)| name).collect())
}

/// The texts in the order in which the rows need them, each once.
fn in_order(rows: &mut [Row], heap: &str, ends: &[u32]) -> (String, Vec<u32>) {
    let mut numbers: Vec<Option<u32>> = vec![None; ends.len()];
    let (mut ordered, mut places) = (String::with_capacity(heap.len()), Vec::with_capacity(ends.len()));
    let end = |number: usize| ends.get(number).and_then(|end| usize::try_from(*end).ok());
    for row in rows {
        let old = usize::try_from(row.text).unwrap_or(usize::MAX);
        let Some(slot) = numbers.get_mut(old) else { continue };
        row.text = *slot.get_or_insert_with(|| {
            let start = old.checked_sub(1).map_or(Some(0), end).unwrap_or_default();
            let text = end(old).and_then(|end| heap.get(start..end)).unwrap_or_default();
            ordered.push_str(text);
            places.push(u32::try_from(ordered.len()).unwrap_or(u32::MAX));
            u32::try_from(places.len() - 1).unwrap_or(u32::MAX)
        });
    }
    (ordered, places)
}
