//! Events exported from a log as XML or JSON, plain or compressed with gzip.
//!
//! They give the same records as the log itself. Somebody chose what to export, so an export shows no absence.

use super::Source;
use super::event_log::{Met, Visit};
use crate::intake::Flow;
use artifacts::event_text::{self, Begun, TextFound, begins};
use evidence::{ReadAt, ReadError};
use flate2::read::MultiGzDecoder;
use std::io::{self, Read};
use std::ops::ControlFlow;

/// Usual names of such files; many other files have such names, too.
pub(super) const NAMES: &[&str] =
    &["*.xml", "*.json", "*.jsonl", "*.ndjson", "*.xml.gz", "*.json.gz", "*.jsonl.gz", "*.ndjson.gz"];

/// Why an exported log shows no absence: the reason of its gap.
pub const CHOSEN: &str = "an exported log: which events it leaves out is not known";

/// The first bytes of a file compressed with gzip (RFC 1952).
const GZIP: [u8; 3] = [0x1F, 0x8B, 8];

/// The most bytes that are expanded from one file.
const MOST: u64 = 16 << 30;

/// Recognises an exported log by its first bytes.
pub(super) fn begun(head: &[u8]) -> Option<Begun> {
    if !head.starts_with(&GZIP) {
        return begins(head);
    }
    let mut text = vec![0; super::HEAD];
    let mut expanded = flate2::read::GzDecoder::new(head);
    let mut got = 0;
    // The head ends within the compressed data: what was expanded up to there counts.
    while let Some(room) = text.get_mut(got..).filter(|room| !room.is_empty()) {
        match expanded.read(room) {
            Ok(0) | Err(_) => break,
            Ok(more) => got += more,
        }
    }
    begins(text.get(..got)?)
}

/// Reads the events of an exported log.
pub(super) fn each(
    source: &mut Source<'_, '_>,
    begun: Begun,
    visit: &mut Visit<'_>,
) -> Result<Flow, ReadError> {
    let is_compressed = super::head(source.tree, source.node, source.stream)?.0.starts_with(&GZIP);
    let mut plain = Plain { reader: source.open()?, at: 0, failed: None };
    source.gap(CHOSEN);
    if !is_compressed {
        return event_text::read(begun, &mut |buffer| plain.next(buffer), &mut |found| {
            met(source, found, true, visit)
        });
    }
    let mut expanded = MultiGzDecoder::new(plain).take(MOST);
    let mut broken = None;
    let flow = event_text::read(
        begun,
        &mut |buffer| {
            let got = expanded.read(buffer).unwrap_or_else(|error| {
                broken = Some(error);
                0
            });
            Ok::<_, std::convert::Infallible>(got)
        },
        &mut |found| met(source, found, false, visit),
    );
    let is_whole = expanded.limit() > 0;
    let Plain { failed, at, .. } = expanded.into_inner().into_inner();
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(error) = broken {
        let told = visit(source, Met::Damage(at, format!("what is compressed by gzip ends here: {error}")));
        return Ok(told);
    }
    if !is_whole {
        source.gap(format!("only the first {MOST} expanded bytes were read"));
    }
    Ok(flow.unwrap_or(ControlFlow::Continue(())))
}

fn met(source: &mut Source<'_, '_>, found: TextFound<'_>, is_there: bool, visit: &mut Visit<'_>) -> Flow {
    match found {
        TextFound::Event(mut event) => {
            if let Some(exported) = &mut event.exported {
                exported.stands_there(is_there);
            }
            visit(source, Met::Event(event))
        }
        TextFound::Damage(damage) => {
            let what = crate::returned::chain(&damage.what);
            match is_there {
                true => visit(source, Met::Damage(damage.offset, what)),
                // The offset counts expanded bytes, not bytes of the file.
                false => visit(
                    source,
                    Met::Damage(0, format!("at byte {} of what it expands to: {what}", damage.offset)),
                ),
            }
        }
    }
}

/// A sequential reader of a file's bytes.
struct Plain {
    reader: Box<dyn ReadAt>,
    at: u64,
    failed: Option<ReadError>,
}

impl Plain {
    fn next(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let got = self.reader.read_at(self.at, buffer)?;
        self.at += got as u64;
        Ok(got)
    }
}

impl Read for Plain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.next(buffer).map_err(|error| {
            let told = io::Error::other(error.to_string());
            self.failed = Some(error);
            told
        })
    }
}
