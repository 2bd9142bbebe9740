//! Whether facts name a thing: what an entity of the graph rests on.

use crate::fold;
use ledger::{FactEntry, FieldValue};

/// The longest name, in bytes.
const LONGEST: usize = 1024;

/// Whether a fact names `name`: as its subject or one of its values, or as a whole part of a path among them.
///
/// Letter case does not matter; a part of a word is not a name.
pub fn mentions(fact: &FactEntry, name: &str) -> bool {
    let name = name.trim();
    if name.is_empty() || name.len() > LONGEST {
        return false;
    }
    let wanted = fold::name(name);
    let wanted_path = fold::path(name);
    let bound = std::iter::once(&fact.subject).chain(&fact.values);
    bound.into_iter().any(|bound| match (&bound.value, &bound.quotation) {
        (_, Some(quotation)) => fold::name(quotation.trim()) == wanted,
        (FieldValue::List(items), None) => items.iter().any(|item| holds(item, &wanted, &wanted_path)),
        (value, None) => holds(&value.to_text(), &wanted, &wanted_path),
    })
}

fn holds(text: &str, wanted: &str, wanted_path: &str) -> bool {
    let folded = fold::path(text);
    fold::is_name(wanted, text)
        || folded == wanted_path
        || folded.split('\\').any(|part| !part.is_empty() && part == wanted)
}
