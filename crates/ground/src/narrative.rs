//! Judges a sentence of the narrative: whether the nodes it cites support every value and every action that it names.
//!
//! The facts are already grounded; only the cited nodes are examined.
//! The rules, with examples, are in `docs/narrative.md`.

mod cited;
mod dated;
mod deeds;
mod marked;
mod moment;
mod text;
mod values;
mod verdicts;
mod vocabulary;

pub use cited::{Citable, Known};
pub use dated::Dating;
pub use marked::{Marked, marked};

use crate::refusal::{list, quote, refuse};
use cited::Cited;
use dated::Dated;
use ledger::escapes::{is_hidden, unescaped};
use ledger::{FactEntry, NodeId, Rejection, RejectionCode, SentenceClaim, SentenceEntry, SentenceId};
use std::borrow::Cow;
use std::cmp::Reverse;

/// The most characters of a sentence.
const MOST_CHARACTERS: usize = 1000;

/// The most nodes that a sentence may cite.
const MOST_CITED: usize = 64;

/// The most nodes that a hint searches for what the sentence could have cited.
const MOST_SEARCHED: usize = 2000;

/// A sentence that passed its check. It is the only proof of that, and only this module makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundedSentence(SentenceEntry);

impl GroundedSentence {
    /// Returns the persisted form.
    pub fn entry(&self) -> &SentenceEntry {
        &self.0
    }

    /// Converts into the persisted form and gives up the proof.
    pub fn into_entry(self) -> SentenceEntry {
        self.0
    }
}

/// The run's rules for judging sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Telling {
    /// How sentences are dated.
    pub dating: Dating,
    /// Whether a name may have escaped characters ([`ledger::escapes`]): since [`ledger::Behaviour::EscapedNames`].
    pub escapes: bool,
    /// Whether a sentence is refused if it says that something starts, but a fact says it is not in force.
    /// Since [`ledger::Behaviour::InForce`].
    pub in_force: bool,
    /// Whether a sentence is refused if it calls something harmless, or states an action about something that it does not name.
    /// Since [`ledger::Behaviour::NoVerdicts`].
    /// since [`ledger::Behaviour::NoVerdicts`].
    pub no_verdicts: bool,
}

/// The verdict on a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentenceVerdict {
    /// The cited nodes support it.
    Told(GroundedSentence),
    /// The cited nodes do not support it.
    Refused(Rejection),
}

/// Judges a sentence by what its task knows up to the claim.
/// This means its own facts, absences and derivations, and those that were handed over to it.
pub fn judge_sentence(
    claim: &SentenceClaim,
    id: SentenceId,
    known: &Known<'_>,
    telling: Telling,
) -> SentenceVerdict {
    match check(claim, known, telling) {
        Ok((cites, dated)) => SentenceVerdict::Told(GroundedSentence(SentenceEntry {
            id,
            text: claim.text.clone(),
            cites,
            time: dated.as_ref().map(|(_, time)| time.clone()),
            dated_by: dated.map(|(field, _)| field),
        })),
        Err(rejection) => SentenceVerdict::Refused(rejection),
    }
}

/// Checks whether a fact that the sentence does not cite states what the sentence denies.
/// The fact must be about something that the sentence names; if the sentence names nothing, any fact counts.
///
/// The fact must be among `known`.
pub fn is_contradicted(sentence: &SentenceEntry, fact: &FactEntry, known: &Known<'_>) -> bool {
    let with: Vec<NodeId> = sentence.cites.iter().copied().chain([NodeId::Fact(fact.id)]).collect();
    let cited = Cited::of(&with, known);
    let place = cited.facts().iter().position(|it| it.id == fact.id);
    let text = unescaped(&sentence.text);
    let read = values::read(&text, &cited);
    place.zip(read.ok()).is_some_and(|(place, read)| deeds::is_denied(&read, &cited, place))
}

