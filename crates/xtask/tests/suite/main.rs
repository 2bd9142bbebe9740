//! Integration tests of `xtask`, in one binary because each binary is linked separately.

mod book;
mod plain;
mod tidy;
