//! SQL time functions without a clock and without a time zone.
//!
//! SQLite's own functions know the present time and the machine's zone, so that equal calls over equal evidence would differ.
//! They are replaced by functions that refuse both, and pass the arithmetic to SQLite's own functions in an in-memory database.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, params_from_iter};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// The name, and the index of the first argument that is a time.
const FUNCTIONS: [(&str, usize); 7] = [
    ("date", 0),
    ("datetime", 0),
    ("julianday", 0),
    ("strftime", 1),
    ("time", 0),
    ("timediff", 0),
    ("unixepoch", 0),
];

/// Why a time function returns no value.
#[derive(Debug, Error)]
#[error("{function}(): the present time and local time are not in the evidence: give a time, in UTC")]
struct NoClock {
    function: &'static str,
}

/// Replaces SQLite's own time functions.
pub(super) fn stop(connection: &Connection) -> Result<(), Error> {
    let arithmetic = Arc::new(Mutex::new(Connection::open_in_memory()?));
    // They must be deterministic, or a schema could not use them in an index.
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    for (function, first) in FUNCTIONS {
        let arithmetic = Arc::clone(&arithmetic);
        connection.create_scalar_function(function, -1, flags, move |context| {
            if needs_clock(context, first) {
                return Err(Error::UserFunctionError(Box::new(NoClock { function })));
            }
            let arithmetic = arithmetic.lock().unwrap_or_else(PoisonError::into_inner);
            compute(&arithmetic, function, context)
        })?;
    }
    Ok(())
}

fn compute(arithmetic: &Connection, function: &str, context: &Context<'_>) -> Result<Value, Error> {
    let places = vec!["?"; context.len()].join(",");
    let mut statement = arithmetic.prepare_cached(&format!("SELECT {function}({places})"))?;
    let arguments = (0..context.len()).map(|index| Value::try_from(context.get_raw(index)));
    let arguments = arguments
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| Error::UserFunctionError(Box::new(error)))?;
    statement.query_row(params_from_iter(arguments), |row| row.get(0))
}

/// Checks whether SQLite would ask the clock or the time zone: without a time, for `now`, for `subsec` as a time, for `localtime` and `utc`.
fn needs_clock(context: &Context<'_>, first: usize) -> bool {
    let is = |index: usize, wanted: &[&str]| {
        let bytes = match context.get_raw(index) {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => return false,
        };
        // SQLite reads these words up to the first NUL.
        let word = bytes.split(|byte| *byte == 0).next().unwrap_or_default().trim_ascii();
        wanted.iter().any(|wanted| word.eq_ignore_ascii_case(wanted.as_bytes()))
    };
    context.len() <= first
        || is(first, &["subsec", "subsecond"])
        || (first..context.len()).any(|index| is(index, &["now", "localtime", "utc"]))
}
