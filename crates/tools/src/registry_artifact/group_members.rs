//! The members of the computer's local groups (SAM).

use super::Artifact;
use super::decoded::{self, damaged, part};
use super::draft::{Draft, record_type};
use super::reader::Reader;
use super::user_accounts::rid_of;
use crate::intake::Flow;
use artifacts::registry::HiveType;
use artifacts::sam;
use ledger::{FieldType, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "group_member";

/// The domains with local groups: the built-in ones of Windows, and those created on this computer.
const DOMAINS: [&str; 2] = ["Builtin", "Account"];

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "group_members",
    about: "members of the local groups by SID, such as who is an administrator",
    hives: &[HiveType::Sam],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    use FieldType::{Integer, Name, Sid, Text};
    vec![record_type(
        KIND,
        "one member of a local group",
        "member",
        &[
            ("member", &[Sid], "SID of the member"),
            ("group", &[Name], "name of the group"),
            ("group_rid", &[Integer], "last part of the group's SID; 544 in Builtin are the administrators"),
            ("domain", &[Name], "Builtin for groups that Windows brings, Account for others"),
            ("comment", &[Text], "comment of the group"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    for domain in DOMAINS {
        let Some(groups) = reader.key(&format!("SAM\\Domains\\{domain}\\Aliases")) else { continue };
        for key in reader.children(&groups) {
            let values = reader.values(&key);
            let (Some(_), Some(held)) = (rid_of(&key), values.get("C")) else { continue };
            let (group, damage) = sam::group(&held.value.raw);
            if group.members.is_empty() && !damage.is_empty() {
                let reasons: Vec<_> = damage.iter().map(|damage| damage.what.to_string()).collect();
                reader.gap(format!("members of the group {}: {}", key.path, reasons.join("; ")));
            }
            for member in &group.members {
                let draft = Draft::of_value(reader, KIND, &key, held);
                let draft = part(draft, "member", held, Some(member), FieldValue::Sid);
                let draft = part(draft, "group", held, group.name.as_ref(), FieldValue::Name);
                let draft = part(draft, "comment", held, group.comment.as_ref(), FieldValue::Text);
                let draft = decoded::number(draft, "group_rid", held, group.rid.as_ref());
                let draft = draft.set("domain", FieldValue::Name(domain.to_owned()), None);
                reader.push(damaged(draft, held, &damage).done())?;
            }
        }
    }
    ControlFlow::Continue(())
}
