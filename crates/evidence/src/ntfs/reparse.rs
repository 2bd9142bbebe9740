//! What a reparse point means to a reader ([MS-FSCC] 2.1.2).

use super::entry::{MftEntry, REPARSE_POINT};
use super::stream::Stream;
use super::wof::Algorithm;
use super::{NtfsDamage, Volume};

const MOUNT_POINT: u32 = 0xa000_0003;
const SYMLINK: u32 = 0xa000_000c;
const DEDUPLICATED: u32 = 0x8000_0013;
const WOF: u32 = 0x8000_0017;

/// The tag of files and folders synchronised by a cloud service, without the digit that says which service.
const CLOUD: u32 = 0x9000_001a;
const CLOUD_MASK: u32 = 0xffff_0fff;

/// Set in tags of entries that stand for another named entity (2.1.2.1, bit N).
const NAME_SURROGATE: u32 = 0x2000_0000;

/// The largest reparse buffer (2.1.2: 16 KiB).
const MAX_BUFFER: u64 = 16 << 10;

/// What a reader must know about a reparse point.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reparse {
    /// A junction, a symbolic link, or another name for something else; with its target.
    Link(String),
    /// The file was compressed by the Windows Overlay Filter.
    Overlay(Algorithm),
    /// The main stream does not hold the file's bytes; with the way they are stored.
    Elsewhere(&'static str),
    /// A file or folder synchronised by a cloud service: content in the holes of its main stream is not on this
    /// medium.
    Cloud,
    /// The entry itself holds its content.
    Plain,
}

/// Reads the reparse point of an entry.
pub(crate) fn reparse(volume: &Volume, entry: &MftEntry) -> Result<Reparse, NtfsDamage> {
    let Some(data) = entry.data(volume, REPARSE_POINT, None)? else { return Ok(Reparse::Plain) };
    let bytes = Stream::new(data, volume.place.clone()).read_value(MAX_BUFFER)?;
    Ok(meaning(&bytes))
}

/// Returns the tag of a reparse point, and the target of a link; if the value is in clusters, the tag that
/// `$FILE_NAME` keeps.
pub(super) fn tag_and_target(entry: &MftEntry) -> Option<(u32, Option<String>)> {
    let found = entry.attributes(REPARSE_POINT).next()?;
    let Ok((bytes, _)) = found.value() else {
        let kept = entry.names().flatten().next().and_then(|name| name.reparse_tag());
        return Some((kept.unwrap_or(0), None));
    };
    let tag = bytes.first_chunk::<4>().map_or(0, |tag| u32::from_le_bytes(*tag));
    match meaning(bytes) {
        Reparse::Link(target) if matches!(tag, MOUNT_POINT | SYMLINK) => Some((tag, Some(target))),
        Reparse::Link(_) | Reparse::Overlay(_) | Reparse::Elsewhere(_) | Reparse::Cloud | Reparse::Plain => {
            Some((tag, None))
        }
    }
}

fn meaning(bytes: &[u8]) -> Reparse {
    let tag = bytes.first_chunk::<4>().map_or(0, |tag| u32::from_le_bytes(*tag));
    match tag {
        WOF => Algorithm::read(bytes).map_or_else(Reparse::Elsewhere, Reparse::Overlay),
        DEDUPLICATED => Reparse::Elsewhere("a deduplicated file"),
        // The names follow eight bytes of lengths, and for symbolic links also four bytes of flags (2.1.2.4,
        // 2.1.2.5).
        MOUNT_POINT => Reparse::Link(target(bytes, 16).unwrap_or_default()),
        SYMLINK => Reparse::Link(target(bytes, 20).unwrap_or_default()),
        tag if tag & CLOUD_MASK == CLOUD => Reparse::Cloud,
        tag if tag & NAME_SURROGATE != 0 => Reparse::Link(format!("reparse tag {tag:#010x}")),
        _ => Reparse::Plain,
    }
}

/// Returns the substitute name.
fn target(bytes: &[u8], names: usize) -> Option<String> {
    let at = |at: usize| Some(usize::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let start = names + at(8)?;
    let name = bytes.get(start..start + at(10)?)?;
    let units = name.chunks_exact(2).filter_map(|unit| Some(u16::from_le_bytes(unit.try_into().ok()?)));
    Some(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(tag: u32, flags: usize, name: &str) -> Vec<u8> {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut bytes = tag.to_le_bytes().to_vec();
        bytes.extend([0; 6]);
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(vec![0; 4 + flags]);
        bytes.extend(name);
        bytes
    }

    #[test]
    fn links_tell_their_target_and_other_tags_hide_nothing() {
        let link = |text: &str| Reparse::Link(text.to_owned());
        assert_eq!(meaning(&buffer(MOUNT_POINT, 0, r"\??\C:\Users")), link(r"\??\C:\Users"));
        assert_eq!(meaning(&buffer(SYMLINK, 4, r"..\a")), link(r"..\a"));
        assert!(matches!(meaning(&buffer(WOF, 0, "")), Reparse::Elsewhere(_)), "of no provider");
        for cloud in [0x9000_001a, 0x9000_601a] {
            assert_eq!(meaning(&buffer(cloud, 0, "")), Reparse::Cloud);
        }
        assert_eq!(meaning(&buffer(0x8000_0018, 0, "")), Reparse::Plain);
        assert_eq!(meaning(&[]), Reparse::Plain);
    }
}
