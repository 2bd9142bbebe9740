//! Logs of the old format: a bitmap of sectors and the sectors (sections "Dirty vector", "Dirty pages").

use super::target::Target;
use super::{Applied, Base, COPIED, LeftOut, Log, Replay, Why};
use crate::registry::cells::u32_at;

/// Number of bytes that one bit represents.
const SECTOR: usize = 512;

/// Number of bytes of a hive that one byte of the bitmap represents.
const BYTE: usize = SECTOR * 8;

/// Length of the signature of the bitmap.
const SIGNATURE: usize = 4;

/// One sector to write.
struct Sector<'a> {
    /// From the first hive bin.
    offset: u64,
    data: &'a [u8],
    /// Offset in the log.
    from: u64,
}

/// Applies the one log that fits the hive, the latest if there are several; returns the hive's new sequence number.
pub(super) fn apply(base: &Base, logs: &[Log<'_>], target: &mut Target, replay: &mut Replay) -> Option<u32> {
    let mut fitting = Vec::new();
    for log in logs {
        match fits(base, log).and_then(|()| sectors(log)) {
            Ok(sectors) => fitting.push((log, sectors)),
            Err(why) => replay.left_out.push(log.left_out(0, why)),
        }
    }
    // If they are equal, the first one wins: Windows tries LOG1 first.
    fitting.sort_by_key(|(log, _)| std::cmp::Reverse((log.written, log.primary)));
    let mut done = None;
    for (log, sectors) in fitting {
        let size = u32_at(log.bytes, 0x28).unwrap_or_default();
        let extents = sectors.iter().map(|sector| (sector.offset, sector.data.len() as u64));
        let why = match (done, target.has_room(size, extents)) {
            (Some(_), _) => Why::OtherLog,
            (None, Err(why)) => why,
            (None, Ok(())) => {
                replay.applied.push(put(base, log, size, &sectors, target, &mut replay.base_block_from));
                done = Some(log.primary);
                continue;
            }
        };
        replay.left_out.push(LeftOut { log: log.number, offset: 0, why });
    }
    done
}

/// Checks that a log was completely written, and for this state of the hive.
fn fits(base: &Base, log: &Log<'_>) -> Result<(), Why> {
    let (primary, secondary) = (log.primary, log.secondary);
    if primary != secondary {
        return Err(Why::Unfinished { primary, secondary });
    }
    if base.sound && base.written != log.written {
        return Err(Why::OtherState);
    }
    Ok(())
}

fn sectors<'a>(log: &Log<'a>) -> Result<Vec<Sector<'a>>, Why> {
    let bins = u32_at(log.bytes, 0x28).unwrap_or_default() as usize;
    let vector = log.bytes.get(COPIED..).filter(|vector| vector.starts_with(b"DIRT")).ok_or(Why::Bitmap)?;
    let cut = |expected: usize| Why::Cut { expected: expected as u64, actual: log.bytes.len() as u64 };
    let (start, length) = (COPIED + SIGNATURE, bins / BYTE);
    let bitmap = vector.get(SIGNATURE..SIGNATURE + length).ok_or(cut(start.saturating_add(length)))?;
    let first = (start + length).next_multiple_of(SECTOR);
    let count: usize = bitmap.iter().map(|byte| byte.count_ones() as usize).sum();
    let end = first.saturating_add(count.saturating_mul(SECTOR));
    let data = log.bytes.get(first..end).ok_or(cut(end))?;
    let bits = bitmap.iter().zip((0u64..).step_by(BYTE)).flat_map(|(byte, at)| {
        (0..8u64).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| at + bit * SECTOR as u64)
    });
    let stored = data.chunks_exact(SECTOR).zip((first as u64..).step_by(SECTOR));
    Ok(bits.zip(stored).map(|(offset, (data, from))| Sector { offset, data, from }).collect())
}

fn put(
    base: &Base,
    log: &Log<'_>,
    size: u32,
    sectors: &[Sector<'_>],
    target: &mut Target,
    base_block_from: &mut Option<usize>,
) -> Applied {
    if !base.sound {
        target.base_block(log.bytes);
        *base_block_from = Some(log.number);
    }
    target.grow(size);
    for sector in sectors {
        target.page(sector.offset, sector.data, log.number, sector.from);
    }
    let pages = u32::try_from(sectors.len()).unwrap_or(u32::MAX);
    let bytes = sectors.len() as u64 * SECTOR as u64;
    Applied { log: log.number, offset: COPIED as u64, sequence: log.primary, pages, bytes }
}
