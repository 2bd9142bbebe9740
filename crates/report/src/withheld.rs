//! What a reader is told about withheld content and about verifying the facts.

use graph::{Disclosure, Run};

/// Says that something is withheld, in sentences; empty if nothing is.
pub(crate) fn notice(run: &Run) -> Vec<String> {
    let Some(redaction) = run.disclosure.as_ref().and_then(|it| it.redaction.as_ref()) else {
        return Vec::new();
    };
    let places: u64 = redaction.places.values().sum();
    let by: Vec<String> = redaction.places.iter().map(|(rule, number)| format!("{rule} {number}")).collect();
    let by = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
    let mut told = vec![
        format!(
            "This report is redacted by the profile {} (SHA-256 {}).",
            redaction.profile, redaction.digest
        ),
        format!(
            "It withholds {} members of {} facts and {places} places in values and texts{by}; a mark replaces each.",
            redaction.members, redaction.facts
        ),
        "Order, grouping and confidence were computed with all values.".to_owned(),
    ];
    if redaction.outputs > 0 {
        told.push(format!(
            "The digests of {} tool outputs are withheld too; what replaces them is not a digest.",
            redaction.outputs
        ));
    }
    if redaction.not_sought > 0 {
        told.push(format!(
            "{} withheld values are too short to search for in texts, and may remain there as parts of other words.",
            redaction.not_sought
        ));
    }
    told
}

/// Describes the root that the facts can be checked by, in a sentence.
pub(crate) fn root(disclosure: &Disclosure) -> String {
    let facts = disclosure.openings.len();
    format!("The hashes of {facts} facts have the root {}.", disclosure.root)
}
