//! Spellings, letters, paths, quotations and numbers.

use super::Sure;
use unicode_normalization::UnicodeNormalization;

/// One way to interpret what a model wrote.
pub struct Spelling {
    pub text: String,
    pub sure: Sure,
}

/// Returns the text as it is and with its escapes undone; other spellings are what models put around a value.
///
/// Open: white space and quotation marks around a value, a period after it, escapes that JSON does not have.
pub fn spellings(text: &str) -> Vec<Spelling> {
    let mut found = Vec::new();
    let mut bare = vec![(text.to_owned(), Sure::Yes)];
    for _ in 0..3 {
        let more: Vec<_> = bare.iter().flat_map(|(text, _)| stripped(text)).collect();
        bare.extend(more.into_iter().map(|text| (text, Sure::Open)));
    }
    for (text, sure) in bare {
        if let Some(undone) = unescaped(&text, false) {
            found.push(Spelling { text: undone, sure });
        }
        if let Some(undone) = unescaped(&text, true) {
            found.push(Spelling { text: undone, sure: Sure::Open });
        }
        found.push(Spelling { text, sure });
    }
    found
}

fn stripped(text: &str) -> Vec<String> {
    let mut found = vec![text.trim().to_owned()];
    for (front, back) in [('`', '`'), ('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('«', '»')]
    {
        found.extend(text.strip_prefix(front).and_then(|text| text.strip_suffix(back)).map(str::to_owned));
    }
    found.extend(text.strip_suffix(['.', ',']).map(str::to_owned));
    found.retain(|other| other != text && !other.is_empty());
    found
}

/// Undoes the escapes of a JSON string; if `lenient`, a backslash before any other character stays.
fn unescaped(text: &str, lenient: bool) -> Option<String> {
    let mut undone = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            undone.push(c);
            continue;
        }
        match rest.next() {
            Some(c @ ('\\' | '/' | '"')) => undone.push(c),
            Some('n') if !lenient => undone.push('\n'),
            Some('t') if !lenient => undone.push('\t'),
            Some('r') if !lenient => undone.push('\r'),
            Some('b') if !lenient => undone.push('\u{8}'),
            Some('f') if !lenient => undone.push('\u{c}'),
            Some('u') if !lenient => {
                let digits: String = rest.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4)?;
                undone.push(char::from_u32(code)?);
            }
            Some(c) if lenient => undone.extend(['\\', c]),
            None if lenient => undone.push('\\'),
            _ => return None,
        }
    }
    (undone != text).then_some(undone)
}

pub fn nfc(text: &str) -> String {
    text.nfc().collect()
}

/// Compares texts letter by letter, ignoring case.
///
/// Open: letters beyond ASCII whose cases do not pair up. A letter of ASCII and one beyond it are equal only if NFC makes them equal.
pub fn same_letters(one: &str, other: &str) -> Sure {
    letter_by_letter(one, other).min(plain(one)).min(plain(other))
}

/// Checks for disguised letters. Open: a letter that NFC turns into ASCII, such as the Kelvin sign:
/// the contract names NFC, but it may be a disguise.
pub fn plain(text: &str) -> Sure {
    let disguised = text.chars().any(|c| !c.is_ascii() && nfc(&c.to_string()).is_ascii());
    if disguised { Sure::Open } else { Sure::Yes }
}

fn letter_by_letter(one: &str, other: &str) -> Sure {
    let (one, other): (Vec<_>, Vec<_>) = (one.nfc().collect(), other.nfc().collect());
    if one.len() != other.len() {
        return Sure::No;
    }
    one.into_iter().zip(other).map(|(a, b)| same_letter(a, b)).min().unwrap_or(Sure::Yes)
}

fn same_letter(a: char, b: char) -> Sure {
    let (lower, upper) = (|c: char| c.to_lowercase().to_string(), |c: char| c.to_uppercase().to_string());
    let pair = |small: char, big: char| upper(small) == big.to_string() && lower(big) == small.to_string();
    if a == b || a.eq_ignore_ascii_case(&b) {
        Sure::Yes
    } else if a.is_ascii() != b.is_ascii() {
        Sure::No
    } else if pair(a, b) || pair(b, a) {
        Sure::Yes
    } else if lower(a) == lower(b) || upper(a) == upper(b) {
        Sure::Open
    } else {
        Sure::No
    }
}

/// Compares Windows paths, ignoring letter case and slash direction.
///
/// Open: aliases of a drive (a drive letter for the root of a volume, `\\?\`, `\??\`), slashes at the ends, doubled slashes.
pub fn path(text: &str, value: &str) -> Sure {
    let (text, value) = (text.replace('/', "\\"), value.replace('/', "\\"));
    let same = same_letters(&text, &value);
    if same > Sure::No {
        return same;
    }
    let network = |path: &str| path.starts_with("\\\\") && !path.starts_with("\\\\?\\");
    if network(&text) != network(&value) && !rooted(&text).contains("\\\\") {
        return Sure::No;
    }
    same_letters(&rooted(&text), &rooted(&value)).min(Sure::Open)
}

