//! Checks whether facts name a thing: the basis for an entity of the graph.

use crate::fold;
use ledger::{FactEntry, FieldValue};

/// The longest name, in bytes.
const LONGEST: usize = 1024;

/// Checks whether a fact names `name`: as its subject or one of its values, or as a whole component of a path among them.
///
/// Letter case does not matter; a part of a word is not a name.
pub fn mentions(fact: &FactEntry, name: &str) -> bool {
    let name = name.trim();
    if name.is_empty() || name.len() > LONGEST {
        return false;
    }
    let wanted = fold::name(name);
    let bound = std::iter::once(&fact.subject).chain(&fact.values);
    bound.into_iter().any(|bound| match (&bound.value, &bound.quotation) {
        (_, Some(quotation)) => fold::name(quotation.trim()) == wanted,
        (FieldValue::Path(path) | FieldValue::RegistryPath(path), None) => is_part(path, &wanted, name),
        (FieldValue::List(items), None) => items.iter().any(|item| holds(item, &wanted, name)),
        (value, None) => holds(&value.to_text(), &wanted, name),
    })
}

/// Checks whether a text is the name, or a path with the name as a component.
fn holds(text: &str, wanted: &str, name: &str) -> bool {
    // Dates and `and/or` have slashes, too: a path must be recognisable as one.
    let is_path = text.contains('\\') || text.contains("://") || text.starts_with('/');
    fold::is_name(wanted, text) || (is_path && is_part(text, wanted, name))
}

fn is_part(path: &str, wanted: &str, name: &str) -> bool {
    let folded = fold::path(path);
    folded == fold::path(name) || folded.split('\\').any(|part| !part.is_empty() && part == wanted)
}
