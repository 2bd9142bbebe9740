//! Logs of the new format: entries one after the other (section "Log entries").

use super::target::Target;
use super::{Applied, Base, COPIED, Log, Replay, Why, marvin};
use crate::registry::cells::{u32_at, u64_at};

/// Length of an entry before the references of its pages.
const FIXED: usize = 40;

/// One entry with valid hashes.
struct Entry<'a> {
    sequence: u32,
    flags: u32,
    bins_size: u32,
    pages: Vec<Page<'a>>,
    end: usize,
}

struct Page<'a> {
    /// From the first hive bin.
    offset: u64,
    data: &'a [u8],
    /// Offset in the log.
    from: u64,
}

/// Applies the entries of all logs in the order of their sequence numbers; returns the number after the last one.
pub(super) fn apply(
    base: &Base,
    mut logs: Vec<Log<'_>>,
    target: &mut Target,
    replay: &mut Replay,
) -> Option<u32> {
    // The log with the earlier entries goes first; the hive only says from which number on they are new.
    logs.sort_by_key(|log| log.primary);
    let mut held = base.secondary;
    if !base.sound {
        // In that case only the log with the latest entries is used, and all of it.
        let latest = logs.pop()?;
        replay.left_out.extend(logs.iter().map(|log| log.left_out(0, Why::OtherLog)));
        target.base_block(latest.bytes);
        replay.base_block_from = Some(latest.number);
        held = latest.primary;
        logs = vec![latest];
    }
    let mut last = None;
    for log in &logs {
        one_log(log, held, &mut last, target, replay);
    }
    match last {
        Some(last) => Some(last.wrapping_add(1)),
        // The copy of the base block alone repairs the hive.
        None => logs.first().filter(|_| !base.sound).map(|log| log.primary),
    }
}

fn one_log(log: &Log<'_>, held: u32, last: &mut Option<u32>, target: &mut Target, replay: &mut Replay) {
    let (mut at, mut expected) = (COPIED, log.primary);
    let mut earlier = None;
    loop {
        let entry = match read(log.bytes, at, expected) {
            Ok(Some(entry)) => entry,
            Ok(None) => break,
            Err(why) => {
                replay.left_out.push(log.left_out(at, why));
                break;
            }
        };
        expected = expected.wrapping_add(1);
        let next = last.map_or(entry.sequence, |last: u32| last.wrapping_add(1));
        if entry.sequence < held || entry.sequence < next {
            earlier = Some(entry.sequence);
            at = entry.end;
            continue;
        }
        let fits = match entry.sequence == next {
            true => target.has_room(entry.bins_size, entry.pages.iter().map(Page::extent)),
            false => Err(Why::Sequence { expected: next, actual: entry.sequence }),
        };
        if let Err(why) = fits {
            replay.left_out.push(log.left_out(at, why));
            return;
        }
        replay.applied.push(put(log, at, &entry, target));
        (earlier, *last, at) = (None, Some(entry.sequence), entry.end);
    }
    if let Some(sequence) = earlier {
        replay.left_out.push(log.left_out(COPIED, Why::Earlier { sequence, held: last.unwrap_or(held) }));
    }
}

impl Page<'_> {
    fn extent(&self) -> (u64, u64) {
        (self.offset, self.data.len() as u64)
    }
}

fn put(log: &Log<'_>, at: usize, entry: &Entry<'_>, target: &mut Target) -> Applied {
    target.grow(entry.bins_size);
    target.flags(entry.flags);
    let mut bytes = 0u64;
    for page in &entry.pages {
        target.page(page.offset, page.data, log.number, page.from);
        bytes = bytes.saturating_add(page.data.len() as u64);
    }
    let pages = u32::try_from(entry.pages.len()).unwrap_or(u32::MAX);
    Applied { log: log.number, offset: at as u64, sequence: entry.sequence, pages, bytes }
}

/// Reads the entry at `at`; `None` at the end of what was written in this round.
///
/// Entries of earlier rounds follow the end, complete or truncated, with other sequence numbers: they are not damage.
fn read(log: &[u8], at: usize, expected: u32) -> Result<Option<Entry<'_>>, Why> {
    let Some(rest) = log.get(at..).filter(|rest| rest.starts_with(b"HvLE")) else { return Ok(None) };
    let field = |at| u32_at(rest, at).unwrap_or_default();
    let (size, sequence) = (field(4) as usize, field(12));
    if sequence != expected {
        let later = sequence > expected;
        // Earlier rounds have lower numbers.
        return if later { Err(Why::Sequence { expected, actual: sequence }) } else { Ok(None) };
    }
    let whole = rest.get(..size).filter(|entry| entry.len() >= FIXED && entry.len().is_multiple_of(512));
    let entry = whole.filter(|entry| {
        let hashed = |from: usize, to: usize| marvin::hash(entry.get(from..to).unwrap_or_default());
        u64_at(entry, 24) == Some(hashed(FIXED, size)) && u64_at(entry, 32) == Some(hashed(0, 32))
    });
    let entry = entry.ok_or(Why::Hash { sequence })?;
    let bins_size = field(16);
    let sound = bins_size > 0 && bins_size.is_multiple_of(4096);
    let pages = pages(entry, at).filter(|_| sound).ok_or(Why::Entry { sequence })?;
    let end = at.saturating_add(size);
    Ok(Some(Entry { sequence, flags: field(8), bins_size, pages, end }))
}

/// Returns the pages of an entry that begins at `at` in its log.
fn pages(entry: &[u8], at: usize) -> Option<Vec<Page<'_>>> {
    let count = usize::try_from(u32_at(entry, 20)?).ok()?;
    let references = entry.get(FIXED..FIXED.checked_add(count.checked_mul(8)?)?)?;
    let mut from = FIXED + references.len();
    let mut pages = Vec::with_capacity(count);
    for reference in references.chunks_exact(8) {
        let (offset, length) = (u64::from(u32_at(reference, 0)?), u32_at(reference, 4)? as usize);
        let data = entry.get(from..from.checked_add(length)?)?;
        pages.push(Page { offset, data, from: at.saturating_add(from) as u64 });
        from += length;
    }
    Some(pages)
}
