//! Hints for statements that may not mean what they say.

use super::count::is_instant;
use super::schema::tables;
use crate::words::{Word, Words};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Returns what the author of a statement should know before relying on its result.
pub fn hints(sql: &str) -> Vec<String> {
    let (mut words, mut hints) = (Words::of(sql), Vec::new());
    let (mut of_events, mut is_table, mut compared) = (false, false, Compared::default());
    while let Some(word) = words.next() {
        match word {
            Word::Plain(name) | Word::Quoted(name) => {
                of_events |= is_table && name.eq_ignore_ascii_case("event");
            }
            Word::Literal(text) if compared.is_odd(text) => hints.push(format!(
                "{text} is compared as a text: tables hold times in UTC as 2025-09-16T09:44:12.1234567, with T and without Z"
            )),
            Word::Literal(_) | Word::Sign(_) => {}
        }
        is_table = word.is("from") || word.is("join");
        compared.then(word);
    }
    if of_events {
        hints.push(
            "event has the events that have no table of their own; those of logons, services and the like are in theirs, and events has all of them"
                .to_owned(),
        );
    }
    hints
}

/// What precedes a literal.
#[derive(Default)]
struct Compared {
    /// Whether the last name is that of a column with times.
    with_a_time: bool,
    /// Whether a comparison operator followed it.
    now: bool,
}

impl Compared {
    fn then(&mut self, word: Word<'_>) {
        match word {
            Word::Sign("<" | "<=" | ">" | ">=" | "=" | "==" | "<>" | "!=") => self.now = true,
            word if word.is("between") || word.is("and") && self.now => self.now = true,
            Word::Literal(_) if self.now => {}
            Word::Plain(name) | Word::Quoted(name) => {
                (self.with_a_time, self.now) = (time_columns().contains(name.to_lowercase().as_str()), false);
            }
            Word::Literal(_) | Word::Sign(_) => self.now = false,
        }
    }

    /// Checks whether a literal is compared with a time but is not in the form that tables use.
    fn is_odd(&self, literal: &str) -> bool {
        self.now && self.with_a_time && !is_instant(literal)
    }
}

fn time_columns() -> &'static BTreeSet<String> {
    static NAMES: OnceLock<BTreeSet<String>> = OnceLock::new();
    let names = || tables().iter().flat_map(|table| table.times()).map(|column| column.name.clone());
    NAMES.get_or_init(|| names().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_in_another_form_and_the_table_of_other_events_are_told() {
        for sound in [
            "SELECT * FROM logon WHERE time > '2025-09-16T09:44:12' AND time < '2025-09-17'",
            "SELECT * FROM logon WHERE time BETWEEN '2025' AND '2026' AND event_id = 4624",
            "SELECT '2025-09-16 09:44' AS label, event FROM timeline WHERE subject LIKE '2025-09-16 report%'",
            "SELECT count(*) FROM events WHERE event_id = 4624",
        ] {
            assert_eq!(hints(sound), Vec::<String>::new(), "{sound}");
        }
        for text in [
            "'2025-09-16 09:44:12'",
            "'2025-09-16T09:44:12Z'",
            "'16.09.2025'",
            "'09/16/2025 9:44'",
            "'2025-9-16'",
            "'20250916'",
            "20250916",
        ] {
            assert_eq!(hints(&format!("SELECT * FROM logon WHERE time > {text}")).len(), 1, "{text}");
            let between = format!("SELECT * FROM logon WHERE time BETWEEN '2025' AND {text}");
            assert_eq!(hints(&between).len(), 1, "{text}");
        }
        assert_eq!(hints("SELECT count(*) FROM event WHERE event_id = 4624").len(), 1);
    }
}
