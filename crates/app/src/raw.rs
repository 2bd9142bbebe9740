//! Use case: read the bytes behind the facts of a run again from the evidence, and look for the facts' values in them.
//!
//! The bytes come from a worker that opens files and media and knows no format; the code that looks for the values shares nothing with
//! the parsers that produced them.
//! A value that is literally in the bytes proves more than one that is not. A value that is compressed, computed or assembled from
//! several places appears only after decoding, which is no failure.
//! Bytes that are missing are a failure.

mod needles;
mod stands;
mod times;

use crate::case_file::Case;
use crate::interrupt::Interrupt;
use crate::replay::ReplayError;
use crate::reproduce::{Again, AgainError, go_on, opened_by};
use crate::stored::Stored;
use crate::waiting::{Panicked, wait_for};
use crate::worker::{ToolError, Worker, WorkerRequest};
use ledger::{BoundValue, ByteSpan, Event, FactEntry, FactId, FieldValue, TaskId};
use serde::Serialize;
use stands::Hay;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use tools::{Indexes, LONGEST_SPAN, MOST_SPAN_BYTES, MOST_SPANS, SpanRead, WantedSpan};

/// What is needed to read the bytes of a run's facts again.
pub struct RawRequest {
    /// The case of the run, with the present paths of its evidence ([`crate::evidence_of`]).
    pub case: Case,
    /// How to start the worker that reads the bytes.
    pub worker: WorkerRequest,
    /// The observer of the progress.
    pub observe: Arc<dyn Fn(Again) + Send + Sync>,
    /// Stops the check early.
    pub interrupt: Interrupt,
}

/// The result of reading the bytes again.
#[derive(Debug, Clone, Serialize)]
pub struct RawSpans {
    /// Totals over all facts.
    pub all: RawTotals,
    /// Totals by record type.
    pub by_type: BTreeMap<String, RawTotals>,
    /// The number of values found in raw bytes, by encoding.
    pub encodings: BTreeMap<&'static str, u64>,
    /// Each fact, in the order of the tasks and their claims.
    pub facts: Vec<RawFact>,
}

impl RawSpans {
    /// Returns the facts whose bytes are missing.
    pub fn unreadable(&self) -> impl Iterator<Item = &RawFact> {
        self.facts.iter().filter(|fact| matches!(fact.found, RawFound::Unreadable { .. }))
    }
}

/// How many facts are how close to raw bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RawTotals {
    /// The number of facts.
    pub facts: u64,
    /// Facts whose values are all in the bytes.
    pub literal: u64,
    /// Facts with some values in the bytes.
    pub partly: u64,
    /// Facts without any value in the bytes: the bytes were read, but the values appear only after decoding.
    pub decoded: u64,
    /// Facts whose record has no bytes of its own in a file.
    pub no_span: u64,
    /// Facts whose bytes are missing.
    pub unreadable: u64,
}

/// One fact and the bytes behind it.
#[derive(Debug, Clone, Serialize)]
pub struct RawFact {
    /// The fact.
    pub fact: FactId,
    /// Its task.
    pub task: TaskId,
    /// The type of its record.
    pub kind: String,
    /// The place of its record.
    pub place: String,
    /// How close it is to raw bytes.
    #[serde(flatten)]
    pub found: RawFound,
    /// Its values, including the subject.
    pub values: Vec<RawValue>,
}

/// How close a fact is to raw bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "found", rename_all = "snake_case")]
pub enum RawFound {
    /// Every value is in the bytes, apart from names of the file itself.
    Literal,
    /// Some values are in the bytes.
    Partly,
    /// No value is in the bytes.
    Decoded,
    /// The record has no bytes of its own in a file, such as an entry of a copied folder.
    NoSpan,
    /// The bytes are missing.
    Unreadable {
        /// The reason.
        because: String,
    },
}

/// One value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RawValue {
    /// Its field.
    pub field: String,
    /// Where it was found.
    #[serde(flatten)]
    pub found: ValueFound,
}

/// Where a value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "stands", rename_all = "snake_case")]
pub enum ValueFound {
    /// In the bytes of its own field.
    Field {
        /// How the value is encoded.
        encoding: &'static str,
    },
    /// In the bytes of its record.
    Record {
        /// How the value is encoded.
        encoding: &'static str,
    },
    /// It is the path or the name under which the bytes were found.
    Path,
    /// Not found literally, or too short to exclude a coincidence.
    Decoded,
}

