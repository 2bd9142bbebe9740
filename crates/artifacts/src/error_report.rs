//! `Report.wer`: what Windows Error Reporting records about a crash, a hang or another problem.
//!
//! Source of the format: observation of files of Windows 7 to 11 and the documentation of Windows Error
//! Reporting; lines `name=value`, UTF-16LE with a byte order mark.

use crate::fields::Located;
use crate::registry::Filetime;
use crate::text_lines::{Line, lines};

/// The most entries of one list that are kept.
const MOST: usize = 1000;

/// The content of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The kind of problem, such as `APPCRASH`.
    pub event_type: Option<Located<String>>,
    /// When it happened.
    pub time: Option<Located<Filetime>>,
    /// The program.
    pub app_name: Option<Located<String>>,
    /// Its path.
    pub app_path: Option<Located<String>>,
    /// The name that Windows gives this kind of problem.
    pub friendly_name: Option<Located<String>>,
    /// The identifier of the report.
    pub id: Option<Located<String>>,
    /// The parameters of the problem, each as `name=value`, or just its value.
    pub signature: Vec<String>,
    /// Paths of loaded modules.
    pub modules: Vec<String>,
}

/// Kinds of problems that a running process has.
const OF_PROCESSES: [&str; 10] = [
    "APPCRASH",
    "BEX",
    "BEX64",
    "CLR20R3",
    "APPHANGB1",
    "APPHANGXPROCB1",
    "INPAGEERROR",
    "MOAPPCRASH",
    "MOAPPHANG",
    "MOBEX",
];

impl Report {
    /// Checks whether the report is about a process, which means that its program ran.
    pub fn is_of_process(&self) -> bool {
        let kind = self.event_type.as_ref().map(|kind| kind.value.to_ascii_uppercase());
        kind.is_some_and(|kind| OF_PROCESSES.contains(&kind.as_str()))
    }
}

/// Checks whether a file that begins with `head` is a report.
pub fn fits(head: &[u8]) -> bool {
    let mut first = lines(head).take(4);
    first.next().is_some_and(|line| line.text.value.starts_with("Version="))
        && first.any(|line| line.text.value.starts_with("EventType="))
}

/// Reads a report.
pub fn read(bytes: &[u8]) -> Report {
    let mut report = Report::default();
    let mut names: Vec<(String, String)> = Vec::new();
    for line in lines(bytes) {
        let Some((name, value)) = line.text.value.split_once('=') else { continue };
        let place = || line.place(value).filter(|place| !place.value.is_empty());
        match name {
            "EventType" => report.event_type = place(),
            "EventTime" => report.time = ticks(&line, value),
            "AppName" => report.app_name = place(),
            "AppPath" => report.app_path = place(),
            "FriendlyEventName" => report.friendly_name = place(),
            "ReportIdentifier" => report.id = place(),
            _ if name.starts_with("LoadedModule[") && report.modules.len() < MOST => {
                report.modules.push(value.to_owned());
            }
            _ if name.starts_with("Sig[") || name.starts_with("DynamicSig[") => {
                signature(name, value, &mut names, &mut report.signature);
            }
            _ => {}
        }
    }
    report
}

/// `Sig[0].Name=` is followed by `Sig[0].Value=`.
fn signature(name: &str, value: &str, names: &mut Vec<(String, String)>, found: &mut Vec<String>) {
    if found.len() >= MOST || names.len() >= MOST {
        return;
    }
    if let Some(of) = name.strip_suffix(".Name") {
        names.push((of.to_owned(), value.to_owned()));
    } else if let Some(of) = name.strip_suffix(".Value") {
        let named = names.iter().rev().find(|(known, _)| known == of);
        found.push(named.map_or_else(|| value.to_owned(), |(_, name)| format!("{name}={value}")));
    }
}

fn ticks(line: &Line, value: &str) -> Option<Located<Filetime>> {
    let place = line.place(value)?;
    Some(Located::new(Filetime(value.trim().parse().ok()?), place.offset, place.length))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::{scheduled_task::utf16, windows_logs::REPORT};

    #[test]
    fn a_report_tells_what_crashed_and_when() {
        let bytes = utf16(REPORT);
        assert!(fits(&bytes));
        let report = read(&bytes);
        let path = report.app_path.clone().unwrap();
        assert_eq!(path.value, "C:\\Tools\\sync.exe");
        assert_eq!(bytes[path.offset..][..2], *b"C\0");
        assert_eq!(report.time.clone().unwrap().value, Filetime(129_779_783_208_392_490));
        assert_eq!(report.signature, ["Application Name=sync.exe"]);
        assert_eq!(report.modules.len(), 1);
        assert!(report.is_of_process());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = (fits(&bytes), read(&bytes));
        }
    }
}
