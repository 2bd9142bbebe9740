//! The INVESTIGATE tools.
