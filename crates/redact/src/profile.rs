//! Profiles: what is withheld. They are shipped, or written by whoever hands on the report.

use crate::finders::Finder;
use ledger::Digest;
use ledger::pattern::{self, Patterns};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toml::Spanned;

/// The profiles that come with the program: name and text.
pub const SHIPPED: [(&str, &str); 1] = [("people", include_str!("../data/people.toml"))];

/// The fewest characters of a value that a profile itself names: shorter ones occur in too many words.
const SHORTEST: usize = 3;

/// What is withheld in a run.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its name: that of a shipped profile, or its file name without folders.
    pub name: String,
    /// The digest of its text.
    pub digest: Digest,
    pub(crate) values: Vec<String>,
    pub(crate) finders: BTreeSet<Finder>,
    pub(crate) withhold: Vec<Rule>,
    except: BTreeSet<String>,
    common: BTreeSet<String>,
}

/// A rule for fields whose values are withheld.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// Record types.
    pub(crate) records: Patterns,
    /// Names of fields.
    pub(crate) fields: Patterns,
    /// Whether the values are also searched for in texts.
    #[serde(default = "yes")]
    pub(crate) sought: bool,
    /// Whether the words of the values are also withheld, as for people's names.
    #[serde(default)]
    pub(crate) words: bool,
    /// Whether the values are host names: parts that identify a host are also searched for.
    #[serde(default)]
    pub(crate) hosts: bool,
    /// Another field of the same record: if it is withheld, the values identify somebody, and are searched for
    /// in texts.
    #[serde(default)]
    pub(crate) beside: Option<Patterns>,
}

const fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// A description for people.
    #[serde(default, rename = "about")]
    _about: String,
    #[serde(default)]
    values: Vec<Spanned<String>>,
    #[serde(default)]
    except: Vec<String>,
    #[serde(default)]
    common: Vec<String>,
    #[serde(default)]
    find: BTreeSet<Finder>,
    #[serde(default)]
    withhold: Vec<Rule>,
}

/// Why a profile cannot be used.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// It is neither shipped nor a file.
    #[error("read the profile {name:?}: there is no such file, and the shipped ones are {}", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The shipped ones.
        known: Vec<&'static str>,
    },
    /// The file cannot be read.
    #[error("read the profile {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
    /// It is not a valid profile.
    #[error("read the profile {name}")]
    Form {
        /// Its name.
        name: String,
        /// Where, and what was expected.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// A value is too short to search for.
    #[error(
        "read the profile {name}: line {line}: expected a value of at least {SHORTEST} characters, found {found:?}"
    )]
    Short {
        /// Its name.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The value.
        found: String,
    },
    /// It names nothing.
    #[error(
        "read the profile {name}: expected `values`, `find` or `[[withhold]]`, found nothing to withhold"
    )]
    Nothing {
        /// Its name.
        name: String,
    },
}

