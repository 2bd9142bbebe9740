//! The conditions that a deleted entry must meet.

use crate::arguments::Arguments;
use crate::error::CallError;
use crate::find_files::{extension, no_other_language, sizes};
use crate::glob::{Glob, Resolved};
use crate::name_index::{Sizes, ends_in};
use crate::{drives, place};
use evidence::{DeletedEntry, EvidencePath, NodeKind, Original, Tree};
use ledger::Gap;
use ledger::pattern::{fold, same};
use serde_json::{Value, json};
use std::cell::Cell;

/// Folders, by the label of their tree.
type Folders = Vec<(String, EvidencePath)>;

pub(super) struct Wanted {
    glob: Option<Glob>,
    /// The pattern as it applies to each tree, by label; a tree without the pattern's drive has none.
    globs: Vec<(String, Glob)>,
    /// Set if no tree has the folders at the beginning of the pattern: how far they exist.
    nowhere: Option<Vec<String>>,
    /// Whether a deleted entry was in or below the folders at the beginning of the pattern.
    is_led_to: Cell<bool>,
    /// The folder that it was in; the root for any. `found` has it by tree, if it still exists.
    under: EvidencePath,
    found: Folders,
    /// Whether a deleted entry was that folder or in it, whatever the other conditions.
    is_met: Cell<bool>,
    /// Drives that are not in the evidence.
    pub(super) gaps: Vec<Gap>,
    /// Without the dot, case-folded.
    extension: Option<String>,
    sizes: Option<Sizes>,
}

impl Wanted {
    pub(super) fn read(arguments: &Arguments, scope: &[&dyn Tree]) -> Result<Wanted, CallError> {
        let sizes = sizes(arguments)?;
        let under = place::read(arguments.text("under")?)?;
        // Only images keep deleted entries.
        let images: Vec<_> = scope.iter().copied().filter(|tree| tree.layout().is_some()).collect();
        let (found, mut gaps) = folders(&images, &under, arguments.text("under")?)?;
        let glob = arguments.optional_text("name").map(|text| Glob::read("name", text)).transpose()?;
        let (mut globs, mut nearest, mut stands) = (Vec::new(), Vec::new(), glob.is_none());
        for (tree, glob) in images.iter().flat_map(|tree| glob.iter().map(move |glob| (tree, glob))) {
            // The folder of a deleted entry may be deleted, too.
            let Resolved { glob, unmapped, nowhere } = glob.resolve(*tree)?;
            stands |= nowhere.is_none();
            nearest.extend(drives::told(*tree, nowhere.unwrap_or_default()));
            gaps.extend(unmapped.into_iter().map(|letter| drives::gap(*tree, letter)));
            globs.extend(glob.map(|glob| (tree.label().to_owned(), glob)));
        }
        if glob.is_some() && globs.is_empty() && !images.is_empty() {
            return Err(drives::none(&images, "name", arguments.text("name")?));
        }
        Ok(Wanted {
            glob,
            globs,
            nowhere: (!stands && !images.is_empty()).then_some(nearest),
            is_led_to: Cell::new(false),
            found,
            is_met: Cell::new(false),
            gaps,
            under,
            extension: arguments.optional_text("extension").map(extension).transpose()?,
            sizes,
        })
    }

    /// Returns how far the folders at the beginning of the pattern exist; `None` if they exist in the evidence or examined entries show them.
    pub(super) fn nowhere(&mut self) -> Option<Vec<String>> {
        self.nowhere.take().filter(|_| !self.is_led_to.get())
    }

    /// Checks whether the examined entries show that the folder existed.
    pub(super) fn has_folder(&self) -> bool {
        self.under.is_root() || self.is_met.get()
    }

    pub(super) fn fits(&self, tree: &dyn Tree, entry: &DeletedEntry) -> bool {
        let node = &entry.node;
        let stood_under = self.stood_under(tree, &entry.original);
        let ends = |wanted: &String| ends_in(&fold(&node.name), wanted);
        let stood = match &entry.original {
            Original::Path(path) | Original::Orphan(path) => path,
        };
        if self.nowhere.is_some() && !self.is_led_to.get() {
            let leads = |glob: &Glob| glob.alternatives().iter().any(|one| one.leads_to(stood));
            self.is_led_to.set(self.glob_of(tree).is_some_and(leads));
        }
        self.extension.as_ref().is_none_or(ends)
            && self
                .sizes
                .as_ref()
                .is_none_or(|sizes| node.kind == NodeKind::File && sizes.contains(&node.size))
            && (self.glob.is_none()
                || self.glob_of(tree).is_some_and(|glob| glob.fits(stood) || glob.fits(&node.path)))
            && stood_under
    }

