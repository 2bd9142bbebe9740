//! Use case: verify a run, trusting neither the agents nor whoever held the folder.

mod nodes;
mod rejudge;

use crate::fetched::{Fetched, Payload, Wanted, beside};
use crate::judge::Bench;
use crate::seal::{Manifest, Sealing, read_manifest};
use graph::Run;
use ledger::event::{RunSealed, TaskHead};
use ledger::{Circumstance, Digest, Event, Output, Stream, TaskId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use store::Reader;

/// What was verified of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Certificate {
    /// The level reached; `None` where not even the log holds.
    pub level: Option<Level>,
    /// The last link of the chain, where it could be computed.
    pub head: Option<Digest>,
    /// Whether a manifest seals the run.
    pub sealed: bool,
    /// Events that hold.
    pub events: u64,
    /// Payloads that hold.
    pub payloads: u64,
    /// Facts found in stored outputs again.
    pub facts: u64,
    /// Claims whose verdict came out the same again.
    pub verdicts: u64,
    /// What does not hold, and where.
    pub findings: Vec<Finding>,
    /// Whether its tools ran confined; `None` where the log does not hold far enough to tell.
    #[serde(skip)]
    pub confined: Option<bool>,
}

/// What a verification reaches, lowest first (DESIGN §3.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The chain holds, and every payload is the one that its event names.
    LogConsistent,
    /// Besides, every fact stands in its stored output, and every verdict comes out the same.
    FactsStand,
}

/// Something that does not hold.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The place: a file, a position, an id.
    pub place: String,
    /// What is wrong there.
    pub what: String,
}

impl Certificate {
    /// Whether everything that was looked at holds.
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::LogConsistent => "log consistent",
            Level::FactsStand => "facts stand in stored outputs",
        })
    }
}

/// Verifies the run in `folder`; whatever is wrong is a finding, never an error.
pub fn verify(folder: &Path) -> Certificate {
    let mut check = Check::default();
    match Reader::open(folder) {
        Err(error) => check.find("run.db", &error),
        Ok(reader) => match Reader::open(folder) {
            Err(error) => check.find("run.db", &error),
            Ok(beside) => check.run(folder, &reader, beside),
        },
    }
    check.certificate()
}

#[derive(Default)]
struct Check {
    head: Option<Digest>,
    sealed: bool,
    events: u64,
    payloads: u64,
    facts: u64,
    verdicts: u64,
    log_holds: bool,
    confined: Option<bool>,
    findings: Vec<Finding>,
}

type Logged = Vec<(Stream, Event, Circumstance)>;

