//! The hash chain, with one chain per stream and one over the whole run.
//!
//! Each task has its own causal stream of events, and so has the run itself.
//! A stream's links cover what two equal runs share. A run's links also cover the merge order of the streams and each event's circumstance.
//! So two runs are equal if the heads of their streams are equal, and still no wall time can be changed without detection.

mod circumstance;

use crate::canonical::CanonicalError;
use crate::digest::Digest;
use crate::event::{Event, Stored};
use crate::id::TaskId;
pub use circumstance::{Circumstance, Cost};
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

/// The stream that an event belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    /// The run itself.
    Run,
    /// One of its tasks.
    Task(TaskId),
}

impl Stream {
    /// Returns 0 for the run, and the task's number for a task.
    pub const fn number(self) -> u16 {
        match self {
            Stream::Run => 0,
            Stream::Task(task) => task.0,
        }
    }

    /// Returns the stream with this number.
    pub const fn from_number(number: u16) -> Stream {
        match number {
            0 => Stream::Run,
            task => Stream::Task(TaskId(task)),
        }
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stream::Run => f.write_str("the run"),
            Stream::Task(task) => task.fmt(f),
        }
    }
}

/// One event at its position: what is stored and hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The position in the run, from 0.
    pub position: u64,
    /// The stream.
    pub stream: Stream,
    /// The position in the stream, from 0.
    pub sequence: u32,
    /// The event's canonical bytes.
    pub event: Vec<u8>,
    /// The circumstance's canonical bytes.
    pub circumstance: Vec<u8>,
    /// The link in the stream's chain.
    pub stream_hash: Digest,
    /// The link in the run's chain.
    pub run_hash: Digest,
}

/// Why a chain cannot be extended, or is invalid.
#[derive(Debug, Error)]
pub enum ChainError {
    /// The event or its circumstance has no canonical form.
    #[error("link {name} into the chain")]
    Encode {
        /// The event's name.
        name: &'static str,
        /// The reason.
        #[source]
        source: CanonicalError,
    },
    /// The link is at a wrong position.
    #[error("check the chain: position {position} of {stream}: expected {expected}, found {found}")]
    Place {
        /// The position of the link.
        position: u64,
        /// The stream that it names.
        stream: Stream,
        /// The expected position or sequence number.
        expected: u64,
        /// The position or sequence number that was found.
        found: u64,
    },
    /// A link's hash does not match what it covers.
    #[error("check the chain: position {position} of {stream}: the {which} link does not fit what it covers")]
    Hash {
        /// The position of the link.
        position: u64,
        /// The stream.
        stream: Stream,
        /// `stream` or `run`.
        which: &'static str,
    },
    /// The bytes are not the canonical form of an event of this version.
    #[error("check the chain: position {position}: expected an event in canonical form")]
    Event {
        /// The position of the link.
        position: u64,
    },
    /// The bytes are not the canonical form of a circumstance.
    #[error("check the chain: position {position}: expected a circumstance in canonical form")]
    Circumstance {
        /// The position of the link.
        position: u64,
    },
}

/// The growing end of a chain.
#[derive(Debug, Clone, Default)]
pub struct Chain {
    position: u64,
    run: Option<Digest>,
    streams: BTreeMap<Stream, (u32, Digest)>,
}

impl Chain {
    /// Returns the chain of an empty run.
    pub fn new() -> Chain {
        Chain::default()
    }

    /// Makes the next link.
    pub fn link(
        &mut self,
        stream: Stream,
        event: &Event,
        circumstance: &Circumstance,
    ) -> Result<Link, ChainError> {
        let encode = |source| ChainError::Encode { name: event.name(), source };
        let body = event.to_stored().map_err(encode)?;
        let circumstance = circumstance.to_stored().map_err(encode)?;
        Ok(self.extend(stream, body, circumstance))
    }

    fn extend(&mut self, stream: Stream, event: Vec<u8>, circumstance: Vec<u8>) -> Link {
        let (sequence, before) = match self.streams.get(&stream) {
            Some((sequence, hash)) => (sequence + 1, hash.as_bytes().as_slice()),
            None => (0, [].as_slice()),
        };
        let place = [stream.number().to_le_bytes().as_slice(), &sequence.to_le_bytes()].concat();
        let stream_hash = Digest::of_parts(&[b"locard stream", before, &place, &event]);
        let before = self.run.as_ref().map_or([].as_slice(), |hash| hash.as_bytes());
        let run_hash = Digest::of_parts(&[
            b"locard run",
            before,
            &self.position.to_le_bytes(),
            stream_hash.as_bytes(),
            &circumstance,
        ]);
        let link =
            Link { position: self.position, stream, sequence, event, circumstance, stream_hash, run_hash };
        self.position += 1;
        self.run = Some(run_hash);
        self.streams.insert(stream, (sequence, stream_hash));
        link
    }

    /// Checks a stored link against the chain so far, appends it, and returns its content.
    ///
    /// The chain continues with the computed hashes, not with the stored ones.
    pub fn check(&mut self, stored: &Link) -> Result<(Event, Circumstance), ChainError> {
        let position = self.position;
        let stream = stored.stream;
        let place = |expected: u64, found: u64| match expected == found {
            true => Ok(()),
            false => Err(ChainError::Place { position, stream, expected, found }),
        };
        place(position, stored.position)?;
        let next = self.streams.get(&stream).map_or(0, |(sequence, _)| sequence + 1);
        place(next.into(), stored.sequence.into())?;
        let computed = self.extend(stream, stored.event.clone(), stored.circumstance.clone());
        if computed.stream_hash != stored.stream_hash {
            return Err(ChainError::Hash { position, stream, which: "stream" });
        }
        if computed.run_hash != stored.run_hash {
            return Err(ChainError::Hash { position, stream, which: "run" });
        }
        read(stored, position)
    }

