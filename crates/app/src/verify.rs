//! Use case: verify a run without trusting the agents or anyone who held the folder.

mod absent;
mod asked;
mod certificate;
mod connected;
mod course;
mod derived;
mod edges;
mod evidence;
mod handed;
mod head;
mod head_alone;
mod hunted;
mod ids;
mod keep;
mod log;
mod nodes;
mod payloads;
mod rejudge;
mod sealed;
mod shown;
mod signature;
mod stated;
mod swept;
mod timestamp;
mod told;
mod whole;
mod words;

pub use certificate::{CallsAgain, Certificate, EvidenceOf, Finding, IntegrityOf, Level, Reach, Standing};
pub use evidence::{EvidenceLooked, verify_over_evidence};
pub use head::{HeadError, KeptHead};
pub use head_alone::HEAD_ALONE;
pub use keep::{Keep, KeepError, keep_certificate};
pub use signature::{Checker, SignatureError, Signer};
pub(crate) use signature::{LONGEST_SIGNATURE, beside as signature_path, sign_beside};
pub use timestamp::timestamp_request;

use crate::fetched::{Wanted, beside};
use crate::judge::Bench;
use crate::names::told;
use graph::{Disclosure, Run};
use ledger::event::TaskHead;
use ledger::{Digest, Event, KeyMaker, RunKey, Stream, TaskId};
use log::{Found, Log, Logged};
use payloads::Payloads;
use std::path::{Path, PathBuf};
use store::Reader;

/// Verifies the run in `folder`; every problem is a finding, never an error.
pub fn verify(folder: &Path) -> Certificate {
    verify_against(folder, None)
}

/// Verifies the run in `folder`, and compares its head with one that is kept elsewhere.
pub fn verify_against(folder: &Path, kept: Option<&KeptHead>) -> Certificate {
    let mut certificate = Certificate::empty();
    match Reader::open(folder) {
        Err(error) => {
            certificate.examine(Level::LogConsistent, vec![("run.db".to_owned(), told(&error))]);
        }
        // A second handle fetches the payloads that the events from the first one name.
        Ok(reader) => match Reader::open(folder) {
            Err(error) => {
                certificate.examine(Level::LogConsistent, vec![("run.db".to_owned(), told(&error))]);
            }
            Ok(beside) => read(&mut certificate, folder, &reader, beside, kept),
        },
    }
    certificate
}

fn read(
    certificate: &mut Certificate,
    folder: &Path,
    reader: &Reader,
    payloads: Reader,
    kept: Option<&KeptHead>,
) {
    let mut found = Vec::new();
    if let Err(error) = reader.check_schema() {
        found.push(("run.db".to_owned(), told(&error)));
    }
    let (mut chain, fetched) = beside(payloads, |wanted| Chain::read(reader, wanted));
    let whole = chain.found.is_empty();
    found.append(&mut chain.found);
    let (sealed, unsealed) = sealed::check(folder, &chain.events, chain.head(), &chain.heads);
    found.extend(unsealed);
    let mut payloads = payloads::read(reader, &fetched, &chain.events, whole && found.is_empty());
    found.append(&mut payloads.found);
    (certificate.sealed, certificate.events) = (sealed, chain.events.len() as u64);
    (certificate.head, certificate.payloads) = (chain.head().filter(|_| whole), payloads.number);
    describe(certificate, &chain.events, whole);
    certificate.examine(Level::LogConsistent, found);
    // Beyond a break the events are unknown, so a missing event could not be detected.
    if whole {
        let found = content(certificate, &chain.events, &chain.key.clone().finish(), &payloads);
        certificate.examine(Level::FactsStand, found);
    }
    if let Some(kept) = kept {
        certificate.examine(Level::HeadAnchored, chain.against(kept));
    }
}

/// The events up to the first broken one.
struct Chain {
    events: Logged,
    /// The run's link at each position.
    links: Vec<Digest>,
    heads: Vec<TaskHead>,
    /// Derives the key for the salts of the commitments to its facts.
    key: KeyMaker,
    found: Vec<Found>,
}

impl Chain {
    fn read(reader: &Reader, wanted: &Wanted) -> Chain {
        let (events, links, heads, found) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut chain = Chain { events, links, heads, key: KeyMaker::default(), found };
        let mut events = reader.events();
        for event in events.by_ref() {
            match event {
                Ok((link, event, circumstance)) => {
                    wanted.of(&event);
                    chain.key.take(&link);
                    chain.links.push(link.run_hash);
                    chain.events.push((link.stream, event, circumstance));
                }
                Err(error) => {
                    let position = format!("position {}", chain.events.len());
                    chain.found.push((position, told(&error)));
                }
            }
        }
        let head = |(stream, events, head)| match stream {
            Stream::Run => None,
            Stream::Task(task) => Some(TaskHead { task, events, head }),
        };
        chain.heads = events.so_far().streams().filter_map(head).collect();
        chain
    }

