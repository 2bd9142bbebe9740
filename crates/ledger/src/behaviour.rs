//! Numbered behaviours of engine and gateway: they record how a run was made, so that later versions repeat it in the same way.
//!
//! If you change the result of a replay (wording that models read, an order, a verdict), add a number here, write it into new runs,
//! and keep the old code for runs without it.
//! A number is never reused for something else.

use crate::event::RunOpened;
use thiserror::Error;

/// A behaviour by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum Behaviour {
    /// Engine and gateway as they were when behaviours were first numbered, with format 2.4.
    ///
    /// A run without it can be read and verified, but a replay may give a different result.
    Numbered = 1,
    /// The first message lists the pieces of evidence by the labels that tools use.
    EvidenceNamed = 2,
    /// Objectives are met, empty, unmet or not determinable; the engine tries other ways to meet unmet ones.
    Recovers = 3,
    /// An objective is empty only if a source that could answer it exists. Watched objectives may be not determinable, too.
    SourcesFirst = 4,
    /// A sentence is dated by what the times of its facts date ([`crate::dates`]).
    /// A link date never dates, a file's own times date only if nothing else does, and a local time dates only if there is no instant.
    DatedByHost = 5,
    /// `records` returns the records of all sources; before, ten tools each returned those of some, and recovery suggested calls of them.
    OneForRecords = 6,
    /// The status of a question follows from what the calls covered and returned, whatever its weight:
    /// seen and not recorded, searched, partly searched, not asked.
    /// The questions of the case are in the first event.
    Questions = 7,
    /// Before a run is sealed, code searches for answers to questions that agents left open ([`crate::Rules::sweep`]).
    /// A lead that wants to end is asked about them first.
    Sweeps = 8,
    /// An answered question is done: before, an answer with low confidence started a search for a second source.
    AnsweredIsDone = 9,
    /// A listing of sources that could not read all of them still counts as asking the questions that they answer;
    /// before, these were not asked.
    ListingsLook = 10,
    /// What a source can prove decides.
    /// Counts are added only if no record is in two of them, and order and containment are derived instead of linked.
    Provable = 11,
    /// Times are ordered with the help of a listing of clock steps; before, they were compared as recorded.
    ClockSteps = 12,
    /// If a question was searched without result, it names the evidence that has no source for it.
    /// Before, one host's source counted for all hosts.
    HostsApart = 13,
    /// A reading that repeats a fact of its task does not become a second fact.
    OneFact = 14,
    /// A sentence may name a thing with escaped characters in its name: `\u{202e}`.
    EscapedNames = 15,
    /// No sentence says that a thing starts or runs if its fact says that it is not in force ([`crate::state_field`]).
    InForce = 16,
    /// Counts of files that may be copies of each other are not added.
    /// Nothing is derived from the text of a path that goes through `.` or `..`.
    CopiesApart = 17,
    /// A record that denies a predicate by one of its fields ([`crate::denies`]) does not count as seen and not recorded.
    /// A record that does not name its subject does count.
    RecordsDeny = 18,
    /// No sentence of the narrative says that something is harmless, which no fact says.
    /// No sentence states an action without naming what did it or what it was done to. Evidence may try to make an agent write either.
    NoVerdicts = 19,
    /// If the source that a question names is missing, its listing may name others that the tool's source for the answer includes.
    /// Then only a search of that tool source closes the question. Before, the question was not determinable at once.
    SearchedElsewhere = 20,
    /// Each task of the sweep asks a few questions.
    /// Before, one task asked all of them, and recording the first answers could leave no room for the last.
    SweepsInParts = 21,
    /// A reading may name a record and fields, and the gateway copies their values.
    /// If a reading cites the record, the gateway also copies a field that the predicate needs, and the qualifiers of the record type.
    /// Refusals offer claims that would be accepted. Agents are offered brief descriptions of their tools ([`crate::ToolSpec::in_brief`]).
    ByReference = 22,
    /// Agents can say more, marked as what it is:
    /// notes that are not facts, questions of their own, and what a hive lacks as it stands, without its transaction logs.
    SaidApart = 23,
    /// A story consists of statements by any agent that records; each names a node and its fields, and code writes the words.
    /// Before, a lead wrote sentences of its own.
    Tells = 24,
    /// A comment can be on a chapter of the story, as well as on a statement.
    OnChapters = 25,
    /// If a reading leaves its fields to the gateway, it gets the record's times first, short lists, and up to thirty-two fields.
    /// Before, it got sixteen by their names.
    DatedFirst = 26,
    /// The seal holds the digest of the entities and relations that code makes of the run's facts ([`crate::event::ConnectionsMade`]).
    /// `get_node` also shows the nodes based on a node, and agents can ask how things are connected.
    Connects = 27,
    /// The first message shows what was recalled of earlier runs, as stored in the first event ([`crate::Remembered`]).
    Remembers = 28,
    /// Entities and relations are made by the second version of their rules (`docs/graph.md`).
    /// What led to a download is not its origin, and what does not start by itself is only set to run.
    ConnectsFurther = 29,
    /// A compressed tar is expanded to 100 times its size, at least to 1 GiB.
    /// If more than a thousand entries of a zip share bytes, not even the names of these are listed. What lies beyond is a gap.
    /// Before, a tar was expanded to 16 GiB whatever its ratio.
    /// No event depends on this: anyone who reads the evidence of a run again uses the bounds of that run (decision 0064).
    BoundsArchives = 30,
    /// If a lesson of earlier runs says that a call cannot work, the call is refused once, and runs if the agent gives a reason.
    /// The playbook begins with what worked (`docs/memory.md`, decision 0066).
    Enforces = 31,
    /// A question about a run or a case has a task that only code runs; it records the answer (`docs/ask.md`, decision 0065).
    Asks = 32,
}

impl Behaviour {
    /// All behaviours of this version; new runs have all of them.
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

    /// Returns the behaviours that a run was made with.
    pub fn of(opened: &RunOpened) -> Result<Vec<Behaviour>, UnknownBehaviour> {
        opened.behaviour.iter().copied().map(Behaviour::try_from).collect()
    }
}

impl From<Behaviour> for u16 {
    fn from(behaviour: Behaviour) -> u16 {
        behaviour as u16
    }
}

/// A run has a behaviour that this version does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expected behaviours up to {known}, found {number}: a newer Locard made the run")]
pub struct UnknownBehaviour {
    /// Its number.
    pub number: u16,
    /// The newest one that this version knows.
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
