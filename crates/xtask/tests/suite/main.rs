//! Integration tests of `xtask`, in one binary because each binary is linked separately.

mod plain;
mod tidy;
