//! Sentences of the narrative against what they cite, with nothing of the gateway.
//!
//! What a sentence cites is looked up again, and its time computed again.
//! Of its words only what no spelling can excuse is found: names of files, long numbers and plain deeds of which nothing that is cited has a trace.

use super::handed::Handing;
use super::log::{Found, Log};
use ledger::{
    AbsenceEntry, Clock, Derivation, DerivationEntry, Event, FactEntry, FieldValue, NodeId, SentenceClaim,
    SentenceEntry, Stream, TaskId, Time,
};
use ledger::{Claim, ClaimId, Writer};
use std::collections::{BTreeMap, BTreeSet};

/// A recorded node that a sentence can cite.
#[derive(Clone, Copy)]
enum Node<'l> {
    Fact(&'l FactEntry),
    Absence(&'l AbsenceEntry),
    Derivation(&'l DerivationEntry),
}

/// The sentences that what they cite does not bear out.
pub(super) fn unfounded(log: Log<'_>) -> Vec<Found> {
    let mut nodes: BTreeMap<(TaskId, NodeId), Node<'_>> = BTreeMap::new();
    let mut claims: BTreeMap<ClaimId, &SentenceClaim> = BTreeMap::new();
    let (mut found, mut handing) = (Vec::new(), Handing::default());
    for (stream, event, _) in log.events {
        handing.apply(*stream, event);
        let Stream::Task(task) = *stream else { continue };
        match event {
            Event::ClaimAccepted(it) => {
                nodes.insert((task, NodeId::Fact(it.fact.id)), Node::Fact(&it.fact));
            }
            Event::AbsenceAccepted(it) => {
                nodes.insert((task, NodeId::Absence(it.absence.id)), Node::Absence(&it.absence));
            }
            Event::DerivationAccepted(it) => {
                nodes.insert((task, NodeId::Derivation(it.derivation.id)), Node::Derivation(&it.derivation));
            }
            Event::ClaimSubmitted(it) => {
                if let Claim::Sentence(claim) = &it.stated {
                    claims.insert(it.claim, claim);
                }
            }
            Event::SentenceAccepted(it) => {
                let known = |id: NodeId| handing.of(task).find_map(|task| nodes.get(&(task, id)).copied());
                if let Err(what) = rests(&it.sentence, claims.get(&it.claim).copied(), known) {
                    found.push((it.sentence.id.to_string(), what.to_owned()));
                }
            }
            _ => {}
        }
    }
    found
}

fn rests<'l>(
    sentence: &SentenceEntry,
    claim: Option<&SentenceClaim>,
    known: impl Fn(NodeId) -> Option<Node<'l>>,
) -> Result<(), &'static str> {
    let claim = claim.ok_or("no claim of its task states it")?;
    let claimed: Result<BTreeSet<NodeId>, _> = claim.cites.iter().map(|id| id.trim().parse()).collect();
    let cites: BTreeSet<NodeId> = sentence.cites.iter().copied().collect();
    if claim.text != sentence.text || claimed.as_ref() != Ok(&cites) || cites.is_empty() {
        return Err("it is not the sentence that was claimed, or does not cite what that cites");
    }
    let mut facts: Vec<&FactEntry> = Vec::new();
    let mut said = Vec::new();
    for id in &sentence.cites {
        match known(*id).ok_or("it cites what its task did not know by then")? {
            Node::Fact(fact) => facts.push(fact),
            Node::Absence(absence) => said.push(absence.absence.to_string()),
            Node::Derivation(entry) => {
                let of = entry.derivation.facts().into_iter().map(|id| known(NodeId::Fact(id)));
                facts.extend(of.filter_map(|node| match node {
                    Some(Node::Fact(fact)) => Some(fact),
                    Some(Node::Absence(_) | Node::Derivation(_)) | None => None,
                }));
                said.extend(numbers(&entry.derivation));
            }
        }
    }
    let (time, field) = (&sentence.time, sentence.dated_by.as_deref());
    let dated = earliest(&facts);
    if (time.as_ref(), field.is_some()) != (dated, dated.is_some()) {
        return Err("its time is not the earliest instant that dates what it cites");
    }
    let states = |fact: &&&FactEntry| {
        let mut stated = std::iter::once(&fact.subject).chain(&fact.values);
        stated.any(|bound| {
            Some(bound.field.as_str()) == field
                && matches!((&bound.value, time), (FieldValue::Time(a), Some(b)) if a == b)
        })
    };
    if field.is_some() && !facts.iter().any(|fact| states(&fact)) {
        return Err("the field that it is dated by does not state its time");
    }
    said.extend(facts.iter().flat_map(|fact| values(fact)));
    said.extend(cites.iter().map(NodeId::to_string));
    let said = plain(&said.join("\n"));
    if !pieces(&sentence.text).all(|piece| stands(&piece, &said)) {
        return Err("it names what nothing that it cites states");
    }
    match deeds(&sentence.text).all(|deed| facts.iter().any(|fact| fact.predicate.0 == deed)) {
        true => Ok(()),
        false => Err("it says that something was done of which nothing that it cites tells"),
    }
}

fn numbers(derivation: &Derivation) -> Option<String> {
    match derivation {
        Derivation::Within { seconds, .. } => {
            Some(format!("{seconds} {} {} {}", seconds / 60, seconds / 3600, seconds / 86_400))
        }
        Derivation::Sum { total, .. } => Some(total.to_string()),
        Derivation::Same { .. } | Derivation::Different { .. } | Derivation::Order { .. } => None,
    }
}

