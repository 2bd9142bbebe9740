//! The STIX cyber-observables of facts: the things that a record names, each under the id that STIX defines for it.
//!
//! If two facts name the same thing, it is one object. A property that only one of them states is kept;
//! if they disagree, it is left to the notes.

use crate::ids::{self, Ids};
use crate::times::{bound, field, instant_of};
use graph::WITHHELD;
use graph::connections::accounts_of;
use ledger::{FactEntry, FactId, FieldValue, Precision};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::net::IpAddr;

/// Record types whose subject is a file in the evidence and which describe that file.
const FILES: [&str; 6] =
    ["dir_entry", "mft_file_entry", "deleted_entry", "file_hash", "timestomp_indicator", "recycled_file"];

/// Fields with the path of a program or file.
const PATHS: [&str; 12] = [
    "program",
    "program_path",
    "resolved",
    "image",
    "image_path",
    "target",
    "file",
    "app_path",
    "service_dll",
    "executable",
    "profile_path",
    "source",
];

/// Fields with a network address.
const ADDRESSES: [&str; 12] = [
    "address",
    "source",
    "destination",
    "client",
    "server",
    "host_ip",
    "dhcp_address",
    "dhcp_server",
    "static_address",
    "source_address",
    "destination_address",
    "remote_addresses",
];

/// Fields with an account name or SID, in records for which the graph's rules do not pair them.
const ACCOUNTS: [&str; 7] = ["account", "sid", "by_account", "by_sid", "sam_user", "user_sid", "user"];

/// All observables of a bundle, by id.
#[derive(Debug, Default)]
pub(super) struct Observables {
    objects: BTreeMap<String, Map<String, Value>>,
    /// Properties on which facts disagree.
    disputed: BTreeMap<String, Vec<String>>,
    /// The run and the fact whose observables are being added.
    of: Option<(Ids, FactId)>,
}

impl Observables {
    /// Adds the things that a fact names; returns their ids, starting with the file that the record was read from.
    pub(super) fn of(&mut self, fact: &FactEntry, ids: &Ids) -> Vec<String> {
        self.told_by(ids, fact.id);
        let mut refs = vec![self.source(fact)];
        refs.extend(self.file(fact));
        refs.extend(PATHS.iter().filter_map(|name| text(fact, name)).filter_map(|path| self.named(path)));
        refs.extend(self.registry_key(fact));
        refs.extend(self.accounts(fact));
        refs.extend(self.addresses(fact));
        refs.extend(self.process(fact, ids));
        let mut seen = std::collections::BTreeSet::new();
        refs.retain(|id| seen.insert(id.clone()));
        refs
    }

    /// Sets the fact to which the observables added next belong.
    pub(super) fn told_by(&mut self, ids: &Ids, fact: FactId) -> &mut Observables {
        self.of = Some((*ids, fact));
        self
    }

    /// Adds an account by name and SID; `None` if neither is given.
    pub(super) fn account(&mut self, name: Option<&str>, sid: Option<&str>) -> Option<String> {
        self.account_with(name, sid, Map::new())
    }

    fn account_with(
        &mut self,
        name: Option<&str>,
        sid: Option<&str>,
        rest: Map<String, Value>,
    ) -> Option<String> {
        let mut contributing = Map::new();
        contributing.extend(name.map(|name| ("account_login".to_owned(), json!(name))));
        contributing.extend(sid.map(|sid| ("user_id".to_owned(), json!(sid))));
        (!contributing.is_empty()).then(|| self.add("user-account", Value::Object(contributing), rest))
    }

    /// Adds a file, known only by its path.
    pub(super) fn named(&mut self, path: &str) -> Option<String> {
        let contributing = self.file_name(path)?;
        Some(self.add("file", contributing, Map::new()))
    }

    /// Adds a network address; `None` if the text is not one.
    pub(super) fn address(&mut self, text: &str) -> Option<String> {
        let address = text.parse::<IpAddr>().ok()?;
        let kind = if address.is_ipv4() { "ipv4-addr" } else { "ipv6-addr" };
        Some(self.add(kind, json!({"value": address.to_string()}), Map::new()))
    }

