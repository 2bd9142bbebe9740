//! Looks up names exactly, by extension and by pattern.

use super::NameIndex;
use super::error::IndexError;
use super::layout::{NONE, Name};
use super::ranges::{merge, push, set};
use ledger::pattern::{fits, fold};
use memchr::memmem::Finder;
use std::cmp::Ordering;
use std::ops::Range;

/// The sort key of names: the extension, then the whole name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key<'a> {
    /// `None` sorts before all others.
    extension: Option<&'a [u8]>,
    folded: &'a [u8],
}

impl<'a> Key<'a> {
    pub(super) fn of(folded: &'a str) -> Key<'a> {
        Key { extension: extension(folded.as_bytes()), folded: folded.as_bytes() }
    }
}

/// Returns what follows the last dot.
fn extension(folded: &[u8]) -> Option<&[u8]> {
    let dot = memchr::memrchr(b'.', folded)?;
    folded.get(dot + 1..)
}

/// Checks whether a folded name ends in a dot and `wanted`.
pub(crate) fn ends_in(folded: &str, wanted: &str) -> bool {
    folded.strip_suffix(wanted).is_some_and(|before| before.ends_with('.'))
}

impl NameIndex {
    /// Returns all names.
    pub(super) fn all_names(&self) -> Range<u32> {
        0..self.layout.names
    }

    /// Returns the name `number` as it is written.
    pub(super) fn written(&mut self, number: u32) -> Result<String, IndexError> {
        let name = self.name(number)?;
        let length = u64::from(name.written_length);
        if name.written == NONE {
            return self.folded(number);
        }
        let at = self.layout.written(name.written, length)?;
        self.blocks.text(at, length)
    }

    /// Returns the names that end in a dot and `wanted`, which is folded.
    pub(super) fn with_extension(&mut self, wanted: &str) -> Result<Vec<Range<u32>>, IndexError> {
        let last = extension(wanted.as_bytes()).unwrap_or(wanted.as_bytes());
        let same = self.with_last_extension(last)?;
        if !wanted.contains('.') {
            return Ok(vec![same]);
        }
        let mut found = Vec::new();
        for number in same {
            if ends_in(&self.folded(number)?, wanted) {
                push(&mut found, number);
            }
        }
        Ok(found)
    }

    /// Returns the names in `within` that match a pattern of one name.
    pub(super) fn fitting(
        &mut self,
        pattern: &str,
        within: &Range<u32>,
    ) -> Result<Vec<Range<u32>>, IndexError> {
        let folded = fold(pattern);
        let pieces: Vec<&str> = folded.split(['*', '?']).collect();
        let candidates = match pieces.as_slice() {
            _ if is_any(pattern) => return Ok(vec![within.clone()]),
            [whole] => vec![self.bearing(whole)?],
            pieces => {
                let last = pieces.last().and_then(|last| extension(last.as_bytes()));
                let within = match last {
                    Some(last) => meet(&self.with_last_extension(last)?, within),
                    None => within.clone(),
                };
                match pieces.iter().max_by_key(|piece| piece.len()).filter(|piece| !piece.is_empty()) {
                    Some(literal) => self.containing(literal.as_bytes(), &within)?,
                    None => vec![within],
                }
            }
        };
        let mut found = Vec::new();
        for range in candidates {
            for number in meet(&range, within) {
                if fits(pattern, &self.written(number)?) {
                    push(&mut found, number);
                }
            }
        }
        Ok(found)
    }

    /// Returns the rows with a name in these ranges, ascending.
    pub(super) fn bearers(&mut self, names: &[Range<u32>]) -> Result<Vec<Range<u32>>, IndexError> {
        let mut rows = Vec::new();
        for range in names {
            let postings = self.postings(range)?;
            let start = self.layout.posting(postings.start)?;
            let length = usize::try_from(postings.end.saturating_sub(postings.start)).unwrap_or(0) * 4;
            // No more than exist: the end was checked, too.
            self.layout.posting(postings.end.max(postings.start))?;
            let mut bytes = vec![0; length];
            self.blocks.fill(start, &mut bytes)?;
            rows.extend(bytes.chunks_exact(4).filter_map(|chunk| chunk.first_chunk().copied()));
        }
        let rows: Vec<u32> = rows.into_iter().map(u32::from_le_bytes).collect();
        match rows.iter().find(|row| **row >= self.layout.rows) {
            None => Ok(set(rows, self.layout.rows)),
            Some(row) => {
                let bound = u64::from(self.layout.rows);
                Err(IndexError::value("the row of a posting", bound, u64::from(*row)))
            }
        }
    }

    /// Counts the rows with a name in these ranges.
    pub(super) fn count_bearers(&mut self, names: &[Range<u32>]) -> Result<u64, IndexError> {
        let mut count = 0;
        for range in names {
            let postings = self.postings(range)?;
            count += u64::from(postings.end.saturating_sub(postings.start));
        }
        Ok(count)
    }

