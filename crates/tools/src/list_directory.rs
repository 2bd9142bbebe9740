//! `list_directory`: the entries of a folder, or of everything below it.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::page::Page;
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
                spec::text_or(
                    "folder, with either slash, with or without a drive letter; the root when empty or left out",
                    "",
                ),
            ),
            ("evidence", spec::evidence()),
            (
                "recursive",
                json!({ "type": "boolean", "description": "also list what the folders below hold", "default": false }),
            ),
            ("limit", spec::number("most entries to return", 1000, 1, 10_000)),
            ("offset", spec::offset()),
        ],
        &[],
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
    let page = Page::new(arguments.count("offset")?, arguments.count("limit")?);
    let listed = list(place.tree, folder, arguments.flag("recursive")?, page)?;

    let normalised = arguments
        .normalised(&[("evidence", json!(place.tree.label())), ("path", json!(folder.path.as_str()))]);
    let Listed { page, defects, gaps } = listed;
    let mut returned = Return { defects, gaps, ..Return::found(Vec::new(), normalised) };
    page.fill(&mut returned, "entries");
    Ok(returned)
}

/// One page of entries, with the damage and gaps met.
struct Listed {
    page: Page,
    defects: Vec<Defect>,
    gaps: Vec<Gap>,
}

fn list(tree: &dyn Tree, folder: &Node, recursive: bool, mut page: Page) -> Result<Listed, CallError> {
    // A folder that cannot be read at all fails the call; inside a walk it is only a gap.
    let Listing { nodes, mut defects, mut gaps } = tree.children(folder)?;
    if !recursive {
        for node in nodes {
            if !page.take(|| dir_entry::record(tree, &node)) {
                break;
            }
        }
        return Ok(Listed { page, defects, gaps });
    }
    // The walk reports the folder's own defects and gaps again.
    (defects, gaps) = (Vec::new(), Vec::new());
    for step in walk(tree, folder) {
        match step {
            Step::Node(node) => {
                if !page.take(|| dir_entry::record(tree, &node)) {
                    break;
                }
            }
            Step::Defect(defect) => defects.push(defect),
            Step::Gap(gap) => gaps.push(gap),
        }
    }
    Ok(Listed { page, defects, gaps })
}