    /// Adds a web address; `None` if the text is not one or would need repair.
    pub(super) fn url(&mut self, text: &str) -> Option<String> {
        web_address(text).map(|url| self.add("url", json!({"value": url}), Map::new()))
    }

    /// Returns the objects, each with its type and id.
    pub(super) fn into_objects(self) -> impl Iterator<Item = Value> {
        let disputed = self.disputed;
        self.objects.into_iter().map(move |(id, mut object)| {
            for property in disputed.get(&id).into_iter().flatten() {
                object.remove(property);
            }
            Value::Object(object)
        })
    }

    /// Adds the file in the evidence that the record was read from, or the medium itself for an image.
    fn source(&mut self, fact: &FactEntry) -> String {
        let locator = &fact.locator;
        let path = if locator.path.is_empty() { &locator.evidence } else { &locator.path };
        self.named(path).unwrap_or_else(|| self.add("file", json!({"name": locator.evidence}), Map::new()))
    }

    /// Splits a path into name and folder.
    fn file_name(&mut self, path: &str) -> Option<Value> {
        let path = path.trim_end_matches(['/', '\\']);
        let (folder, name) = path.rsplit_once(['/', '\\']).map_or((None, path), |(a, b)| (Some(a), b));
        if name.is_empty() {
            return None;
        }
        Some(match folder.filter(|folder| !folder.is_empty()) {
            None => json!({"name": name}),
            Some(folder) => {
                let folder = self.add("directory", json!({"path": folder}), Map::new());
                json!({"name": name, "parent_directory_ref": folder})
            }
        })
    }

    /// Adds the file that the record is about.
    fn file(&mut self, fact: &FactEntry) -> Option<String> {
        if !FILES.contains(&fact.kind.as_str()) {
            return None;
        }
        let path = fact.subject.value.as_text()?;
        let mut contributing = self.file_name(path)?;
        // A stream is not the file itself: its hash and size must not be attributed to the file.
        if field(fact, "stream").is_some() || fact.locator.stream.is_some() {
            return Some(self.add("file", contributing, Map::new()));
        }
        let hashes = hashes(fact);
        if let (false, Some(members)) = (hashes.is_empty(), contributing.as_object_mut()) {
            members.insert("hashes".to_owned(), Value::Object(hashes));
        }
        let mut rest = Map::new();
        if let Some(FieldValue::Size(size)) = field(fact, "size")
            && i64::try_from(*size).is_ok()
        {
            rest.insert("size".to_owned(), json!(size));
        }
        for (property, fields) in [
            ("ctime", ["born", "si_created"]),
            ("mtime", ["modified", "si_modified"]),
            ("atime", ["accessed", "si_accessed"]),
        ] {
            let time = fields.iter().find_map(|name| instant_of(fact, name));
            rest.extend(time.map(|time| (property.to_owned(), json!(stamp(time)))));
        }
        Some(self.add("file", contributing, rest))
    }

    /// Adds the key that contains the record. STIX does not allow keys that begin with an abbreviated hive name.
    fn registry_key(&mut self, fact: &FactEntry) -> Option<String> {
        let key = text(fact, "key_path").or_else(|| match &fact.subject.value {
            FieldValue::RegistryPath(path) if fact.subject.field == "key_path" => Some(path),
            _ => None,
        })?;
        if key.is_empty() || ["HKLM", "HKCC", "HKCR", "HKCU", "HKU"].iter().any(|hive| key.contains(hive)) {
            return None;
        }
        let written =
            ["key_last_written", "last_written"].iter().find_map(|name| instant_of(fact, name)).map(stamp);
        let rest = written.map(|time| ("modified_time".to_owned(), json!(time)));
        Some(self.add("windows-registry-key", json!({"key": key}), rest.into_iter().collect()))
    }

