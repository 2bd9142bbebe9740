//! The result of a verification: the levels, the counts and the findings.

use super::head_alone::HEAD_ALONE;
use crate::head_log::NotedHead;
use crate::raw::RawTotals;
use ledger::case::Integrity;
use ledger::event::Format;
use ledger::{Digest, EvidenceKind, IntegrityLevel, RunId};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// The version of the certificate's format.
const VERSION: u32 = 1;

/// The result of verifying a run: the same run yields the same certificate, byte for byte.
///
/// It contains no time of its own; a timestamp over the file proves when it existed.
#[derive(Debug, Clone, Serialize)]
pub struct Certificate {
    /// The version of this format.
    pub locard_certificate: u32,
    /// The name of the run in its log.
    pub run: Option<RunId>,
    /// The format of its log.
    pub format: Option<Format>,
    /// The version of Locard that made the run.
    pub program: Option<String>,
    /// The version of Locard that verified it.
    pub verified_by: &'static str,
    /// The last link of the chain; `None` if the chain is broken.
    pub head: Option<Digest>,
    /// Whether a manifest seals the run.
    pub sealed: bool,
    /// Whether its tools ran confined; `None` if the chain is broken or the log does not open a run.
    pub confined: Option<bool>,
    /// The number of intact events.
    pub events: u64,
    /// The number of intact payloads.
    pub payloads: u64,
    /// The number of facts that were found again in stored outputs.
    pub facts: u64,
    /// The root over the hashes of the facts, by which a report can be checked; `None` if the log is not intact enough to compute it.
    pub facts_root: Option<Digest>,
    /// The number of claims whose verdict is the same when it is computed again.
    pub verdicts: u64,
    /// The result of running the tools again; absent if they were not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_again: Option<CallsAgain>,
    /// How close the facts are to raw bytes; absent if these were not read again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawTotals>,
    /// The evidence according to the log.
    pub evidence: Vec<EvidenceOf>,
    /// The highest level from [`Level::LogConsistent`] to [`Level::SpansReadAgain`] that is reached together with all lower ones; `None`
    /// if even the log is inconsistent.
    pub level: Option<Level>,
    /// Every level.
    pub levels: Vec<Reach>,
    /// What is wrong, and where.
    pub findings: Vec<Finding>,
    /// What nothing but the head protects: [`HEAD_ALONE`].
    pub head_alone: &'static [&'static str],
    #[serde(skip)]
    examined: Vec<Level>,
    /// Where the run found its evidence; nothing may be written there.
    #[serde(skip)]
    pub(crate) evidence_paths: Vec<PathBuf>,
}

/// The result of running the tools again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CallsAgain {
    /// The number of invocations that were compared.
    pub invocations: u64,
    /// Those whose repeated call returned the recorded output.
    pub same: u64,
    /// Those that cannot be compared, such as calls that ran out of time.
    pub not_compared: u64,
}

/// The levels of a verification, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The chain is intact, every payload is the one that its event names, and the manifest agrees with the log.
    LogConsistent,
    /// Every fact is in its stored output, every verdict is the same when it is computed again, and no event contradicts another.
    FactsStand,
    /// The tools returned the same outputs when they ran again over the evidence.
    OutputsReproduced,
    /// The bytes that facts name were read again from the evidence.
    SpansReadAgain,
    /// The head equals one that is kept outside the run's folder.
    HeadAnchored,
}

impl Level {
    /// Every level, lowest first.
    pub const ALL: [Level; 5] = [
        Level::LogConsistent,
        Level::FactsStand,
        Level::OutputsReproduced,
        Level::SpansReadAgain,
        Level::HeadAnchored,
    ];

    /// Returns the level that this one depends on.
    const fn needs(self) -> Option<Level> {
        match self {
            Level::LogConsistent => None,
            Level::FactsStand | Level::HeadAnchored => Some(Level::LogConsistent),
            Level::OutputsReproduced | Level::SpansReadAgain => Some(Level::FactsStand),
        }
    }

    /// Returns why the level was not examined: what must be given for it.
    const fn wants(self) -> &'static str {
        match self {
            Level::LogConsistent | Level::FactsStand => "nothing but the run is needed",
            Level::OutputsReproduced | Level::SpansReadAgain => "the evidence was not given",
            Level::HeadAnchored => "no head that is kept elsewhere was given",
        }
    }
}

/// The status of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The level is reached.
    Reached,
    /// The level has findings, or a level that it depends on is not reached.
    NotReached,
    /// The level was not examined.
    NotExamined,
}

/// A level and its status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reach {
    /// The level.
    pub level: Level,
    /// The status.
    pub standing: Standing,
    /// Why it was not reached or not examined.
    pub because: Option<String>,
}

/// A piece of evidence according to the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceOf {
    /// Its label.
    pub label: String,
    /// Its kind.
    pub kind: EvidenceKind,
    /// The hash that the case gives.
    pub expected_sha256: Option<Digest>,
    /// What the run measured; `None` if the run broke off before.
    pub integrity: Option<IntegrityOf>,
}

/// What a run measured of the bytes of a piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IntegrityOf {
    /// How closely the bytes were checked.
    pub level: IntegrityLevel,
    /// The hash at this level.
    pub sha256: Digest,
    /// The number of files.
    pub files: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// Whether the hash is the one that the case gives; `None` if that cannot be determined.
    pub as_expected: Option<bool>,
}

impl IntegrityOf {
    pub(super) fn new(found: &Integrity, as_expected: Option<bool>) -> IntegrityOf {
        let (level, sha256) = (found.level, found.sha256);
        IntegrityOf { level, sha256, files: found.files, bytes: found.bytes, as_expected }
    }
}

