//! One page of many records.

use crate::returned::Return;
use ledger::Record;
use std::convert::Infallible;

/// A page being built.
pub(crate) struct Page {
    records: Vec<Record>,
    offset: usize,
    limit: usize,
    /// How many records were met, including those before the page.
    seen: usize,
    /// Whether more records follow the page.
    more: bool,
}

impl Page {
    /// Makes a page of at most `limit` records, after the first `offset`.
    pub(crate) fn new(offset: usize, limit: usize) -> Page {
        Page { records: Vec::new(), offset, limit, seen: 0, more: false }
    }

    /// Makes a page from records collected elsewhere; `more` says whether records follow.
    pub(crate) fn of(records: Vec<Record>, offset: usize, limit: usize, more: bool) -> Page {
        let seen = offset.saturating_add(records.len());
        Page { records, offset, limit, seen, more }
    }

    /// Checks whether a record did not fit.
    pub(crate) fn is_over(&self) -> bool {
        self.more
    }

    /// Counts the next record without looking at it, if it comes before the page.
    pub(crate) fn passes_over(&mut self) -> bool {
        let before = self.seen < self.offset;
        self.seen += usize::from(before);
        before
    }

    /// Ends the page before its limit: more records follow.
    pub(crate) fn cut(&mut self) {
        self.limit = self.records.len();
        self.more = true;
    }

    /// Takes the next record, which is only made if it is on the page; `false` once a record does not fit.
    pub(crate) fn take(&mut self, record: impl FnOnce() -> Record) -> bool {
        let taken: Result<bool, Infallible> = self.try_take(|| Ok(record()));
        taken.unwrap_or(false)
    }

    /// Does what `take` does, with a record whose making can fail.
    pub(crate) fn try_take<E>(&mut self, record: impl FnOnce() -> Result<Record, E>) -> Result<bool, E> {
        if self.seen < self.offset {
            self.seen += 1;
        } else if self.records.len() < self.limit {
            self.seen += 1;
            self.records.push(record()?);
        } else {
            self.more = true;
        }
        Ok(!self.more)
    }

    /// Hands the records to `returned` and says how to continue; `what` names the records.
    pub(crate) fn fill(self, returned: &mut Return, what: &str) {
        returned.set_records(self.records);
        if self.more {
            let next = self.offset.saturating_add(self.limit);
            returned.truncate(format!("more {what} follow: go on with \"offset\": {next}"));
        } else if self.offset > 0 {
            // A page must not be taken for an absence.
            returned.truncate(format!("this is the last page; the {what} before it are not in it"));
        }
    }
}
