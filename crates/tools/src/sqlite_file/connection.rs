//! Opens a copy in such a way that hostile content can only be read.

use super::budget::{Budget, STRIDE};
use super::{clock, functions};
use evidence::platform::name_bytes;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, OpenFlags, Statement};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// How a copy is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// The file alone, whatever is beside it.
    Immutable,
    /// With the write-ahead log beside it.
    WithLog,
}

/// Opens a copy for reading.
pub(super) fn connect(path: &Path, manner: Manner, budget: &Budget) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let immutable = match manner {
        Manner::Immutable => "?immutable=1",
        Manner::WithLog => "",
    };
    let mut connection = Connection::open_with_flags(format!("{}{immutable}", uri(path)), flags)?;
    harden(&connection)?;
    clock::stop(&connection)?;
    let budget = budget.clone();
    connection.progress_handler(i32::from(STRIDE), Some(move || budget.take()))?;
    Ok(connection)
}

/// Opens an empty database with these files attached as `e0`, `e1` and so on, for reading.
pub(crate) fn attach(files: &[&Path], budget: &Budget) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_MEMORY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let mut connection = Connection::open_with_flags(":memory:", flags)?;
    for (number, file) in files.iter().enumerate() {
        let uri = format!("{}?mode=ro&immutable=1", uri(file));
        connection.execute(&format!("ATTACH ? AS e{number}"), [uri])?;
    }
    harden(&connection)?;
    clock::stop(&connection)?;
    // A view over all tables has a SELECT for each of their times.
    connection.set_limit(Limit::SQLITE_LIMIT_COMPOUND_SELECT, 500)?;
    let budget = budget.clone();
    connection.progress_handler(i32::from(STRIDE), Some(move || budget.take()))?;
    Ok(connection)
}

/// Makes SQLite play back a hot rollback journal in the copy at `path`.
pub(super) fn roll_back(path: &Path) -> Result<(), Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let connection = Connection::open_with_flags(path, flags)?;
    harden(&connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // Reading locks the file, and at the first lock SQLite looks for the journal.
    connection.pragma_query_value(None, "schema_version", |_| Ok(()))
}

/// What an agent's statements did: the first thing that was refused, and the tables that they read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watched(Arc<Mutex<(Option<String>, BTreeSet<String>)>>);

impl Watched {
    /// Returns why a statement was refused; the reason is returned only once.
    pub(crate) fn refused(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.take()
    }

    /// Returns the names of the tables and views that were read, in lower case.
    pub(crate) fn read(&self) -> BTreeSet<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    fn refuse(&self, what: String) -> Authorization {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.get_or_insert(what);
        Authorization::Deny
    }

    fn allow(&self, table: String) -> Authorization {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.insert(table);
        Authorization::Allow
    }
}

/// Restricts the connection: from now on it only compiles statements that read these tables.
///
/// If a statement only counts the rows of something that it names itself (`WITH`), SQLite asks for no column.
/// Such a read is allowed if `names` says so.
pub(crate) fn only_read(
    connection: &mut Connection,
    tables: BTreeSet<String>,
    names: fn(&str) -> bool,
) -> Result<Watched, Error> {
    let watched = Watched::default();
    let watch = watched.clone();
    connection.authorizer(Some(move |context: AuthContext<'_>| match context.action {
        AuthAction::Select | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Read { table_name, column_name } => {
            let table = table_name.to_lowercase();
            match tables.contains(&table) {
                true => watch.allow(table),
                false if column_name.is_empty() && names(&table) => Authorization::Allow,
                false => watch.refuse(format!("{table_name:?} is no table that is read")),
            }
        }
        AuthAction::Function { function_name } if functions::is_allowed(function_name) => {
            Authorization::Allow
        }
        AuthAction::Function { function_name } => watch
            .refuse(format!("function {function_name}: its value does not follow from the evidence alone")),
        AuthAction::Pragma { .. } => {
            watch.refuse("pragmas are refused: list_tables tells columns".to_owned())
        }
        _ => watch.refuse("only reading is allowed: one SELECT".to_owned()),
    }))?;
    Ok(watched)
}

/// Says what a statement is if it is not one SELECT without parameters; `None` if it is one.
pub(crate) fn not_a_select(statement: &Statement<'_>) -> Option<&'static str> {
    if statement.column_count() == 0 {
        Some("a statement without a result")
    } else if statement.is_explain() != 0 {
        Some("EXPLAIN")
    } else if statement.parameter_count() > 0 {
        Some("parameters: write the values into the statement")
    } else if !statement.readonly() {
        Some("a statement that writes")
    } else {
        None
    }
}

/// Makes SQLite read a schema with damaged entries as far as possible; otherwise SQLite refuses it.
pub(crate) fn tolerate_schema(connection: &Connection) -> Result<(), Error> {
    // Both only matter to a connection that may write.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    Ok(())
}

fn harden(connection: &Connection) -> Result<(), Error> {
    use DbConfig::{
        SQLITE_DBCONFIG_DEFENSIVE as Defensive, SQLITE_DBCONFIG_DQS_DML as QuotedTexts,
        SQLITE_DBCONFIG_ENABLE_TRIGGER as Triggers, SQLITE_DBCONFIG_ENABLE_VIEW as Views,
        SQLITE_DBCONFIG_TRUSTED_SCHEMA as TrustedSchema,
    };
    use Limit::{
        SQLITE_LIMIT_ATTACHED as Attached, SQLITE_LIMIT_COMPOUND_SELECT as Compound,
        SQLITE_LIMIT_EXPR_DEPTH as Depth, SQLITE_LIMIT_LENGTH as Length,
        SQLITE_LIMIT_LIKE_PATTERN_LENGTH as Pattern, SQLITE_LIMIT_VDBE_OP as Program,
        SQLITE_LIMIT_WORKER_THREADS as Threads,
    };
    // Without quoted texts, a misspelt "column" is an error, not a constant.
    for (config, on) in
        [(Defensive, true), (TrustedSchema, false), (Triggers, false), (Views, false), (QuotedTexts, false)]
    {
        connection.set_db_config(config, on)?;
    }
    for (limit, most) in [
        (Length, 64 << 20),
        (Attached, 0),
        (Compound, 50),
        (Depth, 500),
        (Pattern, 1000),
        (Program, 1 << 20),
        (Threads, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    // Sorting works in memory, because a worker has no folder for temporary files; most of a worker's memory is left to us.
    connection.execute_batch(
        "PRAGMA cell_size_check=1; PRAGMA mmap_size=0; PRAGMA temp_store=2; PRAGMA hard_heap_limit=536870912;",
    )
}

/// Writes the path in the form that SQLite reads from a URI (RFC 3986).
fn uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in name_bytes(path.as_os_str()) {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_add_words_to_the_uri() {
        assert_eq!(uri(Path::new("/a b/c?mode=rwc#%")), "file:/a%20b/c%3Fmode%3Drwc%23%25");
    }
}
