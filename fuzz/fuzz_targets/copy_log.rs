//! Fuzz target of `copy_log`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("copy_log", bytes));
