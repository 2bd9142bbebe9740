//! `locard sql`.

use crate::arguments::{SqlArguments, SqlFormat};
use crate::commands::{tables, worker};
use crate::failure::Failure;
use crate::printer::Printer;
use app::{CaseTables, CsvCell, Unread};
use ledger::Record;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tools::{Answer, Cell, Table, VIEWS, View};

pub(super) fn execute(arguments: &SqlArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let case = app::load_case(&arguments.case).map_err(Failure::Case)?;
    let (request, scratch) = worker(arguments.unconfined, &case.paths)?;
    let only = arguments.evidence.as_deref();
    let tables = tables(&case, only, (&request, &scratch), &arguments.kept, printer)?;
    let code = asked(&tables, arguments, printer);
    for note in tables.notes() {
        printer.complain(&format!("note: {}", report::terminal(&note)));
    }
    code
}

fn asked(tables: &CaseTables, arguments: &SqlArguments, printer: &mut Printer) -> Result<u8, Failure> {
    if arguments.digests {
        let answer = tables.digests().map_err(Failure::Tables)?;
        return print(&answer, arguments.format, printer);
    }
    let known = tools::tables();
    let Some(statement) = arguments.statement.as_deref().map(str::trim) else {
        return list(tables, known, arguments.format, printer);
    };
    let is = |name: &str| name.eq_ignore_ascii_case(statement);
    if let Some(table) = known.iter().find(|table| is(&table.name)) {
        return columns(table, arguments.format, printer);
    }
    if let Some(view) = VIEWS.iter().find(|view| is(view.name)) {
        return describe(view, arguments.format, printer);
    }
    if let Some((table, row)) = row(statement) {
        return record(tables, table, row, arguments.format, printer);
    }
    // A bare name, such as that of a table without documented fields, selects everything from it.
    let sql = if is_name(statement) { format!("SELECT * FROM {statement}") } else { statement.to_owned() };
    let answer = tables.ask(&sql, arguments.limit).map_err(Failure::Tables)?;
    let mut notes = tools::hints(&sql);
    if is_nothing(&answer) && answer.stopped.is_none() && arguments.limit > 0 {
        notes.extend(nothing(tables, known, &sql)?);
    }
    notes.extend(unread(tables, &sql)?);
    for note in notes {
        printer.complain(&format!("note: {}", report::terminal(&note)));
    }
    print(&answer, arguments.format, printer)
}

/// Whether the answer has no row, or only counts of zero.
fn is_nothing(answer: &Answer) -> bool {
    let none = |cell: &Cell| matches!(cell, Cell::Null | Cell::Integer(0));
    answer.rows.iter().all(|row| row.iter().all(none))
}

