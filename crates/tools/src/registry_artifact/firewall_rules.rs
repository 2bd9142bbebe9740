//! Rules of the Windows firewall, and the exceptions that Windows XP and Server 2003 keep instead.
//!
//! Source of the format of a rule: [MS-GPFAS] 2.2.2.19; protocols by number according to IANA.

use super::Artifact;
use super::draft::{Draft, TextField, record_type, text_of, value_path};
use super::reader::Reader;
use super::values::Held;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use ledger::FieldType::{Flag, Integer, List, Name, Path, RegistryPath, Text};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "firewall_rule";

const POLICY: &str = "Services\\SharedAccess\\Parameters\\FirewallPolicy";
const OF_POLICY: &str = "Policies\\Microsoft\\WindowsFirewall\\FirewallRules";

/// The profiles for which older Windows keeps exceptions.
const PROFILES: [(&str, &str); 2] = [("DomainProfile", "Domain"), ("StandardProfile", "Standard")];

/// The parts that a rule has only once.
const TEXTS: &[TextField] = &[
    ("name", "Name", FieldValue::Text),
    ("action", "Action", FieldValue::Name),
    ("direction", "Dir", FieldValue::Name),
    ("program", "App", FieldValue::Path),
    ("service", "Svc", FieldValue::Name),
    ("package", "AppPkgId", FieldValue::Text),
    ("user", "LUAuth", FieldValue::Text),
    ("description", "Desc", FieldValue::Text),
    ("group", "EmbedCtxt", FieldValue::Text),
];

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "firewall_rules",
    about: "rules of the Windows firewall: what is let in or out or blocked, for which program, port and address, and whether the rule is active",
    hives: &[HiveType::System, HiveType::Software],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one rule of the firewall; whether the firewall itself is on is another setting. When the list of rules was last written is not when this rule was made",
        "rule",
        &[
            (
                "rule",
                &[Name],
                "name of the value: a GUID, or the id of a rule that came with Windows or a program",
            ),
            ("name", &[Text], "name that is shown; may be a resource"),
            ("action", &[Name], "Allow, Block or Bypass"),
            ("active", &[Flag], "whether the rule is on"),
            ("direction", &[Name], "In or Out"),
            (
                "protocol",
                &[Integer, Name],
                "number of the protocol, such as 6 for TCP and 17 for UDP; all where it is missing",
            ),
            ("local_ports", &[List], "ports of the host"),
            ("remote_ports", &[List], "ports of the other side"),
            ("local_addresses", &[List], "addresses of the host"),
            ("remote_addresses", &[List], "addresses of the other side"),
            ("program", &[Path], "program for which it holds"),
            ("service", &[Name], "service for which it holds"),
            ("package", &[Text], "package for which it holds"),
            ("user", &[Text], "users for which it holds, as a security descriptor"),
            ("profiles", &[List], "profiles of the network in which it holds; all where none is named"),
            ("description", &[Text], "description; may be a resource"),
            ("group", &[Text], "group of the rule; may be a resource"),
            ("policy", &[Flag], "whether a group policy sets it"),
            ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let is = |wanted| reader.hive_type == wanted || reader.hive_type == HiveType::Other;
    let (system, software) = (is(HiveType::System), is(HiveType::Software));
    if software && let Some(key) = reader.key(OF_POLICY) {
        rules(reader, &key, true)?;
    }
    let set = if system { reader.control_set() } else { None };
    let Some(policy) = set.and_then(|set| reader.below(&set, POLICY)) else {
        return ControlFlow::Continue(());
    };
    if let Some(key) = reader.below(&policy, "FirewallRules") {
        rules(reader, &key, false)?;
    }
    for (profile, shown) in PROFILES {
        for (list, is_port) in [("AuthorizedApplications\\List", false), ("GloballyOpenPorts\\List", true)] {
            let Some(key) = reader.below(&policy, &format!("{profile}\\{list}")) else { continue };
            exceptions(reader, &key, shown, is_port)?;
        }
    }
    ControlFlow::Continue(())
}

