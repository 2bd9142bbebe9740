//! `MPLog-*.log`: what the engine of Windows Defender logs about its work, in UTC.
//!
//! Source of the format: observation, and descriptions of its lines by Microsoft and others; UTF-16LE with a
//! byte order mark.
//! Only lines about a detection, a file that was looked up or blocked, or a process whose scans took time are
//! read; there are many others.

use crate::civil_time::{self, CivilTime};
use crate::fields::Located;
use crate::text_lines::{Line, lines};

/// One line of a kind that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When it was written.
    pub time: Option<Located<CivilTime>>,
    /// The whole line.
    pub line: Located<String>,
    /// What the line says.
    pub told: Told,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A threat was reported.
    Detection {
        /// The words before the threat, such as `DETECTIONEVENT MPSOURCE_REALTIME`.
        event: Located<String>,
        /// The name of the threat.
        threat: Located<String>,
        /// The resource in which it was found, such as `file:C:\a.exe`.
        resource: Option<Located<String>>,
    },
    /// Scanning the files that a process touched took time.
    Impact {
        /// The program's name.
        program: Located<String>,
        /// Its process id.
        process_id: Option<Located<String>>,
        /// Number of scans.
        count: Option<Located<String>>,
        /// The file that took the longest.
        file: Option<Located<String>>,
    },
    /// A file was looked up by its digests.
    Lookup {
        /// The file.
        path: Located<String>,
        /// SHA-1 of its content.
        sha1: Option<Located<String>>,
        /// SHA-256 of its content.
        sha256: Option<Located<String>>,
    },
    /// A file was blocked from being opened.
    Blocked {
        /// The file.
        path: Located<String>,
        /// The process that tried to open it.
        process: Option<Located<String>>,
        /// The status that was returned.
        status: Option<Located<String>>,
    },
}

/// Returns the lines of the kinds that are read, in order.
pub fn entries(bytes: &[u8]) -> impl Iterator<Item = Entry> + '_ {
    lines(bytes).filter_map(|line| {
        let (time, rest) = time(&line);
        let told = detection(&line, rest)
            .or_else(|| impact(&line, rest))
            .or_else(|| lookup(&line, rest))
            .or_else(|| blocked(&line, rest))?;
        Some(Entry { time, told, line: line.text.clone() })
    })
}

fn time(line: &Line) -> (Option<Located<CivilTime>>, &str) {
    let text = line.text.value.as_str();
    let Some((first, rest)) = text.split_once(' ') else { return (None, text) };
    let found = civil_time::read(first).and_then(|time| {
        let place = line.place(first)?;
        Some(Located::new(time, place.offset, place.length))
    });
    if found.is_some() { (found, rest) } else { (None, text) }
}

/// Parses `DETECTIONEVENT MPSOURCE_REALTIME Threat:Win32/Name file:C:\a.exe;`: the threat is the word with a
/// colon and a slash before the resource.
fn detection(line: &Line, rest: &str) -> Option<Told> {
    let at = rest.find("DETECTION").filter(|at| *at < 4)?;
    let event = rest.get(at..)?;
    let (mut words, mut end) = (event, 0);
    loop {
        let word = words.split(' ').next().unwrap_or_default();
        if word.contains(':') && word.contains('/') {
            let resource = words.get(word.len()..)?.trim().trim_end_matches(';');
            return Some(Told::Detection {
                event: line.place(event.get(..end)?.trim_end())?,
                threat: line.place(word)?,
                resource: line.place(resource).filter(|found| !found.value.is_empty()),
            });
        }
        words = words.get(word.len() + 1..)?;
        end += word.len() + 1;
    }
}

