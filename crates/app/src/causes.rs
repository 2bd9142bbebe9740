//! What the causes of an error say.

use std::error::Error;

/// The causes of an error, the nearest first; what its effect has quoted already is not said twice.
pub fn causes(error: &dyn Error) -> Vec<String> {
    let mut said = vec![error.to_string()];
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if said.last().is_none_or(|last| !last.ends_with(&text)) {
            said.push(text);
        }
        source = cause.source();
    }
    said.split_off(1)
}

/// An error and its causes as one line, with `between` before each cause.
pub fn with_causes(error: &dyn Error, between: &str) -> String {
    [vec![error.to_string()], causes(error)].concat().join(between)
}