/// The earliest instant of the examined host's clock that dates what a fact says.
fn earliest<'f>(facts: &[&'f FactEntry]) -> Option<&'f Time> {
    let mut first: Option<&Time> = None;
    for time in facts.iter().filter_map(|fact| hardest(fact)) {
        if first.is_none_or(|first| time.utc < first.utc) {
            first = Some(time);
        }
    }
    first
}

/// Of a fact's times the earliest of those that the most trusted could have written; of a deletion the times of the file do not count.
fn hardest(fact: &FactEntry) -> Option<&Time> {
    let mut best: Option<(Option<Writer>, &Time)> = None;
    for bound in std::iter::once(&fact.subject).chain(&fact.values) {
        let FieldValue::Time(time) = &bound.value else { continue };
        if fact.predicate.0 == "deleted" && bound.field != "deleted" && bound.field != "time" {
            continue;
        }
        let counts = bound.quotation.is_none() && time.clock == Clock::Host && time.zone.is_none();
        let better = best.is_none_or(|(writer, known)| {
            bound.writer > writer || bound.writer == writer && time.utc < known.utc
        });
        if counts && time.utc.is_some() && better {
            best = Some((bound.writer, time));
        }
    }
    best.map(|(_, time)| time)
}

fn values(fact: &FactEntry) -> Vec<String> {
    let bound = std::iter::once(&fact.subject).chain(&fact.values);
    let values = bound.flat_map(|bound| {
        let raw = match &bound.value {
            FieldValue::Time(time) => time.raw.clone(),
            _ => String::new(),
        };
        let text = bound.quotation.clone().unwrap_or_else(|| bound.value.to_text().into_owned());
        [text, raw, bound.field.clone()]
    });
    let mut values: Vec<String> = values.collect();
    values.extend([fact.invocation.to_string(), fact.locator.evidence.clone()]);
    values
}

/// In small letters, with one kind of separator.
fn plain(text: &str) -> String {
    text.to_lowercase().replace('\\', "/")
}

/// Names of files and long numbers of a sentence that are written so plainly that there is one reading of them.
fn pieces(text: &str) -> impl Iterator<Item = String> {
    let quotes = ['"', '“', '”', '‘', '’', '«', '»', '`', '\'', '„'];
    let bare = move |piece: &str| {
        plain(piece.trim_matches(|c: char| quotes.contains(&c) || ".,;:!?()[]{}<>…".contains(c)))
    };
    let plainly = |piece: &String| {
        let ascii =
            piece.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'/'));
        let name = piece.rsplit_once('.').is_some_and(|(stem, end)| {
            (3..=4).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_lowercase()) && stem.len() > 1
        });
        // Longer ones may count from an epoch.
        let digits = piece.bytes().all(|b| b.is_ascii_digit()) && !piece.starts_with('0');
        let number = (5..=8).contains(&piece.len()) && digits;
        ascii && (name || number)
    };
    let pieces: Vec<String> = text.split_whitespace().map(bare).filter(plainly).collect();
    pieces.into_iter()
}

fn stands(piece: &str, said: &str) -> bool {
    let last = piece.rsplit('/').next().unwrap_or(piece);
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    said.match_indices(last).any(|(at, _)| {
        let (before, after) = (said.get(..at), said.get(at + last.len()..));
        edge(before.and_then(|text| text.chars().next_back()))
            && edge(after.and_then(|text| text.chars().next()))
    })
}

/// What a sentence says was done in words that have one meaning, where nothing in it denies or quotes anything.
fn deeds(text: &str) -> impl Iterator<Item = &'static str> {
    const ONE_MEANING: [&str; 6] = ["executed", "deleted", "downloaded", "installed", "renamed", "cleared"];
    const MARKS: [char; 14] = ['"', '“', '”', '‘', '’', '\'', '`', '«', '»', '„', '=', '_', '\\', '/'];
    // Negations, and things that are called after a deed.
    const OTHER: [&str; 24] = [
        "not",
        "no",
        "never",
        "cannot",
        "without",
        "nor",
        "neither",
        "none",
        "nothing",
        "nobody",
        "hardly",
        "barely",
        "list",
        "count",
        "counts",
        "key",
        "keys",
        "value",
        "values",
        "folder",
        "directory",
        "source",
        "page",
        "type",
    ];
    let text = text.to_lowercase();
    let words: BTreeSet<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .collect();
    let plain = !text.contains(MARKS) && !OTHER.iter().any(|other| words.contains(*other));
    let told = ONE_MEANING.into_iter().filter(|deed| plain && words.contains(*deed));
    told.collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_plainly_is_looked_for() {
        let of = |text: &str| pieces(text).collect::<Vec<_>>();
        assert_eq!(of(r"“Evil.EXE” from C:\a ran, 34816 bytes"), ["evil.exe", "34816"]);
        assert!(of("at 2024-03-01T12:00:05.25Z, e.g. 1333504720 or 007").is_empty());
        assert!(stands("a/evil.exe", "executed c:/users/evil.exe"));
        assert!(!stands("evil.exe", "executed c:/users/devil.exe"));
        assert!(!stands("12345", "run_count 123456"));
    }

    #[test]
    fn a_plain_deed_is_one_that_nothing_turns() {
        let of = |text: &str| deeds(text).collect::<Vec<_>>();
        assert_eq!(of("It was executed, then deleted."), ["executed", "deleted"]);
        for text in
            ["It was not executed.", "The file deleted.txt", "data = deleted", "“deleted”", "a deleted list"]
        {
            assert!(of(text).is_empty(), "{text}");
        }
    }
}
