//! Checks the seal against the log before it, and the manifest against both: everything in the manifest follows from the log.

use super::log::{Found, Logged};
use crate::names::told;
use crate::seal::{MANIFEST, Manifest, Sealing, read_manifest};
use ledger::event::{RunSealed, TaskHead};
use ledger::{Digest, Event, Stream};
use std::collections::BTreeSet;
use std::path::Path;
use store::FILE_NAME;

/// Returns whether a manifest seals the run, and where seal and manifest contradict the log.
pub(super) fn check(
    folder: &Path,
    events: &Logged,
    head: Option<Digest>,
    heads: &[TaskHead],
) -> (bool, Vec<Found>) {
    let sealed = match events.last() {
        Some((Stream::Run, Event::RunSealed(sealed), _)) => Some(sealed),
        _ => None,
    };
    let found = |place: &str, what: &str| vec![(place.to_owned(), what.to_owned())];
    match (read_manifest(folder), sealed) {
        (Err(error), _) => (false, found(MANIFEST, &told(&error))),
        (Ok(None), None) => (false, Vec::new()),
        (Ok(None), Some(_)) => (
            false,
            found(
                MANIFEST,
                "the log is sealed, but the manifest is missing; `locard resume` writes it where a run was stopped at that moment",
            ),
        ),
        (Ok(Some(_)), None) => (
            false,
            found("the log", "a manifest seals the run, but the last event that can be read is not a seal"),
        ),
        (Ok(Some(manifest)), Some(sealed)) => {
            (true, [seal(&manifest, sealed, events, head, heads), journals(folder)].concat())
        }
    }
}

/// Returns journals of SQLite that are not empty: a sealed run has none, and SQLite might read their contents instead of the sealed ones.
fn journals(folder: &Path) -> Vec<Found> {
    let found = ["-wal", "-shm", "-journal"].into_iter().filter_map(|suffix| {
        let name = format!("{FILE_NAME}{suffix}");
        let length = folder.join(&name).metadata().ok()?.len();
        (length > 0).then(|| {
            (name, format!("expected no file beside a sealed run, or an empty one, found {length} bytes"))
        })
    });
    found.collect()
}

fn seal(
    manifest: &Manifest,
    sealed: &RunSealed,
    events: &Logged,
    head: Option<Digest>,
    heads: &[TaskHead],
) -> Vec<Found> {
    let mut found = Vec::new();
    let mut say = |place: &str, what: String| found.push((place.to_owned(), what));
    if sealed.heads != heads {
        say("the seal", "the heads of the tasks are not those of the log".to_owned());
    }
    let named: BTreeSet<Digest> = events.iter().filter_map(|(_, event, _)| event.payload()).collect();
    if sealed.payloads != named.len() as u64 {
        say("the seal", format!("expected {} payloads, found {}", named.len(), sealed.payloads));
    }
    let (Some((_, Event::RunOpened(opened), circumstance)), Some(head)) = (events.first(), head) else {
        return found;
    };
    let assigned = events.iter().filter_map(|(_, event, _)| match event {
        Event::TaskAssigned(assigned) => Some(assigned),
        _ => None,
    });
    let end = Sealing { head, events: events.len() as u64, payloads: sealed.payloads };
    let run = circumstance.run.as_ref().unwrap_or(&manifest.run);
    match Manifest::of(run, opened, assigned, end) {
        Err(error) => say(MANIFEST, told(&error)),
        Ok(expected) if expected == *manifest => {}
        Ok(expected) if expected.head != manifest.head => {
            say(MANIFEST, format!("expected the head {}, found {}", manifest.head, expected.head));
        }
        Ok(_) => say(MANIFEST, "it does not say what the log says".to_owned()),
    }
    found
}
