//! How a payload is stored: unchanged, or compressed if that pays.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// The longest payload in bytes: SQLite's own limit is 1,000,000,000 bytes per row.
pub const MAX_PAYLOAD: u64 = 900 << 20;

/// Below this many bytes, a payload fits into a few pages anyway.
const WORTH_TRYING: usize = 2048;

/// The fastest of zstd's ordinary levels, which is enough for repetitive outputs.
const LEVEL: i32 = 1;

/// How a payload's body is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// Unchanged.
    Raw,
    /// As one zstd frame (RFC 8878).
    Zstd,
}

impl Encoding {
    /// Returns the text in the column `encoding`.
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Raw => "raw",
            Encoding::Zstd => "zstd",
        }
    }

    pub(crate) fn from_name(name: &[u8]) -> Option<Encoding> {
        [Encoding::Raw, Encoding::Zstd].into_iter().find(|encoding| encoding.name().as_bytes() == name)
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A payload's bytes, ready for the column `body`.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Raw(Arc<[u8]>),
    Zstd(Vec<u8>),
}

impl Body {
    pub(crate) const fn encoding(&self) -> Encoding {
        match self {
            Body::Raw(_) => Encoding::Raw,
            Body::Zstd(_) => Encoding::Zstd,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Body::Raw(bytes) => bytes,
            Body::Zstd(bytes) => bytes,
        }
    }
}

/// Chooses the encoding: compressed if that saves a quarter.
///
/// A failing compressor is no reason to lose an output: the bytes are then stored unchanged.
pub(crate) fn encode(bytes: Arc<[u8]>) -> Body {
    if bytes.len() < WORTH_TRYING {
        return Body::Raw(bytes);
    }
    match zstd::bulk::compress(&bytes, LEVEL) {
        Ok(compressed) if compressed.len() <= bytes.len() / 4 * 3 => Body::Zstd(compressed),
        Ok(_) | Err(_) => Body::Raw(bytes),
    }
}

thread_local! {
    /// Created once per thread, because creating one takes longer than decompressing most payloads. One frame
    /// leaves no state behind for the next.
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Undoes [`encode`]; `None` if `body` does not yield exactly `length` bytes.
///
/// It never holds more than `length` bytes, whatever the frame declares.
pub(crate) fn decode(encoding: Encoding, length: u64, body: &[u8]) -> Option<Vec<u8>> {
    let length = usize::try_from(length).ok().filter(|_| length <= MAX_PAYLOAD)?;
    let bytes = match encoding {
        Encoding::Raw if body.len() == length => body.to_vec(),
        Encoding::Raw => return None,
        Encoding::Zstd => {
            let mut bytes = Vec::new();
            bytes.try_reserve_exact(length).ok()?;
            DECOMPRESSOR.with_borrow_mut(|context| {
                if context.is_none() {
                    *context = zstd::bulk::Decompressor::new().ok();
                }
                context.as_mut()?.decompress_to_buffer(body, &mut bytes).ok()
            })?;
            bytes
        }
    };
    (bytes.len() == length).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(length: usize) -> Arc<[u8]> {
        let mut state = 1u64;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        };
        std::iter::repeat_with(next).take(length).collect()
    }

    #[test]
    fn every_kind_of_payload_comes_back_in_the_encoding_that_pays() {
        let cases = [
            (Arc::from(b"".as_slice()), Encoding::Raw),
            (Arc::from(vec![b'a'; 2047]), Encoding::Raw),
            (Arc::from(vec![b'a'; 2048]), Encoding::Zstd),
            (noise(8192), Encoding::Raw),
        ];
        for (bytes, encoding) in cases {
            let body = encode(Arc::clone(&bytes));
            assert_eq!(body.encoding(), encoding);
            let read = decode(encoding, bytes.len() as u64, body.bytes()).unwrap();
            assert_eq!(read, *bytes);
        }
    }

    #[test]
    fn a_frame_longer_or_shorter_than_promised_is_refused() {
        let body = encode(Arc::from(vec![b'a'; 1 << 20]));
        assert!(decode(Encoding::Zstd, (1 << 20) - 1, body.bytes()).is_none());
        assert!(decode(Encoding::Zstd, (1 << 20) + 1, body.bytes()).is_none());
        assert!(decode(Encoding::Zstd, u64::MAX, body.bytes()).is_none());
        assert!(decode(Encoding::Raw, 3, b"ab").is_none());
    }
}
