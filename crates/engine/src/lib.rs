//! The investigation machine, sans-IO.
