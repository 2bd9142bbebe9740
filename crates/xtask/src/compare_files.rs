//! `cargo xtask compare-prefetch` and `compare-lnk`: compares how `parse_file` and libscca or liblnk read files.
//!
//! It needs `sccainfo` or `lnkinfo`. It compares, as text, the properties that both programs name.
//! It prints the differences, and fails if there are any.

use ledger::{Outcome, Record};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use thiserror::Error;

/// The reason why a file cannot be compared.
#[derive(Debug, Error)]
pub(crate) enum CompareFileError {
    /// Its folder cannot be opened.
    #[error("compare {path}: {source}")]
    Open {
        path: String,
        #[source]
        source: evidence::OpenError,
    },
    /// The other program cannot be started.
    #[error("compare: start {program}: {source}")]
    Start {
        program: &'static str,
        #[source]
        source: std::io::Error,
    },
}

/// A format that another program also reads.
pub(crate) struct Format {
    program: &'static str,
    /// The program's name for each property, and our field.
    words: &'static [(&'static str, &'static str)],
}

pub(crate) const PREFETCH: Format = Format {
    program: "sccainfo",
    words: &[
        ("Format version", "version"),
        ("Prefetch hash", "path_hash"),
        ("Executable filename", "executable"),
        ("Run count", "run_count"),
        ("Last run time", "last_run"),
        ("Last run time: 1", "last_run"),
        ("Last run time: 2", "last_run_2"),
        ("Last run time: 3", "last_run_3"),
        ("Last run time: 4", "last_run_4"),
        ("Last run time: 5", "last_run_5"),
        ("Last run time: 6", "last_run_6"),
        ("Last run time: 7", "last_run_7"),
        ("Last run time: 8", "last_run_8"),
        ("Number of filenames", "file_count"),
        ("Number of volumes", "volume_count"),
    ],
};

pub(crate) const LNK: Format = Format {
    program: "lnkinfo",
    words: &[
        ("Creation time", "target_created"),
        ("Modification time", "target_modified"),
        ("Access time", "target_accessed"),
        ("Drive serial number", "volume_serial"),
        ("Volume label", "volume_label"),
        ("Command line arguments", "arguments"),
        ("Working directory", "working_folder"),
        ("Relative path", "relative_path"),
        ("Description", "description"),
        ("Machine identifier", "machine"),
        ("Droid file identifier", "file_id"),
    ],
};

/// Compares one file; returns the number of differences.
pub(crate) fn compare(
    format: &Format,
    path: &Path,
    say: &mut dyn FnMut(String),
) -> Result<usize, CompareFileError> {
    let theirs = theirs(format, path)?;
    let ours = ours(path)?;
    let Some(ours) = ours else {
        say(format!("{}: no record of ours; theirs: {theirs:?}", path.display()));
        return Ok(usize::from(!theirs.is_empty()));
    };
    let mut different = 0;
    for (word, field) in format.words {
        let Some(their) = theirs.get(*word) else { continue };
        let own = ours.fields.get(*field).map(|field| field.value.to_text().into_owned()).unwrap_or_default();
        if plain(&own) != plain(their) {
            different += 1;
            say(format!("{}: {word}: ours {own:?}, theirs {their:?}", path.display()));
        }
    }
    Ok(different)
}

/// Returns the first line for each property name.
fn theirs(format: &Format, path: &Path) -> Result<BTreeMap<String, String>, CompareFileError> {
    let source_of = |source| CompareFileError::Start { program: format.program, source };
    let output = command(format.program).arg(path).output().map_err(source_of)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut found = BTreeMap::new();
    for line in text.lines() {
        // A property name is separated from its value by tabs and a colon.
        let Some((word, told)) = line.split_once("\t:").or_else(|| line.trim_end().split_once("\t: ")) else {
            continue;
        };
        found.entry(word.trim().to_owned()).or_insert_with(|| told.trim().to_owned());
    }
    Ok(found)
}

#[expect(clippy::disallowed_methods, reason = "the chore compares with another program")]
fn command(name: &str) -> Command {
    Command::new(name)
}

/// Returns our record about the file itself.
fn ours(path: &Path) -> Result<Option<Record>, CompareFileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let opened = evidence::open_directory(folder, "files");
    let tree =
        opened.map_err(|source| CompareFileError::Open { path: path.display().to_string(), source })?;
    let arguments = json!({ "path": evidence::escape_name(name) });
    // The decoders of these formats write nothing there.
    let returned = tools::run("parse_file", &arguments, &[Box::new(tree)], folder);
    let kinds = ["prefetch", "shortcut", "recent_shortcut"];
    let mut records = returned.records.into_iter().filter(|_| returned.outcome == Outcome::Ok);
    Ok(records.find(|record| kinds.contains(&record.kind.as_str())))
}

/// Normalises numbers, times, GUIDs and texts; an unset time becomes empty.
fn plain(text: &str) -> String {
    let text = if text == "Not set (0)" { "" } else { text };
    let text = text.trim_start_matches("0x").trim_matches(['{', '}']).to_lowercase();
    time(&text).unwrap_or(text)
}

/// Converts `mar 10, 2022 21:07:51.251004100 utc` to `2022-03-10t21:07:51.2510041z`.
fn time(text: &str) -> Option<String> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut words = text.strip_suffix(" utc")?.split([' ', ',']).filter(|word| !word.is_empty());
    let (month, day, year, clock) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    Some(format!("{year}-{month:02}-{day}t{}z", clock.get(..16)?))
}
