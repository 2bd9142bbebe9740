//! `cargo xtask compare-events`: compares how we and libevtx read event logs.
//!
//! It needs `evtxexport`. Records are matched by number and order; it compares event id, time to 100 ns, provider, computer and user.
//! It prints each difference on one line, and fails if there is any, except for records that only we find.

use artifacts::evtx::{Found, read_bytes};
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

/// The maximum number of differences printed for a log.
const SHOWN: usize = 5;

/// The data of a record that both readers return.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    event_id: u32,
    /// The FILETIME in the record's header.
    written: u64,
    provider: String,
    computer: String,
    user: String,
}

/// The entries by number; several records may have the same number.
type Entries = BTreeMap<u64, Vec<Entry>>;

/// Compares one log; returns the number of differences.
pub(crate) fn compare(log: &Path, say: &mut dyn FnMut(String)) -> io::Result<usize> {
    let theirs = theirs(log)?;
    let (ours, damage) = ours(&std::fs::read(log)?);
    let count = |entries: &Entries| entries.values().map(Vec::len).sum::<usize>();
    let (mut different, mut missed, mut more) = (Vec::new(), 0, 0);
    for number in ours.keys().chain(theirs.keys().filter(|number| !ours.contains_key(number))) {
        let none = Vec::new();
        let (we, they) = (ours.get(number).unwrap_or(&none), theirs.get(number).unwrap_or(&none));
        missed += they.len().saturating_sub(we.len());
        more += we.len().saturating_sub(they.len());
        for (we, they) in we.iter().zip(they).filter(|(we, they)| we != they) {
            different.push(format!("  record {number}: {we:?}; evtxexport: {they:?}"));
        }
        if they.len() > we.len() {
            different.push(format!("  record {number} is only in evtxexport's"));
        }
    }
    let name = log.file_name().unwrap_or_default().display();
    say(format!(
        "{name}: {} records, evtxexport {}; {missed} missed, {more} more, {} differ; {damage} damaged places",
        count(&ours),
        count(&theirs),
        different.len().saturating_sub(missed)
    ));
    let total = different.len();
    different.into_iter().take(SHOWN).for_each(say);
    Ok(total)
}

fn ours(log: &[u8]) -> (Entries, usize) {
    let (mut entries, mut damage) = (Entries::new(), 0);
    let _ = read_bytes(log, &mut |found| {
        match found {
            Found::Event(event) => {
                let system = &event.system;
                let entry = Entry {
                    event_id: system.event_id,
                    written: event.written,
                    // libevtx prefers the old name.
                    provider: system.old_provider.as_ref().unwrap_or(&system.provider).clone().into_owned(),
                    computer: system.computer.clone().into_owned(),
                    user: system.user.clone().unwrap_or_default().into_owned(),
                };
                entries.entry(event.record_id).or_default().push(entry);
            }
            Found::Damage(_) => damage += 1,
            Found::Head(_) | Found::Checksum { .. } => {}
        }
        ControlFlow::Continue(())
    });
    (entries, damage)
}

#[expect(clippy::disallowed_methods, reason = "the chore compares with another program")]
fn theirs(log: &Path) -> io::Result<Entries> {
    let output = std::process::Command::new("evtxexport").arg(log).output()?;
    Ok(read(&String::from_utf8_lossy(&output.stdout)))
}

/// Parses the output of `evtxexport`.
fn read(text: &str) -> Entries {
    let mut entries = Entries::new();
    let mut current: Option<(u64, Entry)> = None;
    for line in text.lines() {
        let Some((name, value)) = line.split_once(": ") else { continue };
        let value = value.trim();
        match (name.trim(), &mut current) {
            ("Event number", current) => {
                if let Some((number, entry)) = current.take() {
                    entries.entry(number).or_default().push(entry);
                }
                *current = value.parse().ok().map(|number| (number, Entry::default()));
            }
            ("Written time", Some((_, entry))) => entry.written = time(value).unwrap_or_default(),
            ("User security identifier", Some((_, entry))) => value.clone_into(&mut entry.user),
            ("Computer name", Some((_, entry))) => value.clone_into(&mut entry.computer),
            ("Source name", Some((_, entry))) => value.clone_into(&mut entry.provider),
            ("Event identifier", Some((_, entry))) => {
                let hex = value.split(' ').next().and_then(|hex| hex.strip_prefix("0x"));
                let number = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or_default();
                // The upper half holds the qualifiers of classic events.
                entry.event_id = number & 0xFFFF;
            }
            _ => {}
        }
    }
    if let Some((number, entry)) = current {
        entries.entry(number).or_default().push(entry);
    }
    entries
}

/// Parses `Mar 10, 2022 19:32:21.568206800 UTC` as a FILETIME.
fn time(text: &str) -> Option<u64> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let mut parts = text.split([' ', ',']).filter(|part| !part.is_empty());
    let (month, day, year, clock) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let month = MONTHS.find(month)? / 3 + 1;
    artifacts::evtx::filetime(&format!("{year}-{month:02}-{day}T{clock}Z"))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_evtxexport_prints_is_read() {
        let text = "Event number\t\t\t: 3\nWritten time\t\t\t: Apr 04, 2012 01:58:40.839249000 UTC\nSource name\t\t\t: P\nEvent identifier\t\t: 0x40001b85 (1073748869)\n";
        let entries = read(text);
        let entry = &entries[&3][0];
        assert_eq!(
            (entry.event_id, entry.written, entry.provider.as_str()),
            (7045, 129_779_783_208_392_490, "P")
        );
    }
}
