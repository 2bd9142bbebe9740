//! Texts of several lines that deny, doubt and report: most logs contain few of
//! them, and quotations out of context are easiest to make from them.

use ledger::{Field, FieldValue, Record};

/// Sentences whose parts say the opposite of the whole, or report what somebody else said.
const SENTENCES: [&str; 10] = [
    "{who} denies that {other} copied the ledgers of ward {n} to the stick",
    "The transfer of {n} files by {who} was not completed before {other} signed off",
    "{who} never opened the archive {n} that {other} sent without a password",
    "No update was installed on desk {n} after {who} had asked {other} for it",
    "If {who} fails {n} times, the account of {other} is locked until the morning",
    "{other} said that {who} had removed printer {n}, which cannot be confirmed",
    "Access to share {n} was granted to none but {who} and not to {other}",
    "The scan of drive {n} found no threats although {who} warned {other} of one",
    "{who} allegedly stopped service {n} before {other} could read the message",
    "Unless {other} approves request {n}, nothing that {who} wrote is sent out",
];

/// The names of the people in the sentences.
const PEOPLE: [&str; 8] = ["Ines", "Tomas", "Bela", "Noor", "Aiko", "Ruth", "Jonas", "Edda"];

/// Returns the record with such lines appended to its texts and lists; `None` if it has neither.
pub(super) fn worded(record: &Record) -> Option<Record> {
    let mut record = record.clone();
    let mut changed = false;
    for (place, field) in record.fields.values_mut().enumerate() {
        let number = record.id.0 as usize * 7 + place;
        changed |= reword(field, number);
    }
    changed.then_some(record)
}

fn reword(field: &mut Field, number: usize) -> bool {
    match &mut field.value {
        FieldValue::Text(text) => {
            let first: String = text.chars().take(120).collect();
            *text = format!("{first}\n{}.\n{}.", sentence(number), sentence(number + 3));
        }
        FieldValue::List(items) => items.push(format!("{}; {}", sentence(number), sentence(number + 3))),
        _ => return false,
    }
    true
}

/// Returns a sentence; equal numbers produce equal sentences.
fn sentence(number: usize) -> String {
    let person = |at: usize| PEOPLE.get(at % PEOPLE.len()).copied().unwrap_or_default();
    let form = SENTENCES.get(number % SENTENCES.len()).copied().unwrap_or_default();
    let who = person(number / SENTENCES.len());
    let other = person(number / SENTENCES.len() + 1 + number % (PEOPLE.len() - 1));
    form.replace("{who}", who).replace("{other}", other).replace("{n}", &(number + 11).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Locator, RecordId};

    #[test]
    fn texts_get_lines_that_deny_and_nothing_else_is_changed() {
        let field = |value| Field { at: None, value };
        let text = FieldValue::Text("disk full".into());
        let name = FieldValue::Name("a.exe".into());
        let record = Record {
            placement: None,
            defects: Vec::new(),
            fields: [("name".into(), field(name)), ("text".into(), field(text))].into(),
            id: RecordId(4),
            kind: "event".into(),
            locator: Locator { evidence: "e".into(), path: "f".into(), stream: None, span: None },
        };
        let worded = worded(&record).unwrap();
        let said = worded.fields["text"].value.to_text().into_owned();
        assert!(said.starts_with("disk full\n") && said.lines().count() == 3, "{said}");
        assert_eq!(worded.fields["name"], record.fields["name"]);
        let nameless = Record { fields: [("name".into(), record.fields["name"].clone())].into(), ..record };
        assert!(super::worded(&nameless).is_none());
    }

    #[test]
    fn nobody_speaks_of_himself() {
        for number in 0..400 {
            let said = sentence(number);
            let named = PEOPLE.iter().filter(|person| said.contains(*person)).count();
            assert_eq!(named, 2, "{said}");
        }
    }
}