    /// Returns the number of links so far.
    pub fn len(&self) -> u64 {
        self.position
    }

    /// Checks whether there is no link yet.
    pub fn is_empty(&self) -> bool {
        self.position == 0
    }

    /// Returns the run's last link.
    pub fn head(&self) -> Option<Digest> {
        self.run
    }

    /// Returns each stream's number of events and last link.
    pub fn streams(&self) -> impl Iterator<Item = (Stream, u32, Digest)> + '_ {
        self.streams.iter().map(|(stream, (sequence, hash))| (*stream, sequence + 1, *hash))
    }
}

fn read(stored: &Link, position: u64) -> Result<(Event, Circumstance), ChainError> {
    let not_event = || ChainError::Event { position };
    let event = Event::from_stored(&stored.event).map_err(|_| not_event())?;
    if event.to_stored().map_err(|_| not_event())? != stored.event {
        return Err(not_event());
    }
    let not_circumstance = || ChainError::Circumstance { position };
    let circumstance = Circumstance::from_stored(&stored.circumstance).map_err(|_| not_circumstance())?;
    if circumstance.to_stored().map_err(|_| not_circumstance())? != stored.circumstance {
        return Err(not_circumstance());
    }
    Ok((event, circumstance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{NothingToRecord, Phase, PhaseEntered};
    use crate::id::CallId;

    fn events() -> Vec<(Stream, Event)> {
        let task = |number| Stream::Task(TaskId(number));
        let entered = |reason: &str| {
            Event::PhaseEntered(PhaseEntered {
                phase: Phase::Investigate,
                surface: Default::default(),
                reason: reason.into(),
            })
        };
        let nothing = NothingToRecord { turn: 1, call: CallId("c".into()), reason: "clean".into() };
        vec![
            (task(1), entered("a")),
            (task(2), entered("b")),
            (task(1), Event::NothingToRecord(nothing)),
            (task(2), entered("c")),
        ]
    }

    fn chain(order: &[usize], at: &str) -> (Vec<Link>, Chain) {
        let circumstance = Circumstance { at: at.into(), ..Circumstance::default() };
        let mut chain = Chain::new();
        let events = events();
        let links = order
            .iter()
            .map(|index| chain.link(events[*index].0, &events[*index].1, &circumstance).unwrap())
            .collect();
        (links, chain)
    }

    fn first_failure(links: &[Link]) -> Option<usize> {
        let mut chain = Chain::new();
        links.iter().position(|link| chain.check(link).is_err())
    }

    #[test]
    fn a_chain_checks_against_what_was_linked() {
        let (links, written) = chain(&[0, 1, 2, 3], "2026-01-01T00:00:00Z");
        assert_eq!(first_failure(&links), None);
        let mut read = Chain::new();
        for link in &links {
            read.check(link).unwrap();
        }
        assert_eq!(read.head(), written.head());
    }

    #[test]
    fn the_vectors_of_the_format_page_hold() {
        let page = include_str!("../../../docs/run-format.md");
        let event = br#"{"event":"x","fields":{}}"#.to_vec();
        let circumstance = br#"{"at":"2026-01-01T00:00:00Z"}"#.to_vec();
        let link = Chain::new().extend(Stream::Task(TaskId(1)), event, circumstance);
        for digest in [Digest::of_parts(&[b"a", b""]), link.stream_hash, link.run_hash] {
            assert!(page.contains(&digest.to_string()), "{digest}");
        }
    }

    #[test]
    fn streams_are_equal_whatever_their_merge_order_and_wall_time() {
        let (_, a) = chain(&[0, 1, 2, 3], "2026-01-01T00:00:00Z");
        let (_, b) = chain(&[1, 3, 0, 2], "2027-01-01T00:00:00Z");
        assert!(a.streams().eq(b.streams()));
        assert_ne!(a.head(), b.head());
    }

    #[test]
    fn every_flipped_bit_of_a_link_is_found_at_its_place() {
        let (links, _) = chain(&[0, 1, 2, 3], "2026-01-01T00:00:00Z");
        for bit in 0..links[2].event.len() * 8 {
            let mut changed = links.clone();
            changed[2].event[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(first_failure(&changed), Some(2));
        }
        for bit in 0..links[1].circumstance.len() * 8 {
            let mut changed = links.clone();
            changed[1].circumstance[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(first_failure(&changed), Some(1));
        }
    }

    #[test]
    fn a_missing_swapped_or_doubled_link_is_found() {
        let (links, _) = chain(&[0, 1, 2, 3], "2026-01-01T00:00:00Z");
        let without = [&links[..1], &links[2..]].concat();
        assert_eq!(first_failure(&without), Some(1));
        let mut swapped = links.clone();
        swapped.swap(1, 2);
        assert_eq!(first_failure(&swapped), Some(1));
        let doubled = [&links[..2], &links[1..]].concat();
        assert_eq!(first_failure(&doubled), Some(2));
    }
}