fn rooted(path: &str) -> String {
    let mut path = path.to_owned();
    if path.as_bytes().get(2) == Some(&b':') {
        path = path.trim_start_matches('\\').to_owned();
    }
    for prefix in ["\\\\?\\", "\\??\\", "\\\\.\\"] {
        path = path.strip_prefix(prefix).map(str::to_owned).unwrap_or(path);
    }
    if path.as_bytes().get(1) == Some(&b':') && path.to_ascii_lowercase().starts_with('c') {
        path = path[2..].to_owned();
    }
    while path.contains("\\\\") {
        path = path.replace("\\\\", "\\");
    }
    path.trim_matches('\\').to_owned()
}

const HIVES: [(&str, &str); 5] = [
    ("HKLM", "HKEY_LOCAL_MACHINE"),
    ("HKU", "HKEY_USERS"),
    ("HKCU", "HKEY_CURRENT_USER"),
    ("HKCR", "HKEY_CLASSES_ROOT"),
    ("HKCC", "HKEY_CURRENT_CONFIG"),
];

/// Compares registry key paths, ignoring letter case; each root has two names.
///
/// Open: slash direction, because a key name may contain one; every other alias (`HKLM:`, `Computer\`, the hive below its mount point).
pub fn registry_path(text: &str, value: &str) -> Sure {
    let turned = text.replace('/', "\\");
    let same = same_letters(&long_root(text), &long_root(value));
    if same > Sure::No {
        return same;
    }
    let turned_same = same_letters(&long_root(&turned), &long_root(value));
    if turned_same > Sure::No {
        return Sure::Open;
    }
    let bare = |text: &str| {
        let text = text.replace('/', "\\").replace("\\\\", "\\").replace(":\\", "\\");
        let lower = text.to_ascii_lowercase();
        let text = if lower.starts_with("computer\\") { text[9..].to_owned() } else { text };
        long_root(text.trim_matches('\\'))
    };
    let (one, other) = (bare(text), bare(value));
    let below = |long: &str, short: &str| {
        let (long, short) = (long.to_ascii_lowercase(), short.to_ascii_lowercase());
        long.starts_with("hkey_") && !short.is_empty() && long.ends_with(&format!("\\{short}"))
    };
    if below(&one, &other) || below(&other, &one) {
        return Sure::Open;
    }
    same_letters(&one, &other).min(Sure::Open)
}

fn long_root(path: &str) -> String {
    let (root, rest) = path.split_once('\\').map_or((path, None), |(root, rest)| (root, Some(rest)));
    let hive = HIVES.iter().find(|(short, _)| short.eq_ignore_ascii_case(root));
    let root = hive.map_or(root, |(_, long)| long);
    rest.map_or(root.to_owned(), |rest| format!("{root}\\{rest}"))
}

/// Reads a number: decimal, or hexadecimal after `0x`.
pub fn number(text: &str) -> Option<i128> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((digits, 10), |digits| (digits, 16));
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    i128::from_str_radix(digits, radix).ok().map(|number| sign * number)
}

/// Returns whether the words are a span of the text, with word boundaries on both sides.
pub fn quoted(words: &str, text: &str) -> Sure {
    let known = plain(words).min(plain(text));
    let (words, text) = (nfc(words), nfc(text));
    if words.trim().is_empty() {
        return Sure::No;
    }
    let spans = text.match_indices(&words);
    let best = spans.map(|(at, _)| span(&text, at, at + words.len())).max().unwrap_or(Sure::No);
    let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Open: runs of white space.
    let loose = spaced(&text) != text || spaced(&words) != words;
    best.max(if loose && spaced(&text).contains(&spaced(&words)) { Sure::Open } else { Sure::No }).min(known)
}

/// Judges one span. Open: a boundary that is not white space; a span of few letters; a span from a sentence that is negated elsewhere;
/// white space at its ends.
fn span(text: &str, from: usize, to: usize) -> Sure {
    let (before, words, after) = (&text[..from], &text[from..to], &text[to..]);
    let (first, last) = (words.chars().next(), words.chars().next_back());
    let mut sure = boundary(&before.chars().rev().collect::<Vec<_>>(), first, false);
    sure = sure.min(boundary(&after.chars().collect::<Vec<_>>(), last, true));
    let negation = |text: &str| {
        let lower = text.to_lowercase();
        lower.contains("n't")
            || lower.split(|c: char| !c.is_alphanumeric()).any(|w| ["not", "no", "never"].contains(&w))
    };
    let few = words.chars().filter(|c| c.is_alphanumeric()).count() < 4;
    if few || negation(before) || negation(after) || words.trim() != words {
        sure.min(Sure::Open)
    } else {
        sure
    }
}

/// Returns whether a word can end between `inner` and the characters outside, nearest first.
///
/// There is no boundary before the rest of a path, because the words would be only its prefix; a path that is cut at its start is open.
fn boundary(outside: &[char], inner: Option<char>, after: bool) -> Sure {
    let (Some(next), Some(inner)) = (outside.first(), inner) else { return Sure::Yes };
    if next.is_whitespace() || inner.is_whitespace() {
        return Sure::Yes;
    }
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let number = inner.is_ascii_digit()
        && matches!(next, '.' | ',' | ':' | '-')
        && outside.get(1).is_some_and(char::is_ascii_digit);
    let goes_on = outside.get(1).is_some_and(|c| word(*c));
    let path = after && goes_on && word(inner) && matches!(next, '\\' | '/');
    if (word(*next) && word(inner)) || number || path { Sure::No } else { Sure::Open }
}
