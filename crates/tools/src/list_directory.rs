//! `list_directory`: the entries of a folder, or of everything below it.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::returned::Return;
use crate::{dir_entry, place, spec};
use evidence::{Listing, Node, NodeKind, Step, Tree, walk};
use ledger::{Defect, Gap, ToolSpec};
use serde_json::json;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "list_directory",
        "Lists the entries of a folder of the evidence, sorted by name; with `recursive` everything below it, depth first. \
         Times of evidence that is a copied folder are those of the copy and prove nothing about the examined host.",
        vec![
            (
                "path",
                spec::text("folder, with either slash, with or without a drive letter; empty for the root"),
            ),
            ("evidence", spec::evidence()),
            (
                "recursive",
                json!({ "type": "boolean", "description": "also list what the folders below hold", "default": false }),
            ),
            ("limit", spec::number("most entries to return", 1000, 1, 10_000)),
            ("offset", spec::offset()),
        ],
        &["path"],
        vec![dir_entry::record_type()],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let place = place::find(call.trees, arguments.optional_text("evidence"), arguments.text("path")?)?;
    let folder = &place.node;
    if folder.kind != NodeKind::Directory {
        return Err(CallError::NotAFolder { path: folder.path.clone() });
    }
    let (offset, limit) = (arguments.count("offset")?, arguments.count("limit")?);
    let listed = list(place.tree, folder, arguments.flag("recursive")?, offset, limit)?;

    let normalised = arguments
        .normalised(&[("evidence", json!(place.tree.label())), ("path", json!(folder.path.as_str()))]);
    let records = listed.nodes.iter().map(|node| dir_entry::record(place.tree, node)).collect();
    let mut returned = Return::found(records, normalised);
    (returned.defects, returned.gaps) = (listed.defects, listed.gaps);
    if listed.more {
        let next = offset.saturating_add(limit);
        returned.truncate(format!("more entries follow: go on with \"offset\": {next}"));
    } else if offset > 0 {
        // Nobody may read an absence out of a page.
        returned.truncate("this is the last page; the entries before it are not in it".to_owned());
    }
    Ok(returned)
}

/// One page of entries in the making.
#[derive(Default)]
struct Listed {
    nodes: Vec<Node>,
    defects: Vec<Defect>,
    gaps: Vec<Gap>,
    /// Entries met, those before the page included.
    seen: usize,
    /// Whether entries follow that were not returned.
    more: bool,
}

impl Listed {
    /// Takes the next entry; `false` once the page is full.
    fn take(&mut self, node: Node, offset: usize, limit: usize) -> bool {
        let wanted = self.seen >= offset;
        self.more = wanted && self.nodes.len() >= limit;
        if wanted && !self.more {
            self.nodes.push(node);
        }
        self.seen += 1;
        !self.more
    }
}

fn list(
    tree: &dyn Tree,
    folder: &Node,
    recursive: bool,
    offset: usize,
    limit: usize,
) -> Result<Listed, CallError> {
    // A folder that cannot be read at all fails the call; inside a walk it would only be a gap.
    let Listing { nodes, defects, gaps } = tree.children(folder)?;
    if !recursive {
        let mut listed = Listed { defects, gaps, ..Listed::default() };
        for node in nodes {
            if !listed.take(node, offset, limit) {
                break;
            }
        }
        return Ok(listed);
    }
    let mut listed = Listed::default();
    for step in walk(tree, folder) {
        match step {
            Step::Node(node) => {
                if !listed.take(*node, offset, limit) {
                    break;
                }
            }
            Step::Defect(defect) => listed.defects.push(defect),
            Step::Gap(gap) => listed.gaps.push(gap),
        }
    }
    Ok(listed)
}
