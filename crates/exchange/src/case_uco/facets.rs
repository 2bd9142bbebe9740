//! Maps a fact's record to UCO: the class of its observable, and facets for the fields that UCO has properties for.
//!
//! Properties and their types are those of UCO 1.5.0. A time without a zone is not exported as `xsd:dateTime`.

use super::Node;
use crate::times::{field, instant_of};
use ledger::{FactEntry, FieldValue, Precision};
use serde_json::{Value, json};

/// Record types whose subject is a file in the evidence.
const FILES: [&str; 9] = [
    "dir_entry",
    "mft_file_entry",
    "deleted_entry",
    "file_hash",
    "stream",
    "timestomp_indicator",
    "recycled_file",
    "hive",
    "event_log",
];

/// Returns the class of a fact's observable, and its facets.
pub(super) fn of(fact: &FactEntry, node: &Node<'_>) -> (&'static str, Vec<Value>) {
    let kind = fact.kind.as_str();
    let whole = |class, facet: Option<Value>| (class, facet.into_iter().collect());
    match kind {
        _ if FILES.contains(&kind) => ("observable:File", file(fact, node)),
        _ if field(fact, "event_id").is_some() || field(fact, "record_id").is_some() => {
            whole("observable:EventRecord", event(fact, node))
        }
        "user_account" => ("observable:WindowsAccount", account(fact, node)),
        "page_visit" | "web_cache_visit" => whole("observable:URLVisit", visit(fact, node)),
        "prefetch" => whole("observable:WindowsPrefetch", prefetch(fact, node)),
        "service" => whole("observable:WindowsService", service(fact, node)),
        "scheduled_task" | "task_cache_entry" => whole("observable:WindowsTask", task(fact, node)),
        _ => match key(fact, node) {
            Some(facet) => ("observable:WindowsRegistryKey", vec![facet]),
            None => ("observable:ObservableObject", Vec::new()),
        },
    }
}

fn file(fact: &FactEntry, node: &Node<'_>) -> Vec<Value> {
    let mut facet = Facet::new("observable:FileFacet", node);
    if let Some(path) = fact.subject.value.as_text() {
        facet.text("observable:filePath", Some(path));
        facet.text("observable:fileName", path.rsplit(['/', '\\']).next());
    }
    facet.size("observable:sizeInBytes", fact, "size");
    facet.text("observable:allocationStatus", text(fact, "state"));
    for (property, fields) in [
        ("observable:observableCreatedTime", ["born", "si_created"]),
        ("observable:modifiedTime", ["modified", "si_modified"]),
        ("observable:accessedTime", ["accessed", "si_accessed"]),
        ("observable:metadataChangeTime", ["changed", "si_changed"]),
    ] {
        facet.time(property, fact, &fields);
    }
    facet.end().into_iter().chain(content(fact, node)).collect()
}

/// Returns a facet with the hashes in the record.
fn content(fact: &FactEntry, node: &Node<'_>) -> Option<Value> {
    let hashes: Vec<Value> = [("md5", "MD5", 32), ("sha1", "SHA1", 40), ("sha256", "SHA256", 64)]
        .into_iter()
        .filter_map(|(name, method, digits)| {
            let hex = text(fact, name).filter(|hex| hex.len() == digits)?;
            hex.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| node.hash(method, hex))
        })
        .collect();
    (!hashes.is_empty()).then(|| node.part("observable:ContentDataFacet", json!({"observable:hash": hashes})))
}

fn event(fact: &FactEntry, node: &Node<'_>) -> Option<Value> {
    let mut facet = Facet::new("observable:EventRecordFacet", node);
    facet.whole("observable:eventRecordID", fact, "record_id");
    // A shape of UCO 1.5.0 uses `eventID`, but no property of that name is declared.
    facet.whole("observable:eventType", fact, "event_id");
    facet.text("observable:eventRecordServiceName", text(fact, "provider"));
    facet.time("observable:observableCreatedTime", fact, &["time"]);
    facet.end()
}

fn account(fact: &FactEntry, node: &Node<'_>) -> Vec<Value> {
    let mut account = Facet::new("observable:AccountFacet", node);
    account.text("observable:accountIdentifier", text(fact, "sid"));
    let mut login = Facet::new("observable:DigitalAccountFacet", node);
    login.text("observable:accountLogin", text(fact, "name"));
    login.text("observable:displayName", text(fact, "full_name"));
    login.time("observable:lastLoginTime", fact, &["last_logon"]);
    let mut user = Facet::new("observable:UserAccountFacet", node);
    user.text("observable:homeDirectory", text(fact, "home_directory"));
    [account, login, user].into_iter().filter_map(Facet::end).collect()
}

