//! Judges a claim that something is absent: whether complete, empty searches cover it.
//!
//! A search shows an absence only if it ended empty and complete, skipped nothing as damaged or unread,
//! and covered everything that is claimed to be absent.
//! The tool's own [`Coverage`] says which arguments mean what.
//! An argument that it does not name narrows the search, so the search covers nothing.

mod events;
mod hive;

use crate::refusal::{quote, refuse};
use crate::shelf::{Held, Shelf};
use ledger::{
    Absence, AbsenceClaim, AbsenceEntry, AbsenceForm, AbsenceId, Completeness, Coverage, InvocationId,
    Outcome, Rejection, RejectionCode, asked_events, pattern,
};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of searches that one claim may cite.
const MOST_SEARCHES: usize = 16;

/// The longest text of a claim, in bytes.
const LONGEST: usize = 4096;

/// An absence that searches cover; only [`judge_absence`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered(AbsenceEntry);

impl Covered {
    /// Returns the persisted form.
    pub fn entry(&self) -> &AbsenceEntry {
        &self.0
    }

    /// Converts into the persisted form.
    pub fn into_entry(self) -> AbsenceEntry {
        self.0
    }
}

/// The verdict on a claim that something is absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AbsenceVerdict {
    /// The searches cover it.
    Covered(Covered),
    /// The searches do not cover it.
    Refused(Rejection),
}

/// A run's settings for absences.
#[derive(Debug, Clone, Copy)]
pub struct Searchable<'a> {
    /// For each tool, what its empty calls show.
    pub coverage: &'a BTreeMap<String, Vec<Coverage>>,
    /// The labels of the case's evidence.
    pub evidence: &'a BTreeSet<String>,
    /// Whether a claim may be about a hive as it stands: [`ledger::Behaviour::SaidApart`].
    pub as_it_stands: bool,
}

/// Judges an absence by the searches of its task.
///
/// Each cited search must cover the whole absence by itself.
/// If an absence names no evidence, it is about the evidence that its searches covered.
/// Its folder or hive is spelled as in the search that found it: if two names differ only in letter case, only one was searched.
/// because of two spellings that differ in letter case only one was searched.
pub fn judge_absence(
    claim: &AbsenceClaim,
    id: AbsenceId,
    shelf: &Shelf,
    searchable: &Searchable<'_>,
) -> AbsenceVerdict {
    match cover(claim, shelf, searchable) {
        Ok((absence, searches)) => AbsenceVerdict::Covered(Covered(AbsenceEntry { id, absence, searches })),
        Err(rejection) => AbsenceVerdict::Refused(rejection),
    }
}

fn cover(
    claim: &AbsenceClaim,
    shelf: &Shelf,
    searchable: &Searchable<'_>,
) -> Result<(Absence, Vec<InvocationId>), Rejection> {
    check_form(claim)?;
    if claim.absence.is_as_it_stands() && !searchable.as_it_stands {
        let reason = "in this run nothing is absent from a hive as it stands".to_owned();
        let hint = "Leave out \"as_it_stands\".".to_owned();
        return Err(refuse(RejectionCode::Malformed, reason, hint, Vec::new()));
    }
    if let Some(label) = claim.absence.evidence().filter(|label| !searchable.evidence.contains(*label)) {
        let reason = format!("the case has no evidence {}", quote(label));
        return Err(missing(reason, "Name the evidence that was searched, or none.".to_owned()));
    }
    if matches!(&claim.absence, Absence::File { name, .. } if may_be_short(name)) {
        let reason = "short names (8.3), which files have beside their own, are not searched".to_owned();
        return Err(missing(reason, "Search for the long name, and state that.".to_owned()));
    }
    let mut covered: Option<Absence> = None;
    let (mut searches, mut near) = (Vec::new(), Vec::new());
    for cited in &claim.searches {
        let held = cited_search(cited, shelf)?;
        let mut shown = shows(claim, held, searchable)?;
        events::add_reach(&mut shown, held, shelf, searchable.coverage)?;
        match &covered {
            Some(before) if *before != shown => {
                let reason = "the searches looked at different evidence or places".to_owned();
                return Err(missing(reason, "Claim the absence for each of them.".to_owned()));
            }
            Some(_) | None => covered = Some(shown),
        }
        near.extend(held.search.near.iter().map(String::as_str));
        // A search that is cited twice still counts as one search.
        if !searches.contains(&held.invocation) {
            searches.push(held.invocation);
        }
    }
    let mut absence = covered.ok_or_else(|| missing("no search is cited".to_owned(), String::new()))?;
    absence.set_near(near.into_iter());
    Ok((absence, searches))
}

