//! Tar, plain or compressed, read from its headers.
//!
//! Sources: POSIX.1-2017, pax (ustar and pax interchange formats); GNU tar manual, "Basic Tar Format", for long
//! names and sparse files.
//! The parser is our own: it accepts long-name headers only up to a limit, and a damaged header costs what
//! follows it, not the whole tar.

mod header;
mod rest;

pub(crate) use header::is_header;

use super::decode::Part;
use super::index::{self, Body, Content, Found, HEAD, Index, Leaf, LeafKind, MAX_ENTRIES, MAX_NAMES, Unread};
use super::stamp::{Stamp, Stamps};
use super::stream::{Stream, damage};
use super::{damage::Wrong, name};
use crate::path::escape_target;
use header::{BLOCK, Header};
use rest::Rest;

/// The bytes of a tar: those of the file, or what the file expands to.
pub(super) enum Bytes {
    /// Not compressed.
    Plain(Part),
    /// Compressed.
    Packed(Stream),
}

impl Bytes {
    /// Reads up to `buffer.len()` bytes; 0 only at the end or past it, or for an empty buffer.
    pub(super) fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, (u64, Wrong)> {
        match self {
            Bytes::Plain(part) => part.read_at(offset, buffer).map_err(|error| (offset, error.into())),
            Bytes::Packed(stream) => stream.read_at(offset, buffer),
        }
    }

    /// Reads up to `wanted` bytes; fewer only at the end or where they cannot be expanded.
    pub(super) fn take(&mut self, offset: u64, wanted: usize) -> (Vec<u8>, Option<(u64, Wrong)>) {
        let mut bytes = vec![0; wanted];
        let mut filled = 0;
        let mut wrong = None;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.read_at(offset.saturating_add(filled as u64), rest) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) => {
                    wrong = Some(error);
                    break;
                }
            }
        }
        bytes.truncate(filled);
        (bytes, wrong)
    }
}

/// The longest extended header or long name.
const MAX_EXTENDED: u64 = 1 << 20;

/// Lists the tar.
pub(super) fn read(bytes: &mut Bytes) -> Index {
    let mut index = Index::default();
    let mut listing =
        Listing { at: 0, count: 0, names: 0, pending: Pending::default(), ahead: None, rest: None };
    while listing.step(bytes, &mut index) {}
    if let Some(rest) = listing.rest {
        rest::tell(bytes, rest, &mut index);
    }
    index.finish()
}

/// What special headers say about the entry that follows them.
#[derive(Default)]
struct Pending {
    name: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
    size: Option<u64>,
    stamps: Stamps,
    sparse: bool,
}

struct Listing {
    /// Where the next header is.
    at: u64,
    count: usize,
    names: usize,
    pending: Pending,
    /// The block read last: going back would restart the expansion of a compressed tar.
    ahead: Option<(u64, Vec<u8>)>,
    /// What follows the end of the tar, once the end was found.
    rest: Option<Rest>,
}

impl Listing {
    /// Returns one block; a shorter one at the end.
    fn block(&mut self, bytes: &mut Bytes, at: u64) -> (Vec<u8>, Option<(u64, Wrong)>) {
        if let Some((_, block)) = self.ahead.as_ref().filter(|(known, _)| *known == at) {
            return (block.clone(), None);
        }
        let (block, wrong) = bytes.take(at, BLOCK);
        self.ahead = wrong.is_none().then(|| (at, block.clone()));
        (block, wrong)
    }

