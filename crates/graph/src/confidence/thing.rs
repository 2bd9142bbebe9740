//! Finds facts about the same thing.

use super::Support;
use super::source::SourceKind;
use ledger::pattern::fold;
use ledger::{FactEntry, FactId, FieldType};
use std::collections::{BTreeMap, BTreeSet};

/// The minimum length in characters of a name that identifies something.
const TELLING: usize = 4;

/// The name of a thing: the last component of a path, with the one before it if there is one; in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    last: String,
    folder: Option<String>,
}

/// Facts, indexed by what they name.
#[derive(Debug, Default)]
pub(crate) struct Things<'f> {
    by_name: BTreeMap<String, Vec<(&'f FactEntry, Option<String>)>>,
}

impl<'f> Things<'f> {
    pub(crate) fn of(facts: impl IntoIterator<Item = &'f FactEntry>) -> Things<'f> {
        let mut things = Things::default();
        for fact in facts {
            for name in names(fact) {
                things.by_name.entry(name.last).or_default().push((fact, name.folder));
            }
        }
        things
    }

    /// Returns, for each thing that the fact names, the facts that support what it says about it, including the fact itself.
    pub(crate) fn supports<'s>(&'s self, fact: &'s FactEntry) -> Vec<Vec<Support<'s>>> {
        let mut all = vec![vec![Support { fact, same: true }]];
        for name in names(fact) {
            let others = self.by_name.get(&name.last).into_iter().flatten();
            // Another piece of evidence may be another computer, where the same name is a different thing.
            let agreeing = others.filter(|(other, folder)| {
                other.locator.evidence == fact.locator.evidence && agree(folder, &name.folder)
            });
            let support = agreeing.map(|(other, folder)| Support {
                fact: other,
                same: other.predicate == fact.predicate && *folder == name.folder,
            });
            all.push(support.chain([Support { fact, same: true }]).collect());
        }
        all
    }
}

/// A kind of source that names a thing, and the folder in which it names it.
type Naming = (SourceKind, Option<String>);

/// Returns the facts that name a thing which another kind of source in the same piece of evidence also names.
///
/// A source of unknown writer ([`SourceKind::Other`]) supports nothing.
pub(crate) fn named_elsewhere(facts: &[&FactEntry]) -> BTreeSet<FactId> {
    let mut naming: BTreeMap<(&str, String), BTreeSet<Naming>> = BTreeMap::new();
    for fact in facts {
        let kind = SourceKind::of(&fact.kind);
        if kind == SourceKind::Other {
            continue;
        }
        for Name { last, folder } in names(fact) {
            naming.entry((&fact.locator.evidence, last)).or_default().insert((kind, folder));
        }
    }
    let is_elsewhere = |fact: &&&FactEntry| {
        let own = SourceKind::of(&fact.kind);
        names(fact).into_iter().any(|Name { last, folder }| {
            let others = naming.get(&(fact.locator.evidence.as_str(), last));
            others.into_iter().flatten().any(|(kind, other)| *kind != own && agree(&folder, other))
        })
    };
    facts.iter().filter(is_elsewhere).map(|fact| fact.id).collect()
}

/// Checks whether two folders can be those of the same thing; an unknown folder matches any.
fn agree(one: &Option<String>, other: &Option<String>) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// Returns the things that a fact names: its subject and the paths among its values.
fn names(fact: &FactEntry) -> BTreeSet<Name> {
    let paths = fact.values.iter().filter(|value| value.value.field_type() == FieldType::Path);
    let named = std::iter::once(&fact.subject).chain(paths);
    named.filter_map(|value| name(&value.value.to_text())).collect()
}

fn name(text: &str) -> Option<Name> {
    let mut components = text.trim().rsplit(['\\', '/']).filter(|component| !component.is_empty());
    let last = fold(components.next()?.trim());
    (last.chars().count() >= TELLING).then(|| Name { last, folder: components.next().map(fold) })
}
