//! What operating systems do differently: how a program is asked to end, what opens a page, and what a private folder is.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{OPENER, Signals, Terminal, address_space, is_private_beside, make_private};