impl Profile {
    /// Loads the profile for an argument: the name of a shipped one, or a file.
    pub fn of_argument(argument: &Path) -> Result<Profile, ProfileError> {
        let name = argument.to_string_lossy();
        if let Some((name, text)) = SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
            return Profile::parse(name, text);
        }
        match std::fs::read_to_string(argument) {
            Ok(text) => {
                let own = argument.file_name().unwrap_or(argument.as_os_str()).to_string_lossy();
                Profile::parse(&own, &text)
            }
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Err(ProfileError::Unknown {
                name: name.into_owned(),
                known: SHIPPED.iter().map(|(name, _)| *name).collect(),
            }),
            Err(source) => Err(ProfileError::File { path: argument.to_owned(), source }),
        }
    }

    /// Parses a profile's text.
    pub fn parse(name: &str, text: &str) -> Result<Profile, ProfileError> {
        let form = |source| ProfileError::Form { name: name.to_owned(), source: Box::new(source) };
        let file: File = toml::from_str(text).map_err(form)?;
        for value in &file.values {
            if value.get_ref().trim().chars().count() < SHORTEST {
                let before = text.get(..value.span().start).unwrap_or_default();
                let line = before.matches('\n').count() + 1;
                let found = value.get_ref().clone();
                return Err(ProfileError::Short { name: name.to_owned(), line, found });
            }
        }
        if file.values.is_empty() && file.find.is_empty() && file.withhold.is_empty() {
            return Err(ProfileError::Nothing { name: name.to_owned() });
        }
        Ok(Profile {
            name: name.to_owned(),
            digest: Digest::of(text.as_bytes()),
            values: file.values.into_iter().map(|value| value.into_inner().trim().to_owned()).collect(),
            finders: file.find,
            withhold: file.withhold,
            except: file.except.iter().map(|value| pattern::fold(value.trim())).collect(),
            common: file.common.iter().map(|word| pattern::fold(word.trim())).collect(),
        })
    }

    /// Returns the rule that withholds this field of this record type.
    pub(crate) fn rule(&self, kind: &str, field: &str) -> Option<&Rule> {
        self.whole_fields().find(|rule| rule.records.fit(kind) && rule.fields.fit(field))
    }

    /// Returns the rules that withhold this field of this record type if another field of the record is
    /// withheld, as the patterns of that other field.
    pub(crate) fn beside(&self, kind: &str, field: &str) -> impl Iterator<Item = &Patterns> {
        let rules = self.withhold.iter().filter(move |rule| rule.records.fit(kind) && rule.fields.fit(field));
        rules.filter_map(|rule| rule.beside.as_ref())
    }

    /// Returns the rules that withhold values unconditionally.
    fn whole_fields(&self) -> impl Iterator<Item = &Rule> {
        self.withhold.iter().filter(|rule| rule.beside.is_none())
    }

    /// Checks whether a field of this name is withheld in some record type: a claim does not say of which type it is.
    pub(crate) fn names_field(&self, field: &str) -> bool {
        self.whole_fields().any(|rule| rule.fields.fit(field))
    }

    /// Checks whether a value identifies nobody, and stays: the profile says so, or it has no letters or digits.
    pub(crate) fn excepts(&self, value: &str) -> bool {
        !value.chars().any(char::is_alphanumeric) || self.except.contains(&pattern::fold(value.trim()))
    }

    /// Checks whether a part of a name is a common word, which identifies nobody on its own.
    pub(crate) fn is_common(&self, part: &str) -> bool {
        self.common.contains(&pattern::fold(part))
    }

    /// Returns the values that identify nobody, in lower case.
    pub(crate) fn excepted(&self) -> impl Iterator<Item = &str> {
        self.except.iter().map(String::as_str)
    }

    /// Returns what its rules apply to: patterns of record types, and patterns of fields.
    pub fn rules(&self) -> impl Iterator<Item = (&Patterns, &Patterns)> {
        self.withhold.iter().flat_map(|rule| {
            let fields = std::iter::once(&rule.fields).chain(&rule.beside);
            fields.map(|fields| (&rule.records, fields))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let error = Profile::parse("own.toml", text).unwrap_err();
        let source = std::error::Error::source(&error).map(ToString::to_string);
        format!("{error}: {}", source.unwrap_or_default())
    }

    #[test]
    fn shipped_profiles_read() {
        for (name, text) in SHIPPED {
            assert_eq!(Profile::parse(name, text).unwrap().name, name);
        }
    }

    #[test]
    fn what_is_no_profile_is_refused_with_its_line_and_what_was_expected() {
        for (text, expected) in [
            ("values = [\"Ann\"]\nvalue = []", ["line 2", "expected one of"]),
            ("find = [\n\"sid\",\n\"names\"]", ["line 3", "expected one of"]),
            ("[[withhold]]\nrecords = \"*\"", ["line 1", "missing field `fields`"]),
            ("[[withhold]]\nrecords = \"*\"\nfields = 7", ["line 3", "did not match"]),
            ("values = [\n\"Ann\",\n\"x\"]", ["line 3", "at least 3 characters"]),
            ("about = \"nothing\"", ["own.toml", "nothing to withhold"]),
        ] {
            let told = told(text);
            assert!(expected.iter().all(|part| told.contains(part)), "{told}");
        }
        let missing = Profile::of_argument(Path::new("peple")).unwrap_err().to_string();
        assert!(missing.contains("the shipped ones are people"), "{missing}");
    }

    #[test]
    fn fields_are_withheld_by_record_type_and_name_and_some_values_never() {
        let text = "except = [\"SYSTEM\"]\n[[withhold]]\nrecords = [\"logon*\", \"event\"]\nfields = [\"*_sid\", \"user\"]";
        let profile = Profile::parse("own", text).unwrap();
        assert!(profile.rule("logon_failed", "by_sid").is_some());
        assert!(profile.rule("service", "user").is_none());
        assert!(profile.names_field("user") && !profile.names_field("path"));
        let beside = "[[withhold]]\nrecords = \"hosts_entry\"\nfields = \"name*\"\nbeside = \"address\"";
        let other = Profile::parse("own", beside).unwrap();
        assert!(other.rule("hosts_entry", "name").is_none() && !other.names_field("name"));
        assert!(other.beside("hosts_entry", "names").any(|fields| fields.fit("address")));
        assert_eq!((other.beside("service", "name").count(), other.rules().count()), (0, 2));
        assert!(profile.excepts("system ") && profile.excepts("-") && !profile.excepts("Ann"));
    }
}
