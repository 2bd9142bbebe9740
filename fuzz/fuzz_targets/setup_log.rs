//! Fuzz target of `setup_log`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("setup_log", bytes));
