//! Fuzz target of `firefox_history`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("firefox_history", bytes));
