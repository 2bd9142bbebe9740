//! How an objective stands, in the words that every format has for it.

use crate::synthesis::Answered;
use ledger::Objective;

/// The words for how an objective stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Its place in the order of states: answers first.
    pub(crate) place: usize,
    /// The class of the style sheet.
    pub(crate) class: &'static str,
    /// In a few words.
    pub(crate) word: &'static str,
    /// What these mean.
    pub(crate) meaning: &'static str,
}

/// The words for an answer.
pub(crate) const fn standing(answered: Answered<'_>) -> Standing {
    let (place, class, word, meaning) = match answered {
        Answered::Met(_) => (0, "met", "answered", "facts answer it"),
        Answered::Empty(_) => (
            1,
            "empty",
            "searched, nothing there",
            "a source that could answer it is in the evidence, and complete searches of it found nothing",
        ),
        Answered::Nothing => (
            2,
            "nothing",
            "looked, nothing seen",
            "nothing of the kind was seen in what was looked at; that is no complete search",
        ),
        Answered::NotDeterminable(_) => (
            3,
            "unknown",
            "cannot be told",
            "this evidence lacks every source that could answer it, or they could not be read",
        ),
        Answered::Unmet => (4, "unmet", "open", "nobody looked everywhere, and nothing was found"),
        Answered::Unseen | Answered::Unended => (
            5,
            "unknown",
            "not examined",
            "no call of its task looked at what could answer it, or the task did not end",
        ),
    };
    Standing { place, class, word, meaning }
}

/// What would be needed to answer an objective, in two parts: kinds of sources that the evidence lacks, and what is there and could not be read.
pub(crate) fn needs<'r>(objective: &Objective, needed: &'r [String]) -> (Vec<&'r str>, Vec<&'r str>) {
    let is_kind = |text: &&str| {
        let mut kinds = objective.searched.iter().filter_map(|by| by.sources.as_ref());
        kinds.any(|sources| sources.needed == **text)
    };
    needed.iter().map(String::as_str).partition(is_kind)
}

/// The same in one line: `needs a SAM hive; could not read p1/a: permission denied`.
pub(crate) fn needs_line(objective: &Objective, needed: &[String]) -> String {
    let (lacking, unread) = needs(objective, needed);
    let part = |word: &str, texts: Vec<&str>, between: &str| {
        (!texts.is_empty()).then(|| format!("{word} {}", texts.join(between)))
    };
    let parts = [part("needs", lacking, " or "), part("could not read", unread, ", ")];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
