//! Bytes of the medium that its container should hold but does not.

use std::fmt;

/// The most ranges that are reported separately; if there are more, they are merged.
const MAX_RANGES: usize = 64;

/// A part of the medium that is not held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Its first byte.
    pub(crate) start: u64,
    /// The byte after its last; `None` if nothing shows how large the medium is.
    pub(crate) end: Option<u64>,
    /// The cause.
    pub(crate) reason: String,
}

impl Missing {
    /// Checks whether every byte of the medium can be read, although the container is damaged.
    pub(crate) fn is_empty(&self) -> bool {
        self.end.is_some_and(|end| end <= self.start)
    }

    /// Checks whether some of the `length` bytes from `offset` on are not held.
    pub(crate) fn touches(&self, offset: u64, length: u64) -> bool {
        let stop = offset.saturating_add(length);
        match self.end {
            Some(end) => self.start < stop && end > offset && !self.is_empty(),
            None => self.start <= stop,
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Missing { start, end, reason } = self;
        match end {
            _ if self.is_empty() => write!(formatter, "{reason}"),
            Some(end) => write!(formatter, "{reason}; bytes {start} to {end} of the medium are not held"),
            None => write!(formatter, "{reason}; what the medium has from byte {start} on is not held"),
        }
    }
}

/// Ranges of the medium, in order and in bounded memory.
#[derive(Default)]
pub(super) struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Adds the bytes from `start` to `end`, which begin after all bytes added before.
    pub(super) fn add(&mut self, start: u64, end: u64) {
        let full = self.0.len() >= MAX_RANGES;
        match self.0.last_mut() {
            Some((_, last)) if full || *last >= start => *last = end.max(*last),
            Some(_) | None => self.0.push((start, end)),
        }
    }

    /// Returns the ranges as missing from a container that ends at byte `length`.
    pub(super) fn cut(self, length: u64) -> Vec<Missing> {
        let reason = format!("the container is cut: it ends at byte {length}, before what its tables name");
        let missing = |(start, end)| Missing { start, end: Some(end), reason: reason.clone() };
        self.0.into_iter().map(missing).collect()
    }
}
