//! `.job` files: scheduled tasks up to Windows XP and Server 2003, and those that `at` creates up to Windows 7.
//!
//! Source of the format: [MS-TSCH] 2.4, ".JOB File Format".

use crate::damage::{Damage, DamageKind};
use crate::due::{Due, FOR_GOOD_DAYS, is_never};
use crate::fields::{Located, bytes, guid_at, located_u32, u16_at, u32_at, utf16};
use crate::system_time::SystemTime;

/// Size of the fixed part in bytes, and the offset of the count of running instances.
const FIXED: usize = 68;

/// Size of one trigger in bytes.
const TRIGGER: usize = 48;

/// The most triggers that are read.
const MOST: usize = 64;

const DISABLED: u32 = 0x4;
const HIDDEN: u32 = 0x200;

/// The content of a `.job` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The identifier of the task.
    pub id: Option<Located<String>>,
    /// The program.
    pub program: Option<Located<String>>,
    /// Its command-line parameters.
    pub parameters: Option<Located<String>>,
    /// The folder in which it is started.
    pub working_directory: Option<Located<String>>,
    /// Who created the task.
    pub author: Option<Located<String>>,
    /// A comment on it.
    pub comment: Option<Located<String>>,
    /// When it was last started, by the local clock.
    pub last_run: Option<Located<SystemTime>>,
    /// The exit code of its last run.
    pub exit_code: Option<Located<u32>>,
    /// Its state, an `HRESULT` of the scheduler such as 0x41303 for "has not run".
    pub status: Option<Located<u32>>,
    /// The raw flags.
    pub flags: Option<Located<u32>>,
    /// The triggers that start it.
    pub triggers: Vec<Trigger>,
    /// The damage found in it.
    pub damage: Vec<Damage>,
}

impl Job {
    /// Checks whether it is enabled.
    pub fn enabled(&self) -> bool {
        self.flags.as_ref().is_none_or(|flags| flags.value & DISABLED == 0)
    }

    /// Checks whether tools hide it.
    pub fn hidden(&self) -> bool {
        self.flags.as_ref().is_some_and(|flags| flags.value & HIDDEN != 0)
    }
}

/// A trigger of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// Once, daily, …
    pub kind: &'static str,
    /// When it becomes effective, by the local clock: `YYYY-MM-DDThh:mm`.
    pub start: String,
    /// The last day on which it is effective, if there is one: `YYYY-MM-DD`.
    pub end: Option<String>,
    /// Minutes between two starts; 0 for no repetition.
    pub interval: u32,
    /// The period of repetition in minutes.
    pub duration: u32,
    /// False if its flags say so.
    pub enabled: bool,
}

impl Trigger {
    /// Returns how long it is effective.
    pub fn due(&self) -> Due {
        let is_for_good = self.interval > 0 && u64::from(self.duration) / 1440 >= FOR_GOOD_DAYS;
        match (self.kind, self.end.as_ref().filter(|end| !is_never(end))) {
            (_, Some(_)) => Due::Ending,
            ("Once", None) if !is_for_good => Due::Once,
            (_, None) => Due::Lasting,
        }
    }

    /// Formats the trigger in one line.
    pub fn render(&self) -> String {
        let mut text = format!("{} start {}", self.kind, self.start);
        if let Some(end) = &self.end {
            text.push_str(&format!(" end {end}"));
        }
        if self.interval > 0 {
            text.push_str(&format!(" every {} minutes for {} minutes", self.interval, self.duration));
        }
        if !self.enabled {
            text.push_str(" (disabled)");
        }
        text
    }
}

/// Checks whether a file begins like a `.job` file: the version of a Windows, and that of the format, which is 1.
pub fn fits(head: &[u8]) -> bool {
    let version = u16_at(head, 0);
    let windows =
        version.is_some_and(|version| matches!(version, 0x0400 | 0x0500..=0x0502 | 0x0600..=0x0603 | 0x0A00));
    // The program's name comes right after the count of running instances.
    windows && u16_at(head, 2) == Some(1) && u16_at(head, 20) == Some(70)
}

/// Reads a `.job` file; `None` if it does not begin like one.
pub fn read(data: &[u8]) -> Option<Job> {
    if !fits(data) {
        return None;
    }
    let mut damage = Vec::new();
    if data.len() < FIXED {
        damage.push(Damage::at(0, DamageKind::Length { expected: FIXED, actual: data.len() }));
    }
    let mut at = FIXED + 2;
    let mut text = |what| counted(data, &mut at, what, &mut damage);
    let program = text("the program");
    let parameters = text("the parameters");
    let working_directory = text("the working directory");
    let author = text("the author");
    let comment = text("the comment");
    let last_run = bytes(data, 52, 16).and_then(SystemTime::read);
    let triggers = triggers(data, &mut damage);
    Some(Job {
        id: guid_at(data, 4).map(|id| Located::new(id, 4, 16)),
        program,
        parameters,
        working_directory,
        author,
        comment,
        last_run: last_run.map(|time| Located::new(time, 52, 16)),
        exit_code: located_u32(data, 40),
        status: located_u32(data, 44),
        flags: located_u32(data, 48),
        triggers,
        damage,
    })
}

