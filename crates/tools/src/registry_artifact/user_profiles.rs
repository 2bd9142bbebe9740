//! User profiles: `ProfileList` of SOFTWARE.
//!
//! Load times are FILETIMEs in two REG_DWORD halves, `…High` and `…Low`.
//! Windows renames the key of a profile that it could not load to `<SID>.bak`.

use super::Artifact;
use super::draft::{Draft, record_type};
use super::reader::Reader;
use crate::hive_file::key_name;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use ledger::FieldType::{Flag, Guid, Integer, Name, Path, Sid, Time};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "user_profile";
const BACKUP: &str = ".bak";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "user_profiles",
    about: "SIDs and folders of the users who have a profile, and when it was last loaded",
    hives: &[HiveType::Software],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one profile of a user on this host",
        "sid",
        &[
            ("sid", &[Sid, Name], "SID of the user; the name of the key where that is no SID"),
            ("backup", &[Flag], "true for a key named .bak: a profile that could not be loaded"),
            ("profile_path", &[Path], "folder of the profile on the running system"),
            ("state", &[Integer], "state of the profile: a sum of flags"),
            ("flags", &[Integer], "flags of the profile"),
            ("guid", &[Guid], "GUID of the account in a domain"),
            ("load_time", &[Time], "when the profile was last loaded"),
            ("unload_time", &[Time], "when the profile was last unloaded"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(list) = reader.key("Microsoft\\Windows NT\\CurrentVersion\\ProfileList") else {
        return ControlFlow::Continue(());
    };
    for key in reader.children(&list) {
        let values = reader.values(&key);
        let record = sid(reader, Draft::of_key(reader, KIND, &key), &key)
            .text("profile_path", values.get("ProfileImagePath"), FieldValue::Path)
            .number("state", values.get("State"))
            .number("flags", values.get("Flags"))
            .text("guid", values.get("Guid"), FieldValue::Guid)
            .halves("load_time", &values, "LocalProfileLoadTime")
            .halves("unload_time", &values, "LocalProfileUnloadTime")
            .done();
        reader.push(record)?;
    }
    ControlFlow::Continue(())
}

/// Adds the SID from the name of the key.
fn sid(reader: &Reader<'_, '_>, draft: Draft, key: &Key<'_>) -> Draft {
    let at = key_name(reader.bytes, key.offset);
    let bare = key.name.len().checked_sub(BACKUP.len()).and_then(|end| key.name.split_at_checked(end));
    match bare {
        Some((sid, end)) if end.eq_ignore_ascii_case(BACKUP) && is_sid(sid) => {
            // The name is ASCII, stored with one byte per character.
            let at = at.map(|at| ByteSpan::new(at.offset, sid.len() as u64));
            draft.set("sid", FieldValue::Sid(sid.to_owned()), at).set("backup", FieldValue::Flag(true), None)
        }
        _ if is_sid(&key.name) => draft.set("sid", FieldValue::Sid(key.name.clone()), at),
        _ => draft.set("sid", FieldValue::Name(key.name.clone()), at),
    }
}

/// Checks whether a text has the form of a SID.
pub(super) fn is_sid(text: &str) -> bool {
    text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("S-1-"))
        && text.get(4..).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
}
