//! A list of which only the beginning may be shown.

use serde::Serialize;

/// The latest entries of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed<T> {
    /// The entries shown.
    pub shown: Vec<T>,
    /// The number of earlier entries that are not shown.
    pub left_out: u32,
}

impl<T> Default for Listed<T> {
    fn default() -> Listed<T> {
        Listed { shown: Vec::new(), left_out: 0 }
    }
}
