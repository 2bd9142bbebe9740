//! Reads files of indicators in any supported form.

use crate::kind::Kind;
use crate::{misp, openioc, stix, table};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use thiserror::Error;

/// The longest file in bytes.
pub const LONGEST: usize = 32 << 20;

/// The most indicators in all files.
const MOST: usize = 1_000_000;

/// The longest value of an indicator in bytes.
const LONGEST_VALUE: usize = 4096;

/// A file of indicators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndicatorFile {
    /// Its name for people.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// Something that somebody says is bad.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Indicator {
    /// The kind of thing that it names.
    pub kind: Kind,
    /// The value to search for.
    pub value: String,
    /// The file that contains it.
    pub file: String,
    /// The line in that file, from 1, if it is known.
    pub line: Option<u64>,
    /// What the file says about it: a title, a comment, the name of malware.
    pub label: Option<String>,
}

/// Why a file, or part of it, gives no indicators.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// It is too long.
    #[error("{actual} bytes; a file of indicators has {LONGEST} at most")]
    TooLong {
        /// Its bytes.
        actual: usize,
    },
    /// It is JSON that cannot be read, or has an unknown form.
    #[error("read JSON: {reason}")]
    Json {
        /// The reason.
        reason: String,
        /// The line.
        line: Option<u64>,
    },
    /// It is XML that cannot be read, or has an unknown form.
    #[error("read XML: {reason}")]
    Xml {
        /// The reason.
        reason: String,
        /// The line.
        line: Option<u64>,
    },
    /// It is not a readable table.
    #[error("read a table: {reason}")]
    Csv {
        /// The reason.
        reason: String,
        /// The line.
        line: Option<u64>,
    },
    /// There are too many.
    #[error("more than {MOST} indicators")]
    TooMany,
    /// It contains none.
    #[error("there is no indicator in it")]
    None,
}

impl ReadError {
    const fn line(&self) -> Option<u64> {
        match self {
            ReadError::Json { line, .. } | ReadError::Xml { line, .. } | ReadError::Csv { line, .. } => *line,
            ReadError::TooLong { .. } | ReadError::TooMany | ReadError::None => None,
        }
    }
}

/// A file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unreadable {
    /// The file.
    pub file: String,
    /// The line, if it is known.
    pub line: Option<u64>,
    /// What is wrong with it.
    pub reason: String,
}

/// A part of a file that was left out, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// The file.
    pub file: String,
    /// What it is, and why it is not searched for.
    pub what: String,
    /// The first line, if it is known.
    pub line: Option<u64>,
    /// How often.
    pub times: u64,
}

/// The content of all files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The indicators, each once.
    pub indicators: Vec<Indicator>,
    /// Files that cannot be read.
    pub unreadable: Vec<Unreadable>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
}

/// The content of one file.
#[derive(Debug)]
pub(crate) struct Taken<'f> {
    file: &'f str,
    found: Vec<Indicator>,
    skipped: BTreeMap<String, (Option<u64>, u64)>,
}

impl Taken<'_> {
    /// Adds a value with a named kind, or with the kind that its form has.
    pub(crate) fn take(&mut self, kind: Option<Kind>, value: &str, line: Option<u64>, label: Option<&str>) {
        let value = refanged(value.trim());
        if value.is_empty() {
            return;
        }
        if value.len() > LONGEST_VALUE {
            return self.skip(format!("a value of more than {LONGEST_VALUE} bytes"), line);
        }
        // A word such as "file" or "path" may mean a hash as well as a name.
        let kind = match kind {
            Some(kind) if kind.fits(&value) => Some(kind),
            Some(Kind::Hash) => None,
            Some(_) | None => Kind::of_value(&value).filter(|kind| kind.fits(&value)),
        };
        match kind {
            Some(kind) => {
                let label = label.map(|label| label.chars().take(200).collect::<String>());
                let label = label.filter(|label| !label.is_empty());
                self.found.push(Indicator { kind, value, file: self.file.to_owned(), line, label });
            }
            None => self.skip("a value of no kind that is looked for".to_owned(), line),
        }
    }

    /// Counts what is left out.
    pub(crate) fn skip(&mut self, what: String, line: Option<u64>) {
        self.skipped.entry(what).or_insert((line, 0)).1 += 1;
    }
}

/// Reads files of indicators.
pub fn read(files: &[IndicatorFile]) -> Read {
    let mut all = Read::default();
    let mut seen = HashSet::new();
    for file in files {
        let mut taken = Taken { file: &file.name, found: Vec::new(), skipped: BTreeMap::new() };
        let mut result = read_one(&file.text, &mut taken);
        if result.is_ok() && taken.found.is_empty() {
            result = Err(ReadError::None);
        }
        for indicator in taken.found {
            if all.indicators.len() == MOST {
                result = Err(ReadError::TooMany);
                break;
            }
            if seen.insert((indicator.kind, indicator.value.to_lowercase())) {
                all.indicators.push(indicator);
            }
        }
        if let Err(error) = result {
            let (line, reason) = (error.line(), error.to_string());
            all.unreadable.push(Unreadable { file: file.name.clone(), line, reason });
        }
        let skipped = taken.skipped.into_iter();
        all.skipped.extend(skipped.map(|(what, (line, times))| Skipped {
            file: file.name.clone(),
            what,
            line,
            times,
        }));
    }
    all
}

fn read_one(text: &str, taken: &mut Taken<'_>) -> Result<(), ReadError> {
    if text.len() > LONGEST {
        return Err(ReadError::TooLong { actual: text.len() });
    }
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    if start.starts_with('<') {
        return openioc::read(text, taken);
    }
    if start.starts_with('{')
        || start.starts_with("[{")
        || start.starts_with("[\n")
        || start.starts_with("[ ")
    {
        return json(text, taken);
    }
    table::read(text, taken)
}

fn json(text: &str, taken: &mut Taken<'_>) -> Result<(), ReadError> {
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| ReadError::Json { reason: error.to_string(), line: Some(error.line() as u64) })?;
    let lines = Lines::of(text);
    if stix::is_bundle(&value) {
        stix::read(&value, &lines, taken);
        return Ok(());
    }
    if misp::read(&value, &lines, taken) {
        return Ok(());
    }
    let reason = "expected a STIX bundle or a MISP event".to_owned();
    Err(ReadError::Json { reason, line: None })
}

/// The lines of a text that contain values.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        Lines { text }
    }

    /// Returns the line that contains this id in quotation marks, which occurs only once.
    /// `None` if the file is too long to search.
    pub(crate) fn of_id(&self, id: Option<&str>) -> Option<u64> {
        /// Searching a long text for each of many ids takes quadratic time.
        const MOST: usize = 1 << 20;
        let id = id.filter(|id| id.len() >= 8 && self.text.len() <= MOST)?;
        let at = self.text.find(&format!("\"{id}\""))?;
        Some(self.text.get(..at)?.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1)
    }
}

/// Restores a value that people defanged so that nobody opens it.
fn refanged(value: &str) -> String {
    let value = value.trim_matches(['"', '\'', '`']);
    let plain = value
        .replace("[.]", ".")
        .replace("(.)", ".")
        .replace("[dot]", ".")
        .replace("[:]", ":")
        .replace("[://]", "://");
    for (fanged, scheme) in [("hxxps://", "https://"), ("hxxp://", "http://"), ("fxp://", "ftp://")] {
        if let Some(head) = plain.get(..fanged.len())
            && head.eq_ignore_ascii_case(fanged)
        {
            return format!("{scheme}{}", plain.get(fanged.len()..).unwrap_or_default());
        }
    }
    plain
}
