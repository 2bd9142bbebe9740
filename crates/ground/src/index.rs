//! An index over a task's outputs that finds the records that may hold a value.
//!
//! Records are grouped in blocks of some kilobytes, and each block has a signature.
//! A signature has a bit for every four consecutive bytes in one of the block's texts, in the loosest fold of all,
//! and some bits for each whole value.
//! Signatures are stored by row, so that a lookup reads a few rows and none of the outputs.
//! A lookup may find too much but never too little: the gateway's own rules decide about every record.
//!
//! **Invariant:** no verdict depends on the index, except the text that a refusal shows as the nearest one if very much had to be compared.
//! The index is a function of the outputs in their order, whenever it is brought up to date.

mod blocks;
mod entry;
mod loose;
mod matrix;
mod query;
mod signature;

#[cfg(test)]
mod agreement;

use crate::shelf::Held;
use blocks::{Blocks, Place};
use ledger::{Digest, InvocationId, Record};
use matrix::Columns;
use std::collections::BTreeMap;
use std::fmt;
use std::iter::Peekable;
use std::sync::{Mutex, MutexGuard};

pub(crate) use query::{Pieces, Query, of_claim, of_quotation, of_value};

/// The most bytes of a folded text in one signature; a longer text is split.
const SPLIT: usize = if cfg!(test) { 128 } else { 8 * 1024 };

/// The bytes that neighbouring parts of a split text share.
const OVERLAP: usize = if cfg!(test) { 32 } else { 256 };

/// Buffers that are reused for each value.
#[derive(Debug, Default)]
struct Buffers {
    folded: Vec<u8>,
    scratch: Vec<u8>,
}

/// An index that is brought up to date on its first use, and again on later uses.
///
/// Most runs never search beyond the cited output, and a log is judged again each time it is verified:
/// what is never searched is never indexed.
/// A shelf is only read while a claim is judged, so this needs a lock; no thread ever waits for it.
#[derive(Default)]
pub(crate) struct Lazy(Mutex<Index>);

impl Lazy {
    /// Returns the index over `held`, which may have grown since the last call.
    pub(crate) fn up_to(&self, held: &[Held]) -> MutexGuard<'_, Index> {
        // A panic under the lock can leave an output out, so the whole index is rebuilt.
        let mut index = self.0.lock().unwrap_or_else(|poisoned| {
            self.0.clear_poison();
            let mut index = poisoned.into_inner();
            *index = Index::default();
            index
        });
        index.catch_up(held);
        index
    }

    /// Discards the index because an output was replaced.
    pub(crate) fn forget(&mut self) {
        *self = Lazy::default();
    }
}

impl Clone for Lazy {
    /// Starts empty: a copy builds its own index when it is first needed.
    fn clone(&self) -> Lazy {
        Lazy::default()
    }
}

impl fmt::Debug for Lazy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lazy")
    }
}

/// Requires nothing, so it matches everything.
pub(crate) static EVERYTHING: Query = Query::All(Vec::new());

/// The index over the outputs that can ground facts; equal outputs count once.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The number of invocations examined so far.
    seen: usize,
    /// The distinct outputs in the order in which they were first returned.
    slots: Vec<Slot>,
    by_digest: BTreeMap<Digest, usize>,
    blocks: Blocks,
    /// Matches every block whatever the query: tests compare lookups with it.
    #[cfg(test)]
    finds_all: bool,
}

/// The positions of an output among the invocations: the first, and the next with an equal output.
#[derive(Debug, Clone, Copy)]
struct Slot {
    first: usize,
    second: Option<usize>,
}

/// Records of one output that may match the query.
#[derive(Debug)]
pub(crate) struct Hit<'s> {
    /// The first invocation that returned the output.
    pub(crate) held: &'s Held,
    /// The next invocation that returned it.
    pub(crate) again: Option<&'s Held>,
    /// The records in order.
    pub(crate) records: Vec<&'s Record>,
}

impl<'s> Hit<'s> {
    /// Returns the first invocation other than `cited` that returned the output.
    pub(crate) fn besides(&self, cited: Option<InvocationId>) -> Option<&'s Held> {
        let returned = [Some(self.held), self.again];
        returned.into_iter().flatten().find(|held| Some(held.invocation) != cited)
    }
}

