//! A log in the hands of a forger: rows that can be edited freely, and rechained and resealed according to `docs/run-format.md`.

use crate::random::Random;
use crate::tamper::{guards, write};
use ledger::{Digest, canonical};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

/// The row of an event; its sequence number and hashes are computed when the log is written.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) stream: u16,
    pub(super) name: String,
    pub(super) event: Vec<u8>,
    pub(super) circumstance: Vec<u8>,
}

/// A run that is being forged.
#[derive(Debug, Clone)]
pub(super) struct Log {
    pub(super) rows: Vec<Row>,
    /// The uncompressed payloads, by digest.
    pub(super) payloads: BTreeMap<Digest, Vec<u8>>,
    /// The digests of payloads that are stored under a different digest.
    pub(super) misnamed: BTreeMap<Digest, Digest>,
    manifest: Value,
    /// Whether the seal is recomputed as well.
    reseals: bool,
}

impl Row {
    pub(super) fn value(&self) -> Value {
        serde_json::from_slice(&self.event).unwrap_or_default()
    }

    /// Stores the event in canonical form.
    pub(super) fn put(&mut self, value: &Value) {
        self.event = canonical::to_vec(value).unwrap_or_default();
    }

    /// Changes the event; `None` if the change is impossible or has no effect.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Value) -> Option<()>) -> Option<()> {
        let before = self.value();
        let mut value = before.clone();
        change(&mut value)?;
        (value != before).then(|| self.put(&value))
    }
}

impl Log {
    /// Reads a run in its plain form.
    pub(super) fn read(run: &Path) -> io::Result<Log> {
        let manifest = serde_json::from_slice(&std::fs::read(run.join("manifest.json"))?)?;
        let (rows, payloads) = read(&run.join("run.db")).map_err(io::Error::other)?;
        Ok(Log { rows, payloads, misnamed: BTreeMap::new(), manifest, reseals: true })
    }

    /// Returns a text member of the manifest.
    pub(super) fn manifest(&self, member: &str) -> Option<String> {
        self.manifest[member].as_str().map(str::to_owned)
    }

    /// Picks an event with this name.
    pub(super) fn any(&self, name: &str, random: &mut Random) -> Option<usize> {
        self.any_of(random, |row| row.name == name)
    }

    /// Picks an event for which `wanted` returns true.
    pub(super) fn any_of(&self, random: &mut Random, wanted: impl Fn(&Row) -> bool) -> Option<usize> {
        let all: Vec<usize> =
            self.rows.iter().enumerate().filter(|(_, row)| wanted(row)).map(|(at, _)| at).collect();
        random.pick(&all).copied()
    }

    /// Returns the row of the first event with `value` in the member `member`.
    pub(super) fn find(&self, name: &str, member: &str, value: &Value) -> Option<usize> {
        self.rows.iter().position(|row| row.name == name && row.value()["fields"][member] == *value)
    }

    /// Replaces a payload, and its digest wherever it occurs.
    pub(super) fn replace(&mut self, old: &Digest, bytes: Vec<u8>) {
        let new = Digest::of(&bytes);
        let (from, to) = (old.to_string(), new.to_string());
        for row in &mut self.rows {
            row.event = replaced(&row.event, from.as_bytes(), to.as_bytes());
        }
        self.payloads.remove(old);
        self.payloads.insert(new, bytes);
    }

    /// Writes the log over the run in `folder`, with a new chain, seal and manifest.
    pub(super) fn write(mut self, folder: &Path) -> io::Result<()> {
        if self.reseals {
            self.reseal();
        }
        let head = self.put_rows(&folder.join("run.db")).map_err(io::Error::other)?;
        self.manifest["head"] = head.to_string().into();
        self.manifest["events"] = self.rows.len().into();
        self.manifest["payloads"] = self.payloads.len().into();
        write(&folder.join("manifest.json"), &serde_json::to_vec_pretty(&self.manifest)?)
    }

    /// Recomputes the seal now rather than when the log is written, so that later changes to it stay.
    pub(super) fn true_seal(&mut self) {
        self.reseal();
        self.reseals = false;
    }

    /// Replaces the last event by a correct `run_sealed` for this log.
    fn reseal(&mut self) {
        let mut heads: BTreeMap<u16, (u64, Digest)> = BTreeMap::new();
        for (stream, sequence, hash) in self.streams() {
            heads.insert(stream, (sequence + 1, hash));
        }
        let heads = heads
            .into_iter()
            .filter(|(stream, _)| *stream != 0)
            .map(|(task, (events, head))| json!({"task": task, "events": events, "head": head.to_string()}));
        let (heads, payloads): (Vec<Value>, usize) = (heads.collect(), self.payloads.len());
        if let Some(last) = self.rows.last_mut().filter(|row| row.name == "run_sealed") {
            let mut value = last.value();
            value["fields"]["heads"] = heads.into();
            value["fields"]["payloads"] = payloads.into();
            last.put(&value);
        }
    }

