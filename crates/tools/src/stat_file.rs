//! `stat_file`: one entry of the evidence, or the answer that none is at its path.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::returned::Return;
use crate::{dir_entry, drives, place, spec};
use ledger::ToolSpec;
use serde_json::json;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "stat_file",
        "Tells what stands at one path of the evidence: kind, size and times of the file or folder. \
         Finding nothing is no failure: the call is empty, and a note names the deepest folder on the way. \
         Times of evidence that is a copied folder are those of the copy and prove nothing about the examined host.",
        vec![
            ("path", spec::text("file or folder, with either slash, with or without a drive letter")),
            ("evidence", spec::evidence()),
        ],
        &["path"],
        vec![dir_entry::record_type()],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let (label, path) = (arguments.optional_text("evidence"), arguments.text("path")?);
    let place = match place::find(call.trees, label, path) {
        Ok(place) => place,
        Err(absent @ CallError::Absent { .. }) => return nothing(call, &absent),
        Err(error) => return Err(error),
    };
    if place.node.path.is_root() {
        return Err(CallError::Root);
    }
    let normalised = arguments
        .normalised(&[("evidence", json!(place.tree.label())), ("path", json!(place.node.path.as_str()))]);
    Ok(Return::found(vec![dir_entry::record_with_name_times(place.tree, &place.node)], normalised))
}

/// Returns the answer that nothing is there; it is an answer because every folder on the way was listed.
fn nothing(call: &Call<'_>, absent: &CallError) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let wanted = place::read(arguments.text("path")?)?;
    let mut used = vec![("path", json!(wanted.as_str()))];
    let scope = place::scope(call.trees, arguments.optional_text("evidence"))?;
    if let [tree] = scope.as_slice() {
        used.push(("evidence", json!(tree.label())));
    }
    let mut returned = Return::found(Vec::new(), arguments.normalised(&used));
    let unmapped = place::unmapped(&scope, &wanted)?;
    returned.gaps.extend(unmapped.into_iter().map(|(tree, letter)| drives::gap(tree, letter)));
    returned.notes.push(absent.to_string());
    Ok(returned)
}
