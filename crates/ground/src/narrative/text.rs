//! Splits a sentence at white space into pieces without the punctuation around them.

use super::vocabulary::{MISTAKABLE, PLAIN};

/// A piece of a sentence between white space.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk<'t> {
    text: &'t str,
    start: usize,
    end: usize,
    bare_start: usize,
    bare_end: usize,
}

const OPENING: &[char] = &['(', '[', '{', '<', '"', '\'', '`', '“', '‘', '«', '„'];
const CLOSING: &[char] =
    &['.', ',', ';', ':', '!', '?', ')', ']', '}', '>', '"', '\'', '`', '”', '’', '»', '…', '“'];

/// Marks that open a quotation, with the marks that close it.
const QUOTES: &[(char, char)] =
    &[('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('«', '»'), ('„', '“')];

/// Returns the pieces in order; a dash between words separates them, too.
pub(super) fn chunks(text: &str) -> Vec<Chunk<'_>> {
    let mut chunks = Vec::new();
    let mut start = None;
    let parts = |c: char| c.is_whitespace() || matches!(c, '—' | '–');
    let ends = text.char_indices().map(|(at, c)| (at, parts(c))).chain([(text.len(), true)]);
    for (at, part) in ends {
        match (start, part) {
            (None, false) => start = Some(at),
            (Some(from), true) => {
                chunks.push(Chunk::new(text, from, at));
                start = None;
            }
            (None, true) | (Some(_), false) => {}
        }
    }
    chunks
}

impl<'t> Chunk<'t> {
    fn new(text: &'t str, start: usize, end: usize) -> Chunk<'t> {
        let raw = text.get(start..end).unwrap_or_default();
        let open = raw.trim_start_matches(OPENING);
        let bare_start = end - open.len();
        let bare_end = bare_start + open.trim_end_matches(CLOSING).len();
        Chunk { text, start, end, bare_start, bare_end }
    }

    /// Returns the piece without the punctuation around it.
    pub(super) fn bare(&self) -> &'t str {
        self.text.get(self.bare_start..self.bare_end).unwrap_or_default()
    }

    /// Returns where the bare piece begins and ends in the text.
    pub(super) const fn bare_range(&self) -> (usize, usize) {
        (self.bare_start, self.bare_end)
    }

    /// Returns the piece as written.
    pub(super) fn raw(&self) -> &'t str {
        self.text.get(self.start..self.end).unwrap_or_default()
    }

    /// Checks whether a clause ends after it.
    pub(super) fn ends_a_clause(&self) -> bool {
        let after = self.text.get(self.bare_end..self.end).unwrap_or_default();
        let dash = self.text.get(self.end..).unwrap_or_default().trim_start().starts_with(['—', '–']);
        dash || after.contains(['.', ',', ';', ':', '!', '?'])
    }
}

/// Returns the texts that the pieces from the first to the last may mean together.
/// They are with and without the punctuation at both ends, and without a possessive ending.
pub(super) fn readings<'t>(first: &Chunk<'t>, last: &Chunk<'t>) -> Vec<&'t str> {
    let mut readings = Vec::new();
    let tail = last.text.get(last.bare_end..last.end).unwrap_or_default();
    let ends = tail.char_indices().map(|(at, _)| last.bare_end + at).chain([last.end]);
    for end in ends {
        for start in [first.bare_start, first.start] {
            let reading = first.text.get(start..end).unwrap_or_default();
            let genitive = reading.strip_suffix("'s").or_else(|| reading.strip_suffix("’s"));
            for text in [Some(reading), genitive].into_iter().flatten() {
                if !text.is_empty() && !readings.contains(&text) {
                    readings.push(text);
                }
            }
        }
    }
    readings
}

