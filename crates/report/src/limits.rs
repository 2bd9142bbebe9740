//! The limits of a run: questions that are unanswerable or open, what was not examined, and checks that were not made.

use crate::standing::needs;
use graph::{Question, Run, Stands, Unexamined};
use ledger::event::Format;
use ledger::{Digest, EvidenceEntry, EvidenceKind, IntegrityLevel, Placement};
use std::collections::{BTreeMap, BTreeSet};

/// The ways in which a question can be open.
const NOT_ASKED: &str = "not asked";
const SEEN: &str = "seen, not recorded";
const PARTLY: &str = "partly searched";

/// All limits of a run.
#[derive(Debug, Default)]
pub(crate) struct Limits<'r> {
    /// Questions that this evidence cannot answer, by the kind of source that it lacks; a question is listed under each kind.
    pub(crate) lacking: BTreeMap<String, Vec<Asked<'r>>>,
    /// Questions whose sources could not be read, with the reasons.
    pub(crate) unread: Vec<(Asked<'r>, Vec<String>)>,
    /// Open questions, and how: not asked, partly searched, or seen and not recorded.
    pub(crate) open: Vec<(Asked<'r>, &'static str)>,
    /// Whether the run lists the questions of its case; an older run records only what was assigned.
    pub(crate) is_listed: bool,
    /// What tools reported as not examined.
    pub(crate) gaps: Vec<Unexamined>,
    /// Incomplete calls.
    pub(crate) short: Vec<Unexamined>,
    /// Checks that were not made, one sentence each.
    pub(crate) unchecked: Vec<String>,
    /// Levels of verification that were not checked for this format; they are not figures of the run.
    pub(crate) unverified: Vec<String>,
    /// The number of questions that cannot be answered.
    undeterminable: usize,
}

/// A question and its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asked<'r> {
    pub(crate) agent: &'r str,
    pub(crate) question: &'r str,
}

/// Checks whether the questions of the case are unknown: the run does not list them, as older runs, and was not made only to answer
/// questions in words.
pub(crate) fn is_unlisted(run: &Run) -> bool {
    run.opened.questions.is_empty() && graph::questions_in_words(run).is_empty()
}

/// Returns the limits of a run.
pub(crate) fn limits<'r>(run: &Run, questions: &[Question<'r>]) -> Limits<'r> {
    let mut limits = Limits { is_listed: !is_unlisted(run), ..Limits::default() };
    questions.iter().filter(|it| it.is_of_case()).for_each(|it| limits.take(it));
    let all: BTreeSet<Unexamined> = graph::unexamined(run);
    (limits.short, limits.gaps) = all.into_iter().partition(|it| it.invocation.is_some());
    limits.unchecked = unchecked(run);
    limits
}

impl<'r> Limits<'r> {
    fn take(&mut self, question: &Question<'r>) {
        let asked = Asked { agent: question.agent, question: &question.objective.question };
        match &question.stands {
            Stands::CannotBeTold(needed) => {
                self.undeterminable += 1;
                let (lacking, unread) = needs(question.objective, needed);
                for kind in lacking {
                    let of = self.lacking.entry(kind.to_owned()).or_default();
                    if !of.contains(&asked) {
                        of.push(asked);
                    }
                }
                if !unread.is_empty() {
                    self.unread.push((asked, unread.into_iter().map(str::to_owned).collect()));
                }
            }
            Stands::NotAsked => self.open.push((asked, NOT_ASKED)),
            Stands::Seen { .. } => self.open.push((asked, SEEN)),
            Stands::Partly { .. } => self.open.push((asked, PARTLY)),
            Stands::Answered(_) | Stands::Searched { .. } => {}
        }
    }

