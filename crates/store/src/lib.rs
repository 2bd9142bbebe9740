//! One SQLite file per run: append-only events, and payloads by digest.
//!
//! A run is a folder that holds `run.db`.
//! During recording there is a write-ahead log next to that file; sealing folds it in and leaves only the one
//! file, read-only.
//!
//! **Invariant:** recording fails closed. After the first failed append no other succeeds.
//!
//! **Invariant:** every stored column is covered by the hash chain or by a check in [`Reader`]; any changed byte
//! is either detected or has no meaning.

mod codec;
mod column;
mod create;
mod entry;
mod export;
#[cfg(test)]
mod failure;
mod fault;
mod log;
mod open;
mod payload;
mod prepare;
mod private;
mod reader;
mod rows;
mod schema;
mod seal;
mod stopped;
mod text_index;
mod thread;
mod writer;

pub use codec::{Encoding, MAX_PAYLOAD};
pub use column::Place;
pub use create::{CreateError, Options, ResumeError, discard};
pub use entry::{Entry, Placed, Tally};
pub use export::{Bodies, ExportError, Exported, export};
pub use fault::Fault;
pub use open::{FILE_NAME, OpenError};
pub use payload::{PayloadEntry, PayloadIndex, ReadError};
pub use reader::{Events, Links, Reader};
pub use schema::SchemaError;
pub use seal::{SealError, Sealed};
pub use stopped::{AppendError, Stopped};
pub use text_index::{TextIndex, TextIndexError};
pub use writer::{Durability, Writer};
