//! Host name labels with encoded non-ASCII letters (RFC 3492, `xn--jrg-sna`).

use crate::unescape::Letter;

/// The beginning of such a label.
const START: &str = "xn--";
/// The most bytes of a label.
const LABEL: usize = 63;

const BASE: u32 = 36;
const LEAST: u32 = 1;
const MOST: u32 = 26;

/// Checks whether a text may have such a label.
pub(crate) fn has_label(text: &str) -> bool {
    text.contains("--") && text.as_bytes().windows(START.len()).any(is_start)
}

const fn is_start(bytes: &[u8]) -> bool {
    bytes.eq_ignore_ascii_case(START.as_bytes())
}

/// Decodes the labels in a text: each decoded letter has the place of the whole label.
pub(crate) fn labels(letters: &[Letter]) -> Vec<Letter> {
    let mut out = Vec::with_capacity(letters.len());
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let rest = letters.get(at..).unwrap_or_default();
        match label(rest) {
            Some((text, taken)) => {
                let to = rest.get(taken - 1).map_or(letter.to, |last| last.to);
                out.extend(text.into_iter().map(|c| Letter { c, from: letter.from, to }));
                at += taken;
            }
            None => {
                out.push(*letter);
                at += 1;
            }
        }
    }
    out
}

/// Decodes the label at the start of letters, and returns its length in letters.
fn label(letters: &[Letter]) -> Option<(Vec<char>, usize)> {
    let same = |(letter, c): (&Letter, char)| letter.c.eq_ignore_ascii_case(&c);
    if !letters.iter().zip(START.chars()).all(same) {
        return None;
    }
    let is_inside = |letter: &&Letter| letter.c.is_ascii_alphanumeric() || letter.c == '-';
    let all: Vec<char> = letters
        .iter()
        .take(LABEL)
        .take_while(is_inside)
        .map(|letter| letter.c.to_ascii_lowercase())
        .collect();
    Some((decoded(all.get(START.len()..)?)?, all.len()))
}

/// Decodes a label after its prefix; `None` if it is not valid, or encodes nothing beyond ASCII.
fn decoded(label: &[char]) -> Option<Vec<char>> {
    let delimiter = label.iter().rposition(|c| *c == '-');
    let mut out: Vec<char> = label.get(..delimiter.unwrap_or(0))?.to_vec();
    let mut digits = label.get(delimiter.map_or(0, |at| at + 1)..)?.iter();
    let (mut code, mut index, mut bias) = (0x80u32, 0u32, 72u32);
    if digits.as_slice().is_empty() {
        return None;
    }
    while !digits.as_slice().is_empty() {
        let before = index;
        let (mut weight, mut threshold_at) = (1u32, BASE);
        loop {
            let digit = digit(*digits.next()?)?;
            index = index.checked_add(digit.checked_mul(weight)?)?;
            let threshold = threshold_at.saturating_sub(bias).clamp(LEAST, MOST);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            threshold_at = threshold_at.checked_add(BASE)?;
        }
        let count = u32::try_from(out.len()).ok()?.checked_add(1)?;
        bias = adapted(index - before, count, before == 0);
        code = code.checked_add(index / count)?;
        index %= count;
        out.insert(usize::try_from(index).ok()?, char::from_u32(code).filter(|c| !c.is_control())?);
        index += 1;
    }
    Some(out)
}

/// Adapts the bias (RFC 3492, section 6.1).
const fn adapted(delta: u32, count: u32, is_first: bool) -> u32 {
    let mut delta = if is_first { delta / 700 } else { delta / 2 };
    delta += delta / count;
    let mut steps = 0;
    while delta > ((BASE - LEAST) * MOST) / 2 {
        delta /= BASE - LEAST;
        steps += BASE;
    }
    steps + (BASE - LEAST + 1) * delta / (delta + 38)
}

const fn digit(c: char) -> Option<u32> {
    match c {
        'a'..='z' => Some(c as u32 - 'a' as u32),
        '0'..='9' => Some(c as u32 - '0' as u32 + 26),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unescape::plain;
    use proptest::prelude::*;

    fn read(text: &str) -> String {
        labels(&plain(text)).iter().map(|letter| letter.c).collect()
    }

    #[test]
    fn a_label_is_read_and_what_is_none_stays() {
        for (text, expected) in [
            ("www.xn--jrg-sna.example", "www.jörg.example"),
            ("XN--Mnchen-3ya, xn--mnchen-3ya", "münchen, münchen"),
            ("xn--80adxhks.example", "москва.example"),
            ("log_xn--jrg-sna_7", "log_jörg_7"),
            ("xn--", "xn--"),
            ("xn--a", "xn--a"),
            ("a--b xn--999999999", "a--b xn--999999999"),
        ] {
            assert_eq!(read(text), expected);
        }
        assert!(has_label("a.Xn--b") && !has_label("a--b"));
    }

    #[test]
    fn every_letter_of_a_label_stands_for_all_of_it() {
        let all = labels(&plain("a.xn--jrg-sna.b"));
        let of = all.iter().find(|letter| letter.c == 'ö').map(|letter| letter.from..letter.to);
        assert_eq!(of, Some(2..13));
    }

    proptest! {
        #[test]
        fn whatever_follows_is_read_or_stays(text in "xn--[a-z0-9-]{0,70}") {
            prop_assert!(!labels(&plain(&text)).is_empty());
        }
    }
}
