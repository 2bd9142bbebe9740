//! Checks the narrative against the nodes behind it, without code of the gateway: statements, and sentences of runs before
//! [`ledger::Behaviour::Tells`].
//!
//! The citations of a sentence are looked up again, and its time is computed again.
//! In its words, only errors that no spelling can explain are reported: file
//! names, long numbers and unambiguous actions that no cited node mentions.

use super::handed::Handing;
use super::log::{Found, Log};
use super::stated;
use ledger::{
    AbsenceEntry, Behaviour, BoundValue, Claim, ClaimId, Clock, Dates, Derivation, DerivationEntry, Event,
    FactEntry, FieldValue, NodeId, SentenceClaim, SentenceEntry, Stream, TaskId, Time, Utc, Writer, dates,
};
use std::collections::{BTreeMap, BTreeSet};

/// A recorded node that a narrative can cite.
#[derive(Clone, Copy)]
pub(super) enum Node<'l> {
    Fact(&'l FactEntry),
    Absence(&'l AbsenceEntry),
    Derivation(&'l DerivationEntry),
}

/// Returns the statements and sentences that their nodes do not support.
pub(super) fn unfounded(log: Log<'_>) -> Vec<Found> {
    let mut nodes: BTreeMap<(TaskId, NodeId), Node<'_>> = BTreeMap::new();
    let mut claims: BTreeMap<ClaimId, &Claim> = BTreeMap::new();
    let (mut found, mut handing) = (Vec::new(), Handing::default());
    let has = |behaviour: Behaviour| log.opened.behaviour.contains(&behaviour.into());
    let (by_host, tells) = (has(Behaviour::DatedByHost), has(Behaviour::Tells));
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
                claims.insert(it.claim, &it.stated);
            }
            Event::SentenceAccepted(it) => {
                let known = |id: NodeId| handing.of(task).find_map(|task| nodes.get(&(task, id)).copied());
                let claim = match claims.get(&it.claim) {
                    Some(Claim::Sentence(claim)) => Some(claim),
                    _ => None,
                };
                let rests = match tells {
                    true => Err("its run tells statements, and no sentences"),
                    false => rests(&it.sentence, claim, by_host, known),
                };
                found.extend(rests.err().map(|what| (it.sentence.id.to_string(), what.to_owned())));
            }
            Event::StatementTold(it) => {
                let known = |id: NodeId| handing.of(task).find_map(|task| nodes.get(&(task, id)).copied());
                let claim = match claims.get(&it.claim) {
                    Some(Claim::Statement(claim)) => Some(claim),
                    _ => None,
                };
                let holds = match tells {
                    true => stated::holds(&it.statement, claim, known),
                    false => Err("its run tells sentences, and no statements"),
                };
                found.extend(holds.err().map(|what| (it.statement.id.to_string(), what.to_owned())));
            }
            _ => {}
        }
    }
    found
}