    fn accounts(&mut self, fact: &FactEntry) -> Vec<String> {
        let mut roles: Vec<(Option<&str>, Option<&str>)> =
            accounts_of(&fact.kind).map(|fields| (fields.name, fields.sid)).collect();
        if roles.is_empty() {
            // Nothing shows whether two fields belong to one account, so each is added separately.
            roles = ACCOUNTS.iter().map(|field| (Some(*field), Some(*field))).collect();
        }
        let mut found = Vec::new();
        for (name, sid) in roles {
            let login = name.and_then(|name| text(fact, name)).filter(|it| !is_sid(it));
            let sid = sid.and_then(|sid| text(fact, sid)).filter(|it| is_sid(it));
            let mut rest = Map::new();
            if fact.kind == "user_account" {
                rest.extend(text(fact, "full_name").map(|full| ("display_name".to_owned(), json!(full))));
                let last = instant_of(fact, "last_logon").map(stamp);
                rest.extend(last.map(|time| ("account_last_login".to_owned(), json!(time))));
            }
            found.extend(self.account_with(login, sid, rest));
        }
        found
    }

    fn addresses(&mut self, fact: &FactEntry) -> Vec<String> {
        let mut found = Vec::new();
        for value in bound(fact).filter(|value| ADDRESSES.contains(&value.field.as_str())) {
            found.extend(value.value.as_text().and_then(|text| self.address(text)));
        }
        for value in bound(fact).filter(|value| value.field == "url" || value.field.ends_with("_url")) {
            found.extend(value.value.as_text().and_then(|text| self.url(text)));
        }
        found
    }

    /// Adds a process, if the fact says that a program ran and names its file.
    fn process(&mut self, fact: &FactEntry, ids: &Ids) -> Option<String> {
        if fact.predicate.0 != "executed" {
            return None;
        }
        let program = ["resolved", "program_path", "program", "image", "app_path"];
        let program = program.iter().find_map(|name| text(fact, name)).or(fact.subject.value.as_text())?;
        let image = self.named(program)?;
        let id = format!("process--{}", ids.in_form_of_version_4("process", &fact.id.to_string()));
        let mut object = Map::new();
        object.insert("type".to_owned(), json!("process"));
        object.insert("spec_version".to_owned(), json!("2.1"));
        object.insert("id".to_owned(), json!(id));
        object.insert("image_ref".to_owned(), json!(image));
        let ran = ["last_run", "time"].iter().find_map(|name| instant_of(fact, name)).map(stamp);
        object.extend(ran.map(|time| ("created_time".to_owned(), json!(time))));
        self.objects.insert(id.clone(), object);
        Some(id)
    }

    /// Returns the standard id of an object; for an object with withheld values, an id specific to this run and fact.
    ///
    /// The standard id is a digest of the contents: it would let anyone check a guess of what is withheld.
    fn id(&self, kind: &str, canonical: &str) -> String {
        let withheld = self.of.filter(|_| canonical.contains(WITHHELD));
        let id = match withheld {
            Some((ids, fact)) => ids.in_form_of_version_4(kind, &format!("{fact}\n{canonical}")),
            None => ids::observable(canonical),
        };
        format!("{kind}--{id}")
    }

    /// Adds an object, or adds this fact's properties to an existing one.
    fn add(&mut self, kind: &str, contributing: Value, rest: Map<String, Value>) -> String {
        let id = self.id(kind, &canonical(&contributing));
        let object = match self.objects.entry(id.clone()) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(place) => {
                let mut object = Map::new();
                object.insert("type".to_owned(), json!(kind));
                object.insert("spec_version".to_owned(), json!("2.1"));
                object.insert("id".to_owned(), json!(id));
                if let Value::Object(members) = contributing {
                    object.extend(members);
                }
                place.insert(object)
            }
        };
        for (property, value) in rest {
            match object.get(&property) {
                Some(there) if *there != value => {
                    self.disputed.entry(id.clone()).or_default().push(property);
                }
                Some(_) => {}
                None => drop(object.insert(property, value)),
            }
        }
        id
    }
}

/// Returns the contributing properties in the digested form: of several hashes only one, in the order of STIX 2.1, section 2.9.
fn canonical(contributing: &Value) -> String {
    let mut digested = contributing.clone();
    if let Some(hashes) = digested.get_mut("hashes").and_then(Value::as_object_mut) {
        let first = ["MD5", "SHA-1", "SHA-256"].into_iter().find(|name| hashes.contains_key(*name));
        hashes.retain(|name, _| Some(name.as_str()) == first);
    }
    // For texts with ASCII member names, which is all that there is here, this is RFC 8785.
    ledger::canonical::to_string(&digested).unwrap_or_default()
}

