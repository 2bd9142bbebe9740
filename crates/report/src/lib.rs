//! Graph in, pages out.
