//! Commands that begin with a slash: each does what a command of the program does, over the run of the session.

use crate::arguments::Arguments;
use clap::Parser;
use std::path::Path;

/// A command.
pub(super) struct SlashCommand {
    pub(super) name: &'static str,
    /// What stands behind it.
    behind: &'static str,
    about: &'static str,
    does: Does,
}

/// What a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Help,
    Quit,
    Open,
    Facts,
    Why,
    Graph,
    Timeline,
    Audit,
    Memory,
    Report,
}

/// Every command.
pub(super) const COMMANDS: [SlashCommand; 10] = [
    command("/help", "", "this list", Does::Help),
    command("/facts", "[OPTIONS]", "the facts so far (locard facts)", Does::Facts),
    command("/why", "FACT", "one fact with its proof", Does::Why),
    command("/graph", "[QUESTION] [X]", "how things are connected (locard graph)", Does::Graph),
    command("/timeline", "[X]", "what is recorded of X, or of each host, by time", Does::Timeline),
    command("/audit", "[OPTIONS]", "calls, refusals and cost (locard audit)", Does::Audit),
    command("/memory", "[list|search|show]", "lessons of earlier runs (locard memory)", Does::Memory),
    command("/report", "[OPTIONS]", "the report (locard report); -o FILE writes it", Does::Report),
    command("/open", "[CASE|RUN]", "what is open; or seal this run, open another", Does::Open),
    command("/quit", "", "seal the run and leave, like Ctrl-D", Does::Quit),
];

const fn command(name: &'static str, behind: &'static str, about: &'static str, does: Does) -> SlashCommand {
    SlashCommand { name, behind, about, does }
}

/// The questions of `locard graph`: a word that is none of them is asked about as `node`.
const QUESTIONS: [&str; 10] = [
    "summary",
    "node",
    "neighbours",
    "path",
    "where-else",
    "timeline",
    "story",
    "hubs",
    "islands",
    "contradictions",
];

/// The command of a line, and the words behind it; what is wrong with it otherwise.
pub(super) fn read(line: &str) -> Result<(Does, Vec<String>), String> {
    let mut words = words(line)?.into_iter();
    let name = words.next().unwrap_or_default();
    let mut fitting = COMMANDS.iter().filter(|it| it.name == name);
    let found = fitting.next().or_else(|| {
        let mut begun = COMMANDS.iter().filter(|it| name.len() > 1 && it.name.starts_with(&name));
        begun.next().filter(|_| begun.next().is_none())
    });
    match found {
        Some(command) => Ok((command.does, words.collect())),
        None => Err(format!("there is no {name}; /help lists the commands")),
    }
}

/// The words of a line; quotation marks hold one together.
fn words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut open) = (Vec::new(), None::<String>, None);
    for letter in line.trim().chars() {
        match (open, letter) {
            (Some(mark), letter) if letter == mark => open = None,
            (None, '"' | '\'') => {
                open = Some(letter);
                word.get_or_insert_default();
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    match open {
        Some(mark) => Err(format!("a {mark} is not closed")),
        None => Ok(words),
    }
}

/// The list of the commands.
pub(super) fn help() -> String {
    let mut out = String::from("Type a question in English or German, or a command:\n");
    for it in &COMMANDS {
        let typed = format!("{} {}", it.name, it.behind);
        out.push_str(&format!("  {typed:<28} {}\n", it.about));
    }
    out.push_str("A question may refer to the last one: \"and before that?\", \"no, the other user\".\n");
    out
}

/// The arguments of the commands of the program that a command is, over a run.
///
/// # Errors
///
/// Says what is wrong with them.
pub(super) fn arguments(
    does: Does,
    words: &[String],
    run: &Path,
    hosts: &[String],
) -> Result<Vec<Arguments>, String> {
    let run = run.to_string_lossy().into_owned();
    let with = |begin: &[&str], words: &[String]| -> Vec<String> {
        begin.iter().map(|it| (*it).to_owned()).chain(words.iter().cloned()).collect()
    };
    let lines: Vec<Vec<String>> = match does {
        Does::Help | Does::Quit | Does::Open => Vec::new(),
        Does::Facts => vec![with(&["facts", &run], words)],
        Does::Why => match words {
            [fact] => vec![with(&["facts", &run, "--id", fact], &[])],
            _ => return Err("/why takes the id of one fact; /facts lists them".to_owned()),
        },
        Does::Graph => match words.first() {
            Some(first) if !QUESTIONS.contains(&first.as_str()) && !first.starts_with('-') => {
                vec![with(&["graph", &run, "node"], words)]
            }
            _ => vec![with(&["graph", &run], words)],
        },
        Does::Timeline if words.is_empty() => {
            hosts.iter().map(|host| with(&["graph", &run, "timeline", host], &[])).collect()
        }
        Does::Timeline => vec![with(&["graph", &run, "timeline"], words)],
        Does::Audit => vec![with(&["audit", &run, "--no-state"], words)],
        Does::Memory if words.is_empty() => vec![with(&["memory", "list"], &[])],
        Does::Memory => match words.first().map(String::as_str) {
            Some("list" | "search" | "show") => vec![with(&["memory"], words)],
            _ => return Err("/memory takes list, search WORDS or show ID".to_owned()),
        },
        Does::Report => vec![with(&["report", &run], words)],
    };
    lines.into_iter().map(parsed).collect()
}

fn parsed(words: Vec<String>) -> Result<Arguments, String> {
    let all = std::iter::once("locard".to_owned()).chain(words);
    Arguments::try_parse_from(all).map_err(|error| error.render().to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Vec<Arguments>, String> {
        let (does, words) = read(line)?;
        arguments(does, &words, Path::new("runs/r"), &["a".to_owned(), "b".to_owned()])
    }

    #[test]
    fn commands_are_read_with_their_words_and_beginnings() {
        assert_eq!(read("/why fact-1").unwrap(), (Does::Why, vec!["fact-1".to_owned()]));
        assert_eq!(read("  /facts --text 'two words' ").unwrap().1, ["--text", "two words"]);
        assert_eq!(read("/tim").unwrap().0, Does::Timeline);
        for wrong in ["/", "/nothing", "/graph \"open"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_command_but_those_of_the_console_is_one_of_the_program() {
        for (line, commands) in [
            ("/facts --text x", 1),
            ("/why fact-1", 1),
            ("/graph", 1),
            ("/graph mara", 1),
            ("/graph path mara bob", 1),
            ("/timeline", 2),
            ("/timeline mara", 1),
            ("/audit", 1),
            ("/memory", 1),
            ("/memory search hive", 1),
            ("/report -o r.html", 1),
            ("/help", 0),
            ("/open", 0),
            ("/quit", 0),
        ] {
            assert_eq!(of(line).unwrap().len(), commands, "{line}");
        }
        for wrong in ["/why", "/why a b", "/memory forget --all", "/facts --nothing", "/facts --runs"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_help_names_each_command_in_lines_that_fit() {
        let help = help();
        assert!(COMMANDS.iter().all(|it| help.contains(it.name)));
        assert!(help.lines().all(|line| line.chars().count() <= 79) && help.lines().count() <= 24);
    }
}
