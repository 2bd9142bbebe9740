//! Raw bytes of the evidence, for checking again what a record is based on.
//!
//! Nothing here knows a format: files and media are opened through `evidence`, and the bytes at an offset are returned.
//! The reply is one line of JSON that gives the result for each span.
//! After its line feed come the bytes of the spans that were read, one after the other.

use crate::returned::chain;
use crate::wire::{Mount, WireError};
use evidence::{EvidencePath, NodeKind, OpenError, PathError, ReadAt, ReadError, Tree, read_full_at};
use ledger::ByteSpan;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// The most bytes that are read of one span; of a longer one only the first are.
pub const LONGEST_SPAN: u64 = 256 << 10;

/// The most spans of one request.
pub const MOST_SPANS: usize = 4_096;

/// The most bytes of all spans of one request.
pub const MOST_SPAN_BYTES: u64 = 64 << 20;

/// A request for bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedSpan {
    /// The label of the evidence.
    pub evidence: String,
    /// The path of the file in it; empty for the imaged medium itself.
    pub path: String,
    /// The named stream; `None` for the main one.
    pub stream: Option<String>,
    /// The wanted span in it.
    pub span: ByteSpan,
}

/// The result of reading a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanRead {
    /// Its bytes: all, or the first [`LONGEST_SPAN`].
    Bytes(Vec<u8>),
    /// It cannot be read.
    Failed {
        /// Why.
        reason: String,
    },
}

/// What the first line says about a span.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Told {
    Read(u64),
    Failed(String),
}

