//! Why tables cannot be made, read or queried.

use crate::error::CallError;
use evidence::OpenError;
use thiserror::Error;

/// Why tables cannot be made, read or queried.
#[derive(Debug, Error)]
pub enum TableError {
    /// The evidence cannot be opened.
    #[error(transparent)]
    Open(OpenError),
    /// The evidence cannot be read at the start of the pass.
    #[error("decode the evidence")]
    Evidence(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// There is no such group of sources.
    #[error("there is no group of sources {name:?}")]
    Group {
        /// What was asked for.
        name: String,
    },
    /// SQLite failed.
    #[error("{action}")]
    Sqlite {
        /// What was being done.
        action: &'static str,
        /// Why it failed.
        #[source]
        source: rusqlite::Error,
    },
    /// The file with the finished tables cannot be read.
    #[error("read the finished tables")]
    Finished(#[source] std::io::Error),
    /// A decoder made a field that its record type does not declare.
    #[error("a record of type {kind} has a field {field:?}, which its type does not declare")]
    Undeclared {
        /// The record type.
        kind: String,
        /// The field.
        field: String,
    },
    /// A decoder made a record of another file than the one that it was given.
    #[error("the decoder of {path} gave a record of {of}")]
    Foreign {
        /// The file that it was given.
        path: String,
        /// The file that the record names.
        of: String,
    },
    /// A row is not one that the pass writes.
    #[error("table {table}, row {row}: {what}")]
    Row {
        /// The table.
        table: String,
        /// The row.
        row: i64,
        /// What is there, and what was expected.
        what: String,
    },
    /// The statement is refused.
    #[error("{message}{}{}", offset.map(|offset| format!(" (byte {offset} of the statement)")).unwrap_or_default(), help.iter().map(|help| format!("; {help}")).collect::<String>())]
    Statement {
        /// Why.
        message: String,
        /// Where in the statement.
        offset: Option<usize>,
        /// What exists instead.
        help: Option<String>,
    },
    /// More table files than one statement can use.
    #[error(
        "the statement reads {found} files of tables, one for each kind of source and piece of evidence; {most} are the most: name one piece of evidence, or fewer tables"
    )]
    TooMany {
        /// The number of files that it reads.
        found: usize,
        /// The number of files that can be used together.
        most: usize,
    },
}

impl TableError {
    /// Checks whether another question could be answered: nothing is wrong with the tables.
    pub fn is_of_the_question(&self) -> bool {
        match self {
            TableError::Statement { .. } | TableError::TooMany { .. } => true,
            TableError::Open(_)
            | TableError::Evidence(_)
            | TableError::Group { .. }
            | TableError::Sqlite { .. }
            | TableError::Finished(_)
            | TableError::Undeclared { .. }
            | TableError::Foreign { .. }
            | TableError::Row { .. } => false,
        }
    }
}

impl From<CallError> for TableError {
    fn from(error: CallError) -> TableError {
        TableError::Evidence(Box::new(error))
    }
}

/// Wraps an error of SQLite with what was being done.
pub(super) fn sqlite(action: &'static str) -> impl Fn(rusqlite::Error) -> TableError {
    move |source| TableError::Sqlite { action, source }
}
