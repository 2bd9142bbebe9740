//! Expands compressed units of a container, never past their known size.

use flate2::read::{DeflateDecoder, ZlibDecoder};
use std::io::{self, Read};

/// How a unit is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    /// RFC 1951.
    Deflate,
    /// RFC 1950, with its checksum.
    Zlib,
    /// RFC 8878, one frame.
    Zstd,
}

/// The largest window of a zstd frame, as a power of two; a unit has at most 2 MiB.
const WINDOW: u32 = 22;

/// Expands `packed` to `length` bytes; anything after the compressed stream is padding.
pub(super) fn expand(packing: Packing, packed: &[u8], length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    match packing {
        Packing::Deflate => DeflateDecoder::new(packed).read_exact(&mut bytes)?,
        Packing::Zlib => {
            let mut decoder = ZlibDecoder::new(packed);
            decoder.read_exact(&mut bytes)?;
            // The checksum is verified when the stream ends.
            if decoder.read(&mut [0])? > 0 {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the unit is larger than it must be"));
            }
        }
        Packing::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?.single_frame();
            decoder.window_log_max(WINDOW)?;
            decoder.read_exact(&mut bytes)?;
        }
    }
    Ok(bytes)
}
