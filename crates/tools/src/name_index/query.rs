//! What entries a search means.

use super::NameIndex;
use super::error::IndexError;
use super::layout::Kind;
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

    /// Whether the entry is a file of such a size.
    pub(crate) fn has_size(&mut self, number: u32, sizes: &Sizes) -> Result<bool, IndexError> {
        let row = self.row(number)?;
        Ok(row.kind == Kind::File && sizes.contains(&row.size))
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