impl Check {
    fn find(&mut self, place: impl fmt::Display, error: &dyn std::error::Error) {
        let mut what = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            what.push_str(": ");
            what.push_str(&error.to_string());
            source = error.source();
        }
        self.say(place, what);
    }

    fn say(&mut self, place: impl fmt::Display, what: impl Into<String>) {
        self.findings.push(Finding { place: place.to_string(), what: what.into() });
    }

    fn certificate(self) -> Certificate {
        let level = match (self.log_holds, self.findings.is_empty()) {
            (true, true) => Some(Level::FactsStand),
            (true, false) => Some(Level::LogConsistent),
            (false, _) => None,
        };
        Certificate {
            level,
            head: self.head,
            sealed: self.sealed,
            events: self.events,
            payloads: self.payloads,
            facts: self.facts,
            verdicts: self.verdicts,
            findings: self.findings,
            confined: self.confined,
        }
    }

    fn run(&mut self, folder: &Path, reader: &Reader, payloads: Reader) {
        if let Err(error) = reader.check_schema() {
            self.find("run.db", &error);
        }
        let before = self.findings.len();
        let ((events, heads), fetched) = beside(payloads, |wanted| self.chain(reader, wanted));
        let whole = self.findings.len() == before;
        self.manifest(folder, &events, &heads);
        let outputs = self.payloads(reader, &fetched, &events);
        self.log_holds = self.findings.is_empty();
        match graph::fold(events.iter().cloned()) {
            Err(error) => self.find("the log", &error),
            Ok(run) => {
                self.confined = whole.then_some(run.opened.confined);
                self.claims(&run, &events, &outputs);
            }
        }
    }

    /// Every link, in order, up to the first that does not hold.
    fn chain(&mut self, reader: &Reader, wanted: &Wanted) -> (Logged, Vec<TaskHead>) {
        let mut logged = Vec::new();
        let mut events = reader.events();
        for event in events.by_ref() {
            match event {
                Ok((link, event, circumstance)) => {
                    wanted.of(&event);
                    logged.push((link.stream, event, circumstance));
                }
                Err(error) => self.find(format_args!("position {}", logged.len()), &error),
            }
        }
        self.events = logged.len() as u64;
        self.head = events.so_far().head();
        let head = |(stream, events, head)| match stream {
            Stream::Run => None,
            Stream::Task(task) => Some(TaskHead { task, events, head }),
        };
        let heads = events.so_far().streams().filter_map(head).collect();
        (logged, heads)
    }

    fn manifest(&mut self, folder: &Path, events: &Logged, heads: &[TaskHead]) {
        let sealed = match events.last() {
            Some((Stream::Run, Event::RunSealed(sealed), _)) => Some(sealed),
            _ => None,
        };
        match (read_manifest(folder), sealed) {
            (Err(error), _) => self.find(crate::MANIFEST, &error),
            (Ok(None), None) => {}
            (Ok(None), Some(_)) => {
                self.say(crate::MANIFEST, "the log is sealed, but the manifest is missing")
            }
            (Ok(Some(_)), None) => self.say("the log", "a manifest seals the run, but the log has no seal"),
            (Ok(Some(manifest)), Some(sealed)) => {
                self.sealed = true;
                self.seal(&manifest, sealed, events, heads);
            }
        }
    }

    /// The seal against the log before it, and the manifest against both: everything in it follows from the log.
    fn seal(&mut self, manifest: &Manifest, sealed: &RunSealed, events: &Logged, heads: &[TaskHead]) {
        if sealed.heads != heads {
            self.say("the seal", "the heads of the tasks are not those of the log");
        }
        let named: BTreeSet<Digest> = events.iter().filter_map(|(_, event, _)| event.payload()).collect();
        if sealed.payloads != named.len() as u64 {
            self.say("the seal", format!("expected {} payloads, found {}", named.len(), sealed.payloads));
        }
        let (Some((_, Event::RunOpened(opened), circumstance)), Some(head)) = (events.first(), self.head)
        else {
            return;
        };
        let assigned = events.iter().filter_map(|(_, event, _)| match event {
            Event::TaskAssigned(assigned) => Some(assigned),
            _ => None,
        });
        let end = Sealing { head, events: self.events, payloads: sealed.payloads };
        let run = circumstance.run.as_ref().unwrap_or(&manifest.run);
        match Manifest::of(run, opened, assigned, end) {
            Err(error) => self.find(crate::MANIFEST, &error),
            Ok(expected) if expected == *manifest => {}
            Ok(expected) if expected.head != manifest.head => {
                let what = format!("expected the head {}, found {}", manifest.head, expected.head);
                self.say(crate::MANIFEST, what);
            }
            Ok(_) => self.say(crate::MANIFEST, "it does not say what the log says"),
        }
    }

    /// Every payload that an event names, read again; and none that no event names.
    fn payloads(
        &mut self,
        reader: &Reader,
        fetched: &Fetched,
        events: &Logged,
    ) -> BTreeMap<Digest, Arc<Output>> {
        let mut outputs = BTreeMap::new();
        let mut named = BTreeSet::new();
        for (position, (_, event, _)) in events.iter().enumerate() {
            let Some(digest) = event.payload().filter(|digest| named.insert(*digest)) else { continue };
            let place = || format!("payload {digest} of position {position} ({})", event.name());
            let payload = match fetched.get(&digest) {
                Ok(Some(payload)) => payload,
                Ok(None) => {
                    self.say(place(), "it is missing");
                    continue;
                }
                Err(error) => {
                    self.find(place(), &*error);
                    continue;
                }
            };
            self.payloads += 1;
            match (event, payload) {
                (Event::TurnReplied(replied), Payload::Reply(Ok(reply))) => {
                    if reply.calls().count() != replied.calls as usize {
                        self.say(place(), "it makes another number of calls than its event says");
                    }
                }
                (_, Payload::Output(Ok(output))) => drop(outputs.insert(digest, output)),
                (_, Payload::Reply(Ok(_))) => self.say(place(), "another event names it as a reply"),
                (_, Payload::Output(Err(error))) => self.find(place(), &*error),
                (_, Payload::Reply(Err(error))) => self.find(place(), &*error),
            }
        }
        self.sizes(events, &outputs);
        // Behind a break of the chain events are not known, nor what they name.
        let broken = !self.findings.is_empty();
        match reader.payload_index() {
            _ if broken => {}
            Err(error) => self.find("the table payloads", &error),
            Ok(index) => {
                for entry in index {
                    match entry {
                        Err(error) => self.find("the table payloads", &error),
                        Ok(entry) if named.contains(&entry.digest) => {}
                        Ok(entry) => self.say(format!("payload {}", entry.digest), "no event names it"),
                    }
                }
            }
        }
        outputs
    }

    /// What events say of their outputs' sizes.
    fn sizes(&mut self, events: &Logged, outputs: &BTreeMap<Digest, Arc<Output>>) {
        for (_, event, _) in events {
            let Event::InvocationEnded(ended) = event else { continue };
            let output = ended.output.and_then(|digest| outputs.get(&digest));
            let (records, bytes) = output.map_or((0, 0), |output| (output.count(), output.bytes().len()));
            let shown = ended.shown.iter().all(|range| range.end.0 as usize <= records);
            if ended.records as usize != records || ended.bytes != bytes as u64 || !shown {
                self.say(ended.invocation, "its output has another size than the log says");
            }
            // An absence rests on it that nothing was found.
            if !ended.outcome.grounds() && records > 0 {
                self.say(ended.invocation, "it has records, but did not end as a call that found some");
            }
        }
    }

    /// Every fact against its stored output, and every verdict again.
    fn claims(&mut self, run: &Run, events: &Logged, outputs: &BTreeMap<Digest, Arc<Output>>) {
        let bench = Bench::new(&run.opened);
        for (task, accepted) in run.facts() {
            let fact = &accepted.fact;
            match (run.invocation(fact.invocation), outputs.get(&fact.output)) {
                (Some((owner, _)), Some(output)) if owner == task => match bench.recheck(fact, output) {
                    Ok(()) => self.facts += 1,
                    Err(error) => self.find(fact.id, &error),
                },
                (Some((owner, _)), Some(_)) => {
                    self.say(
                        fact.id,
                        format!("{task} states it, but {} belongs to {owner}", fact.invocation),
                    );
                }
                (None, _) | (_, None) => self.say(fact.id, "its invocation or output is not in the log"),
            }
        }
        for task in run.tasks.values() {
            let silent = nodes::unsupported(&task.entities, &task.relations, |id| run.fact(id));
            for (node, what) in silent {
                self.say(node, what);
            }
        }
        let tasks: Vec<TaskId> = run.tasks.keys().copied().collect();
        let logged = events.iter().map(|(stream, event, _)| (*stream, event));
        let rejudged = rejudge::rejudge(&run.opened, logged, outputs, &tasks);
        self.verdicts = rejudged.same;
        for (claim, what) in rejudged.other {
            self.say(claim, what);
        }
    }
}