impl Index {
    fn catch_up(&mut self, held: &[Held]) {
        for (place, invocation) in held.iter().enumerate().skip(self.seen) {
            let Some(output) = invocation.grounds() else { continue };
            if let Some(slot) =
                self.by_digest.get(&output.digest()).and_then(|slot| self.slots.get_mut(*slot))
            {
                slot.second.get_or_insert(place);
                continue;
            }
            let slot = self.slots.len();
            self.by_digest.insert(output.digest(), slot);
            self.slots.push(Slot { first: place, second: None });
            self.blocks.add(output.records());
        }
        self.seen = held.len();
    }

    /// Returns the blocks that match the query.
    fn find(&self, query: &Query) -> Columns {
        self.find_within(query, &self.blocks.all())
    }

    fn find_within(&self, query: &Query, within: &Columns) -> Columns {
        let mut found = match query {
            Query::Rows(rows) => return self.blocks.with(rows, within),
            Query::Any(queries) => {
                let mut found = Columns::none(within);
                for query in queries {
                    found.combine(&self.find_within(query, within), |one, other| one | other);
                }
                found
            }
            Query::All(queries) => {
                let mut found = within.clone();
                for query in queries {
                    if !found.is_empty() {
                        found = self.find_within(query, &found);
                        self.blocks.spread(&mut found);
                    }
                }
                return found;
            }
            Query::AllButOne(queries) => {
                let (mut all, mut all_but_one) = (within.clone(), Columns::none(within));
                for query in queries {
                    let found = self.find_within(query, within);
                    // A block that had all may lack this one; a block that lacked one must have it.
                    all_but_one.combine(&found, |one, found| one & found);
                    let mut lacking = all.clone();
                    lacking.combine(&found, |all, found| all & !found);
                    all_but_one.combine(&lacking, |one, lacking| one | lacking);
                    all.combine(&found, |all, found| all & found);
                }
                all.combine(&all_but_one, |all, one| all | one);
                all
            }
        };
        self.blocks.spread(&mut found);
        found
    }

    /// Returns the records that may match the query, output by output from the first.
    pub(crate) fn hits<'i, 's>(
        &'i self,
        query: &'i Query,
        held: &'s [Held],
    ) -> impl Iterator<Item = Hit<'s>> + use<'i, 's> {
        let outputs = Outputs(self.places(query).peekable());
        outputs.filter_map(move |(slot, records)| self.hit(slot, &records, held))
    }

    /// Returns the same from the last output back.
    pub(crate) fn hits_back<'i, 's>(
        &'i self,
        query: &'i Query,
        held: &'s [Held],
    ) -> impl Iterator<Item = Hit<'s>> + use<'i, 's> {
        let outputs = Outputs(self.places(query).rev().peekable());
        outputs.filter_map(move |(slot, records)| self.hit(slot, &records, held))
    }

    fn places<'i>(&'i self, query: &'i Query) -> impl DoubleEndedIterator<Item = Place> + use<'i> {
        #[cfg(test)]
        let query = if self.finds_all { &EVERYTHING } else { query };
        self.blocks.places(self.find(query), query)
    }

    fn hit<'s>(&self, slot: usize, records: &[usize], held: &'s [Held]) -> Option<Hit<'s>> {
        let Slot { first, second } = *self.slots.get(slot)?;
        let held_first = held.get(first)?;
        let all = held_first.grounds()?.records();
        let records = records.iter().filter_map(|record| all.get(*record));
        Some(Hit {
            held: held_first,
            again: second.and_then(|second| held.get(second)),
            records: records.collect(),
        })
    }
}

/// Groups the places of each output.
struct Outputs<I: Iterator<Item = Place>>(Peekable<I>);

impl<I: Iterator<Item = Place>> Iterator for Outputs<I> {
    type Item = (usize, Vec<usize>);

    fn next(&mut self) -> Option<(usize, Vec<usize>)> {
        let Place { slot, record } = self.0.next()?;
        let mut records = vec![record];
        while let Some(place) = self.0.next_if(|place| place.slot == slot) {
            records.push(place.record);
        }
        // Records stay in order, whichever way the outputs are visited.
        records.sort_unstable();
        Some((slot, records))
    }
}
