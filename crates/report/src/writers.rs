//! What is said of who could have written a value.

use ledger::Writer;

/// What "writable by" means.
pub(crate) const LEAD: &str = "\"writable by\" names the weakest who could have had a value stand there, by the rights of Windows as it is installed; not who did, nor that it is true.";

/// What the words mean, in one paragraph.
pub(crate) fn legend() -> String {
    let meanings: Vec<_> =
        Writer::ALL.iter().map(|writer| format!("{writer}: {}", writer.meaning())).collect();
    format!("{LEAD} {}.", meanings.join("; "))
}