/// Why bytes cannot be read again.
#[derive(Debug, Error)]
enum SpanError {
    #[error("no evidence of this label is given")]
    Label,
    #[error("open the evidence")]
    Open(#[source] OpenError),
    #[error("read the path")]
    Path(#[source] PathError),
    #[error("there is no file at this path")]
    Absent,
    #[error("a folder has no bytes")]
    Folder,
    #[error("the evidence is no image and has no medium")]
    Medium,
    #[error("there are {length} bytes; bytes {span} were expected")]
    Short { length: u64, span: ByteSpan },
    #[error("more than one request may ask for")]
    TooMany,
    #[error(transparent)]
    Read(ReadError),
}

/// Reads each span of the evidence, in order.
pub(crate) fn read(mounts: &[Mount], wanted: &[WantedSpan]) -> Vec<SpanRead> {
    let mut opened = Opened { mounts, trees: BTreeMap::new(), last: None };
    let mut left = MOST_SPAN_BYTES;
    let mut all = Vec::with_capacity(wanted.len());
    for wanted in wanted {
        let length = wanted.span.length.min(LONGEST_SPAN);
        let allowed = all.len() < MOST_SPANS && length <= left;
        let bytes = if allowed { opened.read(wanted) } else { Err(SpanError::TooMany) };
        all.push(match bytes {
            Ok(bytes) => {
                left = left.saturating_sub(bytes.len() as u64);
                SpanRead::Bytes(bytes)
            }
            Err(error) => SpanRead::Failed { reason: chain(&error) },
        });
    }
    all
}

/// What has been opened: each piece of evidence once, and the file that was read last.
struct Opened<'r> {
    mounts: &'r [Mount],
    trees: BTreeMap<String, Box<dyn Tree>>,
    last: Option<(&'r WantedSpan, Box<dyn ReadAt>)>,
}

impl<'r> Opened<'r> {
    fn read(&mut self, wanted: &'r WantedSpan) -> Result<Vec<u8>, SpanError> {
        let span = wanted.span;
        if wanted.path.is_empty() && wanted.stream.is_none() {
            let tree = self.tree(&wanted.evidence)?;
            let mut medium = tree.medium(span.offset, span.length).ok_or(SpanError::Medium)?;
            return bytes(medium.as_mut(), 0, span);
        }
        let same = |last: &WantedSpan| {
            (&last.evidence, &last.path, &last.stream) == (&wanted.evidence, &wanted.path, &wanted.stream)
        };
        let reader = match self.last.take().filter(|(last, _)| same(last)) {
            Some((_, reader)) => reader,
            None => self.open(wanted)?,
        };
        let (_, reader) = self.last.insert((wanted, reader));
        bytes(reader.as_mut(), span.offset, span)
    }

    fn open(&mut self, wanted: &WantedSpan) -> Result<Box<dyn ReadAt>, SpanError> {
        let path = EvidencePath::parse(&wanted.path).map_err(SpanError::Path)?;
        let tree = self.tree(&wanted.evidence)?;
        let node = tree.node(&path).map_err(SpanError::Read)?.ok_or(SpanError::Absent)?;
        if node.kind == NodeKind::Directory && wanted.stream.is_none() {
            return Err(SpanError::Folder);
        }
        tree.open(&node, wanted.stream.as_deref()).map_err(SpanError::Read)
    }

    fn tree(&mut self, label: &str) -> Result<&dyn Tree, SpanError> {
        if !self.trees.contains_key(label) {
            let mount = self.mounts.iter().find(|mount| mount.label == label).ok_or(SpanError::Label)?;
            let Mount { kind, path, label, expansion, .. } = mount;
            let tree =
                evidence::open_listed(*kind, path, label, None, *expansion).map_err(SpanError::Open)?;
            self.trees.insert(label.to_owned(), tree);
        }
        self.trees.get(label).map(AsRef::as_ref).ok_or(SpanError::Label)
    }
}

/// Reads the bytes of `span`, from `offset` in the reader; a reader that ends before the span does is an error.
fn bytes(reader: &mut dyn ReadAt, offset: u64, span: ByteSpan) -> Result<Vec<u8>, SpanError> {
    let length = reader.len();
    let short = SpanError::Short { length, span };
    if offset.checked_add(span.length).is_none_or(|end| end > length) {
        return Err(short);
    }
    let wanted = span.length.min(LONGEST_SPAN);
    let mut bytes = vec![0; usize::try_from(wanted).unwrap_or(0)];
    match read_full_at(reader, offset, &mut bytes).map_err(SpanError::Read)? {
        read if read as u64 == wanted => Ok(bytes),
        _ => Err(short),
    }
}

/// Encodes a reply.
pub fn encode_spans_reply(spans: &[SpanRead]) -> Vec<u8> {
    let told: Vec<Told> = spans
        .iter()
        .map(|span| match span {
            SpanRead::Bytes(bytes) => Told::Read(bytes.len() as u64),
            SpanRead::Failed { reason } => Told::Failed(reason.clone()),
        })
        .collect();
    // Texts and numbers always have a JSON form.
    let mut reply = serde_json::to_vec(&told).unwrap_or_default();
    reply.push(b'\n');
    for span in spans {
        if let SpanRead::Bytes(bytes) = span {
            reply.extend_from_slice(bytes);
        }
    }
    reply
}

/// Decodes the reply to a request for `asked` spans.
pub fn decode_spans_reply(bytes: &[u8], asked: &[WantedSpan]) -> Result<Vec<SpanRead>, WireError> {
    let end = memchr::memchr(b'\n', bytes).ok_or(WireError::NoRecords { length: bytes.len() })?;
    let (line, rest) = bytes.split_at(end);
    let told: Vec<Told> = serde_json::from_slice(line).map_err(WireError::Json)?;
    let wrong = || WireError::Spans { asked: asked.len(), found: told.len() };
    if told.len() != asked.len() {
        return Err(wrong());
    }
    let mut rest = rest.get(1..).unwrap_or_default();
    let mut spans = Vec::with_capacity(told.len());
    for (told, asked) in told.iter().zip(asked) {
        spans.push(match told {
            Told::Failed(reason) => SpanRead::Failed { reason: reason.clone() },
            Told::Read(length) if *length != asked.span.length.min(LONGEST_SPAN) => return Err(wrong()),
            Told::Read(length) => {
                let length = usize::try_from(*length).map_err(|_| wrong())?;
                let (bytes, after) = rest.split_at_checked(length).ok_or_else(wrong)?;
                rest = after;
                SpanRead::Bytes(bytes.to_vec())
            }
        });
    }
    if rest.is_empty() { Ok(spans) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::Expansion;
    use ledger::EvidenceKind;
    use proptest::prelude::*;

    fn wanted(path: &str, offset: u64, length: u64) -> WantedSpan {
        let span = ByteSpan::new(offset, length);
        WantedSpan { evidence: "e".into(), path: path.into(), stream: None, span }
    }

    /// Reads spans of a folder with two files.
    fn read_of(wanted: &[WantedSpan]) -> Vec<SpanRead> {
        let place = tempfile::tempdir().unwrap();
        #[expect(clippy::disallowed_methods, reason = "a test writes its evidence")]
        let write = |name: &str, bytes: &[u8]| std::fs::write(place.path().join(name), bytes).unwrap();
        write("a", b"0123456789");
        write("long", &vec![7; LONGEST_SPAN as usize + 10]);
        std::fs::create_dir(place.path().join("folder")).unwrap();
        let mount = Mount {
            in_place: Vec::new(),
            label: "e".into(),
            path: place.path().to_owned(),
            kind: EvidenceKind::Directory,
            expansion: Expansion::Bounded,
        };
        let read = read(&[mount], wanted);
        let reply = encode_spans_reply(&read);
        assert_eq!(decode_spans_reply(&reply, wanted).unwrap(), read);
        read
    }

    #[test]
    fn bytes_come_from_where_they_were_asked_for_and_a_long_span_is_cut() {
        let asked =
            [wanted("a", 2, 3), wanted("a", 0, 0), wanted("a", 9, 1), wanted("LONG", 0, LONGEST_SPAN + 1)];
        let read = read_of(&asked);
        let bytes = |text: &[u8]| SpanRead::Bytes(text.to_vec());
        assert_eq!(read[..3], [bytes(b"234"), bytes(b""), bytes(b"9")]);
        assert_eq!(read[3], SpanRead::Bytes(vec![7; LONGEST_SPAN as usize]));
    }

    #[test]
    fn what_cannot_be_read_says_why_and_the_others_are_read() {
        let foreign = WantedSpan { evidence: "other".into(), ..wanted("a", 0, 1) };
        let asked = [
            wanted("a", 8, 3),
            wanted("a", u64::MAX, 3),
            wanted("b", 0, 1),
            wanted("folder", 0, 1),
            wanted("../a", 0, 1),
            wanted("", 0, 1),
            foreign,
            wanted("a", 0, 1),
        ];
        let read = read_of(&asked);
        let reasons: Vec<&str> = read
            .iter()
            .map(|span| match span {
                SpanRead::Failed { reason } => reason.as_str(),
                SpanRead::Bytes(_) => "read",
            })
            .collect();
        assert!(reasons[0].starts_with("there are 10 bytes") && reasons[1].starts_with("there are 10 bytes"));
        assert_eq!(reasons[2], "there is no file at this path");
        assert_eq!(reasons[3], "a folder has no bytes");
        assert!(reasons[4].starts_with("read the path"), "{}", reasons[4]);
        assert_eq!(reasons[5], "the evidence is no image and has no medium");
        assert_eq!(reasons[6], "no evidence of this label is given");
        assert_eq!(reasons[7], "read");
    }

    #[test]
    fn more_than_a_request_may_ask_for_is_told_and_not_read() {
        let many = vec![wanted("a", 0, 1); MOST_SPANS + 1];
        assert!(matches!(read_of(&many).last(), Some(SpanRead::Failed { .. })));
        let large = vec![wanted("long", 0, LONGEST_SPAN); (MOST_SPAN_BYTES / LONGEST_SPAN) as usize + 1];
        let read = read_of(&large);
        assert!(matches!(read.last(), Some(SpanRead::Failed { .. })));
        assert!(matches!(read[read.len() - 2], SpanRead::Bytes(_)));
    }

    proptest! {
        #[test]
        fn a_reply_that_is_not_one_is_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), cut in 0usize..20) {
            let asked = [wanted("a", 0, 4), wanted("b", 0, 2)];
            let _ = decode_spans_reply(&bytes, &asked);
            let good = encode_spans_reply(&[SpanRead::Bytes(b"0123".to_vec()), SpanRead::Bytes(b"45".to_vec())]);
            if cut > 0 {
                let kept = good.len().saturating_sub(cut);
                prop_assert!(decode_spans_reply(&good[..kept], &asked).is_err());
                prop_assert!(decode_spans_reply(&[good.as_slice(), &bytes[..bytes.len().min(1)]].concat(), &asked).is_err() || bytes.is_empty());
            }
        }
    }
}