    fn head(&self) -> Option<Digest> {
        self.links.last().copied()
    }

    /// Compares the chain with a head that is kept elsewhere.
    fn against(&self, kept: &KeptHead) -> Vec<Found> {
        let what = match (self.links.iter().position(|link| *link == kept.head), self.head()) {
            (Some(position), _) if position + 1 == self.links.len() => return Vec::new(),
            (Some(position), _) => format!(
                "the head kept elsewhere, {}, is that of its first {} events: nobody vouches for the {} after them",
                kept.head,
                position + 1,
                self.links.len() - position - 1
            ),
            (None, Some(head)) => format!("expected {}, which is kept elsewhere, found {head}", kept.head),
            (None, None) => format!("expected {}, which is kept elsewhere, found no event", kept.head),
        };
        vec![("the head".to_owned(), what)]
    }
}

/// Fills in what the log says about the run.
fn describe(certificate: &mut Certificate, events: &Logged, whole: bool) {
    let Some((_, Event::RunOpened(opened), circumstance)) = events.first() else { return };
    certificate.run.clone_from(&circumstance.run);
    certificate.format = Some(opened.format);
    certificate.program = Some(opened.program.clone());
    certificate.confined = Some(opened.confined).filter(|_| whole);
    certificate.evidence_paths = circumstance.evidence.values().map(PathBuf::from).collect();
    let hashed = |label: &str| {
        let mut hashed = events.iter().filter_map(|(_, event, _)| match event {
            Event::EvidenceHashed(hashed) => Some(hashed),
            _ => None,
        });
        hashed.find(|hashed| hashed.evidence == label)
    };
    let evidence = opened.case.evidence.iter().map(|entry| EvidenceOf {
        label: entry.label.clone(),
        kind: entry.kind,
        expected_sha256: entry.expected_sha256,
        integrity: hashed(&entry.label).map(|hashed| IntegrityOf::new(&hashed.integrity, hashed.as_expected)),
    });
    certificate.evidence = evidence.collect();
}

/// Checks the events against the payloads and against each other.
fn content(certificate: &mut Certificate, events: &Logged, key: &RunKey, payloads: &Payloads) -> Vec<Found> {
    let Some((_, Event::RunOpened(opened), _)) = events.first() else {
        return vec![("position 0".to_owned(), "it does not open a run".to_owned())];
    };
    let log = Log { events, opened, replies: &payloads.replies, outputs: &payloads.outputs };
    let mut found = [
        ids::misplaced(log),
        whole::amiss(log),
        course::astray(log),
        absent::uncovered(log),
        derived::unfounded(log),
        told::unfounded(log),
    ]
    .concat();
    match graph::fold(events.iter().cloned()) {
        Err(error) => found.push(("the log".to_owned(), told(&error))),
        Ok(run) => {
            match Disclosure::whole(&run, key) {
                Ok(disclosure) => certificate.facts_root = Some(disclosure.root),
                Err(error) => found.push(("the facts".to_owned(), told(&error))),
            }
            found.extend(edges::other(log, &run.graph));
            found.extend(swept::amiss(&run));
            found.extend(hunted::amiss(&run));
            found.extend(asked::amiss(&run));
            found.extend(connected::amiss(&run));
            found.extend(claims(certificate, &run, log));
        }
    }
    found
}

/// Checks every fact against its stored output and every node against its facts, and computes every verdict again.
fn claims(certificate: &mut Certificate, run: &Run, log: Log<'_>) -> Vec<Found> {
    let bench = Bench::new(&run.opened);
    let mut found = Vec::new();
    for (task, accepted) in run.facts() {
        let fact = &accepted.fact;
        let what = match (run.invocation(fact.invocation), log.outputs.get(&fact.output)) {
            (Some((owner, _)), Some(output)) if owner == task => match bench.recheck(fact, output) {
                Ok(()) => {
                    certificate.facts += 1;
                    continue;
                }
                Err(error) => told(&error),
            },
            (Some((owner, _)), Some(_)) => {
                format!("{task} states it, but {} belongs to {owner}", fact.invocation)
            }
            (None, _) | (_, None) => "its invocation or output is not in the log".to_owned(),
        };
        found.push((fact.id.to_string(), what));
    }
    for task in run.tasks.values() {
        let silent = nodes::unsupported(&task.entities, &task.relations, |id| run.fact(id));
        found.extend(silent.into_iter().map(|(node, what)| (node.to_string(), what)));
    }
    let tasks: Vec<TaskId> = run.tasks.keys().copied().collect();
    let logged = log.events.iter().map(|(stream, event, _)| (*stream, event));
    let rejudged = rejudge::rejudge(&run.opened, logged, log.outputs, &tasks);
    certificate.verdicts = rejudged.same;
    found.extend(rejudged.other.into_iter().map(|(claim, what)| (claim.to_string(), what)));
    found
}
