//! Numbered behaviours of engine and gateway: what a run was made with, so that later versions repeat it as it was.
//!
//! Whoever changes what a replay gives (a wording that models read, an order, a verdict) adds a number here, writes it into new runs, and keeps the old way for runs without it.
//! A number is never used again for something else.

use crate::event::RunOpened;
use thiserror::Error;

/// A behaviour by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum Behaviour {
    /// Engine and gateway as they were when behaviours were first numbered, with format 2.4.
    ///
    /// A run without it is read and verified; that it comes out the same in a replay is not promised.
    Numbered = 1,
    /// The first message names the pieces of evidence, by the labels that tools know them by.
    EvidenceNamed = 2,
    /// Objectives are met, empty, unmet or not determinable; what is unmet is tried another way.
    Recovers = 3,
    /// An objective is empty only where a source that could answer it is there, and what is watched for may not be determinable, too.
    SourcesFirst = 4,
    /// A sentence is dated by what the times of its facts date ([`crate::dates`]): by no link date, by a file's own times only where nothing else does, and by a local time where there is no instant.
    DatedByHost = 5,
    /// `records` gives the records of all sources; before, ten tools each gave those of some, and recovery suggested calls of them.
    OneForRecords = 6,
    /// How a question stands follows from what the calls covered and returned, whatever its weight: seen and not recorded, searched, partly searched, not asked; the questions of the case stand in the first event.
    Questions = 7,
    /// Before it is sealed a run asks by code what its agents have left open ([`crate::Rules::sweep`]); a lead that wants to end is asked about it first.
    Sweeps = 8,
    /// What an agent has answered is done: before, an answer of little confidence set off a search for a second source.
    AnsweredIsDone = 9,
    /// A listing of sources that could not read all of them is a look at the questions that they answer; before, these were not asked.
    ListingsLook = 10,
    /// What a source can prove decides: counts are added where no record is in two of them, and what happened before what, and what is part of what, is derived and not linked.
    Provable = 11,
    /// Times are put in order by the steps of clocks that a listing tells; before, as they stand.
    ClockSteps = 12,
    /// Where a question was searched in vain it is told which pieces of evidence hold no source of it; before, one host's source counted for all.
    HostsApart = 13,
    /// A reading that says what a fact of its task says already becomes no second fact.
    OneFact = 14,
    /// A sentence may name a thing with characters of its name written out: `\u{202e}`.
    EscapedNames = 15,
    /// No sentence says that a thing starts, or runs, of which its fact says that it is not in force ([`crate::state_field`]).
    InForce = 16,
    /// Counts of files that may be copies of each other are not added, and of a path that goes through `.` or `..` nothing is derived from how it is written.
    CopiesApart = 17,
    /// A record that denies a predicate by one of its fields ([`crate::denies`]) is none that was seen and not recorded; one that does not name its subject is.
    RecordsDeny = 18,
    /// No sentence of the narrative says that something is harmless, which no fact says, or tells a deed without naming what it was done to or by: evidence may ask for both.
    NoVerdicts = 19,
    /// Where the source that a question names is lacking, and its listing names others, which the tool's source that answers it may have, too, only the search of that closes the question; before, it could not be told at once.
    SearchedElsewhere = 20,
    /// A task of the sweep asks a few questions; before, one asked all, and what the first of them recorded could leave no room for the last.
    SweepsInParts = 21,
    /// A reading may name a record and fields, whose values the gateway copies; a field that a predicate needs, or that says of what a record tells, is copied where a reading cites the record. Refusals offer what would hold. Agents are offered their tools in few words ([`crate::ToolSpec::in_brief`]).
    ByReference = 22,
    /// Agents can say more, marked as what it is: notes that are no facts, questions of their own, and what a hive lacks as it stands, without its transaction logs.
    SaidApart = 23,
    /// A story is told as statements, each of which names a node and fields of it, by whoever records; code writes the words. Before, a lead told sentences of its own.
    Tells = 24,
    /// A comment can be on a chapter of the story, as well as on a statement.
    OnChapters = 25,
    /// A reading that leaves its fields to the gateway gets the times of its record first, short lists, and up to thirty-two fields; before, sixteen by their names.
    DatedFirst = 26,
    /// The seal holds the digest of the entities and relations that code makes of the run's facts ([`crate::event::ConnectionsMade`]); `get_node` shows what rests on a node, too, and agents can ask how things are connected.
    Connects = 27,
    /// The first message says what was recalled of earlier runs, as the first event has it ([`crate::Remembered`]).
    Remembers = 28,
    /// Entities and relations are made by the second version of their rules: what led to a download is not where it came from, and what does not start by itself is only set to run (`docs/graph.md`).
    ConnectsFurther = 29,
    /// A compressed tar is expanded to 100 times its size, at least to 1 GiB, and of a zip in which more than a thousand entries share bytes not even the names of these are listed; what lies beyond is a gap. Before, a tar was expanded to 16 GiB whatever its ratio. No event rests on it: whoever reads the evidence of a run again reads it to the bounds of that run (decision 0064).
    BoundsArchives = 30,
    /// A call of which a lesson of earlier runs says that it cannot work is refused once, and runs where a reason is given; the playbook begins with what worked (`docs/memory.md`, decision 0066).
    Enforces = 31,
    /// A question that was asked of a run, or of a case, has a task of code alone, which records what answers it (`docs/ask.md`, decision 0065).
    Asks = 32,
}

