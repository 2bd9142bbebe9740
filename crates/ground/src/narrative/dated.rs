//! Dates what a sentence says: the time of a cited fact that dates it best.

use ledger::{BoundValue, Clock, Dates, FactEntry, FieldValue, Time, Utc, Writer, dates, is_of_container};
use std::cmp::Reverse;

/// A field and the time that it states.
pub(crate) type Dated = (String, Time);

/// The run's rules for dating sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dating {
    /// The rule of runs without [`ledger::Behaviour::DatedByHost`]: every instant of the examined host's clock can date.
    /// Within one fact, the instant that is hardest to forge is used.
    AnyInstant,
    /// Uses what each time dates ([`ledger::dates`]), and a local time if there is no instant.
    Host,
    /// As `Host`, for statements: the time of the key or list that contains a record dates only a record without a time of its own.
    Told,
}

/// A time of a fact that may date the sentence.
#[derive(Debug, Clone, Copy)]
struct Candidate<'f> {
    dates: Dates,
    writer: Option<Writer>,
    time: &'f Time,
    field: &'f str,
}

impl Candidate<'_> {
    fn is_local(&self) -> bool {
        self.time.zone.is_some()
    }

    /// Returns the earliest instant that it can mean.
    fn earliest(&self) -> Option<Utc> {
        self.time.bounds().map(|(earliest, _)| earliest)
    }

    /// Ranks the time within its fact: the better it dates, the lower the rank.
    fn rank(&self) -> impl Ord + use<> {
        (self.dates, self.is_local(), Reverse(self.writer), self.earliest())
    }
}

impl Dating {
    /// Returns the time that dates these facts together, and its field; `None` if no time does.
    pub(crate) fn of(self, facts: &[&FactEntry]) -> Option<Dated> {
        let mut dated: Vec<Candidate<'_>> = facts.iter().filter_map(|fact| self.of_fact(fact)).collect();
        if self != Dating::AnyInstant {
            // A file's own times date nothing if there is an event, and a local time dates nothing if there is an instant.
            let best = dated.iter().map(|one| weight(one.dates)).min()?;
            dated.retain(|one| weight(one.dates) == best);
            if dated.iter().any(|one| !one.is_local()) {
                dated.retain(|one| !one.is_local());
            }
        }
        let first = dated.iter().min_by_key(|one| one.earliest())?;
        Some((first.field.to_owned(), first.time.clone()))
    }

    /// Returns the time of one fact that dates it best; of equally good ones, the time that is hardest to forge.
    fn of_fact(self, fact: &FactEntry) -> Option<Candidate<'_>> {
        let bound = std::iter::once(&fact.subject).chain(&fact.values).filter(|it| it.quotation.is_none());
        let mut all: Vec<Candidate<'_>> = bound.filter_map(|bound| self.candidate(fact, bound)).collect();
        if self == Dating::Told && all.iter().any(|one| !is_of_container(one.field)) {
            all.retain(|one| !is_of_container(one.field));
        }
        all.into_iter().min_by_key(Candidate::rank)
    }

    fn candidate<'f>(self, fact: &FactEntry, bound: &'f BoundValue) -> Option<Candidate<'f>> {
        let FieldValue::Time(time) = &bound.value else { return None };
        let field = bound.field.as_str();
        let dates = match self {
            Dating::Host | Dating::Told => dates(&fact.predicate.0, &fact.kind, field),
            // The times of a deleted file say nothing about its deletion.
            Dating::AnyInstant if fact.predicate.0 == "deleted" && !matches!(field, "deleted" | "time") => {
                Dates::Nothing
            }
            Dating::AnyInstant => Dates::Event,
        };
        let may_be_local = self != Dating::AnyInstant;
        let counts = time.clock == Clock::Host && time.utc.is_some() && (may_be_local || time.zone.is_none());
        let candidate = Candidate { dates, writer: bound.writer, time, field };
        (counts && dates != Dates::Nothing).then_some(candidate)
    }
}

/// Ranks what times date: events and file names together, then births, then the other times of files.
const fn weight(dates: Dates) -> u8 {
    match dates {
        Dates::Event | Dates::Name => 0,
        Dates::Birth => 1,
        Dates::File | Dates::Nothing => 2,
    }
}
