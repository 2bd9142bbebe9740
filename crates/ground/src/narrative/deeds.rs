//! Checks the actions that a sentence states: a cited fact must state the action, or an absence must deny it.

use super::cited::Cited;
use super::values::{Read, Word};
use super::vocabulary::{DEEDS, Deed, EVIDENCE, FAILED_LOGON, FAILING, JOINING, RELATIVE, TURNING};
use super::{Telling, plain};
use crate::refusal::{list, quote};
use ledger::{FactEntry, Rejection, RejectionCode};

/// How many words before an action may negate it.
const REACH: usize = 5;

/// How many words around a logon may say that it failed.
const NEAR: usize = 4;

/// Refuses a sentence that says more than its cited nodes prove.
pub(super) fn check(read: &Read, cited: &Cited<'_>, telling: Telling) -> Result<(), Rejection> {
    let mut at = 0;
    while at < read.words.len() {
        match deed(&read.words, at) {
            Some((deed, form, length)) => {
                one(read, cited, telling, deed, form, at, length)?;
                at += length;
            }
            None => at += 1,
        }
    }
    Ok(())
}

/// Checks whether a sentence denies an action that a fact states about something the sentence names.
/// If the sentence names nothing, the fact may be about anything.
pub(super) fn is_denied(read: &Read, cited: &Cited<'_>, place: usize) -> bool {
    let Some(fact) = cited.facts().get(place) else { return false };
    let is_about = !read.names || read.named.contains(&place);
    let denies = |at: usize| {
        let deed = deed(&read.words, at).map(|(deed, _, _)| deed);
        deed.is_some_and(|deed| deed.by.contains(&fact.predicate.0.as_str()))
            && matches!(turned(&read.words, at), Turned::Denied)
    };
    is_about && (0..read.words.len()).any(denies)
}

/// Checks whether a single word states an action.
pub(super) fn is_told_by(word: &str) -> bool {
    DEEDS.iter().any(|deed| deed.forms.contains(&word))
}

/// Returns the action whose longest form begins at a position.
fn deed(words: &[Word], at: usize) -> Option<(&'static Deed, &'static str, usize)> {
    let rest = words.get(at..)?;
    let mut found: Option<(&'static Deed, &'static str, usize)> = None;
    for deed in DEEDS {
        for form in deed.forms {
            let length = form.split([' ', '-']).count();
            let stands = length <= rest.len()
                && form.split([' ', '-']).zip(rest).all(|(part, word)| part == word.text)
                // A clause does not end inside a form.
                && rest.iter().take(length - 1).all(|word| !word.ends);
            let next = rest.get(length).filter(|_| rest.get(length - 1).is_some_and(|last| !last.ends));
            let other = next.is_some_and(|next| deed.not_before.contains(&next.text.as_str()));
            if stands && !other && found.is_none_or(|(_, _, longest)| length > longest) {
                found = Some((deed, form, length));
            }
        }
    }
    found
}

