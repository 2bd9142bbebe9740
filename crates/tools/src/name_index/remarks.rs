//! What the walk met besides entries, at its place in the order of the walk.

use super::NameIndex;
use super::error::IndexError;
use super::layout::{int, long};
use ledger::{Defect, Gap};
use std::ops::Range;

/// A gap or a defect of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Remark {
    Defect(Defect),
    Gap(Gap),
}

const GAP: u32 = 0;
const DEFECT: u32 = 1;
const DEFECT_AT: u32 = 2;

/// A remark that is about to be written.
pub(super) struct Placed {
    /// How many entries the walk had met before it.
    pub(super) at: u32,
    pub(super) remark: Remark,
}

impl Placed {
    pub(super) fn write(&self, bytes: &mut Vec<u8>, texts: &mut Vec<u8>) -> Option<()> {
        let (kind, path, what, offset) = match &self.remark {
            Remark::Gap(Gap { path, reason }) => (GAP, path, reason, 0),
            Remark::Defect(Defect { path, offset: None, what }) => (DEFECT, path, what, 0),
            Remark::Defect(Defect { path, offset: Some(offset), what }) => (DEFECT_AT, path, what, *offset),
        };
        for number in [self.at, kind, u32::try_from(path.len()).ok()?, u32::try_from(what.len()).ok()?] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend((texts.len() as u64).to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        texts.extend(path.as_bytes());
        texts.extend(what.as_bytes());
        Some(())
    }
}

impl NameIndex {
    /// Returns the remarks that the walk over the entries `scope` meets before the entry `before`, in its order.
    ///
    /// A folder's remarks come right after the folder itself, so the range includes none of a neighbour.
    pub(crate) fn remarks(&mut self, scope: &Range<u32>, before: u32) -> Result<Range<u32>, IndexError> {
        let first = self.remark_from(scope.start)?;
        let last = before.min(scope.end);
        let end = if last == u32::MAX { self.layout.remarks } else { self.remark_from(last + 1)? };
        Ok(first..end.max(first))
    }

    /// Adds remarks to the damage and the gaps of a search.
    pub(crate) fn tell(
        &mut self,
        numbers: Range<u32>,
        defects: &mut Vec<Defect>,
        gaps: &mut Vec<Gap>,
    ) -> Result<(), IndexError> {
        for number in numbers {
            match self.remark(number)? {
                Remark::Defect(defect) => defects.push(defect),
                Remark::Gap(gap) => gaps.push(gap),
            }
        }
        Ok(())
    }

    /// Reads one remark.
    pub(super) fn remark(&mut self, number: u32) -> Result<Remark, IndexError> {
        let bytes: [u8; 32] = self.blocks.array(self.layout.remark(number)?)?;
        let (path, what) = (u64::from(int(&bytes, 8)), u64::from(int(&bytes, 12)));
        let at = self.layout.text(long(&bytes, 16), path.saturating_add(what))?;
        let path_text = self.blocks.text(at, path)?;
        let text = self.blocks.text(at + path, what)?;
        let defect = |offset| Remark::Defect(Defect { path: path_text.clone(), offset, what: text.clone() });
        Ok(match int(&bytes, 4) {
            GAP => Remark::Gap(Gap { path: path_text, reason: text }),
            DEFECT => defect(None),
            DEFECT_AT => defect(Some(long(&bytes, 24))),
            other => return Err(IndexError::value("the kind of a remark", 2, u64::from(other))),
        })
    }

    /// Returns the first remark at or after `row`.
    fn remark_from(&mut self, row: u32) -> Result<u32, IndexError> {
        let (mut low, mut high) = (0, self.layout.remarks);
        while low < high {
            let middle = low + (high - low) / 2;
            let bytes: [u8; 4] = self.blocks.array(self.layout.remark(middle)?)?;
            if u32::from_le_bytes(bytes) < row { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }
}
