//! A node of the graph as an agent reads it.

use crate::node::NodeId;
use serde::Serialize;

/// A node of the graph, in the form shown to agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeView {
    /// Its id.
    pub id: NodeId,
    /// What it says, in one line rendered by code.
    pub title: String,
    /// The nodes that it is based on or that it joins.
    pub nodes: Vec<NodeId>,
    /// An agent's own words about it, if there are any; interpretation, not evidence.
    pub words: String,
}