/// Reads a text that follows its length in units, including the NUL.
fn counted(
    data: &[u8],
    at: &mut usize,
    what: &'static str,
    damage: &mut Vec<Damage>,
) -> Option<Located<String>> {
    let length = usize::from(u16_at(data, *at)?) * 2;
    let start = *at + 2;
    let held = data.get(start..)?;
    if held.len() < length {
        damage.push(Damage::at(start, DamageKind::Outside { what, length, available: held.len() }));
    }
    let text = held.get(..length).unwrap_or(held);
    *at = start + length;
    let text = text.strip_suffix(&[0, 0]).unwrap_or(text);
    let value = utf16(text, start, what, damage);
    (!value.is_empty()).then(|| Located::new(value, start, text.len()))
}

fn triggers(data: &[u8], damage: &mut Vec<Damage>) -> Vec<Trigger> {
    let Some(at) = u16_at(data, 22).map(usize::from).filter(|at| *at > 0) else { return Vec::new() };
    let Some(count) = u16_at(data, at).map(usize::from) else {
        let available = data.len();
        damage.push(Damage::at(22, DamageKind::Outside { what: "the triggers", length: 2, available }));
        return Vec::new();
    };
    if count > MOST {
        damage.push(Damage::at(at, DamageKind::TooMany { what: "triggers", limit: MOST }));
    }
    let mut found = Vec::new();
    for number in 0..count.min(MOST) {
        let place = at + 2 + number * TRIGGER;
        let Some(one) = bytes(data, place, TRIGGER) else {
            let available = data.len().saturating_sub(place);
            damage.push(Damage::at(
                place,
                DamageKind::Outside { what: "a trigger", length: TRIGGER, available },
            ));
            break;
        };
        found.extend(trigger(one));
    }
    found
}

fn trigger(one: &[u8]) -> Option<Trigger> {
    let word = |at| u16_at(one, at);
    let start = format!("{:04}-{:02}-{:02}T{:02}:{:02}", word(4)?, word(6)?, word(8)?, word(16)?, word(18)?);
    let kind = match u32_at(one, 32)? {
        0 => "Once",
        1 => "Daily",
        2 => "Weekly",
        3 => "MonthlyDate",
        4 => "MonthlyDayOfWeek",
        5 => "OnIdle",
        6 => "AtSystemStart",
        7 => "AtLogon",
        _ => "Unknown",
    };
    let flags = u32_at(one, 28)?;
    let (enabled, has_end) = (flags & 0x4 == 0, flags & 0x1 != 0);
    let end = format!("{:04}-{:02}-{:02}", word(10)?, word(12)?, word(14)?);
    let end = has_end.then_some(end);
    Some(Trigger { kind, start, end, interval: u32_at(one, 24)?, duration: u32_at(one, 20)?, enabled })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::job_file::job;

    #[test]
    fn a_job_tells_what_it_starts_and_when() {
        let found = read(&job("C:\\Tools\\sync.exe", "/all", "ann")).unwrap();
        assert_eq!(found.damage, []);
        assert_eq!(found.program.clone().unwrap().value, "C:\\Tools\\sync.exe");
        assert_eq!(found.parameters.clone().unwrap().value, "/all");
        assert_eq!(found.author.clone().unwrap().value, "ann");
        assert_eq!(found.last_run.clone().unwrap().value.to_string(), "2012-04-04T01:58:40.000");
        assert_eq!(found.triggers[0].render(), "Daily start 2012-04-04T02:00 every 5 minutes for 60 minutes");
        assert!(found.enabled() && !found.hidden());
    }

    #[test]
    fn a_trigger_counts_until_its_end_where_its_flags_say_that_it_has_one() {
        let whole = job("a.exe", "", "ann");
        let trigger = whole.len() - 48;
        for (kind, flags, starts) in [
            (1u8, 0u8, "by_trigger"),
            (0, 0, "once"),
            (1, 1, "until_end"),
            (0, 5, "on_demand"),
            (7, 0, "by_trigger"),
        ] {
            let mut bytes = whole.clone();
            (bytes[trigger + 10], bytes[trigger + 28], bytes[trigger + 32]) = (0xD1, flags, kind);
            let job = read(&bytes).unwrap();
            let due = job.triggers.iter().filter(|trigger| trigger.enabled).map(Trigger::due);
            assert_eq!(crate::due::starts(job.enabled(), due), starts, "{kind} {flags}");
        }
    }

    #[test]
    fn a_cut_job_is_read_as_far_as_it_goes_and_says_so() {
        let whole = job("C:\\Tools\\sync.exe", "/all", "ann");
        let found = read(&whole[..80]).unwrap();
        assert_eq!(found.program.unwrap().value, "C:\\T");
        assert!(!found.damage.is_empty());
        assert!(read(b"MZ\x90\0").is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(tail in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = job("a", "b", "c")[..24].to_vec();
            bytes.extend(tail);
            let _ = read(&bytes);
        }
    }
}