    /// Returns each event's stream, its position there, and the stream's link.
    fn streams(&self) -> Vec<(u16, u64, Digest)> {
        let mut last: BTreeMap<u16, (u64, Digest)> = BTreeMap::new();
        let link = |row: &Row| {
            let before = last.get(&row.stream).copied();
            let sequence = before.map_or(0, |(sequence, _)| sequence + 1);
            let numbers = [&row.stream.to_le_bytes()[..], &(sequence as u32).to_le_bytes()].concat();
            let previous = before.map(|(_, hash)| hash);
            let previous = previous.as_ref().map(|hash| &hash.as_bytes()[..]).unwrap_or_default();
            let hash = Digest::of_parts(&[b"locard stream", previous, &numbers, &row.event]);
            last.insert(row.stream, (sequence, hash));
            (row.stream, sequence, hash)
        };
        self.rows.iter().map(link).collect()
    }

    fn put_rows(&self, file: &Path) -> rusqlite::Result<Digest> {
        let connection = Connection::open(file)?;
        let (drop_all, restore) = guards(&connection)?;
        connection.execute_batch(&format!("BEGIN; {drop_all} DELETE FROM events;"))?;
        let mut head: Option<Digest> = None;
        let mut insert = connection.prepare(
            "INSERT INTO events VALUES (?1, ?2, ?3, ?4, CAST(?5 AS TEXT), CAST(?6 AS TEXT), ?7, ?8)",
        )?;
        for (position, (row, (stream, sequence, hash))) in self.rows.iter().zip(self.streams()).enumerate() {
            let place = (position as u64).to_le_bytes();
            let previous = head.as_ref().map(|hash| &hash.as_bytes()[..]).unwrap_or_default();
            let link =
                Digest::of_parts(&[b"locard run", previous, &place, hash.as_bytes(), &row.circumstance]);
            let (hash, link_bytes) = (&hash.as_bytes()[..], &link.as_bytes()[..]);
            insert.execute(params![
                position as i64,
                stream,
                sequence as i64,
                row.name,
                row.event,
                row.circumstance,
                hash,
                link_bytes
            ])?;
            head = Some(link);
        }
        drop(insert);
        self.put_payloads(&connection)?;
        connection.execute_batch(&format!("{restore} COMMIT;"))?;
        Ok(head.unwrap_or_else(|| Digest::of(b"")))
    }

    /// Writes the payloads; existing ones keep their stored form.
    fn put_payloads(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut select = connection.prepare("SELECT digest FROM payloads")?;
        let there: BTreeSet<Vec<u8>> = select.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let stored: BTreeMap<&[u8], &Vec<u8>> = self
            .payloads
            .iter()
            .map(|(digest, body)| (&self.misnamed.get(digest).unwrap_or(digest).as_bytes()[..], body))
            .collect();
        for digest in there.iter().filter(|digest| !stored.contains_key(digest.as_slice())) {
            connection.execute("DELETE FROM payloads WHERE digest = ?1", [digest])?;
        }
        for (digest, body) in stored.iter().filter(|(digest, _)| !there.contains(**digest)) {
            connection.execute(
                "INSERT INTO payloads VALUES (?1, 'raw', ?2, ?3)",
                params![digest, body.len() as i64, body],
            )?;
        }
        Ok(())
    }
}

type Rows = (Vec<Row>, BTreeMap<Digest, Vec<u8>>);

fn read(file: &Path) -> rusqlite::Result<Rows> {
    let connection = Connection::open(file)?;
    let mut select = connection.prepare(
        "SELECT stream, name, CAST(event AS BLOB), CAST(circumstance AS BLOB) FROM events ORDER BY position",
    )?;
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Row { stream: row.get(0)?, name: row.get(1)?, event: row.get(2)?, circumstance: row.get(3)? })
    };
    let rows = select.query_map([], row)?.collect::<Result<_, _>>()?;
    let mut select = connection.prepare("SELECT body FROM payloads")?;
    let bodies = select.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
    let payloads = bodies.map(|body| body.map(|body| (Digest::of(&body), body)));
    Ok((rows, payloads.collect::<Result<_, _>>()?))
}

/// Returns the bytes with each `from` replaced by `to`.
pub(super) fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
    while let Some(at) = rest.windows(from.len().max(1)).position(|window| window == from) {
        let (before, behind) = rest.split_at(at);
        out.extend_from_slice(before);
        out.extend_from_slice(to);
        rest = behind.get(from.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}
