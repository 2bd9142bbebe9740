//! Matches path patterns name by name, from the root down.

use super::NameIndex;
use super::error::IndexError;
use super::names::is_any;
use super::ranges::{holds, intersect, merge, one, push};
use ledger::pattern::fits;
use std::collections::HashMap;
use std::ops::Range;

/// Up to this many rows are checked one by one for their parent folder.
const FEW: u64 = 4096;

/// The rows reached so far; `None` is the root, which has no row.
type Reached = Option<Vec<Range<u32>>>;

impl NameIndex {
    /// Returns the rows whose whole path matches: one pattern per name, `**` for any number of names.
    pub(super) fn at_path(&mut self, pattern: &[String]) -> Result<Vec<Range<u32>>, IndexError> {
        let mut reached: Reached = None;
        let mut anywhere = false;
        for name in pattern {
            if name == "**" {
                anywhere = true;
                continue;
            }
            let next =
                if anywhere { self.below_any(&reached, name)? } else { self.children(&reached, name)? };
            reached = Some(next);
            anywhere = false;
        }
        match (reached, anywhere) {
            // A pattern without names is that of the root, which is not an entry.
            (None, false) => Ok(Vec::new()),
            (None, true) => Ok(one(0..self.layout.rows)),
            (Some(rows), false) => Ok(rows),
            (Some(rows), true) => self.with_what_is_below(&rows),
        }
    }

    /// Returns the rows anywhere below those reached whose name matches.
    fn below_any(&mut self, reached: &Reached, name: &str) -> Result<Vec<Range<u32>>, IndexError> {
        let below = match reached {
            None => one(0..self.layout.rows),
            Some(rows) => {
                let mut below = Vec::new();
                for row in rows.iter().cloned().flatten() {
                    below.push(row.saturating_add(1)..self.row(row)?.end);
                }
                merge(below)
            }
        };
        if is_any(name) {
            return Ok(below);
        }
        let names = self.fitting(name, &self.all_names())?;
        Ok(intersect(&below, &self.bearers(&names)?))
    }

    /// Returns the children of the rows reached whose name matches.
    fn children(&mut self, reached: &Reached, name: &str) -> Result<Vec<Range<u32>>, IndexError> {
        if !name.contains(['*', '?']) {
            let names = self.fitting(name, &self.all_names())?;
            if self.count_bearers(&names)? <= FEW {
                return self.held_by(reached, &names);
            }
        }
        let mut known = HashMap::new();
        let mut found = Vec::new();
        match reached {
            None => self.add_children(0..self.layout.rows, name, &mut known, &mut found)?,
            Some(rows) => {
                for row in rows.iter().cloned().flatten() {
                    let below = row.saturating_add(1)..self.row(row)?.end;
                    self.add_children(below, name, &mut known, &mut found)?;
                }
            }
        }
        Ok(merge(found))
    }

    /// Returns the rows with one of `names` whose parent is one of the rows reached.
    fn held_by(&mut self, reached: &Reached, names: &[Range<u32>]) -> Result<Vec<Range<u32>>, IndexError> {
        let mut found = Vec::new();
        for row in self.bearers(names)?.into_iter().flatten() {
            let parent = self.row(row)?.parent;
            let held = match (reached, parent) {
                (None, None) => true,
                (Some(rows), Some(parent)) => holds(rows, parent),
                (None, Some(_)) | (Some(_), None) => false,
            };
            if held {
                push(&mut found, row);
            }
        }
        Ok(found)
    }

    fn add_children(
        &mut self,
        below: Range<u32>,
        name: &str,
        known: &mut HashMap<u32, bool>,
        found: &mut Vec<Range<u32>>,
    ) -> Result<(), IndexError> {
        let mut next = below.start;
        while next < below.end {
            let child = self.row(next)?;
            let fitting = match known.get(&child.name) {
                _ if is_any(name) => true,
                Some(fitting) => *fitting,
                None => {
                    let fitting = fits(name, &self.written(child.name)?);
                    known.insert(child.name, fitting);
                    fitting
                }
            };
            if fitting {
                found.push(next..next.saturating_add(1));
            }
            next = child.end;
        }
        Ok(())
    }

    fn with_what_is_below(&mut self, rows: &[Range<u32>]) -> Result<Vec<Range<u32>>, IndexError> {
        let mut found = Vec::new();
        for row in rows.iter().cloned().flatten() {
            found.push(row..self.row(row)?.end);
        }
        Ok(merge(found))
    }
}