fn check(
    claim: &SentenceClaim,
    known: &Known<'_>,
    telling: Telling,
) -> Result<(Vec<NodeId>, Option<Dated>), Rejection> {
    readable(claim, telling)?;
    let cites = citations(claim, known)?;
    let cited = Cited::of(&cites, known);
    let text = if telling.escapes { unescaped(&claim.text) } else { Cow::Borrowed(claim.text.as_str()) };
    let read = values::read(&text, &cited)?;
    if cited.has_one_as_it_stands() && !says_as_it_stands(&read) {
        return Err(plain(
            RejectionCode::Overclaim,
            "it cites an absence in a hive as it stands, and does not say so".to_owned(),
            "Say \"the hive as it stands\": what its transaction logs hold was not searched.".to_owned(),
        ));
    }
    deeds::check(&read, &cited, telling)?;
    if telling.no_verdicts {
        verdicts::check(&read.words)?;
    }
    let dated = telling.dating.of(cited.facts());
    Ok((cites, dated))
}

/// Checks whether a sentence says that it is about a hive as it stands.
fn says_as_it_stands(read: &values::Read) -> bool {
    let words: Vec<&str> = read.words.iter().map(|word| word.text.as_str()).collect();
    let names_hive = words.iter().any(|word| matches!(*word, "hive" | "hives"));
    names_hive && words.windows(3).any(|said| said == ["as", "it", "stands"])
}

fn readable(claim: &SentenceClaim, telling: Telling) -> Result<(), Rejection> {
    let text = claim.text.trim();
    let hint = "Write one plain sentence, and cite what it rests on.";
    let malformed = |reason: String| Err(plain(RejectionCode::Malformed, reason, hint.to_owned()));
    match () {
        () if text.is_empty() => malformed("the sentence says nothing".to_owned()),
        () if text.chars().count() > MOST_CHARACTERS => {
            malformed(format!("a sentence has at most {MOST_CHARACTERS} characters"))
        }
        () if text.contains(is_hidden) => {
            let written_out = "; such a character of a name is written as \\u{202e}";
            let how = if telling.escapes { written_out } else { "" };
            malformed(format!("the sentence has control or invisible characters, or line breaks{how}"))
        }
        () if claim.cites.len() > MOST_CITED => {
            malformed(format!("a sentence cites at most {MOST_CITED} nodes"))
        }
        () if claim.cites.iter().all(|cited| cited.trim().is_empty()) => {
            malformed("the sentence cites nothing".to_owned())
        }
        () => Ok(()),
    }
}

/// Returns the cited nodes, each once and in order.
fn citations(claim: &SentenceClaim, known: &Known<'_>) -> Result<Vec<NodeId>, Rejection> {
    let mut cites = Vec::new();
    for cited in claim.cites.iter().map(|cited| cited.trim()) {
        let id = cited.parse::<NodeId>().ok().filter(|id| known.get(*id).is_some());
        let id = id.ok_or_else(|| {
            let reason = format!("{} is no fact, absence or derivation that this task knows", quote(cited));
            plain(RejectionCode::UnknownFact, reason, there_is(&claim.text, known))
        })?;
        if !cites.contains(&id) {
            cites.push(id);
        }
    }
    Ok(cites)
}

/// Suggests nodes to cite: those that state most of the sentence's values come first.
fn there_is(text: &str, known: &Known<'_>) -> String {
    let mut fitting: Vec<(usize, NodeId)> = known
        .ids()
        .take(MOST_SEARCHED)
        .map(|id| (values::named(text, &Cited::of(&[id], known)), id))
        .filter(|(named, _)| *named > 0)
        .collect();
    fitting.sort_by_key(|(named, id)| (Reverse(*named), *id));
    let ids: Vec<String> = fitting.iter().take(4).map(|(_, id)| id.to_string()).collect();
    match (ids.is_empty(), known.is_empty()) {
        (false, _) => {
            format!("Values of this sentence stand in {}.", list(ids.iter().map(String::as_str), 4))
        }
        (true, false) => {
            "Cite ids that begin with fact-, abs- or der-, as search_graph shows them.".to_owned()
        }
        (true, true) => "There is nothing to cite yet: facts come first.".to_owned(),
    }
}

fn plain(code: RejectionCode, reason: String, hint: String) -> Rejection {
    refuse(code, reason, hint, Vec::new())
}
