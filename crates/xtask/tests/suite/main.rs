//! Integration tests of `xtask`, in one binary because each binary is linked separately.

mod book;
mod dependencies;
mod plain;
mod spdx;
mod tidy;
