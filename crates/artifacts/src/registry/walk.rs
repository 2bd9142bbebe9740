//! The whole tree, every key once.

use std::ops::ControlFlow;

use super::cells::Cells;
use super::defect::{Defect, DefectKind};
use super::key::{self, Key};
use super::lists::Budget;
use super::value::Value;
use super::{Hive, values};

/// One key with everything that was read from it.
#[derive(Clone, Debug)]
pub struct Visit<'h> {
    /// The key.
    pub key: Key<'h>,
    /// Its values in stored order.
    pub values: Vec<Value<'h>>,
    /// The damage found in its values, its list of subkeys and the records of its subkeys.
    pub defects: Vec<Defect>,
}

/// The result of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkSummary {
    /// Keys visited, including the root.
    pub keys: u64,
    /// Values read.
    pub values: u64,
    /// Defects found.
    pub defects: u64,
    /// Whether the walk was complete: nobody stopped it, the root could be read, and no limit was hit.
    pub complete: bool,
}

/// Visits every key that can be reached from the root.
pub(crate) fn run<'h>(
    hive: &'h Hive<'_>,
    mut visit: impl FnMut(Visit<'h>) -> ControlFlow<()>,
) -> WalkSummary {
    let mut summary = WalkSummary::default();
    let Ok(root) = hive.root() else { return summary };
    let mut budget = Budget::of(hive.cells);
    let mut seen = Seen::new(hive.cells);
    seen.insert(root.reference);
    // Keys that name a parent other than the key that lists them: that other parent has priority.
    let (mut waiting, mut doubtful) = (vec![root], Vec::new());
    while let Some(key) = next(&mut waiting, &mut doubtful, &mut seen) {
        let (children, mut defects) = key::children(hive, &key, None, &mut budget);
        let (values, more) = values::read(hive, &key, &mut budget);
        defects.extend(more);
        let first = waiting.len();
        for child in children {
            if seen.holds(child.reference) {
                let what = DefectKind::VisitedBefore { reference: child.reference };
                defects.push(Defect::at(child.offset, what));
            } else if child.parent_agrees {
                seen.insert(child.reference);
                waiting.push(child);
            } else {
                doubtful.push(child);
            }
        }
        if let Some(new) = waiting.get_mut(first..) {
            new.reverse();
        }
        summary.keys += 1;
        summary.values += values.len() as u64;
        summary.defects += defects.len() as u64;
        if visit(Visit { key, values, defects }).is_break() || budget.spent() {
            return summary;
        }
    }
    summary.complete = true;
    summary
}

fn next<'h>(waiting: &mut Vec<Key<'h>>, doubtful: &mut Vec<Key<'h>>, seen: &mut Seen) -> Option<Key<'h>> {
    if let Some(key) = waiting.pop() {
        return Some(key);
    }
    while let Some(key) = doubtful.pop() {
        if seen.insert(key.reference) {
            return Some(key);
        }
    }
    None
}

/// One bit for each place where a cell can begin.
struct Seen(Vec<u64>);

impl Seen {
    fn new(cells: Cells<'_>) -> Self {
        let words = usize::try_from(cells.size() / 64).unwrap_or_default() + 1;
        Self(vec![0; words.div_ceil(8)])
    }

    /// Marks a cell; `false` if it, or one within the same 8 bytes, was marked before.
    fn insert(&mut self, reference: u32) -> bool {
        let new = !self.holds(reference);
        if let Some(word) = self.0.get_mut(reference as usize / 512) {
            *word |= bit(reference);
        }
        new
    }

    fn holds(&self, reference: u32) -> bool {
        self.0.get(reference as usize / 512).is_none_or(|word| word & bit(reference) != 0)
    }
}

fn bit(reference: u32) -> u64 {
    1 << (reference / 8 % 64)
}
