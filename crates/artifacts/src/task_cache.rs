//! Binary values of the task scheduler's cache in the registry (`TaskCache\Tasks\{GUID}`): what a task starts,
//! and when it ran.
//!
//! Sources: GDATA Advanced Analytics (cyber.wtf), "Windows Registry Analysis – Today's Episode: Tasks" (2022);
//! Joachim Metz, winreg-kb, "Task cache" (github.com/libyal/winreg-kb).

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, bytes, guid_at, located_filetime, located_u32, u16_at, u32_at, utf16};
use crate::registry::Filetime;

/// The most actions that are read; the scheduler accepts 32.
const LIMIT: usize = 128;

/// Versions of the value `Actions`: from 2 on it begins with the context, from 3 on a program has flags.
const OLDEST: u16 = 1;
const NEWEST: u16 = 3;

const EXECUTE: u16 = 0x6666;
const COM_HANDLER: u16 = 0x7777;
const EMAIL: u16 = 0x8888;
const MESSAGE: u16 = 0x9999;

/// Number of texts in an email action after its id.
const EMAIL_TEXTS: usize = 8;

/// The value `DynamicInfo`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dynamic {
    /// When the task was registered.
    pub created: Option<Located<Filetime>>,
    /// When it was last started; 0 for never.
    pub last_run: Option<Located<Filetime>>,
    /// The result code of its last run.
    pub last_error: Option<Located<u32>>,
    /// When a run last completed successfully; from Windows 10 on.
    pub last_completed: Option<Located<Filetime>>,
}

/// The value `Actions`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actions {
    /// The principal under which they run, such as `Author` or `LocalSystem`.
    pub context: Option<Located<String>>,
    /// The actions, in order.
    pub actions: Vec<Action>,
}

/// One action of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Starts a program; empty fields are left out.
    Execute {
        /// The program.
        command: Located<String>,
        /// Its arguments.
        arguments: Option<Located<String>>,
        /// The folder in which it starts.
        folder: Option<Located<String>>,
    },
    /// Calls a COM object.
    ComHandler {
        /// The class, in braces and upper case.
        class: Located<String>,
        /// What is passed to it.
        data: Option<Located<String>>,
    },
    /// Sends an email, whose content is not read.
    Email,
    /// Shows a message.
    Message {
        /// Its title.
        title: Located<String>,
        /// Its text.
        text: Located<String>,
    },
}

/// Reads `DynamicInfo`.
pub fn dynamic(data: &[u8]) -> (Dynamic, Vec<Damage>) {
    let mut damage = Vec::new();
    if !matches!(data.len(), 28 | 36) {
        damage.push(Damage::at(0, DamageKind::Length { expected: 36, actual: data.len() }));
    }
    let read = Dynamic {
        created: located_filetime(data, 4),
        last_run: located_filetime(data, 12),
        last_error: located_u32(data, 24),
        last_completed: located_filetime(data, 28),
    };
    (read, damage)
}

/// Reads `Actions`; an action of an unknown kind stops the reading, and is reported.
pub fn actions(data: &[u8]) -> (Actions, Vec<Damage>) {
    let (mut read, mut damage) = (Actions::default(), Vec::new());
    let Some(version) = u16_at(data, 0) else {
        damage.push(Damage::at(0, DamageKind::Length { expected: 2, actual: data.len() }));
        return (read, damage);
    };
    if !(OLDEST..=NEWEST).contains(&version) {
        let (expected, actual) = (u64::from(NEWEST), u64::from(version));
        damage.push(Damage::at(0, DamageKind::Field { what: "version", expected, actual }));
        return (read, damage);
    }
    let mut cursor = Cursor { data, at: 2 };
    if version > OLDEST {
        match cursor.text("context", &mut damage) {
            Some(context) => read.context = Some(context).filter(|text| !text.value.is_empty()),
            None => return (read, cut(cursor, damage)),
        }
    }
    while cursor.at < data.len() {
        if read.actions.len() >= LIMIT {
            damage.push(Damage::at(cursor.at, DamageKind::TooMany { what: "actions", limit: LIMIT }));
            return (read, damage);
        }
        let start = cursor.at;
        let Some(kind) = cursor.u16() else { return (read, cut(cursor, damage)) };
        if !matches!(kind, EXECUTE | COM_HANDLER | EMAIL | MESSAGE) {
            let (expected, actual) = (u64::from(EXECUTE), u64::from(kind));
            damage.push(Damage::at(start, DamageKind::Field { what: "kind of action", expected, actual }));
            return (read, damage);
        }
        match cursor.action(kind, version, &mut damage) {
            Some(action) => read.actions.push(action),
            None => return (read, cut(cursor, damage)),
        }
    }
    (read, damage)
}

fn cut(cursor: Cursor<'_>, mut damage: Vec<Damage>) -> Vec<Damage> {
    let (length, available) = (4, cursor.data.len());
    damage.push(Damage::at(cursor.at, DamageKind::Outside { what: "action", length, available }));
    damage
}

/// A reading position.
#[derive(Clone, Copy)]
struct Cursor<'d> {
    data: &'d [u8],
    at: usize,
}

