//! Command lines: a program and its arguments.
//!
//! How Windows takes one apart: Microsoft Learn, `CreateProcessW` (`lpCommandLine`).

/// The ends of names of files that a command line starts or opens.
const ENDS: [&str; 12] =
    [".exe", ".sys", ".com", ".bat", ".cmd", ".dll", ".scr", ".vbs", ".ps1", ".msc", ".pif", ".js"];

/// A command line, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'t> {
    pub(super) program: &'t str,
    pub(super) arguments: &'t str,
    /// Whether it is written as installers write it.
    pub(super) is_plain: bool,
    /// Whether the program has a blank and no quotation marks, by which others than it may be meant, too.
    pub(super) has_blank: bool,
}

/// Takes a command line apart.
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

/// Where the program ends that a line without quotation marks begins with.
fn end(text: &str) -> usize {
    let lower = text.to_ascii_lowercase();
    let ends = ENDS.iter().flat_map(|end| lower.match_indices(end).map(|(at, found)| at + found.len()));
    let is_end =
        |at: &usize| lower.get(*at..).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    let blank = || text.find([' ', '\t']).unwrap_or(text.len());
    ends.filter(is_end).min().unwrap_or_else(blank)
}

/// The arguments, each with its quotation marks.
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
