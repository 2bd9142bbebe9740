//! `locard sql`.

use crate::arguments::{EvidenceArguments, IntegrityArgument, SqlArguments, SqlFormat};
use crate::commands::run::cache;
use crate::commands::worker;
use crate::failure::Failure;
use crate::printer::Printer;
use app::{CaseTables, CsvCell, TablesRequest, case_tables};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use tools::{Answer, Cell, Column, Table, VIEWS, View};

pub(super) fn execute(arguments: &SqlArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let case = app::load_case(&arguments.case).map_err(Failure::Case)?;
    let (request, scratch) = worker(arguments.unconfined, &case.paths)?;
    let kept = EvidenceArguments {
        integrity: IntegrityArgument::Full,
        cache: arguments.cache.clone(),
        no_cache: arguments.no_cache,
    };
    let request = TablesRequest {
        case: &case,
        only: arguments.evidence.as_deref(),
        worker: &request,
        folder: scratch.indexes().join("tables"),
        cache: cache(&kept, &case.paths, printer)?,
    };
    let mut tables = case_tables(&request).map_err(Failure::Tables)?;
    for note in &tables.notes {
        printer.complain(&format!("note: {}", report::terminal(note)));
    }
    if arguments.digests {
        let answer = tables.digests().map_err(Failure::Tables)?;
        return print(&answer, arguments.format, printer);
    }
    let known = tools::tables();
    match arguments.statement.as_deref().map(str::trim) {
        None => list(&mut tables, &known, arguments.format, printer),
        Some(statement) if let Some(view) = VIEWS.iter().find(|view| view.name == statement) => {
            describe(view, arguments.format, printer)
        }
        Some(statement) => match (known.iter().find(|table| table.name == statement), row(statement)) {
            (Some(table), _) => columns(table, arguments.format, printer),
            (None, Some((table, row))) => record(&mut tables, table, row, arguments.format, printer),
            (None, None) => {
                let answer = tables.ask(statement, arguments.limit).map_err(Failure::Tables)?;
                print(&answer, arguments.format, printer)
            }
        },
    }
}

/// `TABLE#ROW`.
fn row(statement: &str) -> Option<(&str, i64)> {
    let (table, row) = statement.split_once('#')?;
    let named = table.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    Some((table, row.parse().ok()?)).filter(|_| named)
}

/// The tables that have rows.
fn list(
    tables: &mut CaseTables,
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

/// What a view gathers.
fn describe(view: &View, format: SqlFormat, printer: &mut Printer) -> Result<u8, Failure> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let row =
        |table: &&str| vec![text(view.name), text(table), text(&view.columns.join(", ")), text(view.meaning)];
    let rows = view.tables().iter().map(row).collect();
    let columns = ["view", "gathered from", "columns", "a row is"].map(str::to_owned).to_vec();
    print(&Answer { columns, rows, more: false, stopped: None }, format, printer)
}

/// What the columns of a table mean.
fn columns(table: &Table, format: SqlFormat, printer: &mut Printer) -> Result<u8, Failure> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let own = [
        ("_evidence", "name", "label of the evidence"),
        ("_row", "integer", "number of the row; TABLE#ROW shows its record with the bytes of each field"),
        ("_source", "integer", "row of sources: which file, by which decoder"),
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
        .map(|column| vec![text(&column.name), text(&kinds(column)), text(&column.meaning)]);
    let rows = fields.chain(own).collect();
    let columns = ["column", "type", "meaning"].map(str::to_owned).to_vec();
    print(&Answer { columns, rows, more: false, stopped: None }, format, printer)
}

/// The types of a column by name.
fn kinds(column: &Column) -> String {
    let names: Vec<_> = column.types.iter().map(|kind| json!(kind)).collect();
    names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
}

/// One row as the record that it holds.
fn record(
    tables: &mut CaseTables,
    table: &str,
    row: i64,
    format: SqlFormat,
    printer: &mut Printer,
) -> Result<u8, Failure> {
    let record = tables.record(table, row).map_err(Failure::Tables)?;
    match format {
        SqlFormat::Text | SqlFormat::Csv => printer.result(&report::records(&[record]))?,
        SqlFormat::Json | SqlFormat::Jsonl => {
            printer.result(&report::json_text(&json!({"locard_sql": 1, "record": record})))?;
        }
    }
    Ok(0)
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
        (Some(reason), _) => format!("the statement did not come to its end: {reason}"),
        (None, true) => "more rows follow: --limit gives more".to_owned(),
        (None, false) => return Ok(0),
    };
    printer.complain(&report::terminal(&told));
    Ok(if answer.stopped.is_some() { Failure::USAGE } else { 0 })
}

fn lines(answer: &Answer, printer: &mut Printer) -> Result<(), Failure> {
    for row in &answer.rows {
        let object: Map<String, Value> =
            answer.columns.iter().cloned().zip(row.iter().map(|cell| json!(cell))).collect();
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

/// The widest that a column is made for its longest value; a longer one pushes its row aside.
const WIDEST: usize = 48;

/// Rows below the names of their columns.
fn table(answer: &Answer) -> String {
    let shown = |cell: &Cell| match cell {
        Cell::Null => String::new(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Text(text) => report::terminal(text),
    };
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
        // Writing to a text cannot fail.
        let _ = writeln!(out, "{}", line(row));
    });
    let _ = writeln!(out, "{} {}", rows.len(), if rows.len() == 1 { "row" } else { "rows" });
    out
}