/// Reads the bytes behind every fact of the run in `folder` again.
///
/// # Errors
///
/// Fails if the log cannot be read, the evidence cannot be opened, or no worker can be started. Missing bytes are a result, not an error.
pub async fn read_raw(folder: &Path, request: &RawRequest) -> Result<RawSpans, AgainError> {
    let (log, _) = Stored::open(folder).map_err(|error| AgainError::Log(ReplayError::Run(error)))?;
    let recorded = log.opened.as_ref().map(|opened| request.worker.as_recorded(opened));
    let facts = facts(log);
    let worker = recorded.as_ref().unwrap_or(&request.worker);
    let worker = Worker::start(worker, &request.case, &Indexes::new()).map_err(AgainError::Tools)?;
    opened_by(&worker, &request.interrupt).await?;
    let (canceller, observe) = (worker.canceller(), Arc::clone(&request.observe));
    let work = move || look(&facts, |wanted| worker.read_spans(wanted), observe.as_ref());
    let looked = wait_for(&request.interrupt, vec![canceller], work).await;
    go_on(&request.interrupt)?;
    let facts = looked.map_err(|Panicked| AgainError::Panicked)?.map_err(AgainError::Tools)?;
    Ok(summed(facts))
}

/// Returns the facts of the log with their tasks, in order.
fn facts(log: Stored) -> Vec<(TaskId, FactEntry)> {
    let of_task = |task: crate::stored::StoredTask| {
        let id = task.assigned.task;
        task.events.into_iter().filter_map(move |event| match event {
            Event::ClaimAccepted(accepted) => Some((id, accepted.fact)),
            _ => None,
        })
    };
    log.tasks.into_iter().flat_map(of_task).collect()
}

/// Reads the bytes behind the facts in batches, file by file, and looks for the facts' values in them.
fn look(
    facts: &[(TaskId, FactEntry)],
    mut read: impl FnMut(&[WantedSpan]) -> Result<Vec<SpanRead>, ToolError>,
    observe: &(dyn Fn(Again) + Send + Sync),
) -> Result<Vec<RawFact>, ToolError> {
    let mut order: Vec<usize> = (0..facts.len()).collect();
    let place = |place: &usize| facts.get(*place).map(|(_, fact)| (&fact.locator, fact.record));
    order.sort_by_key(|at| place(at));
    let mut found: BTreeMap<usize, RawFact> = BTreeMap::new();
    let mut rest = order.as_slice();
    while !rest.is_empty() {
        let (spans, taken) = batch(facts, rest);
        let (now, after) = rest.split_at_checked(taken).unwrap_or((rest, &[]));
        rest = after;
        let wanted: Vec<WantedSpan> = spans.into_iter().collect();
        let bytes = if wanted.is_empty() { Vec::new() } else { read(&wanted)? };
        let hays: Hays = wanted.into_iter().zip(bytes.into_iter().map(hay)).collect();
        for at in now {
            if let Some((task, fact)) = facts.get(*at) {
                found.insert(*at, judged(*task, fact, &hays));
            }
        }
        observe(Again::Looked { done: found.len(), of: facts.len() });
    }
    Ok(found.into_values().collect())
}

/// The bytes that were read, or why they were not.
type Hays = BTreeMap<WantedSpan, Result<Hay, String>>;

fn hay(read: SpanRead) -> Result<Hay, String> {
    match read {
        SpanRead::Bytes(bytes) => Ok(Hay::new(bytes)),
        SpanRead::Failed { reason } => Err(reason),
    }
}

/// Returns the spans of as many facts as one request may ask for, at least one fact, and the number of these facts.
fn batch(facts: &[(TaskId, FactEntry)], order: &[usize]) -> (BTreeSet<WantedSpan>, usize) {
    let mut spans = BTreeSet::new();
    let mut bytes = 0;
    for (taken, at) in order.iter().enumerate() {
        let Some((_, fact)) = facts.get(*at) else { continue };
        let new: BTreeSet<_> = wanted(fact).filter(|span| !spans.contains(span)).collect();
        bytes += new.iter().map(|wanted| wanted.span.length.min(LONGEST_SPAN)).sum::<u64>();
        if taken > 0 && (bytes > MOST_SPAN_BYTES || spans.len() + new.len() > MOST_SPANS) {
            return (spans, taken);
        }
        spans.extend(new);
    }
    (spans, order.len())
}

/// Returns the spans of the record and of the fields that a fact names.
fn wanted(fact: &FactEntry) -> impl Iterator<Item = WantedSpan> {
    let own = values(fact).into_iter().filter_map(|value| value.at);
    fact.locator.span.into_iter().chain(own).map(|span| at(fact, span))
}

