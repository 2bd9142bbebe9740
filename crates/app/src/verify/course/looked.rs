//! Computes again, from the stored outputs of a task's calls, the state of each question that no fact answers.

use super::Course;
use super::standing::{LONGEST_REASON, MOST_REASONS, Made, reasons};
use ledger::event::{InvocationStarted, SeenRecord, WithoutFact};
use ledger::placement::tells_of_host;
use ledger::{Behaviour, Completeness, InvocationId, Objective, Record, SearchedBy, Way, written};
use serde_json::Value;

/// The most records, and the most calls, that are named.
const MOST_SEEN: usize = 8;
const MOST_CALLS: usize = 32;
/// If the calls returned more records, a question counts at most as partly searched.
const MOST_LOOKED_THROUGH: usize = 2_000_000;

impl Course<'_> {
    pub(super) fn looked(&self, objective: &Objective) -> WithoutFact {
        let seen = self.seen(objective);
        if !seen.is_empty() {
            let number = seen.len() as u64;
            return WithoutFact::Seen { records: seen.into_iter().take(MOST_SEEN).collect(), number };
        }
        let ways = to_search(objective);
        let lacking: Vec<Vec<String>> = ways.iter().map(|way| self.lacking(*way)).collect();
        let with_source = ways.iter().zip(&lacking).filter(|(_, lacking)| lacking.is_empty());
        let searches: Option<Vec<Vec<InvocationId>>> =
            with_source.map(|(way, _)| self.searched(*way)).collect();
        let searches = searches.filter(|_| !ways.iter().any(|way| self.has_others_to_search(*way)));
        let returned: usize = self.made.iter().map(|made| self.records(*made).len()).sum();
        match (searches, lacking.first().is_some_and(Vec::is_empty)) {
            (Some(_), false) => return WithoutFact::NotDeterminable { needed: together(lacking) },
            (Some(searches), true) if returned <= MOST_LOOKED_THROUGH => {
                return WithoutFact::Empty {
                    searches: together(searches),
                    lacking: self.not_spoken_of(objective.own_way()),
                };
            }
            (Some(_) | None, _) => {}
        }
        let mut calls = self.could_answer(objective);
        if calls.is_empty() {
            let kinds = to_search(objective).into_iter().flat_map(Way::kinds);
            let in_part = kinds.filter_map(|(by, _)| Some(vec![self.listed_in_part(by)?.1.invocation]));
            calls = together(in_part.collect());
        }
        calls.truncate(MOST_CALLS);
        if calls.is_empty() {
            return WithoutFact::NotAsked;
        }
        WithoutFact::Partly { calls, missing: self.not_searched(objective) }
    }

    /// Returns the labels of the evidence in which no listing found a source of the way.
    fn not_spoken_of(&self, way: Way<'_>) -> Vec<String> {
        let is_listed = |label: &str| {
            way.kinds().any(|(by, sources)| {
                let found = self.sources_of(by, sources).unwrap_or_default();
                found.iter().any(|record| record.locator.evidence == label)
            })
        };
        let tells = self.has(Behaviour::HostsApart) && way.kinds().next().is_some();
        let labels = self.log.opened.case.evidence.iter().map(|entry| entry.label.clone());
        labels.filter(|label| tells && !is_listed(label)).collect()
    }

    /// Returns the records that would answer the objective.
    fn seen(&self, objective: &Objective) -> Vec<SeenRecord> {
        let would = |made: &Made<'_>, record: &Record| {
            let spec = self.log.opened.tools.iter().find(|spec| spec.name == made.0.tool);
            let kinds = spec.map_or(&[][..], |spec| &spec.records);
            let subject = kinds.iter().find(|kind| kind.name == record.kind).map(|kind| &kind.subject);
            let records_deny = self.has(Behaviour::RecordsDeny);
            let holds =
                |subject| objective.ways().any(|way| way.condition.would_hold(record, subject, records_deny));
            subject.is_some_and(|subject| holds(subject))
        };
        let is_of_type = |record: &Record| objective.ways().any(|way| way.condition.record == record.kind);
        let of_calls = self.made.iter().flat_map(|made| {
            let records = self.records(*made).iter();
            records.map(move |record| (made, record))
        });
        of_calls
            .take(MOST_LOOKED_THROUGH)
            .filter(|(made, record)| is_of_type(record) && would(made, record))
            .map(|(made, record)| SeenRecord { invocation: made.1.invocation, record: record.id })
            .collect()
    }

    /// Returns the calls that searched a way completely, if it has a source.
    fn searched(&self, way: Way<'_>) -> Option<Vec<InvocationId>> {
        self.covered_by(way).filter(|_| self.is_source_shown(way))
    }

    /// Whether a way has no source of its own kind, but a search that covers other listed sources is still missing.
    fn has_others_to_search(&self, way: Way<'_>) -> bool {
        if !self.has(Behaviour::SearchedElsewhere) || self.lacking(way).is_empty() {
            return false;
        }
        let others = way.kinds().filter(|(_, sources)| sources.each.is_none()).any(|(by, sources)| {
            let all = self.listing(by).map_or(&[][..], |listing| self.records(listing));
            let of_host = all.iter().filter(|record| tells_of_host(record.placement)).count();
            self.sources_of(by, sources).is_some_and(|of_kind| of_kind.len() < of_host)
        });
        others && way.plain().any(SearchedBy::names_source) && self.covered_by(way).is_none()
    }

    /// Whether a recovery has nothing to look for: the objective's own source is missing, and only the search of other sources remains.
    pub(super) fn is_left_to_the_sweep(&self, objective: &Objective) -> bool {
        let is_left = |way: &Way<'_>| self.lacking(*way).is_empty() && self.searched(*way).is_none();
        self.has_others_to_search(objective.own_way()) && !to_search(objective).iter().any(is_left)
    }

    fn covered_by(&self, way: Way<'_>) -> Option<Vec<InvocationId>> {
        for by in way.plain() {
            let pages = self.pages(way, |tool, given| by.is(tool, given));
            if pages.is_some() {
                return pages;
            }
        }
        let (mut searches, mut has_kinds) = (Vec::new(), false);
        for (by, sources) in way.kinds() {
            let Some(each) = &sources.each else { continue };
            has_kinds = true;
            searches.push(self.listing(by)?.1.invocation);
            for record in self.sources_of(by, sources)? {
                searches.extend(self.pages(way, |tool, given| each.is(record, tool, given))?);
            }
        }
        has_kinds.then_some(searches)
    }

    /// Returns the calls whose pages cover everything from the first record to the end; at each step the call that reaches furthest.
    ///
    /// A call does not count if it returned records of a type that cannot answer, such as entries of existing files.
    fn pages(&self, way: Way<'_>, is: impl Fn(&str, &Value) -> bool) -> Option<Vec<InvocationId>> {
        let (mut pages, mut next) = (Vec::new(), 0);
        loop {
            let (mut reached, mut by) = (next, None);
            for (started, ended) in &self.made {
                let mut given = started.arguments.clone();
                let offset = given.as_object_mut().and_then(|members| members.remove("offset"));
                let Some(offset) = offset.map_or(Some(0), |offset| number(&offset)) else { continue };
                let is_clean = ended.gaps.is_empty() && ended.defects.is_empty();
                if !is_clean || ended.outcome.is_failure() || offset > next || !is(&started.tool, &given) {
                    continue;
                }
                if ended.records > 0 && !self.can_answer(way, started) {
                    continue;
                }
                let end = match ended.completeness {
                    Completeness::Complete => u64::MAX,
                    Completeness::Truncated => offset.saturating_add(u64::from(ended.records)),
                };
                if end > reached {
                    (reached, by) = (end, Some(ended.invocation));
                }
            }
            pages.push(by?);
            if reached == u64::MAX {
                return Some(pages);
            }
            next = reached;
        }
    }

    /// Whether a call can return a record that answers.
    fn can_answer(&self, way: Way<'_>, started: &InvocationStarted) -> bool {
        let spec = self.log.opened.tools.iter().find(|spec| spec.name == started.tool);
        spec.is_some_and(|spec| way.may_be_answered_by(spec, &started.arguments))
    }

    fn could_answer(&self, objective: &Objective) -> Vec<InvocationId> {
        let could = |(started, _): &&Made<'_>| {
            let mut ways = objective.ways();
            ways.any(|way| self.can_answer(way, started) && !self.is_of_another_source(way, started))
        };
        self.made.iter().filter(could).map(|(_, ended)| ended.invocation).collect()
    }

    /// Returns the last listing that states why it does not name all sources.
    fn listed_in_part(&self, by: &SearchedBy) -> Option<Made<'_>> {
        let listings = self.made.iter().rev().filter(|made| by.is(&made.0.tool, &made.0.arguments));
        let counts = self.has(Behaviour::ListingsLook);
        listings.copied().find(|(_, ended)| counts && !reasons(ended).is_empty())
    }

    fn not_searched(&self, objective: &Objective) -> Vec<String> {
        let is_left = |way: &Way<'_>| {
            let is_done = match self.lacking(*way).is_empty() {
                true => self.searched(*way).is_some(),
                false => !self.has_others_to_search(*way),
            };
            objective.or.is_empty() || !is_done
        };
        let ways = to_search(objective).into_iter().filter(is_left);
        let mut lines: Vec<String> = ways.flat_map(|way| self.not_searched_of(way)).collect();
        for line in &mut lines {
            if let Some((end, _)) = line.char_indices().nth(LONGEST_REASON) {
                *line = format!("{}…", line.get(..end).unwrap_or_default());
            }
        }
        lines.dedup();
        lines.truncate(MOST_REASONS);
        lines
    }

    fn not_searched_of(&self, way: Way<'_>) -> Vec<String> {
        let mut lines = self.unread(way);
        for (by, sources) in way.kinds() {
            match (self.sources_of(by, sources), &sources.each) {
                (None, _) => match self.listed_in_part(by) {
                    Some((_, ended)) => lines.extend(reasons(ended)),
                    None => lines.push(written(&by.tool, &by.arguments)),
                },
                (Some(_), None) => {}
                (Some(listed), Some(each)) => {
                    let left = listed.into_iter().filter(|record| {
                        self.pages(way, |tool, given| each.is(record, tool, given)).is_none()
                    });
                    let wanted = left.filter_map(|record| each.wanted(record));
                    lines.extend(wanted.map(|wanted| written(&each.tool, &wanted)));
                }
            }
        }
        let has_each = way.kinds().any(|(_, sources)| sources.each.is_some());
        if !has_each && let Some(by) = way.plain().next() {
            lines.push(written(&by.tool, &by.arguments));
        }
        lines
    }
}

/// Returns the objective's own way, and the others that name their searches. The remaining ways express the same in another form.
fn to_search(objective: &Objective) -> Vec<Way<'_>> {
    let mut ways = vec![objective.own_way()];
    ways.extend(objective.ways().skip(1).filter(|way| !way.searched.is_empty()));
    ways
}

/// Merges the items of several ways, each item once: the ways may share searches and needs.
fn together<T: PartialEq>(of_ways: Vec<Vec<T>>) -> Vec<T> {
    let mut ways = of_ways.into_iter();
    let mut all = ways.next().unwrap_or_default();
    for items in ways {
        let more: Vec<T> = items.into_iter().filter(|item| !all.contains(item)).collect();
        all.extend(more);
    }
    all
}

fn number(value: &Value) -> Option<u64> {
    value.as_str().map_or_else(|| value.as_u64(), |text| text.trim().parse().ok())
}
