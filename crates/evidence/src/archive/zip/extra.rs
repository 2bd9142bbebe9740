//! Extra fields of a central directory record: zip64, times, names.

use super::le;
use crate::archive::stamp::{Stamp, Stamps};

/// The combined values of the fixed part and the extra fields.
pub(super) struct Extra {
    pub(super) size: u64,
    pub(super) packed: u64,
    pub(super) offset: u64,
    pub(super) stamps: Stamps,
    /// The name in UTF-8, if it is given separately.
    pub(super) name: Option<Vec<u8>>,
    /// Whether the content is encrypted with AES.
    pub(super) aes: bool,
}

/// The value of a 32-bit number whose real value is in the zip64 field.
const LARGE: u64 = 0xffff_ffff;

/// Reads the fields; a truncated one is left out.
pub(super) fn read(fields: &[u8], fixed: &[u8], name: &[u8]) -> Extra {
    let number = |from: usize, bytes: usize| fixed.get(from..from + bytes).map_or(0, le);
    let dos = Stamp::Dos(u32::try_from(number(12, 4)).unwrap_or_default());
    let mut extra = Extra {
        size: number(24, 4),
        packed: number(20, 4),
        offset: number(42, 4),
        stamps: Stamps { modified: dos, ..Stamps::default() },
        name: None,
        aes: false,
    };
    let mut rest = fields;
    while let Some((head, after)) = rest.split_at_checked(4) {
        let (id, length) = (head.get(..2).map_or(0, le), head.get(2..).map_or(0, le));
        let Some((data, next)) = usize::try_from(length).ok().and_then(|at| after.split_at_checked(at))
        else {
            break;
        };
        match id {
            0x0001 => zip64(data, &mut extra),
            0x000a => ntfs(data, &mut extra.stamps),
            0x5455 => extended(data, &mut extra.stamps),
            0x7075 => extra.name = unicode(data, name),
            0x9901 => extra.aes = true,
            _ => {}
        }
        rest = next;
    }
    extra
}

/// Reads zip64 extended information (APPNOTE 4.5.3): the numbers that did not fit, in this order.
fn zip64(data: &[u8], extra: &mut Extra) {
    let mut numbers = data.chunks_exact(8).map(le);
    for number in [&mut extra.size, &mut extra.packed, &mut extra.offset] {
        if *number == LARGE {
            *number = numbers.next().unwrap_or(LARGE);
        }
    }
}

/// Reads the NTFS field (APPNOTE 4.5.5): tag 1 holds modification, access and creation as FILETIMEs.
fn ntfs(data: &[u8], stamps: &mut Stamps) {
    let mut rest = data.get(4..).unwrap_or_default();
    while let Some((head, after)) = rest.split_at_checked(4) {
        let (tag, length) = (head.get(..2).map_or(0, le), head.get(2..).map_or(0, le));
        let Some((values, next)) = usize::try_from(length).ok().and_then(|at| after.split_at_checked(at))
        else {
            break;
        };
        if tag == 1 {
            let mut times = values.chunks_exact(8).map(le).map(Stamp::Filetime);
            for stamp in [&mut stamps.modified, &mut stamps.accessed, &mut stamps.born] {
                // The most precise form there is: it also replaces times in seconds.
                if let Some(time) = times.next().filter(|time| *time != Stamp::Filetime(0)) {
                    *stamp = time;
                }
            }
        }
        rest = next;
    }
}

/// Reads the extended timestamp (Info-ZIP, 0x5455): a byte of flags, then seconds since 1970. The central
/// directory has the modification time only.
fn extended(data: &[u8], stamps: &mut Stamps) {
    let Some((flags, rest)) = data.split_first() else { return };
    let mut times = rest.chunks_exact(4).map(|time| {
        let seconds = u32::try_from(le(time)).unwrap_or_default();
        Stamp::Seconds(i64::from(i32::from_le_bytes(seconds.to_le_bytes())))
    });
    let all = [&mut stamps.modified, &mut stamps.accessed, &mut stamps.born];
    for (bit, stamp) in [1, 2, 4].into_iter().zip(all) {
        if flags & bit != 0
            && let Some(time) = times.next()
        {
            *stamp = stamp.or(time);
        }
    }
}

/// Reads the Info-ZIP Unicode Path (APPNOTE 4.6.9), which is valid only if it was made for the name in the record.
fn unicode(data: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let (head, text) = data.split_at_checked(5)?;
    let sum = head.get(1..).map(le)?;
    (head.first() == Some(&1) && sum == u64::from(crc32fast::hash(name))).then(|| text.to_vec())
}
