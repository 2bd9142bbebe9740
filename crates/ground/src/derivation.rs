//! Judges a derivation: whether facts support what is said about them together.
//!
//! The facts are already grounded; only their values are examined.

mod clocks;
mod disjoint;

use crate::fold;
use crate::refusal::{list, quote, refuse};
use clocks::Clocks;
use ledger::derivation::MOST_TERMS;
use ledger::{
    BoundValue, Clock, ClockListing, Derivation, DerivationEntry, DerivationId, FactEntry, FactId, FieldType,
    FieldValue, InvocationId, Rejection, RejectionCode, Term, Time,
};

/// A derivation that passed its check. It is the only proof of that, and only this module makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived(DerivationEntry);

impl Derived {
    /// Returns the persisted form.
    pub fn entry(&self) -> &DerivationEntry {
        &self.0
    }

    /// Converts into the persisted form.
    pub fn into_entry(self) -> DerivationEntry {
        self.0
    }
}

/// The verdict on a derivation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DerivationVerdict {
    /// The facts support it.
    Derived(Derived),
    /// The facts do not support it.
    Refused(Rejection),
}

/// Which counts may be added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Adding {
    /// Any counts that are not one value recorded twice: in runs before [`ledger::Behaviour::Provable`].
    #[default]
    Any,
    /// Counts that cannot include the same records; no file is treated as a copy of another.
    /// In runs before [`ledger::Behaviour::CopiesApart`].
    OfOtherFiles,
    /// As `OfOtherFiles`, but files that may be copies of each other are not added either.
    Disjoint,
}

/// The rules, and the knowledge besides facts, by which derivations are judged.
#[derive(Debug, Clone, Default)]
pub struct Basis<'s> {
    /// Which counts may be added.
    pub adding: Adding,
    /// Whether a path through `.` or `..` may lead somewhere other than its text says;
    /// `false` in runs before [`ledger::Behaviour::CopiesApart`].
    pub follows_dots: bool,
    /// The listings of clock steps that the task has, in log order; `None` in runs before [`ledger::Behaviour::ClockSteps`].
    pub clocks: Option<Vec<&'s ClockListing>>,
}

/// Judges a derivation over the facts that `fact` finds: the task's facts in log order, up to the claim.
pub fn judge_derivation<'f>(
    derivation: &Derivation,
    id: DerivationId,
    basis: &Basis<'_>,
    fact: impl Fn(FactId) -> Option<&'f FactEntry>,
) -> DerivationVerdict {
    match check(derivation, basis, fact) {
        Ok(clocks) => DerivationVerdict::Derived(Derived(DerivationEntry {
            id,
            derivation: derivation.clone(),
            clocks,
        })),
        Err(rejection) => DerivationVerdict::Refused(rejection),
    }
}

fn check<'f>(
    derivation: &Derivation,
    basis: &Basis<'_>,
    fact: impl Fn(FactId) -> Option<&'f FactEntry>,
) -> Result<Vec<InvocationId>, Rejection> {
    let terms = derivation.terms();
    if !(2..=MOST_TERMS).contains(&terms.len()) {
        let reason = format!("a derivation compares 2 to {MOST_TERMS} values, not {}", terms.len());
        return Err(plain(RejectionCode::Malformed, reason, "Name values of facts of yours."));
    }
    if let Some((_, twice)) = pairs(terms).find(|(one, other)| one == other) {
        let reason = format!("{twice} is named twice");
        return Err(plain(RejectionCode::Malformed, reason, "Name each value once."));
    }
    let values = terms.iter().map(|term| value(term, &fact)).collect::<Result<Vec<_>, _>>()?;
    let goes_by_letters = matches!(derivation, Derivation::Different { .. } | Derivation::Below { .. });
    if goes_by_letters && basis.follows_dots {
        straight(terms, &values)?;
    }
    match derivation {
        Derivation::Same { .. } => same(terms, &values)?,
        Derivation::Different { .. } => different(terms, &values)?,
        Derivation::Order { .. } => return order(&times(terms, &values, &fact)?, basis),
        Derivation::Within { seconds, .. } => {
            return within(&times(terms, &values, &fact)?, *seconds, basis);
        }
        Derivation::Below { .. } => below(terms, &values, &fact)?,
        Derivation::Sum { total, .. } => {
            once(terms, &fact)?;
            if basis.adding != Adding::Any {
                apart(terms, basis.adding, &fact)?;
            }
            sum(terms, &values, (*total).into())?;
        }
    }
    Ok(Vec::new())
}