    /// Reads one header; returns whether there may be another.
    fn step(&mut self, bytes: &mut Bytes, index: &mut Index) -> bool {
        let (block, wrong) = self.block(bytes, self.at);
        if let Some((offset, wrong)) = wrong {
            self.stop(offset, wrong, index);
            return false;
        }
        if block.len() < BLOCK {
            index.cut(format!(
                "byte {} of the tar: expected a header or two blocks of zeros, found the end of the file: the tar is cut, and what stood there is not listed",
                self.at
            ));
            return false;
        }
        if block.iter().all(|byte| *byte == 0) {
            return self.zeros(bytes, index);
        }
        let Some(header) = Header::read(&block) else {
            index.cut(format!("byte {} of the tar: expected a header: what follows is not listed", self.at));
            return false;
        };
        if self.count >= MAX_ENTRIES || self.names > MAX_NAMES {
            let (count, at) = (self.count, self.at);
            index.gap(format!(
                "entries of the tar: more than {count}; those from byte {at} on are not listed"
            ));
            return false;
        }
        self.header(&header, bytes, index)
    }

    /// Ends the listing where no more can be read. If our own limit on expanding ended it, the tar is not damaged.
    fn stop(&self, offset: u64, wrong: Wrong, index: &mut Index) {
        let is_bound = matches!(wrong, Wrong::Bound { .. });
        let (damage, count) = (damage(offset, wrong), self.count);
        match is_bound {
            true => index
                .gap(format!("entries of the archive: the listing ends behind {count} of them: {damage}")),
            false => index.cut(format!("the listing ends there: {damage}")),
        }
    }

    /// Skips blocks of zeros: two of them are the end. A single one is skipped, or is the end if nothing follows it.
    ///
    /// If a header follows the end, another tar was appended: its entries are listed, as with `tar -i`.
    fn zeros(&mut self, bytes: &mut Bytes, index: &mut Index) -> bool {
        let end = self.at;
        self.at = self.at.saturating_add(BLOCK as u64);
        let rest = self.look(bytes);
        let (Rest::Bytes(at), second) = (&rest, self.at) else {
            self.rest = Some(rest);
            return false;
        };
        let at = *at;
        let (next, _) = self.block(bytes, at);
        let goes_on = at == second || is_header(&next);
        match goes_on {
            false => self.rest = Some(rest),
            true if at == second => {}
            true => index.damaged(format!(
                "byte {at} of the tar: entries stand behind its end at byte {end}: they are listed, too (tar does so with `-i` only)"
            )),
        }
        self.at = at;
        goes_on
    }

    /// Looks past the end block by block.
    fn look(&mut self, bytes: &mut Bytes) -> Rest {
        let mut at = self.at;
        while at < self.at.saturating_add(rest::PADDING) {
            match self.block(bytes, at) {
                (block, _) if block.iter().any(|byte| *byte != 0) => return Rest::Bytes(at),
                (_, Some((offset, wrong))) => return Rest::Wrong(damage(offset, wrong).to_string()),
                (block, None) if block.len() < BLOCK => return Rest::Nothing,
                (_, None) => at = at.saturating_add(BLOCK as u64),
            }
        }
        Rest::Zeros(at)
    }

    /// Checks whether data follows a header that should have none but gives a size.
    ///
    /// That is so if the next block is data, and a header, zeros or the end follow where the data would end.
    fn is_data(&mut self, bytes: &mut Bytes, data: u64, size: u64) -> bool {
        let next = size.checked_next_multiple_of(BLOCK as u64).and_then(|size| data.checked_add(size));
        let mut may_begin = |at| {
            let (block, _) = self.block(bytes, at);
            block.len() < BLOCK || block.iter().all(|byte| *byte == 0) || is_header(&block)
        };
        size > 0 && !may_begin(data) && next.is_some_and(may_begin)
    }

