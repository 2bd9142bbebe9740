//! Reparse points: those of links ([MS-FSCC] 2.1.2.4, 2.1.2.5), and those in a description.

use super::attributes::{le_units, le16, utf16};
use super::spec::{EntrySpec, Kind};

const MOUNT_POINT: u32 = 0xa000_0003;
const SYMLINK: u32 = 0xa000_000c;

/// Returns the tag and the whole buffer; `None` without a reparse point.
pub(crate) fn point(spec: &EntrySpec) -> Option<(u32, Vec<u8>)> {
    match &spec.kind {
        Kind::File | Kind::Directory => {
            let buffer = spec.reparse.clone()?;
            Some((u32::from_le_bytes(*buffer.first_chunk()?), buffer))
        }
        Kind::Junction(target) => Some((MOUNT_POINT, buffer(MOUNT_POINT, &native(target), target, None))),
        Kind::Symlink(target) => {
            let absolute = target.starts_with('\\') || target.contains(':');
            let substitute = if absolute { native(target) } else { target.clone() };
            let flags = u32::from(!absolute);
            Some((SYMLINK, buffer(SYMLINK, &substitute, target, Some(flags))))
        }
    }
}

/// Returns a path in kernel notation.
fn native(target: &str) -> String {
    format!(r"\??\{target}")
}

fn buffer(tag: u32, substitute: &str, print: &str, flags: Option<u32>) -> Vec<u8> {
    let (substitute, print) = (le_units(&utf16(substitute)), le_units(&utf16(print)));
    // In junctions, each name ends with a NUL.
    let end: &[u8] = if flags.is_some() { &[] } else { &[0, 0] };
    let mut data = Vec::new();
    for number in [0, substitute.len(), substitute.len() + end.len(), print.len()] {
        data.extend(le16(number));
    }
    data.extend(flags.map(u32::to_le_bytes).into_iter().flatten());
    data.extend([&substitute, end, &print, end].concat());
    let mut bytes = tag.to_le_bytes().to_vec();
    bytes.extend(le16(data.len()));
    bytes.extend([0, 0]);
    bytes.extend(data);
    bytes
}
