//! Splits questions and queries into the words by which lessons are found, in the same way, before the index sees them.

use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

/// The shortest word that is kept, in characters: `RDP`, `USB`, `LNK` and `SAM` are words.
const SHORTEST: usize = 3;
/// The longest word that is kept, in characters.
const LONGEST: usize = 40;
/// The most words of one text.
const MOST: usize = 256;

/// Words that say nothing about the topic, in the languages of the program.
const STOP: &[&str] = &[
    "aber", "alle", "als", "and", "any", "are", "auf", "aus", "been", "being", "bei", "but", "can", "das",
    "dem", "den", "der", "des", "did", "die", "does", "durch", "ein", "eine", "einem", "einen", "einer",
    "for", "from", "für", "had", "has", "hat", "have", "how", "ihr", "ist", "its", "kann", "mit", "nach",
    "nicht", "not", "oder", "sich", "sie", "sind", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "und", "von", "war", "was", "welche", "welcher", "welches", "were",
    "what", "when", "where", "which", "who", "wie", "will", "wird", "with", "wurde", "wurden", "would",
    "zum", "zur",
];

/// Returns the content words of a text: lower case, no punctuation, at least three characters.
/// For Chinese, Japanese and Korean, it returns each pair of neighbouring characters.
pub fn words(text: &str) -> BTreeSet<String> {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let mut found = BTreeSet::new();
    for run in folded.split(|letter: char| !letter.is_alphanumeric()) {
        for piece in pieces(run) {
            match piece {
                Piece::Word(word) => {
                    let is_content = word.chars().count() >= SHORTEST && !STOP.contains(&word);
                    found.extend(is_content.then(|| word.chars().take(LONGEST).collect::<String>()));
                }
                Piece::Pairs(text) => found.extend(pairs(text)),
            }
            if found.len() >= MOST {
                return found;
            }
        }
    }
    found
}

/// A part of a run of letters, in one kind of script.
enum Piece<'t> {
    /// Letters of an alphabet.
    Word(&'t str),
    /// Characters of a script that does not separate words with spaces.
    Pairs(&'t str),
}

fn pieces(run: &str) -> Vec<Piece<'_>> {
    let (mut found, mut rest) = (Vec::new(), run);
    while let Some(first) = rest.chars().next() {
        let is_paired = is_paired(first);
        let end = rest.find(|letter| self::is_paired(letter) != is_paired).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        found.push(if is_paired { Piece::Pairs(piece) } else { Piece::Word(piece) });
        rest = after;
    }
    found
}

/// Checks for a script that does not separate words: Chinese, Japanese, Korean.
const fn is_paired(letter: char) -> bool {
    matches!(letter,
        '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

/// Returns each pair of neighbouring characters; a single character is returned alone.
fn pairs(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    match letters.as_slice() {
        [alone] => vec![alone.to_string()],
        letters => letters.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        words(text).into_iter().collect()
    }

    #[test]
    fn short_names_of_the_field_count_and_punctuation_does_not() {
        assert_eq!(cut("Was RDP used? (USB, .LNK; SAM!)"), ["lnk", "rdp", "sam", "usb", "used"]);
        assert_eq!(cut("Which of the two is it?"), ["two"]);
        assert_eq!(cut("a b of"), Vec::<String>::new());
    }

    #[test]
    fn letters_are_folded_and_full_width_ones_are_the_same() {
        assert_eq!(cut("ＲＤＰ Änderung"), ["rdp", "änderung"]);
    }

    #[test]
    fn characters_without_blanks_become_pairs_and_a_lone_one_stays() {
        assert_eq!(cut("登录日志"), ["录日", "日志", "登录"]);
        assert_eq!(cut("usb設備 木"), ["usb", "木", "設備"]);
    }

    #[test]
    fn a_text_of_any_length_gives_a_bounded_number_of_bounded_words() {
        let long =
            format!("{} {}", "x".repeat(1_000), (0..2_000).map(|n| format!("w{n:04} ")).collect::<String>());
        let cut = words(&long);
        assert!(cut.len() <= MOST + 1 && cut.iter().all(|word| word.chars().count() <= LONGEST));
    }
}
