//! What a reader of a report is told of what is withheld, and what its facts can be checked by.

use graph::{Disclosure, Run};

/// That something is withheld, in sentences; nothing where nothing is.
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
            "Withheld are {} members of {} facts and {places} places in values and texts{by}; a mark stands in place of each.",
            redaction.members, redaction.facts
        ),
        "What comes first, what belongs together and how sure answers are was decided with all values."
            .to_owned(),
    ];
    if redaction.outputs > 0 {
        told.push(format!(
            "Of {} tool outputs the digests are withheld, too; what stands in their place is none.",
            redaction.outputs
        ));
    }
    if redaction.not_sought > 0 {
        told.push(format!(
            "{} withheld values are too short to be sought in texts, and may stand there as parts of other words.",
            redaction.not_sought
        ));
    }
    told
}

/// What the facts can be checked by, in a sentence.
pub(crate) fn root(disclosure: &Disclosure) -> String {
    let facts = disclosure.openings.len();
    format!("The hashes of {facts} facts have the root {}.", disclosure.root)
}