/// A warning that something could not be read, unless the statement asks about gaps or defects itself.
fn unread(tables: &CaseTables, sql: &str) -> Result<Option<String>, Failure> {
    let Unread { gaps, damage } = tables.unread_of(sql).map_err(Failure::Tables)?;
    let asks = |name: &str| sql.to_lowercase().contains(name);
    if gaps + damage == 0 || asks("gaps") || asks("defects") {
        return Ok(None);
    }
    let mut told = Vec::new();
    if gaps > 0 {
        told.push(format!("{gaps} {} (SELECT * FROM gaps)", if gaps == 1 { "gap" } else { "gaps" }));
    }
    if damage > 0 {
        let what = if damage == 1 { "piece" } else { "pieces" };
        told.push(format!("{damage} {what} of damage (SELECT * FROM defects WHERE hides)"));
    }
    Ok(Some(format!("records may be missing: what was read has {}", told.join(" and "))))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What an empty answer does not prove, and for which tables of the statement no source could be read.
fn nothing(tables: &CaseTables, known: &[Table], sql: &str) -> Result<Vec<String>, Failure> {
    let read = tables.sources_of(sql).map_err(Failure::Tables)?;
    let sql = sql.to_lowercase();
    let words: BTreeSet<&str> = sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let gathered: Vec<_> =
        VIEWS.iter().filter(|view| words.contains(view.name)).flat_map(View::tables).collect();
    let is_named = |name: &str| words.contains(name) || gathered.contains(&name);
    let of_records = known.iter().any(|table| is_named(&table.name)) || words.contains("timeline");
    if !of_records {
        return Ok(Vec::new());
    }
    let unread = known.iter().filter(|table| is_named(&table.name));
    let unread: Vec<_> = unread
        .filter(|table| !table.sources.iter().any(|source| read.contains(source)))
        .map(|table| table.name.as_str())
        .collect();
    let mut notes = vec![
        "no such record was decoded, which does not prove its absence: check gaps, defects and sources"
            .to_owned(),
    ];
    if !unread.is_empty() {
        notes.push(format!("no source was read that could hold {}", unread.join(", ")));
    }
    Ok(notes)
}

/// Parses `TABLE#ROW`.
fn row(statement: &str) -> Option<(&str, i64)> {
    let (table, row) = statement.split_once('#')?;
    Some((table, row.parse().ok()?)).filter(|_| is_name(table))
}

/// Prints the tables that have rows.
fn list(
    tables: &CaseTables,
    known: &[Table],
    format: SqlFormat,
    printer: &mut Printer,
) -> Result<u8, Failure> {
    let own =
        [("sources", "what was decoded"), ("gaps", "what was not examined"), ("defects", "damaged evidence")];
    let views = VIEWS.iter().map(|view| (view.name, view.meaning));
    let named = known.iter().map(|table| (table.name.as_str(), table.meaning.as_str()));
    let named = views.chain(named).chain(own);
    let arms: Vec<_> = named
        .map(|(name, meaning)| {
            let meaning = meaning.replace('\'', "''");
            format!(
                "SELECT '{name}' AS \"table\", count(*) AS rows, '{meaning}' AS \"a row is\" FROM \"{name}\""
            )
        })
        .collect();
    let sql = format!("SELECT * FROM ({}) WHERE rows > 0", arms.join(" UNION ALL "));
    let answer = tables.ask(&sql, usize::MAX).map_err(Failure::Tables)?;
    print(&answer, format, printer)
}

/// Prints what a view combines.
fn describe(view: &View, format: SqlFormat, printer: &mut Printer) -> Result<u8, Failure> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let row =
        |table: &&str| vec![text(view.name), text(table), text(&view.columns.join(", ")), text(view.meaning)];
    let rows = view.tables().iter().map(row).collect();
    let columns = ["view", "gathered from", "columns", "a row is"].map(str::to_owned).to_vec();
    print(&Answer { columns, rows, more: false, stopped: None }, format, printer)
}

/// Prints what the columns of a table mean.
fn columns(table: &Table, format: SqlFormat, printer: &mut Printer) -> Result<u8, Failure> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let own = [
        ("_evidence", "name", "label of the evidence"),
        ("_table", "name", "name of the table"),
        ("_row", "integer", "number of the row; TABLE#ROW shows its record with the bytes of each field"),
        ("_source", "name", "row of sources: which file, by which decoder"),
        ("_path", "path", "where the record stands in the evidence"),
        ("_stream", "name", "the named (alternate) stream, where it stands in one"),
        ("_offset", "size", "first byte of the record in that file"),
        ("_length", "size", "bytes of the record"),
        ("_defects", "list", "damage that was met in the record"),
    ];
    let own = own.map(|(name, kind, meaning)| vec![text(name), text(kind), text(meaning)]);
    let fields = table
        .columns
        .iter()
        .map(|column| vec![text(&column.name), text(&column.kinds()), text(&column.meaning)]);
    let rows = fields.chain(own).collect();
    let columns = ["column", "type", "meaning"].map(str::to_owned).to_vec();
    print(&Answer { columns, rows, more: false, stopped: None }, format, printer)
}

/// Prints the record in one row.
fn record(
    tables: &CaseTables,
    table: &str,
    row: i64,
    format: SqlFormat,
    printer: &mut Printer,
) -> Result<u8, Failure> {
    let record = tables.record(table, row).map_err(Failure::Tables)?;
    match format {
        SqlFormat::Text => printer.result(&report::records(&[record]))?,
        SqlFormat::Csv => return print(&fields(&record), format, printer),
        SqlFormat::Json | SqlFormat::Jsonl => {
            printer.result(&report::json_text(&json!({"locard_sql": 1, "record": record})))?;
        }
    }
    Ok(0)
}

