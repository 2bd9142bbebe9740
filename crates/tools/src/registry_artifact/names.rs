//! Extracts names from paths.

use ledger::FieldValue;

/// Returns the last component of a path, as a field; the path itself if it has none.
pub(crate) fn last_component(path: &str) -> FieldValue {
    let last = path.rsplit(['\\', '/']).find(|component| !component.is_empty());
    FieldValue::Name(last.unwrap_or(path).to_owned())
}
