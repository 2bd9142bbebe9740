//! The evidence graph as a picture: what the first findings are based on, from the evidence on the left to the conclusions on the right.

use super::{Scene, say};
use crate::nodes;
use graph::{FIRST, fact_title};
use ledger::event::InvocationStarted;
use ledger::{FactId, InvocationId, NodeId};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// The dimensions of the picture, in its own units.
const COLUMN: f64 = 243.0;
const BOX: f64 = 196.0;
const ROW: f64 = 26.0;
/// The number of characters of a node's name that are shown.
pub(super) const NAME: usize = 26;
/// The number of files of one call that have their own boxes.
const FILES: usize = 4;
/// The number of passes that reduce crossings in the columns.
const SWEEPS: usize = 6;

const COLUMNS: [&str; 5] = ["evidence", "file", "tool call", "finding", "answers, hypotheses"];

/// A node of the picture.
struct Node {
    column: usize,
    name: String,
    link: String,
}

/// Nodes in columns, and the edges between them.
#[derive(Default)]
struct Net {
    nodes: Vec<Node>,
    /// Edges from a node to the node that is based on it.
    edges: Vec<(usize, usize)>,
    known: BTreeMap<(usize, String), usize>,
}

impl Net {
    /// Returns the node with this column and key, adding it if it is new.
    fn node(&mut self, column: usize, key: &str, name: impl FnOnce() -> String, link: String) -> usize {
        let nodes = &mut self.nodes;
        *self.known.entry((column, key.to_owned())).or_insert_with(|| {
            nodes.push(Node { column, name: name(), link });
            nodes.len() - 1
        })
    }

    fn edge(&mut self, from: usize, to: usize) {
        if !self.edges.contains(&(from, to)) {
            self.edges.push((from, to));
        }
    }
}

/// The files that one call read.
#[derive(Default)]
struct Files<'r>(BTreeSet<&'r str>);

impl<'r> Files<'r> {
    /// Checks whether a file has its own box: only the first few do.
    fn place(&mut self, path: &'r str) -> bool {
        self.0.contains(path) || self.0.len() < FILES && self.0.insert(path)
    }
}

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let net = net(scene);
    html! {
        section #graph aria-labelledby="graph-title" {
            h2 #graph-title { "Evidence graph" }
            p.note {
                "What the first " (scene.ranked.len().min(FIRST)) " findings are based on: evidence, file, tool call; and what is based on them. "
                "Each box is a link. Facts are on the lines between calls and findings; each finding lists its own above."
            }
            @if net.nodes.is_empty() {
                p { "There is no graph, because no fact was recorded." }
            } @else {
                div.scroll #net tabindex="0" role="region" aria-label="Evidence graph, can be scrolled" { (drawn(&net)) }
            }
        }
    }
}

fn net(scene: &Scene<'_>) -> Net {
    let mut net = Net::default();
    let mut finding_of: BTreeMap<FactId, usize> = BTreeMap::new();
    let mut files: BTreeMap<InvocationId, Files<'_>> = BTreeMap::new();
    for ranked in scene.ranked.iter().take(FIRST) {
        let facts = || ranked.phenomenon.facts.iter().filter_map(|id| scene.run.fact(*id));
        let id = ranked.phenomenon.id;
        let title = || facts().next().map(fact_title).unwrap_or_default();
        let finding = net.node(3, &id.to_string(), title, format!("#{id}"));
        for fact in facts() {
            finding_of.insert(fact.id, finding);
            let place = &fact.locator;
            let evidence = net.node(0, &place.evidence, || place.evidence.clone(), "#custody".to_owned());
            let link = format!("#proof-{}", fact.id);
            let file = match files.entry(fact.invocation).or_default().place(&place.path) {
                true => {
                    net.node(1, &format!("{}:{}", place.evidence, place.path), || place.path.clone(), link)
                }
                false => net.node(1, &fact.invocation.to_string(), || "more files".to_owned(), link),
            };
            let tool = || {
                let made = scene.run.invocation(fact.invocation);
                made.map_or_else(|| fact.invocation.to_string(), |(_, made)| called(&made.started))
            };
            let call = net.node(2, &fact.invocation.to_string(), tool, format!("#{}", fact.invocation));
            net.edge(evidence, file);
            net.edge(file, call);
            net.edge(call, finding);
        }
        if let Some(answered) = ranked.rank.objective {
            let key = format!("{}/{}", answered.agent, answered.id);
            let objective = net.node(4, &key, || key.clone(), "#answers".to_owned());
            net.edge(finding, objective);
        }
    }
    for hypothesis in nodes::hypotheses(scene.run) {
        let Some(last) = hypothesis.assessments.last() else { continue };
        let resting = last.supporting.iter().chain(&last.contradicting).filter_map(|node| match node {
            NodeId::Fact(fact) => finding_of.get(fact).copied(),
            _ => None,
        });
        let id = hypothesis.proposed.hypothesis;
        for finding in resting.collect::<Vec<_>>() {
            let statement = || hypothesis.proposed.statement.clone();
            let node = net.node(4, &id.to_string(), statement, format!("#{id}"));
            net.edge(finding, node);
        }
    }
    net
}

