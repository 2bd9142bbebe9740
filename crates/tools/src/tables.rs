//! Case tables: all records of a piece of evidence in SQLite files, with one table per record type and one file per group of sources.
//!
//! A pass decodes every source of a group once ([`crate::survey`]) and writes each record into the table of its type.
//! A row has everything of its record: reading it back gives the same record, byte for byte ([`read`]).
//!
//! | column | what it is |
//! |---|---|
//! | `_row` | the record's number in its table, in the order of the pass: file by file, each in its own order |
//! | `_source` | the row of `sources` with the file and the decoder that it was read with |
//! | `_path`, `_stream`, `_offset`, `_length` | where the record is: the path in the evidence, the named stream, its bytes |
//! | one for each field | its value: a text, a whole number, 0 or 1 for a flag, an array in JSON for a list; a time as text in RFC 3339, followed by ` local` if its zone is not known, and by ` copy` if it is the time of a copied file; NULL if it has no instant |
//! | `_places` | the row of `layouts` with the bytes of each field, in the order of the columns; or that text itself |
//! | `_exact` | values that the column cannot represent fully: raw times of other forms, values of another type than the column's first |
//! | `_defects` | damage that was met in the record |
//! | `_seq` | how many records of its source came before it, of any type |
//!
//! A table's digest covers its rows in their order, not SQLite's bytes.
//! The file is a cache: it can be deleted at any time, and anyone who reads one reads hostile bytes.

mod attached;
mod cells;
mod content;
mod count;
mod digest;
mod doing;
mod each;
mod error;
mod file_digest;
mod gathered;
mod group;
mod hints;
mod layouts;
mod naming;
mod of_place;
mod pass;
mod query;
mod read;
mod replay;
mod schema;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
mod times;
mod unopened;
mod views;
mod write;

pub(crate) use content::digest_sources;
pub(crate) use count::{Count, Counting};
pub use doing::{DOING, LeftOut};
pub use error::TableError;
pub(crate) use group::QUERY;
pub use group::{TableFiles, TableGroup, gives_any_record, groups_of, reads_what_there_is, statement_of};
pub use hints::hints;
pub(crate) use of_place::of_place;
pub use pass::{BuiltTables, TABLES_FILE, build};
pub use query::{Answer, Asked, AskedRow, Cell};
pub(crate) use query::{Reader, ask, ask_for_rows, groups_of_statement, hash_tables, read_row};
pub(crate) use replay::{Kept, Source, Stored};
pub(crate) use schema::dates_rows;
pub use schema::{Column, Table, tables};
pub(crate) use times::{Moment, Times, TimesOf};
pub use views::{VIEWS, View};

/// A text that changes whenever the same evidence could give other tables: the format, and the sources of readers and decoders.
pub const TABLES_MAKER: &str = concat!("1 ", env!("LOCARD_TABLE_SOURCES"));
