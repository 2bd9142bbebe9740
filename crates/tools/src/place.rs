//! Resolves an agent's spelling of a path to an entry of the evidence.

use crate::error::CallError;
use crate::{absent, drives};
use evidence::{EvidencePath, Node, NodeKind, ReadError, Tree};
use serde_json::{Value, json};

/// An entry and its tree.
pub(crate) struct Place<'a> {
    pub(crate) tree: &'a dyn Tree,
    pub(crate) node: Node,
}

/// Returns the pieces of evidence that a call may search: the one with this label, or all.
pub(crate) fn scope<'a>(
    trees: &'a [Box<dyn Tree>],
    label: Option<&str>,
) -> Result<Vec<&'a dyn Tree>, CallError> {
    let all = || trees.iter().map(AsRef::as_ref);
    let Some(label) = label else { return Ok(all().collect()) };
    match all().find(|tree| tree.label() == label) {
        Some(tree) => Ok(vec![tree]),
        None => Err(CallError::UnknownEvidence {
            label: label.to_owned(),
            known: all().map(|tree| tree.label().to_owned()).collect(),
        }),
    }
}

/// Finds the entry at `path`, which exactly one piece of evidence in scope must have.
pub(crate) fn find<'a>(
    trees: &'a [Box<dyn Tree>],
    label: Option<&str>,
    path: &str,
) -> Result<Place<'a>, CallError> {
    let wanted = read(path)?;
    let scope = scope(trees, label)?;
    let mut places = Vec::new();
    let (mut refused, mut several) = (None, Vec::new());
    for tree in &scope {
        match locate_all(*tree, &wanted) {
            Ok(found) if found.len() > 1 => {
                several.extend(found.into_iter().map(|node| called(*tree, &node.path)));
            }
            Ok(found) => places.extend(found.into_iter().map(|node| Place { tree: *tree, node })),
            Err(error) => refused = Some(error),
        }
    }
    if !several.is_empty() {
        several.extend(places.into_iter().map(|place| called(place.tree, &place.node.path)));
        let (argument, asked) = ("path".to_owned(), path.to_owned());
        return Err(CallError::Several { argument, asked, candidates: several });
    }
    if places.len() > 1 {
        let labels = places.iter().map(|place| place.tree.label().to_owned()).collect();
        return Err(CallError::EvidenceNeeded { path: path.to_owned(), labels });
    }
    match (places.pop(), refused) {
        (Some(place), _) => Ok(place),
        (None, Some(error)) => Err(error.into()),
        (None, None) if unmapped(&scope, &wanted)?.len() == scope.len() && !scope.is_empty() => {
            Err(drives::none(&scope, "path", path))
        }
        (None, None) => {
            let deepest = |tree: &&dyn Tree| (tree.label().to_owned(), deepest(*tree, wanted.clone()));
            let hint = absent::hint(&scope, &wanted);
            Err(CallError::Absent {
                path: path.to_owned(),
                hint,
                deepest: scope.iter().map(deepest).collect(),
            })
        }
    }
}

/// Names an entry, together with its evidence.
fn called(tree: &dyn Tree, path: &EvidencePath) -> String {
    format!("{path} of {}", tree.label())
}

/// Returns the trees in which nothing represents the drive of `path`: they cannot show that the path is absent.
pub(crate) fn unmapped<'t>(
    scope: &[&'t dyn Tree],
    path: &EvidencePath,
) -> Result<Vec<(&'t dyn Tree, char)>, ReadError> {
    let mut found = Vec::new();
    let Some(letter) = drives::letter_of(path) else { return Ok(found) };
    for tree in scope {
        if drives::of_letter(*tree, letter)?.is_empty() {
            found.push((*tree, letter));
        }
    }
    Ok(found)
}

/// Where a search starts: the folder or file that was asked for, or the roots of all evidence in scope.
pub(crate) struct Scope<'a> {
    pub(crate) places: Vec<Place<'a>>,
}

impl Scope<'_> {
    /// Returns the arguments `under` and `evidence` as they were used.
    pub(crate) fn normalised(&self) -> Vec<(&'static str, Value)> {
        match self.places.as_slice() {
            [place] => {
                vec![("under", json!(place.node.path.as_str())), ("evidence", json!(place.tree.label()))]
            }
            _ => vec![("under", json!(""))],
        }
    }
}

/// Returns what to search when `path` is given as `under`: everything in scope if it is empty.
pub(crate) fn under<'a>(
    trees: &'a [Box<dyn Tree>],
    label: Option<&str>,
    path: &str,
) -> Result<Scope<'a>, CallError> {
    let wanted = read(path)?;
    if !wanted.is_root() {
        return Ok(Scope { places: vec![find(trees, label, path)?] });
    }
    let roots = scope(trees, label)?.into_iter().map(|tree| {
        let node = tree.node(&wanted)?.ok_or_else(|| ReadError::Absent { path: wanted.clone() })?;
        Ok(Place { tree, node })
    });
    Ok(Scope { places: roots.collect::<Result<_, ReadError>>()? })
}

/// Parses what an agent writes: either slash, a device prefix such as `\\?\`, a leading `.`.
pub(crate) fn read(text: &str) -> Result<EvidencePath, CallError> {
    let text = without_device(text);
    let text = match text {
        "." => "",
        text => ["./", ".\\"].iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text),
    };
    EvidencePath::parse(text).map_err(CallError::Path)
}

/// Removes a device prefix such as `\\?\` from the text.
pub(crate) fn without_device(text: &str) -> &str {
    let devices = ["\\\\?\\", "\\\\.\\", "\\??\\"];
    devices.iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text)
}

/// Finds the entry at `path` as it is. Failing that, a path with a drive letter is looked up in what represents the drive.
/// If nothing represents any drive, it is looked up without the letter.
///
/// Returns several entries if several folders represent the drive and have the path.
pub(crate) fn locate_all(tree: &dyn Tree, path: &EvidencePath) -> Result<Vec<Node>, ReadError> {
    if let Some(node) = tree.node(path)? {
        return Ok(vec![node]);
    }
    let mut found = Vec::new();
    for path in in_drives(tree, path)? {
        found.extend(tree.node(&path)?);
    }
    Ok(found)
}

/// Returns a path with a drive letter in each of the folders that the drive can mean; none for any other path.
pub(crate) fn in_drives(tree: &dyn Tree, path: &EvidencePath) -> Result<Vec<EvidencePath>, ReadError> {
    let Some(letter) = drives::letter_of(path) else { return Ok(Vec::new()) };
    let folders = drives::of_letter(tree, letter)?;
    Ok(folders.iter().map(|folder| rebase(path, folder)).collect())
}

/// Finds the entry, if there is exactly one.
pub(crate) fn locate(tree: &dyn Tree, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
    let mut found = locate_all(tree, path)?;
    Ok(found.pop().filter(|_| found.is_empty()))
}

/// Replaces the first component of `path` with `folder`.
fn rebase(path: &EvidencePath, folder: &EvidencePath) -> EvidencePath {
    let components = folder.components().chain(path.components().skip(1));
    // Path components joined again are a valid path.
    EvidencePath::parse(&components.collect::<Vec<_>>().join("/")).unwrap_or_default()
}

/// Returns the deepest existing folder on the way to `path`.
fn deepest(tree: &dyn Tree, path: EvidencePath) -> EvidencePath {
    let mut path = path;
    while let Some(parent) = path.parent() {
        let found = locate_all(tree, &parent).unwrap_or_default();
        if let Some(node) = found.into_iter().find(|node| node.kind == NodeKind::Directory) {
            return node.path;
        }
        path = parent;
    }
    EvidencePath::root()
}