/// Something that is wrong.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The level that the finding prevents.
    pub level: Level,
    /// The place: a file, a position, an id.
    pub place: String,
    /// What is wrong there.
    pub what: String,
}

impl Certificate {
    /// Makes a certificate in which nothing is examined.
    pub(super) fn empty() -> Certificate {
        let mut empty = Certificate {
            locard_certificate: VERSION,
            run: None,
            format: None,
            program: None,
            verified_by: env!("CARGO_PKG_VERSION"),
            head: None,
            sealed: false,
            confined: None,
            events: 0,
            payloads: 0,
            facts: 0,
            facts_root: None,
            verdicts: 0,
            calls_again: None,
            raw: None,
            evidence: Vec::new(),
            level: None,
            levels: Vec::new(),
            findings: Vec::new(),
            head_alone: HEAD_ALONE,
            examined: Vec::new(),
            evidence_paths: Vec::new(),
        };
        empty.settle();
        empty
    }

    /// Whether nothing was found wrong.
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
    }

    /// Returns the status of a level.
    pub fn standing(&self, level: Level) -> Standing {
        let of = self.levels.iter().find(|reach| reach.level == level);
        of.map_or(Standing::NotExamined, |reach| reach.standing)
    }

    /// Returns the lowest level with a finding; levels that depend on it are not reached either.
    pub fn failed(&self) -> Option<Level> {
        self.findings.iter().map(|finding| finding.level).min()
    }

    /// Adds the result of examining a level: places, and what is wrong there.
    pub(crate) fn examine(&mut self, level: Level, found: Vec<(String, String)>) {
        self.examined.push(level);
        let finding = |(place, what)| Finding { level, place, what };
        self.findings.extend(found.into_iter().map(finding));
        self.settle();
    }

    fn settle(&mut self) {
        self.levels.clear();
        for level in Level::ALL {
            let (standing, because) = self.reach(level);
            self.levels.push(Reach { level, standing, because });
        }
        let on_the_way = self.levels.iter().filter(|reach| reach.level != Level::HeadAnchored);
        let reached = on_the_way.take_while(|reach| reach.standing == Standing::Reached);
        self.level = reached.last().map(|reach| reach.level);
    }

    fn reach(&self, level: Level) -> (Standing, Option<String>) {
        let found = self.findings.iter().filter(|finding| finding.level == level).count();
        let lacks = level.needs().filter(|needed| self.standing(*needed) != Standing::Reached);
        match (found, lacks, self.examined.contains(&level)) {
            (1.., ..) => (Standing::NotReached, Some(format!("findings: {found}"))),
            (0, Some(needed), _) => (Standing::NotReached, Some(format!("it needs: {needed}"))),
            (0, None, false) => (Standing::NotExamined, Some(level.wants().to_owned())),
            (0, None, true) => (Standing::Reached, None),
        }
    }

    /// Compares the head with those that were noted when the run was sealed; returns the noted one that is equal.
    ///
    /// A match does not anchor the head: the log of heads belongs to the person who ran this, and the certificate of a run must be the
    /// same wherever it is verified. A head that equals none of them is a finding.
    pub fn against_noted<'n>(&mut self, noted: &'n [NotedHead]) -> Option<&'n NotedHead> {
        let (head, last) = (self.head?, noted.last()?);
        let same = noted.iter().find(|noted| noted.head == head);
        if same.is_none() {
            let what = format!(
                "expected {}, which was noted when the run was sealed, on {}, found {head}: the run is not the one that was sealed",
                last.head, last.at
            );
            self.examine(Level::HeadAnchored, vec![("the head".to_owned(), what)]);
        }
        same
    }

    /// Returns the certificate as a file: JSON, with a final line break.
    ///
    /// # Errors
    ///
    /// Fails if the certificate cannot be serialised.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::LogConsistent => "log consistent",
            Level::FactsStand => "facts stand in stored outputs",
            Level::OutputsReproduced => "outputs reproduced by running the tools again",
            Level::SpansReadAgain => "raw spans read again from the evidence",
            Level::HeadAnchored => "head anchored outside",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standings(certificate: &Certificate) -> Vec<Standing> {
        certificate.levels.iter().map(|reach| reach.standing).collect()
    }

    #[test]
    fn a_level_is_reached_only_on_what_it_needs() {
        use Standing::{NotExamined, NotReached, Reached};
        let mut it = Certificate::empty();
        assert_eq!(it.level, None);
        it.examine(Level::LogConsistent, vec![]);
        assert_eq!(standings(&it), [Reached, NotExamined, NotReached, NotReached, NotExamined]);
        it.examine(Level::FactsStand, vec![]);
        it.examine(Level::SpansReadAgain, vec![]);
        assert_eq!(standings(&it), [Reached, Reached, NotExamined, Reached, NotExamined]);
        assert_eq!(it.level, Some(Level::FactsStand), "nobody ran the tools");
        it.examine(Level::OutputsReproduced, vec![]);
        assert_eq!(it.level, Some(Level::SpansReadAgain));
        it.examine(Level::HeadAnchored, vec![("head".into(), "other".into())]);
        assert_eq!((it.level, it.failed()), (Some(Level::SpansReadAgain), Some(Level::HeadAnchored)));
    }

    #[test]
    fn what_stands_on_a_broken_log_is_not_reached() {
        let mut it = Certificate::empty();
        it.examine(Level::HeadAnchored, vec![]);
        it.examine(Level::LogConsistent, vec![("position 1".into(), "broken".into())]);
        it.examine(Level::FactsStand, vec![("fact".into(), "gone".into())]);
        assert!(standings(&it).iter().all(|standing| *standing == Standing::NotReached));
        assert_eq!((it.level, it.failed()), (None, Some(Level::LogConsistent)));
    }
}
