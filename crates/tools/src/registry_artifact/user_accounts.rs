//! The local accounts of the computer (SAM). Password hashes are not read.

use super::Artifact;
use super::decoded::{self, damaged, part, place, time};
use super::draft::{Draft, record_type};
use super::reader::Reader;
use super::values::Held;
use crate::hive_file::key_name;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key, ValueKind};
use artifacts::sam;
use ledger::{ByteSpan, FieldType, FieldValue, RecordType, Time};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const KIND: &str = "user_account";

const PATH: &str = "SAM\\Domains\\Account";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "user_accounts",
    about: "local accounts with their SIDs, flags, logons and changes of password",
    hives: &[HiveType::Sam],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    use FieldType::{Integer, List, Name, Path, Sid, Text, Time};
    vec![record_type(
        KIND,
        "one local account of the computer",
        "name",
        &[
            ("name", &[Name], "name of the account; that of its key where it has none"),
            ("rid", &[Integer], "last part of the SID; 500 is the built-in administrator, 501 the guest"),
            ("sid", &[Sid], "the SID: that of the account domain and the last part"),
            ("full_name", &[Text], "full name"),
            ("comment", &[Text], "comment"),
            ("user_comment", &[Text], "comment that the user may change"),
            ("home_directory", &[Path], "home directory"),
            ("profile_path", &[Path], "path of the profile, where one is set"),
            ("script_path", &[Path], "logon script"),
            ("flags", &[List], "account control flags, such as USER_ACCOUNT_DISABLED"),
            ("last_logon", &[Time], "last logon with this account to this computer"),
            ("password_last_set", &[Time], "when the password was last set"),
            ("account_expires", &[Time], "when the account expires"),
            ("last_failed_logon", &[Time], "last logon that failed for a wrong password"),
            ("failed_count", &[Integer], "wrong passwords since the last good one"),
            ("logon_count", &[Integer], "logons"),
            (
                "name_key_last_written",
                &[Time],
                "when the key of the account's name was last written: mostly when the account was made or renamed",
            ),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some((domain, values)) = reader.key_and_values(PATH) else { return ControlFlow::Continue(()) };
    let sid = values.get("V").and_then(|held| sam::domain_sid(&held.value.raw).ok());
    if sid.is_none() {
        reader.note("the SID of the account domain cannot be read, so the accounts have none");
    }
    let sid = sid.map(|sid| sid.value);
    let Some(users) = reader.below(&domain, "Users") else { return ControlFlow::Continue(()) };
    let mut names = names(reader, &users);
    for key in reader.children(&users) {
        let Some(rid) = rid_of(&key) else { continue };
        let name = names.remove(&rid);
        let draft = account(reader, &key, name.as_ref());
        let draft = draft.maybe("sid", sid.as_ref().map(|sid| FieldValue::Sid(format!("{sid}-{rid}"))), None);
        reader.push(draft.done())?;
    }
    // Names whose account is missing or hidden.
    for (rid, key) in names {
        let draft = Draft::of_key(reader, KIND, &key).key_name(reader, "name", &key, FieldValue::Name);
        let draft = draft.set("rid", FieldValue::Integer(rid.into()), None);
        reader.push(named(draft, &key).done())?;
    }
    ControlFlow::Continue(())
}

/// Returns the RID of an account or group: its key is named by eight hexadecimal digits.
pub(crate) fn rid_of(key: &Key<'_>) -> Option<u32> {
    let digits = key.name.len() == 8 && key.name.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(&key.name, 16).ok().filter(|_| digits)
}

/// Returns the keys of account names by RID, which is the type of their unnamed value.
fn names<'h>(reader: &mut Reader<'_, 'h>, users: &Key<'h>) -> BTreeMap<u32, Key<'h>> {
    let mut found = BTreeMap::new();
    let Some(names) = reader.below(users, "Names") else { return found };
    for key in reader.children(&names) {
        let values = reader.values(&key);
        if let Some(ValueKind::Other(rid)) = values.get("").map(|held| held.value.kind) {
            found.insert(rid, key);
        }
    }
    found
}

fn account<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>, name: Option<&Key<'h>>) -> Draft {
    let values = reader.values(key);
    let draft = Draft::of_key(reader, KIND, key);
    let draft = match name {
        Some(name) => named(draft.key_name(reader, "name", name, FieldValue::Name), name),
        None => draft.key_name(reader, "name", key, FieldValue::Name),
    };
    let draft = draft.maybe(
        "rid",
        rid_of(key).map(|rid| FieldValue::Integer(rid.into())),
        key_name(reader.bytes, key.offset),
    );
    let draft = match values.get("F") {
        Some(held) => fixed(draft, held),
        None => draft.defect(None, "the account has no value \"F\"".to_owned()),
    };
    match values.get("V") {
        Some(held) => texts(draft, held),
        None => draft.defect(None, "the account has no value \"V\"".to_owned()),
    }
}

fn named(draft: Draft, name: &Key<'_>) -> Draft {
    let at = ByteSpan::new(name.last_written_offset, 8);
    let time = FieldValue::Time(Time::from_filetime(name.last_written.0));
    draft.set("name_key_last_written", time, Some(at))
}

/// Adds the times and counts in the value `F`.
fn fixed(draft: Draft, held: &Held<'_>) -> Draft {
    let (account, damage) = sam::account(&held.value.raw);
    let draft = damaged(draft.own(held), held, &damage);
    let draft = decoded::number(draft, "rid", held, account.rid.as_ref());
    let draft = time(draft, "last_logon", held, account.last_logon.as_ref());
    let draft = time(draft, "password_last_set", held, account.password_last_set.as_ref());
    let draft = time(draft, "account_expires", held, account.expires.as_ref());
    let draft = time(draft, "last_failed_logon", held, account.last_failed_logon.as_ref());
    let draft = decoded::number(draft, "failed_count", held, account.failed_count.as_ref());
    let draft = decoded::number(draft, "logon_count", held, account.logon_count.as_ref());
    part(draft, "flags", held, account.flags.as_ref(), |flags| FieldValue::List(sam::flag_names(flags)))
}

/// Adds the texts in the value `V`.
fn texts(draft: Draft, held: &Held<'_>) -> Draft {
    let (names, damage) = sam::names(&held.value.raw);
    let draft = damaged(draft.own(held), held, &damage);
    let draft = match &names.name {
        Some(name) => draft.set("name", FieldValue::Name(name.value.clone()), place(held, name)),
        None => draft,
    };
    let draft = part(draft, "full_name", held, names.full_name.as_ref(), FieldValue::Text);
    let draft = part(draft, "comment", held, names.comment.as_ref(), FieldValue::Text);
    let draft = part(draft, "user_comment", held, names.user_comment.as_ref(), FieldValue::Text);
    let draft = part(draft, "home_directory", held, names.home_directory.as_ref(), FieldValue::Path);
    let draft = part(draft, "profile_path", held, names.profile.as_ref(), FieldValue::Path);
    part(draft, "script_path", held, names.script.as_ref(), FieldValue::Path)
}
