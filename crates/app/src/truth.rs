//! Ground truth files: what is known about a case, in the JSON that is published with evidence or in our own TOML (`docs/scoring.md`).

mod json;
mod toml_form;

use ledger::Vocabulary;
use ledger::vocabulary::VocabularyError;
use report::score::{Forbidden, Manner, Truth, TruthFact, TruthFinding, TruthValue};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file cannot be used as ground truth.
#[derive(Debug, Error)]
pub enum TruthError {
    /// The file cannot be read.
    #[error("read the truth {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The file is too long for a ground truth.
    #[error("read the truth {}: expected at most {MAX_TRUTH_FILE} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// The file is not valid TOML of this form; the source gives the line.
    #[error("read the truth {}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// Line, column and what was expected.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// The file is not valid JSON of this form; the source gives line and column.
    #[error("read the truth {}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Line, column and what was expected.
        #[source]
        source: serde_json::Error,
    },
    /// A value in the file is invalid.
    #[error("read the truth {}: {place}: expected {expected}, found {found}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, or the member.
        place: String,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// The shipped vocabulary cannot be read.
    #[error("read the truth {}", path.display())]
    Vocabulary {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: VocabularyError,
    },
}

/// The longest truth file in bytes: 16 MiB.
const MAX_TRUTH_FILE: u64 = 16 << 20;

/// Reads the ground truth at `path`. The extension decides between JSON and TOML, otherwise the first character does.
///
/// # Errors
///
/// Fails if the file cannot be read, or its contents are invalid.
pub fn load_truth(path: &Path) -> Result<Truth, TruthError> {
    let text = read(path)?;
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    let is_json = match extension.as_ref().and_then(|extension| extension.to_str()) {
        Some("json") => true,
        Some("toml") => false,
        _ => text.trim_start().starts_with('{'),
    };
    let raw = match is_json {
        true => json::read(&text).map_err(|source| TruthError::Json { path: path.to_owned(), source })?,
        false => toml_form::read(&text)
            .map_err(|source| TruthError::Toml { path: path.to_owned(), source: Box::new(source) })?,
    };
    let vocabulary =
        Vocabulary::shipped().map_err(|source| TruthError::Vocabulary { path: path.to_owned(), source })?;
    raw.checked(&vocabulary).map_err(|wrong| TruthError::Content {
        path: path.to_owned(),
        place: wrong.place,
        expected: wrong.expected,
        found: wrong.found,
    })
}

fn read(path: &Path) -> Result<String, TruthError> {
    let unreadable = |source| TruthError::Unreadable { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_TRUTH_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_TRUTH_FILE {
        return Err(TruthError::TooLong { path: path.to_owned() });
    }
    let invalid = |error| unreadable(std::io::Error::new(std::io::ErrorKind::InvalidData, error));
    String::from_utf8(bytes).map_err(invalid)
}

/// The contents of a file before they are checked, each part with its place.
#[derive(Debug, Default)]
struct Raw {
    case: String,
    scenario: String,
    tolerance: Option<Placed<String>>,
    facts: Vec<Placed<RawFact>>,
    findings: Vec<Placed<TruthFinding>>,
    must_not_claim: Vec<Placed<Forbidden>>,
    not_present: Vec<String>,
    benign: bool,
}

#[derive(Debug)]
struct Placed<T> {
    place: String,
    it: T,
}

#[derive(Debug)]
struct RawFact {
    id: String,
    agent: String,
    question: String,
    /// The values, or the text that is not a value.
    values: Result<Vec<TruthValue>, String>,
    artifact: String,
    manner: Option<String>,
}

/// An invalid value.
struct Wrong {
    place: String,
    expected: &'static str,
    found: String,
}

impl Raw {
    fn checked(self, vocabulary: &Vocabulary) -> Result<Truth, Wrong> {
        let mut facts = Vec::new();
        let mut ids = BTreeSet::new();
        for Placed { place, it } in self.facts {
            let wrong = |expected, found| Wrong { place: place.clone(), expected, found };
            if it.id.is_empty() || !ids.insert(it.id.clone()) {
                return Err(wrong("an id that no other fact has", format!("{:?}", it.id)));
            }
            facts.push(fact(it, wrong)?);
        }
        for Placed { place, it } in &self.findings {
            let unknown = it.facts.iter().find(|id| !ids.contains(*id));
            let found = unknown.map(|id| format!("{id:?}"));
            let found = found.or_else(|| it.facts.is_empty().then(|| "none".to_owned()));
            if let Some(found) = found {
                return Err(Wrong { place: place.clone(), expected: "ids of facts of this file", found });
            }
        }
        for Placed { place, it } in &self.must_not_claim {
            let Some(condition) = &it.condition else { continue };
            if vocabulary.meaning(&condition.predicate).is_none() {
                let found = format!("{:?}", condition.predicate.0);
                return Err(Wrong { place: place.clone(), expected: "a predicate of the vocabulary", found });
            }
        }
        Ok(Truth {
            case: self.case,
            scenario: self.scenario,
            tolerance: tolerance(self.tolerance)?,
            facts,
            findings: self.findings.into_iter().map(|placed| placed.it).collect(),
            must_not_claim: self.must_not_claim.into_iter().map(|placed| placed.it).collect(),
            not_present: self.not_present,
            benign: self.benign,
        })
    }
}

fn fact(raw: RawFact, wrong: impl Fn(&'static str, String) -> Wrong) -> Result<TruthFact, Wrong> {
    let manner = match raw.manner.as_deref() {
        None | Some("exact" | "set" | "ordered") => Manner::ByType,
        Some("contains") => Manner::Contained,
        Some("negative") => Manner::Negative,
        Some(other) => {
            let expected = "`exact`, `set`, `ordered`, `contains` or `negative` for `match`";
            return Err(wrong(expected, format!("{other:?}")));
        }
    };
    let values =
        raw.values.map_err(|found| wrong("texts, whole numbers, true or false for `values`", found))?;
    let fact = TruthFact {
        id: raw.id,
        agent: raw.agent,
        question: raw.question,
        values,
        artifact: raw.artifact,
        manner,
    };
    if fact.unscored().is_none() && fact.is_weak() && fact.artifact.trim().is_empty() {
        let expected = "an `artifact` that says where values so common stand";
        return Err(wrong(expected, "none".to_owned()));
    }
    Ok(fact)
}

/// One millisecond in nanoseconds: the default tolerance.
const MILLISECOND: i128 = 1_000_000;

/// Parses a text such as `1 ms`; words may follow.
fn tolerance(text: Option<Placed<String>>) -> Result<i128, Wrong> {
    let Some(Placed { place, it: text }) = text else { return Ok(MILLISECOND) };
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    let rest = text.get(digits.len()..).unwrap_or_default().trim_start();
    let unit: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
    let nanoseconds = match unit.as_str() {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => MILLISECOND,
        "s" => 1_000_000_000,
        "min" => 60_000_000_000,
        _ => 0,
    };
    match digits.parse::<u32>() {
        Ok(number) if nanoseconds > 0 => Ok(i128::from(number) * nanoseconds),
        Ok(_) | Err(_) => {
            let expected = "a whole number and `ns`, `us`, `ms`, `s` or `min`";
            Err(Wrong { place, expected, found: format!("{text:?}") })
        }
    }
}

#[cfg(test)]
mod tests;
