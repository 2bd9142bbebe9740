//! Forms of names: text in which `<word>` stands for a part that differs from computer to computer.
//!
//! Each stands for little: no form takes a separator of paths, a blank or a quotation mark.

/// What may stand in angle brackets, and the characters that it takes.
type Part = (&'static str, fn(char) -> bool);

const PARTS: [Part; 6] = [
    ("<guid>", |c| c.is_ascii_hexdigit() || matches!(c, '-' | '{' | '}')),
    ("<hex>", |c| c.is_ascii_hexdigit()),
    ("<number>", |c| c.is_ascii_digit()),
    ("<version>", |c| c.is_ascii_digit() || c == '.' || c == '-'),
    ("<sid>", |c| c.is_ascii_digit() || matches!(c, 'S' | 's' | '-')),
    ("<word>", |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')),
];

/// Whether each part in angle brackets of the form is one that is known.
pub(super) fn is_known(form: &str) -> bool {
    let rest = PARTS.iter().fold(form.to_owned(), |form, (name, _)| form.replace(name, ""));
    !rest.contains(['<', '>'])
}

/// Whether the form takes one text only.
pub(super) fn is_plain(form: &str) -> bool {
    !form.contains('<')
}

/// Whether the whole text has the form; case of ASCII letters aside, for no other letter is the same to Windows and looks it.
pub(super) fn fits(form: &str, text: &str) -> bool {
    let Some(begin) = form.find('<') else { return form.eq_ignore_ascii_case(text) };
    let (fixed, rest) = form.split_at(begin);
    let Some(text) = starts(text, fixed) else { return false };
    let Some((name, takes)) = PARTS.iter().find(|(name, _)| rest.starts_with(name)) else { return false };
    let rest = rest.get(name.len()..).unwrap_or_default();
    let taken = text.chars().take_while(|c| takes(*c)).count();
    // What is taken is ASCII: its characters are bytes. `..` is no version.
    (1..=taken).rev().any(|end| {
        let (part, behind) = text.split_at(end);
        !part.contains("..") && !part.starts_with('.') && !part.ends_with('.') && fits(rest, behind)
    })
}

/// What follows `begin`.
fn starts<'t>(text: &'t str, begin: &str) -> Option<&'t str> {
    let head = text.get(..begin.len())?;
    head.eq_ignore_ascii_case(begin).then(|| text.get(begin.len()..)).flatten()
}
