//! Decoders for the blocks of a 7z.

use super::Source;
use crate::archive::damage::Wrong;
use crate::archive::decode::Part;
use crate::archive::index::Unread;
use crate::archive::stream::{Decode, Start};
use lzma_rust2::filter::bcj::BcjReader;
use lzma_rust2::filter::delta::DeltaReader;
use lzma_rust2::{Lzma2Reader, LzmaReader};
use sevenz_rust2::{Archive, Block, BlockDecoder, EncoderMethod, Password};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// The largest dictionary: 1 GiB.
const MAX_DICTIONARY: u64 = 1 << 30;

/// Bytes kept by one pass over a block with BCJ2.
const WINDOW: u64 = 64 << 20;

/// Returns why a block cannot be read; `None` if it can.
pub(super) fn unread(block: &Block) -> Option<Unread> {
    block.coders.iter().find_map(|coder| {
        let properties = coder.properties();
        let dictionary = match coder.encoder_method_id() {
            EncoderMethod::ID_LZMA => lzma(properties).map(|(_, size)| u64::from(size)),
            EncoderMethod::ID_LZMA2 => lzma2(properties).map(u64::from),
            EncoderMethod::ID_COPY
            | EncoderMethod::ID_DELTA
            | EncoderMethod::ID_BCJ2
            | EncoderMethod::ID_BCJ_X86
            | EncoderMethod::ID_BCJ_PPC
            | EncoderMethod::ID_BCJ_IA64
            | EncoderMethod::ID_BCJ_ARM
            | EncoderMethod::ID_BCJ_ARM64
            | EncoderMethod::ID_BCJ_ARM_THUMB
            | EncoderMethod::ID_BCJ_SPARC
            | EncoderMethod::ID_BCJ_RISCV => Some(0),
            EncoderMethod::ID_AES256_SHA256 => return Some(Unread::Encrypted),
            EncoderMethod::ID_PPMD => return Some(Unread::Ppmd),
            EncoderMethod::ID_BZIP2 => return Some(Unread::Bzip2),
            EncoderMethod::ID_DEFLATE => return Some(Unread::DeflateIn7z),
            _ => return Some(Unread::Unknown),
        };
        match dictionary {
            None => Some(Unread::Properties),
            Some(size) if size > MAX_DICTIONARY => Some(Unread::Dictionary),
            Some(_) => None,
        }
    })
}

/// Reads the properties and the dictionary size of LZMA.
fn lzma(properties: &[u8]) -> Option<(u8, u32)> {
    match *properties.get(..5)? {
        [first, a, b, c, d] => Some((first, u32::from_le_bytes([a, b, c, d]))),
        _ => None,
    }
}

/// Reads the dictionary size of LZMA2 (7-Zip's Lzma2Dec.c: two bits of mantissa, the rest is the exponent).
fn lzma2(properties: &[u8]) -> Option<u32> {
    match u32::from(*properties.first()?) {
        40 => Some(u32::MAX),
        bits @ ..40 => Some((2 | (bits & 1)) << (bits / 2 + 11)),
        _ => None,
    }
}

/// Returns the function that creates the decoder of a block.
pub(super) fn start(file: &Rc<File>, length: u64, archive: &Rc<Archive>, number: usize) -> Start {
    let (file, archive) = (file.clone(), archive.clone());
    Box::new(move || {
        let block = archive.blocks.get(number).ok_or(Wrong::Damaged)?;
        if is_in_passes(block) {
            let source = Source::new(&file, length);
            return Ok(Box::new(Passes {
                source,
                archive: archive.clone(),
                number,
                window: Vec::new(),
                at: 0,
            }));
        }
        let first = *archive.stream_map.block_first_pack_stream_index().get(number).ok_or(Wrong::Damaged)?;
        let offset = *archive.stream_map.pack_stream_offsets().get(first).ok_or(Wrong::Damaged)?;
        let size = *archive.pack_sizes().get(first).ok_or(Wrong::Damaged)?;
        let begin = 32_u64.checked_add(archive.pack_pos()).and_then(|at| at.checked_add(offset));
        let begin = begin.ok_or(Wrong::Damaged)?;
        let end = begin.saturating_add(size).min(length);
        let part = Part::new(&file, begin, end);
        let chain = catch_unwind(AssertUnwindSafe(|| chain(block, part)));
        let chain = chain.map_err(|_| Wrong::Stopped)??;
        Ok(Box::new(Chain { chain, left: block.get_unpack_size(), packed: size }))
    })
}

/// Checks whether a block is expanded in [`Passes`].
pub(super) fn is_in_passes(block: &Block) -> bool {
    block.coders.iter().any(|coder| coder.encoder_method_id() == EncoderMethod::ID_BCJ2)
}

