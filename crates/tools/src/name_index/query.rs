//! Finds the entries that a search asks for.

use super::NameIndex;
use super::error::IndexError;
use super::layout::{Kind, ROW, is_row_of};
use super::ranges::{count, holds, intersect, merge, one, push};
use crate::glob::{Alternative, Glob};
use std::ops::{Range, RangeInclusive};

/// A range of file sizes in bytes; entries of other kinds have no size.
pub(crate) type Sizes = RangeInclusive<u64>;

/// The conditions of a search; all that are given must hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked<'a> {
    pub(crate) glob: Option<&'a Glob>,
    /// Case-folded.
    pub(crate) extension: Option<&'a str>,
}

impl NameIndex {
    /// Returns the entries in `scope` that meet the conditions, in the order of the walk.
    pub(crate) fn find(
        &mut self,
        asked: &Asked<'_>,
        scope: &Range<u32>,
    ) -> Result<Vec<Range<u32>>, IndexError> {
        let names = asked.extension.map(|extension| self.with_extension(extension)).transpose()?;
        let rows = match (asked.glob, names) {
            (None, None) => return Ok(one(scope.clone())),
            (None, Some(names)) => self.bearers(&names)?,
            (Some(glob), names) => self.fitting_glob(glob, names)?,
        };
        Ok(intersect(&rows, std::slice::from_ref(scope)))
    }

    /// Returns the entries in `scope` whose name as written satisfies `is_such`; `may_be` first rules out names by their folded form.
    pub(crate) fn named(
        &mut self,
        scope: &Range<u32>,
        may_be: impl Fn(&[u8]) -> bool,
        is_such: impl Fn(&str) -> bool,
    ) -> Result<Vec<Range<u32>>, IndexError> {
        let (mut names, mut folded) = (Vec::new(), Vec::new());
        for number in self.all_names() {
            self.fold_into(number, &mut folded)?;
            if may_be(&folded) && is_such(&self.written(number)?) {
                push(&mut names, number);
            }
        }
        Ok(intersect(&self.bearers(&names)?, std::slice::from_ref(scope)))
    }

    /// Checks whether the entry is a file of such a size.
    pub(crate) fn has_size(&mut self, number: u32, sizes: &Sizes) -> Result<bool, IndexError> {
        Ok(self.is_file(number)? && sizes.contains(&self.row(number)?.size))
    }

    /// Checks whether the entry is a file.
    pub(crate) fn is_file(&mut self, number: u32) -> Result<bool, IndexError> {
        Ok(matches!(self.row(number)?.kind, Kind::File | Kind::Hive))
    }

    /// Returns the files in `scope` that begin as hives or could not be read, and the entries with one of `names`, which are folded.
    /// They are in the order of the walk.
    pub(crate) fn may_be_hives(
        &mut self,
        names: &[&str],
        scope: &Range<u32>,
    ) -> Result<Vec<Range<u32>>, IndexError> {
        let mut bearing = Vec::new();
        for name in names {
            bearing.push(self.bearing(name)?);
        }
        let mut found = self.bearers(&bearing)?;
        found.extend(self.of_kind(Kind::Hive, scope)?);
        Ok(intersect(&merge(found), std::slice::from_ref(scope)))
    }

    /// Returns the symbolic links in `scope`.
    pub(crate) fn links(&self, scope: &Range<u32>) -> Result<Vec<Range<u32>>, IndexError> {
        self.of_kind(Kind::Link, scope)
    }

    /// Returns the rows in `scope` of one kind.
    fn of_kind(&self, kind: Kind, scope: &Range<u32>) -> Result<Vec<Range<u32>>, IndexError> {
        let mut found = Vec::new();
        let Some(last) = scope.end.checked_sub(1).filter(|last| *last >= scope.start) else {
            return Ok(found);
        };
        let (start, end) = (self.layout.row(scope.start)?, self.layout.row(last)? + ROW);
        let mut number = scope.start;
        // Pieces consist of whole rows: they begin at one and do not overlap.
        self.blocks.scan(start, end, 0, |_, piece| {
            for row in piece.chunks(ROW as usize) {
                if is_row_of(row, kind) {
                    push(&mut found, number);
                }
                number = number.saturating_add(1);
            }
        })?;
        Ok(found)
    }

    /// Checks whether the entry is a symbolic link.
    pub(crate) fn is_link(&mut self, number: u32) -> Result<bool, IndexError> {
        Ok(self.row(number)?.kind == Kind::Link)
    }

    /// Returns the entries that match one of the alternatives and have one of `names`.
    fn fitting_glob(
        &mut self,
        glob: &Glob,
        names: Option<Vec<Range<u32>>>,
    ) -> Result<Vec<Range<u32>>, IndexError> {
        let all = one(self.all_names());
        let mut found = Vec::new();
        for alternative in glob.alternatives() {
            match alternative {
                Alternative::Name(pattern) => {
                    let fitting = self.fitting_any_of(pattern, names.as_deref().unwrap_or(&all))?;
                    found.extend(self.bearers(&fitting)?);
                }
                Alternative::Path(pattern) => {
                    let rows = self.at_path(pattern)?;
                    found.extend(match &names {
                        None => rows,
                        Some(names) => self.bearing_any(rows, names)?,
                    });
                }
            }
        }
        Ok(merge(found))
    }

    /// Returns those of `rows` that have one of `names`.
    fn bearing_any(
        &mut self,
        rows: Vec<Range<u32>>,
        names: &[Range<u32>],
    ) -> Result<Vec<Range<u32>>, IndexError> {
        if self.count_bearers(names)? <= count(&rows) {
            return Ok(intersect(&rows, &self.bearers(names)?));
        }
        let mut found = Vec::new();
        for row in rows.into_iter().flatten() {
            if holds(names, self.row(row)?.name) {
                push(&mut found, row);
            }
        }
        Ok(found)
    }
}
