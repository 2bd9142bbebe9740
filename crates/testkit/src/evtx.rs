//! Builds event logs of Windows Vista and later that third-party readers accept.
//!
//! Sources of the format: [MS-EVEN6] 2.2.12 (BinXml); Joachim Metz, libevtx, "Windows XML Event Log (EVTX) format", sections 2 to 5.

mod chunk;
mod template;

use chunk::Chunk;

/// An event to be logged.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// Its record number in the log.
    pub record_id: u64,
    /// When it was raised, as a FILETIME.
    pub time: u64,
    /// The name of the provider.
    pub provider: &'a str,
    /// The GUID of the provider in braces; only providers with a manifest have one.
    pub guid: Option<&'a str>,
    /// The event id.
    pub event_id: u16,
    /// The level: 0 always, 1 critical, 2 error, 3 warning, 4 information.
    pub level: u8,
    /// The channel.
    pub channel: &'a str,
    /// The computer.
    pub computer: &'a str,
    /// The SID of the user in whose name it was raised.
    pub user_sid: Option<&'a str>,
    /// The element of `UserData` with the data; without it, the data are in `EventData`.
    pub user_data: Option<&'a str>,
    /// Names and values; a value in `EventData` with an empty name is unnamed.
    pub data: &'a [(&'a str, &'a str)],
}

/// The number of bytes before the first chunk.
const HEAD: usize = 4096;

/// Builds a log with these events, in as many chunks as needed.
///
/// An event that does not fit into a chunk is left out.
pub fn log(events: &[Event<'_>]) -> Vec<u8> {
    let mut chunks = vec![Chunk::new()];
    for event in events {
        let fits = chunks.last_mut().is_some_and(|chunk| chunk.push(event));
        if !fits {
            let mut next = Chunk::new();
            if next.push(event) {
                chunks.push(next);
            }
        }
    }
    let next_id = events.last().map_or(1, |event| event.record_id + 1);
    let mut log = head(chunks.len() as u64, next_id);
    chunks.into_iter().for_each(|chunk| log.extend(chunk.done()));
    log
}

/// Builds a log from before Windows Vista, with the number, seconds since 1970, event id and text of each event.
///
/// Source of the format: the `EVENTLOGRECORD` structure (winnt.h); Joachim Metz, libevt, "Windows Event Log (EVT) format".
pub fn old_log(source: &str, computer: &str, events: &[(u32, u32, u32, &str)]) -> Vec<u8> {
    let wide = |text: &str| text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let mark = u32::from_le_bytes(*b"LfLe");
    let mut records = Vec::new();
    for (number, seconds, id, text) in events {
        let (names, text) = ([wide(source), wide(computer)].concat(), wide(text));
        let at = 56 + names.len() as u32;
        let end = at + text.len() as u32;
        let size = (end + 4).next_multiple_of(4);
        // One text, of the type of a successful audit; no SID and no data.
        let fixed = [size, mark, *number, *seconds, *seconds, *id, 1 << 16 | 8, 0, 0, at, 0, at, 0, end];
        let mut record = [words(&fixed), names, text].concat();
        record.resize(size as usize - 4, 0);
        record.extend(size.to_le_bytes());
        records.extend(record);
    }
    let (first, last) = (events.first().map_or(1, |one| one.0), events.last().map_or(0, |one| one.0));
    let end = 48 + records.len() as u32;
    let head = words(&[48, mark, 1, 1, 48, end, last + 1, first, 0x1_0000, 0, 0, 48]);
    let tail = [40, 0x1111_1111, 0x2222_2222, 0x3333_3333, 0x4444_4444, 48, end, last + 1, first, 40];
    [head, records, words(&tail)].concat()
}

fn head(chunks: u64, next_id: u64) -> Vec<u8> {
    let mut head = b"ElfFile\0".to_vec();
    head.extend(0_u64.to_le_bytes());
    head.extend(chunks.saturating_sub(1).to_le_bytes());
    head.extend(next_id.to_le_bytes());
    head.extend(128_u32.to_le_bytes());
    // Version 3.1.
    head.extend([1, 0, 3, 0]);
    head.extend((HEAD as u16).to_le_bytes());
    head.extend((chunks as u16).to_le_bytes());
    head.resize(120, 0);
    let sum = crc32fast::hash(&head);
    head.extend(0_u32.to_le_bytes());
    head.extend(sum.to_le_bytes());
    head.resize(HEAD, 0);
    head
}

/// Converts a GUID in braces to its 16 bytes ([MS-DTYP] 2.3.4.2).
fn guid(text: &str) -> Option<[u8; 16]> {
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    let mut bytes = u128::from_str_radix(&digits, 16).ok()?.to_be_bytes();
    for part in [0..4, 4..6, 6..8] {
        bytes.get_mut(part)?.reverse();
    }
    Some(bytes)
}

/// Converts a SID to its bytes ([MS-DTYP] 2.4.2.2).
fn sid(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.strip_prefix("S-1-")?.split('-').map(str::parse::<u64>);
    let authority = parts.next()?.ok()?;
    let parts: Vec<u64> = parts.collect::<Result<_, _>>().ok()?;
    let mut bytes = vec![1, parts.len() as u8];
    bytes.extend(authority.to_be_bytes().iter().skip(2));
    parts.iter().for_each(|part| bytes.extend((*part as u32).to_le_bytes()));
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{guid, sid};

    #[test]
    fn guids_and_sids_have_their_bytes() {
        let bytes = guid("{03020100-0504-0706-0809-0A0B0C0D0E0F}").unwrap();
        assert_eq!(bytes.to_vec(), (0..16).collect::<Vec<u8>>());
        let administrators = [1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 32, 2, 0, 0];
        assert_eq!(sid("S-1-5-32-544").unwrap(), administrators);
    }
}
