//! OpenIOC 1.0 and 1.1: items of an indicator of which one must be present.

use crate::kind::Kind;
use crate::read::{ReadError, Taken};
use roxmltree::{Document, Node, ParsingOptions};

/// The most nodes in a file.
const NODES: u32 = 2_000_000;

pub(crate) fn read(text: &str, taken: &mut Taken<'_>) -> Result<(), ReadError> {
    let options = ParsingOptions { nodes_limit: NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| ReadError::Xml { line: Some(error.pos().row.into()), reason: error.to_string() })?;
    let root = document.root_element();
    let name = root.tag_name().name();
    if !name.eq_ignore_ascii_case("ioc") && !name.eq_ignore_ascii_case("openioc") {
        let reason = format!("expected OpenIOC, found {name:?}");
        return Err(ReadError::Xml {
            reason,
            line: Some(document.text_pos_at(root.range().start).row.into()),
        });
    }
    let label = root.descendants().find(|node| node.has_tag_name_any("short_description"));
    let label = label.and_then(|node| node.text());
    for item in root.descendants().filter(|node| node.has_tag_name_any("IndicatorItem")) {
        let line = Some(u64::from(document.text_pos_at(item.range().start).row));
        one(item, line, label, taken);
    }
    Ok(())
}

/// Matches element names, whatever their namespace.
trait Named {
    fn has_tag_name_any(&self, name: &str) -> bool;
}

impl Named for Node<'_, '_> {
    fn has_tag_name_any(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn one(item: Node<'_, '_>, line: Option<u64>, label: Option<&str>, taken: &mut Taken<'_>) {
    let child = |name: &str| item.children().find(|node| node.has_tag_name_any(name));
    let search = child("Context").and_then(|node| node.attribute("search")).unwrap_or_default();
    let content = child("Content").and_then(|node| node.text()).unwrap_or_default();
    let condition = item.attribute("condition").unwrap_or("is");
    if !matches!(condition, "is" | "contains") || item.attribute("negate") == Some("true") {
        return taken.skip(format!("an item with the condition {condition}, or negated"), line);
    }
    // One part of a conjunction is not what the indicator says.
    let parts = item.parent().filter(|parent| parent.attribute("operator") == Some("AND"));
    if parts.is_some_and(|parent| parent.children().filter(Node::is_element).count() > 1) {
        return taken.skip("an item that holds only together with others".to_owned(), line);
    }
    match kind(search) {
        Some(kind) => taken.take(Some(kind), content, line, label),
        None => taken.skip(format!("an item over {search}"), line),
    }
}

fn kind(search: &str) -> Option<Kind> {
    let (_, last) = search.rsplit_once('/')?;
    let search = search.to_ascii_lowercase();
    Some(match last.to_ascii_lowercase().as_str() {
        "md5sum" | "sha1sum" | "sha256sum" => Kind::Hash,
        "remoteip" | "localip" | "ip" | "ipv4address" => Kind::Address,
        "dns" | "host" | "recordname" | "hostname" => Kind::Domain,
        "url" | "uri" => Kind::Url,
        "filename" | "name" if search.starts_with("fileitem") || search.starts_with("processitem") => {
            Kind::FileName
        }
        "fullpath" | "filepath" | "path"
            if search.starts_with("fileitem") || search.starts_with("processitem") =>
        {
            Kind::Path
        }
        "keypath" | "path" if search.starts_with("registryitem") => Kind::RegistryKey,
        _ => return None,
    })
}
