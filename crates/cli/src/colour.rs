//! Colours levels in results on a terminal. Colour is never the only sign, because the level's name is always there.

use clap::ValueEnum;
use std::io::{self, IsTerminal};

/// When results are coloured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Wherever they go
    Always,
    /// Nowhere
    Never,
}

impl Colour {
    /// Whether output to standard output is coloured; see <https://no-color.org> for NO_COLOR.
    pub(crate) fn is_on(self) -> bool {
        #[expect(clippy::disallowed_methods, reason = "this crate alone reads the environment")]
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        match self {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => {
                let dumb = set("TERM").is_none_or(|term| term == "dumb");
                set("NO_COLOR").is_none() && !dumb && io::stdout().is_terminal()
            }
        }
    }
}

/// The levels and their colours, as SGR parameters of ECMA-48.
const LEVELS: [(&str, &str); 4] = [("critical", "1;31"), ("high", "31"), ("medium", "33"), ("low", "36")];

/// Colours the level at the start of each line that has one there, whether or not a count precedes it.
pub(crate) fn painted(text: &str) -> String {
    text.split_inclusive('\n').map(line).collect()
}

fn line(line: &str) -> String {
    let rest = line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
    let (before, _) = line.split_at(line.len() - rest.len());
    let level = LEVELS.iter().find_map(|(word, colour)| {
        // Two blanks separate columns; within a sentence, a word has only one after it.
        let after = rest.strip_prefix(word).filter(|after| after.starts_with("  "))?;
        Some(format!("{before}\x1b[{colour}m{word}\x1b[0m{after}"))
    });
    level.unwrap_or_else(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_level_of_a_column_is_coloured() {
        for (plain, coloured) in [
            ("  critical  when  what\n", "  \x1b[1;31mcritical\x1b[0m  when  what\n"),
            (
                "low       2025\nhigh      2025",
                "\x1b[36mlow\x1b[0m       2025\n\x1b[31mhigh\x1b[0m      2025",
            ),
            ("    12  medium    rule: note\n", "    12  \x1b[33mmedium\x1b[0m    rule: note\n"),
            ("high tides\n", "high tides\n"),
            ("critical,2025\n", "critical,2025\n"),
            ("a high  b\n", "a high  b\n"),
            ("", ""),
        ] {
            assert_eq!(painted(plain), coloured);
        }
    }
}
