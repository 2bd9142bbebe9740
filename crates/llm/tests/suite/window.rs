//! A task's context window, checked against the providers' rules and token counts.

mod evidence;
mod examiner;
mod life;
mod long;
mod mind;
mod random_lives;

pub(crate) use evidence::{line, returned};
pub(crate) use life::find;