    /// Returns the number of limits of each kind with its name, including zeros.
    pub(crate) fn counts(&self) -> [(usize, &'static str); 5] {
        let one = |number: usize, one: &'static str, several: &'static str| {
            (number, if number == 1 { one } else { several })
        };
        [
            one(self.undeterminable, "question cannot be answered", "questions cannot be answered"),
            one(self.open.len(), "open question", "open questions"),
            one(self.gaps.len(), "gap", "gaps"),
            one(self.short.len(), "incomplete call", "incomplete calls"),
            one(self.unchecked.len(), "check not made", "checks not made"),
        ]
    }

    /// Returns the counts in one line.
    pub(crate) fn line(&self) -> String {
        self.counts().map(|(number, what)| format!("{number} {what}")).join(", ")
    }
}

/// Returns the checks that were not made of the run and its evidence.
fn unchecked(run: &Run) -> Vec<String> {
    let mut unchecked = Vec::new();
    if !run.opened.confined {
        unchecked.push("Tools ran unconfined: a parser could reach the rest of the machine.".to_owned());
    }
    if run.sealed.is_none() {
        unchecked.push("The run is not sealed: it broke off, and later results may be missing.".to_owned());
    }
    if run.opened.format < Format::PLACED_RECORDS {
        unchecked.push(
            "Whether files are where Windows keeps them was not checked: the run is older than format 2.16."
                .to_owned(),
        );
    }
    unchecked.extend(assumed(run));
    unchecked.extend(elsewhere(run));
    unchecked.extend(of_another(run));
    unchecked.extend(run.opened.case.evidence.iter().filter_map(|entry| unhashed(run, entry)));
    unchecked
}

/// Returns the files whose facts have this placement, by evidence and path.
fn placed(run: &Run, placement: Placement) -> BTreeSet<String> {
    let facts = run.facts().map(|(_, accepted)| &accepted.fact);
    let placed = facts.filter(|fact| fact.placement == Some(placement));
    placed.map(|fact| format!("{}:{}", fact.locator.evidence, fact.locator.path)).collect()
}

/// Describes the files that were assumed to be the host's own because nothing shows where they come from.
fn assumed(run: &Run) -> Option<String> {
    let files = placed(run, Placement::Assumed);
    (!files.is_empty()).then(|| {
        format!(
            "Treated as the host's own, although no Windows folder shows it: {} ({}).",
            number(files.len()),
            some(&files)
        )
    })
}

/// Describes the files outside their usual places, which answer nothing, and how to declare them as the host's own.
fn elsewhere(run: &Run) -> Option<String> {
    let files = placed(run, Placement::Elsewhere);
    (!files.is_empty()).then(|| {
        format!(
            "Not treated as the host's: {} outside the places where Windows keeps such files ({}). Use `in_place` in the case file to say which are its own.",
            number(files.len()),
            some(&files)
        )
    })
}

/// Describes the logs that are in their usual place but whose records name another computer.
fn of_another(run: &Run) -> Option<String> {
    let files = placed(run, Placement::Foreign);
    (!files.is_empty()).then(|| {
        format!(
            "Not treated as the host's: records that name another computer, in {} ({}). Use `in_place` in the case file to say which are its own.",
            number(files.len()),
            some(&files)
        )
    })
}

fn number(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}

/// Lists the first of these files.
fn some(files: &BTreeSet<String>) -> String {
    let mut told: Vec<&str> = files.iter().take(SOME).map(String::as_str).collect();
    told.extend((files.len() > SOME).then_some("…"));
    told.join(", ")
}

/// The number of files that are listed.
const SOME: usize = 3;

/// Describes why the bytes of a piece of evidence are not vouched for.
fn unhashed(run: &Run, entry: &EvidenceEntry) -> Option<String> {
    let label = &entry.label;
    let hashed = run.integrity.iter().find(|hashed| hashed.evidence == *label);
    let is_promised = |promised: &Option<Digest>| entry.kind == EvidenceKind::Directory || promised.is_some();
    match hashed.map(|hashed| hashed.integrity.level) {
        None => Some(format!("{label} was not hashed.")),
        Some(IntegrityLevel::Stat) => {
            Some(format!("{label} was not hashed: only names, sizes and times of its files were taken."))
        }
        Some(IntegrityLevel::Sampled) => {
            Some(format!("{label} was hashed in samples: the first and last 64 KiB of each file."))
        }
        Some(IntegrityLevel::Full) if !is_promised(&entry.expected_sha256) => Some(format!(
            "{label} was not compared with a known hash: the case gives none. Hashes that an image stores are among the facts."
        )),
        Some(IntegrityLevel::Full) => None,
    }
}
