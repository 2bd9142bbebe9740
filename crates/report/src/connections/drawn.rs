//! Entities and relations in graph formats: DOT, GraphML, and the elements of Cytoscape.
//!
//! In each format, text from the evidence is a quoted string with unprintable characters escaped.

use super::Answer;
use crate::inert::terminal;
use graph::connections::{Connections, EntityRef, RelationRef};
use serde_json::{Value, json};
use std::fmt::Write;

/// Formats the answer in DOT, for Graphviz.
pub fn dot(of: &Connections, answer: &Answer) -> String {
    let mut out = String::from("digraph connections {\n  node [shape=box];\n");
    for it in entities(of, answer) {
        let label = format!("{}\n{}", it.kind, it.name);
        let _ = writeln!(out, "  {} [label={}];", quoted(&it.id), quoted(&label));
    }
    for it in relations(of, answer) {
        let label = quoted(&it.words());
        // A relation that an agent added is an interpretation.
        let style = if it.by.is_some() { ", style=dashed" } else { "" };
        let _ = writeln!(out, "  {} -> {} [label={label}{style}];", quoted(&it.from), quoted(&it.to));
    }
    out.push_str("}\n");
    out
}

/// Quotes a DOT string: only quotation mark and backslash are special in it; `\n` breaks a label's line.
fn quoted(text: &str) -> String {
    let lines: Vec<String> =
        text.split('\n').map(|line| terminal(line).replace('\\', "\\\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", lines.join("\\n"))
}

/// Formats the answer in GraphML, for yEd, Gephi and NetworkX (<http://graphml.graphdrawing.org/>).
pub fn graphml(of: &Connections, answer: &Answer) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    for (on, name) in [
        ("node", "kind"),
        ("node", "name"),
        ("edge", "relation"),
        ("edge", "first"),
        ("edge", "facts"),
        ("edge", "by"),
    ] {
        let _ =
            writeln!(out, "  <key id=\"{name}\" for=\"{on}\" attr.name=\"{name}\" attr.type=\"string\"/>");
    }
    out.push_str("  <graph edgedefault=\"directed\">\n");
    for it in entities(of, answer) {
        let _ = writeln!(
            out,
            "    <node id=\"{}\"><data key=\"kind\">{}</data><data key=\"name\">{}</data></node>",
            xml(&it.id),
            xml(it.kind),
            xml(&it.name)
        );
    }
    for it in relations(of, answer) {
        let first = it.first.as_deref().map(|first| format!("<data key=\"first\">{}</data>", xml(first)));
        let _ = writeln!(
            out,
            "    <edge source=\"{}\" target=\"{}\"><data key=\"relation\">{}</data>{}<data key=\"facts\">{}</data><data key=\"by\">{}</data></edge>",
            xml(&it.from),
            xml(&it.to),
            xml(&it.kind),
            first.unwrap_or_default(),
            xml(&it.facts.join(" ")),
            xml(it.by.as_deref().unwrap_or("code"))
        );
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

fn xml(text: &str) -> String {
    terminal(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Formats the answer as elements of Cytoscape and Cytoscape.js.
pub fn cytoscape(of: &Connections, answer: &Answer) -> Value {
    let nodes: Vec<Value> = entities(of, answer)
        .map(|it| json!({ "data": { "id": it.id, "kind": it.kind, "name": it.name, "host": it.host } }))
        .collect();
    let edges: Vec<Value> = relations(of, answer)
        .enumerate()
        .map(|(at, it)| {
            json!({ "data": {
                "id": format!("r{at}"),
                "source": it.from,
                "target": it.to,
                "relation": it.kind,
                "first": it.first,
                "facts": it.facts,
                "by": it.by.as_deref().unwrap_or("code"),
            } })
        })
        .collect();
    json!({ "elements": { "nodes": nodes, "edges": edges } })
}

struct DrawnEntity {
    id: String,
    kind: &'static str,
    name: String,
    host: Option<String>,
}

struct DrawnRelation {
    from: String,
    to: String,
    kind: String,
    first: Option<String>,
    facts: Vec<String>,
    /// The agent that added it; `None` if code derived it.
    by: Option<String>,
}

impl DrawnRelation {
    fn words(&self) -> String {
        let mut kind = self.kind.replace('_', " ");
        if let Some(agent) = &self.by {
            let _ = write!(kind, "\n{agent}'s reading");
        }
        self.first.as_ref().map_or_else(|| kind.clone(), |first| format!("{kind}\n{first}"))
    }
}

fn entities<'a>(of: &'a Connections, answer: &'a Answer) -> impl Iterator<Item = DrawnEntity> + 'a {
    answer.entities.iter().map(|entity| DrawnEntity {
        id: id(of, *entity),
        kind: of.kind(*entity).name(),
        name: of.title(*entity).to_owned(),
        host: of.host(*entity).map(str::to_owned),
    })
}

fn relations<'a>(of: &'a Connections, answer: &'a Answer) -> impl Iterator<Item = DrawnRelation> + 'a {
    let by_code = answer.relations.iter().filter_map(|relation| relation_of(of, answer, *relation));
    by_code.chain(answer.links.iter().map(|link| DrawnRelation {
        from: id(of, link.from),
        to: id(of, link.to),
        kind: link.words.clone(),
        first: None,
        facts: link.facts.clone(),
        by: Some(link.agent.clone()),
    }))
}

fn relation_of(of: &Connections, answer: &Answer, relation: RelationRef) -> Option<DrawnRelation> {
    let (from, kind, to) = of.relation(relation)?;
    let shown = || of.shown_by(relation).filter(|told| answer.filter.takes(of, *told));
    let first = shown().filter_map(|told| told.when).min();
    Some(DrawnRelation {
        from: id(of, from),
        to: id(of, to),
        kind: kind.name().to_owned(),
        by: None,
        first: first.map(|first| first.to_string()),
        facts: distinct(shown().map(|told| told.fact.fact.to_string())),
    })
}

/// Removes repeats, keeping the order: a fact may show a relation several times.
fn distinct(facts: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = std::collections::BTreeSet::new();
    facts.filter(|fact| known.insert(fact.clone())).collect()
}

fn id(of: &Connections, entity: EntityRef) -> String {
    of.id(entity).map(|id| id.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_evidence_ends_no_string_and_no_element() {
        assert_eq!(quoted("a\"];b\\"), r#""a\"];b\\""#);
        assert_eq!(quoted("file\na\u{1b}b"), r#""file\na\\u{1b}b""#);
        assert_eq!(xml("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
        assert_eq!(xml("a\u{0}b"), "a\\u{0}b");
    }
}
