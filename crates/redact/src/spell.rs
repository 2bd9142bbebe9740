//! One spelling for each character: what it reads as, and what it looks like.

use ledger::escapes::is_ignorable;
use std::sync::LazyLock;
use unicode_normalization::char::decompose_compatible;
use unicode_security::skeleton;

/// The spelling of a non-ASCII character; empty if it is invisible.
#[derive(Debug, Default)]
pub(crate) struct Spelled {
    /// What it reads as: NFKD, lower case, without marks on letters.
    ///
    /// NFKD and not NFKC, because it works character by character, and a letter is found with and without its marks.
    pub(crate) reads: String,
    /// What it looks like, whatever its script, in letters of [`look_of_ascii`].
    pub(crate) looks: String,
    /// Whether it looks like another letter than it reads as.
    pub(crate) deceives: bool,
}

/// The characters that occur in most texts: Latin to Cyrillic, Hebrew, Arabic, punctuation, symbols.
const COMMON: std::ops::Range<u32> = 0x80..0x3400;

static TABLE: LazyLock<Vec<Spelled>> =
    LazyLock::new(|| COMMON.map(|code| char::from_u32(code).map(spell).unwrap_or_default()).collect());

/// Calls a function with the spelling of a non-ASCII character.
pub(crate) fn with_spelling(c: char, mut then: impl FnMut(&Spelled)) {
    let at = u32::from(c).checked_sub(COMMON.start).and_then(|at| usize::try_from(at).ok());
    match at.and_then(|at| TABLE.get(at)) {
        Some(spelled) => then(spelled),
        None => then(&spell(c)),
    }
}

/// Returns what an ASCII character looks like, in lower case.
///
/// Look-alikes among them (`I`, `l`, `1`) are treated as one: otherwise a letter of another script that could be
/// any of them would have no spelling.
pub(crate) const fn look_of_ascii(c: char) -> &'static [char] {
    match c.to_ascii_lowercase() {
        '1' | 'i' | '|' | 'l' => &['l'],
        '0' | 'o' => &['o'],
        'm' => &['r', 'n'],
        _ => &[],
    }
}

fn spell(c: char) -> Spelled {
    if is_ignorable(c) {
        return Spelled::default();
    }
    let (mut reads, mut looks) = (String::new(), String::new());
    decompose_compatible(c, |c| {
        read(c, &mut reads);
        look(c, &mut looks);
    });
    let deceives = !reads.is_ascii() && reads != looks;
    Spelled { reads, looks, deceives }
}

fn read(c: char, out: &mut String) {
    for c in c.to_lowercase().filter(|c| !is_mark(*c)) {
        match c {
            'ß' => out.push_str("ss"),
            'ς' => out.push('σ'),
            c => out.push(c),
        }
    }
}

/// Case is removed after the look: `В` looks like `B`, and `в` like nothing in Latin except a small capital.
fn look(c: char, out: &mut String) {
    let of = |c: char| -> String { skeleton(c.encode_utf8(&mut [0; 4])).filter(|c| !is_mark(*c)).collect() };
    let seen = of(c);
    let upper: String = c.to_uppercase().map(of).collect();
    let seen = if !seen.is_ascii() && upper.is_ascii() { upper } else { seen };
    let mut lower = String::new();
    seen.chars().for_each(|c| read(c, &mut lower));
    for c in lower.chars() {
        match look_of_ascii(c) {
            [] => out.push(c),
            looks => out.extend(looks),
        }
    }
}

/// Checks for marks on Latin, Greek and Cyrillic letters; those of other scripts are vowels, and distinguish words.
const fn is_mark(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}'
    )
}
