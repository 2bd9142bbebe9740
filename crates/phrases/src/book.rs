//! A phrase book, read from the file of one language.

use crate::phrase::{Phrase, Piece};
use crate::template::{Part, Template, TemplateError};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// The phrases of one language.
#[derive(Debug, Default)]
pub struct Book {
    /// Our own words, by name.
    pub(crate) words: BTreeMap<String, Template>,
    /// Values in lower case that would be read as words of a sentence: they are put in quotation marks.
    pub(crate) never_bare: BTreeSet<String>,
    /// The words of its own sentences, as written: a value that equals one of them is quoted, too.
    pub(crate) own_words: BTreeSet<String>,
    /// The templates of a predicate for any subject.
    pub(crate) predicates: BTreeMap<String, Vec<Template>>,
    /// The templates of a predicate by record type; the first whose fields the fact has is used.
    pub(crate) records: BTreeMap<String, BTreeMap<String, Vec<Template>>>,
    /// The label of a field for which no template has a place.
    pub(crate) labels: BTreeMap<String, Template>,
    /// The line for several facts of a record type, by predicate.
    pub(crate) several: BTreeMap<String, BTreeMap<String, Template>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BookFile {
    words: BTreeMap<String, String>,
    never_bare: BTreeSet<String>,
    predicate: BTreeMap<String, OneOrMore>,
    record: BTreeMap<String, BTreeMap<String, OneOrMore>>,
    label: BTreeMap<String, String>,
    several: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// Why a text is not a phrase book.
#[derive(Debug, Error)]
pub enum BookError {
    /// The text is not TOML of this form.
    #[error("read a phrase book")]
    Read(#[source] toml::de::Error),
    /// A template cannot be read.
    #[error("read a phrase book: {place}")]
    Template {
        /// The template's place.
        place: String,
        /// The reason.
        #[source]
        source: TemplateError,
    },
}

impl Book {
    /// Reads a phrase book from TOML (`docs/phrases.md`).
    ///
    /// # Errors
    ///
    /// If the text is not TOML of this form, or a template cannot be read.
    pub fn read(text: &str) -> Result<Book, BookError> {
        let file: BookFile = toml::from_str(text).map_err(BookError::Read)?;
        let mut book = Book { never_bare: file.never_bare, ..Book::default() };
        for (name, template) in file.words {
            book.words.insert(name.clone(), read(format!("words.{name}"), &template)?);
        }
        for (field, template) in file.label {
            book.labels.insert(field.clone(), read(format!("label.{field}"), &template)?);
        }
        for (predicate, templates) in file.predicate {
            let read = all(&format!("predicate.{predicate}"), templates)?;
            book.predicates.insert(predicate, read);
        }
        for (record, says) in file.record {
            let mut of = BTreeMap::new();
            for (predicate, templates) in says {
                let read = all(&format!("record.{record}.{predicate}"), templates)?;
                of.insert(predicate, read);
            }
            book.records.insert(record, of);
        }
        for (record, says) in file.several {
            let mut of = BTreeMap::new();
            for (predicate, template) in says {
                let read = read(format!("several.{record}.{predicate}"), &template)?;
                of.insert(predicate, read);
            }
            book.several.insert(record, of);
        }
        book.own_words = book.all().flat_map(words).collect();
        Ok(book)
    }
}

/// Returns the words of a template in lower case.
fn words(template: &Template) -> Vec<String> {
    fn gather(parts: &[Part], found: &mut Vec<String>) {
        let mut split = |text: &str| {
            let words = text.split(|c: char| !c.is_alphanumeric());
            found.extend(words.filter(|word| word.len() > 1).map(str::to_owned));
        };
        for part in parts {
            match part {
                Part::Words(words) => split(words),
                Part::Field(slot) => {
                    slot.cases.iter().for_each(|(_, words)| split(words));
                    slot.other.iter().for_each(|(before, after)| {
                        split(before);
                        split(after);
                    });
                }
                Part::Optional(_) => {}
            }
        }
        for part in parts {
            if let Part::Optional(inner) = part {
                gather(inner, found);
            }
        }
    }
    let mut found = Vec::new();
    gather(&template.0, &mut found);
    found.retain(|word| word.chars().all(char::is_lowercase));
    found
}

fn all(place: &str, templates: OneOrMore) -> Result<Vec<Template>, BookError> {
    let templates = match templates {
        OneOrMore::One(template) => vec![template],
        OneOrMore::More(templates) => templates,
    };
    templates.iter().map(|template| read(place.to_owned(), template)).collect()
}

fn read(place: String, template: &str) -> Result<Template, BookError> {
    Template::read(template).map_err(|source| BookError::Template { place, source })
}

impl Book {
    /// Returns all of its templates.
    fn all(&self) -> impl Iterator<Item = &Template> {
        let records = self.records.values().flat_map(BTreeMap::values);
        let many = self.predicates.values().chain(records).flatten();
        let several = self.several.values().flat_map(BTreeMap::values);
        self.words.values().chain(self.labels.values()).chain(several).chain(many)
    }

    /// Says our own words, with values that code computed.
    pub(crate) fn say(&self, phrase: &mut Phrase, name: &str, computed: &[(&str, &str)]) {
        self.say_with(phrase, name, |phrase, field| {
            let text = computed.iter().find(|(name, _)| *name == field).map(|(_, text)| (*text).to_owned());
            phrase.pieces.push(Piece::Computed { text: text.unwrap_or_default() });
        });
    }

    /// Says our own words; `fill` fills each of their places.
    pub(crate) fn say_with(&self, phrase: &mut Phrase, name: &str, mut fill: impl FnMut(&mut Phrase, &str)) {
        let Some(template) = self.words.get(name) else {
            // Without the book nothing is left out: only the places are said.
            return fill(phrase, name);
        };
        for part in &template.0 {
            match part {
                Part::Words(words) => phrase.words(words),
                Part::Field(slot) => fill(phrase, &slot.field),
                // A test checks that our own words have no brackets.
                Part::Optional(_) => {}
            }
        }
    }
}
