//! Background and Desktop Activity Moderator: when programs of each user last ran.
//!
//! `UserSettings\<SID>` of the services `bam` and `dam` (since Windows 10 1809 below `State`) has a value for each program,
//! named by its path or package; the data begins with a FILETIME.
//! Layout according to Joachim Metz, "Windows Registry knowledge base", section "Background activity moderator"; Microsoft has published none.
//! Entries older than a week are removed at the next start: a program that is missing here may still have run.

use super::Artifact;
use super::draft::{Draft, record_type};
use super::reader::Reader;
use super::user_profiles::is_sid;
use super::values::Held;
use crate::hive_file::key_name;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key, ValueKind};
use ledger::FieldType::{Name, Path, Sid, Time};
use ledger::{FieldValue, RecordType, Utc};
use std::ops::ControlFlow;

const KIND: &str = "bam_entry";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "bam",
    about: "programs that ran, by user, with the time of the last run (Windows 10 and later)",
    hives: &[HiveType::System],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one program that ran under one user, as the Background or Desktop Activity Moderator notes it",
        "program",
        &[
            ("program", &[Path], "path of the program, or the name of its package"),
            ("sid", &[Sid, Name], "SID of the user; the name of the key where that is no SID"),
            ("last_run", &[Time], "when the program last ran or was last running"),
            ("moderator", &[Name], "service that noted it: bam or dam"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(set) = reader.control_set() else { return ControlFlow::Continue(()) };
    for moderator in ["bam", "dam"] {
        let Some(service) = reader.below(&set, &format!("Services\\{moderator}")) else { continue };
        for path in ["UserSettings", "State\\UserSettings"] {
            let Some(users) = reader.below(&service, path) else { continue };
            for user in reader.children(&users) {
                for held in &reader.values(&user).0 {
                    // Besides the programs there are numbers about the list itself.
                    if held.value.kind != ValueKind::Dword && !held.value.name.is_empty() {
                        entry(reader, moderator, &user, held)?;
                    }
                }
            }
        }
    }
    ControlFlow::Continue(())
}

fn entry(reader: &mut Reader<'_, '_>, moderator: &str, user: &Key<'_>, held: &Held<'_>) -> Flow {
    let sid = if is_sid(&user.name) { FieldValue::Sid } else { FieldValue::Name };
    let draft = Draft::of_value(reader, KIND, user, held)
        .value_name(reader, "program", held, FieldValue::Path)
        .set("sid", sid(user.name.clone()), key_name(reader.bytes, user.offset))
        .set("moderator", FieldValue::Name(moderator.to_owned()), None);
    let ticks = held.value.raw.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    let draft = match ticks.filter(|ticks| Utc::from_filetime(*ticks).is_some()) {
        Some(ticks) => {
            let time = FieldValue::Time(ledger::Time::from_filetime(ticks));
            draft.set("last_run", time, held.part(0, 8))
        }
        None => draft.unfit(held, "data that begins with a FILETIME"),
    };
    reader.push(draft.done())
}
