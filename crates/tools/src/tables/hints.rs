//! What a statement may not mean as it is written.

use super::count::is_instant;
use super::words::{Word, Words};

/// What whoever wrote a statement should know before they rely on its result.
pub fn hints(sql: &str) -> Vec<String> {
    let (mut words, mut hints) = (Words::of(sql), Vec::new());
    let (mut of_events, mut is_table) = (false, false);
    while let Some(word) = words.next() {
        match word {
            Word::Plain(name) | Word::Quoted(name) => of_events |= is_table && name.eq_ignore_ascii_case("event"),
            Word::Literal(text) if looks_like_a_time(text) && !is_instant(text) => hints.push(format!(
                "{text} is compared as a text: tables hold times in UTC as 2025-09-16T09:44:12.1234567, with T and without Z"
            )),
            Word::Literal(_) | Word::Sign(_) => {}
        }
        is_table = word.is("from") || word.is("join");
    }
    if of_events {
        hints.push(
            "event has the events that have no table of their own; those of logons, services and the like are in theirs, and events has all of them"
                .to_owned(),
        );
    }
    hints
}

/// Whether a literal begins with a date and goes on as a time.
fn looks_like_a_time(literal: &str) -> bool {
    let text = literal.trim_matches('\'').as_bytes();
    let shape = |shapes: &[u8]| {
        let fits =
            |(found, shape): (&u8, &u8)| if *shape == b'0' { found.is_ascii_digit() } else { found == shape };
        text.len() >= shapes.len() && text.iter().zip(shapes).all(fits)
    };
    [&b"0000-00-00"[..], b"0000/00/00", b"00/00/0000", b"00.00.0000"].into_iter().any(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_in_another_form_and_the_table_of_other_events_are_told() {
        assert!(
            hints("SELECT * FROM logon WHERE time > '2025-09-16T09:44:12' AND time < '2025-09-17'")
                .is_empty()
        );
        for text in
            ["2025-09-16 09:44:12", "2025-09-16T09:44:12Z", "16.09.2025", "09/16/2025 9:44", "2025/09/16"]
        {
            assert_eq!(hints(&format!("SELECT * FROM logon WHERE time > '{text}'")).len(), 1, "{text}");
        }
        assert_eq!(hints("SELECT count(*) FROM event WHERE event_id = 4624").len(), 1);
        assert!(hints("SELECT time, event FROM timeline").is_empty());
        assert!(hints("SELECT count(*) FROM events WHERE account = '10.0.0.1'").is_empty());
    }
}
