//! Networks to which the host was connected: `NetworkList` of SOFTWARE.
//!
//! Times are `SYSTEMTIME`s in the local time of the host; the zone is not stored, so they are given as texts without one.
//! Numbers of `NameType` are IANA interface types (ifType-MIB); `Category` according to Microsoft Learn, `NLM_NETWORK_CATEGORY`.

use super::Artifact;
use super::draft::{Draft, number, record_type, text_of};
use super::reader::Reader;
use super::values::{Held, Values};
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key, ValueData};
use artifacts::system_time::SystemTime;
use ledger::FieldType::{Guid, Integer, Name, Text};
use ledger::{FieldValue, RecordType};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const PROFILE: &str = "network_profile";
const SIGNATURE: &str = "network_signature";
const NETWORK_LIST: &str = "Microsoft\\Windows NT\\CurrentVersion\\NetworkList";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "network_profiles",
    about: "networks that the host has been in, with their gateways; times are local",
    hives: &[HiveType::Software],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    let profile = record_type(
        PROFILE,
        "one network that the host has been in",
        "profile",
        &[
            ("profile", &[Guid], "GUID of the profile"),
            ("name", &[Text], "name of the network, such as an SSID"),
            ("description", &[Text], "description"),
            (
                "date_created_local",
                &[Text],
                "when the host was first in the network: local time of the host, whose zone is not stored (see time_zone)",
            ),
            (
                "date_last_connected_local",
                &[Text],
                "when the host was last connected: local time of the host, whose zone is not stored (see time_zone)",
            ),
            ("category", &[Integer], "0 public, 1 private, 2 domain"),
            ("category_name", &[Name], "the same in words"),
            ("name_type", &[Integer], "kind of network: 6 wired, 23 or 53 virtual, 71 wireless, 243 mobile"),
            (
                "gateway_mac",
                &[Name],
                "MAC address of the gateway, where exactly one signature names this profile",
            ),
            ("dns_suffix", &[Name], "DNS suffix, where exactly one signature names this profile"),
        ],
    );
    let signature = record_type(
        SIGNATURE,
        "the marks by which a network is known again",
        "profile",
        &[
            ("profile", &[Guid, Name], "GUID of the profile; the name of the key where none is stored"),
            ("name", &[Text], "name of the network when it was first met"),
            ("description", &[Text], "description"),
            ("gateway_mac", &[Name], "MAC address of the gateway"),
            ("dns_suffix", &[Name], "DNS suffix"),
        ],
    );
    vec![profile, signature]
}

/// The signatures of a network, by the lower-case GUID of its profile.
type Signatures<'h> = BTreeMap<String, Vec<(Key<'h>, Values<'h>)>>;

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(list) = reader.key(NETWORK_LIST) else { return ControlFlow::Continue(()) };
    let signatures = signatures(reader, &list);
    let profiles = reader.below(&list, "Profiles").map(|key| reader.children(&key)).unwrap_or_default();
    for key in profiles {
        let values = reader.values(&key);
        let category = values.get("Category");
        let draft = Draft::of_key(reader, PROFILE, &key)
            .key_name(reader, "profile", &key, FieldValue::Guid)
            .text("name", values.get("ProfileName"), FieldValue::Text)
            .text("description", values.get("Description"), FieldValue::Text)
            .number("category", category)
            .maybe("category_name", category.and_then(category_name), category.and_then(Held::at))
            .number("name_type", values.get("NameType"));
        let draft = local_time(draft, "date_created_local", values.get("DateCreated"));
        let mut draft = local_time(draft, "date_last_connected_local", values.get("DateLastConnected"));
        if let Some([(_, marks)]) = signatures.get(&key.name.to_ascii_lowercase()).map(Vec::as_slice) {
            draft = marked(draft, marks);
        }
        reader.push(draft.done())?;
    }
    for (key, values) in signatures.into_values().flatten() {
        let draft = Draft::of_key(reader, SIGNATURE, &key)
            .key_name(reader, "profile", &key, FieldValue::Name)
            .text("profile", values.get("ProfileGuid"), FieldValue::Guid)
            .text("name", values.get("FirstNetwork"), FieldValue::Text)
            .text("description", values.get("Description"), FieldValue::Text);
        reader.push(marked(draft, &values).done())?;
    }
    ControlFlow::Continue(())
}

fn signatures<'h>(reader: &mut Reader<'_, 'h>, list: &Key<'h>) -> Signatures<'h> {
    let mut found = Signatures::new();
    for path in ["Signatures\\Managed", "Signatures\\Unmanaged"] {
        let Some(branch) = reader.below(list, path) else { continue };
        for key in reader.children(&branch) {
            let values = reader.values(&key);
            let profile = text_of(values.get("ProfileGuid")).unwrap_or_default().to_ascii_lowercase();
            found.entry(profile).or_default().push((key, values));
        }
    }
    found
}

fn marked(draft: Draft, values: &Values<'_>) -> Draft {
    let draft = draft.text("dns_suffix", values.get("DnsSuffix"), FieldValue::Name);
    match values.get("DefaultGatewayMac") {
        Some(held) if held.value.data == ValueData::Bytes && held.value.raw.len() == 6 => {
            let parts: Vec<_> = held.value.raw.iter().map(|byte| format!("{byte:02x}")).collect();
            draft.own(held).set("gateway_mac", FieldValue::Name(parts.join("-")), held.at())
        }
        // A network without a gateway has an empty one.
        Some(held) if held.value.raw.is_empty() => draft,
        Some(held) => draft.unfit(held, "a MAC address of 6 bytes"),
        None => draft,
    }
}

fn local_time(draft: Draft, field: &str, held: Option<&Held<'_>>) -> Draft {
    let Some(held) = held else { return draft };
    match SystemTime::read(&held.value.raw) {
        Some(time) => draft.own(held).set(field, FieldValue::Text(time.to_string()), held.at()),
        None => draft.unfit(held, "a SYSTEMTIME"),
    }
}

fn category_name(category: &Held<'_>) -> Option<FieldValue> {
    let name = match number(category)? {
        0 => "public",
        1 => "private",
        2 => "domain",
        _ => return None,
    };
    Some(FieldValue::Name(name.to_owned()))
}
