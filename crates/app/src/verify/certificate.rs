//! What a verification says: the levels, what was counted, what does not hold.

use super::head_alone::HEAD_ALONE;
use crate::head_log::NotedHead;
use crate::raw::RawTotals;
use ledger::case::Integrity;
use ledger::event::Format;
use ledger::{Digest, EvidenceKind, IntegrityLevel, RunId};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// The version of the certificate's shape.
const VERSION: u32 = 1;

/// What was verified of a run: the same run gives the same certificate, byte for byte.
///
/// It holds no time of its own; a timestamp over the file says when it was there.
#[derive(Debug, Clone, Serialize)]
pub struct Certificate {
    /// The version of this shape.
    pub locard_certificate: u32,
    /// The run's name, by its log.
    pub run: Option<RunId>,
    /// The format of its log.
    pub format: Option<Format>,
    /// The version of Locard that made the run.
    pub program: Option<String>,
    /// The version of Locard that verified it.
    pub verified_by: &'static str,
    /// The last link of the chain; `None` where the chain does not hold.
    pub head: Option<Digest>,
    /// Whether a manifest seals the run.
    pub sealed: bool,
    /// Whether its tools ran confined; `None` where the log does not hold far enough to tell.
    pub confined: Option<bool>,
    /// Events that hold.
    pub events: u64,
    /// Payloads that hold.
    pub payloads: u64,
    /// Facts found in stored outputs again.
    pub facts: u64,
    /// The root over the hashes of the facts, which a report can be checked by; `None` where the log does not hold far enough to tell.
    pub facts_root: Option<Digest>,
    /// Claims whose verdict came out the same again.
    pub verdicts: u64,
    /// What came of running the tools again; absent where they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_again: Option<CallsAgain>,
    /// How close facts stand to raw bytes that were read again; absent where they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawTotals>,
    /// The evidence as the log names it.
    pub evidence: Vec<EvidenceOf>,
    /// The highest level on the way from [`Level::LogConsistent`] to [`Level::SpansReadAgain`] that is reached with all before it; `None` where not even the log holds.
    pub level: Option<Level>,
    /// Every level.
    pub levels: Vec<Reach>,
    /// What does not hold, and where.
    pub findings: Vec<Finding>,
    /// What only the head vouches for: [`HEAD_ALONE`].
    pub head_alone: &'static [&'static str],
    #[serde(skip)]
    examined: Vec<Level>,
    /// Where the run found its evidence: nothing is written there.
    #[serde(skip)]
    pub(crate) evidence_paths: Vec<PathBuf>,
}

/// What came of running the tools again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CallsAgain {
    /// Invocations that were compared.
    pub invocations: u64,
    /// Those whose call gave what is recorded.
    pub same: u64,
    /// Those that cannot be compared, such as calls that the clock had stopped.
    pub not_compared: u64,
}

/// What a verification reaches, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The chain holds, every payload is the one that its event names, and the manifest says what the log says.
    LogConsistent,
    /// Every fact stands in its stored output, every verdict comes out the same, and no event contradicts another one.
    FactsStand,
    /// The tools gave the same outputs when they ran again over the evidence.
    OutputsReproduced,
    /// The bytes that facts name were read from the evidence again.
    SpansReadAgain,
    /// The head is the one that somebody keeps outside the run's folder.
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

    /// The level without which it means nothing.
    const fn needs(self) -> Option<Level> {
        match self {
            Level::LogConsistent => None,
            Level::FactsStand | Level::HeadAnchored => Some(Level::LogConsistent),
            Level::OutputsReproduced | Level::SpansReadAgain => Some(Level::FactsStand),
        }
    }

    /// What must be given for it to be examined.
    const fn wants(self) -> &'static str {
        match self {
            Level::LogConsistent | Level::FactsStand => "nothing but the run is needed",
            Level::OutputsReproduced | Level::SpansReadAgain => "the evidence was not given",
            Level::HeadAnchored => "no head that is kept elsewhere was given",
        }
    }
}

/// How far a level was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It holds.
    Reached,
    /// It does not hold, or one without which it means nothing does not.
    NotReached,
    /// Nobody looked.
    NotExamined,
}

/// A level and how far it was reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reach {
    /// The level.
    pub level: Level,
    /// How far.
    pub standing: Standing,
    /// Why it was not reached or not examined.
    pub because: Option<String>,
}

/// A piece of evidence as the log names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceOf {
    /// Its label.
    pub label: String,
    /// What it is.
    pub kind: EvidenceKind,
    /// The hash that the case promises.
    pub expected_sha256: Option<Digest>,
    /// What the run found; `None` where it broke off before.
    pub integrity: Option<IntegrityOf>,
}

/// What a run found of the bytes of a piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IntegrityOf {
    /// How closely its bytes were checked.
    pub level: IntegrityLevel,
    /// The hash at this level.
    pub sha256: Digest,
    /// Its files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Whether it has the hash that the case promises; `None` where that cannot be said.
    pub as_expected: Option<bool>,
}

impl IntegrityOf {
    pub(super) fn new(found: &Integrity, as_expected: Option<bool>) -> IntegrityOf {
        let (level, sha256) = (found.level, found.sha256);
        IntegrityOf { level, sha256, files: found.files, bytes: found.bytes, as_expected }
    }
}

/// Something that does not hold.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The level that it keeps from being reached.
    pub level: Level,
    /// The place: a file, a position, an id.
    pub place: String,
    /// What is wrong there.
    pub what: String,
}

impl Certificate {
    /// A certificate of nothing.
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

    /// Whether everything that was looked at holds.
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
    }

    /// How far a level was reached.
    pub fn standing(&self, level: Level) -> Standing {
        let of = self.levels.iter().find(|reach| reach.level == level);
        of.map_or(Standing::NotExamined, |reach| reach.standing)
    }

    /// The lowest level that something was found against: what stands on it means nothing.
    pub fn failed(&self) -> Option<Level> {
        self.findings.iter().map(|finding| finding.level).min()
    }

    /// Takes up what looking at one more level gave: places and what is wrong there.
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

    /// Holds the head against those that were noted when the run was sealed; gives the one that it is.
    ///
    /// That is no anchor outside: the log of heads belongs to whoever ran this, and the same run gives the same certificate wherever it is verified. A head that is none of them is a finding.
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

    /// The certificate as a file: JSON, with a line's end.
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
