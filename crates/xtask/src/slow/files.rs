//! Files that consist almost entirely of holes, or are very long.

use super::Site;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};
use testkit::samples::{Sample, TICKS, samples};
use testkit::usn::{Change, journal as journal_bytes};

/// Returns the bytes of a sample by the end of its path.
fn sample(end: &str) -> io::Result<Vec<u8>> {
    let found = samples().into_iter().find(|sample| sample.path.ends_with(end));
    found
        .map(|Sample { bytes, .. }| bytes)
        .ok_or_else(|| io::Error::other(format!("no sample is called {end}")))
}

/// Writes bytes at an offset of a file with this length and holes elsewhere.
fn sparse(mut file: File, length: u64, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.set_len(length.max(at + bytes.len() as u64))?;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

/// Returns journal records that start at offset `at`.
fn changes(at: u64) -> Vec<u8> {
    let change = |number: u64| Change {
        file: (70 + number, 2),
        parent: (5, 5),
        time: TICKS + number * 10_000_000,
        reasons: 0x8000_0100,
        name: format!("file-{number}.tmp"),
    };
    journal_bytes(at, 0, &(0..500).map(change).collect::<Vec<_>>())
}

pub(super) fn journal(site: &mut Site) -> io::Result<()> {
    let at = site.of(20 << 30).next_multiple_of(1 << 16);
    sparse(site.file("$Extend/$J")?, 0, at, &changes(at))
}

pub(super) fn zeros(site: &mut Site) -> io::Result<()> {
    let mut file = site.file("$Extend/$J")?;
    let at = site.of(1 << 30).next_multiple_of(1 << 16);
    for _ in 0..at >> 16 {
        file.write_all(&[0; 1 << 16])?;
    }
    file.write_all(&changes(at))
}

pub(super) fn log(site: &mut Site) -> io::Result<()> {
    let log = sample("Security.evtx")?;
    sparse(
        site.file("Windows/System32/winevt/Logs/Security.evtx")?,
        site.of(20 << 30).next_multiple_of(1 << 16),
        0,
        &log,
    )
}

pub(super) fn old_log(site: &mut Site) -> io::Result<()> {
    let log = sample("SecEvent.Evt")?;
    sparse(site.file("Windows/System32/config/SecEvent.Evt")?, site.of(500 << 20), 0, &log)
}

pub(super) fn hive(site: &mut Site) -> io::Result<()> {
    let root =
        KeySpec::new("ROOT").path("Select", KeySpec::new("Select").value(ValueSpec::dword("Current", 1)));
    let hive = HiveSpec::new(root).build().bytes;
    sparse(site.file("Windows/System32/config/SYSTEM")?, site.of(4 << 30), 0, &hive)?;
    // This one does not exceed the maximum size of a hive.
    sparse(site.file("Windows/System32/config/SOFTWARE")?, site.of(500 << 20), 0, &hive)
}

pub(super) fn mft(site: &mut Site) -> io::Result<()> {
    sparse(site.file("$MFT")?, site.of(20 << 30).next_multiple_of(1024), 0, &sample("$MFT")?)
}

pub(super) fn prefetch(site: &mut Site) -> io::Result<()> {
    let (plain, packed) = (sample("SOL.EXE-C0FFEE01.pf")?, sample("NOTEPAD.EXE-C0FFEE01.pf")?);
    let length = site.of(1 << 30);
    for number in 0..site.of(20) {
        let bytes = if number % 2 == 0 { &plain } else { &packed };
        sparse(site.file(&format!("Windows/Prefetch/P{number}.EXE-C0FFEE01.pf"))?, length, 0, bytes)?;
    }
    Ok(())
}

/// Writes only a partition table.
pub(super) fn disk(site: &mut Site) -> io::Result<()> {
    let mut sector = [0; 512];
    let entry = [0, 0, 0, 0, 7, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0x70, 2];
    sector[446..462].copy_from_slice(&entry);
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    sparse(File::create_new(&site.path)?, site.of(20 << 30).next_multiple_of(512), 0, &sector)
}

pub(super) fn history(site: &mut Site) -> io::Result<()> {
    let path = "Users/ann/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt";
    let mut file = BufWriter::new(site.file(path)?);
    let (mut written, wanted) = (0, site.of(500 << 20));
    while written < wanted {
        let line = format!("Get-Item C:\\Users\\ann\\{}\n", site.word());
        file.write_all(line.as_bytes())?;
        written += line.len() as u64;
    }
    file.flush()
}

pub(super) fn line(site: &mut Site) -> io::Result<()> {
    let paths = [
        "Windows/System32/drivers/etc/hosts",
        "Windows/System32/LogFiles/Firewall/pfirewall.log",
        "Windows/INF/setupapi.dev.log",
        "Users/ann/Documents/PowerShell_transcript.WKS-1.abc.20120404015840.txt",
    ];
    let length = site.of(500 << 20);
    for path in paths {
        let begin =
            samples().into_iter().find(|sample| path.ends_with(sample.path)).map(|sample| sample.bytes);
        let mut file = BufWriter::new(site.file(path)?);
        file.write_all(&begin.unwrap_or_default())?;
        for _ in 0..length >> 10 {
            file.write_all(&[b'a'; 1 << 10])?;
        }
        file.flush()?;
    }
    Ok(())
}
