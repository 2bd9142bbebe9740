//! A task's context window against the providers' rules and counts.

mod evidence;
mod examiner;
mod life;
mod long;
mod mind;
mod random_lives;

pub(crate) use evidence::{line, returned};
pub(crate) use life::find;
