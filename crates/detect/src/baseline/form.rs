//! Forms of names: text in which `<word>` means a part that differs from computer to computer.
//!
//! Each matches little: no form matches a path separator, a space or a quotation mark.

/// A word in angle brackets, and the characters that it matches.
type Part = (&'static str, fn(char) -> bool);

const PARTS: [Part; 6] = [
    ("<guid>", |c| c.is_ascii_hexdigit() || matches!(c, '-' | '{' | '}')),
    ("<hex>", |c| c.is_ascii_hexdigit()),
    ("<number>", |c| c.is_ascii_digit()),
    ("<version>", |c| c.is_ascii_digit() || c == '.' || c == '-'),
    ("<sid>", |c| c.is_ascii_digit() || matches!(c, 'S' | 's' | '-')),
    ("<word>", |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')),
];

/// Checks whether every part in angle brackets is known.
pub(super) fn is_known(form: &str) -> bool {
    let rest = PARTS.iter().fold(form.to_owned(), |form, (name, _)| form.replace(name, ""));
    !rest.contains(['<', '>'])
}

/// Checks whether the form matches only one text.
pub(super) fn is_plain(form: &str) -> bool {
    !form.contains('<')
}

/// Checks whether the whole text has the form;
/// only ASCII letter case is ignored, because other letters that look the same are different to Windows.
pub(super) fn fits(form: &str, text: &str) -> bool {
    let Some(begin) = form.find('<') else { return form.eq_ignore_ascii_case(text) };
    let (fixed, rest) = form.split_at(begin);
    let Some(text) = starts(text, fixed) else { return false };
    let Some((name, takes)) = PARTS.iter().find(|(name, _)| rest.starts_with(name)) else { return false };
    let rest = rest.get(name.len()..).unwrap_or_default();
    let taken = text.chars().take_while(|c| takes(*c)).count();
    // The matched part is ASCII, so its characters are bytes. `..` is not a version.
    (1..=taken).rev().any(|end| {
        let (part, behind) = text.split_at(end);
        !part.contains("..") && !part.starts_with('.') && !part.ends_with('.') && fits(rest, behind)
    })
}

/// Returns what follows `begin`.
fn starts<'t>(text: &'t str, begin: &str) -> Option<&'t str> {
    let head = text.get(..begin.len())?;
    head.eq_ignore_ascii_case(begin).then(|| text.get(begin.len()..)).flatten()
}