/// Formats a time for STIX.
pub(super) fn stamp((utc, precision): (ledger::Utc, Precision)) -> String {
    utc.to_text(precision)
}

fn text<'f>(fact: &'f FactEntry, name: &str) -> Option<&'f str> {
    field(fact, name).and_then(FieldValue::as_text).filter(|text| !text.is_empty())
}

fn is_sid(text: &str) -> bool {
    text.starts_with("S-1-")
}

fn hashes(fact: &FactEntry) -> Map<String, Value> {
    let of = |(name, key, digits): (&str, &str, usize)| {
        let hex = text(fact, name)?;
        let is_hex = hex.len() == digits && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| (key.to_owned(), json!(hex.to_ascii_lowercase())))
    };
    [("md5", "MD5", 32), ("sha1", "SHA-1", 40), ("sha256", "SHA-256", 64)]
        .into_iter()
        .filter_map(of)
        .collect()
}

/// Returns a web address if it is valid without repair (only characters of RFC 3986).
fn web_address(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"))?;
    let host = rest.split(['/', '?', '#']).next()?;
    let is_host =
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:".contains(&byte));
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    (is_host && rest.bytes().all(plain)).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_that_others_give_the_same_thing() {
        // As computed by Python: uuid5(namespace, '{"value":"198.51.100.3"}').
        let mut observables = Observables::default();
        let id = observables.add("ipv4-addr", json!({"value": "198.51.100.3"}), Map::new());
        assert_eq!(id, "ipv4-addr--28bb3599-77cd-5a82-a950-b5bc3caf07c4");
    }

    #[test]
    fn the_order_of_properties_makes_no_other_thing() {
        let hashes = |digits: &str| json!({"SHA-256": digits.repeat(64), "MD5": "b".repeat(32)});
        let one = json!({"name": "a", "parent_directory_ref": "directory--x", "hashes": hashes("a")});
        let other = json!({"hashes": hashes("c"), "parent_directory_ref": "directory--x", "name": "a"});
        let digested = r#"{"hashes":{"MD5":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},"name":"a","parent_directory_ref":"directory--x"}"#;
        assert_eq!([canonical(&one), canonical(&other)], [digested; 2]);
    }

    #[test]
    fn a_name_and_a_sid_are_of_one_account_only_where_the_record_says_so() {
        let sid = "S-1-5-21-1-2-3-1001";
        let accounts = |fact: testkit::five_hosts::Made| {
            let mut observables = Observables::default();
            observables.accounts(&fact.fact());
            let told =
                observables.into_objects().map(|it| (it["account_login"].clone(), it["user_id"].clone()));
            let mut told: Vec<_> = told.collect();
            told.sort_by_key(|it| format!("{it:?}"));
            told
        };
        let made = |kind| testkit::five_hosts::made(1, "ws1", "recorded", kind).name("x", "x");
        let logon = accounts(made("logon").name("account", "mara").sid("sid", sid));
        assert_eq!(logon, [(json!("mara"), json!(sid))]);
        let apart = [(json!("LocalSystem"), Value::Null), (Value::Null, json!(sid))];
        let installed = made("service_installed").name("account", "LocalSystem").sid("sid", sid);
        assert_eq!(accounts(installed).iter().filter(|it| apart.contains(it)).count(), 2);
        let unknown = made("some_other_record").name("account", "LocalSystem").sid("sid", sid);
        assert_eq!(accounts(unknown).iter().filter(|it| apart.contains(it)).count(), 2);
    }

    #[test]
    fn what_two_facts_tell_differently_of_a_thing_is_left_out() {
        let mut observables = Observables::default();
        let told = |size: u64, time: &str| {
            let mut rest = Map::new();
            rest.insert("size".to_owned(), json!(size));
            rest.insert("mtime".to_owned(), json!(time));
            rest
        };
        observables.add("file", json!({"name": "a"}), told(1, "2024-01-01T00:00:00Z"));
        observables.add("file", json!({"name": "a"}), told(2, "2024-01-01T00:00:00Z"));
        let objects: Vec<Value> = observables.into_objects().collect();
        assert_eq!(objects.len(), 1);
        assert_eq!(objects[0].get("size"), None);
        assert_eq!(objects[0]["mtime"], "2024-01-01T00:00:00Z");
    }
}