/// Returns the value that a term names.
fn value<'f>(
    term: &Term,
    fact: &impl Fn(FactId) -> Option<&'f FactEntry>,
) -> Result<&'f BoundValue, Rejection> {
    let Some(fact) = fact(term.fact) else {
        let reason = format!("{} is no fact of this task", term.fact);
        return Err(plain(RejectionCode::UnknownFact, reason, "Derive from facts that you have recorded."));
    };
    let bound = || std::iter::once(&fact.subject).chain(&fact.values);
    let held: Vec<_> = bound().filter(|bound| bound.field == term.field).collect();
    match held.as_slice() {
        [only] => Ok(only),
        // Several values of one field are allowed if they are equal and not a list; subject and value can be the same field.
        [first, rest @ ..] if rest.iter().all(|other| first.value == other.value && !is_list(other)) => {
            Ok(first)
        }
        [] => {
            let fields = list(bound().map(|bound| bound.field.as_str()), 8);
            let reason = format!("{} states no field {}; it states {fields}", fact.id, quote(&term.field));
            Err(plain(RejectionCode::WrongField, reason, "Name a field that the fact states."))
        }
        [..] => {
            let reason = format!("{} states several values under {}", fact.id, quote(&term.field));
            Err(plain(RejectionCode::Ambiguous, reason, "Name a field with one value."))
        }
    }
}

fn is_list(bound: &BoundValue) -> bool {
    bound.value.field_type() == FieldType::List
}

fn same(terms: &[Term], values: &[&BoundValue]) -> Result<(), Rejection> {
    for ((one, a), (other, b)) in pairs(&named(terms, values)) {
        if !compare(one, a, other, b)?.same {
            return Err(not_borne_out(format!("{} and {} are not the same", shown(one, a), shown(other, b))));
        }
    }
    Ok(())
}

fn different(terms: &[Term], values: &[&BoundValue]) -> Result<(), Rejection> {
    for ((one, a), (other, b)) in pairs(&named(terms, values)) {
        if !compare(one, a, other, b)?.different {
            let reason = format!("{} and {} are or may be the same", shown(one, a), shown(other, b));
            return Err(not_borne_out(reason));
        }
    }
    Ok(())
}

/// Checks that each value is a path or key below the one before it.
fn below<'f>(
    terms: &[Term],
    values: &[&BoundValue],
    fact: &impl Fn(FactId) -> Option<&'f FactEntry>,
) -> Result<(), Rejection> {
    let named = named(terms, values);
    for ((one, upper), (other, lower)) in named.iter().zip(named.iter().skip(1)) {
        let (above, inside) = (folded(one, upper)?, folded(other, lower)?);
        if upper.value.field_type() != lower.value.field_type() {
            return Err(incomparable(other, lower, &format!("cannot be compared with {one}")));
        }
        // Keys of two hives may have the same path.
        let is_key = upper.value.field_type() == FieldType::RegistryPath;
        let tree = |term: &Term| {
            let locator = &fact(term.fact)?.locator;
            Some((locator.evidence.as_str(), is_key.then_some(locator.path.as_str())))
        };
        let goes_on = inside.strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if above.is_empty() || !goes_on || tree(one) != tree(other) {
            return Err(not_borne_out(format!(
                "{} does not lie below {}",
                shown(other, lower),
                shown(one, upper)
            )));
        }
    }
    Ok(())
}

/// Checks that no path goes through `.` or `..`: such a path may lead somewhere other than its text says.
fn straight(terms: &[Term], values: &[&BoundValue]) -> Result<(), Rejection> {
    let turns = |text: &str| text.split(['/', '\\']).any(|name| matches!(name, "." | ".."));
    let is_path = |bound: &BoundValue| bound.value.field_type() == FieldType::Path;
    let turning = |bound: &BoundValue| is_path(bound) && bound.value.as_text().is_some_and(turns);
    match named(terms, values).into_iter().find(|(_, bound)| turning(bound)) {
        Some((term, bound)) => {
            let reason = format!(
                "{} goes through \".\" or \"..\", so that it may lead to any of them",
                shown(term, bound)
            );
            Err(plain(RejectionCode::NotDerived, reason, "Compare paths that name each folder."))
        }
        None => Ok(()),
    }
}

