//! The words of a statement, as far as it matters what kind of statement it is: SQLite reads it, and nobody else.

/// The words of a statement.
pub(super) struct Words<'s> {
    /// What follows the words so far.
    pub(super) rest: &'s str,
}

/// One word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word<'s> {
    /// A name or a keyword.
    Plain(&'s str),
    /// A name in quotes, which are left out; none inside.
    Quoted(&'s str),
    /// A text or a number, as it is written.
    Literal(&'s str),
    Sign(&'s str),
}

impl Word<'_> {
    pub(super) fn is(self, expected: &str) -> bool {
        match self {
            Word::Plain(word) | Word::Sign(word) => word.eq_ignore_ascii_case(expected),
            Word::Quoted(_) | Word::Literal(_) => false,
        }
    }
}

impl<'s> Words<'s> {
    pub(super) fn of(sql: &'s str) -> Words<'s> {
        Words { rest: sql }
    }

    /// The next word; `None` at the end, and where a text does not end.
    pub(super) fn next(&mut self) -> Option<Word<'s>> {
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

    pub(super) fn peek(&self) -> Option<Word<'s>> {
        Words { rest: self.rest }.next()
    }

    pub(super) fn exactly(&mut self, expected: &str) -> Option<()> {
        self.next()?.is(expected).then_some(())
    }

    pub(super) fn name(&mut self) -> Option<&'s str> {
        match self.next()? {
            Word::Plain(name) | Word::Quoted(name) => Some(name),
            Word::Literal(_) | Word::Sign(_) => None,
        }
    }

    pub(super) fn literal(&mut self) -> Option<&'s str> {
        match self.next()? {
            Word::Literal(text) if text != "-" => Some(text),
            _ => None,
        }
    }
}

/// The length of the text in quotes that begins here; a quote inside is doubled.
fn text_length(text: &str) -> Option<usize> {
    let mut quotes = text.char_indices().skip(1).filter(|(_, c)| *c == '\'').map(|(at, _)| at).peekable();
    while let Some(at) = quotes.next() {
        if quotes.next_if_eq(&(at + 1)).is_none() {
            return Some(at + 1);
        }
    }
    None
}

/// The statement with the columns that name rows behind its own; `None` where it is none to which they can be added.
pub(super) fn naming(sql: &str) -> Option<String> {
    let mut words = Words::of(sql);
    words.exactly("select")?;
    if ["distinct", "all"].iter().any(|word| words.peek().is_some_and(|next| next.is(word))) {
        return None;
    }
    let mut depth = 0_u32;
    loop {
        let before = words.rest;
        let word = words.next()?;
        match word {
            Word::Sign("(") => depth += 1,
            Word::Sign(")") => depth = depth.checked_sub(1)?,
            word if depth == 0 && word.is("from") => {
                let (own, rest) = sql.split_at_checked(sql.len() - before.len())?;
                return Some(format!("{own}, _evidence, _table, _row{rest}"));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_behind_the_columns_of_a_plain_statement() {
        let named = naming("SELECT (SELECT 1 FROM x) AS \"from\", 'a from b' FROM logon ORDER BY 1");
        let expected =
            "SELECT (SELECT 1 FROM x) AS \"from\", 'a from b', _evidence, _table, _row FROM logon ORDER BY 1";
        assert_eq!(named.as_deref(), Some(expected));
        for other in [
            "SELECT 1",
            "SELECT DISTINCT a FROM b",
            "WITH a AS (SELECT 1) SELECT * FROM a",
            "SELECT 'a FROM b",
            "",
        ] {
            assert_eq!(naming(other), None, "{other}");
        }
    }
}
