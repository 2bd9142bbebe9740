//! Fuzz target of `defender_history`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("defender_history", bytes));
