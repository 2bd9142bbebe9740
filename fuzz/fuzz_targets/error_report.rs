//! Fuzz target of `error_report`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("error_report", bytes));