fn one(
    read: &Read,
    cited: &Cited<'_>,
    telling: Telling,
    deed: &Deed,
    form: &str,
    at: usize,
    length: usize,
) -> Result<(), Rejection> {
    let failed = deed.by == ["logged_on"] && fails(&read.words, at, length);
    let by: &[&str] = if failed { &[FAILED_LOGON] } else { deed.by };
    let states = |fact: &FactEntry| {
        by.contains(&fact.predicate.0.as_str())
            && !(telling.in_force && deed.is_start() && fact.unusual_state().is_some())
    };
    let proves = |place: &usize| cited.facts().get(*place).is_some_and(|fact| states(fact));
    let proving: Vec<usize> = (0..cited.facts().len()).filter(proves).collect();
    match turned(&read.words, at) {
        Turned::No if proving.is_empty() => Err(overclaim(
            format!("no cited fact says {}: {} claims it", list(by.iter().copied(), 4), quote(form)),
            says(cited),
        )),
        // An action of another fact must not pass for an action of the thing that the sentence is about.
        Turned::No
            if (if read.names { !read.named.is_empty() } else { telling.no_verdicts })
                && !proving.iter().any(|it| read.touched.contains(it)) =>
        {
            let about = proving.iter().filter_map(|place| cited.facts().get(*place));
            let about: Vec<String> = about.map(|fact| fact.subject.value.to_text().into_owned()).collect();
            Err(overclaim(
                format!(
                    "{} is said of something else: of {}",
                    quote(form),
                    list(about.iter().map(String::as_str), 2)
                ),
                "Name what the fact that says so is about, or split the sentence.".to_owned(),
            ))
        }
        Turned::No => Ok(()),
        Turned::Denied if !proving.is_empty() => Err(overclaim(
            format!("the sentence denies {}, and a cited fact says it", quote(form)),
            "Say what was not done in a sentence of its own, and cite the absence that shows it.".to_owned(),
        )),
        Turned::Denied if cited.has_absence() => Ok(()),
        Turned::Denied if cited.has_one_as_it_stands() => Err(overclaim(
            format!("the sentence denies {}, which an absence in a hive as it stands does not", quote(form)),
            "Say what the hive, as it stands, does not hold, and leave out what that would mean.".to_owned(),
        )),
        Turned::Denied => Err(overclaim(
            format!("the sentence denies {}, and cites no absence", quote(form)),
            "Cite the absence that shows it, or leave it out.".to_owned(),
        )),
        Turned::Unclear => Err(overclaim(
            format!("it is not clear whether the sentence denies or claims {}", quote(form)),
            format!("Say {} of its subject directly, in a sentence of its own.", deed.name),
        )),
    }
}

/// Checks whether a word follows a negation in its clause, clearly or not.
pub(super) fn is_turned(words: &[Word], at: usize) -> bool {
    !matches!(turned(words, at), Turned::No)
}

/// Whether what a word says is denied.
enum Turned {
    No,
    Denied,
    /// A negation comes before it and may deny something else.
    Unclear,
}

fn turned(words: &[Word], at: usize) -> Turned {
    let before = words.get(..at).unwrap_or_default();
    let clause = before.iter().rev().take_while(|word| !word.ends && !JOINING.contains(&word.text.as_str()));
    let clause: Vec<&str> = clause.map(|word| word.text.as_str()).collect();
    // "No evidence of something" denies it at any distance.
    let nothing = clause.iter().zip(clause.iter().skip(1)).chain(clause.iter().zip(clause.iter().skip(2)));
    if nothing.into_iter().any(|(noun, turning)| EVIDENCE.contains(noun) && is_turning(turning)) {
        return Turned::Denied;
    }
    match clause.iter().take(REACH).position(|word| is_turning(word)) {
        None => Turned::No,
        Some(place) if clause.iter().take(place).any(|word| RELATIVE.contains(word)) => Turned::Unclear,
        Some(_) => Turned::Denied,
    }
}

fn is_turning(word: &str) -> bool {
    TURNING.contains(&word) || word.ends_with("n't")
}

fn fails(words: &[Word], at: usize, length: usize) -> bool {
    let failing = |word: &&Word| FAILING.contains(&word.text.as_str());
    let before = words.get(..at).unwrap_or_default().iter().rev().take_while(|word| !word.ends).take(NEAR);
    let last = words.get(at + length - 1).is_some_and(|word| word.ends);
    let behind = words.get(at + length..).unwrap_or_default().iter().take(if last { 0 } else { NEAR });
    before.chain(behind).any(|word| failing(&word))
}

/// Says what the cited facts do state.
fn says(cited: &Cited<'_>) -> String {
    let mut predicates: Vec<&str> = cited.facts().iter().map(|fact| fact.predicate.0.as_str()).collect();
    predicates.sort_unstable();
    predicates.dedup();
    match predicates.is_empty() {
        true => "Nothing that is cited is a fact.".to_owned(),
        false => format!("The cited facts say {}.", list(predicates, 6)),
    }
}

pub(super) fn overclaim(reason: String, hint: String) -> Rejection {
    plain(RejectionCode::Overclaim, reason, hint)
}
