//! A claimed text, and what the agent may have meant by writing it so.

use crate::fold::{self, Key};
use crate::typed::{self, Instant};
use ledger::value::read_whole_number;
use std::cell::OnceCell;
use std::net::Ipv6Addr;
use unicode_normalization::UnicodeNormalization;

/// A claimed text with its other forms, each computed when a field first needs it.
///
/// White space, quotation marks and escapes are undone here, on the claim's side only; the evidence is compared as it is.
#[derive(Debug)]
pub(crate) struct Needle<'r> {
    raw: &'r str,
    others: OnceCell<Vec<String>>,
    spellings: OnceCell<Vec<String>>,
    texts: OnceCell<Vec<String>>,
    names: OnceCell<Vec<String>>,
    paths: OnceCell<Vec<String>>,
    keys: OnceCell<Vec<Key>>,
    instant: OnceCell<Option<Instant>>,
    number: OnceCell<Option<i128>>,
    size: OnceCell<Option<i128>>,
    address: OnceCell<Option<Ipv6Addr>>,
}

impl<'r> Needle<'r> {
    pub(crate) fn new(raw: &'r str) -> Needle<'r> {
        Needle {
            raw,
            others: OnceCell::new(),
            spellings: OnceCell::new(),
            texts: OnceCell::new(),
            names: OnceCell::new(),
            paths: OnceCell::new(),
            keys: OnceCell::new(),
            instant: OnceCell::new(),
            number: OnceCell::new(),
            size: OnceCell::new(),
            address: OnceCell::new(),
        }
    }

    /// Returns the text as the agent wrote it.
    pub(crate) fn raw(&self) -> &'r str {
        self.raw
    }

    /// Returns the text as written, then its other forms.
    pub(crate) fn forms(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.raw)
            .chain(self.others.get_or_init(|| other_forms(self.raw)).iter().map(String::as_str))
    }

    /// Returns all forms, folded as texts.
    pub(crate) fn texts(&self) -> &[String] {
        self.texts.get_or_init(|| self.forms().map(fold::text).collect())
    }

    /// Returns all forms, folded as names.
    pub(crate) fn names(&self) -> &[String] {
        self.names.get_or_init(|| self.plain().map(fold::name).collect())
    }

    /// Returns the forms that can be names: undoing an escape never adds a control character to a name.
    fn plain(&self) -> impl Iterator<Item = &str> {
        let controls = |text: &str| text.chars().any(char::is_control);
        let raw = controls(self.raw);
        self.forms().filter(move |form| raw || !controls(form))
    }

    /// Returns all forms, folded as file paths.
    pub(crate) fn paths(&self) -> &[String] {
        self.paths.get_or_init(|| {
            // The root of the evidence may be written first: `/Users` means `Users` there.
            let below = |form: &str| {
                let rest = form.strip_prefix(['/', '\\'])?;
                (!rest.is_empty() && !rest.starts_with(['/', '\\'])).then(|| fold::path(rest))
            };
            // A copied volume is often in a folder named like its drive: `C:\Users` is `C/Users` there.
            let drive = |form: &str| match form.split_at_checked(2) {
                Some((drive, rest))
                    if drive.ends_with(':') && rest.starts_with(['/', '\\']) && rest.len() > 1 =>
                {
                    Some(fold::path(&[drive.trim_end_matches(':'), rest].concat()))
                }
                _ => None,
            };
            let forms = self
                .plain()
                .flat_map(|form| [Some(fold::path(form)), below(form), drive(fold::without_device(form))]);
            forms.flatten().collect()
        })
    }

    /// Returns all forms, folded as registry key paths.
    pub(crate) fn keys(&self) -> &[Key] {
        self.keys.get_or_init(|| self.plain().flat_map(Key::of_claim).collect())
    }

    /// Returns the instant that the text states.
    pub(crate) fn instant(&self) -> Option<Instant> {
        *self.instant.get_or_init(|| self.forms().find_map(Instant::read))
    }

    /// Returns the whole number that the text states.
    pub(crate) fn number(&self) -> Option<i128> {
        *self.number.get_or_init(|| self.forms().find_map(read_whole_number))
    }

    /// Returns the number of bytes that the text states, with or without a unit.
    pub(crate) fn size(&self) -> Option<i128> {
        *self.size.get_or_init(|| self.number().or_else(|| self.forms().find_map(typed::bytes)))
    }

    /// Returns the IPv6 address that the text states: one address has many spellings (RFC 5952).
    pub(crate) fn address(&self) -> Option<Ipv6Addr> {
        *self.address.get_or_init(|| self.forms().find_map(typed::address))
    }

    /// Returns the text as written and its other forms, composed and decomposed: a quoted text contains one of them.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &str> {
        let others = |form: &str| {
            let folded = || [form.nfc().collect(), form.nfd().collect::<String>()];
            (!form.is_ascii() && !fold::is_disguised(form)).then(folded).into_iter().flatten()
        };
        let spelled = |form| std::iter::once(str::to_owned(form)).chain(others(form));
        self.spellings.get_or_init(|| self.forms().flat_map(spelled).collect()).iter().map(String::as_str)
    }

    /// Checks whether the text states a date and time without a zone.
    pub(crate) fn is_zoneless(&self) -> bool {
        self.forms().any(typed::is_zoneless)
    }
}