fn check_form(claim: &AbsenceClaim) -> Result<(), Rejection> {
    let malformed = |reason: &str, hint: &str| {
        refuse(RejectionCode::Malformed, reason.to_owned(), hint.to_owned(), Vec::new())
    };
    if !(1..=MOST_SEARCHES).contains(&claim.searches.len()) {
        let hint = "Cite the searches that came back empty, 1 to 16 of them.";
        return Err(malformed("an absence rests on searches", hint));
    }
    let (what, others) = match &claim.absence {
        Absence::File { name, under, .. } => (name, [under.as_str(), ""]),
        Absence::RegistryKey { hive, key, .. } => (key, [hive.as_str(), ""]),
        Absence::Text { text, under, .. } => (text, [under.as_str(), ""]),
        Absence::Events { channel, provider, from, to, .. } => {
            let names_one = |provider: &String| !provider.trim().is_empty() && provider.len() <= LONGEST;
            if !provider.as_ref().is_none_or(names_one) {
                let hint = "Name the provider, or leave it out.";
                return Err(malformed("it does not say who writes the events", hint));
            }
            events::check(&claim.absence)?;
            (channel, [from, to].map(|time| time.as_deref().unwrap_or_default()))
        }
    };
    if !claim.absence.near().is_empty() {
        return Err(malformed(
            "what is near it is not claimed",
            "Leave it out: code takes it from the searches.",
        ));
    }
    if what.trim().is_empty() {
        return Err(malformed(
            "it does not say what is absent",
            "Name the file, the key, the text or the channel.",
        ));
    }
    if let Absence::File { name, .. } = &claim.absence
        && !is_written(name)
    {
        let hint = "Write control characters in names as the tools do: %{0A} for a line feed.";
        return Err(malformed("no file is written with such a name", hint));
    }
    let longest = others.iter().map(|text| text.len()).chain([what.len()]).max();
    match longest {
        Some(length) if length > LONGEST => {
            Err(malformed("a text of the claim is too long", "Name what is absent in at most 4096 bytes."))
        }
        _ => Ok(()),
    }
}

fn cited_search<'s>(cited: &str, shelf: &'s Shelf) -> Result<&'s Held, Rejection> {
    let parsed: Option<InvocationId> = cited.trim().parse().ok();
    if let Some(held) = parsed.and_then(|id| shelf.get(id)) {
        return Ok(held);
    }
    let hint = "Cite your own searches that came back empty.".to_owned();
    let (code, reason) = match parsed.filter(|id| shelf.is_foreign(*id)) {
        Some(id) => (RejectionCode::ForeignInvocation, format!("{id} belongs to another task")),
        None => {
            let reason = format!("no invocation of this task has the id {}", quote(cited));
            (RejectionCode::UnknownInvocation, reason)
        }
    };
    Err(refuse(code, reason, hint, Vec::new()))
}

/// Returns the absence if a search shows all of it, with the evidence that was searched.
fn shows(claim: &AbsenceClaim, held: &Held, searchable: &Searchable<'_>) -> Result<Absence, Rejection> {
    let (absence, id) = (&claim.absence, held.invocation);
    let of_key = searchable.as_it_stands && absence.form() == AbsenceForm::RegistryKey;
    let unread = held.search.logs.filter(|_| of_key);
    let whole = match (held.outcome, held.search.completeness) {
        (Outcome::Empty, Completeness::Complete) if held.search.whole => Ok(()),
        // The unread logs are checked later, once the rest of the search fits, so that the hint is right.
        (Outcome::Empty, _) if unread.is_some() => Ok(()),
        (Outcome::Empty, Completeness::Complete) => Err("could not read everything in its way"),
        (Outcome::Empty, Completeness::Truncated) => Err("stopped before the end"),
        (Outcome::Ok, _) => Err("found something"),
        (Outcome::Failed | Outcome::Timeout | Outcome::Denied, _) => Err("did not run to its end"),
    };
    whole.map_err(|why| {
        let hint = "An absence needs a search that is complete and found nothing.".to_owned();
        missing(format!("{id} {why}, so it shows no absence"), hint)
    })?;
    let rules = searchable.coverage.get(&held.search.tool).map(Vec::as_slice).unwrap_or_default();
    let rule = rules.iter().find(|rule| rule.form == absence.form());
    let arguments = held.search.arguments.as_ref().and_then(Value::as_object);
    let (Some(rule), Some(arguments)) = (rule, arguments) else {
        let reason = format!("{id} is no search for {}", sought(absence.form()));
        return Err(missing(reason, "Cite a search of the right kind, or make one.".to_owned()));
    };
    if let Some(narrow) = narrowing(rule, arguments) {
        let reason = format!("{id} searched less, because of its argument {}", quote(&narrow));
        return Err(missing(reason, "Search without it.".to_owned()));
    }
    let member = |name: &str| {
        let argument = rule.members.get(name)?;
        arguments.get(argument).and_then(Value::as_str)
    };
    let Some(shown) = looked_for(absence, &member) else {
        let reason = format!("{id} looked for something else or elsewhere");
        return Err(missing(reason, "Search for just this, or say what was searched for.".to_owned()));
    };
    let shown = with_evidence(shown, member("evidence")).ok_or_else(|| {
        let reason = format!("{id} looked at other evidence");
        missing(reason, "Name the evidence that was searched.".to_owned())
    })?;
    hive::check(claim, held, unread)?;
    Ok(shown)
}

