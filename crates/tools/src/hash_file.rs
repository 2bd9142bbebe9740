//! `hash_file`: the SHA-256 of the content of one file.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::returned::Return;
use crate::row::Row;
use crate::{place, spec};
use evidence::{ReadAt, read_full_at};
use ledger::{ByteSpan, Digest, FieldType, FieldValue, RecordType, ToolSpec};
use serde_json::json;
use sha2::{Digest as _, Sha256};

const KIND: &str = "file_hash";

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "hash_file",
        "Computes the SHA-256 of the whole content of one file of the evidence.",
        vec![
            ("path", spec::text("file, with either slash, with or without a drive letter")),
            ("evidence", spec::evidence()),
        ],
        &["path"],
        vec![record_type()],
    )
}

fn record_type() -> RecordType {
    spec::record(
        KIND,
        "the hash of the whole content of a file",
        "path",
        &[
            ("path", &[FieldType::Path], "path of the file in the evidence"),
            ("size", &[FieldType::Size], "bytes that were hashed: all of the file"),
            ("sha256", &[FieldType::Hash], "SHA-256 of the content, 64 hex digits"),
        ],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let place = place::find(call.trees, arguments.optional_text("evidence"), arguments.text("path")?)?;
    let path = &place.node.path;
    let mut reader = place.tree.open(&place.node, None)?;
    let (sha256, size) = hash(reader.as_mut())?;
    // A file of evidence that is written meanwhile has no one content.
    let after = place.tree.node(path)?.map_or(0, |node| node.size);
    if place.node.size != size || after != size {
        let expected = if after == size { place.node.size } else { after };
        return Err(CallError::Changed { path: path.clone(), offset: size, expected });
    }
    let record = Row::new(KIND, place.tree, &place.node, Some(ByteSpan::new(0, size)))
        .field("path", FieldValue::Path(path.as_str().to_owned()))
        .field("size", FieldValue::Size(size))
        .field("sha256", FieldValue::Hash(sha256.to_string()))
        .done();
    let normalised =
        arguments.normalised(&[("evidence", json!(place.tree.label())), ("path", json!(path.as_str()))]);
    Ok(Return::found(vec![record], normalised))
}

/// The digest of every byte, and how many there are.
fn hash(reader: &mut dyn ReadAt) -> Result<(Digest, u64), CallError> {
    let size = reader.len();
    let mut hasher = Sha256::new();
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
        hasher.update(bytes.get(..read).unwrap_or_default());
        offset += read as u64;
        if read < wanted {
            return Err(CallError::Changed { path: reader.path().clone(), offset, expected: size });
        }
    }
    Ok((Digest::from_bytes(hasher.finalize().into()), size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{EvidencePath, Extent, ReadError};
    use std::io;

    /// A file of `size` bytes of which `held` can be read; behind them comes its end or an error.
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
            // Small pieces, as a reader may give them.
            let read = buffer.len().min(1000).min((self.held - offset) as usize);
            buffer[..read].fill(7);
            Ok(read)
        }

        fn provenance(&self, _: ByteSpan) -> Vec<Extent> {
            Vec::new()
        }
    }

    fn hashed(size: u64, held: u64, error: bool) -> Result<(Digest, u64), CallError> {
        hash(&mut Damaged { path: EvidencePath::parse("a").unwrap(), size, held, error })
    }

    #[test]
    fn a_file_is_hashed_in_full_or_not_at_all() {
        let size = PIECE as u64 + 5;
        assert_eq!(hashed(size, size, false).unwrap(), (Digest::of(&vec![7; PIECE + 5]), size));
        let short = hashed(size, size - 2, false).unwrap_err();
        assert!(
            matches!(short, CallError::Changed { offset, expected, .. } if (offset, expected) == (size - 2, size))
        );
        let broken = hashed(size, PIECE as u64, true).unwrap_err();
        assert!(matches!(broken, CallError::HashRead { offset, .. } if offset == PIECE as u64));
    }
}
