//! Resolves an agent's names for volumes and regions of images.

use crate::drives;
use crate::error::CallError;
use crate::normalise::bare;
use evidence::{Region, Tree, Volume};

/// A volume, and the image that contains it.
pub(crate) struct Held<'t> {
    pub(crate) tree: &'t dyn Tree,
    pub(crate) volume: Volume,
}

impl Held<'_> {
    /// Returns the name of the volume.
    pub(crate) fn name(&self) -> &str {
        self.volume.path.as_str()
    }
}

/// Returns the volumes of `scope` with this name; all of them for `None`.
pub(crate) fn named<'t>(scope: &[&'t dyn Tree], name: Option<&str>) -> Result<Vec<Held<'t>>, CallError> {
    let all = all(scope);
    let Some(name) = name else { return Ok(all) };
    let volumes = shown(&all);
    let held: Vec<_> = all.into_iter().filter(|held| held.name() == name).collect();
    if held.is_empty() {
        return Err(CallError::NoVolume { argument: "volume", found: name.to_owned(), volumes });
    }
    Ok(held)
}

fn all<'t>(scope: &[&'t dyn Tree]) -> Vec<Held<'t>> {
    let of = |tree: &&'t dyn Tree| {
        let tree = *tree;
        tree.volumes().into_iter().map(move |volume| Held { tree, volume })
    };
    scope.iter().flat_map(of).collect()
}

fn shown(held: &[Held<'_>]) -> Vec<String> {
    held.iter().map(|held| format!("{} of {}", held.name(), held.tree.label())).collect()
}

/// Returns the volume's name as the evidence has it: `P1` and `1` are `p1`, and a drive letter is the volume that represents it.
///
/// A name that no volume has stays as it is, for the tool to refuse.
pub(crate) fn spelled(scope: &[&dyn Tree], text: &str) -> Result<String, CallError> {
    let plain = text.trim_matches(['/', '\\']).to_lowercase();
    if let Some(letter) = drives::letter(&plain) {
        return drive(scope, letter, text);
    }
    let number = plain.strip_prefix('p').unwrap_or(&plain);
    let known = all(scope).into_iter().find(|held| held.name().strip_prefix('p') == Some(number));
    Ok(known.map_or_else(|| text.to_owned(), |held| held.name().to_owned()))
}

/// Returns the volume that a drive letter means, if there is only one.
fn drive(scope: &[&dyn Tree], letter: char, text: &str) -> Result<String, CallError> {
    let mut meant = Vec::new();
    for tree in scope.iter().filter(|tree| tree.layout().is_some()) {
        meant.extend(drives::of_letter(*tree, letter)?);
    }
    match meant.as_slice() {
        [only] => Ok(only.as_str().to_owned()),
        [] => Err(drives::none(scope, "volume", text)),
        [_, ..] => {
            let (argument, asked) = ("volume".to_owned(), text.to_owned());
            Err(CallError::Several { argument, asked, candidates: shown(&all(scope)) })
        }
    }
}

/// Returns the name of a region of a medium.
pub(crate) fn region_name(region: &Region) -> String {
    match region.number {
        Some(number) => format!("p{number}"),
        None => format!("unpartitioned@{}", region.offset),
    }
}

/// Returns the region with this name, or that begins at this byte of the medium.
pub(crate) fn region<'t>(scope: &[&'t dyn Tree], text: &str) -> Result<(&'t dyn Tree, Region), CallError> {
    let plain = bare(text).to_lowercase();
    let offset: Option<u64> = plain.parse().ok();
    let mut found = Vec::new();
    for tree in scope {
        let regions = tree.layout().map(|layout| layout.regions.as_slice()).unwrap_or_default();
        let same = |region: &&Region| Some(region.offset) == offset || region_name(region) == plain;
        found.extend(regions.iter().filter(same).map(|region| (*tree, region.clone())));
    }
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(no_region(scope, text)),
        (Some(last), false) => {
            let all = found.iter().chain([&last]);
            let candidates =
                all.map(|(tree, region)| format!("{} of {}", region_name(region), tree.label())).collect();
            let (argument, asked) = ("region".to_owned(), text.to_owned());
            Err(CallError::Several { argument, asked, candidates })
        }
    }
}

/// Returns the refusal of an unknown region, with the existing ones.
pub(crate) fn no_region(scope: &[&dyn Tree], text: &str) -> CallError {
    let of = |tree: &&dyn Tree| {
        let label = tree.label().to_owned();
        let regions = tree.layout().map(|layout| layout.regions.clone()).unwrap_or_default();
        let told = move |region: Region| {
            format!("{} (from byte {}) of {label}", region_name(&region), region.offset)
        };
        regions.into_iter().map(told).collect::<Vec<_>>()
    };
    CallError::NoRegion { found: text.to_owned(), regions: scope.iter().flat_map(of).collect() }
}
