//! Logs in the W3C extended format: of the Windows firewall, and of the web server IIS.
//!
//! Source of the format: W3C working draft WD-logfile-960323: `#Fields:` names the columns, which are separated
//! by spaces; `-` means no value.

use crate::civil_time::{self, CivilTime};
use crate::damage::{Damage, DamageKind};
use crate::fields::Located;
use crate::text_lines::{Line, lines};

/// The most columns that are read.
const MOST: usize = 100;

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The whole row.
    pub line: Located<String>,
    /// Date and time.
    pub time: Option<Located<CivilTime>>,
    /// Whether the log says that its times are local; the format prescribes UTC.
    pub local: bool,
    /// What is wrong with it: its text, or that it has fewer values than the header has columns.
    pub damage: Option<Damage>,
    columns: Vec<(String, Located<String>)>,
}

impl Row {
    /// Returns the value of a column, if it has one.
    pub fn get(&self, column: &str) -> Option<&Located<String>> {
        self.columns.iter().find(|(name, _)| name == column).map(|(_, value)| value)
    }
}

/// Returns the software that a log names in its first lines; `None` if it is not such a log.
pub fn software(head: &[u8]) -> Option<String> {
    let mut first = lines(head).take(8);
    first.find_map(|line| line.text.value.strip_prefix("#Software:").map(|name| name.trim().to_owned()))
}

/// Returns the rows in order; one may have nothing but damage.
pub fn rows(bytes: &[u8]) -> impl Iterator<Item = Row> + '_ {
    let (mut names, mut local, mut day) = (Vec::new(), false, None);
    lines(bytes).filter_map(move |line| {
        let text = line.text.value.as_str();
        if let Some(head) = text.strip_prefix('#') {
            if let Some(fields) = head.strip_prefix("Fields:") {
                names = fields.split_whitespace().take(MOST).map(str::to_owned).collect();
            } else if let Some(format) = head.strip_prefix("Time Format:") {
                local = format.trim().eq_ignore_ascii_case("local");
            } else if let Some(date) = head.strip_prefix("Date:") {
                day = date.split_whitespace().next().map(str::to_owned);
            }
            return None;
        }
        row(&line, &names, local, day.as_deref())
    })
}

fn row(line: &Line, names: &[String], local: bool, day: Option<&str>) -> Option<Row> {
    let values: Vec<_> = line.text.value.split(' ').filter(|value| !value.trim().is_empty()).collect();
    if values.is_empty() {
        return None;
    }
    let fewer = values.len() < names.len() || names.is_empty();
    // The last value of a truncated row may be incomplete.
    let whole = if fewer { values.len() - 1 } else { values.len() };
    let columns: Vec<_> = names
        .iter()
        .zip(values.iter().take(whole))
        .filter(|(_, value)| **value != "-")
        .filter_map(|(name, value)| Some((name.clone(), line.place(value)?)))
        .collect();
    let (expected, actual) = (names.len() as u64, values.len() as u64);
    let count = DamageKind::Field { what: "the number of columns", expected, actual };
    let what = line.damage().or(fewer.then_some(count));
    let damage = what.map(|what| Damage::at(line.text.offset, what));
    let mut row = Row { line: line.text.clone(), time: None, local, damage, columns };
    row.time = time(&row, day);
    Some(row)
}

/// Reads the columns `date` and `time`; without a date column, the date in the log's header.
fn time(row: &Row, day: Option<&str>) -> Option<Located<CivilTime>> {
    let time = row.get("time")?;
    let date = row.get("date");
    let text = format!("{} {}", date.map_or(day, |date| Some(&date.value))?, time.value);
    let start = date.unwrap_or(time).offset;
    let length = (time.offset + time.length).checked_sub(start)?;
    Some(Located::new(civil_time::read(&text)?, start, length))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::windows_logs::{FIREWALL, WEB};

    #[test]
    fn rows_have_the_columns_that_the_head_names() {
        assert_eq!(software(FIREWALL.as_bytes()).unwrap(), "Microsoft Windows Firewall");
        let all: Vec<_> = rows(FIREWALL.as_bytes()).collect();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].get("dst-port").unwrap().value, "445");
        assert_eq!((all[0].get("icmptype"), all[0].local), (None, true));
        assert_eq!(all[0].time.clone().unwrap().value.raw, "2012-04-04 01:58:40");
        let web: Vec<_> = rows(WEB.as_bytes()).collect();
        assert_eq!(web[0].get("cs(User-Agent)").unwrap().value, "Mozilla/5.0+(X11)");
        assert!(!web[0].local);
    }

    #[test]
    fn the_head_tells_the_day_where_rows_do_not() {
        let text = b"#Date: 2012-04-04 00:00:00\n#Fields: time c-ip\n01:58:40 192.0.2.7\n";
        let row = rows(text).next().unwrap();
        assert_eq!(row.time.unwrap().value.raw, "2012-04-04 01:58:40");
    }

    #[test]
    fn a_row_that_is_cut_tells_it_and_gives_no_value_that_may_be_cut() {
        let short = |actual| DamageKind::Field { what: "the number of columns", expected: 3, actual };
        let table: [(&str, Option<DamageKind>, usize); 5] = [
            ("1.2.3.4 GET /a", None, 3),
            ("1.2.3.4 - /a b", None, 2),
            ("1.2.3.4 GE", Some(short(2)), 1),
            ("1.2.3", Some(short(1)), 0),
            ("1.2.3.4 \0\0 /a", Some(DamageKind::Text { what: "the line", count: 2 }), 3),
        ];
        for (line, damage, values) in table {
            let text = format!("#Fields: c-ip method uri\n{line}\n");
            let row = rows(text.as_bytes()).next().unwrap();
            assert_eq!(
                (row.damage.map(|damage| damage.what), row.columns.len()),
                (damage, values),
                "{line:?}"
            );
        }
        let nameless = rows(b"1.2.3.4 GET\n").next().unwrap();
        assert!(nameless.damage.is_some() && nameless.columns.is_empty());
    }

    proptest! {
        #[test]
        fn any_lines_are_read_without_panic(text in "(#Fields: date time a b\n)?([0-9: a-z#ß-]{0,40}\n){0,9}") {
            let _ = rows(text.as_bytes()).count();
        }
    }
}
