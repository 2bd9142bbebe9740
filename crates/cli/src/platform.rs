//! Differences between operating systems: signals, the program that opens a page, the terminal, and private folders.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{OPENER, Signals, Terminal, address_space, is_private_beside, make_private};
