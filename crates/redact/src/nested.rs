//! Encoded texts within a text: what is decoded is read again, once.

use crate::codes::codes;
use crate::packed::{IN_BASE64, IN_HEX, base32, base64, hex};
use crate::unescape::{Letter, readings};

/// The most letters of one layer that are read again.
const MOST: usize = 1 << 20;

/// Letters decoded from bytes or codes in a text, and the fewest letters of a value that is searched for in them.
pub(crate) type Unpacked = (usize, Vec<Letter>);

/// Returns everything that is encoded in a text, and what is encoded or escaped within that.
pub(crate) fn unpacked(text: &str) -> Vec<Unpacked> {
    let mut all = packed(text);
    let inner: Vec<Unpacked> = all.iter().flat_map(|(least, letters)| within(*least, letters)).collect();
    all.extend(inner);
    all
}

fn packed(text: &str) -> Vec<Unpacked> {
    let all =
        [(IN_BASE64, base64(text)), (IN_BASE64, base32(text)), (IN_HEX, hex(text)), (IN_HEX, codes(text))];
    all.into_iter().filter(|(_, letters)| !letters.is_empty()).collect()
}

/// Reads decoded letters once more.
fn within(least: usize, letters: &[Letter]) -> Vec<Unpacked> {
    let letters = letters.get(..MOST).unwrap_or(letters);
    let text: String = letters.iter().map(|letter| letter.c).collect();
    let places: Vec<&Letter> =
        letters.iter().flat_map(|letter| std::iter::repeat_n(letter, letter.c.len_utf8())).collect();
    // A letter of the decoded text has the place of the letters it was made from.
    let placed = |letter: Letter| {
        let (first, last) = (places.get(letter.from)?, places.get(letter.to.checked_sub(1)?)?);
        Some(Letter { c: letter.c, from: first.from.min(last.from), to: last.to.max(first.to) })
    };
    let escaped = readings(&text).into_iter().map(|it| (least, it));
    let packed = packed(&text).into_iter().map(|(own, it)| (own.max(least), it));
    escaped.chain(packed).map(|(least, it)| (least, it.into_iter().filter_map(placed).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    fn read(text: &str) -> Vec<String> {
        unpacked(text).iter().map(|(_, letters)| letters.iter().map(|letter| letter.c).collect()).collect()
    }

    #[test]
    fn what_is_packed_twice_or_split_inside_is_read() {
        let wide: Vec<u8> = "$u='Mara'+' Elling^sen'".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for text in [
            STANDARD.encode(STANDARD.encode("x Mara Ellingsen")),
            STANDARD.encode(wide),
            STANDARD.encode("Mara%20Ellingsen"),
            STANDARD.encode("4d61726120456c6c696e6773656e"),
        ] {
            let read = read(&format!("-enc {text} x"));
            assert!(read.iter().any(|it| it.contains("Mara Ellingsen")), "{text}: {read:?}");
        }
    }

    #[test]
    fn every_letter_stands_in_the_text() {
        let text = format!("é {} é", STANDARD.encode(STANDARD.encode("Jörg M, Jörg M")));
        for (_, letters) in unpacked(&text) {
            assert!(letters.iter().all(|it| it.from <= it.to && text.get(it.from..it.to).is_some()));
        }
    }
}
