//! Decides the status of a question that no fact answers, from what the task's calls covered and returned.

use crate::made::Made;
use crate::objectives::{MOST_NEEDED, Standing};
use crate::shelf::bounded;
use ledger::event::{SeenRecord, WithoutFact};
use ledger::{InvocationId, Objective, Record, SearchedBy, Sources, Way, written};
use serde_json::Value;
use std::collections::BTreeSet;

/// The most records that are named as possible answers.
const MOST_SEEN: usize = 8;
/// The most calls that are named as searches.
const MOST_CALLS: usize = 32;
/// The most records that are examined: beyond that, a question is at most partly searched.
const MOST_LOOKED_THROUGH: usize = 2_000_000;

impl Standing<'_> {
    /// Returns the status of an objective that no fact meets.
    pub(crate) fn stands(&self, objective: &Objective) -> WithoutFact {
        let (records, number) = self.seen(objective);
        if number > 0 {
            return WithoutFact::Seen { records, number };
        }
        if let Some(closed) = self.closed(objective) {
            return closed;
        }
        let mut calls: Vec<InvocationId> = self.looking(objective).take(MOST_CALLS).collect();
        if calls.is_empty() {
            calls = self.listing_in_part(objective);
        }
        match calls.is_empty() {
            true => WithoutFact::NotAsked,
            false => WithoutFact::Partly { calls, missing: self.missing(objective) },
        }
    }

    /// Returns the status of an objective if nothing is left to search in any way; `None` if something is.
    ///
    /// If the evidence lacks the objective's own source, empty searches of alternatives say nothing.
    /// An alternative without searches is another form of what the others search.
    fn closed(&self, objective: &Objective) -> Option<WithoutFact> {
        let (mut needed, mut searches) = (Vec::new(), Vec::new());
        for way in searchable(objective) {
            // A missing source takes precedence over empty searches: nobody searched what is not there.
            let mut lacking = self.lacking(way);
            if self.is_left_elsewhere(way) {
                return None;
            }
            if lacking.is_empty() {
                let mut found = self.searched(way)?;
                found.retain(|call| !searches.contains(call));
                searches.extend(found);
            } else {
                lacking.retain(|kind| !needed.contains(kind));
                needed.extend(lacking);
            }
        }
        if !self.lacking(objective.own_way()).is_empty() {
            return Some(WithoutFact::NotDeterminable { needed });
        }
        let is_bounded = self.returned().nth(MOST_LOOKED_THROUGH).is_some();
        let lacking = self.without_source(objective.own_way());
        (!is_bounded).then_some(WithoutFact::Empty { searches, lacking })
    }

    /// Checks whether the source of a way is missing, but its listing names others,
    /// and the search of everything, which would read them, was not made.
    /// which the search of everything would read and was not made.
    ///
    /// Sources that are searched one by one are all that could answer, and so are the sources of a record type.
    /// A named source, however, may comprise files of several kinds.
    fn is_left_elsewhere(&self, way: Way<'_>) -> bool {
        let names_others = |(by, sources): (&SearchedBy, &Sources)| {
            let (each, listing) = (sources.each.is_some(), self.listing(by));
            !each && listing.is_some_and(|listing| self.names_others(sources, listing))
        };
        self.setting.searched_elsewhere
            && way.plain().any(SearchedBy::names_source)
            && !self.lacking(way).is_empty()
            && way.kinds().any(names_others)
            && self.covering(way).is_none()
    }

    /// Checks whether the only remaining search of an objective is outside its missing source: no task is started for that.
    pub(crate) fn is_only_left_elsewhere(&self, objective: &Objective) -> bool {
        let is_done = |way: Way<'_>| !self.lacking(way).is_empty() || self.searched(way).is_some();
        self.is_left_elsewhere(objective.own_way()) && searchable(objective).all(is_done)
    }

    /// Returns the evidence that has no source for a way with listed sources: searches elsewhere say nothing about it.
    fn without_source(&self, way: Way<'_>) -> Vec<String> {
        if !self.setting.hosts_apart || way.kinds().next().is_none() {
            return Vec::new();
        }
        let listed = way.kinds().filter_map(|(by, sources)| Some((sources, self.listing(by)?)));
        let with: BTreeSet<&str> = listed
            .flat_map(|(sources, listing)| self.named(sources, listing))
            .map(|record| record.locator.evidence.as_str())
            .collect();
        let labels = self.setting.evidence.iter().map(|entry| &entry.label);
        labels.filter(|label| !with.contains(label.as_str())).cloned().collect()
    }

    /// Returns the first records that would answer, and their number.
    pub(crate) fn seen(&self, objective: &Objective) -> (Vec<SeenRecord>, u64) {
        let (mut first, mut number) = (Vec::new(), 0);
        let kind = |made: &Made, record: &Record| {
            let spec = self.setting.spec(&made.tool)?;
            spec.records.iter().find(|kind| kind.name == record.kind)
        };
        let records_deny = self.setting.records_deny;
        let answers = |(made, record): &(&Made, &Record)| {
            let mut of_type = objective.ways().filter(|way| way.condition.record == record.kind).peekable();
            of_type.peek().is_some()
                && kind(made, record).is_some_and(|kind| {
                    of_type.any(|way| way.condition.would_hold(record, &kind.subject, records_deny))
                })
        };
        for (made, record) in self.returned().take(MOST_LOOKED_THROUGH).filter(answers) {
            number += 1;
            if first.len() < MOST_SEEN {
                first.push(SeenRecord { invocation: made.invocation, record: record.id });
            }
        }
        (first, number)
    }

    /// Returns all records that the task's calls returned.
    fn returned(&self) -> impl Iterator<Item = (&Made, &Record)> {
        self.made.iter().flat_map(|made| {
            let records = made.output.as_deref().map_or(&[][..], |output| output.records());
            records.iter().map(move |record| (made, record))
        })
    }

    /// Returns the calls that searched a way completely, if there is a source for it.
    fn searched(&self, way: Way<'_>) -> Option<Vec<InvocationId>> {
        self.covering(way).filter(|_| self.has_source(way))
    }

    /// Returns the calls that searched everything that could answer in this way; `None` if something was left.
    fn covering(&self, way: Way<'_>) -> Option<Vec<InvocationId>> {
        let whole_of = |by: &SearchedBy| self.whole(way, |made, given| by.is(&made.tool, given));
        way.plain().find_map(whole_of).or_else(|| {
            let mut kinds = self.kinds_to_search(way).peekable();
            kinds.peek()?;
            let mut searches = Vec::new();
            for (by, sources) in kinds {
                let (listing, each) = (self.listing(by)?, sources.each.as_ref()?);
                searches.push(listing.invocation);
                for record in self.named(sources, listing) {
                    searches.extend(self.whole(way, |made, given| each.is(record, &made.tool, given))?);
                }
            }
            Some(searches)
        })
    }

    /// Returns the calls that together completed a search, page by page from the first; `None` if they did not.
    ///
    /// Pages may overlap: of the pages that begin at or before the end of the previous ones, the one that reaches furthest is used.
    fn whole(&self, way: Way<'_>, is: impl Fn(&Made, &Value) -> bool) -> Option<Vec<InvocationId>> {
        let usable = self
            .made
            .iter()
            .filter(|made| made.clean && !made.outcome.is_failure() && self.decides(way, made));
        let pages: Vec<Page> = usable.filter_map(|made| Page::of(made, &is)).collect();
        let (mut taken, mut at) = (Vec::new(), 0);
        loop {
            let joins = pages.iter().filter(|page| page.begin <= at && page.end > at);
            let page = joins.reduce(|best, page| if page.end > best.end { page } else { best })?;
            taken.push(page.invocation);
            if page.end == u64::MAX {
                return Some(taken);
            }
            at = page.end;
        }
    }

    /// Checks whether a completed call leaves nothing to search: it returned nothing, or records of the type that answers.
    ///
    /// A record that only says that a file exists says nothing about the file's content.
    fn decides(&self, way: Way<'_>, made: &Made) -> bool {
        let is_empty = made.output.as_deref().is_none_or(|output| output.count() == 0);
        let spec = self.setting.spec(&made.tool);
        is_empty || spec.is_some_and(|spec| way.may_be_answered_by(spec, &made.arguments))
    }

    /// Returns the calls that could have answered it, whatever their results.
    fn looking(&self, objective: &Objective) -> impl Iterator<Item = InvocationId> {
        let could = |made: &&Made| {
            let spec = self.setting.spec(&made.tool);
            spec.is_some_and(|spec| {
                let mut ways = objective.ways().filter(|way| way.may_be_answered_by(spec, &made.arguments));
                ways.any(|way| self.is_of_its_sources(way, made))
            })
        };
        self.made.iter().filter(could).map(|made| made.invocation)
    }

    /// Returns the listings of its sources that could not read all of them: the unread ones may answer.
    fn listing_in_part(&self, objective: &Objective) -> Vec<InvocationId> {
        let kinds = searchable(objective).flat_map(Way::kinds);
        let mut calls = Vec::new();
        for made in kinds.filter_map(|(by, _)| self.read_in_part(by)) {
            if !calls.contains(&made.invocation) && calls.len() < MOST_CALLS {
                calls.push(made.invocation);
            }
        }
        calls
    }

    /// Returns the last listing of sources that could not read all of them.
    fn read_in_part(&self, by: &SearchedBy) -> Option<&Made> {
        let is_in_part = |made: &&Made| !made.unread.is_empty() && by.is(&made.tool, &made.arguments);
        self.made.iter().rev().find(is_in_part).filter(|_| self.setting.listings_look)
    }

    /// Returns what could not be read, and the searches that did not finish, way by way.
    fn missing(&self, objective: &Objective) -> Vec<String> {
        let mut missing: Vec<String> = Vec::new();
        let is_left = |way: &Way<'_>| match self.lacking(*way).is_empty() {
            true => self.searched(*way).is_none(),
            false => self.is_left_elsewhere(*way),
        };
        for way in searchable(objective).filter(|way| objective.or.is_empty() || is_left(way)) {
            missing.extend(self.missing_of(way));
        }
        missing.iter_mut().for_each(|line| *line = bounded(line));
        missing.dedup();
        missing.truncate(MOST_NEEDED);
        missing
    }

    fn missing_of(&self, way: Way<'_>) -> Vec<String> {
        let mut missing = self.unread(way);
        for (by, sources) in way.kinds() {
            let Some(listing) = self.listing(by) else {
                match self.read_in_part(by) {
                    Some(made) => missing.extend(made.unread.iter().cloned()),
                    None => missing.push(written(&by.tool, &by.arguments)),
                }
                continue;
            };
            let Some(each) = &sources.each else { continue };
            for record in self.named(sources, listing) {
                if self.whole(way, |made, given| each.is(record, &made.tool, given)).is_none() {
                    missing.extend(each.wanted(record).map(|wanted| written(&each.tool, &wanted)));
                }
            }
        }
        if self.kinds_to_search(way).next().is_none() {
            missing.extend(way.plain().next().map(|by| written(&by.tool, &by.arguments)));
        }
        missing
    }
}

/// Returns the ways of an objective that must be searched: its own, and alternatives that name searches.
fn searchable(objective: &Objective) -> impl Iterator<Item = Way<'_>> {
    objective.ways().enumerate().filter(|(at, way)| *at == 0 || !way.searched.is_empty()).map(|(_, way)| way)
}

/// A page of a search, by record numbers.
struct Page {
    invocation: InvocationId,
    begin: u64,
    /// The beginning of the next page; beyond everything if this page is the last.
    end: u64,
}

impl Page {
    /// Returns the page that a call returned, if `is` accepts the call without its offset.
    fn of(made: &Made, is: &impl Fn(&Made, &Value) -> bool) -> Option<Page> {
        let mut rest = made.arguments.clone();
        let begin = match rest.as_object_mut().and_then(|members| members.remove("offset")) {
            None => 0,
            Some(Value::String(text)) => text.trim().parse().ok()?,
            Some(other) => other.as_u64()?,
        };
        let records = made.output.as_deref().map_or(0, |output| output.records().len() as u64);
        let end = if made.whole { u64::MAX } else { begin.saturating_add(records) };
        is(made, &rest).then_some(Page { invocation: made.invocation, begin, end })
    }
}
