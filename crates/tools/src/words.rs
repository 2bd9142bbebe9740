//! A tokenizer for SQL.
//! It reads a statement only to see what kind it is (SQLite alone parses it), and the conditions of a filter.

/// The words of a statement.
pub(crate) struct Words<'s> {
    /// What follows the words read so far.
    pub(crate) rest: &'s str,
}

/// One word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word<'s> {
    /// A name or a keyword.
    Plain(&'s str),
    /// A quoted name, without its quotes; it has none inside.
    Quoted(&'s str),
    /// A text or a number, as it is written.
    Literal(&'s str),
    Sign(&'s str),
}

impl Word<'_> {
    pub(crate) fn is(self, expected: &str) -> bool {
        match self {
            Word::Plain(word) | Word::Sign(word) => word.eq_ignore_ascii_case(expected),
            Word::Quoted(_) | Word::Literal(_) => false,
        }
    }
}

impl<'s> Words<'s> {
    pub(crate) fn of(sql: &'s str) -> Words<'s> {
        Words { rest: sql }
    }

    /// Returns the next word; `None` at the end, and at a text without an end.
    pub(crate) fn next(&mut self) -> Option<Word<'s>> {
        let text = self.rest.trim_start();
        let first = text.chars().next()?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let run = |fits: &dyn Fn(char) -> bool| text.find(|c| !fits(c)).unwrap_or(text.len());
        let (length, word): (usize, fn(&'s str) -> Word<'s>) = match first {
            '\'' => (text_length(text)?, Word::Literal),
            '"' => (text.get(1..)?.find('"')? + 2, |word| Word::Quoted(word.trim_matches('"'))),
            c if c.is_ascii_digit() || c == '-' => (
                1 + text.get(1..)?.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - 1),
                Word::Literal,
            ),
            c if is_name(c) => (run(&is_name), Word::Plain),
            '<' | '>' | '=' | '!' => (run(&|c| matches!(c, '<' | '>' | '=' | '!')), Word::Sign),
            c => (c.len_utf8(), Word::Sign),
        };
        let (own, rest) = text.split_at_checked(length)?;
        self.rest = rest;
        Some(word(own))
    }

    pub(crate) fn peek(&self) -> Option<Word<'s>> {
        Words { rest: self.rest }.next()
    }

    pub(crate) fn exactly(&mut self, expected: &str) -> Option<()> {
        self.next()?.is(expected).then_some(())
    }

    pub(crate) fn name(&mut self) -> Option<&'s str> {
        match self.next()? {
            Word::Plain(name) | Word::Quoted(name) => Some(name),
            Word::Literal(_) | Word::Sign(_) => None,
        }
    }

    pub(crate) fn literal(&mut self) -> Option<&'s str> {
        match self.next()? {
            Word::Literal(text) if text != "-" => Some(text),
            _ => None,
        }
    }
}

/// Returns the length of the quoted text that begins here; a quote inside it is doubled.
fn text_length(text: &str) -> Option<usize> {
    let mut quotes = text.char_indices().skip(1).filter(|(_, c)| *c == '\'').map(|(at, _)| at).peekable();
    while let Some(at) = quotes.next() {
        if quotes.next_if_eq(&(at + 1)).is_none() {
            return Some(at + 1);
        }
    }
    None
}