/// Returns the forms besides the text as written: trimmed, without quotation marks, and each of these unescaped.
fn other_forms(raw: &str) -> Vec<String> {
    // Only the white space that keyboards produce is trimmed: any other space is part of a name that pretends to be another.
    let trimmed = raw.trim_ascii();
    let bare = unquote(trimmed);
    let mut forms: Vec<String> = Vec::new();
    let plain = [trimmed, bare].map(|text| Some(text.to_owned()));
    for form in plain.into_iter().chain([raw, trimmed, bare].map(unescape)).flatten() {
        if !form.trim().is_empty() && form != raw && !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// Removes one pair of quotation marks around `text`.
fn unquote(text: &str) -> &str {
    let inside = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    ['"', '\'', '`'].into_iter().find_map(inside).unwrap_or(text)
}

/// Undoes the escapes of JSON (RFC 8259 section 7) and of our own rejections.
///
/// `None` if there are none, or if a backslash starts no escape.
fn unescape(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escaped) = rest.split_at(at);
        out.push_str(before);
        let mut chars = escaped.strip_prefix('\\')?.chars();
        match chars.next()? {
            plain @ ('\\' | '"' | '\'' | '/') => out.push(plain),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            '0' => out.push('\0'),
            'u' => {
                let (character, after) = code_point(chars.as_str())?;
                out.push(character);
                rest = after;
                continue;
            }
            _ => return None,
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    Some(out)
}

/// Reads what follows `\u`: four hex digits, a surrogate pair, or hex digits in braces; also returns the rest.
fn code_point(text: &str) -> Option<(char, &str)> {
    if let Some(braced) = text.strip_prefix('{') {
        let (digits, rest) = braced.split_once('}')?;
        let short = digits.len() <= 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| short)?;
        return Some((char::from_u32(code)?, rest));
    }
    let (first, rest) = code_unit(text)?;
    if let Some(character) = char::from_u32(first.into()) {
        return Some((character, rest));
    }
    let (second, rest) = code_unit(rest.strip_prefix("\\u")?)?;
    let character = char::decode_utf16([first, second]).next()?.ok()?;
    Some((character, rest))
}

/// Reads four hex digits.
fn code_unit(text: &str) -> Option<(u16, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    let unit = u16::from_str_radix(digits, 16).ok().filter(|_| hex)?;
    Some((unit, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_only_where_every_backslash_starts_one() {
        assert_eq!(unescape(r"C:\\Windows").as_deref(), Some(r"C:\Windows"));
        assert_eq!(unescape(r"caf\u00e9 \ud83d\ude00 \u{e9}").as_deref(), Some("café 😀 é"));
        assert_eq!(unescape(r#"say \"hi\"\n"#).as_deref(), Some("say \"hi\"\n"));
        for broken in [r"C:\Windows", r"end\", r"\ud83d", r"\u12", r"\u+123", "plain"] {
            assert_eq!(unescape(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_text_of_nothing_but_quotation_marks_has_no_empty_form() {
        assert!(Needle::new("\"\"").forms().all(|form| !form.is_empty()));
    }

    #[test]
    fn quotation_marks_and_escapes_are_undone_together() {
        let needle = Needle::new(" \"C:\\\\Temp\" ");
        assert!(needle.forms().any(|form| form == r"C:\Temp"));
    }
}
