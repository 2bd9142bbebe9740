//! One read-only tree over evidence.