/// Returns a path or key with `/` between its names. Refuses any other value, and quoted words.
/// Letter case is ignored only for keys, because file systems may distinguish it.
fn folded(term: &Term, bound: &BoundValue) -> Result<String, Rejection> {
    let one_way = |text: &str| text.replace('\\', "/").trim_end_matches('/').to_owned();
    match (&bound.value, &bound.quotation) {
        (FieldValue::Path(text), None) => Ok(one_way(text)),
        (FieldValue::RegistryPath(text), None) => Ok(one_way(&fold::path(text))),
        _ => Err(incomparable(term, bound, "is no whole path or key")),
    }
}

/// A time of a fact.
struct At<'a> {
    term: &'a Term,
    bound: &'a BoundValue,
    fact: &'a FactEntry,
    /// The time span as it was read.
    read: Span,
}

fn times<'a, 'f: 'a>(
    terms: &'a [Term],
    values: &[&'f BoundValue],
    fact: &impl Fn(FactId) -> Option<&'f FactEntry>,
) -> Result<Vec<At<'a>>, Rejection> {
    let named = terms.iter().zip(values).filter_map(|(term, bound)| Some((term, *bound, fact(term.fact)?)));
    named.map(|(term, bound, fact)| Ok(At { term, bound, fact, read: span_of(term, bound)? })).collect()
}

impl At<'_> {
    fn evidence(&self) -> &str {
        &self.fact.locator.evidence
    }

    /// Returns the span in which the time certainly lies, whatever happened to its clock.
    fn settled(&self, clocks: Option<&Clocks>) -> Span {
        clocks.map_or(self.read, |clocks| clocks.settle(self.evidence(), self.read))
    }
}