    fn header(&mut self, header: &Header, bytes: &mut Bytes, index: &mut Index) -> bool {
        let start = self.at;
        let mut data = start.saturating_add(BLOCK as u64);
        match header.kind {
            b'x' | b'L' | b'K' if header.size <= MAX_EXTENDED => {
                let wanted = usize::try_from(header.size).unwrap_or_default();
                let (text, _) = bytes.take(data, wanted);
                self.names = self.names.saturating_add(text.len());
                self.pending.take(header.kind, &text);
            }
            b'x' | b'L' | b'K' => {
                index.damaged(format!(
                    "byte {start} of the tar: expected an extended header of at most {MAX_EXTENDED} bytes"
                ));
            }
            b'g' => {}
            _ => {
                let pending = std::mem::take(&mut self.pending);
                let size = pending.size.unwrap_or(header.size);
                while header.kind == b'S' && header::more(bytes, &mut data, start) {}
                if header.has_data() && matches!(bytes, Bytes::Packed(_)) {
                    let wanted = usize::try_from(size).unwrap_or(HEAD).min(HEAD);
                    let (head, _) = bytes.take(data, wanted);
                    index.heads.keep(data, &head);
                }
                let has_data = header.has_data() || self.is_data(bytes, data, size);
                let found = found(header, pending, start, has_data.then_some(data));
                (self.count, self.names) = (self.count + 1, self.names + header.name.len());
                index.add(found);
                return self.advance(data, if has_data { size } else { 0 }, index);
            }
        }
        self.advance(data, header.size, index)
    }

    /// Skips the data of an entry; returns whether there is an offset after it.
    fn advance(&mut self, data: u64, size: u64, index: &mut Index) -> bool {
        let block = BLOCK as u64;
        let next = size.checked_next_multiple_of(block).and_then(|size| data.checked_add(size));
        self.at = next.unwrap_or(u64::MAX);
        if next.is_none() {
            index.cut(format!(
                "byte {data} of the tar: expected an entry of fewer bytes than {size}: what follows is not listed"
            ));
        }
        next.is_some()
    }
}

impl Pending {
    fn take(&mut self, kind: u8, text: &[u8]) {
        let until_nul = || text.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
        match kind {
            b'L' => self.name = Some(until_nul()),
            b'K' => self.target = Some(until_nul()),
            _ => header::records(text, &mut |key, value| self.record(key, value)),
        }
    }

    fn record(&mut self, key: &[u8], value: &[u8]) {
        let number = || std::str::from_utf8(value).ok()?.parse().ok();
        match key {
            b"path" => self.name = Some(value.to_vec()),
            b"GNU.sparse.name" => self.name = Some(value.to_vec()),
            b"linkpath" => self.target = Some(value.to_vec()),
            b"size" => self.size = number(),
            b"mtime" => self.stamps.modified = header::stamp(value),
            b"atime" => self.stamps.accessed = header::stamp(value),
            b"LIBARCHIVE.creationtime" => self.stamps.born = header::stamp(value),
            _ => self.sparse |= key.starts_with(b"GNU.sparse."),
        }
    }
}