fn visit(fact: &FactEntry, node: &Node<'_>) -> Option<Value> {
    let mut facet = Facet::new("observable:URLVisitFacet", node);
    facet.time("observable:visitTime", fact, &["time"]);
    facet.end()
}

fn prefetch(fact: &FactEntry, node: &Node<'_>) -> Option<Value> {
    let mut facet = Facet::new("observable:WindowsPrefetchFacet", node);
    facet.text("observable:applicationFileName", fact.subject.value.as_text());
    facet.size("observable:timesExecuted", fact, "run_count");
    facet.time("observable:lastRun", fact, &["last_run"]);
    facet.end()
}

fn service(fact: &FactEntry, node: &Node<'_>) -> Option<Value> {
    let mut facet = Facet::new("observable:WindowsServiceFacet", node);
    facet.text("observable:serviceName", text(fact, "name"));
    facet.text("observable:displayName", text(fact, "display_name"));
    facet.text("observable:startCommandLine", text(fact, "image_path"));
    facet.text("observable:startType", text(fact, "start_name"));
    facet.text("observable:serviceType", text(fact, "type_name"));
    facet.end()
}

fn task(fact: &FactEntry, node: &Node<'_>) -> Option<Value> {
    let mut facet = Facet::new("observable:WindowsTaskFacet", node);
    facet.text("observable:imageName", text(fact, "command"));
    facet.text("observable:parameters", text(fact, "arguments"));
    facet.text("observable:taskCreator", text(fact, "author"));
    facet.time("observable:observableCreatedTime", fact, &["created"]);
    facet.time("observable:mostRecentRunTime", fact, &["last_run"]);
    facet.end()
}

fn key(fact: &FactEntry, node: &Node<'_>) -> Option<Value> {
    let path = text(fact, "key_path").or_else(|| match &fact.subject.value {
        FieldValue::RegistryPath(path) => Some(path),
        _ => None,
    })?;
    let mut facet = Facet::new("observable:WindowsRegistryKeyFacet", node);
    facet.text("observable:key", Some(path));
    facet.time("observable:modifiedTime", fact, &["key_last_written", "last_written"]);
    if let Some(data) = field(fact, "data") {
        let mut value = Facet::new("observable:WindowsRegistryValue", node);
        value.text("core:name", text(fact, "name"));
        value.text("observable:data", Some(&data.to_text()));
        value.text("observable:dataType", text(fact, "value_type"));
        facet.members.extend(value.end().map(|it| ("observable:registryValues".to_owned(), it)));
    }
    facet.end()
}

fn text<'f>(fact: &'f FactEntry, name: &str) -> Option<&'f str> {
    field(fact, name).and_then(FieldValue::as_text).filter(|text| !text.is_empty())
}

/// A facet under construction.
struct Facet<'n> {
    class: &'static str,
    node: &'n Node<'n>,
    members: serde_json::Map<String, Value>,
}

impl<'n> Facet<'n> {
    fn new(class: &'static str, node: &'n Node<'n>) -> Facet<'n> {
        Facet { class, node, members: serde_json::Map::new() }
    }

    fn text(&mut self, property: &str, text: Option<&str>) {
        self.members.extend(text.filter(|it| !it.is_empty()).map(|it| (property.to_owned(), json!(it))));
    }

    /// Adds a whole number, as text.
    fn whole(&mut self, property: &str, fact: &FactEntry, name: &str) {
        self.text(property, field(fact, name).map(FieldValue::to_text).as_deref());
    }

    /// Adds a whole number, as a number.
    fn size(&mut self, property: &str, fact: &FactEntry, name: &str) {
        if let Some(FieldValue::Size(_) | FieldValue::Integer(_)) = field(fact, name) {
            let number = field(fact, name).map(FieldValue::to_text);
            self.members.extend(number.map(|it| (property.to_owned(), super::integer(&it))));
        }
    }

    /// Adds the first of these fields that is an instant.
    fn time(&mut self, property: &str, fact: &FactEntry, names: &[&str]) {
        let time = names.iter().find_map(|name| instant_of(fact, name));
        let text = time.map(|(utc, precision): (_, Precision)| super::date_time(&utc.to_text(precision)));
        self.members.extend(text.map(|it| (property.to_owned(), it)));
    }

    /// Returns the facet, unless it is empty.
    fn end(self) -> Option<Value> {
        (!self.members.is_empty()).then(|| self.node.part(self.class, Value::Object(self.members)))
    }
}
