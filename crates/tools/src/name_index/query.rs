//! What entries a search means.

use super::NameIndex;
use super::error::IndexError;
use super::layout::{Kind, ROW, is_row_of};
use super::ranges::{count, holds, intersect, merge, one, push};
use crate::glob::{Alternative, Glob};
use std::ops::{Range, RangeInclusive};

/// Bytes of a file; entries of other kinds have none.
pub(crate) type Sizes = RangeInclusive<u64>;

/// What entries must be like; what is given must all hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked<'a> {
    pub(crate) glob: Option<&'a Glob>,
    /// Folded.
    pub(crate) extension: Option<&'a str>,
}

impl NameIndex {
    /// The entries of `scope` that are asked for, in the order of the walk.
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

    /// The entries of `scope` whose name is such a one, as it is written; of none whose folded name may not be.
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

    /// Whether the entry is a file of such a size.
    pub(crate) fn has_size(&mut self, number: u32, sizes: &Sizes) -> Result<bool, IndexError> {
        Ok(self.is_file(number)? && sizes.contains(&self.row(number)?.size))
    }

    /// Whether the entry is a file.
    pub(crate) fn is_file(&mut self, number: u32) -> Result<bool, IndexError> {
        Ok(matches!(self.row(number)?.kind, Kind::File | Kind::Hive))
    }

    /// The files of `scope` that begin as hives or could not be read, and the entries that bear one of `names`, which are folded; in the order of the walk.
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

    /// The symbolic links of `scope`.
    pub(crate) fn links(&self, scope: &Range<u32>) -> Result<Vec<Range<u32>>, IndexError> {
        self.of_kind(Kind::Link, scope)
    }

    /// The rows of `scope` of one kind.
    fn of_kind(&self, kind: Kind, scope: &Range<u32>) -> Result<Vec<Range<u32>>, IndexError> {
        let mut found = Vec::new();
        let Some(last) = scope.end.checked_sub(1).filter(|last| *last >= scope.start) else {
            return Ok(found);
        };
        let (start, end) = (self.layout.row(scope.start)?, self.layout.row(last)? + ROW);
        let mut number = scope.start;
        // Pieces are as many whole rows: they begin at one and overlap in none.
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

    /// Whether the entry is a symbolic link.
    pub(crate) fn is_link(&mut self, number: u32) -> Result<bool, IndexError> {
        Ok(self.row(number)?.kind == Kind::Link)
    }

    /// The entries that fit one of the alternatives and bear one of `names`.
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

    /// Those of `rows` that bear one of `names`.
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
