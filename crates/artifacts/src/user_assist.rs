//! UserAssist: what a user started through the shell, how often, and when last.
//!
//! Sources: Didier Stevens, "UserAssist" (blog.didierstevens.com/programs/userassist);
//! Joachim Metz, winreg-kb, "User Assist key" (github.com/libyal/winreg-kb).

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, located_filetime, located_u32};
use crate::registry::Filetime;

/// Version 3 starts counting at 5: the first run stores 6.
const COUNT_BEGINS: u32 = 5;

const LENGTH_3: usize = 16;
const LENGTH_5: usize = 72;

/// The subject of a value in a `Count` key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A program, shortcut or application.
    Program {
        /// Its path or application id.
        program: String,
        /// Bytes of the decoded name before it, such as `UEME_RUNPATH:`.
        prefix: usize,
    },
    /// The session counters of the key (`UEME_CTLSESSION`).
    Session,
    /// Anything else that the shell counts: totals, hotkeys, parts of its own windows.
    Counter,
}

/// The format of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 16 bytes: Windows 2000 to Vista.
    Three,
    /// 72 bytes: Windows 7 and later.
    Five,
}

/// The data of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The format, which follows from the length of the data.
    pub version: Version,
    /// The session in which it was last counted; version 3 only.
    pub session: Option<Located<u32>>,
    /// Number of runs as stored: in version 3, that is 5 more than the actual number.
    pub stored_count: Located<u32>,
    /// Number of runs.
    pub run_count: u32,
    /// How often it came to the foreground; version 5 only.
    pub focus_count: Option<Located<u32>>,
    /// Milliseconds in the foreground; version 5 only.
    pub focus_time: Option<Located<u32>>,
    /// When it was last run; 0 if it was not.
    pub last_run: Located<Filetime>,
}

/// Undoes ROT13: ASCII letters are shifted by 13 places, nothing else is.
pub fn decode_name(stored: &str) -> String {
    let rotate = |letter: char, first: u8| {
        let place = (u32::from(letter) - u32::from(first) + 13) % 26;
        char::from_u32(u32::from(first) + place).unwrap_or(letter)
    };
    let decode = |letter: char| match letter {
        'a'..='z' => rotate(letter, b'a'),
        'A'..='Z' => rotate(letter, b'A'),
        other => other,
    };
    stored.chars().map(decode).collect()
}

/// Returns the subject of a value according to its decoded name.
///
/// Windows 7 and later store only the path or application id; older ones put the way it was started before it.
pub fn subject(name: &str) -> Subject {
    if name.eq_ignore_ascii_case("UEME_CTLSESSION") {
        return Subject::Session;
    }
    if !name.starts_with("UEME_") {
        return Subject::Program { program: name.to_owned(), prefix: 0 };
    }
    match name.split_once(':') {
        Some((how, program)) if is_run(how) && !program.is_empty() => {
            Subject::Program { program: program.to_owned(), prefix: how.len() + 1 }
        }
        _ => Subject::Counter,
    }
}

fn is_run(how: &str) -> bool {
    ["UEME_RUNPATH", "UEME_RUNPIDL", "UEME_RUNCPL"].iter().any(|known| how.eq_ignore_ascii_case(known))
}

/// Reads the data of a value; its length decides the version.
pub fn entry(data: &[u8]) -> Result<Entry, Damage> {
    let wrong = |expected| Damage::at(0, DamageKind::Length { expected, actual: data.len() });
    match data.len() {
        LENGTH_3 => version_3(data).ok_or_else(|| wrong(LENGTH_3)),
        LENGTH_5 => version_5(data).ok_or_else(|| wrong(LENGTH_5)),
        length if length < LENGTH_5 => Err(wrong(LENGTH_3)),
        _ => Err(wrong(LENGTH_5)),
    }
}

fn version_3(data: &[u8]) -> Option<Entry> {
    let stored_count = located_u32(data, 4)?;
    Some(Entry {
        version: Version::Three,
        session: located_u32(data, 0),
        run_count: stored_count.value.saturating_sub(COUNT_BEGINS),
        stored_count,
        focus_count: None,
        focus_time: None,
        last_run: located_filetime(data, 8)?,
    })
}

fn version_5(data: &[u8]) -> Option<Entry> {
    let stored_count = located_u32(data, 4)?;
    Some(Entry {
        version: Version::Five,
        session: None,
        run_count: stored_count.value,
        stored_count,
        focus_count: located_u32(data, 8),
        focus_time: located_u32(data, 12),
        last_run: located_filetime(data, 60)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rot13_moves_letters_of_ascii_only() {
        assert_eq!(decode_name("HRZR_PGYFRFFVBA"), "UEME_CTLSESSION");
        assert_eq!(decode_name("{1NP14R77-02R7}\\pzq.rkr ÄZ5"), "{1AC14E77-02E7}\\cmd.exe ÄM5");
    }

    #[test]
    fn programs_are_told_from_what_else_is_counted() {
        let program = |program: &str, prefix| Subject::Program { program: program.to_owned(), prefix };
        let cases = [
            ("UEME_CTLSESSION", Subject::Session),
            ("UEME_CTLCUACount:ctor", Subject::Counter),
            ("UEME_RUNPATH", Subject::Counter),
            ("UEME_RUNPATH:", Subject::Counter),
            ("UEME_UITOOLBAR:0x1,120", Subject::Counter),
            ("UEME_RUNPATH:C:\\a\\b.exe", program("C:\\a\\b.exe", 13)),
            ("UEME_RUNPIDL:%csidl2%\\MSN.lnk", program("%csidl2%\\MSN.lnk", 13)),
            ("Microsoft.Windows.Explorer", program("Microsoft.Windows.Explorer", 0)),
        ];
        for (name, expected) in cases {
            assert_eq!(subject(name), expected, "{name}");
        }
    }

    #[test]
    fn version_3_counts_from_five() {
        let mut data = vec![7, 0, 0, 0, 6, 0, 0, 0];
        data.extend(129_779_783_208_392_490_u64.to_le_bytes());
        let entry = entry(&data).unwrap();
        assert_eq!((entry.version, entry.stored_count.value, entry.run_count), (Version::Three, 6, 1));
        assert_eq!(entry.last_run, Located::new(Filetime(129_779_783_208_392_490), 8, 8));
        data[4] = 2;
        assert_eq!(super::entry(&data).unwrap().run_count, 0);
    }

    #[test]
    fn version_5_has_counts_focus_and_a_time() {
        let mut data = vec![0; 72];
        data[4] = 2;
        data[8] = 3;
        data[12..16].copy_from_slice(&611_562_u32.to_le_bytes());
        data[60..68].copy_from_slice(&129_780_283_650_980_000_u64.to_le_bytes());
        let entry = entry(&data).unwrap();
        assert_eq!((entry.run_count, entry.focus_count.unwrap().value), (2, 3));
        assert_eq!(entry.focus_time.unwrap(), Located::new(611_562, 12, 4));
        assert_eq!(entry.last_run.value, Filetime(129_780_283_650_980_000));
    }

    #[test]
    fn data_of_another_length_is_damage() {
        for (length, expected) in [(0, 16), (15, 16), (71, 16), (73, 72)] {
            let damage = entry(&vec![0; length]).unwrap_err();
            assert_eq!(damage.what, DamageKind::Length { expected, actual: length });
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(data in proptest::collection::vec(any::<u8>(), 0..100), name in any::<String>()) {
            let _ = entry(&data);
            let _ = subject(&name);
            prop_assert_eq!(decode_name(&decode_name(&name)), name);
        }
    }
}
