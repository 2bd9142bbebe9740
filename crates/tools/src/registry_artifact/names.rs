//! Names out of paths.

use ledger::FieldValue;

/// The last component of a path, as a field; the path itself where it has none.
pub(crate) fn last_component(path: &str) -> FieldValue {
    let last = path.rsplit(['\\', '/']).find(|component| !component.is_empty());
    FieldValue::Name(last.unwrap_or(path).to_owned())
}
