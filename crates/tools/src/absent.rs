//! Suggestions for a path at which nothing was found.

use crate::{drives, place};
use evidence::{DeletedStep, EvidencePath, Node, Original, Tree};
use ledger::pattern::same;

/// A place that the caller may have meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hint {
    /// The same path, in the only volume that has it.
    InVolume { path: EvidencePath, label: String },
    /// A named stream, written after its file's name as Windows does.
    Stream { path: EvidencePath, stream: String },
    /// A deleted entry that was at that path, with the path at which it can be read now.
    Deleted { path: EvidencePath, label: String },
}

/// Looks for what the caller may have meant by `wanted`, which is in no tree of `scope`.
pub(crate) fn hint(scope: &[&dyn Tree], wanted: &EvidencePath) -> Option<Hint> {
    stream(scope, wanted).or_else(|| in_volume(scope, wanted)).or_else(|| deleted(scope, wanted))
}

/// Returns the words that follow the message that nothing was found.
pub(crate) fn told(hint: Option<&Hint>) -> String {
    match hint {
        None => String::new(),
        Some(Hint::InVolume { path, label }) => format!(" (is {path} of {label} meant?)"),
        Some(Hint::Stream { path, stream }) => {
            format!(" ({stream} is a stream of {path}: read_stream with \"stream\": {stream:?} reads it)")
        }
        Some(Hint::Deleted { path, label }) => {
            format!(
                " (an entry of {label} that stood there was deleted, see list_deleted; its path is now {path})"
            )
        }
    }
}

fn stream(scope: &[&dyn Tree], wanted: &EvidencePath) -> Option<Hint> {
    let (file, stream) = wanted.name().split_once(':').filter(|(file, _)| !file.is_empty())?;
    let stream = stream.strip_suffix(":$DATA").unwrap_or(stream);
    let file = wanted.parent()?.child(file).ok()?;
    scope.iter().find_map(|tree| {
        let Node { path, streams, .. } = place::locate(*tree, &file).ok().flatten()?;
        let found = streams.into_iter().find(|found| same(&found.name, stream))?;
        Some(Hint::Stream { path, stream: found.name })
    })
}

fn in_volume(scope: &[&dyn Tree], wanted: &EvidencePath) -> Option<Hint> {
    let mut found = Vec::new();
    for tree in scope {
        for volume in drives::volumes(*tree).ok()? {
            let path = EvidencePath::parse(&format!("{}/{wanted}", volume.as_str())).ok()?;
            let node = tree.node(&path).ok().flatten();
            found.extend(node.map(|node| (node.path, tree.label().to_owned())));
        }
    }
    let (path, label) = found.pop().filter(|_| found.is_empty())?;
    Some(Hint::InVolume { path, label })
}

fn deleted(scope: &[&dyn Tree], wanted: &EvidencePath) -> Option<Hint> {
    scope.iter().filter(|tree| tree.layout().is_some()).find_map(|tree| {
        let lettered = place::in_drives(*tree, wanted).ok()?;
        let meant = if lettered.is_empty() { vec![wanted.clone()] } else { lettered };
        meant.iter().find_map(|path| {
            let volume = EvidencePath::parse(path.components().next()?).ok()?;
            let mut steps = tree.deleted(&volume).ok()?;
            steps.find_map(|step| match step {
                DeletedStep::Entry(entry) => match &entry.original {
                    Original::Path(stood) if same(stood.as_str(), path.as_str()) => {
                        let label = tree.label().to_owned();
                        Some(Hint::Deleted { path: entry.node.path, label })
                    }
                    Original::Path(_) | Original::Orphan(_) => None,
                },
                DeletedStep::Defect(_) | DeletedStep::Gap(_) => None,
            })
        })
    })
}
