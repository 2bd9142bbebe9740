//! MAC addresses of network cards: recognised by their form, and converted to other spellings.

use std::ops::Range;

/// The number of hex digits in an address.
const DIGITS: usize = 12;
/// Separators between bytes of an address, or between its thirds.
const BETWEEN: [char; 5] = ['-', ':', '.', '_', ' '];
/// Words that identify what follows as an address: needed if it has no separators, or only decimal digits.
const LABELS: [&str; 8] = ["mac", "macaddress", "address", "ether", "hwaddr", "lladdr", "bssid", "physical"];
/// The most characters between such a word and the digits.
const APART: usize = 4;

/// Finds such addresses in a folded text.
pub(crate) fn macs(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = bytes.get(at..).and_then(|it| it.iter().position(u8::is_ascii_hexdigit)) {
        let start = at + start;
        let end = (start..bytes.len()).find(|at| !is_digit(*at)).unwrap_or(bytes.len());
        let begins = !text.get(..start).is_some_and(|before| before.ends_with(char::is_alphanumeric));
        let range = if begins { address(text, start, end - start) } else { None };
        at = range.as_ref().map_or(end, |range| range.end);
        found.extend(range);
    }
    found
}

/// Returns the address that begins here with a group of `length` digits.
fn address(text: &str, start: usize, length: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let sign = bytes.get(start + length).copied().unwrap_or_default();
    let groups = match (length, sign) {
        (DIGITS, _) => 1,
        (2, b'-' | b':') => 6,
        (4, b'.') => 3,
        _ => return None,
    };
    let end = start + DIGITS + groups - 1;
    let own = bytes.get(start..end)?;
    let is_sign = |at: usize| at % (length + 1) == length;
    let is_one = own
        .iter()
        .zip(0..)
        .all(|(byte, at)| if is_sign(at) { *byte == sign } else { byte.is_ascii_hexdigit() });
    let goes_on = |at: Option<&u8>| at.is_some_and(u8::is_ascii_alphanumeric);
    // Longer sequences of bytes are dumps.
    let longer = |near: Option<&u8>, far: Option<&u8>| near == Some(&sign) && goes_on(far);
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    let far = start.checked_sub(2).and_then(|at| bytes.get(at));
    let is_longer = groups > 1
        && (longer(bytes.get(end), bytes.get(end + 1))
            || longer(before, far.filter(|byte| byte.is_ascii_hexdigit())));
    let digits: Vec<u8> = own.iter().copied().filter(u8::is_ascii_hexdigit).collect();
    let is_nobody = digits.iter().all(|digit| Some(digit) == digits.first());
    let is_plain = groups > 1 && digits.iter().any(u8::is_ascii_alphabetic);
    let is_told = is_plain || is_labelled(text.get(..start)?);
    (is_one && !goes_on(bytes.get(end)) && !is_longer && !is_nobody && is_told).then_some(start..end)
}

fn is_labelled(before: &str) -> bool {
    let word = before.trim_end_matches(|c: char| !c.is_alphanumeric());
    let word = if before.len() - word.len() <= APART { word } else { return false };
    let word = word.get(word.trim_end_matches(char::is_alphabetic).len()..).unwrap_or_default();
    LABELS.contains(&word)
}

/// Returns the other spellings of an address, in lower case; none if the value is not such an address.
pub(crate) fn spellings(value: &str) -> Vec<String> {
    let value = value.trim().to_lowercase();
    let is_inside = |c: char| c.is_ascii_hexdigit() || BETWEEN.contains(&c);
    let digits: String = value.chars().filter(char::is_ascii_hexdigit).collect();
    let parts = value.split(BETWEEN).count();
    if digits.len() != DIGITS || !value.chars().all(is_inside) || !matches!(parts, 1 | 3 | 6) {
        return Vec::new();
    }
    let by = |length: usize, between: &str| -> String {
        let groups: Vec<&str> =
            (0..DIGITS).step_by(length).filter_map(|at| digits.get(at..at + length)).collect();
        groups.join(between)
    };
    let mut all: Vec<String> = BETWEEN.iter().map(|between| by(2, &between.to_string())).collect();
    all.extend([".", "-", ":"].map(|between| by(4, between)));
    all.extend([by(2, ","), by(2, "\\x"), by(6, "-"), digits.clone()]);
    all.retain(|it| *it != value);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_cards_are_known_by_their_form() {
        for (text, expected) in [
            ("fe80::1%5 00-1a-2b-3c-4d-5e", &["00-1a-2b-3c-4d-5e"][..]),
            ("at 00:1a:2b:3c:4d:5e, 001a.2b3c.4d5e.", &["00:1a:2b:3c:4d:5e", "001a.2b3c.4d5e"]),
            ("mac=001a2b3c4d5e macaddress: 001a2b3c4d5f", &["001a2b3c4d5e", "001a2b3c4d5f"]),
            ("physical address. 00-11-22-33-44-55", &["00-11-22-33-44-55"]),
            ("4d:5a:90:00:03:00:00:00, 00-00-00-00-00-00, ff:ff:ff:ff:ff:ff", &[]),
            ("12:34:56:78:90:12, 001a2b3c4d5e, x00-1a-2b-3c-4d-5e, 00-1a-2b-3c-4d-5ex", &[]),
            ("{6d1f5a0e-93c7-4c1b-8f0e-2b7a51c0de11}", &[]),
        ] {
            let found: Vec<&str> = macs(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn an_address_of_a_card_is_spelled_in_every_way() {
        for value in ["00-1A-2B-3C-4D-5E", "00:1a:2b:3c:4d:5e", "001a.2b3c.4d5e", "001A2B3C4D5E"] {
            let all = spellings(value);
            for expected in ["001a2b3c4d5e", "00-1a-2b-3c-4d-5e", "001a.2b3c.4d5e", "00_1a_2b_3c_4d_5e"] {
                assert!(
                    all.iter().any(|it| it == expected) || expected == value.to_lowercase(),
                    "{expected}"
                );
            }
        }
        for value in ["ann", "1.2.3.4", "00-1a-2b-3c-4d", "0-01a2b3c4d5e"] {
            assert!(spellings(value).is_empty(), "{value}");
        }
    }
}
