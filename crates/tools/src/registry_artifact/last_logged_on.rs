//! The last logged-on user that the logon screen remembers, and the account that is logged on automatically.

use super::Artifact;
use super::draft::{Draft, TextField, record_type};
use super::reader::Reader;
use crate::intake::Flow;
use artifacts::registry::HiveType;
use ledger::FieldType::{Flag, Guid, Name, Sid, Text};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "last_logged_on";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "last_logged_on",
    about: "user whom the logon screen remembers, and settings of the automatic logon",
    hives: &[HiveType::Software],
    records,
    read,
};

const TEXTS: &[TextField] = &[
    ("user", "LastLoggedOnUser", FieldValue::Name),
    ("sam_user", "LastLoggedOnSAMUser", FieldValue::Name),
    ("user_sid", "LastLoggedOnUserSID", FieldValue::Sid),
    ("display_name", "LastLoggedOnDisplayName", FieldValue::Text),
    ("selected_user_sid", "SelectedUserSID", FieldValue::Sid),
    ("provider", "LastLoggedOnProvider", FieldValue::Guid),
    ("default_user", "DefaultUserName", FieldValue::Name),
    ("default_domain", "DefaultDomainName", FieldValue::Name),
    ("last_used_user", "LastUsedUsername", FieldValue::Name),
    ("auto_logon", "AutoAdminLogon", FieldValue::Name),
];

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "what one key remembers of the last logon; it says nothing of when that was",
        "key_path",
        &[
            ("user", &[Name], "user who logged on last, with domain"),
            ("sam_user", &[Name], "the same by account name"),
            ("user_sid", &[Sid], "SID of that user"),
            ("display_name", &[Text], "name of that user as shown"),
            ("selected_user_sid", &[Sid], "SID of the user selected on the logon screen"),
            ("provider", &[Guid], "credential provider that was used"),
            ("default_user", &[Name], "user name that Winlogon offers or logs on by itself"),
            ("default_domain", &[Name], "domain of that user"),
            ("last_used_user", &[Name], "user name that Winlogon was given last"),
            ("auto_logon", &[Name], "1 where the default user is logged on without being asked"),
            (
                "password_stored",
                &[Flag],
                "true where the password of the default user stands here in plain text",
            ),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let paths = [
        "Microsoft\\Windows\\CurrentVersion\\Authentication\\LogonUI",
        "Microsoft\\Windows NT\\CurrentVersion\\Winlogon",
    ];
    for path in paths {
        let Some((key, values)) = reader.key_and_values(path) else { continue };
        if TEXTS.iter().all(|(_, value, _)| values.get(value).is_none()) {
            continue;
        }
        let password = values.get("DefaultPassword").filter(|held| !held.value.raw.is_empty());
        let record = Draft::of_key(reader, KIND, &key)
            .texts(&values, TEXTS)
            .maybe("password_stored", password.map(|_| FieldValue::Flag(true)), None)
            .done();
        reader.push(record)?;
    }
    ControlFlow::Continue(())
}
