//! The chain of causes of an error.

use std::error::Error;

/// Returns the messages of an error's causes, the nearest first; skips a cause that the previous message already ends with.
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

/// Returns an error and its causes as one line, with `between` before each cause.
pub fn with_causes(error: &dyn Error, between: &str) -> String {
    [vec![error.to_string()], causes(error)].concat().join(between)
}