/// Returns the entry of a header at `start`; `data` is the offset of its content, if it can have any.
fn found(header: &Header, pending: Pending, start: u64, data: Option<u64>) -> Found {
    let Pending { name: long, target, size, stamps, sparse } = pending;
    let bytes = long.unwrap_or_else(|| header.name.clone());
    let target = target.unwrap_or_else(|| header.target.clone());
    let modified = stamps.modified.or(header.modified.map_or(Stamp::None, Stamp::Seconds));
    let stamps = Stamps { modified, ..stamps };
    let folder = match header.kind {
        b'5' | b'D' => true,
        // Before POSIX, a folder was a file whose name ends in a slash.
        b'0' | 0 => bytes.ends_with(b"/"),
        _ => false,
    };
    let size = size.unwrap_or(header.size);
    let content = data.map_or(Content::Empty, |data| Content::Tar { data });
    let filled = if data.is_some() { size } else { 0 };
    let mut odd = Vec::new();
    let (kind, size, content) = match header.kind {
        b'1' if filled == 0 => {
            let parts = name::read(&target, false).parts;
            (LeafKind::Hardlink(parts.join("/").into_boxed_str()), 0, Content::Empty)
        }
        b'2' if filled == 0 => {
            (LeafKind::Symlink(Some(escape_target(&target).into_boxed_str())), 0, Content::Empty)
        }
        b'1' | b'2' => {
            let target = escape_target(&target);
            odd.push(format!(
                "it is marked as a link to `{target}` and has {size} bytes of content: it is taken for a file"
            ));
            (LeafKind::File, size, content)
        }
        b'3' | b'4' | b'6' | b'V' => {
            let (kind, marked) = index::unmarked(Some(LeafKind::Other), filled);
            odd.extend(marked);
            (kind.unwrap_or(LeafKind::File), filled, if filled > 0 { content } else { Content::Empty })
        }
        b'S' => (LeafKind::File, header.real_size, Content::Unread(Unread::Sparse)),
        b'M' => (LeafKind::File, size, Content::Unread(Unread::OtherTar)),
        _ if sparse => (LeafKind::File, size, Content::Unread(Unread::Sparse)),
        _ => (LeafKind::File, size, content),
    };
    let leaf = Leaf { kind, size, stamps, offset: Some(start), content };
    let body = match folder {
        true if filled == 0 => Body::Folder,
        true => {
            odd.push(index::filled(filled));
            Body::Both(leaf)
        }
        false => Body::Leaf(leaf),
    };
    Found { name: name::read(&bytes, false), offset: Some(start), stamps, body, odd }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::stream::{Bound, Decode};

    /// A decoder over bytes in memory, with its position.
    struct Expanded(Vec<u8>, usize);

    impl Decode for Expanded {
        fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong> {
            let rest = self.0.get(self.1..).unwrap_or_default();
            let read = rest.len().min(out.len());
            out[..read].copy_from_slice(&rest[..read]);
            self.1 += read;
            Ok(read)
        }

        fn taken(&self) -> u64 {
            1
        }
    }

    /// Builds a tar with `files` files of `size` bytes each.
    fn tar(files: usize, size: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in 0..files {
            let mut block = [0; BLOCK];
            let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
            put(0, format!("Windows/{number}.dat").as_bytes());
            put(124, format!("{size:011o}\0").as_bytes());
            put(148, b"        ");
            put(156, b"0");
            put(257, b"ustar\x0000");
            let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
            block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
            bytes.extend(block);
            bytes.extend(vec![number as u8; size.next_multiple_of(BLOCK)]);
        }
        bytes.extend([0; 2 * BLOCK]);
        bytes
    }

    fn listed(most: u64) -> Index {
        let start = || Ok(Box::new(Expanded(tar(10, 1 << 20), 0)) as Box<dyn Decode>);
        let bound = Bound::Whole { most, length: 7 };
        read(&mut Bytes::Packed(Stream::new(Box::new(start), 0, bound)))
    }

    #[test]
    fn a_tar_is_listed_to_its_bound_and_the_rest_is_a_gap_and_no_damage() {
        let whole = listed(11 << 20);
        assert!(whole.gaps.is_empty() && whole.root.defects.is_empty(), "{:?}", whole.gaps);
        let cut = listed(4 << 20);
        assert!((0..4).all(|number| cut.leaf(&format!("Windows/{number}.dat")).is_some()));
        assert!(cut.leaf("Windows/5.dat").is_none() && cut.root.defects.is_empty());
        let [gap] = cut.gaps.as_slice() else { panic!("{:?}", cut.gaps) };
        assert!(gap.reason.contains("the listing ends behind 4 of them"), "{gap:?}");
        assert!(gap.reason.contains("the archive has 7 bytes"), "{gap:?}");
    }

    #[test]
    fn first_bytes_of_what_a_compressed_tar_holds_are_kept() {
        let listed = listed(u64::MAX);
        for number in 0..10 {
            let leaf = listed.leaf(&format!("Windows/{number}.dat")).unwrap();
            let Content::Tar { data } = leaf.content else { panic!("{leaf:?}") };
            assert_eq!(listed.heads.of(data), Some([number; HEAD].as_slice()));
            assert_eq!(listed.heads.of(data + 1), None);
        }
    }
}
