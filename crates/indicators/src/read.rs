//! Reading files of indicators, whatever their form.

use crate::kind::Kind;
use crate::{misp, openioc, stix, table};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use thiserror::Error;

/// The longest file in bytes.
pub const LONGEST: usize = 32 << 20;

/// Most indicators of all files.
const MOST: usize = 1_000_000;

/// The longest value of an indicator in bytes.
const LONGEST_VALUE: usize = 4096;

/// A file of indicators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndicatorFile {
    /// How it is named to people.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

/// What somebody says is bad.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Indicator {
    /// What kind of thing it names.
    pub kind: Kind,
    /// The value, as it is looked for.
    pub value: String,
    /// The file that it stands in.
    pub file: String,
    /// The line there, the first being 1, where that is known.
    pub line: Option<u64>,
    /// What the file says of it: a title, a comment, the name of a malware.
    pub label: Option<String>,
}

/// Why a file, or something in it, gives no indicators.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// It is too long.
    #[error("{actual} bytes; a file of indicators has {LONGEST} at most")]
    TooLong {
        /// Its bytes.
        actual: usize,
    },
    /// It is JSON that cannot be read, or of no form that is known.
    #[error("read JSON: {reason}")]
    Json {
        /// Why.
        reason: String,
        /// The line.
        line: Option<u64>,
    },
    /// It is XML that cannot be read, or of no form that is known.
    #[error("read XML: {reason}")]
    Xml {
        /// Why.
        reason: String,
        /// The line.
        line: Option<u64>,
    },
    /// It is no table that can be read.
    #[error("read a table: {reason}")]
    Csv {
        /// Why.
        reason: String,
        /// The line.
        line: Option<u64>,
    },
    /// There are too many.
    #[error("more than {MOST} indicators")]
    TooMany,
    /// There is none in it.
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
    /// The line where that is known.
    pub line: Option<u64>,
    /// What is wrong with it.
    pub reason: String,
}

/// What was left out of a file, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// The file.
    pub file: String,
    /// What it is, and why it is not looked for.
    pub what: String,
    /// The first line where that is known.
    pub line: Option<u64>,
    /// How often.
    pub times: u64,
}

/// All that files hold.
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

/// What one file gives.
#[derive(Debug)]
pub(crate) struct Taken<'f> {
    file: &'f str,
    found: Vec<Indicator>,
    skipped: BTreeMap<String, (Option<u64>, u64)>,
}

impl Taken<'_> {
    /// Takes a value of a kind that was named, or of the one that its form has.
    pub(crate) fn take(&mut self, kind: Option<Kind>, value: &str, line: Option<u64>, label: Option<&str>) {
        let value = refanged(value.trim());
        if value.is_empty() {
            return;
        }
        if value.len() > LONGEST_VALUE {
            return self.skip(format!("a value of more than {LONGEST_VALUE} bytes"), line);
        }
        // A word such as "file" or "path" means a hash as often as a name.
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

/// The lines of a text in which values stand.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        Lines { text }
    }

    /// The line in which this id, which stands nowhere else in that form, is given; `None` where the file is too long to look.
    pub(crate) fn of_id(&self, id: Option<&str>) -> Option<u64> {
        /// Looking for each of many ids in a long text takes the square of it.
        const MOST: usize = 1 << 20;
        let id = id.filter(|id| id.len() >= 8 && self.text.len() <= MOST)?;
        let at = self.text.find(&format!("\"{id}\""))?;
        Some(self.text.get(..at)?.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1)
    }
}

/// What people write so that nobody opens it, as it was.
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
