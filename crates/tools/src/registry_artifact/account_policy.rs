//! Password and lockout policy (SAM), and the names and SIDs of the computer and its domain (SECURITY).

use super::Artifact;
use super::decoded::{self, damaged, part, time};
use super::draft::{Draft, record_type};
use super::reader::Reader;
use crate::intake::Flow;
use artifacts::account_policy::{self, Period};
use artifacts::registry::HiveType;
use artifacts::sid::sid;
use ledger::FieldType::{Flag, Integer, Name, Sid, Text, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const POLICY: &str = "account_policy";
const DOMAIN: &str = "security_domain";

/// The domains in SECURITY, with the keys of their name and SID.
const DOMAINS: [(&str, &str, &str); 2] =
    [("account domain", "PolAcDmN", "PolAcDmS"), ("primary domain", "PolPrDmN", "PolPrDmS")];

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "account_policy",
    about: "policy for passwords and lockouts of local accounts, and the SID of the computer and of its domain",
    hives: &[HiveType::Sam, HiveType::Security],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![
        record_type(
            POLICY,
            "the policy for passwords and lockouts of local accounts",
            "key_path",
            &[
                ("minimum_length", &[Integer], "least characters of a password"),
                ("history", &[Integer], "passwords that are kept so that they are not used again"),
                ("lockout_threshold", &[Integer], "wrong passwords that lock an account; 0 for never"),
                (
                    "maximum_age_seconds",
                    &[Integer],
                    "seconds after which a password must be changed; none for never",
                ),
                ("minimum_age_seconds", &[Integer], "seconds before a password may be changed"),
                ("lockout_seconds", &[Integer], "seconds for which an account stays locked; none for ever"),
                (
                    "lockout_window_seconds",
                    &[Integer],
                    "seconds in which wrong passwords are counted together",
                ),
                ("complexity", &[Flag], "whether passwords must be complex"),
                ("reversible", &[Flag], "whether passwords are stored so that they can be read again"),
                ("created", &[Time], "when the account domain was made, mostly by the installation"),
            ],
        ),
        record_type(
            DOMAIN,
            "the name and the SID of the computer's own accounts, or of the domain that it belongs to",
            "domain",
            &[
                ("domain", &[Name], "account domain (the computer itself) or primary domain"),
                ("name", &[Text], "its name"),
                ("sid", &[Sid], "its SID; a workgroup has none"),
            ],
        ),
    ]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let is = |wanted| reader.hive_type == wanted || reader.hive_type == HiveType::Other;
    let (sam, security) = (is(HiveType::Sam), is(HiveType::Security));
    if sam && let Some((key, values)) = reader.key_and_values("SAM\\Domains\\Account") {
        let draft = Draft::of_key(reader, POLICY, &key);
        if let Some(held) = values.get("F") {
            let (policy, damage) = account_policy::policy(&held.value.raw);
            let draft = damaged(draft.own(held), held, &damage).undated();
            let draft = decoded::number(draft, "minimum_length", held, policy.minimum_length.as_ref());
            let draft = decoded::number(draft, "history", held, policy.history.as_ref());
            let draft = decoded::number(draft, "lockout_threshold", held, policy.lockout_threshold.as_ref());
            let periods = [
                ("maximum_age_seconds", &policy.maximum_age),
                ("minimum_age_seconds", &policy.minimum_age),
                ("lockout_seconds", &policy.lockout_duration),
                ("lockout_window_seconds", &policy.lockout_window),
            ];
            let draft = periods.into_iter().fold(draft, |draft, (field, period)| {
                let bounded = period.as_ref().filter(|period| period.value != Period::NEVER);
                part(draft, field, held, bounded, |period| FieldValue::Integer(period.seconds().into()))
            });
            let flags = policy.properties.as_ref();
            let draft = part(draft, "complexity", held, flags, |flags| FieldValue::Flag(flags & 1 != 0));
            let draft = part(draft, "reversible", held, flags, |flags| FieldValue::Flag(flags & 0x10 != 0));
            let record = time(draft, "created", held, policy.created.as_ref()).done();
            reader.push(record)?;
        }
    }
    if security { domains(reader) } else { ControlFlow::Continue(()) }
}

fn domains(reader: &mut Reader<'_, '_>) -> Flow {
    for (domain, name, identifier) in DOMAINS {
        let Some((key, values)) = reader.key_and_values(&format!("Policy\\{name}")) else { continue };
        let draft =
            Draft::of_key(reader, DOMAIN, &key).set("domain", FieldValue::Name(domain.to_owned()), None);
        let draft = match values.get("") {
            Some(held) => {
                let (text, damage) = account_policy::name(&held.value.raw);
                part(damaged(draft.own(held), held, &damage), "name", held, text.as_ref(), FieldValue::Text)
            }
            None => draft,
        };
        let identifiers = reader.key_and_values(&format!("Policy\\{identifier}"));
        let draft = match identifiers.as_ref().and_then(|(_, values)| values.get("")) {
            Some(held) => part(draft, "sid", held, sid(&held.value.raw, 0).as_ref(), FieldValue::Sid),
            None => draft,
        };
        reader.push(draft.done())?;
    }
    ControlFlow::Continue(())
}
