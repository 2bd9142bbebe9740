//! Sections of `setupapi.dev.log`, `setupapi.app.log` and similar files: what SetupAPI did with devices and drivers.
//!
//! Source of the format: Microsoft, "SetupAPI Text Logs": a section begins with `>>>  [title - instance]` and
//! `>>>  Section start time`, and ends with `<<<  Section end time` and `<<<  [Exit status: …]`. Times are
//! local.
//! `setupapi.log` of Windows XP has another form: `[2004/08/04 12:00:00 1234.5 title]` before the lines of a section.

use crate::civil_time::{self, CivilTime};
use crate::fields::Located;
use crate::text_lines::{Line, lines};

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// What was done.
    pub title: Option<Located<String>>,
    /// The device, driver file or package concerned.
    pub target: Option<Located<String>>,
    /// When it began.
    pub start: Option<Located<CivilTime>>,
    /// When it ended.
    pub end: Option<Located<CivilTime>>,
    /// How it ended.
    pub status: Option<Located<String>>,
    /// The program that requested it, with its arguments.
    pub command: Option<Located<String>>,
    /// The location of the section.
    pub at: Located<()>,
}

impl Section {
    fn begun(line: &Line) -> Section {
        let at = Located::new((), line.text.offset, line.text.length);
        Section { title: None, target: None, start: None, end: None, status: None, command: None, at }
    }
}

/// Checks whether a file that begins with `head` is such a log.
pub fn fits(head: &[u8]) -> bool {
    let mut all = lines(head).filter(|line| !line.text.value.trim().is_empty());
    all.next().is_some_and(|line| {
        let text = line.text.value.trim();
        matches!(text, "[Device Install Log]" | "[SetupAPI Log]" | "[Setup Log]" | "[BeginLog]")
            || text.starts_with(">>>  [")
            || old_title(&line).is_some()
    })
}

/// Returns the sections in the order in which they begin.
pub fn sections(bytes: &[u8]) -> impl Iterator<Item = Section> + '_ {
    let mut all = lines(bytes);
    let mut open: Option<Section> = None;
    let mut ended = false;
    std::iter::from_fn(move || {
        for line in all.by_ref() {
            let begun = title(&line).or_else(|| old_title(&line));
            if begun.is_some() || (ended && line.text.value.trim().is_empty()) {
                ended = false;
                let done = std::mem::replace(&mut open, begun);
                if done.is_some() {
                    return done;
                }
                continue;
            }
            if let Some(section) = &mut open {
                ended |= take(section, &line);
            }
        }
        open.take()
    })
}

/// Parses `>>>  [title - target]`.
fn title(line: &Line) -> Option<Section> {
    let text = line.text.value.strip_prefix(">>>")?.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (title, target) = match text.split_once(" - ") {
        Some((title, target)) => (title, line.place(target)),
        None => (text, None),
    };
    Some(Section { title: line.place(title), target, ..Section::begun(line) })
}

/// Parses `[2004/08/04 12:00:00 1234.5 title]`.
fn old_title(line: &Line) -> Option<Section> {
    let text = line.text.value.strip_prefix('[')?.strip_suffix(']')?;
    let start = text.get(..19)?;
    let time = civil_time::read(start)?;
    let (_, title) = text.get(20..)?.split_once(' ')?;
    let place = line.place(start)?;
    Some(Section {
        title: line.place(title),
        start: Some(Located::new(time, place.offset, place.length)),
        ..Section::begun(line)
    })
}

/// Reads what a line says about the section; true for its last line.
fn take(section: &mut Section, line: &Line) -> bool {
    let text = line.text.value.as_str();
    section.at.length = (line.text.offset + line.text.length).saturating_sub(section.at.offset);
    let time = |value: &str| {
        let place = line.place(value.trim())?;
        Some(Located::new(civil_time::read(&place.value)?, place.offset, place.length))
    };
    if let Some(value) = text.strip_prefix(">>>").and_then(|rest| rest.trim().strip_prefix("Section start")) {
        section.start = section.start.take().or_else(|| time(value));
    } else if let Some(rest) = text.strip_prefix("<<<").map(str::trim) {
        if let Some(value) = rest.strip_prefix("Section end") {
            section.end = time(value);
        }
        if let Some(value) = rest.strip_prefix("[Exit status:").and_then(|rest| rest.strip_suffix(']')) {
            section.status = line.place(value.trim());
            return true;
        }
    } else if let Some(value) = text.trim_start().strip_prefix("cmd:") {
        section.command = section.command.take().or_else(|| line.place(value.trim()));
    } else if text.starts_with('#') {
        old_line(section, line);
    }
    false
}

/// Reads lines of `setupapi.log`: the command line, and the device that was installed.
fn old_line(section: &mut Section, line: &Line) {
    let text = line.text.value.as_str();
    if let Some((_, value)) = text.split_once(" processing a driver install request for ") {
        section.target = line.place(value);
    }
    if let Some((_, value)) = text.split_once("Device install of \"") {
        let (device, rest) = value.split_once('"').unwrap_or((value, ""));
        section.target = line.place(device);
        section.status = line.place(rest.trim().trim_end_matches('.'));
    }
    if let Some((_, value)) = text.split_once("Command line processed: ") {
        section.command = line.place(value);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::windows_logs::SETUP;

    #[test]
    fn a_section_tells_device_times_and_end() {
        assert!(fits(SETUP.as_bytes()) && !fits(b"notes\r\n"));
        let all: Vec<_> = sections(SETUP.as_bytes()).collect();
        assert_eq!(all.len(), 2);
        let first = &all[0];
        assert_eq!(first.title.clone().unwrap().value, "Device Install (Hardware initiated)");
        assert_eq!(first.target.clone().unwrap().value, "USBSTOR\\Disk&Ven_Acme&Prod_Stick\\0123&0");
        assert_eq!(first.start.clone().unwrap().value.raw, "2012/04/04 01:58:40.839");
        assert_eq!(first.end.clone().unwrap().value.time, [1, 58, 41]);
        assert_eq!(first.status.clone().unwrap().value, "SUCCESS");
        assert!(all[1].end.is_none());
    }

    #[test]
    fn a_section_of_windows_xp_is_read_too() {
        let text = b"[SetupAPI Log]\r\nOS Version = 5.1\r\n[2004/08/04 12:00:01 848.4 Driver Install]\r\n\
            #-019 Searching\r\n#I121 Device install of \"USBSTOR\\DISK\\1&0\" finished successfully.\r\n";
        let all: Vec<_> = sections(text).collect();
        assert_eq!(all[0].title.clone().unwrap().value, "Driver Install");
        assert_eq!(all[0].target.clone().unwrap().value, "USBSTOR\\DISK\\1&0");
        assert_eq!(all[0].status.clone().unwrap().value, "finished successfully");
    }

    proptest! {
        #[test]
        fn any_lines_are_read_without_panic(text in "([\\[\\]<># :/0-9a-zß-]{0,30}\n){0,20}") {
            let bytes = text.into_bytes();
            prop_assert!(sections(&bytes).count() <= bytes.len());
        }
    }
}
