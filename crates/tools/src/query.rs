//! `query`: stored records of all kinds, chosen by a SELECT over the case tables.
//!
//! **A record is a stored row, never a row of the result.**
//! A statement can state literals, compute, and put values of different rows side by side.
//! So its result only names rows, by `_table`, `_row` and `_evidence`, and each row is read again by these.
//! Everything else in a result goes into notes, which prove nothing.
//! A count is recorded only if its groups are the records' own values; it is then counted from the rows ([`Count`]).

use crate::catalogue::{Call, Indexes};
use crate::error::CallError;
use crate::returned::Return;
use crate::sink::{self, Counts, Dating, Unread};
use crate::spec;
use crate::tables::{
    Answer, Asked, Cell, Count, Counting, QUERY, Reader, TABLES_FILE, TableError, TableFiles, TableGroup,
    VIEWS, ask, ask_for_rows, build, groups_of_statement, hints, tables,
};
use ledger::{Defect, Gap, Record, ToolSpec};
use std::collections::{BTreeMap, BTreeSet};

/// The most records that are counted: each one must be read.
const MOST_COUNTED: usize = 200_000;

/// The most bytes of values in the records of one call.
const MAX_DATA: usize = 32 << 20;

/// The most damage, and the most gaps, that one call reports.
const MOST_REMARKS: usize = 1000;

/// The most bytes of the values of one row, and of all that are shown.
const LONGEST_NOTE: usize = 2000;
const MOST_VALUES: usize = 32 << 10;

