//! Use cases and wiring.
