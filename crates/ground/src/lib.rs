//! The grounding gateway.
