//! Typed commands recorded by PowerShell: the history of PSReadLine, and transcripts.
//!
//! Source of the formats: the documentation of PSReadLine (`HistorySavePath`) and of `Start-Transcript`. A
//! history has one command per line; in a multi-line command, each line except the last ends with a backtick.
//! Only transcripts have times, by the local clock.

use crate::civil_time::{self, CivilTime};
use crate::fields::Located;
use crate::text_lines::{Line, lines};

/// The most lines that are joined to one command.
const MOST: usize = 1000;

/// One command of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The number of its first line, from 1.
    pub line: u64,
    /// Its text; lines are separated by a line feed, and their backticks are removed.
    pub text: Located<String>,
}

/// Returns the commands of a history, in the order in which they were typed.
pub fn history(bytes: &[u8]) -> impl Iterator<Item = Command> + '_ {
    let mut all = lines(bytes).filter(|line| !line.text.value.trim().is_empty());
    std::iter::from_fn(move || {
        let Line { number, mut text, .. } = all.next()?;
        for _ in 0..MOST {
            let Some(begun) = text.value.strip_suffix('`').map(str::to_owned) else { break };
            let Some(more) = all.next() else { break };
            let end = more.text.offset + more.text.length;
            text = Located::new(format!("{begun}\n{}", more.text.value), text.offset, end - text.offset);
        }
        Some(Command { line: number, text })
    })
}

/// Checks whether a file that begins with `head` is a transcript, in any language.
///
/// It begins with a line of asterisks, and the account and the machine are named in the fourth line or the next ones.
pub fn is_transcript(head: &[u8]) -> bool {
    let mut all = lines(head).take(20);
    let stars = all.next().is_some_and(|line| rule(&line));
    stars && all.any(|line| line.text.value.contains("PSVersion") || line.text.value.contains("powershell"))
}

/// The header and the commands of a transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// When it began.
    pub start: Option<Located<CivilTime>>,
    /// The account.
    pub user: Option<Located<String>>,
    /// The account it ran as.
    pub run_as: Option<Located<String>>,
    /// The computer, with its Windows version.
    pub machine: Option<Located<String>>,
    /// The command line of PowerShell itself.
    pub host_application: Option<Located<String>>,
    /// Its process id.
    pub process_id: Option<Located<String>>,
    /// Commands typed at its prompt, or found after invocation headers.
    pub commands: Vec<TranscriptCommand>,
}

/// One command of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptCommand {
    /// Its line, from 1.
    pub line: u64,
    /// The command.
    pub text: Located<String>,
    /// When it was started, if invocation headers were enabled.
    pub time: Option<Located<CivilTime>>,
}

/// The most commands of one transcript that are read.
const COMMANDS: usize = 100_000;

/// Reads a transcript.
///
/// Field names in the header are in the system's language, so their meaning is taken from their position, and
/// from the words that are the same in every language.
pub fn transcript(bytes: &[u8]) -> Transcript {
    let mut found = Transcript::default();
    let (mut rules, mut field, mut time) = (0, 0, None);
    for line in lines(bytes) {
        if rule(&line) {
            rules += 1;
            continue;
        }
        if rules == 1 {
            field += 1;
            head(&line, field, &mut found);
        } else if let Some(start) = invoked(&line) {
            time = Some(start);
        } else if let Some(text) = prompt(&line) {
            if found.commands.len() >= COMMANDS {
                break;
            }
            found.commands.push(TranscriptCommand { line: line.number, text, time: time.take() });
        }
    }
    found
}

fn rule(line: &Line) -> bool {
    let text = line.text.value.trim();
    text.len() >= 10 && text.bytes().all(|byte| byte == b'*')
}

/// Reads a header line: 1 the title, 2 the start, 3 the account, 4 the account it runs as, then the
/// configuration, the machine and the program.
fn head(line: &Line, field: u32, found: &mut Transcript) {
    let Some((_, value)) = line.text.value.split_once(':') else { return };
    let value = value.trim();
    let Some(place) = line.place(value).filter(|place| !place.value.is_empty()) else { return };
    let time = civil_time::read_compact(value);
    match (field, time) {
        (_, Some(time)) if found.start.is_none() => {
            found.start = Some(Located::new(time, place.offset, place.length));
        }
        (3, _) => found.user = Some(place),
        (4, _) => found.run_as = Some(place),
        _ if value.contains("Microsoft Windows NT") => found.machine = Some(place),
        _ if value.to_ascii_lowercase().contains("powershell") && found.host_application.is_none() => {
            found.host_application = Some(place);
        }
        _ if found.host_application.is_some()
            && found.process_id.is_none()
            && value.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            found.process_id = Some(place);
        }
        _ => {}
    }
}

/// Reads a command's start time from the invocation header before it.
fn invoked(line: &Line) -> Option<Located<CivilTime>> {
    let (_, value) = line.text.value.split_once(':')?;
    let place = line.place(value.trim())?;
    let time = civil_time::read_compact(&place.value)?;
    Some(Located::new(time, place.offset, place.length))
}

/// Returns the text after the prompt, `PS C:\>` or `PS>`.
fn prompt(line: &Line) -> Option<Located<String>> {
    let text = line.text.value.strip_prefix("PS")?;
    let (folder, typed) = text.split_once('>')?;
    if !folder.is_empty() && !folder.starts_with(' ') {
        return None;
    }
    line.place(typed.trim()).filter(|place| !place.value.is_empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::windows_logs::TRANSCRIPT;

    #[test]
    fn commands_of_several_lines_are_one() {
        let bytes = b"\xEF\xBB\xBFGet-Item `\r\n  C:\\\r\n\r\nwhoami\r\n";
        let all: Vec<_> = history(bytes).collect();
        assert_eq!((all[0].line, all[0].text.value.as_str()), (1, "Get-Item \n  C:\\"));
        assert_eq!((all[1].line, all[1].text.value.as_str()), (4, "whoami"));
        assert_eq!(&bytes[all[1].text.offset..][..6], b"whoami");
    }

    #[test]
    fn a_transcript_tells_who_and_what() {
        assert!(is_transcript(TRANSCRIPT.as_bytes()) && !is_transcript(b"notes"));
        let found = transcript(TRANSCRIPT.as_bytes());
        assert_eq!(found.user.unwrap().value, "WKS-1\\ann");
        assert_eq!(found.start.unwrap().value.time, [1, 58, 40]);
        assert_eq!(found.process_id.unwrap().value, "4711");
        assert_eq!(found.commands[0].text.value, "whoami /all");
        assert_eq!(found.commands[0].time.clone().unwrap().value.raw, "20120404015900");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = (history(&bytes).count(), transcript(&[&b"**********\n"[..], &bytes].concat()));
        }
    }
}
