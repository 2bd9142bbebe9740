//! Models: what decides an agent's next step.
//!
//! A [`Model`] answers one turn at a time.
//! This version embeds the [`Playbook`], which needs no key and no network, and [`Sloppy`], the same playbook with seeded mistakes.
//! [`api`] asks language models over the network, and [`Recorded`] answers from a recording of one.
//! The steps of [`Outside`] are decided by another program.

pub mod api;
mod model;
mod outside;
pub mod playbook;
mod random;
mod recorded;
pub mod render;
mod sloppy;

pub use model::{Model, ModelError, Turning};
pub use outside::{Begun, Desk, Last, Outside, Told, Unheard, Wish};
pub use playbook::Playbook;
pub use recorded::{Came, Differs, Recorded, RecordedTurn, Where};
pub use sloppy::Sloppy;
