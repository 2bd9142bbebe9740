//! Runs stored as histories (`fixtures/histories`): one line per event. If an event is the first to name a payload, a line for the payload precedes it.

use ledger::event::{Format, Stored};
use ledger::{Event, FORMAT, Stream};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use store::{Durability, Entry, Writer};

/// Members of a run's first event that other runs share: each is a file of `parts`, named by its digest.
pub const SHARED: [&str; 3] = ["tools", "vocabulary", "writers"];

/// Creates a run in `folder` from a history, sealed if the history is; it has no manifest.
pub fn run_of(history: &str, fixtures: &Path, folder: &Path) -> io::Result<()> {
    let writer = Writer::create(folder).map_err(io::Error::other)?;
    let (mut waiting, mut known, mut format) = (None, BTreeSet::new(), FORMAT);
    for line in history.lines() {
        let mut line: Value = serde_json::from_str(line)?;
        if let Some(payload) = line["payload"].as_str() {
            waiting = Some(Arc::<[u8]>::from(payload.as_bytes()));
            continue;
        }
        take_in(&mut line, fixtures)?;
        let event = Event::from_stored(line["event"].to_string().as_bytes()).map_err(io::Error::other)?;
        let circumstance = serde_json::from_value(line["circumstance"].take())?;
        let stream = line["stream"].as_u64().and_then(|stream| stream.try_into().ok());
        let stream = Stream::from_number(stream.ok_or_else(|| io::Error::other("a line without a stream"))?);
        let fresh = event.payload().is_some_and(|digest| known.insert(digest));
        let payload = if fresh { waiting.take() } else { None };
        let sealed = matches!(event, Event::RunSealed(_));
        if let Event::RunOpened(opened) = &event {
            format = opened.format;
        }
        let entry = Entry { stream, event, circumstance, payload };
        match sealed {
            true => drop(writer.seal(vec![entry]).map_err(io::Error::other)?),
            false => drop(writer.append(vec![entry], Durability::Buffered).map_err(io::Error::other)?),
        }
    }
    drop(writer);
    // An older run's file also has the older format number.
    edit(folder, &format!("PRAGMA user_version = {}", marked(format)))
}

fn take_in(line: &mut Value, fixtures: &Path) -> io::Result<()> {
    for member in SHARED {
        let Some(value) = line.pointer_mut(&format!("/event/fields/{member}")) else { continue };
        if let Some(digest) = value.as_str() {
            *value = serde_json::from_slice(&std::fs::read(fixtures.join(format!("parts/{digest}.json")))?)?;
        }
    }
    Ok(())
}

/// Returns a format in the notation of a file's header.
pub fn marked(format: Format) -> i64 {
    (i64::from(format.major) << 16) + i64::from(format.minor)
}

/// Changes a run's file by SQL.
pub fn edit(run: &Path, sql: &str) -> io::Result<()> {
    let path = run.join("run.db");
    let mut permissions = path.metadata()?.permissions();
    #[expect(clippy::permissions_set_readonly_false, reason = "it is written where nobody should")]
    permissions.set_readonly(false);
    std::fs::set_permissions(&path, permissions)?;
    let connection = rusqlite::Connection::open(path).map_err(io::Error::other)?;
    connection.execute_batch(sql).map_err(io::Error::other)
}
