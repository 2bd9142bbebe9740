//! Explains the words for who could have written a value.

use ledger::Writer;

/// The meaning of "writable by".
pub(crate) const LEAD: &str = "\"writable by\" names the least privileged writer that could have set the value, by the default permissions of Windows; it does not say who did, or that the value is true.";

/// Explains the words in one paragraph.
pub(crate) fn legend() -> String {
    let meanings: Vec<_> =
        Writer::ALL.iter().map(|writer| format!("{writer}: {}", writer.meaning())).collect();
    format!("{LEAD} {}.", meanings.join("; "))
}
