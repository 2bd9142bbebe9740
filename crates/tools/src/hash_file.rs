//! `hash_file`: the hashes of the content of one file.
//!
//! SHA-256 identifies a file. MD5 and SHA-1 do not if somebody forged it; they are given because lists of known files use them.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::returned::Return;
use crate::row::Row;
use crate::{place, remains, spec, stream};
use evidence::{ReadAt, read_full_at};
use ledger::digest::hex;
use ledger::{ByteSpan, Digest, FieldType, FieldValue, RecordType, ToolSpec};
use md5::Md5;
use serde_json::json;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

const KIND: &str = "file_hash";

/// How many bytes are read at once.
const PIECE: usize = 1 << 20;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "hash_file",
        "Computes MD5, SHA-1 and SHA-256 of the whole content of one file of the evidence, or of one of its named streams.",
        vec![
            ("path", spec::text("file, with either slash, with or without a drive letter")),
            ("evidence", spec::evidence()),
            ("stream", spec::text("named (alternate) stream of the file; its content when left out")),
        ],
        &["path"],
        vec![record_type()],
    )
}

fn record_type() -> RecordType {
    remains::qualified(spec::record(
        KIND,
        "the hashes of the whole content of a file",
        "path",
        &[
            ("path", &[FieldType::Path], "path of the file in the evidence"),
            ("stream", &[FieldType::Name], "named stream of the file, where that was hashed"),
            remains::FIELD,
            ("size", &[FieldType::Size], "bytes that were hashed: all of the file"),
            (
                "md5",
                &[FieldType::Hash],
                "MD5 of the content, 32 hex digits; two files can be made that share it",
            ),
            (
                "sha1",
                &[FieldType::Hash],
                "SHA-1 of the content, 40 hex digits; two files can be made that share it",
            ),
            ("sha256", &[FieldType::Hash], "SHA-256 of the content, 64 hex digits"),
        ],
    ))
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let place = place::find(call.trees, arguments.optional_text("evidence"), arguments.text("path")?)?;
    let path = &place.node.path;
    let stream = stream::named(&place, arguments.optional_text("stream"))?;
    let mut reader = place.tree.open(&place.node, stream)?;
    let (hashes, size) = hash(reader.as_mut())?;
    // A file that is written during hashing has no single content.
    let before = stream::size(&place.node, stream);
    let after = place.tree.node(path)?.map_or(0, |node| stream::size(&node, stream));
    if before != size || after != size {
        let expected = if after == size { before } else { after };
        return Err(CallError::Changed { path: path.clone(), offset: size, expected });
    }
    let record = Row::new(KIND, place.tree, &place.node, Some(ByteSpan::new(0, size)))
        .field("path", FieldValue::Path(path.as_str().to_owned()))
        .field("size", FieldValue::Size(size))
        .field("md5", FieldValue::Hash(hashes.md5))
        .field("sha1", FieldValue::Hash(hashes.sha1))
        .field("sha256", FieldValue::Hash(hashes.sha256.to_string()))
        .in_stream(stream)
        .done();
    let mut used = vec![("evidence", json!(place.tree.label())), ("path", json!(path.as_str()))];
    used.extend(stream.map(|stream| ("stream", json!(stream))));
    Ok(remains::mark(Return::found(vec![record], arguments.normalised(&used)), &place))
}

/// The hashes of one content.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hashes {
    pub(crate) md5: String,
    pub(crate) sha1: String,
    pub(crate) sha256: Digest,
}

/// Returns the hashes of all bytes, and the number of bytes.
pub(crate) fn hash(reader: &mut dyn ReadAt) -> Result<(Hashes, u64), CallError> {
    let size = reader.len();
    let (mut md5, mut sha1, mut sha256) = (Md5::new(), Sha1::new(), Sha256::new());
    let mut piece = vec![0; PIECE];
    let mut offset = 0;
    while offset < size {
        let wanted = usize::try_from(size - offset).unwrap_or(PIECE).min(PIECE);
        let bytes = piece.get_mut(..wanted).unwrap_or_default();
        let read = read_full_at(reader, offset, bytes).map_err(|source| CallError::HashRead {
            offset,
            expected: size,
            source,
        })?;
        let bytes = bytes.get(..read).unwrap_or_default();
        md5.update(bytes);
        sha1.update(bytes);
        sha256.update(bytes);
        offset += read as u64;
        if read < wanted {
            return Err(CallError::Changed { path: reader.path().clone(), offset, expected: size });
        }
    }
    let hashes = Hashes {
        md5: hex(&md5.finalize()),
        sha1: hex(&sha1.finalize()),
        sha256: Digest::from_bytes(sha256.finalize().into()),
    };
    Ok((hashes, size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{EvidencePath, Extent, ReadError};
    use std::io;

    /// A file of `size` bytes of which only `held` can be read; then comes its end or an error.
    struct Damaged {
        path: EvidencePath,
        size: u64,
        held: u64,
        error: bool,
    }

    impl ReadAt for Damaged {
        fn len(&self) -> u64 {
            self.size
        }

        fn path(&self) -> &EvidencePath {
            &self.path
        }

        fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
            if offset >= self.held && self.error {
                return Err(ReadError::Io { path: self.path.clone(), source: io::ErrorKind::Other.into() });
            }
            // Small pieces, as some readers return them.
            let read = buffer.len().min(1000).min((self.held - offset) as usize);
            buffer[..read].fill(7);
            Ok(read)
        }

        fn provenance(&self, _: ByteSpan) -> Vec<Extent> {
            Vec::new()
        }
    }

    fn hashed(size: u64, held: u64, error: bool) -> Result<(Hashes, u64), CallError> {
        hash(&mut Damaged { path: EvidencePath::parse("a").unwrap(), size, held, error })
    }

    #[test]
    fn an_empty_file_has_the_published_hashes_of_nothing() {
        // RFC 1321, section A.5; RFC 3174 has no such value, FIPS 180-4 gives the algorithm of the other two.
        let (hashes, size) = hashed(0, 0, false).unwrap();
        assert_eq!((size, hashes.md5.as_str()), (0, "d41d8cd98f00b204e9800998ecf8427e"));
        assert_eq!(hashes.sha1, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    }

    #[test]
    fn a_file_is_hashed_in_full_or_not_at_all() {
        let size = PIECE as u64 + 5;
        let (hashes, hashed_size) = hashed(size, size, false).unwrap();
        assert_eq!((hashes.sha256, hashed_size), (Digest::of(&vec![7; PIECE + 5]), size));
        let short = hashed(size, size - 2, false).unwrap_err();
        assert!(
            matches!(short, CallError::Changed { offset, expected, .. } if (offset, expected) == (size - 2, size))
        );
        let broken = hashed(size, PIECE as u64, true).unwrap_err();
        assert!(matches!(broken, CallError::HashRead { offset, .. } if offset == PIECE as u64));
    }
}
