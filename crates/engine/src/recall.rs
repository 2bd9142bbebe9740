//! The tool `recall`: searches everything the task was given earlier for a text, whether it is still shown or not.
//!
//! Three rankings are fused by reciprocal ranks: by words (BM25), by the exact text, and by recency.
//! Source: G. V. Cormack, C. L. A. Clarke, S. Büttcher,
//! "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods", SIGIR 2009.

use crate::arguments::{Arguments, Malformed};
use crate::calls::Busy;
use crate::step::{Append, Command, Found, Place, Sought, StepError};
use crate::task::{Task, Waiting, event};
use ground::Shelf;
use ledger::Event;
use ledger::event::{Recalled, RecalledRecord, RecordRange, Refusal};
use ledger::turn::{Answer, Message, Page, RecalledHit, RecalledPages, ToolCall, UserBlock};
use ledger::{InvocationId, RecordId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most characters of an answer; fewer if less of an output is shown at once.
const MOST_CHARACTERS: u64 = 12_000;
/// Characters of a hit besides its record: the line that says where it is from.
const HEAD: usize = 100;
/// The most characters of a text to search for.
const LONGEST_TEXT: usize = 1_000;
/// The constant that is added to a rank: the first of one ranking must not outweigh the second of two.
const DAMPING: u64 = 60;

/// A search in progress.
#[derive(Debug)]
pub(crate) struct Recalling {
    call: ToolCall,
    text: String,
}

impl Task {
    /// Starts the search for a text.
    pub(crate) fn recall(&mut self, call: ToolCall, append: &mut Vec<Append>) -> Option<Command> {
        match sought(&call) {
            Err(malformed) => {
                self.refuse(call, Refusal::BadArguments, malformed.to_string(), append);
                None
            }
            Ok(text) => {
                self.turn_record.fruitful = true;
                let sought = Sought { text: text.clone() };
                self.waiting = Waiting::Busy(Box::new(Busy::Recalling(Recalling { call, text })));
                Some(Command::Find(sought))
            }
        }
    }

    /// Handles the result of the search.
    pub(crate) fn recalled(
        &mut self,
        recalling: Recalling,
        found: &Found,
        append: &mut Vec<Append>,
    ) -> Result<Command, StepError> {
        let Recalling { call, text } = recalling;
        let ranked = fused(found, &self.shelf);
        let (hits, left_out) = self.hits(&ranked);
        let shown = |hit: &RecalledHit| {
            let record = hit.page.shown.first().map(|range| range.first)?;
            Some(RecalledRecord { invocation: hit.page.invocation, record })
        };
        let shown: Vec<_> = hits.iter().filter_map(shown).collect();
        for RecalledRecord { invocation, record } in &shown {
            self.shelf.show(*invocation, RecordRange::of(*record));
        }
        append.push(event(Event::Recalled(Recalled {
            turn: self.turn,
            call: call.call.clone(),
            text,
            shown,
            left_out,
        })));
        self.answer(call, Answer::Recalled(RecalledPages { hits, left_out }));
        self.next_call(append)
    }

    /// Returns as many hits as fit an answer, and how many do not; at least one, however long.
    fn hits(&self, ranked: &[Place]) -> (Vec<RecalledHit>, u32) {
        let shown = shown(self.sent());
        let mut hits = Vec::new();
        let view = &self.setting.rules.view;
        let at_once = view.head_bytes.saturating_add(view.tail_bytes);
        let mut left = MOST_CHARACTERS.min(at_once) as usize;
        for place in ranked {
            let Some(output) = self.shelf.get(place.invocation).and_then(|held| held.output.as_ref()) else {
                continue;
            };
            let length = output.line_length(place.record).unwrap_or(0) + HEAD;
            if length > left && !hits.is_empty() {
                break;
            }
            left = left.saturating_sub(length);
            let page = Page {
                invocation: place.invocation,
                output: Arc::clone(output),
                shown: vec![RecordRange::of(place.record)],
            };
            let records = output.count() as u32;
            let seen = shown.get(&place.invocation).map_or(0, |records| records.len() as u32);
            hits.push(RecalledHit { page, records, lost: records.saturating_sub(seen) });
        }
        let left_out = ranked.len().saturating_sub(hits.len()) as u32;
        (hits, left_out)
    }
}

fn sought(call: &ToolCall) -> Result<String, Malformed> {
    let text = Arguments::of(&call.arguments, &["text"])?.text("text")?;
    match text.chars().count() <= LONGEST_TEXT {
        true => Ok(text.to_owned()),
        false => Err(Malformed::new("text", "at most 1,000 characters")),
    }
}

/// Returns the records that the messages show, by invocation.
fn shown(messages: &[Arc<Message>]) -> BTreeMap<InvocationId, BTreeSet<RecordId>> {
    let mut shown: BTreeMap<InvocationId, BTreeSet<RecordId>> = BTreeMap::new();
    for message in messages {
        let Message::User(blocks) = &**message else { continue };
        for page in blocks.iter().flat_map(pages) {
            let ids = page.shown.iter().flat_map(|range| (range.first.0..range.end.0).map(RecordId));
            shown.entry(page.invocation).or_default().extend(ids);
        }
    }
    shown
}

fn pages(block: &UserBlock) -> Vec<&Page> {
    match block {
        UserBlock::Answer { answer, .. } => answer.pages(),
        UserBlock::Text { .. } | UserBlock::Distilled(_) | UserBlock::Recovery(_) => Vec::new(),
    }
}

/// Merges the records of all rankings, best first; of equals, the later one first.
fn fused(found: &Found, shelf: &Shelf) -> Vec<Place> {
    let order: BTreeMap<InvocationId, usize> =
        shelf.held().iter().enumerate().map(|(at, held)| (held.invocation, at)).collect();
    let age = |place: &Place| (order.get(&place.invocation).copied(), std::cmp::Reverse(place.record));
    let mut latest: Vec<Place> = found.by_words.iter().chain(&found.by_text).copied().collect();
    latest.sort_unstable();
    latest.dedup();
    latest.sort_by_key(|place| std::cmp::Reverse(age(place)));
    let mut scores: BTreeMap<Place, u64> = BTreeMap::new();
    for ranking in [&found.by_words, &found.by_text, &latest] {
        for (rank, place) in (1..).zip(ranking) {
            *scores.entry(*place).or_default() += 1_000_000_000 / (DAMPING + rank);
        }
    }
    // The sort is stable: of equals, the later one comes first.
    latest.sort_by_key(|place| std::cmp::Reverse(scores.get(place).copied()));
    latest
}
