//! Judges a reading.

use crate::again::again;
use crate::bind::stands;
use crate::choose::{choose, search};
use crate::claim::Claim;
use crate::explain::explain;
use crate::fact::{Fact, Found};
use crate::reference::{copied, fields_of};
use crate::refusal::{fit_candidate, quote, refuse};
use crate::rescue::{Miss, all_stand, rescue};
use crate::shelf::{Held, Shelf};
use ledger::{
    FactId, GateRules, Healing, InvocationId, Outcome, Output, Reading, Record, RecordType, Rejection,
    RejectionCode, Vocabulary, Writers,
};
use std::collections::BTreeMap;

/// A run's settings for judging claims.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The rules of the gateway.
    pub rules: &'a GateRules,
    /// The predicates, and what proves each of them.
    pub vocabulary: &'a Vocabulary,
    /// The record types by name.
    pub types: &'a BTreeMap<String, RecordType>,
    /// Who could have written the fields of records.
    pub writers: &'a Writers,
    /// Whether values may be copied, and whether refusals offer claims that would be accepted: [`ledger::Behaviour::ByReference`].
    pub by_reference: bool,
    /// Whether the gateway puts times and short lists first, and copies more values, if a reading leaves its fields to it.
    /// Since [`ledger::Behaviour::DatedFirst`].
    pub dated: bool,
}

/// The verdict on a reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is in the evidence.
    Grounded {
        /// The fact.
        fact: Fact,
        /// The corrected citation, if the citation had to be corrected.
        healing: Option<Healing>,
    },
    /// It is not in the evidence, or it is unclear where.
    Refused(Rejection),
}

/// Judges a reading by what its task has seen; if it is grounded, its fact gets the id `fact`.
///
/// `examples/ground-a-claim` shows a claim that is grounded. This one cites a call that never was:
///
/// ```
/// use ground::{Setting, Shelf, Verdict, judge};
/// use ledger::{GateRules, Reading, RejectionCode, Vocabulary, Writers};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (rules, vocabulary, writers) = (GateRules::default(), Vocabulary::shipped()?, Writers::shipped()?);
/// let setting = Setting {
///     rules: &rules,
///     vocabulary: &vocabulary,
///     types: &Default::default(),
///     writers: &writers,
///     by_reference: true,
///     dated: true,
/// };
/// let claim: Reading = serde_json::from_value(serde_json::json!({
///     "predicate": "executed",
///     "values": [{"field": "executable", "value": "MIMIKATZ.EXE"}],
///     "invocation": "inv-0badcafe",
/// }))?;
/// let verdict = judge(&claim, "fact-00000001".parse()?, &Shelf::default(), &setting);
/// assert!(matches!(verdict, Verdict::Refused(refused) if refused.code == RejectionCode::UnknownInvocation));
/// # Ok(())
/// # }
/// ```
pub fn judge(reading: &Reading, fact: FactId, shelf: &Shelf, setting: &Setting<'_>) -> Verdict {
    match ground(reading, fact, shelf, setting) {
        Ok((fact, healing)) => Verdict::Grounded { fact, healing },
        Err(rejection) => {
            let times = shelf.times_refused(reading, rejection.code);
            // What a record proves, or which fields it has, is just as useful the second time.
            let told = [RejectionCode::Overclaim, RejectionCode::WrongField].contains(&rejection.code);
            match setting.by_reference && told {
                true => Verdict::Refused(rejection),
                false => Verdict::Refused(again(rejection, times, shelf, setting.by_reference)),
            }
        }
    }
}

fn ground(
    reading: &Reading,
    fact: FactId,
    shelf: &Shelf,
    setting: &Setting<'_>,
) -> Result<(Fact, Option<Healing>), Rejection> {
    let copied = copied(reading, shelf, setting)?;
    let claim = Claim::read(copied.as_ref().unwrap_or(reading), setting.vocabulary)?;
    let (found, healing) = match cited(claim.cited, shelf) {
        Ok((held, stored)) => match examine(&claim, held, stored, setting)? {
            Ok(found) => (found, misspelt(claim.cited, held)),
            Err(miss) => heal(&claim, miss, shelf, setting)?,
        },
        Err(miss) => heal(&claim, miss, shelf, setting)?,
    };
    let fact =
        Fact::seal(fact, &claim.predicate, &found, setting.writers).ok_or_else(|| no_stored_form(&found))?;
    Ok((fact, healing))
}

/// Returns the cited invocation, if it is the task's own and can ground a fact.
pub(crate) fn cited<'s>(id: &str, shelf: &'s Shelf) -> Result<(&'s Held, &'s Output), Miss<'s>> {
    let parsed = read_invocation(id);
    let Some(held) = parsed.and_then(|id| shelf.get(id)) else {
        return Err(match parsed.filter(|id| shelf.is_foreign(*id)) {
            Some(id) => Miss {
                code: RejectionCode::ForeignInvocation,
                reason: format!("{id} belongs to another task; a reading cites your own calls only"),
                cited: None,
            },
            None => Miss {
                code: RejectionCode::UnknownInvocation,
                reason: format!("no invocation of this task has the id {}", quote(id)),
                cited: None,
            },
        });
    };
    held.grounds().map(|stored| (held, stored)).ok_or_else(|| Miss {
        code: RejectionCode::FailedInvocation,
        reason: format!("{} {}, so it grounds nothing", held.invocation, ending(held.outcome)),
        cited: Some(held),
    })
}

/// Reads an id as agents write it: in capitals, in quotation marks, without the prefix of all ids.
pub fn read_invocation(text: &str) -> Option<InvocationId> {
    let plain = text.trim().trim_matches(['`', '"', '\'']).to_ascii_lowercase();
    let digits = plain.strip_prefix("inv-").unwrap_or(&plain);
    format!("inv-{digits}").parse().ok()
}

