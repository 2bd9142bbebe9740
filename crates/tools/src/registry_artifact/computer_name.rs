//! The names of the computer: `Control\ComputerName` and the TCP/IP parameters of the active control set.

use super::Artifact;
use super::draft::{Draft, record_type};
use super::reader::Reader;
use crate::intake::Flow;
use artifacts::registry::HiveType;
use ledger::{FieldType, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "computer_name";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "computer_name",
    about: "name, host name and domain of the computer",
    hives: &[HiveType::System],
    records,
    read,
};

/// Keys below the control set, each with its fields and values.
const SOURCES: [(&str, &[(&str, &str)]); 3] = [
    ("Control\\ComputerName\\ComputerName", &[("name", "ComputerName")]),
    ("Control\\ComputerName\\ActiveComputerName", &[("name", "ComputerName")]),
    (
        "Services\\Tcpip\\Parameters",
        &[
            ("hostname", "Hostname"),
            ("nv_hostname", "NV Hostname"),
            ("domain", "Domain"),
            ("nv_domain", "NV Domain"),
            ("dhcp_domain", "DhcpDomain"),
        ],
    ),
];

fn records() -> Vec<RecordType> {
    let name: &[FieldType] = &[FieldType::Name];
    vec![record_type(
        KIND,
        "the names of the computer in one key of the active control set: its NetBIOS name, or its name and domain in TCP/IP",
        "key_path",
        &[
            ("name", name, "NetBIOS name of the computer"),
            ("hostname", name, "host name in TCP/IP"),
            ("nv_hostname", name, "host name that holds from the next start on"),
            ("domain", name, "DNS domain; may be empty"),
            ("nv_domain", name, "DNS domain that holds from the next start on; may be empty"),
            ("dhcp_domain", name, "DNS domain that a DHCP server gave"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(set) = reader.control_set() else { return ControlFlow::Continue(()) };
    for (path, fields) in SOURCES {
        let Some(key) = reader.below(&set, path) else { continue };
        let values = reader.values(&key);
        if fields.iter().all(|(_, value)| values.get(value).is_none()) {
            continue;
        }
        let draft = Draft::of_key(reader, KIND, &key);
        let draft = fields
            .iter()
            .fold(draft, |draft, (field, value)| draft.text(field, values.get(value), FieldValue::Name));
        reader.push(draft.done())?;
    }
    ControlFlow::Continue(())
}