fn rests<'l>(
    sentence: &SentenceEntry,
    claim: Option<&SentenceClaim>,
    by_host: bool,
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
    let mut of_file = false;
    for id in &sentence.cites {
        match known(*id).ok_or("it cites what its task did not know by then")? {
            Node::Fact(fact) => facts.push(fact),
            Node::Absence(absence) => {
                of_file |= absence.absence.is_as_it_stands();
                said.push(absence.absence.to_string());
            }
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
    let text = sentence.text.to_ascii_lowercase();
    if of_file && !(text.contains("as it stands") && text.contains("hive")) {
        return Err("it tells an absence in a hive as it stands as one on the host");
    }
    let (time, field) = (&sentence.time, sentence.dated_by.as_deref());
    let dated = dated(&facts, by_host, false);
    if (time.as_ref(), field.is_some()) != (dated, dated.is_some()) {
        return Err("its time is not the one that dates what it cites");
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
    if !pieces(&written_out(&sentence.text)).all(|piece| stands(&piece, &said)) {
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
        Derivation::Same { .. }
        | Derivation::Different { .. }
        | Derivation::Order { .. }
        | Derivation::Below { .. } => None,
    }
}

/// Returns the time that dates a set of facts.
///
/// In a statement (`told`), the write time of the key or list that contains a record dates only a fact that states no other time.
pub(super) fn dated<'f>(facts: &[&'f FactEntry], by_host: bool, told: bool) -> Option<&'f Time> {
    let mut best: Vec<Stated<'f>> = Vec::new();
    for fact in facts {
        let times = std::iter::once(&fact.subject).chain(&fact.values);
        let own = |bound: &&BoundValue| bound.field == "last_written" || !bound.field.ends_with("_written");
        let has_own = told && times.clone().filter(own).any(|bound| stated(fact, bound, by_host).is_some());
        let times = times.filter(|bound| !has_own || own(bound));
        let times = times.filter_map(|bound| stated(fact, bound, by_host));
        best.extend(times.reduce(|one, other| if is_better(&other, &one) { other } else { one }));
    }
    let of_files = |it: &Stated<'_>| match it.dates {
        Dates::Event | Dates::Name => 0,
        Dates::Birth => 1,
        Dates::File | Dates::Nothing => 2,
    };
    let least = best.iter().map(of_files).min().filter(|_| by_host);
    best.retain(|it| least.is_none_or(|least| of_files(it) == least));
    let has_instant = best.iter().any(|it| it.time.zone.is_none());
    best.retain(|it| it.time.zone.is_none() || !has_instant);
    let first = best.into_iter().reduce(|one, other| if other.from < one.from { other } else { one });
    first.map(|it| it.time)
}

/// A time that may date its fact.
struct Stated<'f> {
    dates: Dates,
    writer: Option<Writer>,
    from: Utc,
    time: &'f Time,
}

/// Returns a time of the examined host's clock that dates something. Before
/// [`Behaviour::DatedByHost`] every instant does, except those of a deleted file.
fn stated<'f>(fact: &FactEntry, bound: &'f BoundValue, by_host: bool) -> Option<Stated<'f>> {
    let FieldValue::Time(time) = &bound.value else { return None };
    let of_deleted = fact.predicate.0 == "deleted" && bound.field != "deleted" && bound.field != "time";
    let dates = match by_host {
        true => dates(&fact.predicate.0, &fact.kind, &bound.field),
        false if of_deleted || time.zone.is_some() => Dates::Nothing,
        false => Dates::Event,
    };
    let counts = bound.quotation.is_none() && time.clock == Clock::Host && dates != Dates::Nothing;
    let (from, _) = time.bounds().filter(|_| counts)?;
    Some(Stated { dates, writer: bound.writer, from, time })
}

/// Whether one time of a fact dates it better than another: first by what it dates, then instants before local times, then by who could
/// have written it, then the earlier one.
fn is_better(one: &Stated<'_>, other: &Stated<'_>) -> bool {
    let local = |it: &Stated<'_>| it.time.zone.is_some();
    if one.dates != other.dates {
        return one.dates < other.dates;
    }
    if local(one) != local(other) {
        return !local(one);
    }
    one.writer > other.writer || one.writer == other.writer && one.from < other.from
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

/// Returns a sentence with its `\u{…}` escapes replaced by the characters.
fn written_out(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = part.split_once('}').and_then(|(digits, rest)| {
            Some((u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?, rest))
        });
        match number.filter(|(c, _)| *c == '\\' || !c.is_ascii_graphic()) {
            Some((c, rest)) => out.extend(std::iter::once(c).chain(rest.chars())),
            None => out.extend(["\\u{", part]),
        }
    }
    out
}

/// Returns a text in lower case, with one kind of separator.
fn plain(text: &str) -> String {
    text.to_lowercase().replace('\\', "/")
}

/// Returns the file names and long numbers in a sentence that can be read in only one way.
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
        // Longer numbers may count from an epoch.
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

/// Returns the actions that a sentence states in unambiguous words, if nothing in it negates or quotes.
fn deeds(text: &str) -> impl Iterator<Item = &'static str> {
    const ONE_MEANING: [&str; 6] = ["executed", "deleted", "downloaded", "installed", "renamed", "cleared"];
    const MARKS: [char; 14] = ['"', '“', '”', '‘', '’', '\'', '`', '«', '»', '„', '=', '_', '\\', '/'];
    // Negations, and nouns that such a word may qualify.
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
