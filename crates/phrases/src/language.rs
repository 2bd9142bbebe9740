//! The available languages.

use crate::book::Book;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;
use thiserror::Error;

/// A language for phrases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
}

/// A language without a file.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("read a language: expected one of en, de; found {found:?}")]
pub struct UnknownLanguage {
    /// The given text.
    pub found: String,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 2] = [Language::English, Language::German];

    /// Returns its ISO 639-1 code.
    pub const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
        }
    }

    /// Returns the text of its file.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Language::English => include_str!("../data/en.toml"),
            Language::German => include_str!("../data/de.toml"),
        }
    }

    /// Returns its phrase book. A test reads it, so it is never empty.
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
