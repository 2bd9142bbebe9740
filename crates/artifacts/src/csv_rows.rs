//! Rows of comma-separated values, after a first row that names the columns.
//!
//! Source of the format: RFC 4180, sections 2 and 3; in addition, a file may be UTF-16LE or begin with a byte
//! order mark.
//! A row ends with its line. A quoted value that does not is damage, so that one missing quote hides no later rows.

use crate::damage::{Damage, DamageKind};
use crate::fields::Located;
use crate::text_lines::{Line, lines};

/// The most columns that are read.
const MOST: usize = 200;

/// One row, with a value for each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvRow {
    /// The whole row.
    pub line: Located<String>,
    /// The damage to its text.
    pub damage: Option<Damage>,
    values: Vec<Located<String>>,
}

/// The content of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A row.
    Row(CsvRow),
    /// A line whose values cannot be separated, or not be assigned to columns.
    Damage(Damage),
}

/// The columns and the rows after them.
pub struct Table<'a> {
    /// The names of the columns, as written.
    pub columns: Vec<String>,
    rows: Box<dyn Iterator<Item = Line> + 'a>,
}

/// Reads the names of the columns; `None` if the first line is not a row.
pub fn table(bytes: &[u8]) -> Option<Table<'_>> {
    let mut all = lines(bytes);
    let columns = values(&all.next()?)?.into_iter().map(|name| name.value.trim().to_owned()).collect();
    Some(Table { columns, rows: Box::new(all.filter(|line| !line.text.value.is_empty())) })
}

impl Table<'_> {
    /// Returns the index of the column of this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
    }
}

impl Iterator for Table<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        Some(row(&self.rows.next()?, self.columns.len()))
    }
}

impl CsvRow {
    /// Returns the value of a column; `None` if it is empty.
    pub fn get(&self, column: usize) -> Option<&Located<String>> {
        self.values.get(column).filter(|value| !value.value.is_empty())
    }
}

fn row(line: &Line, columns: usize) -> Found {
    let at = |what| Damage::at(line.text.offset, what);
    let text = line.damage();
    match values(line) {
        None => Found::Damage(at(text.unwrap_or(DamageKind::Unended { what: "a quoted value" }))),
        Some(values) if values.len() != columns => {
            let (expected, actual) = (columns as u64, values.len() as u64);
            let count = DamageKind::Field { what: "the number of columns", expected, actual };
            Found::Damage(at(text.unwrap_or(count)))
        }
        Some(values) => Found::Row(CsvRow { line: line.text.clone(), damage: text.map(at), values }),
    }
}

/// Splits a line into its values; `None` if a quoted one has no end, or if something follows its end.
fn values(line: &Line) -> Option<Vec<Located<String>>> {
    let (mut found, mut rest) = (Vec::new(), line.text.value.as_str());
    while found.len() < MOST {
        let (content, behind) = match rest.strip_prefix('"') {
            Some(inside) => {
                let end = closing(inside)?;
                (inside.get(..end)?, inside.get(end + 1..)?)
            }
            None => rest.split_at(rest.find(',').unwrap_or(rest.len())),
        };
        let mut value = line.place(content)?;
        if rest.starts_with('"') {
            value.value = value.value.replace("\"\"", "\"");
        }
        found.push(value);
        match behind.strip_prefix(',') {
            Some(more) => rest = more,
            None => return behind.is_empty().then_some(found),
        }
    }
    None
}

/// Returns the position of the quote that ends a quoted value; a doubled quote belongs to the value.
fn closing(inside: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let quote = at + inside.get(at..)?.find('"')?;
        if !inside.get(quote + 1..)?.starts_with('"') {
            return Some(quote);
        }
        at = quote + 2;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(bytes: &[u8]) -> Vec<Result<Vec<String>, DamageKind>> {
        table(bytes)
            .unwrap()
            .map(|found| match found {
                Found::Row(row) => Ok(row.values.into_iter().map(|value| value.value).collect()),
                Found::Damage(damage) => Err(damage.what),
            })
            .collect()
    }

    #[test]
    fn values_are_parted_by_commas_outside_of_quotes() {
        let text = "\u{FEFF}a, B ,c\r\n1,\"x, \"\"y\"\"\",3\r\n\r\n,,\"\"\r\n";
        let found = table(text.as_bytes()).unwrap();
        assert_eq!(found.columns, ["a", "B", "c"]);
        assert_eq!(found.column("b"), Some(1));
        assert_eq!(
            rows(text.as_bytes()),
            [Ok(vec!["1".into(), "x, \"y\"".into(), "3".into()]), Ok(vec![String::new(); 3])]
        );
    }

    #[test]
    fn values_stand_where_they_are_said_to_in_utf16_too() {
        let text = "name,size\r\n\"grün, neu\",12\r\n";
        let wide: Vec<u8> =
            [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        for (bytes, unit) in [(text.as_bytes(), 1), (&wide, 2)] {
            let mut all = table(bytes).unwrap();
            let Some(Found::Row(row)) = all.next() else { panic!() };
            assert_eq!(row.get(0).unwrap().value, "grün, neu");
            let size = row.get(1).unwrap();
            assert_eq!((bytes[size.offset], size.length), (b'1', 2 * unit));
        }
    }

    #[test]
    fn damaged_rows_hide_none_behind_them() {
        let columns = |actual| DamageKind::Field { what: "the number of columns", expected: 2, actual };
        let quote = DamageKind::Unended { what: "a quoted value" };
        let table: [(&str, DamageKind); 5] = [
            ("1", columns(1)),
            ("1,2,3", columns(3)),
            ("\"1,2", quote),
            ("\"1\"x,2", quote),
            ("\0\0\0", DamageKind::Text { what: "the line", count: 3 }),
        ];
        for (line, damage) in table {
            let text = format!("a,b\n{line}\n3,4\n");
            assert_eq!(rows(text.as_bytes()), [Err(damage), Ok(vec!["3".into(), "4".into()])], "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn any_lines_are_read_without_panic(text in "(a,b\n)?([0-9a-zß\",]{0,20}\n){0,9}") {
            if let Some(all) = table(text.as_bytes()) {
                prop_assert!(all.count() <= text.len());
            }
        }
    }
}