/// Returns the clocks of the times; `None` in runs whose rules do not need them.
fn clocks_of(times: &[At<'_>], basis: &Basis<'_>) -> Result<Option<Clocks>, Rejection> {
    let labels = times.iter().map(At::evidence).collect();
    basis.clocks.as_ref().map(|listings| Clocks::of(&labels, listings)).transpose()
}

fn order(times: &[At<'_>], basis: &Basis<'_>) -> Result<Vec<InvocationId>, Rejection> {
    let clocks = clocks_of(times, basis)?;
    for (before, after) in times.iter().zip(times.iter().skip(1)) {
        let (first, second) = (before.settled(clocks.as_ref()), after.settled(clocks.as_ref()));
        // Record numbers decide an order that times leave open; they never contradict times.
        let is_open = clocks.is_some() && second.end > first.start;
        if first.end <= second.start || is_open && is_numbered_before(before.fact, after.fact) {
            continue;
        }
        let told = [before, after].map(|it| shown(it.term, it.bound)).join(" and ");
        let unsure = |it: &&&At<'_>| clocks.as_ref().is_some_and(|c| c.is_unsure(it.evidence(), &it.read));
        return Err(not_borne_out(match [before, after].iter().find(unsure) {
            Some(unsure) => format!(
                "{told} are not surely in this order: the clock of {} was set back, and went through that time twice",
                unsure.evidence()
            ),
            None => format!("{told} are not surely in this order"),
        }));
    }
    Ok(clocks.map(|clocks| clocks.listed).unwrap_or_default())
}

/// Checks whether two records of one log are numbered in this order.
fn is_numbered_before(before: &FactEntry, after: &FactEntry) -> bool {
    let place = |fact: &FactEntry| (fact.locator.evidence.clone(), fact.locator.path.clone());
    let numbered = number_of(before).zip(number_of(after));
    place(before) == place(after) && numbered.is_some_and(|(before, after)| before < after)
}

/// Returns the number of an event record, if the fact states it.
fn number_of(fact: &FactEntry) -> Option<i128> {
    fact.values.iter().find(|bound| bound.field == "record_id").and_then(number)
}

fn within(times: &[At<'_>], seconds: u64, basis: &Basis<'_>) -> Result<Vec<InvocationId>, Rejection> {
    let clocks = clocks_of(times, basis)?;
    let spans: Vec<Span> = times.iter().map(|time| time.settled(clocks.as_ref())).collect();
    let first = spans.iter().map(|span| span.start).min().unwrap_or_default();
    // The last nanosecond that a time may mean, not the first nanosecond after it.
    let last = spans.iter().map(|span| span.end - 1).max().unwrap_or_default();
    if last - first > i128::from(seconds) * SECOND {
        let most = (last - first).div_euclid(SECOND) + 1;
        return Err(not_borne_out(format!("the times lie up to {most} seconds apart")));
    }
    Ok(clocks.map(|clocks| clocks.listed).unwrap_or_default())
}

fn sum(terms: &[Term], values: &[&BoundValue], total: i128) -> Result<(), Rejection> {
    let mut sum: i128 = 0;
    for (term, bound) in terms.iter().zip(values) {
        let number = number(bound).ok_or_else(|| incomparable(term, bound, "is no whole number"))?;
        sum = sum.saturating_add(number);
    }
    if sum == total { Ok(()) } else { Err(not_borne_out(format!("they add up to {sum}, not to {total}"))) }
}

/// Checks that no two terms are the same value of the evidence: recorded in two facts, it still counts once.
fn once<'f>(terms: &[Term], fact: &impl Fn(FactId) -> Option<&'f FactEntry>) -> Result<(), Rejection> {
    let same = |one: &FactEntry, other: &FactEntry| {
        let record = one.output == other.output && one.record == other.record;
        // Without a span, several records share one locator.
        one.locator == other.locator
            && one.subject.value == other.subject.value
            && (record || one.locator.span.is_some() && one.kind == other.kind)
    };
    let twice = pairs(terms).find(|(one, other)| {
        let both = fact(one.fact).zip(fact(other.fact));
        one.field == other.field && both.is_some_and(|(one, other)| same(one, other))
    });
    match twice {
        Some((one, other)) => {
            let reason = format!("{one} and {other} are one value of the evidence, recorded twice");
            Err(plain(RejectionCode::NotDerived, reason, "Add each value once."))
        }
        None => Ok(()),
    }
}

/// Checks that no two counts can include the same record.
fn apart<'f>(
    terms: &[Term],
    adding: Adding,
    fact: &impl Fn(FactId) -> Option<&'f FactEntry>,
) -> Result<(), Rejection> {
    let may_share = |one: &FactEntry, other: &FactEntry| {
        disjoint::may_share(one, other) || adding == Adding::Disjoint && disjoint::may_be_copies(one, other)
    };
    let shared = pairs(terms).find(|(one, other)| {
        fact(one.fact).zip(fact(other.fact)).is_some_and(|(one, other)| may_share(one, other))
    });
    match shared {
        Some((one, other)) => {
            let reason = format!("{one} and {other} may have counted the same records");
            let hint = match adding {
                Adding::Disjoint => {
                    "Add counts of one type by the same fields with other values, or of other files that are no copies."
                }
                Adding::Any | Adding::OfOtherFiles => {
                    "Add counts of one type by the same fields with other values, or of other files."
                }
            };
            Err(plain(RejectionCode::NotDerived, reason, hint))
        }
        None => Ok(()),
    }
}

const SECOND: i128 = 1_000_000_000;

/// Every nanosecond that a time may mean, counted from 1970; the end is exclusive.
#[derive(Clone, Copy)]
struct Span {
    start: i128,
    end: i128,
}

fn span_of(term: &Term, bound: &BoundValue) -> Result<Span, Rejection> {
    match &bound.value {
        FieldValue::Time(time) => span(time).ok_or_else(|| naive(term, time)),
        _ => Err(incomparable(term, bound, "is no time")),
    }
}

/// Returns the span of a time.
/// `None` for a local time (its zone is only assumed), for a time that another machine kept, and for no time at all.
fn span(time: &Time) -> Option<Span> {
    let utc = time.utc.filter(|_| time.zone.is_none() && time.clock == Clock::Host)?;
    let start = utc.unix_nanoseconds();
    Some(Span { start, end: start + time.precision.nanoseconds() })
}

/// The result of comparing two values; both flags may be false if times are too coarse.
struct Compared {
    same: bool,
    different: bool,
}

fn compare(one: &Term, a: &BoundValue, other: &Term, b: &BoundValue) -> Result<Compared, Rejection> {
    if let (FieldValue::Time(_), FieldValue::Time(_)) = (&a.value, &b.value) {
        let (a, b) = (span_of(one, a)?, span_of(other, b)?);
        let apart = a.end <= b.start || b.end <= a.start;
        return Ok(Compared { same: !apart, different: apart });
    }
    let equal = if let (Some(a), Some(b)) = (number(a), number(b)) {
        a == b
    } else if let (Some(a), Some(b)) = (&a.quotation, &b.quotation) {
        a == b
    } else {
        match (&a.value, &b.value) {
            (FieldValue::Path(a), FieldValue::Path(b)) => fold::path(a) == fold::path(b),
            (FieldValue::RegistryPath(a), FieldValue::RegistryPath(b)) => {
                fold::Key::of_claim(a).any(|key| key.is(b, ""))
            }
            (FieldValue::Name(a), FieldValue::Name(b)) => fold::name(a) == fold::name(b),
            (FieldValue::Guid(a), FieldValue::Guid(b)) => fold::is_guid(a, b),
            (FieldValue::Sid(a), FieldValue::Sid(b))
            | (FieldValue::Hash(a), FieldValue::Hash(b))
            | (FieldValue::Bytes(a), FieldValue::Bytes(b)) => a.eq_ignore_ascii_case(b),
            (FieldValue::Flag(a), FieldValue::Flag(b)) => a == b,
            _ => {
                let (Some(a), Some(b)) = (words(a), words(b)) else {
                    return Err(incomparable(other, b, &format!("cannot be compared with {one}")));
                };
                a == b
            }
        }
    };
    Ok(Compared { same: equal, different: !equal && !may_be_one(a, b) })
}

/// The longest text, in bytes, that is checked for alternative spellings; a longer one counts as possibly the same.
const LONGEST_COMPARED: usize = 4096;

/// Checks whether two values that are written differently may still be the same thing.
fn may_be_one(a: &BoundValue, b: &BoundValue) -> bool {
    let (Some(one), Some(other)) = (words(a), words(b)) else { return false };
    let long = one.len().max(other.len()) > LONGEST_COMPARED;
    match (a.value.field_type(), b.value.field_type()) {
        (FieldType::RegistryPath, FieldType::RegistryPath) => long || fold::may_be_one_key(one, other),
        // Digests of two kinds say nothing about each other.
        (FieldType::Hash, FieldType::Hash) => one.len() != other.len(),
        (FieldType::Path, _) | (_, FieldType::Path) => long || fold::may_be_one_path(one, other),
        (one_type, other_type) => {
            let bare = |text: &str| fold::path(text.trim().trim_matches(['{', '}']));
            one_type != other_type && (long || bare(one) == bare(other))
        }
    }
}

fn number(bound: &BoundValue) -> Option<i128> {
    match bound.value {
        FieldValue::Integer(number) => Some(number),
        FieldValue::Size(size) => Some(size.into()),
        _ => None,
    }
}

/// Returns the text of a value. Texts of different types are the same only if they are equal character by character;
/// other values have no text here.
fn words(bound: &BoundValue) -> Option<&str> {
    bound.quotation.as_deref().or_else(|| bound.value.as_text())
}

fn pairs<T>(all: &[T]) -> impl Iterator<Item = (&T, &T)> {
    all.iter().enumerate().flat_map(|(index, one)| all.iter().skip(index + 1).map(move |other| (one, other)))
}

fn named<'a>(terms: &'a [Term], values: &[&'a BoundValue]) -> Vec<(&'a Term, &'a BoundValue)> {
    terms.iter().zip(values.iter().copied()).collect()
}

fn shown(term: &Term, bound: &BoundValue) -> String {
    let text = bound.quotation.as_deref().map_or_else(|| bound.value.to_text(), Into::into);
    format!("{} ({})", term, quote(&text))
}

fn not_borne_out(reason: String) -> Rejection {
    plain(RejectionCode::NotDerived, reason, "Say only what the facts say together.")
}

fn incomparable(term: &Term, bound: &BoundValue, what: &str) -> Rejection {
    let reason = format!("{} {what}", shown(term, bound));
    plain(RejectionCode::WrongField, reason, "Name values of one kind.")
}

fn naive(term: &Term, time: &Time) -> Rejection {
    let reason = format!("{term} ({}) is no instant of the examined host's clock", quote(&time.to_text()));
    plain(RejectionCode::NaiveTime, reason, "Compare times whose zone is known.")
}

fn plain(code: RejectionCode, reason: String, hint: &str) -> Rejection {
    refuse(code, reason, hint.to_owned(), Vec::new())
}