fn at(fact: &FactEntry, span: ByteSpan) -> WantedSpan {
    let ledger::Locator { evidence, path, stream, .. } = fact.locator.clone();
    WantedSpan { evidence, path, stream, span }
}

/// Returns the values and the subject, each field once.
fn values(fact: &FactEntry) -> Vec<&BoundValue> {
    let mut seen = BTreeSet::new();
    fact.values.iter().chain([&fact.subject]).filter(|value| seen.insert(&value.field)).collect()
}

/// Compares a fact with the bytes that were read.
fn judged(task: TaskId, fact: &FactEntry, hays: &Hays) -> RawFact {
    let (values, found) = found(fact, hays);
    let (kind, place) = (fact.kind.clone(), fact.locator.to_string());
    RawFact { fact: fact.id, task, kind, place, found, values }
}

fn found(fact: &FactEntry, hays: &Hays) -> (Vec<RawValue>, RawFound) {
    let mut spans = wanted(fact).peekable();
    if spans.peek().is_none() {
        return (Vec::new(), RawFound::NoSpan);
    }
    let unread = spans.find_map(|span| match hays.get(&span) {
        Some(Ok(_)) => None,
        Some(Err(because)) => Some(format!("bytes {}: {because}", span.span)),
        None => Some(format!("bytes {}: they were not read", span.span)),
    });
    if let Some(because) = unread {
        return (Vec::new(), RawFound::Unreadable { because });
    }
    let hay = |span: Option<ByteSpan>| hays.get(&at(fact, span?)).and_then(|read| read.as_ref().ok());
    let record = hay(fact.locator.span);
    let one = |value: &BoundValue| RawValue {
        field: value.field.clone(),
        found: value_found(fact, value, hay(value.at), record),
    };
    let values: Vec<RawValue> = values(fact).into_iter().map(one).collect();
    let literal = |found: ValueFound| matches!(found, ValueFound::Field { .. } | ValueFound::Record { .. });
    let stand = values.iter().filter(|value| literal(value.found)).count();
    let decoded = values.iter().filter(|value| value.found == ValueFound::Decoded).count();
    let found = match (stand, decoded) {
        (0, _) => RawFound::Decoded,
        (_, 0) => RawFound::Literal,
        (_, _) => RawFound::Partly,
    };
    (values, found)
}

fn value_found(fact: &FactEntry, value: &BoundValue, own: Option<&Hay>, record: Option<&Hay>) -> ValueFound {
    let whole = |hay: Option<&Hay>, own| hay.and_then(|hay| stands::stands(&value.value, hay, own));
    // The fact states the quotation.
    let quoted = |hay: Option<&Hay>| stands::text(value.quotation.as_deref()?, hay?);
    if let Some(encoding) = whole(own, true).or_else(|| quoted(own)) {
        return ValueFound::Field { encoding };
    }
    if let Some(encoding) = whole(record, false).or_else(|| quoted(record)) {
        return ValueFound::Record { encoding };
    }
    if names_the_file(fact, &value.value) { ValueFound::Path } else { ValueFound::Decoded }
}

/// Whether the value is the path, the name or the stream under which the bytes were found.
fn names_the_file(fact: &FactEntry, value: &FieldValue) -> bool {
    let (FieldValue::Path(text) | FieldValue::Name(text)) = value else { return false };
    let path = fact.locator.path.as_str();
    let name = path.rsplit('/').next().unwrap_or_default();
    !text.is_empty() && (text == path || text == name || fact.locator.stream.as_ref() == Some(text))
}

fn summed(facts: Vec<RawFact>) -> RawSpans {
    let mut raw = RawSpans {
        all: RawTotals::default(),
        by_type: BTreeMap::new(),
        encodings: BTreeMap::new(),
        facts: Vec::new(),
    };
    for fact in &facts {
        raw.all.count(&fact.found);
        raw.by_type.entry(fact.kind.clone()).or_default().count(&fact.found);
        for value in &fact.values {
            match value.found {
                ValueFound::Field { encoding } | ValueFound::Record { encoding } => {
                    *raw.encodings.entry(encoding).or_default() += 1;
                }
                ValueFound::Path | ValueFound::Decoded => {}
            }
        }
    }
    raw.facts = facts;
    raw
}

impl RawTotals {
    fn count(&mut self, found: &RawFound) {
        self.facts += 1;
        *match found {
            RawFound::Literal => &mut self.literal,
            RawFound::Partly => &mut self.partly,
            RawFound::Decoded => &mut self.decoded,
            RawFound::NoSpan => &mut self.no_span,
            RawFound::Unreadable { .. } => &mut self.unreadable,
        } += 1;
    }
}

#[cfg(test)]
mod tests;
