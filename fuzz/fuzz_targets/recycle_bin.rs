//! Fuzz target of `recycle_bin`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("recycle_bin", bytes));
