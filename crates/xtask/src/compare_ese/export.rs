//! The output of `esedbexport`: a folder with one text file per table, with columns separated by tabs.

use super::CompareError;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The time limit for exporting one database, in seconds.
const LONGEST: &str = "300";

/// Returns the name and the lines of each table.
pub(super) fn tables(database: &Path) -> Result<Vec<(String, String)>, CompareError> {
    let target = std::env::temp_dir().join(format!("compare-ese-{}", std::process::id()));
    let folder = target.with_extension("export");
    let read = |source| CompareError::Read { path: folder.display().to_string(), source };
    run(database, &target)?;
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(read)? {
        let entry = entry.map_err(read)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !entry.file_type().map_err(read)?.is_file() {
            continue;
        }
        let bytes = fs::read(entry.path()).map_err(read)?;
        // The table's number in the export follows its name.
        let name = name.rsplit_once('.').map_or(name.as_str(), |(name, _)| name).to_owned();
        found.push((name, String::from_utf8_lossy(&bytes).into_owned()));
    }
    fs::remove_dir_all(&folder).map_err(read)?;
    Ok(found)
}

#[expect(clippy::disallowed_methods, reason = "the chore compares with another program")]
fn run(database: &Path, target: &Path) -> Result<(), CompareError> {
    // It does not end on some databases.
    let mut command = Command::new("timeout");
    command
        .arg(LONGEST)
        .arg("esedbexport")
        .arg("-t")
        .arg(target)
        .arg(database)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // What it cannot export is missing from the folder.
    command.status().map(drop).map_err(|source| CompareError::Start { source })
}

/// Formats an OLE Automation time as in the export, to the second.
pub(super) fn time(bits: u64) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let seconds = (f64::from_bits(bits) - 25_569.0) * 86_400.0;
    let nanoseconds = (seconds * 1e9) as i128;
    let Some(utc) = ledger::Utc::from_unix_nanoseconds(nanoseconds) else { return String::new() };
    let text = utc.to_text(ledger::Precision::Nanosecond);
    let (Some((date, time)), Some(year)) = (text.split_once('T'), text.get(..4)) else { return text };
    let month = date.get(5..7).and_then(|month| month.parse::<usize>().ok()).unwrap_or(1);
    let month = MONTHS.get(month.wrapping_sub(1)).copied().unwrap_or_default();
    format!("{month} {}, {year} {}", date.get(8..).unwrap_or_default(), time.trim_end_matches('Z'))
}

/// Checks whether two formatted times, within one day, are at most a second apart.
pub(super) fn within_a_second(ours: &str, theirs: &str) -> bool {
    let parts = |text: &str| {
        let (day, time) = text.rsplit_once(' ')?;
        let mut seconds = 0.0;
        for part in time.split(':') {
            seconds = seconds * 60.0 + part.parse::<f64>().ok()?;
        }
        Some((day.replace(" 0", " "), seconds))
    };
    match (parts(ours), parts(theirs)) {
        (Some((day, ours)), Some((other, theirs))) => day == other && (ours - theirs).abs() <= 1.0,
        _ => ours == theirs,
    }
}