    /// Fails if nothing below the folder can match the pattern, or if a name would need characters that names never have.
    pub(super) fn can_fit(&self, arguments: &Arguments) -> Result<(), CallError> {
        let folder = |label: &str| {
            let here = self.found.iter().find(|(found, _)| found == label).map(|(_, path)| path);
            here.unwrap_or(&self.under).clone()
        };
        let reaches = |(label, glob): &(String, Glob)| glob.reaches_below(&folder(label));
        if !self.globs.is_empty() && !self.globs.iter().any(reaches) {
            let looked =
                self.globs.iter().map(|(label, _)| format!("{} of {label}", folder(label))).collect();
            let (argument, asked) = ("name".to_owned(), arguments.text("name")?.to_owned());
            return Err(CallError::Nowhere { argument, asked, looked });
        }
        self.glob.as_ref().map_or(Ok(()), |glob| no_other_language(glob, arguments))
    }

    fn glob_of(&self, tree: &dyn Tree) -> Option<&Glob> {
        self.globs.iter().find(|(label, _)| label == tree.label()).map(|(_, glob)| glob)
    }

    fn stood_under(&self, tree: &dyn Tree, original: &Original) -> bool {
        if self.under.is_root() {
            return true;
        }
        let here = self.found.iter().find(|(label, _)| label == tree.label()).map(|(_, path)| path);
        let folder = here.unwrap_or(&self.under);
        match original {
            Original::Path(path) => {
                let is_below = is_below(path, folder);
                self.is_met.set(self.is_met.get() || is_below || same(path.as_str(), folder.as_str()));
                is_below
            }
            Original::Orphan(_) => false,
        }
    }

    /// Returns the arguments as they were used.
    pub(super) fn normalised(&self) -> Vec<(&'static str, Value)> {
        let under = match self.found.as_slice() {
            [(_, only)] => only,
            [] | [_, ..] => &self.under,
        };
        let mut normalised = vec![("under", json!(under.as_str()))];
        // As it was used, if that was in one tree only.
        let used = match self.globs.as_slice() {
            [(_, only)] => Some(only),
            [] | [_, ..] => self.glob.as_ref(),
        };
        normalised.extend(used.map(|glob| ("name", json!(glob.written()))));
        normalised.extend(self.extension.as_ref().map(|extension| ("extension", json!(extension))));
        normalised
    }
}

/// Returns the folder `under` in each image, and gaps for the drives that are not there.
///
/// An existing folder determines the spelling and the meaning of a drive letter; a deleted one is accepted only if it is unambiguous.
fn folders(
    images: &[&dyn Tree],
    under: &EvidencePath,
    asked: &str,
) -> Result<(Folders, Vec<Gap>), CallError> {
    let unmapped = place::unmapped(images, under)?;
    if !images.is_empty() && unmapped.len() == images.len() {
        return Err(drives::none(images, "under", asked));
    }
    let mut found = Vec::new();
    for tree in images {
        let mut here: Vec<_> = place::locate_all(*tree, under).unwrap_or_default();
        let paths = match here.pop() {
            Some(node) => here.into_iter().chain([node]).map(|node| node.path).collect(),
            None => place::in_drives(*tree, under)?,
        };
        if paths.len() > 1 {
            let candidates = paths.iter().map(|path| format!("{path} of {}", tree.label())).collect();
            let (argument, asked) = ("under".to_owned(), asked.to_owned());
            return Err(CallError::Several { argument, asked, candidates });
        }
        found.extend(paths.into_iter().map(|path| (tree.label().to_owned(), path)));
    }
    Ok((found, unmapped.into_iter().map(|(tree, letter)| drives::gap(tree, letter)).collect()))
}

/// Checks whether `path` is below `folder`, ignoring case.
fn is_below(path: &EvidencePath, folder: &EvidencePath) -> bool {
    let mut names = path.components();
    let below = folder.components().all(|part| names.next().is_some_and(|name| same(part, name)));
    below && names.next().is_some()
}
