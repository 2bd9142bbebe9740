//! Mentions: lines of commands that are written but not run, such as comments and commands that only name things (`Get-Help mimikatz`).
//!
//! Data says which lines these are (`[mention]` in `data/commands.toml`). Rules ignore such lines, unless a rule says otherwise.

use crate::trace::Trace;
use ledger::FieldValue;
use ledger::pattern::Patterns;
use std::collections::BTreeSet;

/// The beginning and end of a multi-line comment in PowerShell (about_Comments, Microsoft Learn).
const BLOCK: (&str, &str) = ("<#", "#>");

/// How to recognise lines that only mention something and are not run.
#[derive(Debug, Clone)]
pub(crate) struct Mentions {
    /// The record types whose values are such lines.
    pub(crate) records: BTreeSet<String>,
    pub(crate) fields: Patterns,
    /// Lines that are comments.
    pub(crate) comments: Patterns,
    /// Lines that only name things.
    pub(crate) said: Patterns,
    /// Signs that a line does more than that, such as pipes.
    pub(crate) runs: Patterns,
}

/// The values of a trace that contain such lines, by position, without those lines.
pub(crate) type Cut = Vec<(usize, FieldValue)>;

impl Mentions {
    /// Returns the changed values of a trace; empty if all lines are run.
    pub(crate) fn cut(&self, trace: &Trace<'_>) -> Cut {
        if !self.records.contains(trace.kind()) {
            return Vec::new();
        }
        let stated = trace.stated().iter().enumerate();
        let texts = stated.filter(|(_, it)| it.quotation.is_none() && self.fields.fit(it.field));
        let left = texts.filter_map(|(place, it)| Some((place, self.left(it.value.as_text()?)?)));
        left.map(|(place, text)| (place, FieldValue::Text(text))).collect()
    }

    /// Returns the lines of a text that are run; `None` if all are.
    fn left(&self, text: &str) -> Option<String> {
        let without = without_blocks(text);
        let lines = without.as_deref().unwrap_or(text).split(['\n', '\r']);
        let (mut left, mut is_cut) = (Vec::new(), without.is_some());
        for line in lines {
            let told = line.trim();
            let is_said = self.said.fit(told) && !self.runs.fit(told);
            if !told.is_empty() && (self.comments.fit(told) || is_said) {
                is_cut = true;
            } else {
                left.push(line);
            }
        }
        is_cut.then(|| left.join("\n"))
    }
}

/// Removes multi-line comments from a text; `None` if there are none.
fn without_blocks(text: &str) -> Option<String> {
    let (mut rest, mut left) = (text, String::new());
    while let Some((before, after)) = rest.split_once(BLOCK.0) {
        // An unclosed comment is not a comment: PowerShell refuses such a script.
        let Some((_, behind)) = after.split_once(BLOCK.1) else { break };
        left.push_str(before);
        left.push('\n');
        rest = behind;
    }
    (rest.len() < text.len()).then(|| left + rest)
}

#[cfg(test)]
mod tests {
    use crate::{Trace, shipped};
    use ledger::{Field, FieldValue, Locator, Record, RecordId};

    fn fits(kind: &str, text: &str) -> bool {
        let held = Field { at: None, value: FieldValue::Text(text.to_owned()) };
        let record = Record {
            placement: None,
            defects: Vec::new(),
            fields: [("text".to_owned(), held)].into(),
            id: RecordId(0),
            kind: kind.to_owned(),
            locator: Locator { evidence: "e".to_owned(), path: "p".to_owned(), stream: None, span: None },
        };
        let hits = shipped().hits(&Trace::of_record(&record));
        hits.iter().any(|hit| hit.rule == "script-of-attack-framework")
    }

    #[test]
    fn of_a_script_only_the_lines_that_run_are_looked_at() {
        let script = |text: &str| fits("powershell_script", text);
        assert!(!script("# Invoke-Mimikatz\r\nGet-Date\r\n  Write-Host done with Invoke-Mimikatz"));
        assert!(!script("<#\n .SYNOPSIS\n finds Invoke-Mimikatz\n#>\nGet-Date"));
        assert!(script("# a comment\nInvoke-Mimikatz -DumpCreds"));
        assert!(script("<# a comment #> Invoke-Mimikatz"));
        assert!(script("<# Invoke-Mimikatz"), "a comment that nothing closes is none");
        assert!(script("echo x | Invoke-Mimikatz"));
        assert!(script("Write-Output (Invoke-Mimikatz)"));
    }

    #[test]
    fn what_is_no_line_of_commands_is_looked_at_as_it_stands() {
        assert!(fits("service_installed", "echo invoke-mimikatz"));
        assert!(!fits("typed_command", "echo invoke-mimikatz"));
    }
}