/// Returns the text between the quotation marks that the first piece opens, and the number of its pieces.
/// `None` if the first piece opens no quotation.
pub(super) fn quoted<'t>(rest: &[Chunk<'t>]) -> Option<(&'t str, usize)> {
    let first = rest.first()?;
    let opening = first.text.get(first.start..first.bare_start)?;
    let (at, open, close) = opening.char_indices().find_map(|(at, c)| {
        let (open, close) = QUOTES.iter().find(|(open, _)| *open == c)?;
        Some((first.start + at + open.len_utf8(), *open, *close))
    })?;
    let inner = first.text.get(at..)?;
    for (found, _) in inner.match_indices(close) {
        let end = at + found;
        let after = inner.get(found + close.len_utf8()..)?;
        let after = after.strip_prefix("'s").or_else(|| after.strip_prefix("’s")).unwrap_or(after);
        let behind = after.trim_start_matches(CLOSING);
        if behind.is_empty() || behind.starts_with(|c: char| c.is_whitespace() || matches!(c, '—' | '–'))
        {
            let taken = rest.iter().take_while(|chunk| chunk.start <= end).count();
            // An apostrophe or an empty pair quotes nothing.
            let content = first.text.get(at..end)?;
            return (!content.trim().is_empty()).then_some((content, taken.max(1)));
        }
    }
    // An unclosed mark quotes the rest of the text: nothing may hide behind it.
    (open != '\'' && open != '‘').then(|| (inner.trim_end_matches(CLOSING), rest.len()))
}

/// Checks whether a text looks like a value of the evidence rather than a word.
pub(super) fn is_value(text: &str) -> bool {
    let lower = text.to_lowercase();
    if PLAIN.contains(&lower.as_str()) {
        return false;
    }
    let inner = |marks: &[char]| {
        text.char_indices().any(|(at, c)| at > 0 && at + c.len_utf8() < text.len() && marks.contains(&c))
    };
    text.chars().any(|c| c.is_numeric() || MISTAKABLE.contains(&c))
        || text.contains(['\\', '/', '@', '$', '~', '_', '%', '*', '?', '|', '^', '#'])
        || inner(&['.', ':', '"', '=', '<', '>'])
        || text.starts_with('.') && text.len() > 1
        || is_mixed(text)
}

/// Checks whether a text mixes Latin letters with letters of an alphabet that looks similar.
fn is_mixed(text: &str) -> bool {
    let similar =
        |c: char| matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{13a0}'..='\u{13ff}');
    text.chars().any(|c| c.is_ascii_alphabetic()) && text.chars().any(similar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_around_a_piece_is_no_part_of_it() {
        let bare: Vec<_> = chunks("(See `a.exe`, then: 12.) — on").iter().map(Chunk::bare).collect();
        assert_eq!(bare, ["See", "a.exe", "then", "12", "on"]);
    }

    #[test]
    fn what_stands_between_quotation_marks_is_one_text() {
        let of = |text| quoted(&chunks(text)).map(|(inner, taken)| (inner.to_owned(), taken));
        assert_eq!(of("\"a b\", c"), Some(("a b".into(), 2)));
        assert_eq!(of("'mara's pc' is"), Some(("mara's pc".into(), 2)));
        assert_eq!(of("“a”’s b"), Some(("a".into(), 1)));
        assert_eq!(of("\"open ended text"), Some(("open ended text".into(), 3)));
        assert_eq!(of("'90s show"), None);
        assert_eq!(of("plain \"a\""), None);
    }

    #[test]
    fn values_look_otherwise_than_words() {
        for value in [
            r"C:\a",
            "a/b",
            "x.exe",
            "user@host",
            "ADMIN$",
            "KB5001330",
            "10.0.0.5",
            "fe80::1",
            "run_count",
            "%TEMP%",
            "d\u{435}leted",
            "evil\u{ff0e}exe",
            ".lnk",
            "a:b",
            "S-1-5-18",
            "\u{661}\u{662}",
        ] {
            assert!(is_value(value), "{value}");
        }
        for word in
            ["deleted", "e.g", "and/or", "SHA-256", "user's", "logged-on", "file(s)", "Мара", "x64", "$MFT"]
        {
            assert!(!is_value(word), "{word}");
        }
    }
}