fn impact(line: &Line, rest: &str) -> Option<Told> {
    let rest = rest.get(rest.find("ProcessImageName: ")?..)?;
    Some(Told::Impact {
        program: line.place(between(rest, "ProcessImageName: ", ',')?)?,
        process_id: between(rest, "Pid: ", ',').and_then(|value| line.place(value)),
        count: between(rest, "Count: ", ',').and_then(|value| line.place(value)),
        file: rest
            .split_once("MaxTimeFile: ")
            .map(|(_, file)| file.split_once(", EstimatedImpact").map_or(file, |(file, _)| file))
            .and_then(|value| line.place(value))
            .filter(|found| !found.value.is_empty()),
    })
}

fn lookup(line: &Line, rest: &str) -> Option<Told> {
    let (_, rest) = rest.split_once("SDN query for ")?;
    let path = rest.split_once(" (").map_or(rest, |(path, _)| path);
    Some(Told::Lookup {
        path: line.place(path).filter(|path| !path.value.is_empty())?,
        sha1: digest(rest, "sha1=", 40).and_then(|value| line.place(value)),
        sha256: digest(rest, "sha2=", 64).and_then(|value| line.place(value)),
    })
}

fn blocked(line: &Line, rest: &str) -> Option<Told> {
    let (_, rest) = rest.split_once("Blocked file(")?;
    let (_, rest) = rest.split_once(": ")?;
    let path = rest.split_once(". Process:").map_or(rest, |(path, _)| path);
    Some(Told::Blocked {
        path: line.place(path).filter(|path| !path.value.is_empty())?,
        process: rest
            .split_once("Process: ")
            .map(|(_, process)| process.split_once(", Status").map_or(process, |(process, _)| process))
            .and_then(|value| line.place(value)),
        status: between(rest, "Status: ", ',').and_then(|value| line.place(value)),
    })
}

fn digest<'a>(text: &'a str, name: &str, length: usize) -> Option<&'a str> {
    let (_, rest) = text.split_once(name)?;
    rest.get(..length).filter(|digest| digest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns the value after `name` up to `end`, or to the end of the text.
fn between<'a>(text: &'a str, name: &str, end: char) -> Option<&'a str> {
    let (_, rest) = text.split_once(name)?;
    let value = rest.split(end).next().unwrap_or(rest).trim();
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::{scheduled_task::utf16, windows_logs::DEFENDER};

    #[test]
    fn lines_that_tell_something_are_read() {
        let bytes = utf16(DEFENDER);
        let all: Vec<_> = entries(&bytes).collect();
        assert_eq!(all.len(), 4);
        let Told::Detection { event, threat, resource } = &all[0].told else { panic!("{:?}", all[0]) };
        assert_eq!(event.value, "DETECTIONEVENT MPSOURCE_REALTIME");
        assert_eq!(threat.value, "HackTool:Win32/Example");
        assert_eq!(resource.as_ref().unwrap().value, "file:C:\\Tools\\sync.exe");
        assert_eq!(all[0].time.as_ref().unwrap().value.offset, Some(0));
        let Told::Impact { program, file, .. } = &all[1].told else { panic!("{:?}", all[1]) };
        assert_eq!(
            (program.value.as_str(), file.as_ref().unwrap().value.as_str()),
            ("sync.exe", "\\Device\\HarddiskVolume2\\Tools\\a.dll")
        );
        assert_eq!(bytes[program.offset..][..4], *b"s\0y\0");
        let Told::Lookup { path, sha256, .. } = &all[2].told else { panic!("{:?}", all[2]) };
        assert_eq!((path.value.as_str(), sha256.is_some()), ("C:\\Tools\\sync.exe", true));
        let Told::Blocked { path, process, status } = &all[3].told else { panic!("{:?}", all[3]) };
        assert!(
            path.value.ends_with("\\sync.exe") && process.as_ref().unwrap().value.ends_with("explorer.exe")
        );
        assert_eq!(status.as_ref().unwrap().value, "0xc0000906");
    }

    proptest! {
        #[test]
        fn any_lines_are_read_without_panic(text in "(DETECTION|SDN query for |Blocked file\\(|ProcessImageName: )?[ -~ß:/(),.=]{0,60}") {
            let _ = entries(text.as_bytes()).count();
        }
    }
}
