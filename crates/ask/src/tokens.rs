//! The words of a question.

use std::ops::Range;

/// The most words that are read.
const MOST: usize = 200;

/// One word, as it was typed and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// The word without the punctuation around it.
    pub(crate) text: String,
    /// The same in small letters.
    pub(crate) low: String,
    /// Whether it was in quotation marks. Then it is a name, whatever it says.
    pub(crate) quoted: bool,
    /// Whether a comma or another mark follows it.
    pub(crate) ends: bool,
    /// Its bytes in the text.
    pub(crate) bytes: Range<usize>,
}

impl Token {
    fn new(text: &str, quoted: bool, ends: bool, at: usize) -> Token {
        let bytes = at..at + text.len();
        Token { text: text.to_owned(), low: text.to_lowercase(), quoted, ends, bytes }
    }

    /// Whether it looks like a path, a file, an address or an id, as no word of speech does.
    pub(crate) fn is_like_file(&self) -> bool {
        let inner_dot = self.low.trim_matches('.').contains('.');
        self.quoted
            || inner_dot
            || self.low.contains(['\\', '/', '@', '{', '$', '_'])
            || self.low.starts_with("s-1-")
            || is_drive(&self.low)
    }

    /// Whether its form shows that it is a name: it has digits, or capitals inside.
    pub(crate) fn is_like_name(&self) -> bool {
        let letters = self.text.chars().skip(1).any(char::is_uppercase);
        self.is_like_file() || letters || self.text.chars().any(|it| it.is_ascii_digit())
    }
}

fn is_drive(text: &str) -> bool {
    let mut chars = text.chars();
    matches!((chars.next(), chars.next(), chars.next()), (Some(letter), Some(':'), None) if letter.is_ascii_alphabetic())
}

/// Splits a text into words.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut rest = text;
    while all.len() < MOST {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { break };
        let at = text.len() - rest.len();
        let close = match first {
            '"' => Some('"'),
            '“' | '„' => Some('”'),
            '«' => Some('»'),
            '‚' | '‘' => Some('’'),
            '`' => Some('`'),
            _ => None,
        };
        let inner = rest.get(first.len_utf8()..).unwrap_or_default();
        // The German closing mark is the English opening one.
        let is_close = |it: char| Some(it) == close || (first == '„' && it == '“');
        if let Some(end) = close.and_then(|_| inner.find(is_close)) {
            let within = inner.get(..end).unwrap_or_default();
            let word = within.trim();
            let before = within.len() - within.trim_start().len();
            if !word.is_empty() {
                all.push(Token::new(word, true, false, at + first.len_utf8() + before));
            }
            let behind = inner.get(end..).unwrap_or_default();
            rest = behind.get(behind.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        all.extend(word_of(word, at));
        rest = behind;
    }
    all
}

fn word_of(word: &str, at: usize) -> Option<Token> {
    let opened = word.trim_start_matches(['(', '"', '\'', '<', '“', '„', '«', '‚', '‘', ',', ';']);
    let mut text =
        opened.trim_end_matches(['?', '!', ',', ';', '.', '"', '”', '“', '»', '’', '>', '…', '\'']);
    if !is_drive(&text.to_lowercase()) {
        text = text.trim_end_matches(':');
    }
    if text.ends_with(')') && !text.contains('(') {
        text = text.trim_end_matches(')');
    }
    let ends = text.len() < opened.len();
    let owned = text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(text);
    let before = word.len() - opened.len();
    (!owned.is_empty()).then(|| Token::new(owned, false, ends, at + before))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn each_word_knows_where_it_stands() {
        for text in
            ["What's in mara's “New folder”?", "(E:) „ zwei Worte “, \"a\" ok", "谁 登录了？ e\u{301}!"]
        {
            for token in tokens(text) {
                assert_eq!(text.get(token.bytes.clone()), Some(token.text.as_str()), "{text}");
            }
        }
    }

    #[test]
    fn punctuation_goes_and_what_belongs_to_a_name_stays() {
        for (text, expected) in [
            ("What is in mara's recycle bin?", vec!["What", "is", "in", "mara", "recycle", "bin"]),
            ("to E:?", vec!["to", "E:"]),
            ("en-US.js: from", vec!["en-US.js", "from"]),
            ("winzip120[1].exe {a-b}", vec!["winzip120[1].exe", "{a-b}"]),
            ("\"New folder (2)\", „zwei Worte“ ok", vec!["New folder (2)", "zwei Worte", "ok"]),
            ("\"never closed", vec!["never", "closed"]),
            ("  ", vec![]),
            ("谁登录了？", vec!["谁登录了？"]),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }
}