/// Names what a search of this form looks for.
fn sought(form: AbsenceForm) -> &'static str {
    match form {
        AbsenceForm::File => "a file",
        AbsenceForm::RegistryKey => "a registry key",
        AbsenceForm::Text => "a text",
        AbsenceForm::Events => "events",
    }
}

/// Returns an argument that makes the search cover less than the form says.
fn narrowing(rule: &Coverage, arguments: &Map<String, Value>) -> Option<String> {
    let is_known =
        |name: &String| rule.members.values().any(|known| known == name) || rule.free.contains(name);
    let narrows = |(name, value): &(&String, &Value)| match rule.required.get(*name) {
        Some(required) => required != *value,
        None => !value.is_null() && !is_known(name),
    };
    arguments.iter().find(narrows).map(|(name, _)| name.clone())
}

/// Returns the absence with the place as it was searched, if a search for the values of `member` covered at least what `absence` says.
fn looked_for<'a>(absence: &Absence, member: &impl Fn(&str) -> Option<&'a str>) -> Option<Absence> {
    let mut shown = absence.clone();
    match &mut shown {
        Absence::File { name, under, .. } => {
            if !member("name").is_none_or(|searched| names(searched, name, under)) {
                return None;
            }
            *under = within(under, member("under"))?;
        }
        Absence::RegistryKey { hive, key, .. } => {
            let (searched, of) = (member("key")?, member("hive")?);
            let (parts, found) = (components(hive)?, components(of)?);
            if parts.len() != found.len() || !begins(&parts, &found) || !below(key, searched) {
                return None;
            }
            *hive = of.to_owned();
        }
        Absence::Text { text, under, .. } => {
            if !contains(text, member("text")?) {
                return None;
            }
            *under = within(under, member("under"))?;
        }
        Absence::Events { channel, provider, ids, from, to, .. } => {
            let asked = asked_events(member("where")?)?;
            let is_as_long = |claimed: &Option<String>, searched: Option<&str>| {
                searched
                    .is_none_or(|searched| claimed.as_deref().is_some_and(|it| events::is_same(it, searched)))
            };
            let is_as_wide = is_as_long(from, member("from")) && is_as_long(to, member("to"));
            // A search limited to one provider does not cover the events of other providers.
            let is_of_all = asked.provider.as_deref().is_none_or(|searched| {
                provider.as_deref().is_some_and(|claimed| pattern::same(searched, claimed))
            });
            if !is_of_all
                || !pattern::same(&asked.channel, channel)
                || !ids.is_subset(&asked.ids)
                || !is_as_wide
            {
                return None;
            }
            *channel = asked.channel;
        }
    }
    Some(shown)
}

/// Checks whether a search for the pattern `searched` would have found every file that `claimed` names.
///
/// A pattern of a whole path begins at the root of the evidence, so it matches nothing below another folder.
/// A pattern that still has a drive letter was not searched at all if the evidence has no folder for that drive.
fn names(searched: &str, claimed: &str, under: &str) -> bool {
    let plain = |text: &str| !text.contains(['*', '?', '/', '\\', '[', ']', '{', '}']);
    let simple = !searched.contains(['/', '\\', '[', ']', '{', '}']);
    let from_root = components(under).is_some_and(|parts| parts.is_empty()) && !claimed.contains(':');
    (pattern::same(searched, claimed) && (from_root || !claimed.contains(['/', '\\'])))
        || (simple && plain(claimed) && pattern::fits(searched, claimed))
}

/// Checks whether a name looks like a short (8.3) file name, such as `MIMIKA~1.EXE`: no listing shows those.
fn may_be_short(name: &str) -> bool {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let (stem, extension) = last.split_once('.').unwrap_or((last, ""));
    let numbered = stem.rsplit_once('~').is_some_and(|(_, number)| {
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || matches!(c, '*' | '?'))
    });
    numbered && stem.chars().count() <= 8 && extension.chars().count() <= 3
}