    /// Returns the names that fold to `folded`.
    pub(super) fn bearing(&mut self, folded: &str) -> Result<Range<u32>, IndexError> {
        let wanted = Key::of(folded);
        let start = self.search(|found| found.cmp(&wanted) == Ordering::Less)?;
        let end = self.search(|found| found.cmp(&wanted) != Ordering::Greater)?;
        Ok(start..end)
    }

    fn with_last_extension(&mut self, wanted: &[u8]) -> Result<Range<u32>, IndexError> {
        let start = self.search(|found| found.extension < Some(wanted))?;
        let end = self.search(|found| found.extension <= Some(wanted))?;
        Ok(start..end)
    }

    fn postings(&mut self, names: &Range<u32>) -> Result<Range<u32>, IndexError> {
        if names.is_empty() {
            return Ok(0..0);
        }
        Ok(self.name(names.start)?.posting..self.name(names.end)?.posting)
    }

    /// Returns how many names at the beginning satisfy `before`.
    fn search(&mut self, before: impl Fn(&Key<'_>) -> bool) -> Result<u32, IndexError> {
        let (mut low, mut high) = (0, self.layout.names);
        while low < high {
            let middle = low + (high - low) / 2;
            let folded = self.folded(middle)?;
            if before(&Key::of(&folded)) { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// Returns the names in `within` that may contain `literal`.
    fn containing(&mut self, literal: &[u8], within: &Range<u32>) -> Result<Vec<Range<u32>>, IndexError> {
        if within.is_empty() {
            return Ok(Vec::new());
        }
        let (from, to) = (self.name(within.start)?.folded, self.name(within.end)?.folded);
        let start = self.layout.folded(from, u64::from(to.saturating_sub(from)))?;
        let (base, end) = (self.layout.folded_at, start + u64::from(to.saturating_sub(from)));
        let finder = Finder::new(literal);
        let mut places = Vec::new();
        self.blocks.scan(start, end, literal.len().saturating_sub(1), |at, piece| {
            places.extend(finder.find_iter(piece).map(|place| at - base + place as u64));
        })?;
        let mut found = Vec::new();
        // The end of the name found last: more hits in that name add nothing.
        let mut known = 0;
        let mut low = within.start;
        for place in places {
            if place >= known {
                let number = self.holder(place, low..within.end)?;
                let name = self.name(number)?;
                known = u64::from(name.folded) + u64::from(name.folded_length);
                low = number;
                push(&mut found, number);
            }
        }
        Ok(found)
    }

    /// Returns the name whose folded form covers byte `place` of all folded names: the last in `within` that begins no later.
    fn holder(&mut self, place: u64, within: Range<u32>) -> Result<u32, IndexError> {
        // Places come in ascending order, so the name is mostly near.
        let mut step = 1u32;
        let (mut low, mut high) = (within.start, within.end);
        while let Some(next) = low.checked_add(step).filter(|next| *next < high) {
            if u64::from(self.name(next)?.folded) > place {
                high = next;
                break;
            }
            low = next;
            step = step.saturating_mul(2);
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if u64::from(self.name(middle)?.folded) <= place { low = middle } else { high = middle }
        }
        Ok(low)
    }

    fn name(&mut self, number: u32) -> Result<Name, IndexError> {
        Name::read(&mut self.blocks, self.layout.name(number)?)
    }

    /// Replaces `folded` with the folded name `number`.
    pub(super) fn fold_into(&mut self, number: u32, folded: &mut Vec<u8>) -> Result<(), IndexError> {
        let name = self.name(number)?;
        let length = u64::from(name.folded_length);
        let at = self.layout.folded(name.folded, length)?;
        folded.clear();
        folded.resize(usize::from(name.folded_length), 0);
        self.blocks.fill(at, folded)
    }

    fn folded(&mut self, number: u32) -> Result<String, IndexError> {
        let name = self.name(number)?;
        let length = u64::from(name.folded_length);
        let at = self.layout.folded(name.folded, length)?;
        self.blocks.text(at, length)
    }
}

/// Checks whether every name matches the pattern.
pub(super) fn is_any(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.chars().all(|letter| letter == '*')
}

fn meet(one: &Range<u32>, other: &Range<u32>) -> Range<u32> {
    let start = one.start.max(other.start);
    start..one.end.min(other.end).max(start)
}

impl NameIndex {
    /// Returns the names that match `pattern`, in ranges that do not overlap.
    pub(super) fn fitting_any_of(
        &mut self,
        pattern: &str,
        within: &[Range<u32>],
    ) -> Result<Vec<Range<u32>>, IndexError> {
        let mut found = Vec::new();
        for range in within {
            found.extend(self.fitting(pattern, range)?);
        }
        Ok(merge(found))
    }
}