/// Nests the readers of a block's coders.
fn chain(block: &Block, part: Part) -> Result<Box<dyn Read>, Wrong> {
    let mut reader: Box<dyn Read> = Box::new(BufReader::with_capacity(64 << 10, part));
    for (number, coder) in block.ordered_coder_iter() {
        let properties = coder.properties();
        reader = match coder.encoder_method_id() {
            EncoderMethod::ID_COPY => reader,
            EncoderMethod::ID_LZMA => {
                let (first, dictionary) = lzma(properties).ok_or(Wrong::Damaged)?;
                let size = block.get_unpack_size_at_index(number);
                Box::new(LzmaReader::new_with_props(reader, size, first, dictionary, None).map_err(wrong)?)
            }
            EncoderMethod::ID_LZMA2 => {
                Box::new(Lzma2Reader::new(reader, lzma2(properties).ok_or(Wrong::Damaged)?, None))
            }
            EncoderMethod::ID_DELTA => {
                let distance = properties.first().map_or(1, |less| usize::from(*less) + 1);
                Box::new(DeltaReader::new(reader, distance))
            }
            EncoderMethod::ID_BCJ_X86 => Box::new(BcjReader::new_x86(reader, 0)),
            EncoderMethod::ID_BCJ_PPC => Box::new(BcjReader::new_ppc(reader, 0)),
            EncoderMethod::ID_BCJ_IA64 => Box::new(BcjReader::new_ia64(reader, 0)),
            EncoderMethod::ID_BCJ_ARM => Box::new(BcjReader::new_arm(reader, 0)),
            EncoderMethod::ID_BCJ_ARM64 => Box::new(BcjReader::new_arm64(reader, 0)),
            EncoderMethod::ID_BCJ_ARM_THUMB => Box::new(BcjReader::new_arm_thumb(reader, 0)),
            EncoderMethod::ID_BCJ_SPARC => Box::new(BcjReader::new_sparc(reader, 0)),
            EncoderMethod::ID_BCJ_RISCV => Box::new(BcjReader::new_riscv(reader, 0)),
            _ => return Err(Wrong::Damaged),
        };
    }
    Ok(reader)
}

/// Converts an error; one that the library itself raises has no OS error number.
fn wrong(error: io::Error) -> Wrong {
    match error.raw_os_error() {
        Some(_) => Wrong::Io(error.kind()),
        None => Wrong::Damaged,
    }
}

/// A chain of coders.
struct Chain {
    chain: Box<dyn Read>,
    /// Bytes that the block still has to produce.
    left: u64,
    packed: u64,
}

impl Decode for Chain {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong> {
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len());
        let Some(out) = out.get_mut(..wanted).filter(|out| !out.is_empty()) else { return Ok(0) };
        let read = catch_unwind(AssertUnwindSafe(|| self.chain.read(out)));
        let read = read.map_err(|_| Wrong::Stopped)?.map_err(wrong)?;
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }

    fn taken(&self) -> u64 {
        // The chain owns its input, so all packed bytes count as consumed.
        self.packed
    }
}

/// A block that is expanded again for each of its windows.
struct Passes {
    source: Source,
    archive: Rc<Archive>,
    number: usize,
    window: Vec<u8>,
    /// Where the window ends.
    at: u64,
}

impl Passes {
    /// Expands the block up to the end of the window that begins at `at`.
    fn pass(&mut self) -> Result<(), Wrong> {
        let (from, mut position) = (self.at, 0_u64);
        let mut window = Vec::new();
        let password = Password::empty();
        let decoder = BlockDecoder::new(1, self.number, &self.archive, &password, &mut self.source);
        let result = catch_unwind(AssertUnwindSafe(|| {
            let mut piece = vec![0; 64 << 10];
            decoder.for_each_entries(&mut |_, reader| {
                loop {
                    let read = reader.read(&mut piece)?;
                    let skip = usize::try_from(from.saturating_sub(position)).unwrap_or(usize::MAX).min(read);
                    window.extend_from_slice(piece.get(skip..read).unwrap_or_default());
                    position = position.saturating_add(read as u64);
                    match read {
                        _ if window.len() as u64 >= WINDOW => return Ok(false),
                        0 => return Ok(true),
                        _ => {}
                    }
                }
            })
        }));
        match result {
            Err(_) => return Err(Wrong::Stopped),
            // Bytes expanded so far are returned before the damage is reported.
            Ok(Err(_)) if window.is_empty() => return Err(Wrong::Damaged),
            Ok(Ok(_) | Err(_)) => {}
        }
        self.at = self.at.saturating_add(window.len() as u64);
        window.reverse();
        self.window = window;
        Ok(())
    }
}

impl Decode for Passes {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong> {
        if out.is_empty() {
            return Ok(0);
        }
        if self.window.is_empty() {
            self.pass()?;
        }
        let keep = self.window.len().saturating_sub(out.len());
        let taken = self.window.drain(keep..).rev();
        Ok(out.iter_mut().zip(taken).map(|(to, from)| *to = from).count())
    }

    fn taken(&self) -> u64 {
        self.source.length
    }
}
