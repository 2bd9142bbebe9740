//! The loosest fold: texts that any rule of the matcher treats as equal have the same folded form.
//!
//! It is looser than every rule of [`crate::fold`], so texts with different forms cannot match;
//! the matcher itself separates texts with the same form.

use unicode_normalization::UnicodeNormalization;

/// The names of the registry roots, long and short, in lower case.
const HIVES: [(&[u8], &[u8]); 5] = [
    (b"hkey_local_machine", b"hklm"),
    (b"hkey_current_user", b"hkcu"),
    (b"hkey_users", b"hku"),
    (b"hkey_classes_root", b"hkcr"),
    (b"hkey_current_config", b"hkcc"),
];

/// Folds `text` into `folded`: decomposed (NFD), in lower case, with `\` for `/`.
///
/// If [`crate::quotation`] allows a part of the text to end somewhere, the part folds to a part of the folded text:
/// nothing composes across its ends.
pub(super) fn fold(text: &str, folded: &mut Vec<u8>) {
    folded.clear();
    if text.is_ascii() {
        folded.extend(text.bytes().map(|byte| if byte == b'/' { b'\\' } else { byte.to_ascii_lowercase() }));
        return;
    }
    let mut encoded = [0; 4];
    // Lower case can turn one letter into two that decompose in turn.
    for character in text.nfd().flat_map(char::to_lowercase).nfd() {
        let turned = if character == '/' { '\\' } else { character };
        folded.extend_from_slice(turned.encode_utf8(&mut encoded).as_bytes());
    }
}

/// Reduces a folded text to what is compared as a whole, in two consecutive parts.
///
/// It removes separators, braces and white space at the ends, the namespace before a drive, and the colon after the drive letter.
/// The registry root gets its short name.
/// Consecutive separators become one; only then is `scratch` used.
pub(super) fn whole<'f>(folded: &'f [u8], scratch: &'f mut Vec<u8>) -> (&'f [u8], &'f [u8]) {
    let body = trim(folded);
    let body = if body.windows(2).any(|pair| pair == br"\\") {
        scratch.clear();
        scratch.extend_from_slice(body);
        scratch.dedup_by(|next, previous| *next == b'\\' && *previous == b'\\');
        scratch.as_slice()
    } else {
        body
    };
    let body =
        [&br"??\"[..], br"?\"].into_iter().find_map(|device| body.strip_prefix(device)).unwrap_or(body);
    // The folder of a copied volume is named like its drive.
    match body {
        [_, b':', b'\\', ..] => {
            return (body.get(..1).unwrap_or_default(), body.get(2..).unwrap_or_default());
        }
        [_, b'\\', ..] => return (body.get(..1).unwrap_or_default(), body.get(1..).unwrap_or_default()),
        _ => {}
    }
    let body = body.strip_prefix(br"computer\").unwrap_or(body);
    let root = body.split(|byte| *byte == b'\\').next().unwrap_or_default();
    let root = root.strip_suffix(b":").unwrap_or(root);
    match HIVES.iter().find(|(long, short)| *long == root || *short == root) {
        Some((_, short)) => {
            let rest = body.get(root.len()..).unwrap_or_default();
            (short, rest.strip_prefix(b":").unwrap_or(rest))
        }
        None => (&[], body),
    }
}

fn trim(folded: &[u8]) -> &[u8] {
    let edge = |byte: &u8| matches!(byte, b'\\' | b'{' | b'}') || byte.is_ascii_whitespace();
    let start = folded.iter().position(|byte| !edge(byte)).unwrap_or(folded.len());
    let end = folded.iter().rposition(|byte| !edge(byte)).map_or(start, |last| last + 1);
    folded.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        fold(text, &mut out);
        out
    }

    fn same(a: &str, b: &str) -> bool {
        let whole = |text: &str| {
            let mut scratch = Vec::new();
            let folded = folded(text);
            let (root, rest) = whole(&folded, &mut scratch);
            [root, rest].concat()
        };
        whole(a) == whole(b)
    }

    #[test]
    fn what_the_matcher_takes_for_the_same_has_one_form() {
        for (a, b) in [
            ("c:/windows//System32/", r"C:\Windows\System32"),
            ("/Users/É", "users/e\u{301}"),
            (r"hklm\software\Run\", r"HKEY_LOCAL_MACHINE\SOFTWARE\Run"),
            ("HKEY_USERS", "hku/"),
            (r"HKLM:\Software", r"hklm\software"),
            (r"Computer\HKEY_USERS\x", r"hku\x"),
            (r"\??\C:\a", "c:/a"),
            (r"\\?\C:\a", "C/a"),
            ("{AB-1}", "ab-1"),
            ("J\u{30c}x", "\u{1f0}X"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        assert!(!same("p\u{430}ypal", "paypal"));
    }

    /// The matcher folds composed letters and the index decomposed ones: every letter must fold to the same form.
    #[test]
    fn every_letter_folds_alike_composed_and_decomposed() {
        for letter in '\0'..=char::MAX {
            let text = letter.to_string();
            let composed: String = text.nfc().flat_map(char::to_lowercase).collect();
            let upper = text.to_ascii_uppercase();
            assert_eq!(folded(&text), folded(&composed), "{letter:?}");
            assert_eq!(folded(&text), folded(&upper), "{letter:?}");
        }
    }

    /// A character that folds to a word character was one before: quotations end where words do.
    #[test]
    fn no_letter_becomes_part_of_a_word() {
        for letter in ('\0'..=char::MAX).filter(|letter| !letter.is_ascii()) {
            let word = folded(&letter.to_string()).iter().any(u8::is_ascii_alphanumeric);
            assert!(!word || letter.is_alphanumeric(), "{letter:?}");
        }
    }
}
