//! Decides whether a fact carries a value of the truth; the type of the fact's value decides what counts as the same.

use super::path::{self, Components, lower};
use super::time::{self, Span};
use super::truth::{Manner, TELLING, TruthValue};
use ledger::value::read_whole_number;
use ledger::{BoundValue, FieldValue, Time, Utc};

/// A value of the truth, in every form used for comparison.
#[derive(Debug)]
pub(crate) struct Sought {
    pub(crate) text: String,
    lower: String,
    number: Option<i128>,
    flag: Option<bool>,
    time: Option<Span>,
    file: Components,
    key: Components,
    contained: bool,
    /// Whether it is too common to distinguish one fact from another.
    pub(crate) weak: bool,
}

/// A value of a fact, case-folded once, however many truths it is compared with.
#[derive(Debug)]
pub(crate) struct Held<'a> {
    pub(crate) field: &'a str,
    pub(crate) text: String,
    lower: String,
    form: Form<'a>,
}

#[derive(Debug)]
enum Form<'a> {
    /// Free text, or the words that were quoted from it.
    Text {
        number: Option<i128>,
        time: Option<i128>,
    },
    Name,
    File(Components),
    Key(Components),
    Guid,
    /// Compared ignoring case.
    Symbol,
    Time(&'a Time),
    Number(i128),
    Flag(bool),
    List(Vec<Held<'a>>),
}

impl Sought {
    pub(crate) fn new(value: &TruthValue, manner: Manner) -> Sought {
        let text = value.to_text();
        let number = match value {
            TruthValue::Text(text) => read_whole_number(text.trim()),
            TruthValue::Number(number) => Some(*number),
            TruthValue::Flag(_) => None,
        };
        let flag = match value {
            TruthValue::Flag(flag) => Some(*flag),
            TruthValue::Text(text) => text.trim().to_ascii_lowercase().parse().ok(),
            TruthValue::Number(_) => None,
        };
        Sought {
            lower: lower(&text),
            number,
            flag,
            time: Span::read(&text),
            file: path::file(&text),
            key: path::written_key(&text),
            contained: manner == Manner::Contained,
            weak: value.is_weak(),
            text,
        }
    }

    /// Checks whether `held` is this value.
    pub(crate) fn is(&self, held: &Held<'_>, tolerance: i128) -> bool {
        match &held.form {
            Form::Text { number, time } => {
                let within = |time: &i128| self.time.is_some_and(|own| own.holds(*time, tolerance));
                self.is_in_text(held)
                    || (self.number.is_some() && self.number == *number)
                    || time.as_ref().is_some_and(within)
            }
            Form::Name => self.lower == held.lower || self.is_contained(held),
            Form::File(path) => self.file.is(path) || self.is_contained(held),
            Form::Key(path) => self.key.is(path) || self.is_contained(held),
            Form::Guid => bare_guid(&self.text).eq_ignore_ascii_case(bare_guid(&held.text)),
            Form::Symbol => self.text.trim().eq_ignore_ascii_case(&held.text),
            Form::Time(time) => self.is_time(time, tolerance),
            Form::Number(number) => self.number == Some(*number),
            Form::Flag(flag) => self.flag == Some(*flag),
            Form::List(items) => items.iter().any(|item| self.is(item, tolerance)),
        }
    }

    /// Returns the similarity of a value to this one, from 0 to 1; `None` if it is too low to be worth showing.
    pub(crate) fn nearness(&self, held: &Held<'_>) -> Option<f64> {
        if let Form::Time(Time { utc: Some(utc), .. }) = &held.form {
            return time::nearness(self.time?.distance(utc.unix_nanoseconds()));
        }
        let (own, other) = (self.lower.as_str(), held.lower.as_str());
        let comparable = self.number.is_none() && self.time.is_none();
        let (longest, shortest) = (own.len().max(other.len()), own.len().min(other.len()));
        if !comparable || longest > LONGEST_COMPARED || shortest * 4 < longest * 3 || shortest < TELLING {
            return None;
        }
        // A run may hold very many texts: only those that agree for half their length, counted from both ends, are compared in full.
        let common = |(a, b): &(char, char)| a == b;
        let begin = own.chars().zip(other.chars()).take_while(common).count();
        let end = own.chars().rev().zip(other.chars().rev()).take_while(common).count();
        if (begin + end) * 2 < longest {
            return None;
        }
        let likeness = strsim::normalized_levenshtein(own, other);
        (likeness >= 0.75).then_some(likeness)
    }

    fn is_in_text(&self, held: &Held<'_>) -> bool {
        let words = self.text.trim();
        let telling = words.chars().count() >= TELLING && self.number.is_none();
        self.text == held.text || (telling && stands(words, &held.text)) || self.is_contained(held)
    }

    fn is_contained(&self, held: &Held<'_>) -> bool {
        self.contained && self.lower.chars().count() >= TELLING && stands(&self.lower, &held.lower)
    }

    fn is_time(&self, time: &Time, tolerance: i128) -> bool {
        let stored = self.number.is_some_and(|number| time.raw.parse() == Ok(number));
        // A number of that many ticks is a present-day FILETIME; smaller numbers are counts.
        let filetime = self.number.and_then(|ticks| u64::try_from(ticks).ok());
        let filetime = filetime.filter(|ticks| *ticks > 100_000_000_000_000_000).and_then(Utc::from_filetime);
        let own = self.time.or_else(|| filetime.map(Span::instant));
        let within = |utc: Utc| own.is_some_and(|own| own.holds(utc.unix_nanoseconds(), tolerance));
        stored || time.utc.is_some_and(within)
    }
}

/// The maximum length in bytes of texts that are compared letter by letter.
const LONGEST_COMPARED: usize = 300;

impl<'a> Held<'a> {
    /// Prepares a value of a fact; for a quoted text, only the quoted words.
    pub(crate) fn new(bound: &'a BoundValue) -> Held<'a> {
        match &bound.quotation {
            Some(words) => Held::text(&bound.field, words),
            None => Held::of(&bound.field, &bound.value),
        }
    }

    fn of(field: &'a str, value: &'a FieldValue) -> Held<'a> {
        let form = match value {
            FieldValue::Text(text) => return Held::text(field, text),
            FieldValue::Name(_) => Form::Name,
            FieldValue::Path(path) => Form::File(path::file(path)),
            FieldValue::RegistryPath(path) => Form::Key(path::key(path)),
            FieldValue::Guid(_) => Form::Guid,
            FieldValue::Sid(_) | FieldValue::Hash(_) | FieldValue::Bytes(_) => Form::Symbol,
            FieldValue::Time(time) => Form::Time(time),
            FieldValue::Integer(number) => Form::Number(*number),
            FieldValue::Size(size) => Form::Number(i128::from(*size)),
            FieldValue::Flag(flag) => Form::Flag(*flag),
            FieldValue::List(items) => Form::List(items.iter().map(|item| Held::text(field, item)).collect()),
        };
        let text = value.to_text().into_owned();
        Held { field, lower: lower(&text), text, form }
    }

    fn text(field: &'a str, text: &str) -> Held<'a> {
        let form = Form::Text { number: read_whole_number(text.trim()), time: Span::read_zoned(text) };
        Held { field, text: text.to_owned(), lower: lower(text), form }
    }

    /// Returns the last component of a path, or the whole text, in lower case.
    pub(crate) fn name(&self) -> &str {
        let last = match &self.form {
            Form::File(path) | Form::Key(path) => path.last(),
            Form::Text { .. }
            | Form::Name
            | Form::Guid
            | Form::Symbol
            | Form::Time(_)
            | Form::Number(_)
            | Form::Flag(_)
            | Form::List(_) => None,
        };
        last.unwrap_or(&self.lower)
    }
}

/// Returns a GUID without its braces.
fn bare_guid(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text)
}

/// Checks whether `words` occur in `text` with a word boundary on both sides.
pub(crate) fn stands(words: &str, text: &str) -> bool {
    !words.is_empty()
        && text.match_indices(words).any(|(at, _)| {
            let (before, rest) = text.split_at(at);
            let after = rest.strip_prefix(words).unwrap_or_default();
            parts(before.chars().rev(), words.chars()) && parts(after.chars(), words.chars().rev())
        })
}

/// Checks whether there is a word boundary between the text outside and inside; both iterators read away from it.
fn parts(mut outside: impl Iterator<Item = char>, mut inside: impl Iterator<Item = char>) -> bool {
    let (Some(neighbour), Some(edge)) = (outside.next(), inside.next()) else { return true };
    let word = |c: char| c.is_alphanumeric() || c == '_';
    // The point in `1.5`, or in an address, joins the numbers around it.
    let joins = |mark: char, beyond: Option<char>| {
        matches!(mark, '.' | ',' | ':' | '-') && beyond.is_some_and(|c| c.is_ascii_digit())
    };
    let number = edge.is_ascii_digit() && joins(neighbour, outside.next())
        || neighbour.is_ascii_digit() && joins(edge, inside.next());
    !(number || word(neighbour) && word(edge))
}

#[cfg(test)]
mod tests;
