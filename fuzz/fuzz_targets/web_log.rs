//! Fuzz target of `web_log`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| locard_fuzz::decode("web_log", bytes));
