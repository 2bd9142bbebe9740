//! Adds the columns that name rows to a statement.

use crate::words::{Word, Words};

/// Returns the statement with the columns that name rows after its own; `None` if they cannot be added to it.
pub(super) fn naming(sql: &str) -> Option<String> {
    let mut words = Words::of(sql);
    words.exactly("select")?;
    if ["distinct", "all"].iter().any(|word| words.peek().is_some_and(|next| next.is(word))) {
        return None;
    }
    let mut depth = 0_u32;
    loop {
        let before = words.rest;
        let word = words.next()?;
        match word {
            Word::Sign("(") => depth += 1,
            Word::Sign(")") => depth = depth.checked_sub(1)?,
            word if depth == 0 && word.is("from") => {
                let (own, rest) = sql.split_at_checked(sql.len() - before.len())?;
                return Some(format!("{own}, _evidence, _table, _row{rest}"));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_behind_the_columns_of_a_plain_statement() {
        let named = naming("SELECT (SELECT 1 FROM x) AS \"from\", 'a from b' FROM logon ORDER BY 1");
        let expected =
            "SELECT (SELECT 1 FROM x) AS \"from\", 'a from b', _evidence, _table, _row FROM logon ORDER BY 1";
        assert_eq!(named.as_deref(), Some(expected));
        for other in [
            "SELECT 1",
            "SELECT DISTINCT a FROM b",
            "WITH a AS (SELECT 1) SELECT * FROM a",
            "SELECT 'a FROM b",
            "",
        ] {
            assert_eq!(naming(other), None, "{other}");
        }
    }
}