fn rules<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>, policy: bool) -> Flow {
    let values = reader.values(key);
    for held in &values.0 {
        let draft = begin(reader, key, held, policy);
        let draft = match text_of(Some(held)).filter(|text| text.starts_with('v') && text.contains('|')) {
            Some(text) => rule(draft, text),
            None => draft.unfit(held, "a firewall rule"),
        };
        reader.push(draft.done())?;
    }
    ControlFlow::Continue(())
}

fn begin(reader: &Reader<'_, '_>, key: &Key<'_>, held: &Held<'_>, policy: bool) -> Draft {
    Draft::of_value(reader, KIND, key, held)
        .undated()
        .value_name(reader, "rule", held, FieldValue::Name)
        .set("policy", FieldValue::Flag(policy), None)
        .set("value_path", value_path(key, held), None)
}

/// Reads the fields of a rule: a version, then `name=value` parts separated by bars; a repeated name gives a list.
fn rule(draft: Draft, text: &str) -> Draft {
    let parts: Vec<(&str, &str)> = text.split('|').skip(1).filter_map(|part| part.split_once('=')).collect();
    let one =
        |wanted: &str| parts.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|part| part.1);
    let many = |wanted: &[&str]| {
        let is = |name: &str| wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
        let found: Vec<_> = parts.iter().filter(|(name, _)| is(name)).map(|part| part.1.to_owned()).collect();
        (!found.is_empty()).then_some(FieldValue::List(found))
    };
    let draft = TEXTS.iter().fold(draft, |draft, (field, name, make)| {
        draft.maybe(field, one(name).map(|text| make(text.to_owned())), None)
    });
    let protocol = one("Protocol").map(|text| match text.parse::<u16>() {
        Ok(number) => FieldValue::Integer(number.into()),
        Err(_) => FieldValue::Name(text.to_owned()),
    });
    let active = one("Active").map(|text| FieldValue::Flag(text.eq_ignore_ascii_case("TRUE")));
    draft
        .maybe("protocol", protocol, None)
        .maybe("active", active, None)
        .maybe("local_ports", many(&["LPort", "LPort2_10"]), None)
        .maybe("remote_ports", many(&["RPort", "RPort2_10"]), None)
        .maybe("local_addresses", many(&["LA4", "LA6"]), None)
        .maybe("remote_addresses", many(&["RA4", "RA6", "RA42", "RA62"]), None)
        .maybe("profiles", many(&["Profile"]), None)
}

/// Reads exceptions of older Windows: `path:scope:Enabled:name` or `port:protocol:scope:Enabled:name`.
fn exceptions<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>, profile: &str, is_port: bool) -> Flow {
    let values = reader.values(key);
    for held in &values.0 {
        let draft = begin(reader, key, held, false)
            .set("action", FieldValue::Name("Allow".to_owned()), None)
            .set("direction", FieldValue::Name("In".to_owned()), None)
            .set("profiles", FieldValue::List(vec![profile.to_owned()]), None);
        let name = &held.value.name;
        let rest = text_of(Some(held)).and_then(|text| {
            let start = text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
            text.get(name.len()..)?.strip_prefix(':').filter(|_| start)
        });
        let draft = match rest {
            Some(rest) => exception(draft, name, rest, is_port),
            None => draft.unfit(held, "an exception of the firewall"),
        };
        reader.push(draft.done())?;
    }
    ControlFlow::Continue(())
}

fn exception(draft: Draft, name: &str, rest: &str, is_port: bool) -> Draft {
    let mut parts = rest.splitn(3, ':');
    let (scope, state, shown) = (parts.next(), parts.next(), parts.next());
    let draft = match name.split_once(':') {
        Some((port, protocol)) if is_port => draft
            .set("local_ports", FieldValue::List(vec![port.to_owned()]), None)
            .set("protocol", FieldValue::Name(protocol.to_owned()), None),
        _ => draft.set("program", FieldValue::Path(name.to_owned()), None),
    };
    let scope = scope.map(|scope| FieldValue::List(vec![scope.to_owned()]));
    let active = state.map(|state| FieldValue::Flag(state.eq_ignore_ascii_case("Enabled")));
    let shown = shown.filter(|shown| !shown.is_empty()).map(|shown| FieldValue::Text(shown.to_owned()));
    draft.maybe("remote_addresses", scope, None).maybe("active", active, None).maybe("name", shown, None)
}
