//! Events of Windows logs as records: a general type, and types for events whose meaning is certain.
//!
//! Only [`rules`] give an event a type of its own.
//! They check its channel, the name of its provider and, if the provider has one, the provider's GUID.
//! Programs that write events through the old interface cannot give that GUID.

mod codes;
mod former;
mod index;
mod kinds;
mod natives;
mod row;
mod rules;
mod values;

pub use former::is_event_typed_later;
pub(crate) use kinds::{LOGONS, record_types};
pub(crate) use natives::{of_channel, of_record};
pub(crate) use row::{row, standing, ticks_of, time_of};

#[cfg(test)]
mod tests;