/// Returns the healing for a misspelt id that still identifies the invocation.
fn misspelt(cited: &str, held: &Held) -> Option<Healing> {
    let because = RejectionCode::UnknownInvocation;
    let healing = || Healing { cited: cited.to_owned(), healed: held.invocation, because };
    (cited.trim() != held.invocation.to_string()).then(healing)
}

fn ending(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "has no stored output",
        Outcome::Empty => "found nothing",
        Outcome::Failed => "failed",
        Outcome::Timeout => "was stopped at its time limit",
        Outcome::Denied => "was not allowed to run",
    }
}

/// Searches the cited output. A [`Miss`] may still be grounded by another output; any other refusal is final.
fn examine<'s>(
    claim: &Claim<'_>,
    held: &'s Held,
    stored: &'s Output,
    setting: &Setting<'_>,
) -> Result<Result<Found<'s>, Miss<'s>>, Rejection> {
    let all = stored.records();
    let scope = match claim.record {
        Some(id) => stored.record(id).map(std::slice::from_ref).unwrap_or_default(),
        None => all,
    };
    if let Some(fit) = choose(claim, held, search(claim, scope, setting), setting)? {
        return Ok(Ok(Found { held, stored, fit }));
    }
    if let Some(rejection) = explain(claim, held, scope, setting) {
        return Err(rejection);
    }
    if claim.record.is_some() {
        refuse_other_record(claim, held, stored, setting)?;
    }
    let (code, what) = if all_stand(claim, all, setting) {
        (RejectionCode::SplitAcrossRecords, "stand in it, but in no one record together")
    } else {
        (RejectionCode::ValueAbsent, "do not stand in it as they are stated")
    };
    let elsewhere =
        claim.subject.as_ref().and_then(|_| scope.iter().find(|record| holds_values(claim, record, setting)));
    let reason = match (claim.record, code) {
        _ if elsewhere.is_some() => format!(
            "the values stand in {} of {}, which is about {}",
            elsewhere.map_or_else(String::new, |record| record.id.to_string()),
            held.invocation,
            elsewhere
                .and_then(|record| about(record, setting))
                .unwrap_or_else(|| "something else".to_owned())
        ),
        (Some(id), RejectionCode::ValueAbsent) if setting.by_reference => {
            let differing =
                scope.first().map_or_else(String::new, |record| differing(claim, record, setting));
            format!("{id} of {} does not hold this{differing}", held.invocation)
        }
        (Some(id), RejectionCode::ValueAbsent) => {
            format!(
                "the values do not stand in record {id} of {}, nor in another, as they are stated",
                held.invocation
            )
        }
        (Some(id), _) => {
            format!("the values do not stand in record {id} of {}; they {what}", held.invocation)
        }
        (None, _) => format!("{} was searched; the values {what}", held.invocation),
    };
    Ok(Err(Miss { code, reason, cited: Some(held) }))
}

/// Says what the record holds in the fields where the claim has something else.
fn differing(claim: &Claim<'_>, record: &Record, setting: &Setting<'_>) -> String {
    let wrong =
        claim.values.iter().filter(|wanted| !stands(wanted, record, claim.manner(), &setting.rules.tiers));
    let wrong: Vec<String> = wrong
        .filter_map(|wanted| wanted.field)
        .map(|name| match record.fields.get(name) {
            Some(field) => format!("`{name}` is {}", quote(&field.value.to_text())),
            None => format!("there is no {}. {}", quote(name), fields_of(record)),
        })
        .collect();
    if wrong.is_empty() { String::new() } else { format!(": {}", wrong.join(", ")) }
}

/// Checks whether the record holds every value, whatever the record is about.
fn holds_values(claim: &Claim<'_>, record: &Record, setting: &Setting<'_>) -> bool {
    claim.values.iter().all(|wanted| stands(wanted, record, claim.manner(), &setting.rules.tiers))
}

/// Returns the record's subject, quoted.
fn about(record: &Record, setting: &Setting<'_>) -> Option<String> {
    let subject = &setting.types.get(&record.kind)?.subject;
    Some(quote(&record.fields.get(subject)?.value.to_text()))
}

/// Refuses a reading that fits another record of the output than the cited one: the agent must cite that record itself.
fn refuse_other_record(
    claim: &Claim<'_>,
    held: &Held,
    stored: &Output,
    setting: &Setting<'_>,
) -> Result<(), Rejection> {
    let fits = search(claim, stored.records(), setting).fits;
    let (Some(cited), false) = (claim.record, fits.is_empty()) else { return Ok(()) };
    let most = setting.rules.candidates as usize;
    Err(refuse(
        RejectionCode::ValueAbsent,
        format!("the values do not stand in record {cited} of {}", held.invocation),
        "Another record of the same output holds them: cite it, if you mean it.".to_owned(),
        fits.iter().take(most).map(|fit| fit_candidate(held, fit)).collect(),
    ))
}

fn heal<'s>(
    claim: &Claim<'_>,
    miss: Miss<'s>,
    shelf: &'s Shelf,
    setting: &Setting<'_>,
) -> Result<(Found<'s>, Option<Healing>), Rejection> {
    let because = miss.code;
    let found = rescue(claim, miss, shelf, setting)?;
    let healing = Healing { cited: claim.cited.to_owned(), healed: found.held.invocation, because };
    Ok((found, Some(healing)))
}

fn no_stored_form(found: &Found<'_>) -> Rejection {
    let reason = format!("{} of {} has no stored form", found.fit.record.id, found.held.invocation);
    refuse(RejectionCode::ValueAbsent, reason, String::new(), Vec::new())
}
