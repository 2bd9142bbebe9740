//! Use case: verify a run, trusting neither the agents nor whoever held the folder.

mod rejudge;

use crate::judge::Bench;
use crate::seal::{Manifest, read_manifest};
use graph::Run;
use ledger::event::RunSealed;
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
        Ok(reader) => check.run(folder, &reader),
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
        }
    }

    fn run(&mut self, folder: &Path, reader: &Reader) {
        if let Err(error) = reader.check_schema() {
            self.find("run.db", &error);
        }
        let events = self.chain(reader);
        self.manifest(folder, &events);
        let outputs = self.payloads(reader, &events);
        self.log_holds = self.findings.is_empty();
        match graph::fold(events.iter().cloned()) {
            Err(error) => self.find("the log", &error),
            Ok(run) => self.claims(&run, &events, &outputs),
        }
    }

    /// Every link, in order, up to the first that does not hold.
    fn chain(&mut self, reader: &Reader) -> Logged {
        let mut logged = Vec::new();
        let mut events = reader.events();
        for event in events.by_ref() {
            match event {
                Ok((link, event, circumstance)) => logged.push((link.stream, event, circumstance)),
                Err(error) => self.find(format_args!("position {}", logged.len()), &error),
            }
        }
        self.events = logged.len() as u64;
        self.head = events.so_far().head();
        logged
    }

    fn manifest(&mut self, folder: &Path, events: &Logged) {
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
                self.seal(&manifest, sealed, events);
            }
        }
    }

    fn seal(&mut self, manifest: &Manifest, sealed: &RunSealed, events: &Logged) {
        if self.head != Some(manifest.head) {
            let found = self.head.map_or_else(|| "nothing".to_owned(), |head| head.to_string());
            self.say(crate::MANIFEST, format!("expected the head {}, found {found}", manifest.head));
        }
        if self.events != manifest.events || sealed.payloads != manifest.payloads {
            self.say(crate::MANIFEST, "the numbers of events and payloads are not those of the log");
        }
        let mut last: BTreeMap<TaskId, u32> = BTreeMap::new();
        for (stream, ..) in events {
            if let Stream::Task(task) = stream {
                *last.entry(*task).or_default() += 1;
            }
        }
        let counted: BTreeMap<TaskId, u32> =
            sealed.heads.iter().map(|head| (head.task, head.events)).collect();
        if counted != last {
            self.say("the seal", "the numbers of events of the tasks are not those of the log");
        }
    }

    /// Every payload that an event names, read again; and none that no event names.
    fn payloads(&mut self, reader: &Reader, events: &Logged) -> BTreeMap<Digest, Arc<Output>> {
        let mut outputs = BTreeMap::new();
        let mut named = BTreeSet::new();
        for (position, (_, event, _)) in events.iter().enumerate() {
            let Some(digest) = event.payload().filter(|digest| named.insert(*digest)) else { continue };
            let place = format!("payload {digest} of position {position} ({})", event.name());
            let bytes = match reader.payload(&digest) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => {
                    self.say(place, "it is missing");
                    continue;
                }
                Err(error) => {
                    self.find(place, &error);
                    continue;
                }
            };
            self.payloads += 1;
            if matches!(event, Event::InvocationEnded(_)) {
                match Output::decode(&bytes) {
                    Ok(output) => drop(outputs.insert(digest, Arc::new(output))),
                    Err(error) => self.find(place, &error),
                }
            }
        }
        match reader.payload_index() {
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

    /// Every fact against its stored output, and every verdict again.
    fn claims(&mut self, run: &Run, events: &Logged, outputs: &BTreeMap<Digest, Arc<Output>>) {
        let bench = Bench::new(&run.opened);
        for (task, accepted) in run.facts() {
            let fact = &accepted.fact;
            match (run.invocation(fact.invocation), outputs.get(&fact.output)) {
                (Some((owner, _)), Some(output)) if owner == task => {
                    match ground::recheck(fact, output, bench.vocabulary(), bench.types()) {
                        Ok(()) => self.facts += 1,
                        Err(error) => self.find(fact.id, &error),
                    }
                }
                (Some((owner, _)), Some(_)) => {
                    self.say(
                        fact.id,
                        format!("{task} states it, but {} belongs to {owner}", fact.invocation),
                    );
                }
                (None, _) | (_, None) => self.say(fact.id, "its invocation or output is not in the log"),
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