/// Checks whether file names can be written this way (see `evidence::path`).
/// A written name has no control characters, and `%{` occurs only where it escapes a byte that could not be written otherwise.
fn is_written(name: &str) -> bool {
    let escaped = |after: &str| {
        let (Some(digits), Some("}")) = (after.get(..2), after.get(2..3)) else { return false };
        let upper = digits.bytes().all(|b| b.is_ascii_digit() || (b'A'..=b'F').contains(&b));
        let follows = after.get(3..).unwrap_or_default();
        let dots = name.trim_start_matches("%{2E}").is_empty() && name.len() <= 2 * "%{2E}".len();
        upper
            && match u8::from_str_radix(digits, 16) {
                Ok(b'/' | b'\\' | 0..0x20 | 0x7F..) => true,
                Ok(b'%') => follows.starts_with('{'),
                Ok(b'.') => dots,
                Ok(_) | Err(_) => false,
            }
    };
    !name.chars().any(char::is_control) && name.split("%{").skip(1).all(escaped)
}

/// Checks whether the absence of `searched` in any letter case implies the absence of `claimed` in any letter case.
fn contains(claimed: &str, searched: &str) -> bool {
    let (claimed, searched): (Vec<char>, Vec<char>) = (claimed.chars().collect(), searched.chars().collect());
    !searched.is_empty()
        && claimed.windows(searched.len()).any(|part| part.iter().zip(&searched).all(|(c, s)| covers(*s, *c)))
}

/// Checks whether a search for `searched` (with its single upper-case and lower-case forms) also finds every case form of `claimed`.
///
/// Equality in lower case is not enough: the KELVIN SIGN is `k` in lower case, but no search for `k` finds it.
fn covers(searched: char, claimed: char) -> bool {
    let looked = forms(searched);
    searched == claimed || forms(claimed).iter().all(|form| looked.contains(form))
}

fn forms(letter: char) -> [char; 3] {
    fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
        letters.next().filter(|_| letters.next().is_none())
    }
    [letter, only(letter.to_lowercase()).unwrap_or(letter), only(letter.to_uppercase()).unwrap_or(letter)]
}

/// Returns the folder that was searched if `claimed` is inside it, else `None`.
///
/// The absence is about the folder that was searched: a link below it leads elsewhere, and no search followed it.
fn within(claimed: &str, searched: Option<&str>) -> Option<String> {
    let searched = searched.unwrap_or_default();
    let (parts, found) = (components(claimed)?, components(searched)?);
    begins(&parts, &found).then(|| searched.to_owned())
}

/// Checks whether the key `claimed` is the key that was searched, or below it.
///
/// Key names may contain slashes and colons: only `\` separates them.
fn below(claimed: &str, searched: &str) -> bool {
    fn parts(key: &str) -> Vec<&str> {
        key.split('\\').filter(|name| !name.is_empty()).collect()
    }
    let same = |(claimed, searched): (&&str, &&str)| {
        claimed.chars().count() == searched.chars().count() && contains(claimed, searched)
    };
    let (claimed, searched) = (parts(claimed), parts(searched));
    !searched.is_empty() && claimed.len() >= searched.len() && claimed.iter().zip(&searched).all(same)
}

/// Splits a path into its parts; `None` if it contains `.` or `..`, which may lead somewhere other than the text says.
fn components(path: &str) -> Option<Vec<&str>> {
    let parts: Vec<_> = path.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    (!parts.iter().any(|part| matches!(*part, "." | ".."))).then_some(parts)
}

/// Checks whether a path begins with the searched path, ignoring letter case and the colon after a drive letter.
fn begins(parts: &[&str], searched: &[&str]) -> bool {
    let drive = |part: &str| {
        let letter = part.strip_suffix(':').or(part.strip_suffix("%3A")).unwrap_or(part);
        (letter.len() == 1 && letter.starts_with(|c: char| c.is_ascii_alphabetic()))
            .then(|| letter.to_ascii_uppercase())
    };
    let same = |(place, (part, found)): (usize, (&&str, &&str))| {
        pattern::same(part, found) || (place == 0 && drive(part).is_some() && drive(part) == drive(found))
    };
    parts.len() >= searched.len() && parts.iter().zip(searched).enumerate().all(same)
}

/// Returns the absence limited to the evidence that was searched; `None` if the claim is about more or other evidence.
fn with_evidence(mut shown: Absence, searched: Option<&str>) -> Option<Absence> {
    let (Absence::File { evidence, .. }
    | Absence::RegistryKey { evidence, .. }
    | Absence::Text { evidence, .. }
    | Absence::Events { evidence, .. }) = &mut shown;
    match (evidence.as_deref(), searched) {
        (None, searched) => *evidence = searched.map(str::to_owned),
        (Some(claimed), Some(searched)) if claimed != searched => return None,
        (Some(_), _) => {}
    }
    Some(shown)
}

fn missing(reason: String, hint: String) -> Rejection {
    refuse(RejectionCode::CoverageMissing, reason, hint, Vec::new())
}
