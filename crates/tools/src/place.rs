//! From what an agent calls a path to an entry of the evidence.

use crate::error::CallError;
use evidence::{EvidencePath, Node, NodeKind, ReadError, Tree};
use serde_json::{Value, json};

/// An entry and the tree it stands in.
pub(crate) struct Place<'a> {
    pub(crate) tree: &'a dyn Tree,
    pub(crate) node: Node,
}

/// The pieces of evidence that a call may look into: the one with this label, or all.
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

/// The entry at `path`, which exactly one piece of evidence in scope must hold.
pub(crate) fn find<'a>(
    trees: &'a [Box<dyn Tree>],
    label: Option<&str>,
    path: &str,
) -> Result<Place<'a>, CallError> {
    let wanted = read(path)?;
    let scope = scope(trees, label)?;
    let mut places = Vec::new();
    let mut refused = None;
    for tree in &scope {
        match locate(*tree, &wanted) {
            Ok(Some(node)) => places.push(Place { tree: *tree, node }),
            Ok(None) => {}
            Err(error) => refused = Some(error),
        }
    }
    if places.len() > 1 {
        let labels = places.iter().map(|place| place.tree.label().to_owned()).collect();
        return Err(CallError::EvidenceNeeded { path: path.to_owned(), labels });
    }
    match (places.pop(), refused) {
        (Some(place), _) => Ok(place),
        (None, Some(error)) => Err(error.into()),
        (None, None) => {
            let deepest = |tree: &&dyn Tree| (tree.label().to_owned(), deepest(*tree, wanted.clone()));
            Err(CallError::Absent { path: path.to_owned(), deepest: scope.iter().map(deepest).collect() })
        }
    }
}

/// Where a search begins: the folder or file that was asked for, or the roots of all evidence in scope.
pub(crate) struct Scope<'a> {
    pub(crate) places: Vec<Place<'a>>,
}

impl Scope<'_> {
    /// The arguments `under` and `evidence` as they were used.
    pub(crate) fn normalised(&self) -> Vec<(&'static str, Value)> {
        match self.places.as_slice() {
            [place] => {
                vec![("under", json!(place.node.path.as_str())), ("evidence", json!(place.tree.label()))]
            }
            _ => vec![("under", json!(""))],
        }
    }
}

/// What to search when `path` is given as `under`: everything in scope where it is empty.
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

/// Reads what an agent writes: either slash, a device prefix such as `\\?\`, a `.` in front.
pub(crate) fn read(text: &str) -> Result<EvidencePath, CallError> {
    let text = without_device(text);
    let text = match text {
        "." => "",
        text => ["./", ".\\"].iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text),
    };
    EvidencePath::parse(text).map_err(CallError::Path)
}

/// The text without a device prefix such as `\\?\`.
pub(crate) fn without_device(text: &str) -> &str {
    let devices = ["\\\\?\\", "\\\\.\\", "\\??\\"];
    devices.iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text)
}

/// The entry at `path` as it is; else, for a path with a drive letter, under a top folder of that letter (`C` or `C%3A`), or in the volume of an image that it can be; else, where no top folder stands for a drive, without the letter.
pub(crate) fn locate(tree: &dyn Tree, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
    if let Some(node) = tree.node(path)? {
        return Ok(Some(node));
    }
    let Some(letter) = path.components().next().and_then(drive_letter) else { return Ok(None) };
    for top in [letter.to_string(), format!("{letter}%3A")] {
        if let Some(node) = tree.node(&rebase(path, Some(&top)))? {
            return Ok(Some(node));
        }
    }
    if let Some(volume) = drive_volume(tree, letter) {
        return tree.node(&rebase(path, Some(&volume)));
    }
    if drive_folders(tree)?.is_empty() { tree.node(&rebase(path, None)) } else { Ok(None) }
}

/// The volume of an image that a drive letter means.
///
/// Letters are not written in volumes: only where Windows lies can be told, and that it was `C:` is its default.
/// `None` where no volume or more than one holds a Windows.
pub(crate) fn drive_volume(tree: &dyn Tree, letter: char) -> Option<String> {
    tree.layout().filter(|_| letter.eq_ignore_ascii_case(&'c'))?;
    let volumes = tree.children(&Node::folder(EvidencePath::root())).ok()?.nodes;
    let holds_windows = |volume: &Node| {
        ["Windows", "WINNT"].iter().any(|name| {
            let path = volume.path.child(name).ok();
            let node = path.and_then(|path| tree.node(&path).ok().flatten());
            node.is_some_and(|node| node.kind == NodeKind::Directory)
        })
    };
    let mut found = volumes.into_iter().filter(holds_windows);
    match (found.next(), found.next()) {
        (Some(only), None) => Some(only.name),
        (None, _) | (Some(_), Some(_)) => None,
    }
}

/// The letter of `C:`.
pub(crate) fn drive_letter(component: &str) -> Option<char> {
    let letter = component.strip_suffix(':')?;
    let mut characters = letter.chars();
    characters.next().filter(|first| first.is_ascii_alphabetic() && characters.next().is_none())
}

/// `path` with its first component replaced, or dropped.
fn rebase(path: &EvidencePath, top: Option<&str>) -> EvidencePath {
    let components = top.into_iter().chain(path.components().skip(1));
    // Components of a path joined again are a path; the root would hold nothing that was asked for by name.
    EvidencePath::parse(&components.collect::<Vec<_>>().join("/")).unwrap_or_default()
}

/// The top folders that stand for drives: `C`, `C:` or `C%3A`.
pub(crate) fn drive_folders(tree: &dyn Tree) -> Result<Vec<Node>, ReadError> {
    let Some(root) = tree.node(&EvidencePath::root())? else { return Ok(Vec::new()) };
    let stands_for_drive = |node: &Node| {
        let name = node.name.strip_suffix(':').or(node.name.strip_suffix("%3A")).unwrap_or(&node.name);
        node.kind == NodeKind::Directory
            && name.len() == 1
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    Ok(tree.children(&root)?.nodes.into_iter().filter(stands_for_drive).collect())
}

/// The deepest folder on the way to `path` that is there.
fn deepest(tree: &dyn Tree, path: EvidencePath) -> EvidencePath {
    let mut path = path;
    while let Some(parent) = path.parent() {
        if let Ok(Some(node)) = locate(tree, &parent)
            && node.kind == NodeKind::Directory
        {
            return node.path;
        }
        path = parent;
    }
    EvidencePath::root()
}