impl Behaviour {
    /// Those of this version, all of which new runs have.
    pub const ALL: [Behaviour; 32] = [
        Behaviour::Numbered,
        Behaviour::EvidenceNamed,
        Behaviour::Recovers,
        Behaviour::SourcesFirst,
        Behaviour::DatedByHost,
        Behaviour::OneForRecords,
        Behaviour::Questions,
        Behaviour::Sweeps,
        Behaviour::AnsweredIsDone,
        Behaviour::ListingsLook,
        Behaviour::Provable,
        Behaviour::ClockSteps,
        Behaviour::HostsApart,
        Behaviour::OneFact,
        Behaviour::EscapedNames,
        Behaviour::InForce,
        Behaviour::CopiesApart,
        Behaviour::RecordsDeny,
        Behaviour::NoVerdicts,
        Behaviour::SearchedElsewhere,
        Behaviour::SweepsInParts,
        Behaviour::ByReference,
        Behaviour::SaidApart,
        Behaviour::Tells,
        Behaviour::OnChapters,
        Behaviour::DatedFirst,
        Behaviour::Connects,
        Behaviour::Remembers,
        Behaviour::ConnectsFurther,
        Behaviour::BoundsArchives,
        Behaviour::Enforces,
        Behaviour::Asks,
    ];

    /// Those that a run was made with.
    pub fn of(opened: &RunOpened) -> Result<Vec<Behaviour>, UnknownBehaviour> {
        opened.behaviour.iter().copied().map(Behaviour::try_from).collect()
    }
}

impl From<Behaviour> for u16 {
    fn from(behaviour: Behaviour) -> u16 {
        behaviour as u16
    }
}

/// A run was made with a behaviour that this version does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expected behaviours up to {known}, found {number}: a newer Locard made the run")]
pub struct UnknownBehaviour {
    /// Its number.
    pub number: u16,
    /// The newest that this version knows.
    pub known: u16,
}

impl TryFrom<u16> for Behaviour {
    type Error = UnknownBehaviour;

    fn try_from(number: u16) -> Result<Behaviour, UnknownBehaviour> {
        let known = Behaviour::ALL.iter().copied().map(u16::from).max().unwrap_or(0);
        let found = Behaviour::ALL.into_iter().find(|behaviour| u16::from(*behaviour) == number);
        found.ok_or(UnknownBehaviour { number, known })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_behaviour_has_a_number_of_its_own_and_is_found_by_it() {
        let numbers: BTreeSet<u16> = Behaviour::ALL.into_iter().map(u16::from).collect();
        assert_eq!(numbers.len(), Behaviour::ALL.len());
        for behaviour in Behaviour::ALL {
            assert_eq!(Behaviour::try_from(u16::from(behaviour)), Ok(behaviour));
        }
        assert_eq!(Behaviour::try_from(60_000).unwrap_err().number, 60_000);
    }
}
