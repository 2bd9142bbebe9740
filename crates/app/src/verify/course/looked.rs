//! How each question stands that no fact answers, told again from the stored outputs of its task's calls.

use super::Course;
use super::standing::{LONGEST_REASON, MOST_REASONS, Made};
use ledger::event::{InvocationStarted, SeenRecord, WithoutFact};
use ledger::{Completeness, InvocationId, Objective, Record, written};
use serde_json::Value;

/// The most records, and the most calls, that are named.
const MOST_SEEN: usize = 8;
const MOST_CALLS: usize = 32;
/// Behind so many records a question is at most partly searched.
const MOST_LOOKED_THROUGH: usize = 2_000_000;

impl Course<'_> {
    pub(super) fn looked(&self, objective: &Objective) -> WithoutFact {
        let seen = self.seen(objective);
        if !seen.is_empty() {
            let number = seen.len() as u64;
            return WithoutFact::Seen { records: seen.into_iter().take(MOST_SEEN).collect(), number };
        }
        let needed = self.lacking(objective);
        if !needed.is_empty() {
            return WithoutFact::NotDeterminable { needed };
        }
        let returned: usize = self.made.iter().map(|made| self.records(*made).len()).sum();
        let may_be_whole = returned <= MOST_LOOKED_THROUGH && self.is_source_shown(objective);
        if let Some(searches) = self.covered_by(objective).filter(|_| may_be_whole) {
            return WithoutFact::Empty { searches };
        }
        let mut calls = self.could_answer(objective);
        calls.truncate(MOST_CALLS);
        if calls.is_empty() {
            return WithoutFact::NotAsked;
        }
        WithoutFact::Partly { calls, missing: self.not_searched(objective) }
    }

    /// The records that would answer.
    fn seen(&self, objective: &Objective) -> Vec<SeenRecord> {
        let would = |made: &Made<'_>, record: &Record| {
            let spec = self.log.opened.tools.iter().find(|spec| spec.name == made.0.tool);
            let kinds = spec.map_or(&[][..], |spec| &spec.records);
            let subject = kinds.iter().find(|kind| kind.name == record.kind).map(|kind| &kind.subject);
            subject.is_some_and(|subject| objective.condition.would_hold(record, subject))
        };
        let of_calls = self.made.iter().flat_map(|made| {
            let records = self.records(*made).iter();
            records.map(move |record| (made, record))
        });
        of_calls
            .take(MOST_LOOKED_THROUGH)
            .filter(|(made, record)| record.kind == objective.condition.record && would(made, record))
            .map(|(made, record)| SeenRecord { invocation: made.1.invocation, record: record.id })
            .collect()
    }

    fn covered_by(&self, objective: &Objective) -> Option<Vec<InvocationId>> {
        for by in objective.searched.iter().filter(|by| by.sources.is_none()) {
            let pages = self.pages(objective, |tool, given| by.is(tool, given));
            if pages.is_some() {
                return pages;
            }
        }
        let (mut searches, mut has_kinds) = (Vec::new(), false);
        for by in &objective.searched {
            let Some((sources, each)) = by.sources.as_ref().and_then(|it| Some((it, it.each.as_ref()?)))
            else {
                continue;
            };
            has_kinds = true;
            searches.push(self.listing(by)?.1.invocation);
            for record in self.sources_of(by, sources)? {
                searches.extend(self.pages(objective, |tool, given| each.is(record, tool, given))?);
            }
        }
        has_kinds.then_some(searches)
    }

    /// The calls whose pages join, or overlap, from the first record to the end: each time the one that comes furthest.
    ///
    /// Records of another type than the one that answers, such as a file that is there, leave everything to look for.
    fn pages(&self, objective: &Objective, is: impl Fn(&str, &Value) -> bool) -> Option<Vec<InvocationId>> {
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
                if ended.records > 0 && !self.can_answer(objective, started) {
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
    fn can_answer(&self, objective: &Objective, started: &InvocationStarted) -> bool {
        let spec = self.log.opened.tools.iter().find(|spec| spec.name == started.tool);
        spec.is_some_and(|spec| objective.may_be_answered_by(spec, &started.arguments))
    }

    fn could_answer(&self, objective: &Objective) -> Vec<InvocationId> {
        let could = |(started, _): &&Made<'_>| {
            self.can_answer(objective, started) && !self.is_of_another_source(objective, started)
        };
        self.made.iter().filter(could).map(|(_, ended)| ended.invocation).collect()
    }

    fn not_searched(&self, objective: &Objective) -> Vec<String> {
        let mut lines = self.unread(objective);
        let mut has_each = false;
        for by in &objective.searched {
            let Some(sources) = &by.sources else { continue };
            has_each |= sources.each.is_some();
            match (self.sources_of(by, sources), &sources.each) {
                (None, _) => lines.push(written(&by.tool, &by.arguments)),
                (Some(_), None) => {}
                (Some(listed), Some(each)) => {
                    let left = listed.into_iter().filter(|record| {
                        self.pages(objective, |tool, given| each.is(record, tool, given)).is_none()
                    });
                    let wanted = left.filter_map(|record| each.wanted(record));
                    lines.extend(wanted.map(|wanted| written(&each.tool, &wanted)));
                }
            }
        }
        if !has_each && let Some(by) = objective.searched.iter().find(|by| by.sources.is_none()) {
            lines.push(written(&by.tool, &by.arguments));
        }
        for line in &mut lines {
            if let Some((end, _)) = line.char_indices().nth(LONGEST_REASON) {
                *line = format!("{}…", line.get(..end).unwrap_or_default());
            }
        }
        lines.dedup();
        lines.truncate(MOST_REASONS);
        lines
    }
}

fn number(value: &Value) -> Option<u64> {
    value.as_str().map_or_else(|| value.as_u64(), |text| text.trim().parse().ok())
}
