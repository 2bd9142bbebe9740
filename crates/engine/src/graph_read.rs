//! GRAPH_READ calls: what the task has found so far, in pages.

use crate::arguments::{Arguments, Malformed};
use crate::notebook::invocation;
use crate::step::Append;
use crate::task::{Task, event};
use crate::tools::ReadTool;
use ledger::event::{GraphRead, Refusal};
use ledger::turn::{Answer, NodeView, ToolCall};
use ledger::{Event, NodeId};

/// The most nodes in one answer.
pub(crate) const MOST_NODES: u32 = 200;
/// The number of nodes in an answer by default.
pub(crate) const SOME_NODES: u32 = 50;

impl Task {
    /// Answers a call that reads the graph.
    pub(crate) fn read_graph(&mut self, tool: ReadTool, call: ToolCall, append: &mut Vec<Append>) {
        match self.found(tool, &call) {
            Err(malformed) => self.refuse(call, Refusal::BadArguments, malformed.to_string(), append),
            Ok((nodes, left_out)) => {
                self.turn_record.fruitful = true;
                append.push(event(Event::GraphRead(GraphRead {
                    turn: self.turn,
                    call: call.call.clone(),
                    tool: call.tool.clone(),
                    shown: nodes.len() as u32,
                    left_out,
                })));
                self.answer(call, Answer::Nodes { nodes, left_out });
            }
        }
    }

    fn found(&self, tool: ReadTool, call: &ToolCall) -> Result<(Vec<NodeView>, u32), Malformed> {
        let held = self.shelf.held();
        match tool {
            ReadTool::ListPhenomena => {
                let arguments = Arguments::of(&call.arguments, &["offset", "limit"])?;
                let handed = self.handed_nodes().filter(|node| matches!(node.id, NodeId::Phenomenon(_)));
                Page::read(&arguments)?.of(self.notebook.phenomena(&self.facts).chain(handed))
            }
            ReadTool::ListInvocations => {
                let arguments = Arguments::of(&call.arguments, &["offset", "limit"])?;
                Page::read(&arguments)?.of(held.iter().map(invocation))
            }
            ReadTool::Connections => {
                Page { offset: 0, limit: MOST_NODES }.of(self.connected(call)?.into_iter())
            }
            ReadTool::SearchGraph => {
                let arguments = Arguments::of(&call.arguments, &["text", "offset", "limit"])?;
                let text = arguments.text("text")?.to_lowercase();
                let fits = |node: &NodeView| {
                    node.title.to_lowercase().contains(&text) || node.words.to_lowercase().contains(&text)
                };
                let own = self.notebook.views(&self.facts, held);
                Page::read(&arguments)?.of(own.chain(self.handed_nodes()).filter(fits))
            }
            ReadTool::GetNode => {
                let arguments = Arguments::of(&call.arguments, &["id"])?;
                let id = arguments.node("id")?;
                let all = || self.notebook.views(&self.facts, held).chain(self.handed_nodes());
                let node = all().find(|node| node.id == id);
                let node = node.ok_or_else(|| Malformed::new("id", "a node of yours"))?;
                let shows_both = self.setting.connects;
                let is_around = |other: &NodeView| {
                    node.nodes.contains(&other.id) || shows_both && other.nodes.contains(&id)
                };
                let around: Vec<_> = all().filter(is_around).collect();
                Page { offset: 0, limit: MOST_NODES }.of(std::iter::once(node).chain(around))
            }
        }
    }

    /// Returns the nodes that other tasks handed over to it.
    fn handed_nodes(&self) -> impl Iterator<Item = NodeView> {
        self.handed.iter().flat_map(|handed| &handed.nodes).cloned()
    }
}

/// A part of a list.
struct Page {
    offset: u32,
    limit: u32,
}

impl Page {
    fn read(arguments: &Arguments<'_>) -> Result<Page, Malformed> {
        let offset = arguments.number("offset", 0)?;
        let limit = arguments.number("limit", SOME_NODES)?.clamp(1, MOST_NODES);
        Ok(Page { offset, limit })
    }

    /// Returns the nodes of the page, and the number of nodes after it.
    fn of(self, nodes: impl Iterator<Item = NodeView>) -> Result<(Vec<NodeView>, u32), Malformed> {
        let mut rest = nodes.skip(self.offset as usize);
        let shown: Vec<_> = rest.by_ref().take(self.limit as usize).collect();
        Ok((shown, rest.count() as u32))
    }
}