/// The fields of a record, one row each.
fn fields(record: &Record) -> Answer {
    let whole = |number: u64| i64::try_from(number).map_or(Cell::Text(number.to_string()), Cell::Integer);
    let rows = record.fields.iter().map(|(name, field)| {
        let (offset, length) =
            field.at.map_or((Cell::Null, Cell::Null), |at| (whole(at.offset), whole(at.length)));
        vec![Cell::Text(name.clone()), Cell::Text(field.value.to_text().into_owned()), offset, length]
    });
    let columns = ["field", "value", "offset", "length"].map(str::to_owned).to_vec();
    Answer { columns, rows: rows.collect(), more: false, stopped: None }
}

fn print(answer: &Answer, format: SqlFormat, printer: &mut Printer) -> Result<u8, Failure> {
    match format {
        SqlFormat::Text => printer.result(&table(answer))?,
        SqlFormat::Csv => app::rows_csv(
            &answer.columns,
            answer.rows.iter().map(|row| row.iter().map(csv_cell).collect()),
            &mut printer.stream(),
        )
        .map_err(Failure::Output)?,
        SqlFormat::Json => printer.result(&report::json_text(&json!({
            "locard_sql": 1,
            "columns": answer.columns,
            "rows": answer.rows,
            "more": answer.more,
            "stopped": answer.stopped,
        })))?,
        SqlFormat::Jsonl => lines(answer, printer)?,
    }
    let told = match (&answer.stopped, answer.more) {
        (Some(reason), _) => format!("the statement was not completed: {reason}"),
        (None, true) => "there are more rows: raise --limit to print them".to_owned(),
        (None, false) => return Ok(0),
    };
    printer.complain(&report::terminal(&told));
    Ok(if answer.stopped.is_some() { Failure::USAGE } else { 0 })
}

/// The column names, with a number appended to repeated ones.
fn distinct(columns: &[String]) -> Vec<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names = Vec::new();
    for column in columns {
        let count = seen.entry(column).or_default();
        *count += 1;
        names.push(if *count == 1 { column.clone() } else { format!("{column}:{count}") });
    }
    names
}

fn lines(answer: &Answer, printer: &mut Printer) -> Result<(), Failure> {
    let names = distinct(&answer.columns);
    for row in &answer.rows {
        let object: Map<String, Value> =
            names.iter().cloned().zip(row.iter().map(|cell| json!(cell))).collect();
        printer.result(&report::json_text(&Value::Object(object)))?;
    }
    Ok(())
}

fn csv_cell(cell: &Cell) -> CsvCell<'_> {
    match cell {
        Cell::Null => CsvCell::Text(""),
        Cell::Integer(number) => CsvCell::Number(number.to_string()),
        Cell::Real(number) => CsvCell::Number(number.to_string()),
        Cell::Text(text) => CsvCell::Text(text),
    }
}

/// The greatest width of a column; a longer value pushes the rest of its row to the right.
const WIDEST: usize = 48;

/// The rows, below a header with the column names.
fn table(answer: &Answer) -> String {
    let shown = |cell: &Cell| graph::value_text(&cell.shown());
    let names: Vec<_> = answer.columns.iter().map(|name| report::terminal(name)).collect();
    let rows: Vec<Vec<String>> = answer.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
    let width = |index: usize| {
        let cells = rows.iter().filter_map(|row| row.get(index)).chain(names.get(index));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).min(WIDEST)
    };
    let widths: Vec<_> = (0..names.len()).map(width).collect();
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let rules: Vec<_> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let mut out = format!("{}\n{}\n", line(&names), line(&rules));
    rows.iter().for_each(|row| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", line(row));
    });
    let _ = writeln!(out, "{} {}", rows.len(), if rows.len() == 1 { "row" } else { "rows" });
    out
}