impl Cursor<'_> {
    fn u16(&mut self) -> Option<u16> {
        let value = u16_at(self.data, self.at)?;
        self.at += 2;
        Some(value)
    }

    /// Reads a text preceded by its length in bytes.
    fn text(&mut self, what: &'static str, damage: &mut Vec<Damage>) -> Option<Located<String>> {
        let length = usize::try_from(u32_at(self.data, self.at)?).ok()?;
        let start = self.at + 4;
        let text = utf16(bytes(self.data, start, length)?, start, what, damage);
        self.at = start + length;
        Some(Located::new(text, start, length))
    }

    fn action(&mut self, kind: u16, version: u16, damage: &mut Vec<Damage>) -> Option<Action> {
        let full = |text: Located<String>| Some(text).filter(|text| !text.value.is_empty());
        self.text("id", damage)?;
        match kind {
            EXECUTE => {
                let command = self.text("command", damage)?;
                let arguments = full(self.text("arguments", damage)?);
                let folder = full(self.text("working directory", damage)?);
                if version >= NEWEST {
                    self.u16()?;
                }
                Some(Action::Execute { command, arguments, folder })
            }
            COM_HANDLER => {
                let class = Located::new(guid_at(self.data, self.at)?, self.at, 16);
                self.at += 16;
                Some(Action::ComHandler { class, data: full(self.text("data", damage)?) })
            }
            MESSAGE => {
                let title = self.text("title", damage)?;
                Some(Action::Message { title, text: self.text("message", damage)? })
            }
            _ => {
                for _ in 0..EMAIL_TEXTS {
                    self.text("mail", damage)?;
                }
                // Attachments and headers are lists of texts, or of pairs of texts.
                for texts in [1, 2] {
                    let count = u32_at(self.data, self.at)?;
                    self.at += 4;
                    for _ in 0..u64::from(count) * texts {
                        self.text("mail", damage)?;
                    }
                }
                Some(Action::Email)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> Vec<u8> {
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        [&(wide.len() as u32).to_le_bytes()[..], &wide].concat()
    }

    fn sound(data: &[u8]) -> Actions {
        let (actions, damage) = actions(data);
        assert!(damage.is_empty(), "{damage:?}");
        actions
    }

    fn run(version: u16) -> Vec<u8> {
        let mut data = version.to_le_bytes().to_vec();
        if version > 1 {
            data.extend(text("Author"));
        }
        data.extend([0x66, 0x66]);
        data.extend([text(""), text("C:\\a.exe"), text("-x"), text("")].concat());
        if version > 2 {
            data.extend([0, 0]);
        }
        data
    }

    #[test]
    fn programs_are_read_in_every_version() {
        for version in 1..=3 {
            let read = sound(&run(version));
            let [Action::Execute { command, arguments, folder }] = read.actions.as_slice() else {
                panic!("{read:?}")
            };
            let arguments = arguments.as_ref().map(|text| text.value.as_str());
            assert_eq!((command.value.as_str(), arguments, folder), ("C:\\a.exe", Some("-x"), &None));
            assert_eq!(read.context.is_some(), version > 1);
        }
    }

    #[test]
    fn every_kind_of_action_is_read_behind_another() {
        let mut data = run(3);
        data.extend([0x77, 0x77]);
        data.extend(text("id"));
        data.extend([7; 16]);
        data.extend(text("data"));
        data.extend([0x99, 0x99]);
        data.extend([text(""), text("title"), text("words")].concat());
        data.extend([0x88, 0x88]);
        data.extend((0..9).flat_map(|_| text("x")));
        data.extend([1, 0, 0, 0]);
        data.extend(text("attached"));
        data.extend([0, 0, 0, 0]);
        let read = sound(&data);
        assert!(matches!(&read.actions[1], Action::ComHandler { class, data: Some(_) }
            if class.value == "{07070707-0707-0707-0707-070707070707}"));
        assert!(matches!(&read.actions[2], Action::Message { title, .. } if title.value == "title"));
        assert_eq!(read.actions[3], Action::Email);
    }

    #[test]
    fn cut_and_unknown_actions_are_told() {
        let whole = run(3);
        let (read, damage) = actions(&whole[..whole.len() - 3]);
        assert_eq!((read.actions.len(), damage.len()), (0, 1));
        let mut odd = run(3);
        odd.extend([1, 2, 3]);
        let (read, damage) = actions(&odd);
        assert_eq!((read.actions.len(), damage.len()), (1, 1));
        assert!(matches!(actions(&[9, 0]).1[0].what, DamageKind::Field { what: "version", .. }));
        assert!(matches!(actions(&[]).1[0].what, DamageKind::Length { .. }));
    }

    #[test]
    fn times_of_both_lengths_are_read() {
        let mut data = vec![3, 0, 0, 0];
        data.extend(5_u64.to_le_bytes());
        data.extend(6_u64.to_le_bytes());
        data.extend([0, 0, 0, 0, 2, 0, 0, 0]);
        let (short, damage) = dynamic(&data);
        assert!(damage.is_empty());
        assert_eq!((short.created.unwrap().value, short.last_completed), (Filetime(5), None));
        data.extend(7_u64.to_le_bytes());
        let (long, damage) = dynamic(&data);
        assert!(damage.is_empty());
        assert_eq!((long.last_run.unwrap().value, long.last_error.unwrap().value), (Filetime(6), 2));
        assert_eq!(long.last_completed, Some(Located::new(Filetime(7), 28, 8)));
        assert_eq!(dynamic(&data[..20]).1.len(), 1);
    }

    proptest! {
        #[test]
        fn nothing_panics(mut data in proptest::collection::vec(any::<u8>(), 2..200), version in 0_u8..5) {
            let _ = dynamic(&data);
            (data[0], data[1]) = (version, 0);
            let _ = actions(&data);
        }

        #[test]
        fn changed_actions_never_panic(at in 0_usize..100, byte in any::<u8>()) {
            let mut data = run(3);
            let length = data.len();
            data[at % length] = byte;
            let _ = actions(&data);
        }
    }
}
