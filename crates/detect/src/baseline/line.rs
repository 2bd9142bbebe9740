//! Command lines: a program and its arguments.
//!
//! For how Windows splits one, see Microsoft Learn, `CreateProcessW` (`lpCommandLine`).

/// The extensions of files that a command line starts or opens.
const ENDS: [&str; 12] =
    [".exe", ".sys", ".com", ".bat", ".cmd", ".dll", ".scr", ".vbs", ".ps1", ".msc", ".pif", ".js"];

/// A command line split into its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'t> {
    pub(super) program: &'t str,
    pub(super) arguments: &'t str,
    /// Whether it is written as installers write it.
    pub(super) is_plain: bool,
    /// Whether the program has a space but no quotation marks, so that it may also mean other programs.
    pub(super) has_blank: bool,
}

/// Splits a command line.
pub(super) fn split(line: &str) -> Line<'_> {
    let text = line.trim_start();
    let is_trimmed = text.len() == line.len() && text.trim_end().len() == text.len();
    let is_plain = |arguments: &str| {
        is_trimmed && (arguments.is_empty() || (arguments.starts_with(' ') && !arguments.starts_with("  ")))
    };
    if let Some(rest) = text.strip_prefix('"') {
        let (program, arguments) = rest.split_once('"').unwrap_or((rest, ""));
        let is_plain = is_plain(arguments) && rest.contains('"');
        return Line { program, arguments, is_plain, has_blank: false };
    }
    let (program, arguments) = text.split_at(end(text));
    let has_blank = program.contains(' ') || program.to_ascii_lowercase().starts_with("%programfiles");
    Line { program, arguments, is_plain: is_plain(arguments), has_blank }
}

/// Returns where the program ends at the beginning of a line without quotation marks.
fn end(text: &str) -> usize {
    let lower = text.to_ascii_lowercase();
    let ends = ENDS.iter().flat_map(|end| lower.match_indices(end).map(|(at, found)| at + found.len()));
    let is_end =
        |at: &usize| lower.get(*at..).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    let blank = || text.find([' ', '\t']).unwrap_or(text.len());
    ends.filter(is_end).min().unwrap_or_else(blank)
}

/// Returns the arguments, each with its quotation marks.
pub(super) fn words(arguments: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut begin, mut is_quoted) = (None, false);
    for (at, c) in arguments.char_indices() {
        if matches!(c, ' ' | '\t') && !is_quoted {
            if let Some(begin) = begin.take() {
                words.extend(arguments.get(begin..at));
            }
        } else {
            begin = begin.or(Some(at));
            is_quoted ^= c == '"';
        }
    }
    words.extend(begin.and_then(|begin| arguments.get(begin..)));
    words
}