pub(crate) fn spec() -> ToolSpec {
    let views: Vec<_> =
        VIEWS.iter().map(|view| format!("{}({})", view.name, view.columns.join(", "))).collect();
    spec::tool(
        QUERY,
        &format!(
            "Runs one SELECT (SQLite) over all records of the evidence: a table for each record type, with its fields as columns. SELECT * FROM tables lists tables and what a row of each is, SELECT * FROM columns their columns; timeline(time, event, subject) has all times of all of them; gaps, defects and sources tell what was read. \
             Views gather what is often asked: {}. \
             Times are texts in UTC without a Z, such as 2025-09-16T09:44:12, and sort as texts; flags are 0 and 1; lists are JSON. \
             Each row of a plain SELECT is of a stored record, which is returned whole and can be cited; of a join the one whose _table, _row and _evidence are selected. \
             Values that are computed, grouped or joined come back in notes and prove nothing: use them to look around. \
             SELECT count(*) FROM one table, WHERE column = value AND bounds of its time, also returns record_count records, which can be cited. \
             An empty answer shows no absence: the tools that search do.",
            views.join("; ")
        ),
        vec![
            ("sql", spec::text("one SELECT, without parameters")),
            ("evidence", spec::text("label of the evidence to ask; all when left out")),
            ("limit", spec::number("most rows of the result to look at", 100, 1, 10_000)),
        ],
        &["sql"],
        vec![sink::count_type()],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let (sql, limit) = (arguments.text("sql")?, arguments.count("limit")?);
    let files = files(call, &groups_of_statement(sql)?, arguments.optional_text("evidence"))?;
    let answer = ask_for_rows(&Asked { files: files.clone(), sql: sql.to_owned(), limit })?;
    let mut returned = Return::found(Vec::new(), arguments.normalised(&[]));
    let found = Found::of(&answer, &files)?;
    let (mut counted, uncounted) = match Counting::read(sql, tables()) {
        Counting::Records(count) => counted(&count, &files)?,
        Counting::Refused(reason) => (Vec::new(), Some(reason)),
        Counting::Nothing => (Vec::new(), None),
    };
    if counted.len() > limit {
        let all = counted.len();
        counted.truncate(limit);
        returned.notes.push(format!("the largest {limit} of {all} counts, one for each file and folder"));
    }
    returned.notes.extend(hints(sql));
    met(&files, &mut returned)?;
    returned.notes.extend(found.notes(&answer));
    let has_rows = !answer.rows.is_empty();
    returned.set_records(found.records.into_iter().chain(counted).collect());
    if let Some(reason) = &answer.stopped {
        returned.truncate(format!("the statement did not come to its end: {reason}"));
    } else if found.cut {
        returned.truncate("these are too many records for one answer: lower limit".to_owned());
    } else if answer.more {
        returned.truncate("more rows of the result follow: raise limit, or narrow the statement".to_owned());
    } else if let Some(reason) = uncounted {
        returned.truncate(format!("no record_count: {reason}"));
    } else if returned.records.is_empty() {
        // Neither values without a record nor an empty answer show an absence.
        returned.truncate(match has_rows {
            true => "no row of the result is of one stored record: select its _table, _row and _evidence, without grouping"
                .to_owned(),
            false => "no such row; that shows no absence: gaps and sources tell what was read".to_owned(),
        });
    }
    Ok(returned)
}

/// Returns the table files of these groups: prepared ones, or ones made now.
fn files(
    call: &Call<'_>,
    groups: &BTreeSet<TableGroup>,
    evidence: Option<&str>,
) -> Result<TableFiles, CallError> {
    let mut files = TableFiles::new();
    for group in groups {
        let mut of_group = match call.tables.files().get(group.name()) {
            Some(ready) => ready.clone(),
            None => made(call, *group)?,
        };
        of_group.retain(|label, _| evidence.is_none_or(|only| only == label));
        files.insert(group.name().to_owned(), of_group);
    }
    Ok(files)
}

/// Makes the tables of a group in this call.
fn made(call: &Call<'_>, group: TableGroup) -> Result<Indexes, CallError> {
    let mut files = Indexes::new();
    for (number, tree) in call.trees.iter().enumerate() {
        let folder = call.scratch.join(format!("{}-{number}", group.name()));
        std::fs::create_dir(&folder).map_err(TableError::Finished)?;
        build(tree.as_ref(), call.indexes, group, &[], &folder)?;
        files.insert(tree.label().to_owned(), folder.join(TABLES_FILE));
    }
    Ok(files)
}

/// The records that a result names.
struct Found {
    records: Vec<Record>,
    /// How many rows name none.
    unnamed: usize,
    /// The indexes of the columns that no record shows.
    others: Vec<usize>,
    /// Whether some records did not fit.
    cut: bool,
}

impl Found {
    fn of(answer: &Answer, files: &TableFiles) -> Result<Found, CallError> {
        let place = |name: &str| answer.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
        let mut found = Found { records: Vec::new(), unnamed: 0, others: Vec::new(), cut: false };
        let labels: BTreeSet<&str> = files.values().flatten().map(|(label, _)| label.as_str()).collect();
        let (mut readers, mut given, mut data) = (BTreeMap::new(), BTreeSet::new(), 0);
        for row in &answer.rows {
            let text = |place: Option<usize>| match row.get(place?) {
                Some(Cell::Text(text)) => Some(text.as_str()),
                _ => None,
            };
            let number = place("_row").and_then(|place| match row.get(place) {
                Some(Cell::Integer(number)) => Some(*number),
                _ => None,
            });
            let label =
                text(place("_evidence")).or_else(|| labels.first().copied().filter(|_| labels.len() == 1));
            let (Some(table), Some(label), Some(number)) = (text(place("_table")), label, number) else {
                found.unnamed += 1;
                continue;
            };
            let key = (table.to_owned(), label.to_owned());
            if let std::collections::btree_map::Entry::Vacant(slot) = readers.entry(key.clone()) {
                // A table whose name is only a text in the statement may not exist, or not be a table.
                slot.insert(Reader::open(files, label, table).ok().flatten());
            }
            let reader = readers.get(&key).and_then(Option::as_ref);
            let record = reader.map(|reader| reader.record(number)).transpose()?.flatten();
            match record {
                Some(_) if !given.insert((key, number)) => {}
                Some(record) if data <= MAX_DATA => {
                    data += size(&record);
                    found.records.push(record);
                }
                Some(_) => found.cut = true,
                None => found.unnamed += 1,
            }
        }
        let fields: BTreeSet<&str> = readers.values().flatten().flat_map(Reader::fields).collect();
        let named = !found.records.is_empty();
        let others = answer.columns.iter().enumerate();
        // The three columns that name a row may have been added automatically; if they are the only columns, they were asked for.
        let names_a_row = |name: &str| ["_evidence", "_table", "_row"].contains(&name);
        let has_more = answer.columns.iter().any(|name| !names_a_row(name));
        let others = others.filter(|(_, name)| {
            let is_own = name.starts_with('_') || fields.contains(name.as_str());
            !(named && is_own || has_more && names_a_row(name))
        });
        found.others = others.map(|(place, _)| place).collect();
        Ok(found)
    }

    /// Returns what the result has beyond the records, as notes.
    fn notes(&self, answer: &Answer) -> Vec<String> {
        let mut notes = Vec::new();
        if self.unnamed > 0 && !self.records.is_empty() {
            notes.push(format!("{} rows of the result name no stored record", self.unnamed));
        }
        if self.others.is_empty() || answer.rows.is_empty() {
            return notes;
        }
        let lines = answer.rows.iter().map(|row| {
            let cells = self.others.iter().filter_map(|place| row.get(*place));
            cells.map(Cell::shown).collect::<Vec<_>>().join(" | ")
        });
        let names = self.others.iter().filter_map(|place| answer.columns.get(*place));
        let names: Vec<_> = names.map(String::as_str).collect();
        notes.push(cut(&format!("values, which prove nothing: {}", names.join(" | "))));
        let (mut shown, mut length) = (0, 0);
        for line in lines.map(|line| cut(&line)) {
            length += line.len();
            if length > MOST_VALUES {
                let all = answer.rows.len();
                notes.push(format!("values of the first {shown} of {all} rows are told: select less"));
                break;
            }
            notes.push(line);
            shown += 1;
        }
        notes
    }
}

/// Cuts a line to the length of a note.
fn cut(line: &str) -> String {
    match line.char_indices().map(|(at, _)| at).find(|at| *at > LONGEST_NOTE) {
        Some(at) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}

fn size(record: &Record) -> usize {
    record.fields.values().map(|field| field.value.to_text().len() + 64).sum()
}

/// Returns the records of a count, made from the counted rows; if there are none, possibly why.
fn counted(count: &Count, files: &TableFiles) -> Result<(Vec<Record>, Option<String>), CallError> {
    let none = |reason: &str| Ok((Vec::new(), Some(reason.to_owned())));
    let asked = Asked { files: files.clone(), sql: count.rows(), limit: MOST_COUNTED };
    let answer = ask(&asked)?;
    if answer.more || answer.stopped.is_some() {
        return none(&format!(
            "these are more than {MOST_COUNTED} records: narrow the statement, or ask a tool with count_by"
        ));
    }
    let dating = Dating::of_one(&count.table, count.dated_by.as_deref());
    let mut counts = Counts::by(count.by.clone(), dating, count.is_bounded);
    let mut readers = BTreeMap::new();
    for row in &answer.rows {
        let [Cell::Text(label), Cell::Text(table), Cell::Integer(row)] = row.as_slice() else { continue };
        if !readers.contains_key(label) {
            readers.insert(label.clone(), Reader::open(files, label, table)?);
        }
        let reader = readers.get(label).and_then(Option::as_ref);
        let Some(record) = reader.map(|reader| reader.record(*row)).transpose()?.flatten() else { continue };
        if count.is_bounded && counts.dating().time(&record).is_none() {
            return none("a time that is counted is no instant of the host");
        }
        if counts.add(&record).is_break() {
            return none(counts.refused().unwrap_or_default());
        }
    }
    Ok((counts.records(&unread(files)?).collect(), None))
}

/// Returns the files of which something could not be read.
fn unread(files: &TableFiles) -> Result<Unread, CallError> {
    let paths = |sql: &str| {
        let asked = Asked { files: files.clone(), sql: sql.to_owned(), limit: MOST_COUNTED };
        let rows = ask(&asked)?.rows.into_iter().flatten();
        let path = |cell| if let Cell::Text(path) = cell { Some(path) } else { None };
        Ok::<_, CallError>(rows.filter_map(path).collect())
    };
    let damaged = paths("SELECT DISTINCT path FROM defects WHERE hides")?;
    Ok(Unread { damaged, gaps: paths("SELECT DISTINCT path FROM gaps")? })
}

/// Reports the damage and the gaps of the tables that were queried.
fn met(files: &TableFiles, returned: &mut Return) -> Result<(), CallError> {
    let ask = |sql: &str| ask(&Asked { files: files.clone(), sql: sql.to_owned(), limit: MOST_REMARKS });
    let gaps = ask("SELECT path, reason FROM gaps ORDER BY 1, 2")?;
    for row in &gaps.rows {
        if let [Cell::Text(path), Cell::Text(reason)] = row.as_slice() {
            returned.gaps.push(Gap { path: path.clone(), reason: reason.clone() });
        }
    }
    let defects = ask("SELECT path, _offset, what FROM defects ORDER BY 1, 2, 3")?;
    for row in &defects.rows {
        if let [Cell::Text(path), offset, Cell::Text(what)] = row.as_slice() {
            let offset = match offset {
                Cell::Integer(offset) => u64::try_from(*offset).ok(),
                Cell::Null | Cell::Real(_) | Cell::Text(_) => None,
            };
            returned.defects.push(Defect { path: path.clone(), offset, what: what.clone() });
        }
    }
    if gaps.more || defects.more {
        returned
            .notes
            .push("there are more gaps or defects than are listed: ask gaps and defects".to_owned());
    }
    returned.incomplete_for_gaps();
    Ok(())
}
