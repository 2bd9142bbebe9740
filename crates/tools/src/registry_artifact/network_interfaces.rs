//! Network interfaces: the TCP/IP settings of each in the active control set.
//!
//! Names and units of the values: Microsoft Learn, "TCP/IP and NBT configuration parameters for Windows";
//! lease times are seconds since 1970. The name of the connection is below
//! `Control\Network\{4D36E972-E325-11CE-BFC1-08002BE10318}`, the device class of network adapters.

use super::Artifact;
use super::draft::{Draft, TextField, record_type};
use super::reader::Reader;
use crate::intake::Flow;
use artifacts::registry::HiveType;
use ledger::FieldType::{Flag, Guid, List, Name, Text, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "network_interface";
const INTERFACES: &str = "Services\\Tcpip\\Parameters\\Interfaces";
const ADAPTERS: &str = "Control\\Network\\{4D36E972-E325-11CE-BFC1-08002BE10318}";

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "network_interfaces",
    about: "IP addresses, gateways, DNS servers and DHCP leases of each network interface",
    hives: &[HiveType::System],
    records,
    read,
};

const TEXTS: &[TextField] = &[
    ("dhcp_address", "DhcpIPAddress", FieldValue::Name),
    ("dhcp_mask", "DhcpSubnetMask", FieldValue::Name),
    ("dhcp_server", "DhcpServer", FieldValue::Name),
    ("dhcp_domain", "DhcpDomain", FieldValue::Name),
    ("dhcp_dns_servers", "DhcpNameServer", FieldValue::Text),
    ("domain", "Domain", FieldValue::Name),
    ("dns_servers", "NameServer", FieldValue::Text),
];

const LISTS: [(&str, &str); 5] = [
    ("addresses", "IPAddress"),
    ("masks", "SubnetMask"),
    ("gateways", "DefaultGateway"),
    ("dhcp_gateways", "DhcpDefaultGateway"),
    ("dhcp_masks", "DhcpSubnetMaskOpt"),
];

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "the TCP/IP settings of one network interface; of a wireless one also those of one network",
        "interface",
        &[
            (
                "interface",
                &[Guid, Name],
                "GUID of the interface; for a network of a wireless interface the name of its key",
            ),
            ("connection", &[Text], "name of the connection, such as Ethernet"),
            ("dhcp", &[Flag], "whether a DHCP server gives the address"),
            ("addresses", &[List], "IP addresses set by hand"),
            ("masks", &[List], "their subnet masks"),
            ("gateways", &[List], "default gateways set by hand"),
            ("dns_servers", &[Text], "DNS servers set by hand, with spaces or commas between"),
            ("domain", &[Name], "DNS domain set by hand"),
            ("dhcp_address", &[Name], "IP address from the DHCP server"),
            ("dhcp_mask", &[Name], "subnet mask from the DHCP server"),
            ("dhcp_masks", &[List], "subnet masks among the options of the DHCP server"),
            ("dhcp_gateways", &[List], "default gateways from the DHCP server"),
            ("dhcp_dns_servers", &[Text], "DNS servers from the DHCP server, with spaces between"),
            ("dhcp_server", &[Name], "address of the DHCP server"),
            ("dhcp_domain", &[Name], "DNS domain from the DHCP server"),
            (
                "lease_obtained",
                &[Time],
                "when the lease was obtained, by the clock of the host; some hosts store another count, which shows as a time near 1970",
            ),
            ("lease_terminates", &[Time], "when the lease ends; the same holds"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(set) = reader.control_set() else { return ControlFlow::Continue(()) };
    let Some(list) = reader.below(&set, INTERFACES) else { return ControlFlow::Continue(()) };
    let adapters = reader.below(&set, ADAPTERS);
    for key in reader.children(&list) {
        let connection =
            adapters.as_ref().and_then(|all| reader.below(all, &format!("{}\\Connection", key.name)));
        let connection = connection.map(|key| reader.values(&key)).unwrap_or_default();
        // A wireless interface has a key for each network that it has used.
        let networks = reader.children(&key);
        for (key, is_network) in
            std::iter::once((key, false)).chain(networks.into_iter().map(|key| (key, true)))
        {
            let values = reader.values(&key);
            if values.0.is_empty() {
                continue;
            }
            let make = if is_network { FieldValue::Name } else { FieldValue::Guid };
            let draft = Draft::of_key(reader, KIND, &key)
                .key_name(reader, "interface", &key, make)
                .text("connection", connection.get("Name"), FieldValue::Text)
                .flag("dhcp", values.get("EnableDHCP"))
                .texts(&values, TEXTS)
                .unix("lease_obtained", values.get("LeaseObtainedTime"))
                .unix("lease_terminates", values.get("LeaseTerminatesTime"));
            let draft =
                LISTS.iter().fold(draft, |draft, (field, value)| draft.list(field, values.get(value)));
            reader.push(draft.done())?;
        }
    }
    ControlFlow::Continue(())
}
