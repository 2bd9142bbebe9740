//! Words that a command line writes in pieces, joined: `Ma^ra`, ``Ma`ra``, `'Ma'+'ra'`, `Ma""ra`.

use crate::unescape::Letter;

/// Characters that a shell removes before the character that it keeps.
const SHELLS: [char; 2] = ['^', '`'];
const QUOTES: [char; 2] = ['\'', '"'];
/// Operators that join two pieces of a text.
const JOINING: [char; 3] = ['+', '&', ','];
/// The most blanks between the quotes and the joining operator.
const BLANKS: usize = 3;

/// Checks whether a text may have a word in pieces.
pub(crate) fn is_split(text: &str) -> bool {
    let bytes = text.as_bytes();
    let next = |at: usize| bytes.get(at + 1).copied().unwrap_or_default();
    let shells = |(at, _): (usize, &str)| next(at) != 0;
    let quotes = |(at, _): (usize, &str)| matches!(next(at), b'\'' | b'"' | b' ' | b'+' | b'&' | b',');
    text.match_indices(SHELLS).any(shells) || text.match_indices(QUOTES).any(quotes)
}

/// Returns the letters without what separates the pieces of a word.
pub(crate) fn together(letters: &[Letter]) -> Vec<Letter> {
    let mut kept = Vec::with_capacity(letters.len());
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let parting = letters.get(at..).map_or(0, parting);
        if parting == 0 {
            kept.push(*letter);
        }
        at += parting.max(1);
    }
    kept
}

/// Returns how many letters separate two pieces here; 0 if none do.
fn parting(rest: &[Letter]) -> usize {
    let c = |at: usize| rest.get(at).map(|letter| letter.c);
    let Some(first) = c(0) else { return 0 };
    if SHELLS.contains(&first) {
        return usize::from(c(1).is_some());
    }
    if !QUOTES.contains(&first) {
        return 0;
    }
    if c(1) == Some(first) {
        return 2;
    }
    let blanks = |from: usize| (from..from + BLANKS).take_while(|at| c(*at) == Some(' ')).count();
    let joining = 1 + blanks(1);
    if !c(joining).is_some_and(|c| JOINING.contains(&c)) {
        return 0;
    }
    let opening = joining + 1 + blanks(joining + 1);
    if c(opening).is_some_and(|c| QUOTES.contains(&c)) { opening + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unescape::plain;

    #[test]
    fn pieces_of_a_word_are_put_together() {
        for text in [
            "Mara",
            "M^ar^a",
            "M`ara",
            "'Ma'+'ra'",
            "\"Ma\" + \"ra\"",
            "\"Ma\" & 'ra'",
            "'Ma','ra'",
            "Ma\"\"ra",
            "M''ara",
        ] {
            let read: String = together(&plain(text)).iter().map(|letter| letter.c).collect();
            assert_eq!(read.trim_matches(['\'', '"']), "Mara", "{text}");
            assert_eq!(is_split(text), text != "Mara", "{text}");
        }
        for text in ["say \"no\"", "it's", "`", "'+"] {
            let read: String = together(&plain(text)).iter().map(|letter| letter.c).collect();
            assert_eq!(read, text);
        }
    }
}
