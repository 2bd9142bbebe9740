//! Words for the status of a question, shared by all formats.

use graph::{Asker, Question, Stands};
use ledger::pattern::Patterns;
use ledger::{Condition, Objective};

/// The words for a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Its position in the order of statuses: answered comes first.
    pub(crate) place: usize,
    /// The class in the style sheet.
    pub(crate) class: &'static str,
    /// The status in a few words.
    pub(crate) word: &'static str,
    /// The meaning of these words.
    pub(crate) meaning: &'static str,
}

/// Returns the words for a question's status.
pub(crate) const fn standing(stands: &Stands) -> Standing {
    let (place, class, word, meaning) = match stands {
        Stands::Answered(_) => (0, "met", "answered", "recorded facts answer it"),
        Stands::Seen { .. } => (
            1,
            "unmet",
            "seen, not recorded",
            "tools returned records that would answer it, but no agent recorded one",
        ),
        Stands::Searched { .. } => (
            2,
            "empty",
            "searched, nothing found",
            "the evidence has a source that could answer it, and complete searches of it found no answer",
        ),
        Stands::Partly { .. } => (
            3,
            "unmet",
            "partly searched",
            "the search was not complete, and nothing that answers it was recorded",
        ),
        Stands::CannotBeTold(_) => {
            (4, "unknown", "cannot be answered", "this evidence lacks every source that could answer it")
        }
        Stands::NotAsked => (5, "unknown", "not asked", "no agent searched what could answer it"),
    };
    Standing { place, class, word, meaning }
}

/// Returns a question's status in a few words, the same in every format.
pub const fn standing_word(stands: &Stands) -> &'static str {
    standing(stands).word
}

/// Describes in one line what was searched for a question and what was not; empty if there is nothing to add.
pub(crate) fn beyond(stands: &Stands) -> String {
    match stands {
        Stands::Seen { records, number } => {
            let named: Vec<_> =
                records.iter().map(|seen| format!("{} of {}", seen.record, seen.invocation)).collect();
            let more = number.saturating_sub(records.len() as u64);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("record {}{more}", named.join(", "))
        }
        Stands::Partly { missing, .. } if !missing.is_empty() => {
            // Several searches for one question meet the same gaps.
            let mut told: Vec<&str> = Vec::new();
            for line in missing {
                if !told.contains(&line.as_str()) {
                    told.push(line);
                }
            }
            format!("not searched or not read: {}", told.join("; "))
        }
        Stands::Answered(_)
        | Stands::Searched { .. }
        | Stands::Partly { .. }
        | Stands::CannotBeTold(_)
        | Stands::NotAsked => String::new(),
    }
}

/// Says that a question was searched in only some of the evidence, because the rest has no source for it.
pub(crate) fn unsearched(objective: &Objective, lacking: &[String]) -> String {
    let mut kinds: Vec<&str> =
        objective.own_way().kinds().map(|(_, sources)| sources.needed.as_str()).collect();
    kinds.dedup();
    let lack = if lacking.len() == 1 { "lacks" } else { "lack" };
    format!("this does not cover {}, which {lack} {}", lacking.join(" and "), kinds.join(" and "))
}

/// Returns remarks on a question: who asks it (if it is not standard), why a lead left it open, and that code rather than an agent answered it.
pub fn remarks(question: &Question<'_>) -> Vec<String> {
    asker(question).into_iter().chain(left_open(question)).chain(swept(question)).collect()
}

/// Says why a lead left a question open.
pub(crate) fn left_open(question: &Question<'_>) -> Option<String> {
    Some(format!("the lead left it open, in its own words: \"{}\"", question.declined?))
}

/// Says who asks a question, unless it is a standard one.
pub(crate) fn asker(question: &Question<'_>) -> Option<String> {
    match question.by {
        Asker::Standard | Asker::Unlisted => None,
        Asker::Owner => Some("asked by the case file".to_owned()),
        Asker::Agent => {
            let checked = in_words(&question.objective.condition);
            Some(format!(
                "asked by an agent of the run; code checked only that {checked}, not whether that answers the question"
            ))
        }
    }
}

/// Describes what a condition expects of a fact: `some dir_entry with any path is recorded as "present"`.
fn in_words(condition: &Condition) -> String {
    let Condition { predicate, record, subject, field, value, unless, earlier } = condition;
    let listed = |patterns: &Patterns| match patterns {
        Patterns::One(pattern) => format!("{pattern:?}"),
        Patterns::Any(several) => {
            several.iter().map(|pattern| format!("{pattern:?}")).collect::<Vec<_>>().join(" or ")
        }
    };
    let mut words = match value {
        None => format!("some {record} with any {field}"),
        Some(value) => format!("some {record} with {field} like {}", listed(value)),
    };
    if let Some(unless) = unless {
        words.push_str(&format!(" and not like {}", listed(unless)));
    }
    if let Some([first, second]) = earlier {
        words.push_str(&format!(", {first} before {second},"));
    }
    if !matches!(subject, Patterns::One(pattern) if pattern == "*") {
        words.push_str(&format!(", about something like {},", listed(subject)));
    }
    format!("{words} is recorded as {:?}", predicate.0)
}

/// Says that code changed the status in which agents had left a question.
fn swept(question: &Question<'_>) -> Option<String> {
    let before = standing_word(question.before_sweep.as_ref()?);
    Some(format!("by the sweep: code searched after the agents had left it as \"{before}\""))
}

/// Splits what an objective needs into kinds of sources that the evidence lacks, and sources that exist but could not be read.
pub(crate) fn needs<'r>(objective: &Objective, needed: &'r [String]) -> (Vec<&'r str>, Vec<&'r str>) {
    let is_kind = |text: &&str| {
        let mut kinds = objective.all_searched().filter_map(|by| by.sources.as_ref());
        kinds.any(|sources| sources.needed == **text)
    };
    needed.iter().map(String::as_str).partition(is_kind)
}

/// Returns both parts in one line: `needs a SAM hive; could not read p1/a: permission denied`.
pub(crate) fn needs_line(objective: &Objective, needed: &[String]) -> String {
    let (lacking, unread) = needs(objective, needed);
    let part = |word: &str, texts: Vec<&str>, between: &str| {
        (!texts.is_empty()).then(|| format!("{word} {}", texts.join(between)))
    };
    let parts = [part("needs", lacking, " or "), part("could not read", unread, ", ")];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
