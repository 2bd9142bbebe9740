//! Building an index: every source of a piece of evidence, decoded once.
//!
//! Rows of files that an earlier index knows with the same content are taken from there.

use super::collect::Collected;
use super::content::Contents;
use super::error::{TimelineBuildError, TimelineIndexError};
use super::layout::{Head, LOCAL, Parts, Row};
use super::read::TimeIndex;
use super::unit::Unit;
use crate::catalogue::Indexes;
use crate::error::CallError;
use crate::intake::Intake;
use crate::survey::{Ground, Surveyed, Surveyor, survey};
use crate::units::Origin;
use evidence::{Node, NodeKind, Tree};
use ledger::{Clock, Digest, Time};
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
    let ground = Ground::whole(tree, names, scratch).map_err(evidence)?;
    // An earlier index that cannot be read saves nothing, and costs nothing.
    let previous = previous.and_then(|path| TimeIndex::open(path).ok());
    let mut building = Building::new(&ground, false, &|_| true);
    building.contents = Some(Contents::new(tree));
    building.previous = previous.as_ref().map(Previous::of);
    building.everything().map_err(evidence)?;
    building.finish().map_err(TimelineBuildError::Form)
}

/// An index in memory of the records that are wanted; with `copied` the times of a copied folder are times, too.
pub(crate) fn assemble(
    ground: Ground<'_>,
    copied: bool,
    wanted: &dyn Fn(Origin) -> bool,
) -> Result<TimeIndex, CallError> {
    let mut building = Building::new(&ground, copied, wanted);
    building.everything()?;
    let built = building.finish().map_err(|error| CallError::Timeline(TimelineIndexError::Head(error)))?;
    Ok(TimeIndex::of(built.bytes)?)
}

struct Building<'p> {
    ground: &'p Ground<'p>,
    copied: bool,
    wanted: &'p dyn Fn(Origin) -> bool,
    collected: Collected,
    contents: Option<Contents<'p>>,
    previous: Option<Previous<'p>>,
    /// The number here of each unit that is taken over.
    taken: HashMap<u32, u32>,
    /// What the units of the file that was met last follow from.
    content: Option<Digest>,
}

/// An earlier index, and its units by what their rows follow from.
struct Previous<'p> {
    index: &'p TimeIndex,
    units: HashMap<Digest, Vec<u32>>,
}

impl<'p> Previous<'p> {
    fn of(index: &'p TimeIndex) -> Previous<'p> {
        let mut units: HashMap<Digest, Vec<u32>> = HashMap::new();
        for (number, unit) in (0..).zip(index.units()) {
            if let Some(content) = unit.content {
                units.entry(content).or_default().push(number);
            }
        }
        Previous { index, units }
    }
}

impl Surveyor for Building<'_> {
    fn wants(&self, origin: Origin) -> bool {
        !matches!(origin, Origin::Values | Origin::Names) && (self.wanted)(origin)
    }

    fn knows(&mut self, node: &Node, stream: Option<&str>, fits: &dyn Fn(Origin) -> bool) -> bool {
        self.content = self.contents.as_mut().and_then(|contents| contents.of(node, stream));
        self.takes(self.content, fits)
    }

    fn unit(&mut self, unit: &Surveyed<'_>, decode: &mut dyn FnMut(&mut dyn Intake)) {
        let Surveyed { origin, path, stream } = *unit;
        // What a search met follows from no file.
        let content = if origin.is_search() { None } else { self.content };
        let unit = Unit { content, ..Unit::new(origin, path, stream) };
        let mut out = self.collected.unit(unit, self.copied && !origin.is_remark());
        // That a folder is a copy says the same of what is in it.
        if matches!(origin, Origin::Entries) && is_copied_folder(&self.ground.start) {
            out.of_copy();
        }
        decode(&mut out);
        out.finish();
    }
}

fn is_copied_folder(start: &Node) -> bool {
    let of_copy = |time: &Time| time.clock == Clock::CollectionCopy;
    start.kind == NodeKind::Directory && start.times.modified.as_ref().is_some_and(of_copy)
}

impl<'p> Building<'p> {
    fn new(ground: &'p Ground<'p>, copied: bool, wanted: &'p dyn Fn(Origin) -> bool) -> Building<'p> {
        Building {
            ground,
            copied,
            wanted,
            collected: Collected::new(),
            contents: None,
            previous: None,
            taken: HashMap::new(),
            content: None,
        }
    }

    fn everything(&mut self) -> Result<(), CallError> {
        let ground = self.ground;
        survey(ground, self)?;
        self.take_over()
    }

    /// Takes over the units with this content whose origin fits; `false` where the earlier index has none.
    fn takes(&mut self, content: Option<Digest>, fits: &dyn Fn(Origin) -> bool) -> bool {
        let (Some(content), Some(previous)) = (content, &self.previous) else { return false };
        let numbers = previous.units.get(&content).cloned().unwrap_or_default();
        let mut any = false;
        for number in numbers {
            let unit = usize::try_from(number).ok().and_then(|number| previous.index.units().get(number));
            let Some(unit) = unit.filter(|unit| unit.origin().is_some_and(fits)) else { continue };
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
