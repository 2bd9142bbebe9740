//! Making text of the evidence inert.

/// `text` as Markdown that shows exactly these characters: markup, cell borders, links and control characters are escaped.
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A colon and an at sign make bare links of addresses.
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | ':' | '@' => out.extend(['\\', c]),
            c => push_printable(&mut out, c),
        }
    }
    out
}

/// `text` on one line of a terminal: control characters and direction overrides are escaped.
pub fn terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push_printable(&mut out, c));
    out
}

fn push_printable(out: &mut String, c: char) {
    let overrides = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    match c.is_control() || overrides {
        true => out.extend(c.escape_unicode()),
        false => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        assert_eq!(markdown("a|b"), "a\\|b");
        assert_eq!(markdown("<script>"), "&lt;script&gt;");
        assert_eq!(markdown("[x](javascript:y)"), "\\[x\\](javascript\\:y)");
        assert_eq!(markdown("https://x"), "https\\://x");
        assert_eq!(terminal("a\u{1b}[31m\n\u{202e}b"), "a\\u{1b}[31m\\u{a}\\u{202e}b");
    }
}
