//! The languages that there are.

use crate::book::Book;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;
use thiserror::Error;

/// A language in which code tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
}

/// A language that there is no file for.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("read a language: expected one of en, de; found {found:?}")]
pub struct UnknownLanguage {
    /// What was given.
    pub found: String,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 2] = [Language::English, Language::German];

    /// Its code, by ISO 639-1.
    pub const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
        }
    }

    /// The text of its file.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Language::English => include_str!("../data/en.toml"),
            Language::German => include_str!("../data/de.toml"),
        }
    }

    /// Its phrase book. Read by a test: it is never empty.
    pub(crate) fn book(self) -> &'static Book {
        static ENGLISH: LazyLock<Book> =
            LazyLock::new(|| Book::read(Language::English.text()).unwrap_or_default());
        static GERMAN: LazyLock<Book> =
            LazyLock::new(|| Book::read(Language::German.text()).unwrap_or_default());
        match self {
            Language::English => &ENGLISH,
            Language::German => &GERMAN,
        }
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    /// Reads `en` or `de`.
    fn from_str(text: &str) -> Result<Language, UnknownLanguage> {
        let named = Language::ALL.into_iter().find(|language| language.code() == text);
        named.ok_or_else(|| UnknownLanguage { found: text.to_owned() })
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