/// Formats a tool and the values of its arguments, without the argument names.
fn called(started: &InvocationStarted) -> String {
    let arguments = started.arguments.as_object().into_iter().flatten();
    let texts = arguments.filter_map(|(_, value)| value.as_str());
    std::iter::once(started.tool.as_str()).chain(texts).collect::<Vec<_>>().join(" ")
}

/// Returns the row of each node: first in order of creation, then sorted several times by the mean row of their neighbours,
/// which removes most crossings.
fn rows(net: &Net) -> Vec<f64> {
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); COLUMNS.len()];
    for (node, it) in net.nodes.iter().enumerate() {
        if let Some(column) = columns.get_mut(it.column) {
            column.push(node);
        }
    }
    let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut rows = vec![0.0; net.nodes.len()];
    let place = |rows: &mut Vec<f64>, column: &[usize]| {
        let step = longest as f64 / column.len().max(1) as f64;
        for (row, node) in column.iter().enumerate() {
            if let Some(own) = rows.get_mut(*node) {
                *own = (row as f64 + 0.5) * step;
            }
        }
    };
    columns.iter().for_each(|column| place(&mut rows, column));
    for _ in 0..SWEEPS {
        for column in &mut columns {
            let mut by: Vec<(f64, usize)> =
                column.iter().map(|node| (middle(net, &rows, *node), *node)).collect();
            by.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
            *column = by.into_iter().map(|(_, node)| node).collect();
            place(&mut rows, column);
        }
    }
    rows
}

/// Returns the mean row of a node's neighbours, or its own row if it has none.
fn middle(net: &Net, rows: &[f64], node: usize) -> f64 {
    let neighbours = net.edges.iter().filter_map(|(from, to)| match node {
        _ if *from == node => Some(*to),
        _ if *to == node => Some(*from),
        _ => None,
    });
    let rows_of: Vec<f64> = neighbours.filter_map(|it| rows.get(it)).copied().collect();
    match rows_of.len() {
        0 => rows.get(node).copied().unwrap_or(0.0),
        number => rows_of.iter().sum::<f64>() / number as f64,
    }
}

fn drawn(net: &Net) -> Markup {
    let rows = rows(net);
    let at = |node: usize| {
        let column = net.nodes.get(node).map_or(0, |it| it.column);
        (COLUMN * column as f64, ROW * rows.get(node).copied().unwrap_or(0.0) + 24.0)
    };
    let longest = rows.iter().copied().fold(0.0, f64::max);
    let (width, height) = (COLUMN * 4.0 + BOX + 2.0, ROW * (longest + 1.0) + 30.0);
    html! {
        svg.net viewBox=(format!("0 0 {width} {height:.0}")) width=(width) height=(format!("{height:.0}")) role="group" aria-label="What is based on what" {
            @for (column, name) in COLUMNS.iter().enumerate() {
                text.column x=(COLUMN * column as f64) y="14" { (name) }
            }
            @for (from, to) in &net.edges {
                @let ((x1, y1), (x2, y2)) = (at(*from), at(*to));
                @let (start, end) = (x1 + BOX, x2);
                path.edge data-from=(from) data-to=(to)
                    d=(format!("M{start:.0} {:.1}C{:.0} {:.1} {:.0} {:.1} {end:.0} {:.1}", y1 + 10.0, start + 27.0, y1 + 10.0, end - 27.0, y2 + 10.0, y2 + 10.0)) {}
            }
            @for (number, node) in net.nodes.iter().enumerate() {
                @let (x, y) = at(number);
                a class=(format!("node c{}", node.column)) href=(node.link) data-node=(number) {
                    title { (graph::value_text(&node.name)) }
                    rect x=(x) y=(format!("{y:.1}")) width=(BOX) height="20" rx="4" {}
                    // A nested picture clips text that is too wide, because letters differ in width.
                    svg x=(x + 6.0) y=(format!("{y:.1}")) width=(BOX - 10.0) height="20" {
                        @let is_path = node.column == 1 && node.name.chars().count() > NAME;
                        text x=(if is_path { BOX - 10.0 } else { 0.0 }) y="14" text-anchor=(if is_path { "end" } else { "start" }) { (short(&node.name, node.column == 1)) }
                    }
                }
            }
        }
    }
}

/// Shortens a name to fit its box; of a path, the end is kept.
pub(super) fn short(name: &str, is_path: bool) -> String {
    let shown = say(name);
    let length = shown.chars().count();
    match (length <= NAME, is_path) {
        (true, _) => shown,
        (false, true) => format!("…{}", shown.chars().skip(length - NAME + 1).collect::<String>()),
        (false, false) => format!("{}…", shown.chars().take(NAME - 1).collect::<String>()),
    }
}
