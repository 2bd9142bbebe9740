//! Makes text inert.
//!
//! Text from evidence or a model is put into code spans (GitHub Flavored Markdown, §6.3), in which nothing is markup, a link or a mention.
//! Text from the case and agent files is prose with its markup escaped.

use graph::printable;

/// Returns `text` as escaped prose, without active markup, cell borders or links.
pub(crate) fn prose(text: &str) -> String {
    let text = printable(text);
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A renderer finds mentions and mail addresses in the finished text, whatever is escaped in its source; only code spans are exempt.
            '@' => {
                out.push_str("`@");
                while rest.next_if_eq(&'@').is_some() {
                    out.push('@');
                }
                out.push('`');
            }
            // A colon would turn an address into a bare link, and so would a dot after `www`.
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | ':' | '$' => out.extend(['\\', c]),
            '.' if out.ends_with(['w', 'W']) => out.push_str("\\."),
            c => out.push(c),
        }
    }
    out
}

/// Returns `text` as a code span outside tables, on one line.
pub(crate) fn code(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let text = printable(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    // Renderers strip one space on both sides; without it, a backtick would join the fence.
    let padded = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let blank = text.bytes().all(|byte| byte == b' ');
    match padded && !blank {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

/// Returns `text` as a code span in a table cell, where a border is escaped even in code (GitHub Flavored Markdown, §4.10).
pub(crate) fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// Returns `text` on one line for a terminal: characters that would move, hide or break text are escaped.
pub fn terminal(text: &str) -> String {
    printable(text)
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_stays_text() {
        assert_eq!(prose("a|b"), "a\\|b");
        assert_eq!(prose("<script>"), "&lt;script&gt;");
        assert_eq!(prose("[x](javascript:y)"), "\\[x\\](javascript\\:y)");
        assert_eq!(prose("https://x www.e"), "https\\://x www\\.e");
        assert_eq!(prose("`@@x a@b"), "\\``@@`x a`@`b");
        assert_eq!(terminal("a\u{1b}[31m\n\u{202e}b"), "a\\u{1b}[31m\\u{a}\\u{202e}b");
    }

    #[test]
    fn a_code_span_cannot_be_left() {
        assert_eq!(code("www.e @x"), "`www.e @x`");
        assert_eq!(code("a``b`c"), "```a``b`c```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code(" a"), "`  a `");
        assert_eq!(code("  "), "`  `");
        assert_eq!(code(""), "(empty)");
        assert_eq!(code("a\nb"), "`a\\u{a}b`");
        assert_eq!(cell("a|b\\|c"), "`a\\|b\\\\|c`");
    }
}
